//! Estimates of the parameters of the regimes, and their domain.

use netsig_base::stats::interval::{IntervalEstimate, Variance};

use super::{RegimesFit, RegimesParameter};
use crate::fitted::domain::MeasuredDomain;
use crate::model::regimes::{Protocol, Regimes};

impl RegimesParameter {
    /// Value of the parameter in a model; `None` if the model lacks its protocol.
    pub fn value(self, model: &Regimes) -> Option<f64> {
        let of = |protocol: Protocol| model.parameters(protocol);
        Some(match self {
            Self::Latency => model.latency.0,
            Self::Startup => model.startup.0,
            Self::Request => model.request.0,
            Self::Gamma(protocol) => of(protocol)?.gamma,
            Self::Growth(protocol) => of(protocol)?.growth,
            Self::Slowdown => of(Protocol::Eager)?.slowdown,
        })
    }
}

impl RegimesFit {
    /// A parameter of the regression with its interval; `None` if it was not estimated.
    pub fn estimate(&self, wanted: RegimesParameter, confidence: f64) -> Option<IntervalEstimate> {
        let place = self.columns.iter().position(|column| *column == wanted)?;
        let value = wanted.value(&self.model)?;
        let dof = self.cells.len().saturating_sub(self.columns.len()).max(1);
        let variance = Variance {
            value: self.covariance[(place, place)],
            dof: dof as f64,
        };
        Some(IntervalEstimate::around(value, &[variance], confidence))
    }

    /// The measured process counts and sizes; `None` if there are no cells.
    pub fn domain(&self) -> Option<MeasuredDomain> {
        MeasuredDomain::of(self.cells.iter().map(|cell| (cell.procs, cell.size)))
    }
}
