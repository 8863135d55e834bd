//! Fits of pairs of processes besides α and β: pLogP tables, protocol changes, their agreement,
//! and transfers of many pairs at once.

use netsig_base::data::Experiment;
use netsig_base::data::cells::MeasuredCells;

use super::agreement::{self, PLogPAgreement};
use super::breakpoints::{self, EagerLimit, PiecewisePingPong};
use super::flows::{self, FlowGaps, FlowLoad};
use super::medians::size_medians;
use super::plogp::{self, MeasuredPLogP};
use super::{FailedFit, FitError};

/// The fits of pairs; each is `None` if the data do not contain or do not support it.
#[derive(Debug, Clone, PartialEq)]
pub struct PointToPointFits {
    /// L, g(m), os(m) and or(m).
    pub plogp: Option<MeasuredPLogP>,
    /// The straight pieces of the ping-pong.
    pub pieces: Option<PiecewisePingPong>,
    /// The eager limit.
    pub eager_limit: Option<EagerLimit>,
    /// Comparison of the ping-pong with pLogP.
    pub agreement: Option<PLogPAgreement>,
    /// Simultaneous transfers.
    pub flows: Option<FlowGaps>,
    /// The loads of these transfers, ascending in size.
    pub loads: Vec<FlowLoad>,
    /// Failed fits of data that are present.
    pub failures: Vec<FailedFit>,
}

/// Fits all pairs' cells that are present, with intervals of level `confidence`.
pub fn fit(cells: &MeasuredCells, confidence: f64) -> PointToPointFits {
    let mut failures = Vec::new();
    let ping_pong = size_medians(cells, Experiment::PingPong);
    let sends = size_medians(cells, Experiment::SendOverhead);
    let tables = plogp::is_measured(cells).then(|| plogp::measured_tables(cells, confidence));
    let plogp = tables.and_then(|found| or_record_failure(found, "pLogP", &mut failures));
    // Data of α and β may have too few sizes for pieces; this is no failure.
    let pieces = breakpoints::find(&ping_pong, confidence)
        .ok()
        .map(|pieces| pieces.with_send_overhead(&sends, confidence));
    let agreement = plogp.as_ref().and_then(|measured| {
        let found = agreement::compare(&ping_pong, measured, confidence);
        or_record_failure(found, "pLogP against the ping-pong", &mut failures)
    });
    let (flows, loads) = flows::fit(cells).unzip();
    PointToPointFits {
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
fn or_record_failure<T>(found: Result<T, FitError>, subject: &str, failures: &mut Vec<FailedFit>) -> Option<T> {
    let found = found.map_err(FailedFit::of(subject));
    found.map_err(|failure| failures.push(failure)).ok()
}
