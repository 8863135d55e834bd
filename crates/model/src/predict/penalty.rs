//! Penalty of a chosen algorithm against the best measured one, and its gain over the library's own
//! choice.
//!
//! # Method
//! A contest is a cell in which at least two algorithms were measured. T is the statistic of all repetitions of an
//! algorithm in the launches in which all algorithms of the cell were measured. The penalty of a choice is
//!
//! ```text
//! penalty = T(choice)/min T - 1
//! ```
//!
//! It is 0 for the fastest measured algorithm and positive for the others. Part of it is chance: the fastest of
//! several equal algorithms is the luckiest. For that part the common launches are dealt out in turn to two halves.
//! The oracle is the algorithm that is the fastest in one half. On the other half B,
//!
//! ```text
//! excess = T_B(choice)/T_B(oracle) - 1      oracle's own penalty = T_B(oracle)/min T_B - 1
//! ```
//!
//! and both are averaged over the two ways to take the halves. The oracle's own penalty is the cost of chance alone:
//! even a choice from measurements of the cell itself has it. The excess is the cost of a choice beyond the oracle,
//! negative where the choice is better. With fewer than two common launches the excess is the penalty, and the
//! oracle's own penalty is not known.
//!
//! The gain is T(library)/T(choice) over all common launches. Several gains are averaged
//! geometrically.

use std::collections::BTreeMap;
use std::sync::Arc;

use itertools::Itertools as _;

use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::cells::{Statistic, TimesByLaunch, times_by_launch};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::stats::bootstrap::{Bootstrap, PairedSamples};
use netsig_base::stats::interval::IntervalEstimate;
use netsig_base::stats::sample::{SortedValues, mean};
use netsig_base::units::{Bytes, Procs, Seconds};

/// A cell in which several algorithms were measured.
#[derive(Debug, Clone, PartialEq)]
pub struct AlgorithmContest {
    /// The collective.
    pub collective: Collective,
    /// Number of processes.
    pub procs: Procs,
    /// Bytes per destination or message.
    pub size: Bytes,
    /// Times of each algorithm in the common launches; without any, all its times as one launch.
    runs: BTreeMap<Arc<str>, TimesByLaunch>,
}

/// A choice in one contest.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedChoice {
    /// The chosen algorithm.
    pub choice: String,
    /// The fastest over all common launches.
    pub best: Arc<str>,
    /// Time of the choice over that of the fastest over all common launches, less 1.
    pub penalty: f64,
    /// Mean excess of the choice over the oracle, which may be negative.
    pub excess: f64,
    /// The oracle's own penalty; `None` if there are no two halves.
    pub oracle: Option<f64>,
    /// Gain over the library's own choice; `None` if this was not measured.
    pub gain: Option<f64>,
}

/// Penalties and gains of several contests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltyTotals {
    /// Number of contests.
    pub cells: usize,
    /// Mean penalty.
    pub mean: f64,
    /// 90th percentile of the penalties (nearest rank).
    pub p90: f64,
    /// Largest penalty.
    pub worst: f64,
    /// Mean of the oracle's own penalties; `None` if no contest has two halves.
    pub oracle: Option<f64>,
    /// Geometric mean of the gains; `None` if the library's own choice was measured nowhere.
    pub gain: Option<f64>,
    /// Number of contests with a gain.
    pub gains: usize,
}

/// The contests of the data, by collective, process count and size, and the number of cells with a single
/// algorithm.
pub fn contests(data: &Dataset) -> (Vec<AlgorithmContest>, usize) {
    let mut cells: BTreeMap<(Collective, Procs, Bytes), BTreeMap<Arc<str>, TimesByLaunch>> = BTreeMap::new();
    for (key, launches) in times_by_launch(data) {
        if let Experiment::Collective(collective) = key.experiment {
            let cell = cells.entry((collective, key.procs, key.size)).or_default();
            cell.insert(key.algorithm, launches);
        }
    }
    let total = cells.len();
    let several = cells.into_iter().filter(|(_, runs)| runs.len() > 1);
    let contest = several.map(|((collective, procs, size), runs)| AlgorithmContest {
        collective,
        procs,
        size,
        runs: common_launches(runs),
    });
    let contests: Vec<AlgorithmContest> = contest.collect();
    let single = total - contests.len();
    (contests, single)
}

/// The launches that all algorithms share; without any, all times of an algorithm as one launch.
fn common_launches(runs: BTreeMap<Arc<str>, TimesByLaunch>) -> BTreeMap<Arc<str>, TimesByLaunch> {
    let mut all = runs.values();
    let first = all.next().into_iter().flat_map(TimesByLaunch::keys).copied();
    let is_shared = |launch: &u32| all.clone().all(|launches| launches.contains_key(launch));
    let shared: Vec<u32> = first.filter(is_shared).collect();
    let part = |launches: TimesByLaunch| -> TimesByLaunch {
        if shared.is_empty() {
            return [(0, launches.into_values().flatten().collect())].into();
        }
        let entries = launches.into_iter();
        entries.filter(|(launch, _)| shared.contains(launch)).collect()
    };
    let runs = runs.into_iter();
    runs.map(|(name, launches)| (name, part(launches))).collect()
}

/// The common launches whose times a statistic takes.
#[derive(Debug, Clone, Copy)]
enum LaunchPart {
    All,
    /// Every other launch, beginning with this one.
    Half(usize),
}

impl AlgorithmContest {
    /// The measured algorithms, by name.
    pub fn algorithms(&self) -> impl Iterator<Item = &str> {
        self.runs.keys().map(|name| &**name)
    }

    /// Number of launches in which all algorithms were measured, at least 1.
    fn launches(&self) -> usize {
        self.runs.values().map(BTreeMap::len).min().unwrap_or(1)
    }

    /// The time of an algorithm over the common launches; `None` if it was not measured.
    pub fn time(&self, algorithm: &str, statistic: Statistic) -> Option<Seconds> {
        let launches = self.runs.get(algorithm)?;
        Some(Seconds(time(launches, LaunchPart::All, statistic)))
    }

    /// The fastest algorithm in a part of the launches, and its time in seconds.
    fn fastest(&self, part: LaunchPart, statistic: Statistic) -> (&Arc<str>, f64) {
        let runs = self.runs.iter();
        let times = runs.map(|(name, launches)| (name, time(launches, part, statistic)));
        let least = times.min_by(|(_, a), (_, b)| a.total_cmp(b));
        least.expect("a contest has algorithms")
    }

    /// Judges a choice; `None` if the algorithm was not measured here.
    pub fn judge(&self, choice: &str, statistic: Statistic) -> Option<JudgedChoice> {
        let launches = self.runs.get(choice)?;
        let ways: &[[LaunchPart; 2]] = if self.launches() < 2 {
            &[[LaunchPart::All; 2]]
        } else {
            &[
                [LaunchPart::Half(0), LaunchPart::Half(1)],
                [LaunchPart::Half(1), LaunchPart::Half(0)],
            ]
        };
        let judged = ways.iter().map(|&[names, judges]| {
            let (oracle_name, _) = self.fastest(names, statistic);
            let oracle = time(&self.runs[oracle_name], judges, statistic);
            let (_, least) = self.fastest(judges, statistic);
            (time(launches, judges, statistic) / oracle - 1.0, oracle / least - 1.0)
        });
        let (excesses, oracles): (Vec<f64>, Vec<f64>) = judged.unzip();
        let (best, least) = self.fastest(LaunchPart::All, statistic);
        Some(JudgedChoice {
            choice: choice.to_owned(),
            best: Arc::clone(best),
            penalty: time(launches, LaunchPart::All, statistic) / least - 1.0,
            excess: mean(excesses),
            oracle: (ways.len() > 1).then(|| mean(oracles)),
            gain: self.gain(choice, statistic),
        })
    }

    /// T(library)/T(choice) over the common launches; `None` unless both were measured.
    fn gain(&self, choice: &str, statistic: Statistic) -> Option<f64> {
        Some(self.time(LIBRARY, statistic)? / self.time(choice, statistic)?)
    }

    /// T(over)/T(under) with its bootstrap interval over launches and repetitions; `None` unless
    /// both were measured.
    pub fn ratio(
        &self,
        [over, under]: [&str; 2],
        statistic: Statistic,
        bootstrap: &Bootstrap,
    ) -> Option<IntervalEstimate> {
        let [first, second] = [self.runs.get(over)?, self.runs.get(under)?];
        let both_times = first.values().zip(second.values());
        let paired_launches: Vec<PairedSamples> = both_times.map(|(one, other)| [&one[..], other]).collect();
        let [lower, upper] = bootstrap.ratio(&paired_launches, |times| statistic.value_of(times))?;
        Some(IntervalEstimate {
            value: self.time(over, statistic)? / self.time(under, statistic)?,
            lower,
            upper,
        })
    }
}

/// The statistic of the times in a part of the launches.
fn time(launches: &TimesByLaunch, part: LaunchPart, statistic: Statistic) -> f64 {
    let (skip, step) = match part {
        LaunchPart::All => (0, 1),
        LaunchPart::Half(first) => (first, 2),
    };
    let times = launches.values().skip(skip).step_by(step);
    statistic.value_of(times.flatten().copied().collect())
}

impl PenaltyTotals {
    /// The totals of these contests; `None` if there are none.
    pub fn of<'a>(judged: impl IntoIterator<Item = &'a JudgedChoice>) -> Option<Self> {
        let choices = judged.into_iter().collect_vec();
        if choices.is_empty() {
            return None;
        }
        let penalties = SortedValues::new(choices.iter().map(|choice| choice.penalty).collect());
        let oracles: Vec<f64> = choices.iter().filter_map(|choice| choice.oracle).collect();
        let gains: Vec<f64> = choices.iter().filter_map(|choice| choice.gain).collect();
        Some(Self {
            cells: choices.len(),
            mean: mean(penalties.values()),
            p90: penalties.quantile(0.9),
            worst: penalties.quantile(1.0),
            oracle: (!oracles.is_empty()).then(|| mean(&oracles)),
            gain: geometric_mean(&gains),
            gains: gains.len(),
        })
    }
}

/// exp of the mean logarithm; `None` without numbers.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| mean(values.iter().map(|value| value.ln())).exp())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::read;

    /// Rows of one all-to-all cell: algorithm, and its times by launch, one repetition each.
    fn data(cells: &[(&str, &[(u32, f64)])]) -> Dataset {
        let rows = cells.iter().flat_map(|(name, times)| {
            let row =
                move |(launch, time): &(u32, f64)| format!("collective,alltoall,{name},4,1024,0,{launch},{time}\n");
            times.iter().map(row)
        });
        read("", "", &rows.collect::<String>())
    }

    fn only(data: &Dataset) -> AlgorithmContest {
        let (contests, single) = contests(data);
        assert_eq!(single, 0);
        contests.into_iter().exactly_one().unwrap()
    }

    fn assert_near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value} {expected}");
    }

    /// Launches 0 and 2 are one half, 1 and 3 the other. Medians: a has 1.0 and 1.4, b has 1.1 and 1.1, c has 2.0
    /// and 2.0, the library 3.0 and 3.0. The first half names a, which takes 1.4/1.1 of the least time on the
    /// second. The second half names b, which takes 1.1/1.0 of the least time on the first. The excesses of c are
    /// 2.0/1.4 − 1 and 2.0/1.1 − 1. Over all launches b is the fastest, with 1.1; a has 1.2.
    #[test]
    fn one_half_names_the_best_and_the_other_judges() {
        let data = data(&[
            ("a", &[(0, 1.0), (1, 1.4), (2, 1.0), (3, 1.4)]),
            ("b", &[(0, 1.1), (1, 1.1), (2, 1.1), (3, 1.1)]),
            ("c", &[(0, 2.0), (1, 2.0), (2, 2.0), (3, 2.0), (4, 9.0)]),
            ("library", &[(0, 3.0), (1, 3.0), (2, 3.0), (3, 3.0)]),
        ]);
        let contest = only(&data);
        let judged = |choice| contest.judge(choice, Statistic::Median).unwrap();
        let c = judged("c");
        assert_near(c.excess, f64::midpoint(2.0 / 1.4, 2.0 / 1.1) - 1.0);
        assert_near(c.penalty, 2.0 / 1.1 - 1.0);
        assert_near(judged("a").penalty, 1.2 / 1.1 - 1.0);
        assert_near(c.oracle.unwrap(), f64::midpoint(1.4 / 1.1, 1.1) - 1.0);
        assert_near(c.gain.unwrap(), 1.5);
        // b beats the oracle of the first half and is that of the second.
        assert_near(judged("b").excess, f64::midpoint(1.1 / 1.4, 1.0) - 1.0);
        assert_near(judged("b").penalty, 0.0);
        assert_eq!((&*c.best, contest.judge("d", Statistic::Mean)), ("b", None));
        let all = ["a", "b", "c"].map(judged);
        let totals = PenaltyTotals::of(&all).unwrap();
        assert_near(totals.worst, c.penalty);
        assert_near(totals.gain.unwrap(), (2.5f64 * 3.0 / 1.1 * 1.5).cbrt());
        assert_eq!((totals.cells, totals.gains), (3, 3));
        let bootstrap = Bootstrap {
            draws: 200,
            seed: 1,
            confidence: 0.95,
        };
        let ratio = contest.ratio(["library", "a"], Statistic::Median, &bootstrap);
        let IntervalEstimate { lower, upper, .. } = ratio.unwrap();
        assert_near(lower, 3.0 / 1.4);
        assert_near(upper, 3.0);
    }

    /// Algorithms that were measured in different launches, and a single launch, name and judge with
    /// the same repetitions; a cell of one algorithm is no contest.
    #[test]
    fn without_two_common_launches_all_repetitions_name_and_judge() {
        for cells in [[("a", 0, 1.0), ("b", 1, 1.5)], [("a", 0, 1.0), ("b", 0, 1.5)]] {
            let cells = cells.map(|(name, launch, time)| (name, [(launch, time)]));
            let contest = only(&data(&cells.each_ref().map(|(name, all)| (*name, &all[..]))));
            let b = contest.judge("b", Statistic::Median).unwrap();
            assert_near(b.penalty, 0.5);
            assert_near(b.excess, 0.5);
            assert_eq!((b.oracle, b.gain, &*b.best), (None, None, "a"));
        }
        let (none, single) = contests(&data(&[("a", &[(0, 1.0), (1, 2.0)])]));
        assert_eq!((none.len(), single), (0, 1));
        assert_eq!((PenaltyTotals::of([]), geometric_mean(&[])), (None, None));
    }

    proptest! {
        /// Three algorithms in four launches of which some lack an algorithm: no penalty is negative, and the fastest
        /// has none.
        #[test]
        fn the_fastest_has_no_penalty_and_no_choice_a_negative_one(
            times in prop::collection::vec(prop::collection::vec((0u32..4, 0.5..2.0f64), 1..12), 3)
        ) {
            let names = ["a", "b", "library"];
            let cells: Vec<(&str, &[(u32, f64)])> = names.into_iter().zip(times.iter().map(Vec::as_slice)).collect();
            let contest = only(&data(&cells));
            for statistic in [Statistic::Median, Statistic::Mean] {
                let judged = names.map(|name| contest.judge(name, statistic).unwrap());
                for choice in &judged {
                    prop_assert!(choice.penalty >= 0.0, "{choice:?}");
                    prop_assert_eq!(choice.penalty == 0.0, contest.time(&choice.choice, statistic) == contest.time(&choice.best, statistic));
                }
                prop_assert!(judged.iter().any(|choice| *choice.choice == *choice.best && choice.penalty == 0.0));
            }
        }
    }
}
