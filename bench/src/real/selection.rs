//! Choices of algorithms at process counts beyond the fitted ones, and their penalties.
//!
//! # Formula
//! A cell is measured by two runs a and b: two launches, or the even and the odd repetitions of a single one. T is the
//! median of run a and T′ the median of run b; for data of other programs they are means:
//!
//! ```text
//! penalty = T′(choice)/min T′ − 1
//! ```
//!
//! A method chooses the algorithm with the least time that it predicts from the times T up to a process count. `one
//! launch` chooses the algorithm with the least T in the cell itself, so that its penalty is due to chance alone. Only
//! fitted algorithms take part. A method without a prediction gets the slowest. Rooted collectives are left out where
//! data are means over ranks, which say little of them.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{Statistic, summarise};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::stats::sample::mean;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::field::FieldPrior;
use serde::Serialize;

use super::judge::{measured_time, messages_of, point_of_cell};
use super::sets::{JudgedNetwork, JudgedSet, SetSplit};
use crate::harness::forecast::ModelForecaster;
use crate::harness::prediction::OURS;
use crate::harness::rivals::{self, RivalTime};

/// The method that measures the cell once.
pub const ONE_LAUNCH: &str = "one launch";

/// The mean penalty of a method's choices beyond a process count: a row of selection.csv.
#[derive(Debug, Clone, Serialize)]
pub struct SelectionRow {
    pub machine: String,
    pub collective: Collective,
    /// The fitted process counts.
    pub fitted: String,
    pub method: &'static str,
    /// Number of cells, each counted for every choosing run.
    pub choices: usize,
    pub penalty: f64,
}

/// The times of one cell by algorithm.
type TimesByAlgorithm = BTreeMap<String, Seconds>;

/// One run of a collective.
struct SelectionRun {
    data: Dataset,
    cells: BTreeMap<(Procs, Bytes), TimesByAlgorithm>,
}

/// A method's time of an algorithm in a cell.
type AlgorithmTime<'a> = Box<dyn Fn(&str, Procs, Bytes) -> Option<Seconds> + 'a>;

/// True for a collective in which one rank has all the data.
pub fn is_rooted(collective: Collective) -> bool {
    use Collective::{Bcast, Gather, Scatter};
    matches!(collective, Bcast | Scatter | Gather)
}

/// The rows of all collectives of a network with several algorithms and several runs.
pub fn rows(network: &JudgedNetwork, prior: FieldPrior) -> Vec<SelectionRow> {
    let sets = network.sets();
    let is_judged = |collective: &Collective| network.data.aggregates.is_empty() || !is_rooted(*collective);
    let of_set = |set: &JudgedSet| (set.collective, set.split);
    let wanted = sets.iter().map(of_set).filter(|(collective, _)| is_judged(collective));
    let mut rows = Vec::new();
    for (collective, split) in wanted.unique() {
        let built_runs = split_into_runs(&network.data)
            .into_iter()
            .map(|data| SelectionRun::new(data, collective));
        let runs = built_runs.collect_vec();
        let pairs = runs.iter().circular_tuple_windows();
        let mut penalties: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (chosen_by, judged_by) in pairs.filter(|_| runs.len() > 1) {
            for (method, penalty) in chosen_by.penalties(judged_by, collective, split, prior) {
                penalties.entry(method).or_default().push(penalty);
            }
        }
        rows.extend(penalties.into_iter().map(|(method, method_penalties)| SelectionRow {
            machine: network.machine.clone(),
            collective,
            fitted: split.to_string(),
            method,
            choices: method_penalties.len(),
            penalty: mean(&method_penalties),
        }));
    }
    rows
}

/// The launches of data, or the even and the odd repetitions of a single launch.
fn split_into_runs(data: &Dataset) -> Vec<Dataset> {
    let sample_launches = data.samples.iter().map(|sample| sample.cell.launch);
    let aggregate_launches = data.aggregates.iter().map(|aggregate| aggregate.cell.launch);
    let launches: BTreeSet<u32> = sample_launches.chain(aggregate_launches).collect();
    if launches.len() > 1 {
        let of_launch = |launch| data.subset(|place| place.launch == launch);
        return launches.into_iter().map(of_launch).collect();
    }
    let half_of = |remainder| {
        let mut half = data.clone();
        half.samples.retain(|sample| sample.repetition % 2 == remainder);
        half
    };
    vec![half_of(0), half_of(1)]
}

impl SelectionRun {
    fn new(data: Dataset, collective: Collective) -> Self {
        let mut cells: BTreeMap<_, TimesByAlgorithm> = BTreeMap::new();
        for (key, summary) in summarise(&data) {
            if key.experiment == Experiment::Collective(collective) && key.size.0 > 0 {
                let times = cells.entry((key.procs, key.size)).or_default();
                times.insert(key.algorithm.to_string(), measured_time(&summary));
            }
        }
        Self { data, cells }
    }

    /// The penalty of each method in each cell beyond the fitted counts, judged by another run.
    fn penalties(
        &self,
        judge: &Self,
        collective: Collective,
        split: SetSplit,
        prior: FieldPrior,
    ) -> Vec<(&'static str, f64)> {
        let part = self.data.subset(|place| split.has_fitted(place.procs, place.size));
        let profile = super::fit_profile(&part, prior);
        let fitted = Self::new(part, collective);
        let measured_names = fitted.cells.values().flat_map(TimesByAlgorithm::keys).unique();
        let names = measured_names.cloned().collect_vec();
        let forecaster =
            |name| ModelForecaster::new(profile.as_ref()?, None, collective, name, Statistic::Median, None);
        let ours: BTreeMap<&str, _> = names.iter().map(|name| (&**name, forecaster(name))).collect();
        let mut methods: Vec<(&str, AlgorithmTime)> = vec![
            (
                ONE_LAUNCH,
                Box::new(|name, n, m| self.cells.get(&(n, m))?.get(name).copied()),
            ),
            (
                OURS,
                Box::new(move |name, n, m| Some(ours.get(name)?.as_ref()?.forecast(n, m)?.time)),
            ),
        ];
        methods.extend(fitted.rivals(collective, &names));
        let beyond = judge.cells.iter().filter(|((n, m), _)| !split.has_fitted(*n, *m));
        let mut penalties = Vec::new();
        for ((procs, size), measured) in beyond {
            let mut times = measured.clone();
            times.retain(|name, _| names.contains(name));
            for (method, time) in methods.iter().filter(|_| times.len() > 1) {
                let penalty = choice_penalty(&times, |name| time(name, *procs, *size));
                penalties.push((*method, penalty));
            }
        }
        penalties
    }

    /// The choosing rivals, fitted to this run.
    fn rivals(&self, collective: Collective, names: &[String]) -> Vec<(&'static str, AlgorithmTime<'static>)> {
        let mut times: BTreeMap<&str, BTreeMap<String, RivalTime>> = BTreeMap::new();
        let cells = summarise(&self.data).into_iter().collect_vec();
        for name in names {
            let algorithm_cells = cells
                .iter()
                .filter(|(key, _)| key.experiment == Experiment::Collective(collective) && *key.algorithm == **name);
            let points = algorithm_cells.map(point_of_cell).collect_vec();
            for (method, rival) in rivals::scaling(&points, messages_of(collective, name)) {
                let rival_times = times.entry(method).or_default();
                rival_times.extend(rival.map(|rival| (name.clone(), rival)));
            }
        }
        let chooser = |(method, rival_times): (&'static str, BTreeMap<String, RivalTime<'static>>)| {
            let time: AlgorithmTime = Box::new(move |name, n, m| rival_times.get(name)?(n, m));
            (method, time)
        };
        times.into_iter().map(chooser).collect()
    }
}

/// The penalty of the algorithm with the least predicted time; the largest penalty without predictions.
fn choice_penalty(times: &TimesByAlgorithm, predicted: impl Fn(&str) -> Option<Seconds>) -> f64 {
    let measured_times = times.iter();
    let predicted_times = measured_times.filter_map(|(name, time)| Some((predicted(name)?.0, time.0)));
    let choice = predicted_times
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|chosen| chosen.1);
    let all_times = times.values().map(|time| time.0);
    let (least, most) = all_times.minmax().into_option().expect("a cell has times");
    choice.unwrap_or(most) / least - 1.0
}

#[cfg(test)]
mod tests {
    use super::super::sets::SetGroup;
    use crate::harness::rivals::{PER_PEER, POWER_LAW};

    use super::*;

    const HEAD: &str = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n";

    /// Among n, pairwise takes n − 1 and direct (n − 1)²/4, so that direct is faster up to 4 and slower beyond. In odd
    /// repetitions among 16 pairwise takes three times as long.
    fn network() -> JudgedNetwork {
        let mut lines = vec![HEAD.to_owned()];
        for (n, size, repetition) in itertools::iproduct!([2, 4, 8, 16], [64, 256], 0..4) {
            let partners = f64::from(n - 1);
            let late = if n == 16 && repetition % 2 == 1 { 3.0 } else { 1.0 };
            for (name, time) in [("pairwise", partners * late), ("direct", partners * partners / 4.0)] {
                let cell = format!("alltoall,{name},{n},{size},{repetition}");
                lines.push(format!("collective,{cell},0,{time}\n"));
            }
        }
        JudgedNetwork {
            data: Dataset::read("data.csv", lines.concat().as_bytes()).unwrap(),
            ..JudgedNetwork::new("made-alltoall", SetGroup::Real)
        }
    }

    /// By hand: among 16 the repetitions take 15 and 56.25 s (even), 45 and 56.25 s (odd). Fitted up to 4, per peer
    /// knows 3 and 2.25 s and takes direct: its penalty is 0.75 among 8 (7 and 12.25 s), 2.75 and 0.25 among 16. Fitted
    /// up to 8 it takes pairwise, the fastest in either half.
    #[test]
    fn rivals_and_one_launch_pay_by_hand() {
        let rows = rows(&network(), FieldPrior::default());
        let penalty = |fitted: &str, method: &str| {
            let is_wanted = |row: &&SelectionRow| row.fitted == fitted && row.method == method;
            rows.iter().find(is_wanted).unwrap().penalty
        };
        let per_peer = (2.0 * 0.75 + 2.75 + 0.25) / 4.0;
        assert!((penalty("≤ 4", PER_PEER) - per_peer).abs() < 1e-9);
        assert!(penalty("≤ 8", PER_PEER).abs() < 1e-9);
        assert!(penalty("≤ 4", ONE_LAUNCH).abs() < 1e-9);
        assert!(penalty("≤ 4", POWER_LAW).abs() < 1e-9);
        assert_eq!(rows.iter().map(|row| row.choices).max(), Some(8));
    }

    /// The penalty of a wrong choice, and of no prediction.
    #[test]
    fn a_penalty_is_of_the_chosen_time() {
        let raw_times = [("a", 2.0), ("b", 3.0), ("c", 5.0)];
        let named_times = raw_times.map(|(name, time)| (name.to_owned(), Seconds(time)));
        let times = TimesByAlgorithm::from(named_times);
        let of_b = |name: &str| (name != "a").then_some(Seconds(if name == "b" { 1.0 } else { 4.0 }));
        assert!((choice_penalty(&times, of_b) - 0.5).abs() < 1e-12);
        assert!((choice_penalty(&times, |_| None) - 1.5).abs() < 1e-12);
    }
}
