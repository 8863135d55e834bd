//! Estimates of the parameters of the regimes, and their domain.

use super::{Column, RegimesFit};
use crate::fit::domain::Domain;
use crate::model::regimes::Protocol;
use crate::stats::interval::{Estimate, Variance};

impl RegimesFit {
    /// A parameter of the regression with its interval; `None` if it was not estimated.
    pub fn estimate(&self, wanted: Column, confidence: f64) -> Option<Estimate> {
        let place = self.columns.iter().position(|column| *column == wanted)?;
        let of = |protocol: Protocol| self.model.parameters(protocol);
        let value = match wanted {
            Column::Latency => self.model.latency.0,
            Column::Startup => self.model.startup.0,
            Column::Request => self.model.request.0,
            Column::Gamma(protocol) => of(protocol)?.gamma,
            Column::Growth(protocol) => of(protocol)?.growth,
            Column::Overlap(protocol) => of(protocol)?.overlap,
            Column::Slowdown => of(Protocol::Eager)?.slowdown,
        };
        let dof = self.cells.len().saturating_sub(self.columns.len()).max(1);
        let variance = Variance {
            value: self.covariance[(place, place)],
            dof: dof as f64,
        };
        Some(Estimate::around(value, &[variance], confidence))
    }

    /// The measured process counts and sizes; `None` if there are no cells.
    pub fn domain(&self) -> Option<Domain> {
        Domain::of(self.cells.iter().map(|cell| (cell.procs, cell.size)))
    }
}
