//! Fitted regimes as rows.

use netsig_core::fit::fitted::Found;
use netsig_core::fit::network::FittedRegimes;
use netsig_core::fit::regimes::{Column, RegimesFit};
use netsig_core::model::REGIMES;
use netsig_core::model::regimes::{Class, Protocol};
use netsig_core::stats::interval::Estimate;
use strum::VariantArray as _;

use super::{Parameters, estimated, plain};

/// The parameters of all classes of process counts; names in partial classes have the class as a
/// suffix.
pub(super) fn of(fitted: &FittedRegimes, confidence: f64) -> Parameters<'_> {
    let named = |fit: &RegimesFit| {
        let class = match fit.class {
            Class::Every => "",
            Class::Power => "@powers-of-two",
            Class::Other => "@others",
        };
        let values = of_class(fit, confidence).into_iter();
        values.map(move |(name, found)| (name + class, found))
    };
    Parameters {
        collective: fitted.collective.to_string(),
        algorithm: &fitted.algorithm,
        model: REGIMES,
        values: fitted.fit.fits.iter().flat_map(named).collect(),
    }
}

/// b, the eager limit, and the parameters of both protocols.
fn of_class(fit: &RegimesFit, confidence: f64) -> Vec<(String, Found)> {
    let estimate = |column: Column| {
        let estimate = fit.estimate(column, confidence)?;
        Some(estimated(column.name(), estimate))
    };
    let limit = fit.model.eager_limit;
    let limit = limit.map(|limit| plain("eager_limit_bytes", limit.as_f64()));
    let mut all = Vec::new();
    all.extend(
        [Column::Latency, Column::Startup, Column::Request]
            .into_iter()
            .filter_map(estimate),
    );
    all.extend(limit);
    all.extend(estimate(Column::Slowdown));
    for &protocol in Protocol::VARIANTS {
        let columns = [Column::Gamma, Column::Growth, Column::Overlap];
        all.extend(columns.into_iter().filter_map(|of| estimate(of(protocol))));
        let parameters = fit.model.parameters(protocol);
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
    all
}
