//! Fits of pairs of processes besides α and β: pLogP tables, protocol changes, their agreement,
//! and transfers of many pairs at once.

use netsig_base::data::Experiment;
use netsig_base::data::cells::MeasuredCells;

use super::agreement::{self, Agreement};
use super::breakpoints::{self, EagerLimit, Pieces};
use super::flows::{self, Flows, Load};
use super::levels::levels;
use super::plogp::{self, Measured};
use super::{FailedFit, FitError};

/// The fits of pairs; each is `None` if the data do not contain or do not support it.
#[derive(Debug, Clone, PartialEq)]
pub struct PointToPoint {
    /// L, g(m), os(m) and or(m).
    pub plogp: Option<Measured>,
    /// The straight pieces of the ping-pong.
    pub pieces: Option<Pieces>,
    /// The eager limit.
    pub eager_limit: Option<EagerLimit>,
    /// Comparison of the ping-pong with pLogP.
    pub agreement: Option<Agreement>,
    /// Simultaneous transfers.
    pub flows: Option<Flows>,
    /// The loads of these transfers, ascending in size.
    pub loads: Vec<Load>,
    /// Failed fits of data that are present.
    pub failures: Vec<FailedFit>,
}

/// Fits all pairs' cells that are present, with intervals of level `confidence`.
pub fn fit(cells: &MeasuredCells, confidence: f64) -> PointToPoint {
    let mut failures = Vec::new();
    let ping_pong = levels(cells, Experiment::PingPong);
    let sends = levels(cells, Experiment::SendOverhead);
    let tables = plogp::is_in(cells).then(|| plogp::measured(cells, confidence));
    let plogp = tables.and_then(|found| kept(found, "pLogP", &mut failures));
    // Data of α and β may have too few sizes for pieces; this is no failure.
    let pieces = breakpoints::find(&ping_pong, confidence)
        .ok()
        .map(|pieces| pieces.with_send_overhead(&sends, confidence));
    let agreement = plogp.as_ref().and_then(|measured| {
        let found = agreement::compare(&ping_pong, measured, confidence);
        kept(found, "pLogP against the ping-pong", &mut failures)
    });
    let (flows, loads) = flows::fit(cells).unzip();
    PointToPoint {
        plogp,
        eager_limit: breakpoints::eager_limit(&sends, pieces.as_ref(), confidence),
        pieces,
        agreement,
        flows,
        loads: loads.unwrap_or_default(),
        failures,
    }
}

/// The result, if there is one; otherwise the error is added to `failures`.
fn kept<T>(found: Result<T, FitError>, subject: &str, failures: &mut Vec<FailedFit>) -> Option<T> {
    let found = found.map_err(FailedFit::of(subject));
    found.map_err(|failure| failures.push(failure)).ok()
}
