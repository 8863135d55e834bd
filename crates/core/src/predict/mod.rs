//! Times for process counts and sizes that were not measured, with intervals.
//!
//! # Interval
//! A new measurement lies within T̂·exp(±t·s) with s² = xᵀ·cov(θ̂)·x/T̂² + r²/w, where x
//! is the gradient of T in the parameters, r the relative residual of the fitted points
//! (of a signature: those on that side of M), w = βm/(α+βm) the share of bytes in the
//! contention-free time (at least a tenth), and t Student's quantile. r holds both noise
//! and what the model misses, which grows with the share of start-up. For sizes within the
//! interval of a signature's M both sides are possible: the interval then covers both.
//!
//! A model without fitted parameters has the interval that those of α and β give it; one
//! that takes neither, as from tables of pLogP, has none.

mod basis;
pub mod compare;
pub mod design;
pub mod regimes;
pub mod select;

use std::fmt;

use nalgebra::DMatrix;

pub use self::basis::{Basis, Knowledge};
use self::regimes::Outside;
use crate::fit::bandwidth_share;
use crate::fit::saturation::Saturation;
use crate::fit::signature::Parameter;
use crate::model::segment::Segment;
use crate::model::signature::Side;
use crate::profile::{Domain, SignatureEntry};
use crate::registry::{self, ModelError, SIGNATURE};
use crate::units::parameter::volume;
use crate::units::{Bytes, Procs, Seconds};

/// A predicted time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The best value.
    pub time: Seconds,
    /// Where a measurement would lie; `None` where nothing tells.
    pub interval: Option<Interval>,
    /// How the point stands to what was measured.
    pub standing: Standing,
    /// The segment size, for an algorithm that has one.
    pub segment: Option<Segment>,
}

/// The ends of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub lower: Seconds,
    /// The upper end.
    pub upper: Seconds,
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
    /// From the parameters between two processes, without contention.
    ContentionFree,
    /// From parameters that were not fitted to this collective.
    Unfitted,
    /// Too far from what was measured: see [`regimes::Outside`].
    Outside,
}

/// Predicts an all-to-all of `size` bytes per destination among `procs` by its signature.
///
/// # Errors
/// If n·m is beyond 2^64, or the signature gives no time there.
pub fn signature(
    entry: &SignatureEntry,
    procs: Procs,
    size: Bytes,
) -> Result<Prediction, ModelError> {
    let time = signature_time(entry, procs, size)?;
    let sides = possible_sides(entry, size);
    let intervals = sides.iter().map(|&side| interval(entry, side, procs, size));
    Ok(Prediction {
        time,
        interval: intervals.reduce(Interval::hull),
        standing: standing(entry, procs, size),
        segment: None,
    })
}

/// The time alone.
///
/// # Errors
/// As [`signature`].
pub fn signature_time(
    entry: &SignatureEntry,
    procs: Procs,
    size: Bytes,
) -> Result<Seconds, ModelError> {
    volume(procs, size)?;
    registry::possible(SIGNATURE, entry.signature.time(procs, size))
}

impl Interval {
    /// The least interval that holds both.
    fn hull(self, other: Self) -> Self {
        Self {
            lower: Seconds(self.lower.0.min(other.lower.0)),
            upper: Seconds(self.upper.0.max(other.upper.0)),
        }
    }
}

/// What makes up an interval.
struct Spread<'a> {
    gradient: &'a [f64],
    covariance: &'a DMatrix<f64>,
    /// The relative residual at this size.
    residual: f64,
    /// Student's quantile.
    t: f64,
}

impl Spread<'_> {
    /// T·exp(±t·s).
    fn around(&self, time: f64) -> Interval {
        if time <= 0.0 {
            return Interval {
                lower: Seconds(0.0),
                upper: Seconds(0.0),
            };
        }
        let count = self.gradient.len();
        let terms = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
        let variance: f64 = terms
            .map(|(i, j)| self.gradient[i] * self.covariance[(i, j)] * self.gradient[j])
            .sum();
        let spread = (variance.max(0.0) / (time * time) + self.residual * self.residual).sqrt();
        let factor = (self.t * spread).exp();
        Interval {
            lower: Seconds(time / factor),
            upper: Seconds(time * factor),
        }
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

fn interval(entry: &SignatureEntry, side: Side, procs: Procs, size: Bytes) -> Interval {
    let residual = match side {
        Side::Below => entry.residuals.below,
        Side::From => entry.residuals.above,
    };
    let spread = Spread {
        gradient: &gradient(entry, side, procs, size),
        covariance: &entry.covariance,
        residual: residual / bandwidth_share(&entry.signature.base, size).sqrt(),
        t: entry.student.quantile(),
    };
    spread.around(entry.signature.time_on(side, procs, size).0)
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
    if matches!(entry.saturation, Saturation::From(saturated) if procs < saturated) {
        return Standing::Unsaturated;
    }
    entry.domain.standing(procs, size)
}

/// More processes than were measured, where γ still grows with their number.
fn unsaturated(entry: &SignatureEntry, procs: Procs) -> Option<Outside> {
    let most = *entry.domain.procs.last()?;
    let is_growing = entry.saturation == Saturation::NotReached;
    (is_growing && procs > most).then_some(Outside::Unsaturated { most })
}

impl Domain {
    /// How a point stands to what was measured.
    fn standing(&self, procs: Procs, size: Bytes) -> Standing {
        let measured = self.procs.first().is_some_and(|&least| procs >= least)
            && self.procs.last().is_some_and(|&most| procs <= most)
            && (self.smallest..=self.largest).contains(&size);
        if measured {
            Standing::Interpolated
        } else {
            Standing::Extrapolated
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interpolated => "interpolated",
            Self::Extrapolated => "extrapolated",
            Self::Unsaturated => "unsaturated",
            Self::ContentionFree => "contention-free",
            Self::Unfitted => "unfitted",
            Self::Outside => "outside",
        })
    }
}
