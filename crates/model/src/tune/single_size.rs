//! Rules that hold for a single size in bytes.
//!
//! # Method
//! A rule for one size between two others cannot be trusted. The last size of a map has such a rule where the
//! library decides beyond it. Of the two neighbours, the one that is faster at this size among the counts of the
//! block takes its place; without times of both, the next. An algorithm without a time there does not take it from the
//! one before.

use netsig_base::units::Bytes;

use super::fewest_rules::{RuleBlock, SizeMeasure, TuningRule};
use super::map::{MapPoint, OWN_DECISION, TuningMap};

/// Replaces rules of single sizes by their neighbours.
pub(super) fn merge_single_sizes(block: &mut RuleBlock, map: &TuningMap, measure: SizeMeasure) {
    while let Some(place) = first_single(&block.rules) {
        let [single, next] = [block.rules[place], block.rules[place + 1]];
        let time = |rule: TuningRule| block_time(block, map, measure, single.from, rule.choice);
        let before = place.checked_sub(1).map(|place| block.rules[place]);
        let is_before = before.is_some_and(|before| match (time(before), time(next)) {
            (Some(before_time), Some(next_time)) => before_time <= next_time,
            (_, next_time) => next.choice != OWN_DECISION && next_time.is_none(),
        });
        if !is_before {
            block.rules[place + 1].from = single.from;
        }
        block.rules.remove(place);
        block.rules.dedup_by_key(|rule| rule.choice);
    }
}

/// The first rule of a single size that has a next one.
fn first_single(rules: &[TuningRule]) -> Option<usize> {
    let is_single = |pair: &[TuningRule]| pair[1].from.0 - pair[0].from.0 == 1;
    rules.windows(2).position(is_single)
}

/// Sum of ln T of a choice over the counts of a block that have a size; `None` if one has no time.
fn block_time(block: &RuleBlock, map: &TuningMap, measure: SizeMeasure, size: Bytes, choice: usize) -> Option<f64> {
    let sizes = 0..map.sizes.len();
    let block_counts = block.counts.clone();
    let points = block_counts.flat_map(|count| sizes.clone().map(move |size| MapPoint { count, size }));
    let of_size = |at: &MapPoint| measure.compared_size(map.counts[at.count], map.sizes[at.size]) == size;
    let times = points.filter(of_size);
    times.map(|at| Some(map.time(choice, at)?.ln())).sum()
}

#[cfg(test)]
mod tests {
    use netsig_base::units::Procs;

    use super::*;

    /// Two counts and the sizes 1, 2, 3 and 64 under the library's own choice and two algorithms.
    fn map() -> TuningMap {
        let sizes = [1, 2, 3, 64].map(Bytes);
        let counts = [4, 8].map(|count| Procs::new(count).unwrap());
        TuningMap::new(counts.to_vec(), sizes.to_vec(), 3, |choice, _, size| {
            Some([3.0, 1.0, 2.0][choice] + 0.01 * size.as_f64())
        })
    }

    /// The rules of a block as pairs of a size and a choice, after the rules of single sizes are gone.
    fn merged(rules: &[(u64, usize)]) -> Vec<(u64, usize)> {
        let rule = |&(from, choice): &(u64, usize)| TuningRule {
            from: Bytes(from),
            choice,
        };
        let rules = rules.iter().map(rule).collect();
        let mut block = RuleBlock { counts: 0..2, rules };
        merge_single_sizes(&mut block, &map(), SizeMeasure::Each);
        let rules = block.rules.iter();
        rules.map(|rule| (rule.from.0, rule.choice)).collect()
    }

    /// The library runs algorithm 2 itself from 64 bytes on only.
    #[test]
    fn a_rule_of_one_size_goes_to_no_algorithm_that_does_not_run_there() {
        let map = map().only_where(|choice, _, sizes| choice < 2 || sizes.start().0 >= 64);
        let rule = |from, choice| TuningRule {
            from: Bytes(from),
            choice,
        };
        let mut block = RuleBlock {
            counts: 0..2,
            rules: vec![rule(0, 0), rule(63, 1), rule(64, 2)],
        };
        merge_single_sizes(&mut block, &map, SizeMeasure::Each);
        assert_eq!(block.rules, [rule(0, 0), rule(64, 2)]);
    }

    #[test]
    fn a_rule_of_one_size_goes_to_the_faster_neighbour() {
        // Algorithm 1 is the fastest, the library's own choice 0 the slowest.
        assert_eq!(merged(&[(0, 1), (2, 0), (3, 2)]), [(0, 1), (3, 2)]);
        assert_eq!(merged(&[(0, 2), (2, 0), (3, 1)]), [(0, 2), (2, 1)]);
        // Both neighbours are one algorithm.
        assert_eq!(merged(&[(0, 1), (2, 2), (3, 1)]), [(0, 1)]);
        // Beyond the last size the library decides.
        assert_eq!(merged(&[(0, 1), (64, 2), (65, 0)]), [(0, 1), (65, 0)]);
        assert_eq!(merged(&[(0, 0), (64, 2), (65, 0)]), [(0, 0)]);
        assert_eq!(merged(&[(0, 1), (4, 2)]), [(0, 1), (4, 2)]);
        assert_eq!(merged(&[(0, 2)]), [(0, 2)]);
    }
}
