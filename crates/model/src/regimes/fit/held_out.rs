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

use super::observation::Observation;
use super::{Ground, RegimesFit};
use crate::model::regimes::{Path, Pattern, Point, Protocol, Regimes, Times};

/// Largest part of a cell's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
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
pub struct HeldOut {
    /// Largest part of its time.
    pub kind: Kind,
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
const MIXED: std::ops::Range<f64> = 0.1..0.9;

/// Largest number of counts that are left out in turn.
const MOST_FOLDS: usize = 12;

/// Counts to leave out in turn: all, or evenly spaced ones of many.
pub(crate) fn folds(counts: &BTreeSet<Procs>) -> Vec<Procs> {
    let step = counts.len().div_ceil(MOST_FOLDS).max(1);
    counts.iter().rev().step_by(step).rev().copied().collect()
}

/// Errors of every count when it is left out, in the order of the cells; empty with one count
/// alone, or if the others determine nothing.
pub fn leave_out(ground: &Ground, pattern: Pattern, cells: &[Observation]) -> Vec<HeldOut> {
    let counts: BTreeSet<Procs> = cells.iter().map(|cell| cell.procs).collect();
    if counts.len() < 2 {
        return Vec::new();
    }
    let of_count = |count: Procs| {
        let class = pattern.class(count);
        let fit = ground.fit_class((pattern, class), cells, Some(count)).ok()?;
        let own = cells.iter().filter(move |cell| cell.procs == count);
        Some(own.filter_map(move |cell| missed(ground, &fit, cell)))
    };
    let missed = folds(&counts).into_iter().filter_map(of_count);
    missed.flatten().collect()
}

/// Error of one cell; `None` if the model has no parameters for it.
fn missed(ground: &Ground, fit: &RegimesFit, cell: &Observation) -> Option<HeldOut> {
    fit.model.parameters(fit.model.protocol(cell.message()))?;
    let point = cell.point(ground.network.network);
    let traffic = fit.model.pattern.traffic(&fit.model.wire, point);
    let times = fit.model.times_of(point, &traffic, |onset| onset.bytes)?;
    Some(HeldOut {
        kind: kind(&fit.model, (point, &traffic), &times),
        procs: cell.procs,
        size: cell.size,
        error: (cell.median / times.median()).ln(),
        weight: cell.weight(),
    })
}

/// Number of segments of a message from which on their start-ups, one after the other, are a rate as
/// certain as that of bytes.
const STREAM: u64 = 8;

/// Largest part of the time of a case.
pub fn kind(model: &Regimes, (point, traffic): (Point, &Path), times: &Times) -> Kind {
    if times.stall.is_some_and(|stall| MIXED.contains(&stall.probability)) {
        return Kind::Stalling;
    }
    let startups = model.latency.0 + model.startup.0 * traffic.startups;
    let is_stream = model.pattern.segments(point.size) >= STREAM;
    match model.protocol(point.message()) {
        _ if startups > times.typical.0 / 2.0 && !is_stream => Kind::Startup,
        Protocol::Eager => Kind::Eager,
        Protocol::Rendezvous => Kind::Rendezvous,
    }
}
