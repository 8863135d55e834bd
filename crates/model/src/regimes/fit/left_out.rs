//! Errors of the model at process counts left out of its fit.
//!
//! # Method
//! Each process count is left out as a whole, in turn, because the cells of one count share its
//! particularities.
//!
//! # Source
//! Leaving out groups: Stone 1974.

use std::collections::BTreeSet;

use netsig_base::units::{Bytes, Procs};
use serde::{Deserialize, Serialize};

use super::observation::CellObservation;
use super::{RegimesFit, RegimesFitter};
use crate::model::regimes::{Protocol, Regimes, RegimesPoint, TimeDistribution, TrafficPath, TrafficPattern};

/// Largest part of a cell's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellKind {
    /// Start-ups of few messages.
    Startup,
    /// Eager messages on the wire.
    Eager,
    /// Rendezvous messages on the wire.
    Rendezvous,
    /// A mixture: between one and nine in ten repetitions stall.
    Stalling,
}

/// A cell that was left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOutCell {
    /// Largest part of its time.
    pub kind: CellKind,
    /// Number of processes n.
    pub procs: Procs,
    /// Size m.
    pub size: Bytes,
    /// ln(T/T̂) of its median.
    pub error: f64,
    /// Weight of the error, from 0 to 1: less if the median itself is uncertain.
    pub weight: f64,
}

/// Shares of stalled repetitions at which chance decides whether the median is a stall.
const MIXED_SHARES: std::ops::Range<f64> = 0.1..0.9;

/// Largest number of counts that are left out in turn.
const MOST_FOLDS: usize = 12;

/// Counts to leave out in turn: all, or evenly spaced ones of many.
pub(crate) fn folds(counts: &BTreeSet<Procs>) -> Vec<Procs> {
    let step = counts.len().div_ceil(MOST_FOLDS).max(1);
    counts.iter().rev().step_by(step).rev().copied().collect()
}

/// Errors of every count when it is left out, in the order of the cells. Empty with a single count, or if the others
/// determine nothing.
pub fn leave_out(fitter: &RegimesFitter, pattern: TrafficPattern, cells: &[CellObservation]) -> Vec<LeftOutCell> {
    let counts: BTreeSet<Procs> = cells.iter().map(|cell| cell.procs).collect();
    if counts.len() < 2 {
        return Vec::new();
    }
    let of_count = |count: Procs| {
        let class = pattern.class(count);
        let fit = fitter.fit_class(pattern, class, cells, Some(count)).ok()?;
        let count_cells = cells.iter().filter(move |cell| cell.procs == count);
        Some(count_cells.filter_map(move |cell| left_out_cell(fitter, &fit, cell)))
    };
    let left_out_cells = folds(&counts).into_iter().filter_map(of_count);
    left_out_cells.flatten().collect()
}

/// Error of one cell; `None` if the model has no parameters for it.
fn left_out_cell(fitter: &RegimesFitter, fit: &RegimesFit, cell: &CellObservation) -> Option<LeftOutCell> {
    fit.model.parameters(fit.model.protocol(cell.procs, cell.message()))?;
    let point = cell.point(fitter.limited.network);
    let traffic = fit.model.pattern.traffic(&fit.model.wire, point);
    let times = fit.model.times_with_onset(point, &traffic, |onset| onset.bytes)?;
    Some(LeftOutCell {
        kind: cell_kind(&fit.model, point, &traffic, &times),
        procs: cell.procs,
        size: cell.size,
        error: (cell.median / times.median()).ln(),
        weight: cell.weight(),
    })
}

/// From this number of segments of a message on, their start-ups, one after the other, are a rate as certain as that of
/// bytes.
const STREAM_SEGMENTS: u64 = 8;

/// Largest part of the time of a case.
pub fn cell_kind(model: &Regimes, point: RegimesPoint, traffic: &TrafficPath, times: &TimeDistribution) -> CellKind {
    if times
        .stall
        .is_some_and(|stall| MIXED_SHARES.contains(&stall.probability))
    {
        return CellKind::Stalling;
    }
    let startups = model.latency.0 + model.startup.0 * traffic.startups;
    let is_stream = model.pattern.segments(point.procs, point.size) >= STREAM_SEGMENTS;
    match model.protocol(point.procs, point.message()) {
        _ if startups > times.typical.0 / 2.0 && !is_stream => CellKind::Startup,
        Protocol::Eager => CellKind::Eager,
        Protocol::Rendezvous => CellKind::Rendezvous,
    }
}
