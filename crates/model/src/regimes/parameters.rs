//! The parameters of fitted regimes by name, in the order of tables.

use nalgebra::DMatrix;
use netsig_base::algorithm::Collective;
use netsig_base::stats::interval::Estimate;
use netsig_base::units::Bytes;
use strum::VariantArray as _;

use super::entry::RegimesEntry;
use super::fit::{AlgorithmRegimes, Column};
use crate::fitted::domain::Domain;
use crate::fitted::{ContentionModel, Found};
use crate::model::regimes::{Class, Protocol, Regimes, Stalls};
use crate::model::{self, Model};

impl ContentionModel for RegimesEntry {
    fn entry(&self) -> &'static Model {
        model::general(self.collective)
    }

    fn collective(&self) -> Option<Collective> {
        Some(self.collective)
    }

    fn algorithm(&self) -> &str {
        &self.algorithm
    }

    fn domain(&self) -> &Domain {
        &self.domain
    }

    /// An entry does not hold the intervals of all of its parameters.
    fn parameters(&self) -> Vec<(String, Found)> {
        let value = |column: Column| {
            let value = column.value(&self.model);
            let value = value.filter(|_| self.columns.contains(&column));
            value.map(Found::Plain)
        };
        of_class(self.class, &self.model, value)
    }

    fn covariance(&self) -> (Vec<&str>, &DMatrix<f64>) {
        let names = self.columns.iter().map(|column| column.name());
        (names.collect(), &self.covariance)
    }

    fn errors_left_out(&self) -> Vec<f64> {
        self.errors.iter().map(|error| error.deviation).collect()
    }

    fn check(&self) -> Result<(), String> {
        self.refuse_impossible()
    }
}

impl AlgorithmRegimes {
    /// The parameters of all classes of process counts with intervals of level `confidence`.
    pub fn parameters(&self, confidence: f64) -> Vec<(String, Found)> {
        let of_fit = self.fits.iter().flat_map(|fit| {
            let estimate = |column: Column| fit.estimate(column, confidence).map(Found::Estimated);
            of_class(fit.class, &fit.model, estimate)
        });
        of_fit.collect()
    }
}

/// a, b, r, the eager limit, and the parameters of both protocols; names of a partial class of process
/// counts have the class as a suffix.
fn of_class(class: Class, model: &Regimes, found: impl Fn(Column) -> Option<Found>) -> Vec<(String, Found)> {
    let found = |column: Column| Some((column.name().to_owned(), found(column)?));
    let limit = model.eager_limit.map(Bytes::as_f64);
    let limit = limit.map(|limit| ("eager_limit_bytes".to_owned(), Found::Plain(limit)));
    let common = [Column::Latency, Column::Startup, Column::Request];
    let mut all: Vec<_> = common.into_iter().filter_map(found).collect();
    all.extend(limit);
    all.extend(found(Column::Slowdown));
    for &protocol in Protocol::VARIANTS {
        let columns = [Column::Gamma, Column::Growth];
        all.extend(columns.into_iter().filter_map(|of| found(of(protocol))));
        let parameters = model.parameters(protocol);
        let stalls = parameters.and_then(|parameters| parameters.stalls);
        all.extend(stalls.into_iter().flat_map(|own| of_stalls(protocol, &own)));
    }
    let suffix = match class {
        Class::Every => "",
        Class::Power => "@powers-of-two",
        Class::Other => "@others",
    };
    let all = all.into_iter();
    all.map(|(name, found)| (name + suffix, found)).collect()
}

/// X, if it is known, the rate of stalls and their time.
fn of_stalls(protocol: Protocol, stalls: &Stalls) -> Vec<(String, Found)> {
    let onset = Estimate {
        value: stalls.onset.bytes,
        lower: stalls.onset.lower,
        upper: stalls.onset.upper,
    };
    let onset = [("overflow_bytes".to_owned(), Found::Estimated(onset))];
    let plain = [
        (format!("stall_rate_{protocol}"), stalls.rate),
        (format!("stall_{protocol}_s"), stalls.cost.0),
    ];
    let plain = plain.map(|(name, value)| (name, Found::Plain(value)));
    onset.into_iter().chain(plain).collect()
}
