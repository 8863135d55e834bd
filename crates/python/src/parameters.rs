//! Fitted parameters of a profile as a table.

use netsig_base::stats::interval::IntervalEstimate;
use netsig_model::fitted::{FittedModel, ParameterValue};
use netsig_model::profile::Profile;

use crate::columns::ArrowColumns;
use crate::table::PyResultTable;

/// A parameter of a model, or a point-to-point parameter.
struct ParameterRow<'a> {
    model: Option<&'a FittedModel>,
    name: &'a str,
    found: ParameterValue,
}

/// Alpha, beta, and the parameters of the fitted models.
pub fn table(profile: &Profile) -> PyResultTable {
    let hockney = &profile.hockney;
    let point_to_point = [("alpha_s", hockney.alpha), ("beta_s_per_byte", hockney.beta)];
    let point_to_point_rows = point_to_point.into_iter().map(|(name, estimate)| ParameterRow {
        model: None,
        name,
        found: ParameterValue::Estimated(estimate),
    });
    let fitted = profile.fitted.iter().flat_map(|model| {
        let values = model.parameters.iter();
        values.map(move |(name, found)| ParameterRow {
            model: Some(model),
            name,
            found: *found,
        })
    });
    let rows: Vec<ParameterRow> = point_to_point_rows.chain(fitted).collect();
    let all = || rows.iter();
    let end = |end: fn(IntervalEstimate) -> f64| all().map(move |row| row.found.interval().map(end));
    let columns = ArrowColumns::default()
        .texts(
            "collective",
            all().map(|row| Some(row.model?.collective()?.to_string())),
        )
        .texts("algorithm", all().map(|row| Some(&row.model?.algorithm)))
        .texts(
            "model",
            all().map(|row| Some(row.model.map_or("hockney", |model| model.model.name))),
        )
        .words("parameter", all().map(|row| row.name))
        .floats("value", all().map(|row| Some(row.found.value())))
        .floats("lower", end(|estimate| estimate.lower))
        .floats("upper", end(|estimate| estimate.upper));
    columns.batch().into()
}
