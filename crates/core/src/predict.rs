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
//! A model without fitted parameters has the interval that those of α and β give it.

use std::fmt;

use nalgebra::DMatrix;

use crate::fit::bandwidth_share;
use crate::fit::saturation::Saturation;
use crate::fit::signature::Parameter;
use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;
use crate::model::segment::Segment;
use crate::model::signature::Side;
use crate::model::volume;
use crate::profile::{Domain, ModelEntry, Profile, SignatureEntry};
use crate::registry::{self, Case, Kind, Model, ModelError, Need, Network, Timed, Values};
use crate::units::{Bytes, Procs, Seconds, SecondsPerByte};

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
    /// The segment size, for an algorithm that has one.
    pub segment: Option<Segment>,
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
}

/// What is known of a network, with α and β at their best, their lower and upper values.
#[derive(Debug, Clone)]
pub struct Networks {
    best: Network,
    low: Network,
    high: Network,
    /// What the intervals of α and β touch.
    uncertain: &'static [Need],
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
    let (lower, upper) = intervals.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), (l, u)| {
        (low.min(l), high.max(u))
    });
    Ok(Prediction {
        time,
        lower: Seconds(lower),
        upper: Seconds(upper),
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
    registry::possible("signature", entry.signature.time(procs, size))
}

impl Networks {
    /// Those of a profile, each passed through `with`, which may add what the profile does
    /// not hold.
    pub fn of(profile: &Profile, with: impl Fn(Network) -> Network) -> Self {
        let best = profile.network();
        let at = |alpha: f64, beta: f64| {
            let [alpha, beta] = [alpha, beta].map(|v| if v.is_finite() { v.max(0.0) } else { 0.0 });
            let hockney = Hockney::new(Seconds(alpha), SecondsPerByte(beta));
            let hockney = hockney.expect("both are finite and at least 0");
            let plogp = profile.plogp.clone();
            with(Network {
                hockney,
                plogp: plogp.unwrap_or_else(|| PLogP::from_hockney(&hockney)),
                ..best.clone()
            })
        };
        let (alpha, beta) = (profile.hockney.alpha, profile.hockney.beta);
        Self {
            low: at(alpha.lower, beta.lower),
            high: at(alpha.upper, beta.upper),
            best: with(best.clone()),
            uncertain: match profile.plogp {
                Some(_) => &[Need::Hockney],
                None => &[Need::Hockney, Need::PLogP],
            },
        }
    }

    /// The network with α and β at their best.
    pub fn best(&self) -> &Network {
        &self.best
    }

    /// Predicts by a model with the given values of its parameters.
    ///
    /// # Errors
    /// As [`Model::time`].
    pub fn model(
        &self,
        model: &'static Model,
        values: &Values,
        case: Case,
    ) -> Result<Prediction, ModelError> {
        let Timed { time, segment } = model.time(&self.best, values, case)?;
        let is_uncertain = model.needs.iter().any(|need| self.uncertain.contains(need));
        let end = |network| {
            if is_uncertain {
                Ok::<_, ModelError>(model.time(network, values, case)?.time.0)
            } else {
                Ok(time.0)
            }
        };
        Ok(Prediction {
            time,
            lower: Seconds(end(&self.low)?.min(time.0)),
            upper: Seconds(end(&self.high)?.max(time.0)),
            standing: match model.kind {
                Kind::ContentionFree => Standing::ContentionFree,
                _ => Standing::Unfitted,
            },
            segment,
        })
    }

    /// Predicts by a fitted model.
    ///
    /// # Errors
    /// As [`Model::time`].
    pub fn fitted(&self, entry: &ModelEntry, case: Case) -> Result<Prediction, ModelError> {
        let network = &self.best;
        let Timed { time, segment } = entry.model.time(network, &entry.values, case)?;
        // The time is linear in every parameter that was estimated: a second point, well
        // apart from the first, tells the slope.
        let mut values = entry.values.clone();
        let mut gradient = Vec::with_capacity(entry.estimates.len());
        for &(place, _) in &entry.estimates {
            let own = entry.values.numbers[place];
            let other = if own.abs() < 0.5 { 1.0 } else { 0.0 };
            values.numbers[place] = other;
            let moved = entry.model.time(network, &values, case)?.time.0;
            values.numbers[place] = own;
            gradient.push((moved - time.0) / (other - own));
        }
        let spread = Spread {
            gradient: &gradient,
            covariance: &entry.covariance,
            residual: entry.residual / bandwidth_share(&network.hockney, case.size).sqrt(),
            t: entry.student.quantile(),
        };
        let (lower, upper) = spread.around(time.0);
        Ok(Prediction {
            time,
            lower: Seconds(lower),
            upper: Seconds(upper),
            standing: entry.domain.standing(case.procs, case.size),
            segment,
        })
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
    fn around(&self, time: f64) -> (f64, f64) {
        if time <= 0.0 {
            return (0.0, 0.0);
        }
        let count = self.gradient.len();
        let terms = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
        let variance: f64 = terms
            .map(|(i, j)| self.gradient[i] * self.covariance[(i, j)] * self.gradient[j])
            .sum();
        let spread = (variance.max(0.0) / (time * time) + self.residual * self.residual).sqrt();
        let factor = (self.t * spread).exp();
        (time / factor, time * factor)
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
        })
    }
}
