//! The process counts of a design.

use crate::model::regimes::{Class, Order, Pattern};
use crate::units::Procs;

/// Ratio of the largest count to the smallest; fewer processes say little about many.
const SPAN: u32 = 8;

/// Number of powers of two, for an algorithm with other steps at powers of two.
const POWERS: usize = 4;

/// Largest maximum for which powers of two include two; beyond it they start at four, because two
/// processes share no port.
const FEW: u32 = 7;

/// Classes of process counts with separate fits.
pub(super) fn classes(pattern: Pattern) -> &'static [Class] {
    match pattern {
        Pattern::Exchange(Order::Powers) => &[Class::Power, Class::Other],
        _ => &[Class::Every],
    }
}

/// Counts of a class from two to `most`, ascending, each about √2 times the one before; powers of
/// two double.
pub(super) fn ladder(class: Class, most: Procs) -> Vec<Procs> {
    let most = most.get();
    let mut counts: Vec<u32> = match class {
        Class::Power => {
            let powers = (1..=most.ilog2()).rev().map(|power| 1 << power);
            let least = if most > FEW { 4 } else { 2 };
            powers
                .take(POWERS)
                .filter(|power| *power >= least)
                .collect()
        }
        Class::Every => geometric(most),
        Class::Other => geometric(most)
            .into_iter()
            .filter_map(beside_powers)
            .collect(),
    };
    counts.sort_unstable();
    counts.dedup();
    counts
        .into_iter()
        .filter_map(|count| Procs::new(count).ok())
        .collect()
}

/// The nearest count of a class that does not exceed n.
pub(super) fn nearest(class: Class, procs: Procs) -> Procs {
    let count = match class {
        Class::Every => Some(procs.get()),
        Class::Power => Some(1 << procs.floor_log2()),
        Class::Other => beside_powers(procs.get()),
    };
    count
        .and_then(|count| Procs::new(count).ok())
        .unwrap_or(procs)
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
    let other = if count.is_power_of_two() {
        count - 1
    } else {
        count
    };
    (other >= 3).then_some(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::procs;

    fn counts(class: Class, most: u32) -> Vec<u32> {
        let ladder = ladder(class, procs(most));
        ladder.into_iter().map(Procs::get).collect()
    }

    #[test]
    fn counts_are_of_their_class_and_span_a_factor_of_eight() {
        assert_eq!(counts(Class::Every, 32), [4, 6, 8, 11, 16, 23, 32]);
        assert_eq!(counts(Class::Every, 4), [3, 4]);
        assert_eq!(counts(Class::Every, 3), [2, 3]);
        assert_eq!(counts(Class::Power, 40), [4, 8, 16, 32]);
        assert_eq!(counts(Class::Other, 32), [3, 6, 7, 11, 15, 23, 31]);
        let pattern = Pattern::Exchange(Order::Powers);
        for most in 3..200 {
            for &class in classes(pattern) {
                let mut all = ladder(class, procs(most)).into_iter();
                assert!(all.all(|n| pattern.class(n) == class && n.get() <= most));
            }
        }
    }

    #[test]
    fn the_wanted_count_is_of_the_class() {
        for (class, expected) in [(Class::Every, 64), (Class::Power, 64), (Class::Other, 63)] {
            assert_eq!(nearest(class, procs(64)).get(), expected);
        }
        assert_eq!(nearest(Class::Power, procs(63)).get(), 32);
    }
}
