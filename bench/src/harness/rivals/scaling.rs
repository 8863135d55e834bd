//! Rivals that scale the times of each size with the process count: `per peer`, `damped trend` and
//! `power law`. Between sizes log T is linear in log m.
//!
//! # Formula
//! k(n) is the number of consecutive messages on the path of the algorithm: ⌈log₂ n⌉ for trees, else n − 1. n₀ is the
//! largest measured count, and L = ln(n/n₀):
//!
//! ```text
//! per peer:      T(n) = T(n₀)·k(n)/k(n₀)
//! damped trend:  T(n) = k(n)·exp(y(n₀) + (0.05 + 0.3·s)·2·(1 − e^(−L/2))),   y(n) = ln(T(n)/k(n))
//! power law:     ln T = a + b·ln n, by least squares
//! ```
//!
//! s is the mean slope of y in ln n over the last two steps, within −0.3 and 0.6.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::stats::line::FittedLine;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::MeasuredPoint;

use super::curve::LogCurve;

/// Number of consecutive messages among n processes.
pub type MessageCount = fn(Procs) -> f64;

/// Rule that scales the times of one size with the process count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScalingRule {
    PerPeer,
    DampedTrend,
    PowerLaw,
}

/// The times of each size by process count.
pub(super) struct ScaledTimes {
    rule: ScalingRule,
    messages: MessageCount,
    by_size: BTreeMap<Bytes, Vec<(Procs, Seconds)>>,
}

impl ScaledTimes {
    /// Takes the times; `None` without points, or for a power law with one process count.
    pub(super) fn fit(points: &[MeasuredPoint], messages: MessageCount, rule: ScalingRule) -> Option<Self> {
        let mut by_size: BTreeMap<Bytes, Vec<(Procs, Seconds)>> = BTreeMap::new();
        for point in points.iter().filter(|point| point.size.0 > 0) {
            let times = by_size.entry(point.size).or_default();
            times.push((point.procs, point.time));
        }
        if rule == ScalingRule::PowerLaw {
            by_size.retain(|_, times| times.len() > 1);
        }
        for times in by_size.values_mut() {
            times.sort_unstable_by_key(|(procs, _)| *procs);
        }
        (!by_size.is_empty()).then_some(Self {
            rule,
            messages,
            by_size,
        })
    }

    /// The time.
    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Seconds {
        let point_of_size = |(size, times): (&Bytes, &Vec<_>)| (size.as_f64(), self.time_of_size(times, procs));
        LogCurve::new(self.by_size.iter().map(point_of_size)).at(size.as_f64())
    }

    /// The time of one size in seconds, from its measured times by ascending process count.
    fn time_of_size(&self, times: &[(Procs, Seconds)], procs: Procs) -> f64 {
        let log = |procs: Procs| f64::from(procs.get()).ln();
        let per_message = |(procs, time): &(Procs, Seconds)| (time.0 / (self.messages)(*procs)).ln();
        let last = times.last().expect("every size has a time");
        let message_count = (self.messages)(procs);
        match self.rule {
            ScalingRule::PerPeer => message_count * per_message(last).exp(),
            ScalingRule::DampedTrend => {
                let before = &times[times.len().saturating_sub(3)];
                let measured_slope = (per_message(last) - per_message(before)) / (log(last.0) - log(before.0));
                let slope = if measured_slope.is_finite() {
                    measured_slope.clamp(-0.3, 0.6)
                } else {
                    0.0
                };
                let damped_growth = 2.0 * (1.0 - (-(log(procs) - log(last.0)) / 2.0).exp());
                message_count * (per_message(last) + (0.05 + 0.3 * slope) * damped_growth).exp()
            }
            ScalingRule::PowerLaw => {
                let points = times.iter().map(|(procs, time)| (log(*procs), time.0.ln(), 1.0));
                FittedLine::through(&points.collect_vec()).at(log(procs)).exp()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::points;
    use super::*;

    /// Each rule meets its own assumption. The damped trend of T ∝ n·(n − 1) among 4 and 8 by hand: s = 1 is limited to
    /// 0.6, (0.05 + 0.18)·2·(1 − 2^(−½)) = 0.134731.
    #[test]
    fn rules_meet_their_assumptions() {
        let at = |truth: fn(f64, f64) -> f64, rule| {
            let points = points(&[4, 8], &[64, 4096], truth);
            let fit = ScaledTimes::fit(&points, Procs::partners, rule).unwrap();
            fit.time(Procs::new(16).unwrap(), Bytes(1024)).0
        };
        let assert_near = |found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
        };
        assert_near(at(|n, m| (n - 1.0) * m, ScalingRule::PerPeer), 15.0 * 1024.0);
        assert_near(at(|n, m| n * n * m, ScalingRule::PowerLaw), 256.0 * 1024.0);
        let grown = 8.0 * 15.0 * 1024.0 * 0.134_730_881_f64.exp();
        assert_near(at(|n, m| n * (n - 1.0) * m, ScalingRule::DampedTrend), grown);
    }
}
