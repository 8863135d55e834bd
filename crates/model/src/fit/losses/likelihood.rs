//! Robust quasi-likelihood of the counts of retransmissions at a given onset X.
//!
//! # Formula
//! The rate r of a cell is its mean number of retransmissions of a link and repetition, its
//! exposure e the number of links times that of repetitions. With h = max(0, x − X)/MSS and a = φ/e,
//!
//! ```text
//! E[r] = ρ = b + f·h,   var(r) = V(ρ) = a·ρ + κ·ρ²
//! d = 2·∫(r − t)/V(t) dt from ρ to r
//!   = 2·((r/a)·ln(r/ρ) − (r/a + 1/κ)·ln((a + κ·r)/(a + κ·ρ)))
//! D = Σ C·ln(1 + d/C)
//! ```
//!
//! d is the quasi-deviance, which has the form of the negative binomial one. The logarithm in the
//! cost D is that of Student's t; C = 9, so that an error of three standard deviations halves the
//! weight of a cell.
//!
//! # Method
//! f and b minimise D by iteratively reweighted least squares, with the weights 1/(V·(1 + d/C)). The bounds of b are
//! half a segment in all repetitions, and one segment of a link and repetition. The estimate of φ is the ratio of
//! variance and mean of the repetitions of a launch: the median over all launches, at least 1. The estimate of κ makes
//! the weighted squares of the cells beyond X as large as expected, as the between-trial variance of Paule and Mandel
//! 1982. A prior worth two cells sets κ where these cells are few.
//!
//! # Source
//! `McCullagh` and Nelder 1989, chapters 6 and 9; Lange, Little, Taylor 1989 (Student's t).

use itertools::Itertools;
use netsig_base::stats::line::{FittedLine, WeightedPoint, slope_from_origin};
use netsig_base::stats::sample::{mean, median, variance};

use super::{CountDispersion, LossCell, segments_beyond};
use crate::fit::{CONVERGENCE_LIMIT, MAX_ITERATIONS};

/// C: quasi-deviance at which a cell has half of its weight.
const OUTLIER_DEVIANCE: f64 = 9.0;

/// E[z²/(1 + z²/C)] of a standard normal z.
const NORMAL_SQUARE: f64 = 0.776;

/// φ without a launch of two repetitions, in the range of emulated networks (4 to 20).
const UNKNOWN_BURST: f64 = 9.0;

/// Least mean number of retransmissions of a launch that shows φ.
const LEAST_MEAN: f64 = 1.0;

/// κ of the prior, in the range of emulated networks (0.002 to 0.2), and its weight in cells.
const USUAL_SCATTER: f64 = 0.1;
const PRIOR: f64 = 2.0;

/// Bounds of the search for κ, and its number of bisections.
const SCATTERS: [f64; 2] = [1e-4, 1e4];
const BISECTIONS: usize = 40;

/// Most background retransmissions of a link and repetition.
const MOST_BACKGROUND: f64 = 1.0;

/// A cell as a rate.
struct CellRate {
    /// x.
    bytes: f64,
    /// r.
    value: f64,
    /// e.
    exposure: f64,
}

/// The counts of all cells, at least one, with their dispersion.
pub(super) struct LossCounts {
    rates: Vec<CellRate>,
    /// φ and κ.
    pub(super) dispersion: CountDispersion,
    /// Bounds of b.
    backgrounds: [f64; 2],
}

/// The best f and b at one X.
#[derive(Debug, Clone, Copy)]
pub(super) struct OnsetSolution {
    /// X in bytes.
    pub(super) onset: f64,
    /// f.
    pub(super) share: f64,
    /// b.
    pub(super) background: f64,
    /// Variance of f; infinite if no cell exceeds X.
    pub(super) share_variance: f64,
    /// D.
    pub(super) cost: f64,
}

impl CellRate {
    /// V(ρ) at `expected` = ρ.
    fn variance(&self, expected: f64, dispersion: CountDispersion) -> f64 {
        dispersion.burst * expected / self.exposure + dispersion.scatter * expected * expected
    }

    /// d at `expected` = ρ; rounding leaves no negative values.
    fn deviance(&self, expected: f64, CountDispersion { burst, scatter }: CountDispersion) -> f64 {
        let (r, a) = (self.value, burst / self.exposure);
        let ratio = if r > 0.0 { (r / expected).ln() } else { 0.0 };
        let other = ((a + scatter * r) / (a + scatter * expected)).ln();
        (2.0 * (r / a * ratio - (r / a + 1.0 / scatter) * other)).max(0.0)
    }
}

impl OnsetSolution {
    /// ρ at x bytes.
    fn rate(&self, bytes: f64) -> f64 {
        self.background + self.share * segments_beyond(self.onset, bytes)
    }
}

impl LossCounts {
    /// Counts of cells with traffic and repetitions.
    pub(super) fn new(cells: &[&LossCell]) -> Self {
        let rate = |cell: &&LossCell| {
            let counts = cell.repetitions.iter().map(|one| one.retransmits as f64);
            let links = f64::from(cell.load.links);
            CellRate {
                bytes: cell.load.bytes,
                value: mean(counts) / links,
                exposure: links * cell.repetitions.len() as f64,
            }
        };
        let rates: Vec<CellRate> = cells.iter().map(rate).collect();
        let exposure: f64 = rates.iter().map(|rate| rate.exposure).sum();
        Self {
            rates,
            dispersion: CountDispersion {
                burst: burst(cells),
                scatter: USUAL_SCATTER,
            },
            backgrounds: [(0.5 / exposure).min(MOST_BACKGROUND), MOST_BACKGROUND],
        }
    }

    /// Least x.
    pub(super) fn least_bytes(&self) -> f64 {
        let bytes = self.rates.iter().map(|rate| rate.bytes);
        bytes.fold(f64::INFINITY, f64::min)
    }

    /// Greatest x.
    pub(super) fn greatest_bytes(&self) -> f64 {
        self.rates.iter().map(|rate| rate.bytes).fold(0.0, f64::max)
    }

    /// The best b if there is no onset.
    pub(super) fn without_losses(&self) -> OnsetSolution {
        self.solution_at(f64::INFINITY)
    }

    /// The best f and b at an onset.
    pub(super) fn solution_at(&self, onset: f64) -> OnsetSolution {
        let mut found = self.first_solution(onset);
        for _ in 0..MAX_ITERATIONS {
            let point = |rate: &CellRate| {
                let expected = found.rate(rate.bytes);
                let outlier_factor = 1.0 + rate.deviance(expected, self.dispersion) / OUTLIER_DEVIANCE;
                let weight = 1.0 / (rate.variance(expected, self.dispersion) * outlier_factor);
                (segments_beyond(onset, rate.bytes), rate.value, weight)
            };
            let points: Vec<WeightedPoint> = self.rates.iter().map(point).collect();
            let next = self.solve(onset, &points);
            let change = (next.share - found.share).abs() / next.share.max(f64::MIN_POSITIVE)
                + (next.background / found.background - 1.0).abs();
            found = next;
            if change < CONVERGENCE_LIMIT {
                break;
            }
        }
        let deviance = |rate: &CellRate| rate.deviance(found.rate(rate.bytes), self.dispersion);
        let deviances = self.rates.iter().map(deviance);
        let costs = deviances.map(|deviance| OUTLIER_DEVIANCE * (deviance / OUTLIER_DEVIANCE).ln_1p());
        OnsetSolution {
            cost: costs.sum(),
            ..found
        }
    }

    /// First f and b: the median slope, and the least background.
    fn first_solution(&self, onset: f64) -> OnsetSolution {
        let beyond = self.rates.iter().filter(|rate| rate.bytes > onset);
        let cell_slopes = beyond.map(|rate| rate.value / segments_beyond(onset, rate.bytes));
        let slopes: Vec<f64> = cell_slopes.collect();
        OnsetSolution {
            onset,
            share: if slopes.is_empty() {
                0.0
            } else {
                median(slopes).min(1.0)
            },
            background: self.backgrounds[0],
            share_variance: f64::INFINITY,
            cost: f64::INFINITY,
        }
    }

    /// Weighted least squares of the points (h, r), with f and b within their bounds.
    fn solve(&self, onset: f64, points: &[WeightedPoint]) -> OnsetSolution {
        let line = FittedLine::through(points);
        let is_rising = line.slope > 0.0;
        let unbounded = if is_rising { line.at(0.0) } else { line.mean_y };
        let [least, most] = self.backgrounds;
        let background = unbounded.clamp(least, most);
        let is_within_bounds = is_rising && (least..=most).contains(&unbounded);
        let (share, weight) = if is_within_bounds {
            (line.slope, line.spread)
        } else {
            let above = points.iter().map(|(h, r, w)| (*h, r - background, *w));
            let weight = points.iter().map(|(h, _, w)| w * h * h).sum();
            (slope_from_origin(&above.collect_vec()), weight)
        };
        let is_determined = weight > 0.0;
        OnsetSolution {
            onset,
            share: if is_determined { share.clamp(0.0, 1.0) } else { 0.0 },
            background,
            share_variance: 1.0 / weight,
            cost: f64::INFINITY,
        }
    }

    /// κ that explains the errors of the cells beyond the onset.
    pub(super) fn scatter(&self, law: &OnsetSolution) -> f64 {
        let rates_beyond = self.rates.iter().filter(|rate| rate.bytes > law.onset);
        let beyond: Vec<&CellRate> = rates_beyond.collect();
        let dof = beyond.len().saturating_sub(2) as f64;
        let burst = self.dispersion.burst;
        let is_too_small = |scatter: f64| {
            let weighted_square = |rate: &&CellRate| {
                let expected = law.rate(rate.bytes);
                let variance = rate.variance(expected, CountDispersion { burst, scatter });
                let square = (rate.value - expected).powi(2) / variance;
                square / (1.0 + square / OUTLIER_DEVIANCE)
            };
            let squares: f64 = beyond.iter().map(weighted_square).sum();
            squares + PRIOR * USUAL_SCATTER / scatter > NORMAL_SQUARE * dof + PRIOR
        };
        let [mut low, mut high] = SCATTERS;
        for _ in 0..BISECTIONS {
            let middle = (low * high).sqrt();
            if is_too_small(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}

/// φ: the median of variance/mean over launches that lose at least one segment a repetition on average. If there are
/// none, over all launches that lose any.
fn burst(cells: &[&LossCell]) -> f64 {
    let mut ratios = Vec::new();
    for cell in cells {
        let launches = cell
            .repetitions
            .iter()
            .map(|one| (one.launch, one.retransmits as f64))
            .into_group_map();
        for counts in launches.into_values().filter(|counts| counts.len() > 1) {
            let mean = mean(&counts);
            if mean > 0.0 {
                ratios.push((mean, variance(&counts) / mean));
            }
        }
    }
    let reliable: Vec<f64> = ratios
        .iter()
        .filter(|(mean, _)| *mean >= LEAST_MEAN)
        .map(|(_, ratio)| *ratio)
        .collect();
    let all = ratios.iter().map(|(_, ratio)| *ratio);
    match (reliable.is_empty(), ratios.is_empty()) {
        (false, _) => median(reliable).max(1.0),
        (true, false) => median(all).max(1.0),
        (true, true) => UNKNOWN_BURST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The closed form of d agrees with the integral by the midpoint rule.
    #[test]
    fn deviance_is_the_integral() {
        let dispersion = CountDispersion {
            burst: 8.0,
            scatter: 0.1,
        };
        for (value, expected) in [(3.0, 0.5), (0.2, 4.0), (0.0, 1.0)] {
            let rate = CellRate {
                bytes: 1.0,
                value,
                exposure: 64.0,
            };
            let width = (value - expected) / 1e5;
            let slope = |t: f64| 2.0 * (value - t) / rate.variance(t, dispersion);
            let middles = (0..100_000).map(|step| expected + (f64::from(step) + 0.5) * width);
            let integral = middles.map(slope).sum::<f64>() * width;
            let found = rate.deviance(expected, dispersion);
            assert!((found / integral - 1.0).abs() < 1e-6, "{found} {integral}");
        }
    }
}
