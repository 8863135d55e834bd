//! The fewest rules that serve a map.
//!
//! # Method
//! A block is a range of process counts with one list of rules; a rule is a range of the library's
//! measure of size with one choice. In a block the points stand in columns by that measure. A choice
//! serves a column if it serves every count of the block there: at a point of the count it may stand
//! ([`Map::standing`]); between two points, at one of them; below the first, at that; beyond the last,
//! always. A choice that serves a
//! range serves every part of it, so the fewest rules are found by always taking the choice that
//! reaches farthest. Beyond the last column the library decides. Among equal reaches the own
//! decision comes first, then the shorter time; afterwards each switch moves to where the times are
//! shortest while both neighbours serve. If the mean of a rule then shows no gain over the own
//! decision, the block takes only choices that are nowhere slower than that, which gain for certain.
//!
//! The blocks are chosen by dynamic programming over the counts: the fewest lines, one for each
//! block and each rule; among equals the shortest times.

use std::ops::Range;

use itertools::Itertools as _;
use netsig_base::units::{Bytes, Procs};

use super::map::{Limit, Map, OWN, Point};

/// Measure of size that a library's rules look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Bytes per destination, or of the message.
    Each,
    /// That times the number of processes.
    Total,
}

/// Process counts with one list of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Places of the counts in the map.
    pub counts: Range<usize>,
    /// The rules by ascending size; the first begins at 0, the last has no end.
    pub rules: Vec<Rule>,
}

/// A choice from a size on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// First size, in the library's measure.
    pub from: Bytes,
    /// The choice.
    pub choice: usize,
}

/// A list of rules with the sum of ln T over its points.
#[derive(Debug, Clone)]
struct Listed {
    rules: Vec<Rule>,
    time: f64,
    /// True if every rule gains over the own decision in the mean.
    gains: bool,
}

/// The points of a count, by ascending measure.
#[derive(Debug)]
struct Row {
    sizes: Vec<Bytes>,
    standing: Vec<Vec<bool>>,
    /// ln T by choice; 0 for a choice without a time.
    time: Vec<Vec<f64>>,
}

/// What the counts of a block say about one measure.
#[derive(Debug)]
struct Column {
    size: Bytes,
    serves: Vec<bool>,
    /// Sum of ln T by choice; 0 for a choice without a time.
    time: Vec<f64>,
}

impl Measure {
    /// A size for each of `procs` processes in this measure.
    pub fn of(self, procs: Procs, size: Bytes) -> Bytes {
        match self {
            Self::Each => size,
            Self::Total => Bytes(size.0.saturating_mul(procs.get().into())),
        }
    }
}

impl Block {
    /// The rule for a size in the library's measure.
    pub fn rule(&self, size: Bytes) -> Rule {
        let mut rules = self.rules.iter().rev();
        let rule = rules.find(|rule| rule.from <= size);
        *rule.expect("the first rule begins at 0")
    }

    /// True if the library decides at all sizes.
    pub fn is_own(&self) -> bool {
        self.rules.iter().all(|rule| rule.choice == OWN)
    }
}

/// The blocks with the fewest lines that serve `map`, in the order of its counts.
pub fn fewest(map: &Map, measure: Measure) -> Vec<Block> {
    /// The best partition of the counts before a place.
    #[derive(Clone)]
    struct Partition {
        lines: usize,
        time: f64,
        blocks: Vec<Block>,
    }
    let none = Partition {
        lines: 0,
        time: 0.0,
        blocks: Vec::new(),
    };
    let mut best = vec![none];
    for end in 1..=map.counts.len() {
        let mut found: Option<Partition> = None;
        for start in (0..end).rev() {
            let Some(listed) = gaining(map, measure, start..end) else {
                continue;
            };
            let before = &best[start];
            let lines = before.lines + listed.rules.len() + 1;
            let time = before.time + listed.time;
            let is_better = found
                .as_ref()
                .is_none_or(|own| lines < own.lines || (lines == own.lines && time < own.time));
            if is_better {
                let block = Block {
                    counts: start..end,
                    rules: listed.rules,
                };
                let blocks = before.blocks.iter().cloned().chain([block]).collect();
                found = Some(Partition { lines, time, blocks });
            }
        }
        best.push(found.expect("some choice serves each point"));
    }
    best.pop().map_or_else(Vec::new, |own| own.blocks)
}

/// The fewest rules of a block of which each gains over the own decision; `None` if no choice serves
/// one of its columns.
fn gaining(map: &Map, measure: Measure, counts: Range<usize>) -> Option<Listed> {
    let of = |limit| list(&columns(map, measure, counts.clone(), limit));
    let listed = of(Limit::Best);
    let gains = listed.as_ref().is_none_or(|own| own.gains);
    if gains || !map.has_own() {
        return listed;
    }
    of(Limit::Own)
}

/// The columns of a block by size, and one beyond, where the library decides.
fn columns(map: &Map, measure: Measure, counts: Range<usize>, limit: Limit) -> Vec<Column> {
    let rows: Vec<Row> = counts.map(|count| Row::of(map, measure, count, limit)).collect();
    let sizes = rows.iter().flat_map(|row| &row.sizes);
    let sizes: Vec<Bytes> = sizes.copied().sorted_unstable().dedup().collect();
    let beyond = sizes.last().map_or(0, |size| size.0.saturating_add(1));
    let column = |size: &Bytes| {
        let mut column = Column {
            size: *size,
            serves: vec![true; map.choices()],
            time: vec![0.0; map.choices()],
        };
        for row in &rows {
            row.join(&mut column);
        }
        column
    };
    let last = Column {
        size: Bytes(beyond),
        serves: (0..map.choices()).map(|choice| choice == OWN).collect(),
        time: vec![0.0; map.choices()],
    };
    sizes.iter().map(column).chain([last]).collect()
}

impl Row {
    fn of(map: &Map, measure: Measure, count: usize, limit: Limit) -> Self {
        let places = 0..map.sizes.len();
        let points = || places.clone().map(|size| Point { count, size });
        let time = |at| move |choice| map.time(choice, at).map_or(0.0, f64::ln);
        Self {
            sizes: points()
                .map(|at| measure.of(map.counts[count], map.sizes[at.size]))
                .collect(),
            standing: points().map(|at| map.standing(at, limit)).collect(),
            time: points().map(|at| (0..map.choices()).map(time(at)).collect()).collect(),
        }
    }

    /// Adds what the count says about a column.
    fn join(&self, column: &mut Column) {
        let place = self.sizes.partition_point(|own| *own < column.size);
        if self.sizes.get(place) == Some(&column.size) {
            for (sum, own) in column.time.iter_mut().zip(&self.time[place]) {
                *sum += own;
            }
            restrict(&mut column.serves, |choice| self.standing[place][choice]);
        } else if let Some(above) = self.standing.get(place) {
            let below = place.checked_sub(1).map_or(above, |below| &self.standing[below]);
            restrict(&mut column.serves, |choice| above[choice] || below[choice]);
        }
    }
}

/// Leaves the choices for which `serves` holds as well.
fn restrict(all: &mut [bool], serves: impl Fn(usize) -> bool) {
    for (choice, own) in all.iter_mut().enumerate() {
        *own = *own && serves(choice);
    }
}

/// The fewest rules for columns; `None` if no choice serves one of them.
fn list(columns: &[Column]) -> Option<Listed> {
    let choices = columns.first()?.serves.len();
    let time = |choice: usize, range: Range<usize>| -> f64 { columns[range].iter().map(|own| own.time[choice]).sum() };
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut start = 0;
    while start < columns.len() {
        let reach = |choice: usize| {
            let served = columns[start..].iter().take_while(|own| own.serves[choice]);
            start + served.count()
        };
        let end = (0..choices).map(reach).max()?;
        if end == start {
            return None;
        }
        let farthest = (0..choices).filter(|&choice| reach(choice) == end);
        let choice = farthest.min_by(|&a, &b| {
            let slower = |own| time(own, start..end);
            (a != OWN).cmp(&(b != OWN)).then(slower(a).total_cmp(&slower(b)))
        })?;
        if let Some((earlier, from)) = runs.last().copied() {
            start = switch(columns, (earlier, from), (choice, start));
        }
        runs.push((choice, start));
        start = end;
    }
    let ends = runs.iter().skip(1).map(|(_, start)| *start);
    let ends = ends.chain([columns.len()]);
    let ranges: Vec<Range<usize>> = runs.iter().zip(ends).map(|((_, from), to)| *from..to).collect();
    let of = |choice: usize, place: usize| time(choice, ranges[place].clone());
    let taken = || runs.iter().enumerate().map(|(place, (choice, _))| (*choice, place));
    let gains = taken().all(|(choice, place)| choice == OWN || of(choice, place) < of(OWN, place));
    let time = taken().map(|(choice, place)| of(choice, place)).sum();
    let rule = |(place, (choice, start)): (usize, &(usize, usize))| Rule {
        from: if place == 0 { Bytes(0) } else { columns[*start].size },
        choice: *choice,
    };
    let rules = runs.iter().enumerate().map(rule).collect();
    Some(Listed { rules, time, gains })
}

/// Best column for the switch from a choice (with its first column) to the next (with the first
/// column that the earlier choice does not serve).
fn switch(columns: &[Column], (earlier, from): (usize, usize), (later, end): (usize, usize)) -> usize {
    let served = columns[from + 1..end].iter().rev();
    let back = served.take_while(|own| own.serves[later]).count();
    let mut best = (0.0, end);
    let mut gain = 0.0;
    for place in (end - back..end).rev() {
        gain += columns[place].time[earlier] - columns[place].time[later];
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
    fn map() -> impl Strategy<Value = Map> {
        let time = prop_oneof![1 => Just(None), 12 => (0..6u32).prop_map(Some)];
        let times = vec(time, COUNTS * SIZES * CHOICES);
        (times, any::<bool>()).prop_map(|(mut steps, has_own)| {
            if !has_own {
                steps[..COUNTS * SIZES].fill(None);
            }
            let counts = [2, 3, 5].map(|count| Procs::new(count).unwrap()).to_vec();
            let sizes = vec![Bytes(1), Bytes(2), Bytes(4)];
            let places = (counts.clone(), sizes.clone());
            Map::new(counts, sizes, CHOICES, |choice, count, size| {
                let count = places.0.iter().position(|own| *own == count)?;
                let size = places.1.iter().position(|own| *own == size)?;
                let step = steps[(choice * COUNTS + count) * SIZES + size]?;
                Some(1.0 + 0.004 * f64::from(step))
            })
        })
    }

    fn points() -> impl Iterator<Item = Point> {
        let all = (0..COUNTS).cartesian_product(0..SIZES);
        all.map(|(count, size)| Point { count, size })
    }

    /// True if a choice may be taken at a point, in other words than the map's.
    fn may(map: &Map, choice: usize, at: Point, limit: Limit) -> bool {
        let times: Vec<Option<f64>> = (0..CHOICES).map(|own| map.time(own, at)).collect();
        let known: Vec<f64> = times.iter().copied().flatten().collect();
        let is_comparable = times[OWN].is_some() || (!map.has_own() && known.len() > 1);
        match times[choice] {
            _ if !is_comparable => choice == OWN,
            None => false,
            Some(time) => {
                known.iter().all(|other| time <= other * TOLERANCE)
                    && (limit == Limit::Best || times[OWN].is_none_or(|own| time <= own))
            }
        }
    }

    /// Fewest rules of a block by trying every division of its sizes.
    fn fewest_rules(map: &Map, measure: Measure, counts: Range<usize>, limit: Limit) -> Option<usize> {
        let of = |at: Point| measure.of(map.counts[at.count], map.sizes[at.size]);
        let inside: Vec<Point> = points().filter(|at| counts.contains(&at.count)).collect();
        let sizes: Vec<Bytes> = inside.iter().map(|at| of(*at)).sorted().dedup().collect();
        let divisions = 0..1u32 << (sizes.len() - 1);
        let serves_count = |choice: usize, count: usize, size: Bytes| {
            let own = inside.iter().filter(|at| at.count == count);
            let own: Vec<(Bytes, bool)> = own.map(|at| (of(*at), may(map, choice, *at, limit))).collect();
            let below = own.iter().rev().find(|(at, _)| *at <= size);
            let above = own.iter().find(|(at, _)| *at >= size);
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
            let ends_own = parts.last().is_some_and(|part| serves(OWN, part));
            parts
                .iter()
                .all(serving)
                .then_some(parts.len() + usize::from(!ends_own))
        });
        possible.min()
    }

    /// Fewest lines by trying every division of the counts.
    fn fewest_lines(map: &Map, measure: Measure, limit: Limit) -> usize {
        let divisions = 0..1u32 << (COUNTS - 1);
        let lines = divisions.filter_map(|cuts| {
            let cut = |place: &usize| cuts & (1 << (place - 1)) != 0;
            let bounds = (1..COUNTS).filter(cut);
            let bounds: Vec<usize> = [0].into_iter().chain(bounds).chain([COUNTS]).collect();
            let blocks = bounds.windows(2);
            let rules = |ends: &[usize]| fewest_rules(map, measure, ends[0]..ends[1], limit);
            let lines = blocks.map(|ends| Some(1 + rules(ends)?));
            lines.sum::<Option<usize>>()
        });
        lines.min().unwrap()
    }

    proptest! {
        #[test]
        fn rules_serve_every_point_and_no_fewer_would(map in map(), is_total: bool) {
            let measure = if is_total { Measure::Total } else { Measure::Each };
            let blocks = fewest(&map, measure);
            for at in points() {
                let block = blocks.iter().find(|own| own.counts.contains(&at.count)).unwrap();
                let size = measure.of(map.counts[at.count], map.sizes[at.size]);
                let choice = block.rule(size).choice;
                prop_assert!(may(&map, choice, at, Limit::Best), "{at:?} {blocks:?}");
            }
            for block in &blocks {
                prop_assert_eq!(block.rules[0].from, Bytes(0));
                prop_assert_eq!(block.rule(Bytes(u64::MAX)).choice, OWN);
                prop_assert!(block.rules.windows(2).all(|two| two[0].from < two[1].from));
            }
            let lines = blocks.iter().map(|block| 1 + block.rules.len()).sum::<usize>();
            let [least, most] = [Limit::Best, Limit::Own].map(|limit| fewest_lines(&map, measure, limit));
            prop_assert!((least..=most).contains(&lines), "{lines} of {least} to {most}");
        }
    }
}
