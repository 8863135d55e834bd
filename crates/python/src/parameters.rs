//! Fitted parameters of a profile as a table.

use netsig_base::stats::interval::Estimate;
use netsig_model::fitted::{FittedModel, Found};
use netsig_model::profile::Profile;

use crate::columns::Columns;
use crate::table::Table;

/// A parameter of a model, or of two processes.
struct Parameter<'a> {
    model: Option<&'a FittedModel>,
    name: &'a str,
    found: Found,
}

/// Alpha, beta, and the parameters of the fitted models.
pub fn table(profile: &Profile) -> Table {
    let hockney = &profile.hockney;
    let pairs = [("alpha_s", hockney.alpha), ("beta_s_per_byte", hockney.beta)];
    let pairs = pairs.into_iter().map(|(name, estimate)| Parameter {
        model: None,
        name,
        found: Found::Estimated(estimate),
    });
    let fitted = profile.fitted.iter().flat_map(|own| {
        let values = own.parameters.iter();
        values.map(move |(name, found)| Parameter {
            model: Some(own),
            name,
            found: *found,
        })
    });
    let all: Vec<Parameter> = pairs.chain(fitted).collect();
    let all = || all.iter();
    let end = |end: fn(Estimate) -> f64| {
        all().map(move |own| match own.found {
            Found::Estimated(estimate) => Some(end(estimate)),
            Found::Plain(_) => None,
        })
    };
    let columns = Columns::default()
        .texts(
            "collective",
            all().map(|own| Some(own.model?.collective()?.to_string())),
        )
        .texts("algorithm", all().map(|own| Some(&own.model?.algorithm)))
        .texts(
            "model",
            all().map(|own| Some(own.model.map_or("hockney", |own| own.model.name))),
        )
        .words("parameter", all().map(|own| own.name))
        .floats("value", all().map(|own| Some(own.found.value())))
        .floats("lower", end(|own| own.lower))
        .floats("upper", end(|own| own.upper));
    columns.batch().into()
}
