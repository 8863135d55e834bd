//! Rivals that scale the times of each size with the process count: `per peer`, `damped trend` and
//! `power law`. Between sizes log T is linear in log m.
//!
//! # Formula
//! With k(n) messages one after the other on the path of the algorithm (n − 1, of trees ⌈log₂ n⌉), n₀
//! the largest measured count and L = ln(n/n₀):
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
use netsig_base::stats::line::Line;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::Point;

use super::curve::LogCurve;

/// Number of messages one after the other among so many processes.
pub type MessageCount = fn(Procs) -> f64;

/// Rule by which the times of one size go on with the process count.
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
    /// `None` without points, or for a power law with one process count.
    pub(super) fn fit(points: &[Point], messages: MessageCount, rule: ScalingRule) -> Option<Self> {
        let mut by_size: BTreeMap<Bytes, Vec<(Procs, Seconds)>> = BTreeMap::new();
        for point in points.iter().filter(|point| point.size.0 > 0) {
            let own = by_size.entry(point.size).or_default();
            own.push((point.procs, point.time));
        }
        if rule == ScalingRule::PowerLaw {
            by_size.retain(|_, own| own.len() > 1);
        }
        for own in by_size.values_mut() {
            own.sort_unstable_by_key(|(procs, _)| *procs);
        }
        (!by_size.is_empty()).then_some(Self {
            rule,
            messages,
            by_size,
        })
    }

    /// The time.
    pub(super) fn time(&self, procs: Procs, size: Bytes) -> Seconds {
        let of_size = |(size, own): (&Bytes, &Vec<_>)| (size.as_f64(), self.of_size(own, procs));
        LogCurve::new(self.by_size.iter().map(of_size)).at(size.as_f64())
    }

    /// The time of one size in seconds, from measured ones by ascending process count.
    fn of_size(&self, own: &[(Procs, Seconds)], procs: Procs) -> f64 {
        let log = |procs: Procs| f64::from(procs.get()).ln();
        let per_message = |(procs, time): &(Procs, Seconds)| (time.0 / (self.messages)(*procs)).ln();
        let last = own.last().expect("every size has a time");
        let free = (self.messages)(procs);
        match self.rule {
            ScalingRule::PerPeer => free * per_message(last).exp(),
            ScalingRule::DampedTrend => {
                let before = &own[own.len().saturating_sub(3)];
                let slope = (per_message(last) - per_message(before)) / (log(last.0) - log(before.0));
                let slope = if slope.is_finite() { slope.clamp(-0.3, 0.6) } else { 0.0 };
                let further = 2.0 * (1.0 - (-(log(procs) - log(last.0)) / 2.0).exp());
                free * (per_message(last) + (0.05 + 0.3 * slope) * further).exp()
            }
            ScalingRule::PowerLaw => {
                let points = own.iter().map(|(procs, time)| (log(*procs), time.0.ln(), 1.0));
                Line::through(&points.collect_vec()).at(log(procs)).exp()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::points;
    use super::*;

    /// Each rule meets its own assumption; the damped trend of T ∝ n·(n − 1) among 4 and 8 by hand: s = 1 is
    /// held at 0.6, (0.05 + 0.18)·2·(1 − 2^(−½)) = 0.134731.
    #[test]
    fn rules_meet_their_assumptions() {
        let at = |truth: fn(f64, f64) -> f64, rule| {
            let points = points((&[4, 8], &[64, 4096]), truth);
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
