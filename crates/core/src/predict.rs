//! Times for process counts and sizes that were not measured, with intervals.
//!
//! # Interval
//! A new measurement lies within T̂·exp(±t·s) with s² = xᵀ·cov(θ̂)·x/T̂² + r²/w, where x
//! is the gradient of T in the parameters, r the relative residual of the fitted points on
//! that side of M, w = βm/(α+βm) the share of bytes in the contention-free time (at least
//! a tenth), and t Student's quantile. r holds both noise and what the model misses, which
//! grows with the share of start-up. For sizes within the interval of M both sides are
//! possible: the interval then covers both.

use std::fmt;

use crate::fit::saturation::Saturation;
use crate::fit::signature::Parameter;
use crate::fit::{bandwidth_share, t_quantile};
use crate::model::signature::Side;
use crate::profile::{HockneyEntry, Profile, SignatureEntry};
use crate::units::{Bytes, Procs, Seconds};

/// A predicted time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The best value.
    pub time: Seconds,
    /// The lower end of the interval.
    pub lower: Seconds,
    /// The upper end of the interval.
    pub upper: Seconds,
    /// How the point stands to what was measured.
    pub standing: Standing,
}

/// How a prediction stands to the data behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Within the measured process counts and sizes.
    Interpolated,
    /// More or fewer processes, or larger or smaller messages, than were measured.
    Extrapolated,
    /// Fewer processes than saturate the network: outside the model's domain.
    Unsaturated,
}

/// Predicts an all-to-all of `size` bytes per destination among `procs`.
pub fn alltoall(entry: &SignatureEntry, procs: Procs, size: Bytes) -> Prediction {
    let sides = possible_sides(entry, size);
    let intervals = sides.iter().map(|&side| interval(entry, side, procs, size));
    let (lower, upper) = intervals.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), (l, u)| {
        (low.min(l), high.max(u))
    });
    Prediction {
        time: entry.signature.time(procs, size),
        lower: Seconds(lower),
        upper: Seconds(upper),
        standing: standing(entry, procs, size),
    }
}

/// Predicts the same all-to-all on a network without contention, (n−1)·(α + β·m); the
/// interval is that of α and β.
pub fn contention_free(
    profile: &Profile,
    entry: &SignatureEntry,
    procs: Procs,
    size: Bytes,
) -> Prediction {
    let HockneyEntry {
        model, alpha, beta, ..
    } = profile.hockney;
    let at =
        |alpha: f64, beta: f64| Seconds(procs.partners() * (alpha + beta * size.as_f64()).max(0.0));
    Prediction {
        time: model.alltoall(procs, size),
        lower: at(alpha.lower, beta.lower),
        upper: at(alpha.upper, beta.upper),
        standing: standing(entry, procs, size),
    }
}

/// The side of M that `size` is on, and the other if the interval of M allows it.
fn possible_sides(entry: &SignatureEntry, size: Bytes) -> Vec<Side> {
    let own = entry.signature.side(size);
    match (&entry.threshold, own) {
        (Some(m), Side::Below) if size >= m.lower => vec![own, Side::From],
        (Some(m), Side::From) if size < m.upper => vec![own, Side::Below],
        _ => vec![own],
    }
}

fn interval(entry: &SignatureEntry, side: Side, procs: Procs, size: Bytes) -> (f64, f64) {
    let time = entry.signature.time_on(side, procs, size).0;
    if time <= 0.0 {
        return (0.0, 0.0);
    }
    let gradient = gradient(entry, side, procs, size);
    let count = gradient.len();
    let terms = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
    let variance: f64 = terms
        .map(|(i, j)| gradient[i] * entry.covariance[(i, j)] * gradient[j])
        .sum();
    let residual = match side {
        Side::Below => entry.residuals.below,
        Side::From => entry.residuals.above,
    };
    let residual = residual / bandwidth_share(&entry.signature.base, size).sqrt();
    let spread = (variance.max(0.0) / (time * time) + residual * residual).sqrt();
    let factor = (t_quantile(entry.confidence, entry.dof as f64) * spread).exp();
    (time / factor, time * factor)
}

/// ∂T/∂θ in the order of the entry's parameters.
fn gradient(entry: &SignatureEntry, side: Side, procs: Procs, size: Bytes) -> Vec<f64> {
    let signature = &entry.signature;
    let terms = signature.form.terms(&signature.base, procs, size);
    let has_own_gamma = signature.gamma_below.is_some();
    let of = |parameter: Parameter| match (parameter, side) {
        (Parameter::GammaBelow, Side::Below) | (Parameter::Gamma, Side::From) => terms.gamma,
        (Parameter::Gamma, Side::Below) if !has_own_gamma => terms.gamma,
        (Parameter::Delta, Side::From) => terms.delta,
        _ => 0.0,
    };
    entry
        .parameters
        .iter()
        .map(|(parameter, _)| of(*parameter))
        .collect()
}

fn standing(entry: &SignatureEntry, procs: Procs, size: Bytes) -> Standing {
    let domain = &entry.domain;
    if matches!(entry.saturation, Saturation::From(saturated) if procs < saturated) {
        return Standing::Unsaturated;
    }
    let measured = domain.procs.first().is_some_and(|&least| procs >= least)
        && domain.procs.last().is_some_and(|&most| procs <= most)
        && (domain.smallest..=domain.largest).contains(&size);
    if measured {
        Standing::Interpolated
    } else {
        Standing::Extrapolated
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interpolated => "interpolated",
            Self::Extrapolated => "extrapolated",
            Self::Unsaturated => "unsaturated",
        })
    }
}
