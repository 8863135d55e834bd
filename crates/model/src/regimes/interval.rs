//! Predictions by the regimes, with intervals and the limits of their domain.
//!
//! # Interval
//! The interval contains the median of ten new repetitions. With s² = max(xᵀ·cov(θ̂)·x/T₀², e²·h):
//!
//! - x is the gradient of T₀ in the parameters.
//! - e is the scaled median absolute deviation of ln(T/T̂) at process counts left out of the fit, over cells of the
//!   same [`CellKind`]. It contains noise, misfit and the uncertainty of the parameters, which is therefore not added.
//! - h = 1 + (d/ln(n₁/n₀))², where d is the distance of ln n from the measured counts n₀ to n₁. If these span a factor
//!   of two, twice the processes double the variance of the error.
//!
//! s² grows by 0.2² among a class of counts that was not measured, and by 0.25² for sizes of the pieces that were not
//! measured. The ends are T·exp(∓√((t·s)² + q²)). Student's quantile t has as many degrees of freedom as cells were
//! left out. The distance q is that in ln T from the requested quantile to the quantiles that ten repetitions may give
//! instead. In a mixture of stalled and other repetitions, most of the ten may be of one kind. Over the interval of X,
//! q takes the extremes.
//!
//! # Source
//! netsig; order statistics for the median of few repetitions.

use netsig_base::algorithm::{PieceSizes, SizePattern};
use netsig_base::stats::interval::t_quantile;
use netsig_base::units::{Procs, Seconds};

use super::entry::RegimesEntry;
use super::fit::gradient;
use super::fit::left_out::{CellKind, cell_kind};
use crate::fitted::outside_domain::OutsideDomain;
use crate::fitted::prediction::{Interval, Prediction, PredictionStanding};
use crate::fitted::statistic::PredictedStatistic;
use crate::model::regimes::{RegimesPoint, StallOnset, TimeDistribution, TrafficPath, TrafficPattern};

/// Standard deviation without cells left out, and its degrees of freedom.
const UNKNOWN_DEVIATION: f64 = 0.25;
const UNKNOWN_DOF: f64 = 4.0;

/// Weight of the usual error, in cells that were left out.
const USUAL_CELLS: f64 = 120.0;

/// Standard deviation that is added where the algorithm takes other steps than at the measured
/// counts, such as pairwise exchange at powers of two.
const OTHER_CLASS: f64 = 0.2;

/// Largest standard deviation that is added where the sizes of pairs differ otherwise than in the measured collective.
/// The time for which other ports wait for the busiest one is then unknown.
const OTHER_SIZES: f64 = 0.25;

/// Predicts by the regimes of an entry; `None` if they have no time for the case.
pub fn predict_by_regimes(
    entry: &RegimesEntry,
    point: RegimesPoint,
    statistic: PredictedStatistic,
) -> Option<Prediction> {
    let traffic = entry.model.pattern.traffic(&entry.model.wire, point);
    let times = entry.model.times_with_onset(point, &traffic, |onset| onset.bytes)?;
    Some(Prediction {
        time: statistic.value_of(&times),
        interval: Some(interval(entry, point, &traffic, statistic, &times)),
        standing: match reason_outside(entry, point) {
            None => entry.domain.standing(point.procs, point.size),
            Some(_) => PredictionStanding::Outside,
        },
        segment: None,
    })
}

/// Reason why a case is outside an entry's domain, if it is.
pub fn reason_outside(entry: &RegimesEntry, point: RegimesPoint) -> Option<OutsideDomain> {
    let RegimesPoint { procs, size, .. } = point;
    let regime = entry.model.protocol(point.procs, point.message());
    if let (None, Some(limit)) = (entry.model.parameters(regime), entry.model.eager_limit) {
        return Some(OutsideDomain::Protocol { limit });
    }
    match entry.domain.procs[..] {
        [only] if entry.model.pattern.grows_as_usual() && only.get() > 2 => entry.domain.too_far(procs, size),
        _ => entry.domain.reason_outside(procs, size),
    }
}

fn interval(
    entry: &RegimesEntry,
    point: RegimesPoint,
    traffic: &TrafficPath,
    statistic: PredictedStatistic,
    times: &TimeDistribution,
) -> Interval {
    let value = statistic.value_of(times).0;
    if value <= 0.0 {
        return Interval {
            lower: Seconds(0.0),
            upper: Seconds(0.0),
        };
    }
    let kind = cell_kind(&entry.model, point, traffic, times);
    let least_span = if entry.model.pattern.grows_as_usual() {
        2.0
    } else {
        2f64.sqrt()
    };
    let factor = distance_factor(&entry.domain.procs, point.procs, least_span);
    let (error, dof) = error_and_dof(entry, kind, factor);
    let is_measured_class = entry.class.includes(entry.model.pattern.class(point.procs));
    let other = if is_measured_class { 0.0 } else { OTHER_CLASS };
    let sizes = other_sizes(entry.collective.size_pattern(), point.pieces);
    let parameter_variance = variance_of_parameters(entry, point, traffic, times);
    let known = parameter_variance.max(error * error * factor);
    let spread = (known + other * other + sizes * sizes).sqrt();
    let model = t_quantile(entry.confidence, dof) * spread;
    let [low, high] = statistic.interval_levels(entry.confidence);
    let (least, most) = quantile_ends(entry, point, traffic, [low, high]);
    let apart = |end: f64| (end / value).ln();
    Interval {
        lower: Seconds(value * (-model.hypot(apart(least).min(0.0))).exp()),
        upper: Seconds(value * model.hypot(apart(most).max(0.0)).exp()),
    }
}

/// Standard deviation that is added for pieces of other sizes than the measured ones. If equal pieces were measured, it
/// is at most the unevenness of the sizes.
fn other_sizes(measured: SizePattern, pieces: PieceSizes) -> f64 {
    match pieces {
        same if same == measured.into() => 0.0,
        PieceSizes::Known(pairs) if measured == SizePattern::Equal => OTHER_SIZES.min(pairs.unevenness()),
        _ => OTHER_SIZES,
    }
}

/// Standard deviation of the logarithm of the model's error, and its degrees of freedom. The error at the counts that
/// were left out is pooled with the usual error of an exchange. A smaller usual error counts everywhere, so that no
/// interval narrows beyond what was measured; a larger one counts only beyond the measured counts.
fn error_and_dof(entry: &RegimesEntry, kind: CellKind, factor: f64) -> (f64, f64) {
    let cell_error = entry.error(kind);
    let found = cell_error.map_or((UNKNOWN_DEVIATION, UNKNOWN_DOF), |found| {
        (found.deviation, found.cells as f64)
    });
    let (deviation, cells) = found;
    let Some(usual) = usual_error(entry.model.pattern, kind) else {
        return found;
    };
    let share = if usual < deviation {
        1.0
    } else {
        (factor - 1.0).min(1.0)
    };
    let usual_cells = USUAL_CELLS * share;
    let squares = cells * deviation * deviation + usual_cells * usual * usual;
    let dof = cells + usual_cells;
    ((squares / dof).sqrt(), dof)
}

/// Usual standard deviation of the logarithm of the error, of exchanges and of the start-ups of other patterns. Few
/// counts left out say little about start-ups, since the cells of a count share their error.
fn usual_error(pattern: TrafficPattern, kind: CellKind) -> Option<f64> {
    match (kind, pattern.grows_as_usual()) {
        (CellKind::Eager, true) => Some(0.038),
        (CellKind::Rendezvous, true) => Some(0.04),
        (CellKind::Startup, true) => Some(0.25),
        (CellKind::Stalling, true) => Some(0.2),
        (CellKind::Startup, false) => Some(0.35),
        (_, false) => None,
    }
}

/// Lowest lower and highest upper quantile over the interval of X. They lie at its ends, since the quantiles fall as X
/// grows.
fn quantile_ends(entry: &RegimesEntry, point: RegimesPoint, traffic: &TrafficPath, levels: [f64; 2]) -> (f64, f64) {
    let at = |onset: fn(StallOnset) -> f64, level: f64| {
        let times = entry.model.times_with_onset(point, traffic, onset);
        times.map_or(f64::NAN, |times| times.quantile(level).0)
    };
    (at(|onset| onset.upper, levels[0]), at(|onset| onset.lower, levels[1]))
}

/// xᵀ·cov(θ̂)·x/T₀².
fn variance_of_parameters(
    entry: &RegimesEntry,
    point: RegimesPoint,
    traffic: &TrafficPath,
    times: &TimeDistribution,
) -> f64 {
    let slopes = gradient(&entry.model, &entry.columns, point, traffic);
    let count = slopes.len();
    let terms = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
    let variance: f64 = terms
        .map(|(i, j)| slopes[i] * entry.covariance[(i, j)] * slopes[j])
        .sum();
    variance.max(0.0) / times.typical.0.powi(2)
}

/// Factor h for measured process counts, ascending; they count as spanning at least a factor of `least_span`.
fn distance_factor(counts: &[Procs], procs: Procs, least_span: f64) -> f64 {
    let (Some(least), Some(most)) = (counts.first(), counts.last()) else {
        return 1.0;
    };
    let ln = |procs: Procs| f64::from(procs.get()).ln();
    let span = (ln(*most) - ln(*least)).max(least_span.ln());
    let beyond = (ln(procs) - ln(*most)).max(ln(*least) - ln(procs)).max(0.0);
    1.0 + (beyond / span).powi(2)
}
