//! Variance of the times of one experiment as a function of the time.
//!
//! # Formula
//! A time t, in seconds, has the variance v(t) = f·(a² + (r·t)²) in s². The part a does not depend on the message
//! (ranks that sleep between two polls, other work on the hosts); r·t is a share of the time (bandwidth). One size has
//! too few launches, or repetitions, to determine its own variance, so a and r are fitted to all sizes together. The
//! variance sᵢ² observed at size i has dᵢ degrees of freedom; a and r minimise Σ dᵢ·(ln vᵢ + sᵢ²/vᵢ). If the sizes
//! whose times are within a factor of 2.5 scatter more than this, f = (3 + Σ dⱼ·sⱼ²/vⱼ)/(3 + Σ dⱼ) over these sizes;
//! otherwise f = 1.
//!
//! # Domain
//! Two launches, or repetitions, at one size or more. For a few sizes that scatter ten times as
//! much as all others √v is too small: in trials with three launches at least 0.4 of the true
//! value.
//!
//! # Source
//! The two parts are those of Rocke and Lorenzato 1995 for analytical instruments; the minimum is
//! the most likely pair under normal errors, found by the multiplicative steps of Févotte and
//! Idier 2011, which never increase the sum. f is netsig's.

use netsig_base::stats::interval::Variance;
use netsig_base::stats::sample::{mean, variance};

/// Number of steps towards a and r.
const MOST_STEPS: usize = 300;

/// Weight of the pooled variance, in degrees of freedom.
const PRIOR: f64 = 3.0;

/// Sizes are near each other if their times are within this factor.
const NEAR: f64 = 2.5;

/// A determinant below this share of its first term counts as 0.
const SINGULAR: f64 = 1e-9;

/// Variance of the times of one size.
#[derive(Debug, Clone, Copy)]
pub(super) struct SizeVariance {
    /// Squared time t².
    pub square_time: f64,
    /// Variance s².
    pub variance: f64,
    /// Degrees of freedom d.
    pub dof: f64,
}

/// Fitted variance v as a function of the time t.
#[derive(Debug, Clone)]
pub(super) struct NoiseModel {
    spreads: Vec<SizeVariance>,
    /// a².
    constant: f64,
    /// r².
    share: f64,
}

impl SizeVariance {
    /// Variance of the medians of at least two launches.
    pub fn of(medians: &[f64]) -> Self {
        Self {
            square_time: mean(medians).powi(2),
            variance: variance(medians),
            dof: medians.len() as f64 - 1.0,
        }
    }
}

impl NoiseModel {
    /// Fits the most likely a and r.
    pub fn fit(mut spreads: Vec<SizeVariance>) -> Self {
        spreads.retain(|one| one.square_time > 0.0);
        let mut found = Self {
            spreads,
            constant: 0.0,
            share: 0.0,
        };
        let half = |of: fn(&SizeVariance) -> f64| found.weighted_sum(of) / found.dof().max(1.0) / 2.0;
        let constant = half(|one| one.variance);
        let share = half(|one| one.variance / one.square_time);
        (found.constant, found.share) = (constant, share);
        if constant > 0.0 {
            for _ in 0..MOST_STEPS {
                found.step();
            }
        }
        found
    }

    /// One step of a² and r² towards the minimum.
    fn step(&mut self) {
        let factor = |column: fn(&SizeVariance) -> f64| {
            let down = self.weighted_sum(|one| column(one) * one.variance / self.variance_of(one).powi(2));
            let up = self.weighted_sum(|one| column(one) / self.variance_of(one));
            (down / up).sqrt()
        };
        let (constant, share) = (factor(|_| 1.0), factor(|one| one.square_time));
        self.constant *= constant;
        self.share *= share;
    }

    /// v at a time in seconds, with the degrees of freedom ν for which 2·v²/ν is the variance of
    /// v: 0 if nothing is known.
    pub fn variance(&self, time: f64) -> Variance {
        let fitted = self.fitted_variance(time);
        let is_near = |one: &SizeVariance| {
            let ratio = one.square_time.sqrt() / time;
            (1.0 / NEAR..=NEAR).contains(&ratio)
        };
        let near_sizes = || self.spreads.iter().filter(|one| is_near(one));
        let dof = PRIOR + near_sizes().map(|one| one.dof).sum::<f64>();
        let scatter = near_sizes().map(|one| one.dof * one.variance / self.variance_of(one));
        let factor = (PRIOR + scatter.sum::<f64>()) / dof;
        if factor > 1.0 {
            Variance {
                value: factor * fitted.value,
                dof: fitted.dof.min(dof),
            }
        } else {
            fitted
        }
    }

    /// v at a time without f, with its degrees of freedom.
    fn fitted_variance(&self, time: f64) -> Variance {
        let value = self.constant + self.share * time * time;
        let dof = self.dof();
        if value == 0.0 {
            return Variance { value, dof };
        }
        let weigh = |column: fn(&SizeVariance) -> f64| {
            self.weighted_sum(|one| column(one) / self.variance_of(one).powi(2)) * value * value
        };
        let [one, both, square] = [
            weigh(|_| 1.0),
            weigh(|one| one.square_time),
            weigh(|one| one.square_time.powi(2)),
        ];
        let (determinant, x) = (one * square - both * both, time * time);
        if determinant <= SINGULAR * one * square {
            return Variance { value, dof };
        }
        let spread = (square - 2.0 * x * both + x * x * one) / determinant;
        Variance {
            value,
            dof: 1.0 / spread,
        }
    }

    /// v without f, at the time of `spread`.
    fn variance_of(&self, spread: &SizeVariance) -> f64 {
        self.constant + self.share * spread.square_time
    }

    fn dof(&self) -> f64 {
        self.spreads.iter().map(|one| one.dof).sum()
    }

    /// Σ d·`term`.
    fn weighted_sum(&self, term: impl Fn(&SizeVariance) -> f64) -> f64 {
        self.spreads.iter().map(|one| one.dof * term(one)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::testing;

    /// Medians of three launches at 21 doubling times from 100 µs on, with the noise `deviation`.
    fn simulated_noise(deviation: fn(f64) -> f64, seed: u64) -> NoiseModel {
        let mut error = testing::normal(seed);
        let mut median = |time: f64| time + deviation(time) * error();
        let times = (0..21).map(|i| 1e-4 * f64::from(1 << (i / 2)));
        let spreads = times.map(|time| SizeVariance::of(&[median(time), median(time), median(time)]));
        NoiseModel::fit(spreads.collect())
    }

    fn lab_deviation(time: f64) -> f64 {
        (1.5e-5f64).hypot(3e-3 * time)
    }

    /// 15 µs and 0.3 %: on the mean of many seeds both come back, at either end of the times,
    /// and they scatter by 2·v²/ν.
    #[test]
    fn a_time_and_a_share_are_told_apart_as_well_as_is_said() {
        for time in [1e-4, 0.1] {
            let variances = (0..200).map(|seed| simulated_noise(lab_deviation, seed).fitted_variance(time));
            let found: Vec<Variance> = variances.collect();
            let mean = |of: &dyn Fn(&Variance) -> f64| found.iter().map(of).sum::<f64>() / 200.0;
            let value = mean(&|one| one.value);
            let ratio = value / lab_deviation(time).powi(2);
            assert!((ratio - 1.0).abs() < 0.15, "{ratio} at {time}");
            let scatter = mean(&|one| (one.value - value).powi(2));
            let expected = 2.0 * value * value / mean(&|one| one.dof);
            let scatter_ratio = scatter / expected;
            assert!((0.6..1.6).contains(&scatter_ratio), "{scatter_ratio} at {time}");
        }
    }

    /// Noise that is ten times as large between 0.5 and 2 ms shows there, though not in full.
    #[test]
    fn what_is_neither_a_time_nor_a_share_is_seen_where_it_is() {
        fn bump(time: f64) -> f64 {
            let is_wide = (5e-4..2e-3).contains(&time);
            time * if is_wide { 3e-2 } else { 3e-3 }
        }
        for seed in 0..20 {
            let found = simulated_noise(bump, seed);
            let share = |time: f64| found.variance(time).value.sqrt() / bump(time);
            assert!(share(1e-3) > 0.4, "{}", share(1e-3));
        }
    }

    #[test]
    fn one_part_alone_and_none_are_found() {
        for seed in 0..20 {
            let constant = simulated_noise(|_| 1e-5, seed);
            assert!((4e-11..2e-10).contains(&constant.constant));
            assert!(constant.share * 0.1 * 0.1 < 4e-9, "{constant:?}");
            let share = simulated_noise(|time| 0.02 * time, seed);
            assert!((1.6e-4..9e-4).contains(&share.share), "{share:?}");
        }
        let none = NoiseModel::fit(Vec::new()).variance(1.0);
        assert!(none.value.abs() < f64::MIN_POSITIVE, "{none:?}");
    }
}
