//! Fitted regimes as rows.

use netsig_base::stats::interval::Estimate;
use netsig_model::fit::fitted::Found;
use netsig_model::fit::network::FittedRegimes;
use netsig_model::fit::regimes::Column;
use netsig_model::model::REGIMES;
use netsig_model::model::regimes::{Class, Protocol, Regimes};
use netsig_model::profile::RegimesEntry;
use strum::VariantArray as _;

use super::{Parameters, estimated, plain};

/// The parameters of all classes of process counts; names in partial classes have the class as a
/// suffix.
pub(super) fn of(fitted: &FittedRegimes, confidence: f64) -> Parameters<'_> {
    let values = fitted.fit.fits.iter().flat_map(|fit| {
        let estimate = |column: Column| fit.estimate(column, confidence).map(Found::Estimated);
        of_class(fit.class, &fit.model, estimate)
    });
    Parameters {
        collective: fitted.collective.to_string(),
        algorithm: &fitted.algorithm,
        model: REGIMES,
        values: values.collect(),
    }
}

/// The parameters of an entry of a profile, which does not hold the intervals of all of them.
pub(super) fn of_entry(entry: &RegimesEntry) -> Parameters<'_> {
    let value = |column: Column| {
        let is_estimated = entry.columns.contains(&column);
        let value = column.value(&entry.model).filter(|_| is_estimated);
        value.map(Found::Plain)
    };
    Parameters {
        collective: entry.collective.to_string(),
        algorithm: &entry.algorithm,
        model: REGIMES,
        values: of_class(entry.class, &entry.model, value),
    }
}

/// b, the eager limit, and the parameters of both protocols.
fn of_class(
    class: Class,
    model: &Regimes,
    found: impl Fn(Column) -> Option<Found>,
) -> Vec<(String, Found)> {
    let found = |column: Column| Some((column.name().to_owned(), found(column)?));
    let limit = model.eager_limit;
    let limit = limit.map(|limit| plain("eager_limit_bytes", limit.as_f64()));
    let mut all = Vec::new();
    all.extend(
        [Column::Latency, Column::Startup, Column::Request]
            .into_iter()
            .filter_map(found),
    );
    all.extend(limit);
    all.extend(found(Column::Slowdown));
    for &protocol in Protocol::VARIANTS {
        let columns = [Column::Gamma, Column::Growth, Column::Overlap];
        all.extend(columns.into_iter().filter_map(|of| found(of(protocol))));
        let parameters = model.parameters(protocol);
        let Some(stalls) = parameters.and_then(|parameters| parameters.stalls) else {
            continue;
        };
        all.extend(stalls.onset.map(|onset| {
            let estimate = Estimate {
                value: onset.bytes,
                lower: onset.lower,
                upper: onset.upper,
            };
            estimated("overflow_bytes", estimate)
        }));
        all.push(plain(format!("stall_rate_{protocol}"), stalls.rate));
        all.push(plain(format!("stall_{protocol}_s"), stalls.cost.0));
    }
    let suffix = match class {
        Class::Every => "",
        Class::Power => "@powers-of-two",
        Class::Other => "@others",
    };
    let all = all.into_iter();
    all.map(|(name, found)| (name + suffix, found)).collect()
}
