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
mod fitted;
pub mod line;
pub mod outside;
pub mod regimes;
pub mod select;
pub mod speaker;

pub use self::basis::{Basis, Knowledge, refuse_more_than_hosts};
use crate::model::segment::Segment;
use crate::units::Seconds;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "kebab-case")]
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
    /// Too far from what was measured: see [`outside::Outside`].
    Outside,
}

impl Interval {
    /// T·exp(±t·s), where `spread` is t·s.
    fn around(time: Seconds, spread: f64) -> Self {
        let factor = spread.exp();
        Self {
            lower: Seconds(time.0 / factor),
            upper: Seconds(time.0 * factor),
        }
    }

    /// The least interval that holds both.
    fn hull(self, other: Self) -> Self {
        Self {
            lower: Seconds(self.lower.0.min(other.lower.0)),
            upper: Seconds(self.upper.0.max(other.upper.0)),
        }
    }
}
