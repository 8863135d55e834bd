//! The process counts of a campaign.

use std::collections::BTreeSet;

use netsig_base::algorithm::{Collective, CollectiveMethod};
use netsig_base::units::Procs;
use netsig_model::model::regimes::{CountClass, ExchangeOrder, TrafficPattern};

use crate::work::folds_ranks;

/// Ratio of the largest count to the smallest; fewer processes say little about many.
const SPAN: u32 = 8;

/// Process counts of a method up to `most`, ascending: the `largest` greatest counts of each class of counts with
/// different steps.
pub(super) fn measured_procs(
    collective: Collective,
    method: CollectiveMethod,
    most: Procs,
    largest: usize,
) -> Vec<Procs> {
    let has_classes = match TrafficPattern::of_method(&method) {
        Some(TrafficPattern::Exchange(ExchangeOrder::Powers)) => true,
        _ => folds_ranks(collective, &method),
    };
    let classes: &[CountClass] = if has_classes {
        &[CountClass::Power, CountClass::Other]
    } else {
        &[CountClass::Every]
    };
    let of_class = |class: &CountClass| spaced_counts(*class, most.get()).into_iter().rev().take(largest);
    let counts: BTreeSet<u32> = classes.iter().flat_map(of_class).collect();
    counts.into_iter().filter_map(|count| Procs::new(count).ok()).collect()
}

/// Counts of a class from two to `most`, ascending, each about √2 times the one before; powers of
/// two double.
fn spaced_counts(class: CountClass, most: u32) -> Vec<u32> {
    let mut counts: Vec<u32> = match class {
        CountClass::Power => {
            let powers = (1..=most.ilog2()).map(|power| 1 << power);
            // Two processes share no port.
            let least = if most > 3 { 4 } else { 2 };
            powers.filter(|power| *power >= least).collect()
        }
        CountClass::Every => geometric(most),
        CountClass::Other => geometric(most).into_iter().filter_map(beside_powers).collect(),
    };
    counts.sort_unstable();
    counts.dedup();
    counts
}

fn geometric(most: u32) -> Vec<u32> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count"
    )]
    let at = |step: u32| (f64::from(most) * 0.5f64.powf(f64::from(step) / 2.0)).round() as u32;
    let least = most.div_ceil(SPAN).max(if most > 3 { 3 } else { 2 });
    let steps = 0..=2 * SPAN.ilog2();
    steps.map(at).filter(|count| *count >= least).collect()
}

/// The count, or the count below if it is a power of two; `None` below three.
fn beside_powers(count: u32) -> Option<u32> {
    let other = if count.is_power_of_two() { count - 1 } else { count };
    (other >= 3).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_of_their_class_and_reach_the_most() {
        let counts_of = |collective, name: &str, most, largest| -> Vec<u32> {
            let method = CollectiveMethod::parse(collective, name);
            let most = Procs::new(most).unwrap();
            let counts = measured_procs(collective, method.unwrap(), most, largest);
            counts.into_iter().map(Procs::get).collect()
        };
        let counts = |name: &str, most, largest| counts_of(Collective::Alltoall, name, most, largest);
        assert_eq!(counts("direct", 32, 3), [16, 23, 32]);
        assert_eq!(counts("direct", 4, 3), [3, 4]);
        assert_eq!(counts("direct", 3, 3), [2, 3]);
        assert_eq!(counts("pairwise", 8, 3), [3, 4, 6, 7, 8]);
        assert_eq!(counts("pairwise", 4, 3), [3, 4]);
        assert_eq!(counts("pairwise", 40, 2), [16, 28, 32, 40]);
        let reductions = |name: &str| counts_of(Collective::Allreduce, name, 8, 3);
        assert_eq!(reductions("rabenseifner"), [3, 4, 6, 7, 8]);
        assert_eq!(reductions("ring"), [4, 6, 8]);
    }
}
