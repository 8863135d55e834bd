//! The fewest rules that serve a map.
//!
//! # Method
//! A block is a range of process counts with one list of rules; a rule is a range of the library's measure of size
//! with one choice. In a block the points stand in columns by that measure. A choice serves a column if it serves
//! every count of the block there:
//!
//! * at a point of the count, it must be allowed ([`TuningMap::allowed_choices`]);
//! * between two points, it must be allowed at one of them, and below the first point, at that and below it;
//! * beyond the last point every choice serves.
//!
//! A choice that serves a range serves every part of it. So the fewest rules are found by always taking the choice
//! that reaches farthest. Beyond the last column the library decides. Among equal reaches the library's own decision comes
//! first, then the shorter time. Afterwards each switch moves to the place with the shortest times at which both
//! neighbours serve. If a rule then has no mean gain over the library's own decision, the block takes only choices that are
//! nowhere slower than the library's own decision.
//!
//! The blocks are chosen by dynamic programming over the counts: the fewest lines, one for each
//! block and each rule; among equals the shortest times.

use std::ops::Range;

use itertools::Itertools as _;
use netsig_base::units::{Bytes, Procs};

use super::map::{ChoiceLimit, MapPoint, OWN_DECISION, TuningMap};

/// Measure of size that a library's rules look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeMeasure {
    /// Bytes per destination, or of the message.
    Each,
    /// Bytes per destination times the number of processes.
    Total,
}

/// Process counts with one list of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleBlock {
    /// Places of the counts in the map.
    pub counts: Range<usize>,
    /// The rules by ascending size; the first begins at 0, the last has no end.
    pub rules: Vec<TuningRule>,
}

/// A choice from a size on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TuningRule {
    /// First size, in the library's measure.
    pub from: Bytes,
    /// The choice.
    pub choice: usize,
}

/// A list of rules with the sum of ln T over its points.
#[derive(Debug, Clone)]
struct RuleList {
    rules: Vec<TuningRule>,
    time: f64,
    /// True if every rule gains over the library's own decision in the mean.
    has_gains: bool,
}

/// The points of a count, by ascending measure.
#[derive(Debug)]
struct CountRow {
    sizes: Vec<Bytes>,
    allowed: Vec<Vec<bool>>,
    /// Choices that may be taken below the first size.
    below: Vec<bool>,
    /// ln T by choice; 0 for a choice without a time.
    time: Vec<Vec<f64>>,
}

/// All counts of a block at one size in the library's measure.
#[derive(Debug)]
struct MeasureColumn {
    size: Bytes,
    /// By choice.
    serves: Vec<bool>,
    /// Sum of ln T by choice; 0 for a choice without a time.
    time: Vec<f64>,
}

/// A choice with the first of its columns.
#[derive(Debug, Clone, Copy)]
struct RuleRun {
    choice: usize,
    start: usize,
}

impl SizeMeasure {
    /// A size per destination among `procs` processes, in this measure.
    pub fn compared_size(self, procs: Procs, size: Bytes) -> Bytes {
        match self {
            Self::Each => size,
            Self::Total => Bytes(size.0.saturating_mul(procs.get().into())),
        }
    }
}

impl RuleBlock {
    /// The rule for a size in the library's measure.
    pub fn rule_for(&self, size: Bytes) -> TuningRule {
        let mut rules = self.rules.iter().rev();
        let rule = rules.find(|rule| rule.from <= size);
        *rule.expect("the first rule begins at 0")
    }

    /// True if the library decides at all sizes.
    pub fn is_left_to_library(&self) -> bool {
        self.rules.iter().all(|rule| rule.choice == OWN_DECISION)
    }
}

/// The blocks with the fewest lines that serve `map`, in the order of its counts.
pub fn fewest_blocks(map: &TuningMap, measure: SizeMeasure) -> Vec<RuleBlock> {
    /// The best partition of the counts before a place.
    #[derive(Clone)]
    struct CountPartition {
        lines: usize,
        time: f64,
        blocks: Vec<RuleBlock>,
    }
    let none = CountPartition {
        lines: 0,
        time: 0.0,
        blocks: Vec::new(),
    };
    let mut best = vec![none];
    for end in 1..=map.counts.len() {
        let mut found: Option<CountPartition> = None;
        for start in (0..end).rev() {
            let Some(listed) = gaining_rules(map, measure, start..end) else {
                continue;
            };
            let before = &best[start];
            let lines = before.lines + listed.rules.len() + 1;
            let time = before.time + listed.time;
            let is_better = found
                .as_ref()
                .is_none_or(|other| lines < other.lines || (lines == other.lines && time < other.time));
            if is_better {
                let block = RuleBlock {
                    counts: start..end,
                    rules: listed.rules,
                };
                let blocks = before.blocks.iter().cloned().chain([block]).collect();
                found = Some(CountPartition { lines, time, blocks });
            }
        }
        best.push(found.expect("some choice serves each point"));
    }
    best.pop().map_or_else(Vec::new, |partition| partition.blocks)
}

/// The fewest rules of a block that gain over the library's own decision; `None` if no choice serves one of its columns.
fn gaining_rules(map: &TuningMap, measure: SizeMeasure, counts: Range<usize>) -> Option<RuleList> {
    let rules_within = |limit| rules_of_columns(&columns(map, measure, counts.clone(), limit));
    let listed = rules_within(ChoiceLimit::Best);
    let gains = listed.as_ref().is_none_or(|rules| rules.has_gains);
    if gains || !map.has_own_decision() {
        return listed;
    }
    rules_within(ChoiceLimit::OwnDecision)
}

/// The columns of a block by size, and one beyond, where the library decides.
fn columns(map: &TuningMap, measure: SizeMeasure, counts: Range<usize>, limit: ChoiceLimit) -> Vec<MeasureColumn> {
    let rows: Vec<CountRow> = counts.map(|count| CountRow::of(map, measure, count, limit)).collect();
    // Below the first size there are other choices than at it.
    let has_others_below = rows.iter().any(|row| row.allowed.first() != Some(&row.below));
    let lowest = has_others_below.then_some(&Bytes(0));
    let all_sizes = rows.iter().flat_map(|row| &row.sizes).chain(lowest);
    let sizes: Vec<Bytes> = all_sizes.copied().sorted_unstable().dedup().collect();
    let beyond = sizes.last().map_or(0, |size| size.0.saturating_add(1));
    let column = |size: &Bytes| {
        let mut column = MeasureColumn {
            size: *size,
            serves: vec![true; map.choices()],
            time: vec![0.0; map.choices()],
        };
        for row in &rows {
            row.add_to_column(&mut column);
        }
        column
    };
    let last = MeasureColumn {
        size: Bytes(beyond),
        serves: (0..map.choices()).map(|choice| choice == OWN_DECISION).collect(),
        time: vec![0.0; map.choices()],
    };
    sizes.iter().map(column).chain([last]).collect()
}

impl CountRow {
    fn of(map: &TuningMap, measure: SizeMeasure, count: usize, limit: ChoiceLimit) -> Self {
        let places = 0..map.sizes.len();
        let points = || places.clone().map(|size| MapPoint { count, size });
        let time = |at| move |choice| map.time(choice, at).map_or(0.0, f64::ln);
        Self {
            sizes: points()
                .map(|at| measure.compared_size(map.counts[count], map.sizes[at.size]))
                .collect(),
            allowed: points().map(|at| map.allowed_choices(at, limit)).collect(),
            below: map.choices_below(count, limit),
            time: points().map(|at| (0..map.choices()).map(time(at)).collect()).collect(),
        }
    }

    /// Adds the times of the count to a column, and removes choices that do not serve the count.
    fn add_to_column(&self, column: &mut MeasureColumn) {
        let place = self.sizes.partition_point(|size| *size < column.size);
        if self.sizes.get(place) == Some(&column.size) {
            for (sum, ln_time) in column.time.iter_mut().zip(&self.time[place]) {
                *sum += ln_time;
            }
            restrict(&mut column.serves, |choice| self.allowed[place][choice]);
        } else if place == 0 {
            restrict(&mut column.serves, |choice| self.below[choice]);
        } else if let Some(above) = self.allowed.get(place) {
            let below = &self.allowed[place - 1];
            restrict(&mut column.serves, |choice| above[choice] || below[choice]);
        }
    }
}

/// Keeps the choices for which `serves` holds as well.
fn restrict(all: &mut [bool], serves: impl Fn(usize) -> bool) {
    for (choice, is_serving) in all.iter_mut().enumerate() {
        *is_serving = *is_serving && serves(choice);
    }
}

/// The fewest rules for columns; `None` if no choice serves one of them.
fn rules_of_columns(columns: &[MeasureColumn]) -> Option<RuleList> {
    let choices = columns.first()?.serves.len();
    let time_of =
        |choice: usize, range: Range<usize>| -> f64 { columns[range].iter().map(|column| column.time[choice]).sum() };
    let mut runs: Vec<RuleRun> = Vec::new();
    let mut start = 0;
    while start < columns.len() {
        let reach = |choice: usize| {
            let served = columns[start..].iter().take_while(|column| column.serves[choice]);
            start + served.count()
        };
        let end = (0..choices).map(reach).max()?;
        if end == start {
            return None;
        }
        let farthest = (0..choices).filter(|&choice| reach(choice) == end);
        let choice = farthest.min_by(|&a, &b| {
            let range_time = |choice| time_of(choice, start..end);
            (a != OWN_DECISION)
                .cmp(&(b != OWN_DECISION))
                .then(range_time(a).total_cmp(&range_time(b)))
        })?;
        let mut run = RuleRun { choice, start };
        if let Some(earlier) = runs.last() {
            run.start = best_switch(columns, *earlier, run);
        }
        runs.push(run);
        start = end;
    }
    let later_starts = runs.iter().skip(1).map(|run| run.start);
    let ends = later_starts.chain([columns.len()]);
    let ranges: Vec<Range<usize>> = runs.iter().zip(ends).map(|(run, end)| run.start..end).collect();
    let run_time = |choice: usize, place: usize| time_of(choice, ranges[place].clone());
    let taken = || runs.iter().enumerate().map(|(place, run)| (run.choice, place));
    let has_gains = taken()
        .all(|(choice, place)| choice == OWN_DECISION || run_time(choice, place) < run_time(OWN_DECISION, place));
    let time = taken().map(|(choice, place)| run_time(choice, place)).sum();
    let rule = |(place, run): (usize, &RuleRun)| TuningRule {
        from: if place == 0 { Bytes(0) } else { columns[run.start].size },
        choice: run.choice,
    };
    let rules = runs.iter().enumerate().map(rule).collect();
    Some(RuleList { rules, time, has_gains })
}

/// Best column for the switch to the later run, which starts at the first column that the earlier choice does not
/// serve.
fn best_switch(columns: &[MeasureColumn], earlier: RuleRun, later: RuleRun) -> usize {
    let end = later.start;
    let served = columns[earlier.start + 1..end].iter().rev();
    let back = served.take_while(|column| column.serves[later.choice]).count();
    let mut best = (0.0, end);
    let mut gain = 0.0;
    for place in (end - back..end).rev() {
        gain += columns[place].time[earlier.choice] - columns[place].time[later.choice];
        if gain > best.0 {
            best = (gain, place);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::super::map::TOLERANCE;
    use super::*;

    const COUNTS: usize = 3;
    const SIZES: usize = 3;
    const CHOICES: usize = 3;

    /// Times close to each other, so that choices are often within the tolerance.
    fn map() -> impl Strategy<Value = TuningMap> {
        let time = prop_oneof![1 => Just(None), 12 => (0..6u32).prop_map(Some)];
        let times = vec(time, COUNTS * SIZES * CHOICES);
        (times, any::<bool>()).prop_map(|(mut steps, has_own)| {
            if !has_own {
                steps[..COUNTS * SIZES].fill(None);
            }
            let counts = [2, 3, 5].map(|count| Procs::new(count).unwrap()).to_vec();
            let sizes = vec![Bytes(1), Bytes(2), Bytes(4)];
            let places = (counts.clone(), sizes.clone());
            TuningMap::new(counts, sizes, CHOICES, |choice, count, size| {
                let count = places.0.iter().position(|known| *known == count)?;
                let size = places.1.iter().position(|known| *known == size)?;
                let step = steps[(choice * COUNTS + count) * SIZES + size]?;
                Some(1.0 + 0.004 * f64::from(step))
            })
        })
    }

    fn points() -> impl Iterator<Item = MapPoint> {
        let all = (0..COUNTS).cartesian_product(0..SIZES);
        all.map(|(count, size)| MapPoint { count, size })
    }

    /// True if a choice may be taken at a point, computed otherwise than by the map.
    fn may_be_taken(map: &TuningMap, choice: usize, at: MapPoint, limit: ChoiceLimit) -> bool {
        let times: Vec<Option<f64>> = (0..CHOICES).map(|any_choice| map.time(any_choice, at)).collect();
        let known: Vec<f64> = times.iter().copied().flatten().collect();
        let is_comparable = times[OWN_DECISION].is_some() || (!map.has_own_decision() && known.len() > 1);
        match times[choice] {
            _ if !is_comparable => choice == OWN_DECISION,
            None => false,
            Some(time) => {
                known.iter().all(|other| time <= other * TOLERANCE)
                    && (limit == ChoiceLimit::Best || times[OWN_DECISION].is_none_or(|own_time| time <= own_time))
            }
        }
    }

    /// Fewest rules of a block by trying every division of its sizes.
    fn fewest_rules(map: &TuningMap, measure: SizeMeasure, counts: Range<usize>, limit: ChoiceLimit) -> Option<usize> {
        let of = |at: MapPoint| measure.compared_size(map.counts[at.count], map.sizes[at.size]);
        let inside: Vec<MapPoint> = points().filter(|at| counts.contains(&at.count)).collect();
        let sizes: Vec<Bytes> = inside.iter().map(|at| of(*at)).sorted().dedup().collect();
        let divisions = 0..1u32 << (sizes.len() - 1);
        let serves_count = |choice: usize, count: usize, size: Bytes| {
            let count_points = inside.iter().filter(|at| at.count == count);
            let served_sizes: Vec<(Bytes, bool)> = count_points
                .map(|at| (of(*at), may_be_taken(map, choice, *at, limit)))
                .collect();
            let below = served_sizes.iter().rev().find(|(at, _)| *at <= size);
            let above = served_sizes.iter().find(|(at, _)| *at >= size);
            match (below, above) {
                (Some(below), Some(above)) => below.1 || above.1,
                (None, Some(first)) => first.1,
                (_, None) => true,
            }
        };
        let serves = |choice: usize, part: &[Bytes]| {
            let mut cases = part.iter().cartesian_product(counts.clone());
            cases.all(|(size, count)| serves_count(choice, count, *size))
        };
        let possible = divisions.filter_map(|cuts| {
            let mut parts: Vec<Vec<Bytes>> = vec![vec![sizes[0]]];
            for (place, size) in sizes.iter().enumerate().skip(1) {
                if cuts & (1 << (place - 1)) != 0 {
                    parts.push(Vec::new());
                }
                parts.last_mut().unwrap().push(*size);
            }
            let serving = |part: &Vec<Bytes>| (0..CHOICES).any(|choice| serves(choice, part));
            // The library decides beyond the last size.
            let ends_own = parts.last().is_some_and(|part| serves(OWN_DECISION, part));
            parts
                .iter()
                .all(serving)
                .then_some(parts.len() + usize::from(!ends_own))
        });
        possible.min()
    }

    /// Fewest lines by trying every division of the counts.
    fn fewest_lines(map: &TuningMap, measure: SizeMeasure, limit: ChoiceLimit) -> usize {
        let divisions = 0..1u32 << (COUNTS - 1);
        let lines = divisions.filter_map(|cuts| {
            let cut = |place: &usize| cuts & (1 << (place - 1)) != 0;
            let inner_bounds = (1..COUNTS).filter(cut);
            let bounds: Vec<usize> = [0].into_iter().chain(inner_bounds).chain([COUNTS]).collect();
            let blocks = bounds.windows(2);
            let rules = |ends: &[usize]| fewest_rules(map, measure, ends[0]..ends[1], limit);
            let block_lines = blocks.map(|ends| Some(1 + rules(ends)?));
            block_lines.sum::<Option<usize>>()
        });
        lines.min().unwrap()
    }

    proptest! {
        #[test]
        fn rules_serve_every_point_and_no_fewer_would(map in map(), is_total: bool) {
            let measure = if is_total { SizeMeasure::Total } else { SizeMeasure::Each };
            let blocks = fewest_blocks(&map, measure);
            for at in points() {
                let block = blocks.iter().find(|block| block.counts.contains(&at.count)).unwrap();
                let size = measure.compared_size(map.counts[at.count], map.sizes[at.size]);
                let choice = block.rule_for(size).choice;
                prop_assert!(may_be_taken(&map, choice, at, ChoiceLimit::Best), "{at:?} {blocks:?}");
            }
            for block in &blocks {
                prop_assert_eq!(block.rules[0].from, Bytes(0));
                prop_assert_eq!(block.rule_for(Bytes(u64::MAX)).choice, OWN_DECISION);
                prop_assert!(block.rules.windows(2).all(|two| two[0].from < two[1].from));
            }
            let lines = blocks.iter().map(|block| 1 + block.rules.len()).sum::<usize>();
            let [least, most] = [ChoiceLimit::Best, ChoiceLimit::OwnDecision].map(|limit| fewest_lines(&map, measure, limit));
            prop_assert!((least..=most).contains(&lines), "{lines} of {least} to {most}");
        }
    }
}
