//! The parameters of fitted regimes by name, in the order of tables.

use nalgebra::DMatrix;
use netsig_base::algorithm::Collective;
use netsig_base::stats::interval::IntervalEstimate;
use netsig_base::units::Bytes;
use strum::VariantArray as _;

use super::entry::RegimesEntry;
use super::fit::{AlgorithmRegimes, RegimesParameter};
use crate::fitted::domain::MeasuredDomain;
use crate::fitted::{ContentionModel, ParameterValue};
use crate::model::regimes::{CountClass, OnsetSource, Protocol, Regimes, StallParameters};
use crate::model::{self, Model};

impl ContentionModel for RegimesEntry {
    fn entry(&self) -> &'static Model {
        model::general_model(self.collective)
    }

    fn collective(&self) -> Option<Collective> {
        Some(self.collective)
    }

    fn algorithm(&self) -> &str {
        &self.algorithm
    }

    fn domain(&self) -> &MeasuredDomain {
        &self.domain
    }

    /// An entry does not hold the intervals of all of its parameters.
    fn parameters(&self) -> Vec<(String, ParameterValue)> {
        let value = |column: RegimesParameter| {
            let fitted_value = column.value(&self.model);
            let value = fitted_value.filter(|_| self.columns.contains(&column));
            value.map(ParameterValue::Plain)
        };
        named_parameters(self.class, &self.model, value)
    }

    fn covariance(&self) -> (Vec<&str>, &DMatrix<f64>) {
        let names = self.columns.iter().map(|column| column.name());
        (names.collect(), &self.covariance)
    }

    fn left_out_errors(&self) -> Vec<f64> {
        self.errors.iter().map(|error| error.deviation).collect()
    }

    fn check(&self) -> Result<(), String> {
        self.refuse_impossible()
    }
}

impl AlgorithmRegimes {
    /// The parameters of all classes of process counts with intervals of level `confidence`.
    pub fn parameters(&self, confidence: f64) -> Vec<(String, ParameterValue)> {
        let of_fit = self.fits.iter().flat_map(|fit| {
            let estimate = |column: RegimesParameter| fit.estimate(column, confidence).map(ParameterValue::Estimated);
            named_parameters(fit.class, &fit.model, estimate)
        });
        of_fit.collect()
    }
}

/// a, b, r, the eager limit, and the parameters of both protocols; names of a partial class of process
/// counts have the class as a suffix.
fn named_parameters(
    class: CountClass,
    model: &Regimes,
    value_of: impl Fn(RegimesParameter) -> Option<ParameterValue>,
) -> Vec<(String, ParameterValue)> {
    let named_value = |column: RegimesParameter| Some((column.name().to_owned(), value_of(column)?));
    let limit_bytes = model.eager_limit.map(Bytes::as_f64);
    let limit = limit_bytes.map(|limit| ("eager_limit_bytes".to_owned(), ParameterValue::Plain(limit)));
    let common = [
        RegimesParameter::Latency,
        RegimesParameter::Startup,
        RegimesParameter::Request,
    ];
    let mut named_values: Vec<_> = common.into_iter().filter_map(named_value).collect();
    named_values.extend(limit);
    named_values.extend(named_value(RegimesParameter::Slowdown));
    for &protocol in Protocol::VARIANTS {
        let columns = [RegimesParameter::Gamma, RegimesParameter::Growth];
        named_values.extend(columns.into_iter().filter_map(|of| named_value(of(protocol))));
        let parameters = model.parameters(protocol);
        let stalls = parameters.and_then(|parameters| parameters.stalls);
        named_values.extend(
            stalls
                .into_iter()
                .flat_map(|protocol_stalls| stall_parameters(protocol, &protocol_stalls)),
        );
    }
    let suffix = match class {
        CountClass::Every => "",
        CountClass::Power => "@powers-of-two",
        CountClass::Other => "@others",
    };
    let all = named_values.into_iter();
    all.map(|(name, found)| (name + suffix, found)).collect()
}

/// X, the rate of stalls and their time.
fn stall_parameters(protocol: Protocol, stalls: &StallParameters) -> Vec<(String, ParameterValue)> {
    let onset_bytes = IntervalEstimate {
        value: stalls.onset.bytes,
        lower: stalls.onset.lower,
        upper: stalls.onset.upper,
    };
    let value = match stalls.onset.source {
        OnsetSource::Data => ParameterValue::Estimated(onset_bytes),
        source => ParameterValue::Assumed(onset_bytes, source),
    };
    let onset = [("overflow_bytes".to_owned(), value)];
    let rate_and_cost = [
        (format!("stall_rate_{protocol}"), stalls.rate),
        (format!("stall_{protocol}_s"), stalls.cost.0),
    ];
    let plain = rate_and_cost.map(|(name, value)| (name, ParameterValue::Plain(value)));
    onset.into_iter().chain(plain).collect()
}
