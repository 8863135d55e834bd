//! Distribution of the times of repetitions, of which some stall.
//!
//! # Formula
//! With the probability 1 − p, ln T is normal with the mean ln T₁ and the standard deviation σ₁.
//! With p, T = T₀ + D·e^(σ·z), z standard normal: the stall adds to the rest of the operation.

use netsig_base::units::Seconds;
use statrs::distribution::{Continuous as _, ContinuousCDF as _, Normal};

use super::stalls::least_stall_time;

/// The distribution of the time of one repetition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeDistribution {
    /// T₁: median of the repetitions that do not stall.
    pub typical: Seconds,
    /// σ₁: standard deviation of ln T of these.
    pub spread: f64,
    /// Stalls of the other repetitions.
    pub stall: Option<StallRisk>,
}

/// Probability and cost of a stall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StallRisk {
    /// Probability p.
    pub probability: f64,
    /// T₀, to which the cost is added.
    pub base: Seconds,
    /// D: median of the cost.
    pub cost: Seconds,
    /// σ: standard deviation of ln D.
    pub spread: f64,
}

/// Number of steps to a root at most, and its relative precision.
const STEPS: usize = 60;
const PRECISION: f64 = 1e-9;

/// Lower limit of a spread, which is a divisor.
const LEAST_SPREAD: f64 = 1e-6;

impl TimeDistribution {
    /// Mean E\[T\].
    pub fn mean(&self) -> Seconds {
        let plain = self.typical.0 * (self.spread.powi(2) / 2.0).exp();
        Seconds(match self.stall {
            None => plain,
            Some(stall) => {
                let stalled = stall.base.0 + stall.cost.0 * (stall.spread.powi(2) / 2.0).exp();
                (1.0 - stall.probability) * plain + stall.probability * stalled
            }
        })
    }

    /// The median.
    pub fn median(&self) -> Seconds {
        self.quantile(0.5)
    }

    /// True if a stall of TCP must have delayed a repetition: it exceeds the `usual` time by half of Linux's least
    /// time-out, or by a share of a long time.
    pub fn is_stalled(usual: Seconds, time: Seconds) -> bool {
        time.0 >= usual.0 + least_stall_time(usual).0
    }

    /// Quantile: the time that the share `level` of the repetitions, from 0 to 1, does not exceed.
    pub fn quantile(&self, level: f64) -> Seconds {
        let Some(stall) = self.stall.filter(|stall| stall.probability > 0.0) else {
            return Seconds(self.typical.0 * (self.spread * normal().inverse_cdf(level)).exp());
        };
        // The quantile lies between those of the two parts. Where the parts do not overlap, it is the quantile of one
        // part at the level within that part.
        let z = normal().inverse_cdf(level);
        let plain = self.typical.0 * (self.spread * z).exp();
        let stalled = stall.base.0 + stall.cost.0 * (stall.spread * z).exp();
        let ends = [plain.min(stalled), plain.max(stalled)];
        let rest = 1.0 - stall.probability;
        let start = if level < rest {
            let within = normal().inverse_cdf(level / rest);
            self.typical.0 * (self.spread * within).exp()
        } else {
            let within = normal().inverse_cdf((level - rest) / stall.probability);
            stall.base.0 + stall.cost.0 * (stall.spread * within).exp()
        };
        let over = |time: f64| {
            let (share, density) = self.share_up_to(time, &stall);
            (share - level, density)
        };
        Seconds(root(ends, start, over))
    }

    /// P(T ≤ t), and its slope.
    fn share_up_to(&self, time: f64, stall: &StallRisk) -> (f64, f64) {
        let below = |time: f64, median: f64, spread: f64| {
            if time <= 0.0 {
                return (0.0, 0.0);
            }
            let spread = spread.max(LEAST_SPREAD);
            share_below((time / median).ln() / spread, spread * time)
        };
        let plain = below(time, self.typical.0, self.spread);
        let stalled = below(time - stall.base.0, stall.cost.0, stall.spread);
        let both = |plain: f64, stalled: f64| (1.0 - stall.probability) * plain + stall.probability * stalled;
        (both(plain.0, stalled.0), both(plain.1, stalled.1))
    }
}

/// Where the standard normal distribution is 0 and 1 in floating point.
const FLAT: [f64; 2] = [-40.0, 9.0];

/// Φ(x), and its slope in the time, which is φ(x) over `scale`.
fn share_below(x: f64, scale: f64) -> (f64, f64) {
    if x <= FLAT[0] {
        (0.0, 0.0)
    } else if x >= FLAT[1] {
        (1.0, 0.0)
    } else {
        (normal().cdf(x), normal().pdf(x) / scale)
    }
}

/// Root of a rising function in an interval, by Newton's method from `start`, with bisection where a step leaves the
/// interval. The function gives its value and slope.
fn root([mut low, mut high]: [f64; 2], start: f64, over: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut place = start.max(low).min(high);
    for _ in 0..STEPS {
        let (value, slope) = over(place);
        if value == 0.0 {
            break;
        }
        if value < 0.0 {
            low = place;
        } else {
            high = place;
        }
        let newton = place - value / slope;
        let is_inside = low <= newton && newton <= high;
        let next = if is_inside { newton } else { f64::midpoint(low, high) };
        let step = (next - place).abs();
        place = next;
        if step <= PRECISION * place || high - low <= PRECISION * high {
            break;
        }
    }
    place
}

fn normal() -> Normal {
    Normal::standard()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stalling(probability: f64) -> TimeDistribution {
        TimeDistribution {
            typical: Seconds(0.1),
            spread: 0.05,
            stall: Some(StallRisk {
                probability,
                base: Seconds(0.09),
                cost: Seconds(0.2),
                spread: 0.1,
            }),
        }
    }

    /// The share up to a quantile is its level, wherever the parts lie.
    #[test]
    fn a_quantile_has_its_level() {
        for (probability, cost, spread) in [
            (1e-12, 0.2, 0.1),
            (0.02, 0.2, 0.1),
            (0.3, 0.01, 0.1),
            (0.5, 0.05, 0.8),
            (0.999, 0.2, 0.001),
        ] {
            let mut times = stalling(probability);
            let inserted_stall = times.stall.insert(StallRisk {
                cost: Seconds(cost),
                spread,
                ..stalling(probability).stall.unwrap()
            });
            let stall = *inserted_stall;
            for level in (1..50).map(|i| f64::from(i) / 50.0) {
                let found = times.quantile(level).0;
                let [below, above] = [1.0 - 1e-8, 1.0 + 1e-8].map(|factor| times.share_up_to(found * factor, &stall).0);
                assert!(below <= level && level <= above, "{probability} {level}");
            }
        }
    }

    /// Half of a mixture without overlap lies on either side, so its quartiles are the medians
    /// of the halves; the mean by hand is 0.7·0.1·e^0.00125 + 0.3·(0.09 + 0.2·e^0.005).
    #[test]
    fn two_peaks_have_the_ascending_quantiles_and_the_mean_of_both() {
        assert!((stalling(0.5).quantile(0.25).0 - 0.1).abs() < 1e-9);
        assert!((stalling(0.5).quantile(0.75).0 - 0.29).abs() < 1e-9);
        assert!(stalling(0.4).median().0 < 0.13 && stalling(0.6).median().0 > 0.23);
        for probability in [0.3, 0.99] {
            let times = stalling(probability);
            let levels = (1..100).map(|i| times.quantile(f64::from(i) / 100.0));
            assert!(levels.is_sorted());
        }
        let mean = stalling(0.3).mean().0;
        assert!((mean - 0.157_388_305).abs() < 1e-8, "{mean}");
    }
}
