//! Predictions by the regimes, with intervals and the limits of their domain.
//!
//! # Interval
//! The interval contains the median of ten new repetitions. With s² = max(xᵀ·cov(θ̂)·x/T₀², e²·h):
//!
//! - x is the gradient of T₀ in the parameters;
//! - e is the scaled median absolute deviation of ln(T/T̂) at process counts left out of the fit, over
//!   cells whose time is of the same kind (start-ups, eager, rendezvous, stalling); it contains
//!   noise, misfit and the uncertainty of the parameters, which is therefore not added;
//! - h = 1 + (d/ln(n₁/n₀))², where d is the distance of ln n from the measured counts n₀ to n₁: if
//!   these span a factor of two, twice the processes double the variance of the error;
//!
//! and s² grows by 0.2² among a class of counts that was not measured, and by 0.25² for sizes of the
//! pieces that were not measured. The ends are T·exp(∓√((t·s)² + q²)). t is Student's quantile with as many degrees of freedom as
//! cells were left out. q is the distance in ln T from the requested quantile to the quantiles that
//! ten repetitions may give instead: in a mixture of stalled and other repetitions, most of the ten
//! may be of one kind. q takes the extremes over the interval of X.
//!
//! # Source
//! netsig; order statistics for the median of few repetitions.

use netsig_base::algorithm::{PieceSizes, Sizes};
use netsig_base::stats::interval::t_quantile;
use netsig_base::units::{Procs, Seconds};

use super::entry::RegimesEntry;
use super::fit::gradient;
use super::fit::held_out::{Kind, kind};
use crate::fitted::asked::Asked;
use crate::fitted::outside::Outside;
use crate::fitted::prediction::{Interval, Prediction, Standing};
use crate::model::regimes::{Onset, Path, Pattern, Point, Times};

/// Standard deviation without cells left out, and its degrees of freedom.
const UNKNOWN: f64 = 0.25;
const UNKNOWN_DOF: f64 = 4.0;

/// Weight of the usual error, in cells that were left out.
const USUAL_CELLS: f64 = 120.0;

/// Standard deviation that is added where the algorithm takes other steps than at the measured
/// counts, such as pairwise exchange at powers of two.
const OTHER_CLASS: f64 = 0.2;

/// The same at most where sizes differ from pair to pair in another way than in the measured collective:
/// how long the others wait for the busiest port is not known.
const OTHER_SIZES: f64 = 0.25;

/// Predicts by the regimes of an entry; `None` if they have no time for the case.
pub fn regimes(entry: &RegimesEntry, point: Point, asked: Asked) -> Option<Prediction> {
    let traffic = entry.model.pattern.traffic(&entry.model.wire, point);
    let times = entry.model.times_of(point, &traffic, |onset| onset.bytes)?;
    Some(Prediction {
        time: asked.of(&times),
        interval: Some(interval(entry, (point, &traffic), asked, &times)),
        standing: match outside(entry, point) {
            None => entry.domain.standing(point.procs, point.size),
            Some(_) => Standing::Outside,
        },
        segment: None,
    })
}

/// Reason why a case is outside an entry's domain, if it is.
pub fn outside(entry: &RegimesEntry, point: Point) -> Option<Outside> {
    let Point { procs, size, .. } = point;
    let regime = entry.model.protocol(point.message());
    if let (None, Some(limit)) = (entry.model.parameters(regime), entry.model.eager_limit) {
        return Some(Outside::Protocol { limit });
    }
    match entry.domain.procs[..] {
        [only] if entry.model.pattern.grows_as_usual() && only.get() > 2 => entry.domain.too_far(procs, size),
        _ => entry.domain.outside(procs, size),
    }
}

fn interval(entry: &RegimesEntry, (point, traffic): (Point, &Path), asked: Asked, times: &Times) -> Interval {
    let value = asked.of(times).0;
    if value <= 0.0 {
        return Interval {
            lower: Seconds(0.0),
            upper: Seconds(0.0),
        };
    }
    let kind = kind(&entry.model, (point, traffic), times);
    let least_span = if entry.model.pattern.grows_as_usual() {
        2.0
    } else {
        2f64.sqrt()
    };
    let reach = reach(&entry.domain.procs, point.procs, least_span);
    let (error, dof) = error(entry, kind, reach);
    let is_own = entry.class.holds(entry.model.pattern.class(point.procs));
    let other = if is_own { 0.0 } else { OTHER_CLASS };
    let sizes = other_sizes(entry.collective.sizes(), point.pieces);
    let parameters = parameters(entry, (point, traffic), times);
    let known = parameters.max(error * error * reach);
    let spread = (known + other * other + sizes * sizes).sqrt();
    let model = t_quantile(entry.confidence, dof) * spread;
    let [low, high] = asked.levels(entry.confidence);
    let (least, most) = ends(entry, (point, traffic), [low, high]);
    let apart = |end: f64| (end / value).ln();
    Interval {
        lower: Seconds(value * (-model.hypot(apart(least).min(0.0))).exp()),
        upper: Seconds(value * model.hypot(apart(most).max(0.0)).exp()),
    }
}

/// Standard deviation that is added for pieces of other sizes than the measured ones: beside equal ones as
/// much as they differ from their mean.
fn other_sizes(measured: Sizes, pieces: PieceSizes) -> f64 {
    match pieces {
        own if own == measured.into() => 0.0,
        PieceSizes::Known(pairs) if measured == Sizes::Equal => OTHER_SIZES.min(pairs.unevenness()),
        _ => OTHER_SIZES,
    }
}

/// Standard deviation of the logarithm of the model's error and its degrees of freedom: that at the
/// counts that were left out, weighed against the usual one of an exchange. A smaller usual error
/// counts everywhere, so that no interval narrows beyond what was measured; a larger one counts
/// beyond the measured counts.
fn error(entry: &RegimesEntry, kind: Kind, reach: f64) -> (f64, f64) {
    let found = entry.error(kind);
    let found = found.map_or((UNKNOWN, UNKNOWN_DOF), |found| (found.deviation, found.cells as f64));
    let (own, cells) = found;
    let Some(usual) = usual_error(entry.model.pattern, kind) else {
        return found;
    };
    let share = if usual < own { 1.0 } else { (reach - 1.0).min(1.0) };
    let usual_cells = USUAL_CELLS * share;
    let squares = cells * own * own + usual_cells * usual * usual;
    let dof = cells + usual_cells;
    ((squares / dof).sqrt(), dof)
}

/// Usual standard deviation of the logarithm of the error, of exchanges and of the start-ups of other
/// patterns. Few counts left out tell little of start-ups, since the cells of a count share their error.
fn usual_error(pattern: Pattern, kind: Kind) -> Option<f64> {
    match (kind, pattern.grows_as_usual()) {
        (Kind::Eager, true) => Some(0.038),
        (Kind::Rendezvous, true) => Some(0.04),
        (Kind::Startup, true) => Some(0.25),
        (Kind::Stalling, true) => Some(0.2),
        (Kind::Startup, false) => Some(0.35),
        (_, false) => None,
    }
}

/// Lowest lower and highest upper quantile over the interval of X: of its ends, since the quantiles
/// fall as X grows.
fn ends(entry: &RegimesEntry, (point, traffic): (Point, &Path), levels: [f64; 2]) -> (f64, f64) {
    let at = |onset: fn(Onset) -> f64, level: f64| {
        let times = entry.model.times_of(point, traffic, onset);
        times.map_or(f64::NAN, |times| times.quantile(level).0)
    };
    (at(|onset| onset.upper, levels[0]), at(|onset| onset.lower, levels[1]))
}

/// xᵀ·cov(θ̂)·x/T₀².
fn parameters(entry: &RegimesEntry, case: (Point, &Path), times: &Times) -> f64 {
    let slopes = gradient(&entry.model, &entry.columns, case);
    let count = slopes.len();
    let terms = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
    let variance: f64 = terms
        .map(|(i, j)| slopes[i] * entry.covariance[(i, j)] * slopes[j])
        .sum();
    variance.max(0.0) / times.typical.0.powi(2)
}

/// Factor h for measured process counts, ascending, which count as at least `least_span` times apart.
fn reach(counts: &[Procs], procs: Procs, least_span: f64) -> f64 {
    let (Some(least), Some(most)) = (counts.first(), counts.last()) else {
        return 1.0;
    };
    let ln = |procs: Procs| f64::from(procs.get()).ln();
    let span = (ln(*most) - ln(*least)).max(least_span.ln());
    let beyond = (ln(procs) - ln(*most)).max(ln(*least) - ln(procs)).max(0.0);
    1.0 + (beyond / span).powi(2)
}
