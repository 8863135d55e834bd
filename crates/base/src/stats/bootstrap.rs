//! Intervals of any figure by the bootstrap: the data are drawn again with replacement, many times,
//! and the interval holds the stated share of the figures of the draws.
//!
//! # Formula
//! The ends are the quantiles (1 − c)/2 and (1 + c)/2 of the drawn figures, by nearest rank. For
//! repetitions in launches, a draw takes launches with replacement and, from each launch taken,
//! repetitions with replacement, because repetitions of one launch resemble each other.
//!
//! # Source
//! Efron 1979 (percentile interval); Davison and Hinkley 1997, section 3.8 (data in groups).

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::sample::SortedValues;

/// Number of draws, their seed, and the share of the figures inside the interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    /// Number of draws.
    pub draws: u32,
    /// Seed of the draws.
    pub seed: u64,
    /// Share of the drawn figures inside the interval, between 0 and 1.
    pub confidence: f64,
}

/// The numbers of one launch, two samples that were taken in turn.
pub type PairedSamples<'a> = [&'a [f64]; 2];

impl Bootstrap {
    /// The interval of the figures of all draws; `None` if no draw has a figure.
    pub fn interval(&self, mut draw: impl FnMut(&mut ChaCha8Rng) -> Option<f64>) -> Option<[f64; 2]> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let drawn: Vec<f64> = (0..self.draws).filter_map(|_| draw(&mut rng)).collect();
        let sorted = (!drawn.is_empty()).then(|| SortedValues::new(drawn))?;
        let outside = (1.0 - self.confidence) / 2.0;
        Some([outside, 1.0 - outside].map(|level| sorted.quantile(level)))
    }

    /// The interval of the ratio of a statistic of the first samples to that of the second, over
    /// launches with repetitions of both; `None` without repetitions.
    pub fn ratio(&self, launches: &[PairedSamples], statistic: impl Fn(Vec<f64>) -> f64) -> Option<[f64; 2]> {
        let full = |pair: &&PairedSamples| pair.iter().all(|sample| !sample.is_empty());
        let full_launches: Vec<&PairedSamples> = launches.iter().filter(full).collect();
        if full_launches.is_empty() {
            return None;
        }
        self.interval(|rng| {
            let mut drawn = [Vec::new(), Vec::new()];
            for _ in 0..full_launches.len() {
                let launch = full_launches[rng.random_range(0..full_launches.len())];
                for (all, sample) in drawn.iter_mut().zip(launch) {
                    let draw = |_| sample[rng.random_range(0..sample.len())];
                    all.extend((0..sample.len()).map(draw));
                }
            }
            let [over, under] = drawn.map(&statistic);
            Some(over / under)
        })
    }
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution as _, Normal};

    use super::*;
    use crate::stats::sample::median;

    const MANY: Bootstrap = Bootstrap {
        draws: 200,
        seed: 3,
        confidence: 0.95,
    };

    /// Samples of one value have one ratio; without repetitions there is none.
    #[test]
    fn equal_numbers_leave_no_doubt() {
        let (three, two) = ([3.0; 4], [2.0; 5]);
        let launches: [PairedSamples; 2] = [[&three, &two], [&[], &two]];
        let ends = MANY.ratio(&launches, median).unwrap();
        assert!(ends.iter().all(|end| (end - 1.5).abs() < 1e-12));
        assert_eq!(MANY.ratio(&launches[1..], median), None);
    }

    /// Launches that differ, by 3 % here, widen the interval beyond that of the repetitions alone. About 95 % of the
    /// intervals then hold the true ratio 2 of the two samples.
    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let (of_launch, of_repetition) = (Normal::new(0.0, 0.03), Normal::new(0.0, 0.02));
        let (of_launch, of_repetition) = (of_launch.unwrap(), of_repetition.unwrap());
        let mut sample = |truth: f64| -> Vec<f64> {
            let level = truth * (1.0 + of_launch.sample(&mut rng));
            let one = |_| level * (1.0 + of_repetition.sample(&mut rng));
            (0..8).map(one).collect()
        };
        let holds = (0..100).filter(|_| {
            let launches: Vec<[Vec<f64>; 2]> = (0..12).map(|_| [sample(2.0), sample(1.0)]).collect();
            let pairs = launches.iter().map(|[over, under]| [&over[..], under]);
            let [lower, upper] = MANY.ratio(&pairs.collect::<Vec<_>>(), median).unwrap();
            (lower..=upper).contains(&2.0)
        });
        let share = f64::from(u32::try_from(holds.count()).unwrap()) / 100.0;
        assert!((0.88..=1.0).contains(&share), "{share}");
    }
}
