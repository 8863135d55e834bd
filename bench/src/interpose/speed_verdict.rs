//! Verdict on a cell: surely slower, surely faster, or neither, under the preloaded library.
//!
//! # Method
//! Each round gives one number, ln(interposed/library), of the medians of both times. The interval of r rounds is
//! Student's for the mean of these numbers: exp(x̄ ± t(r − 1)·s/√r). The round is the unit, because the repetitions of
//! a launch resemble each other and the two launches of a round follow each other. A bootstrap over four rounds would
//! be too narrow: about 1.7 standard errors instead of Student's 3.18. One in five cells as fast as the library would
//! lie outside. The price is that a small loss is sure only if the rounds agree.
//!
//! # Domain
//! Of cells whose ratio is exactly [`SLOWER`], one of forty is called slower by chance; of cells as fast as the
//! library, fewer.

use netsig_base::stats::interval::t_quantile;
use netsig_base::stats::sample::{mean, variance};

/// Ratio of the times above which a cell is slower.
pub(super) const SLOWER: f64 = 1.02;

/// Ratio of the times below which a cell is faster.
pub(super) const FASTER: f64 = 0.98;

const CONFIDENCE: f64 = 0.95;

/// Verdict on a cell by its interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpeedVerdict {
    Slower,
    Faster,
    Unsure,
}

/// The interval of a ratio of times, from the ratio of each round; `None` for fewer than two rounds.
pub(super) fn interval(ratios: &[f64]) -> Option<(f64, f64)> {
    let logarithms: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    let count = logarithms.len() as f64;
    if logarithms.len() < 2 {
        return None;
    }
    let error = (variance(&logarithms) / count).sqrt();
    let half = t_quantile(CONFIDENCE, count - 1.0) * error;
    let middle = mean(&logarithms);
    Some(((middle - half).exp(), (middle + half).exp()))
}

impl SpeedVerdict {
    /// The verdict by an interval, if there is one.
    pub(super) fn of(interval: Option<(f64, f64)>) -> Self {
        match interval {
            Some((lower, _)) if lower > SLOWER => Self::Slower,
            Some((_, upper)) if upper < FASTER => Self::Faster,
            _ => Self::Unsure,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution as _, LogNormal};

    use super::*;

    /// Four rounds whose ratios scatter by 3 % around 1.05.
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let scatter = LogNormal::new(1.05f64.ln(), 0.03).unwrap();
        let holds = (0..2000).filter(|_| {
            let ratios: Vec<f64> = (0..4).map(|_| scatter.sample(&mut rng)).collect();
            let (lower, upper) = interval(&ratios).unwrap();
            (lower..=upper).contains(&1.05)
        });
        let share = holds.count() as f64 / 2000.0;
        assert!((0.935..=0.965).contains(&share), "{share}");
        assert_eq!(interval(&[1.0]), None);
    }
}
