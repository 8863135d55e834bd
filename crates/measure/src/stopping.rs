//! Stopping rules: decide from the repetitions so far whether they suffice.
//!
//! # Formula
//! *Median.* For n sorted repetitions t₁ ≤ … ≤ tₙ the interval \[tₖ, tₙ₊₁₋ₖ\] misses the median
//! with probability 2·P(B < k), B binomial with n trials of probability ½; k is the largest for
//! which this is at most 5 %, so at least six repetitions are needed. The repetitions suffice when
//! half the width of the interval is at most `precision` times the median. No distribution is
//! assumed.
//!
//! *Mean*, for pLogP: the one-sided half-width t(confidence; n−1)·s/√n is at most 2·ε times
//! the mean.
//!
//! # Domain
//! A rule that is checked after every repetition stops more often when the interval is narrow by
//! chance. So it is checked at 6, 9, 14, 21 … repetitions only. The actual coverage of the 95 %
//! interval, from simulation: at least 93 % for times with one peak, 91 % for two peaks of nearly
//! equal weight; the tests require 90 %.
//!
//! # Source
//! The interval: order statistics, as in Le Boudec, Performance Evaluation of Computer and
//! Communication Systems, 2010. The rule of the mean: the MPI `LogP` benchmark of Kielmann,
//! Bal, Verstoep 2000.
//!
//! ```
//! # use netsig_measure::stopping::median_interval;
//! // Ten repetitions: B < 2 has the probability 11/1024, B < 3 already 56/1024.
//! let times: Vec<f64> = (1..=10).map(f64::from).collect();
//! assert_eq!(median_interval(&times), Some((2.0, 9.0)));
//! ```

use netsig_base::stats::interval::t_quantile;
use netsig_base::stats::sample::{SortedValues, mean, variance};
use statrs::distribution::{Binomial, DiscreteCDF};

/// Number of repetitions at the first check; it grows by half to the next check.
const FIRST_CHECK: usize = 6;

/// Decides from the repetitions of each quantity whether they suffice.
pub(crate) type StoppingRule<'r> = dyn FnMut(&[Vec<f64>]) -> bool + 'r;

/// Rule: the median is known to `precision`; never met without a precision.
pub(crate) fn stop_at_known_median(precision: Option<f64>) -> impl FnMut(&[Vec<f64>]) -> bool {
    let mut next_check = FIRST_CHECK;
    move |series| {
        let (Some(precision), Some(times)) = (precision, series.first()) else {
            return false;
        };
        if times.len() < next_check {
            return false;
        }
        while next_check <= times.len() {
            next_check += next_check.div_ceil(2);
        }
        let sorted = SortedValues::new(times.clone());
        median_interval(sorted.values())
            .is_some_and(|(lower, upper)| (upper - lower) / 2.0 <= precision * sorted.median())
    }
}

/// Rule: the means of all quantities are known to 2·`epsilon`.
pub(crate) fn stop_at_known_means(confidence: f64, epsilon: f64) -> impl FnMut(&[Vec<f64>]) -> bool {
    let level = 2.0 * confidence - 1.0;
    let is_known = move |times: &Vec<f64>| {
        let count = times.len() as f64;
        let error = (variance(times) / count).sqrt();
        let half = t_quantile(level, count - 1.0) * error;
        times.len() > 1 && half <= 2.0 * epsilon * mean(times)
    };
    move |series| series.iter().all(is_known)
}

/// The distribution-free 95 % confidence interval of the median of `sorted` repetitions, in
/// their unit; `None` for fewer than six.
pub fn median_interval(sorted: &[f64]) -> Option<(f64, f64)> {
    let k = order(sorted.len());
    (k > 0).then(|| (sorted[k - 1], sorted[sorted.len() - k]))
}

/// The index k of the interval's lower end, or 0 if there are too few repetitions.
fn order(count: usize) -> usize {
    const TAIL: f64 = 0.025;
    let heads = Binomial::new(0.5, count as u64).expect("a half is a probability");
    usize::try_from(heads.inverse_cdf(TAIL)).expect("at most the count")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, Exp1, StandardNormal};

    /// Found with sums of whole binomial coefficients; Le Boudec prints the same.
    #[test]
    fn orders_are_exact() {
        let counts = [5, 6, 8, 9, 20, 30, 50, 70];
        let exact = counts.into_iter().zip([0, 1, 1, 2, 6, 10, 18, 27]);
        for (count, k) in exact {
            assert_eq!(order(count), k, "{count}");
        }
        assert!(order(1000).abs_diff(order(1001)) <= 1);
    }

    /// The share of intervals that hold the median `truth`, and the mean number of
    /// repetitions.
    fn coverage(truth: f64, mut draw: impl FnMut(&mut ChaCha8Rng) -> f64) -> (f64, f64) {
        const TRIALS: u32 = 2000;
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut held, mut repetitions) = (0, 0);
        for _ in 0..TRIALS {
            let mut is_enough = stop_at_known_median(Some(0.02));
            let mut series = [Vec::new()];
            while series[0].len() < 500 && !is_enough(&series) {
                series[0].push(draw(&mut rng));
            }
            let [mut times] = series;
            repetitions += times.len();
            times.sort_unstable_by(f64::total_cmp);
            let (lower, upper) = median_interval(&times).unwrap();
            held += u32::from(lower <= truth && truth <= upper);
        }
        let trials = f64::from(TRIALS);
        (f64::from(held) / trials, repetitions as f64 / trials)
    }

    #[test]
    fn looking_repeatedly_leaves_nine_tenths_of_coverage() {
        for noise in [0.02, 0.05] {
            let normal = |rng: &mut ChaCha8Rng| -> f64 { StandardNormal.sample(rng) };
            let (held, repetitions) = coverage(1.0, |rng| 1.0 + noise * normal(rng));
            assert!(held >= 0.9, "{noise}: {held}");
            assert!(repetitions < 100.0, "{noise}: {repetitions}");
        }
        let stalls = |rng: &mut ChaCha8Rng| -> f64 { Exp1.sample(rng) };
        let median = 1.0 + 0.1 * std::f64::consts::LN_2;
        let (held, _) = coverage(median, |rng| 1.0 + 0.1 * stalls(rng));
        assert!(held >= 0.9, "{held}");
    }

    #[test]
    fn without_a_precision_or_before_six_nothing_is_enough() {
        assert!(!stop_at_known_median(None)(&[vec![1.0; 100]]));
        assert!(!stop_at_known_median(Some(0.5))(&[vec![1.0; 5]]));
        assert!(stop_at_known_median(Some(0.01))(&[vec![1.0; 6]]));
    }

    /// t(0.90; 2) = 1.885618 and s/√3 = 0.1/√3 make a half-width of 0.108866 around 1.
    #[test]
    fn the_mean_is_held_against_students_t() {
        let series = [vec![0.9, 1.0, 1.1]];
        assert!(stop_at_known_means(0.9, 0.0545)(&series));
        assert!(!stop_at_known_means(0.9, 0.0544)(&series));
        let both = [vec![1.0; 3], vec![1.0, 2.0, 3.0]];
        assert!(!stop_at_known_means(0.9, 0.1)(&both));
    }
}
