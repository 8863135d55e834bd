//! Judges the choices of a network on its truth, one row for each cell.
//!
//! # Method
//! The excess over the oracle is that of `netsig_model::predict::penalty`, and the gains are those of `netsig compare
//! --selection`. The bound of an all-to-all is the time of its bytes
//! on the busiest link, at that link's rate and without headers. A host has (n − 1)·m bytes; a link between switches
//! has a·(n − a)·m, where a of the n processes are on one side. The library loses packets if at least half of its
//! repetitions retransmit. A cell is busy if the processors were busy during the choice, the library's choice or the
//! fastest algorithm.

use std::collections::BTreeSet;

use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::cells::{CellKey, Statistic};
use netsig_base::data::{Dataset, LossCounters, processors};
use netsig_base::network::Network;
use netsig_base::stats::bootstrap::Bootstrap;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::predict::penalty::{AlgorithmContest, contests};
use serde::Serialize;

use super::cell::{BenchCell, CellChoices, is_tree};
use super::goals::at_most;
use super::row_goal::{ResultRow, RowGoal};
use super::summary::total;

/// Least ratio of the library's time to the time of the choice.
const LEAST_GAIN: f64 = 0.95;

/// Bootstrap for the interval of the ratio of the library's time to the time of the choice.
const BOOTSTRAP: Bootstrap = Bootstrap {
    draws: 1000,
    seed: 1,
    confidence: 0.95,
};

/// Medians are judged: a user waits for the usual time.
const STATISTIC: Statistic = Statistic::Median;

/// The choice of one cell: a row of cells.csv.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChoiceRow {
    pub network: String,
    pub tree: bool,
    pub collective: Collective,
    pub procs: Procs,
    pub size_bytes: Bytes,
    pub choice: String,
    pub best: String,
    /// Mean excess of the choice over the oracle.
    pub excess: f64,
    /// The oracle's own penalty.
    pub oracle: f64,
    /// Time of the library's own choice over the time of the choice, and its interval.
    pub gain: f64,
    pub lower: f64,
    pub upper: f64,
    /// Time of the library's own choice over the time of the fastest algorithm.
    pub best_gain: f64,
    pub time_s: Seconds,
    pub best_s: Seconds,
    /// The bound of an all-to-all.
    pub bound_s: Option<Seconds>,
    /// True if the library's own choice loses packets.
    pub lossy: bool,
    /// True if the processors were busy, so that the cell is not judged.
    pub busy: bool,
}

impl ChoiceRow {
    /// Text of the ratio of the library's time to the time of the choice, with its interval.
    pub fn gain_with_interval(&self) -> String {
        let Self { gain, lower, upper, .. } = self;
        format!("{gain:.2} ({lower:.2}–{upper:.2})")
    }
}

/// The remark on a cell whose processors were busy.
pub fn busy_remark(is_busy: bool) -> &'static str {
    if is_busy { "processors busy: not judged" } else { "" }
}

impl ResultRow for ChoiceRow {
    fn network(&self) -> &str {
        &self.network
    }

    fn is_judged(&self) -> bool {
        !self.busy
    }
}

/// The goal that no choice is slower than the library's own, even at the end of its interval.
pub fn no_loss_goal() -> RowGoal<ChoiceRow> {
    let is_lost = |row: &ChoiceRow| Some(f64::from(u8::from(row.upper < LEAST_GAIN)));
    let name = format!("cells whose 95 % interval of library/choice lies below {LEAST_GAIN}");
    RowGoal::of_values(name, is_lost, total, at_most(0.0, ""))
}

/// A row for each choice on the network of a name, and notes on those that were not measured.
pub fn rows(network: (&str, &Network), truth: &Dataset, choices: &CellChoices) -> (Vec<ChoiceRow>, Vec<String>) {
    let (contests, _) = contests(truth);
    let judge = ChoiceJudge {
        network,
        truth,
        busy_cells: processors::busy_cells(truth).into_iter().collect(),
    };
    let mut rows = Vec::new();
    let mut missing = Vec::new();
    for (cell, choice) in choices {
        let contest = contests.iter().find(|contest| {
            let BenchCell {
                collective,
                procs,
                size,
            } = *cell;
            contest.collective == collective && contest.procs == procs && contest.size == size
        });
        match contest.and_then(|contest| judge.row(contest, *cell, choice)) {
            Some(row) => rows.push(row),
            None => missing.push(cell.unmeasured_note(choice)),
        }
    }
    (rows, missing)
}

struct ChoiceJudge<'a> {
    network: (&'a str, &'a Network),
    truth: &'a Dataset,
    busy_cells: BTreeSet<CellKey>,
}

impl ChoiceJudge<'_> {
    /// The row of a choice; `None` if it or the library's own choice was not measured.
    fn row(&self, contest: &AlgorithmContest, cell: BenchCell, choice: &str) -> Option<ChoiceRow> {
        let judged = contest.judge(choice, STATISTIC)?;
        let ratio = contest.ratio([LIBRARY, choice], STATISTIC, &BOOTSTRAP)?;
        let [time, best, library] = [choice, &judged.best, LIBRARY]
            .map(|name| contest.time(name, STATISTIC))
            .map(|time| time.expect("judged"));
        let is_busy = |name: &str| self.busy_cells.contains(&cell.key(name));
        let is_exchange = cell.collective == Collective::Alltoall;
        let (network, whole) = self.network;
        Some(ChoiceRow {
            network: network.to_owned(),
            tree: is_tree(whole),
            collective: cell.collective,
            procs: cell.procs,
            size_bytes: cell.size,
            choice: choice.to_owned(),
            excess: judged.excess,
            oracle: judged.oracle.unwrap_or(0.0),
            gain: ratio.value,
            lower: ratio.lower,
            upper: ratio.upper,
            best_gain: library / best,
            time_s: time,
            best_s: best,
            bound_s: is_exchange.then(|| cell.bound(whole)),
            lossy: self.is_lossy(cell),
            busy: [choice, &judged.best, LIBRARY].into_iter().any(is_busy),
            best: judged.best.to_string(),
        })
    }

    /// True if at least half of the repetitions of the library's own choice retransmit.
    fn is_lossy(&self, cell: BenchCell) -> bool {
        let wanted = cell.key(LIBRARY);
        let samples = self.truth.samples.iter();
        let library_samples = samples.filter(|sample| CellKey::from(&sample.cell) == wanted);
        let lost: Vec<bool> = library_samples.map(|sample| has_losses(sample.losses)).collect();
        let count = lost.iter().filter(|lost| **lost).count();
        !lost.is_empty() && 2 * count >= lost.len()
    }
}

fn has_losses(counters: LossCounters) -> bool {
    let mut counts = [counters.retransmits, counters.rtos].into_iter().flatten();
    counts.any(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use itertools::Itertools as _;
    use netsig_base::network::LinkSpec;
    use netsig_base::units::{BitsPerSecond, BytesPerSecond};

    use super::*;

    fn mbytes(rate: f64) -> BitsPerSecond {
        BitsPerSecond::from(BytesPerSecond(rate * 1e6))
    }

    fn cell(procs: u32, size: u64) -> BenchCell {
        BenchCell {
            collective: Collective::Alltoall,
            procs: Procs::new(procs).unwrap(),
            size: Bytes(size),
        }
    }

    /// Two cells: four launches of the library at 3 s, two of them with retransmissions, and four of pairwise at 1 s.
    /// The processors are busy during pairwise in the second cell.
    #[test]
    fn a_row_tells_gain_losses_and_busy_processors() {
        let cells = (0..4).cartesian_product([(65536, 0), (256, 1_000_000)]);
        let lines = cells.map(|(launch, (size, wait))| {
            let lost = launch % 2;
            format!(
                "collective,alltoall,library,8,{size},0,{launch},3.0,{lost},0\n\
                 collective,alltoall,pairwise,8,{size},0,{launch},1.0,0,{wait}\n"
            )
        });
        let head = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s";
        let text = format!(
            "{head},retransmits,longest_processor_wait_us\n{}",
            lines.collect::<String>()
        );
        let truth = Dataset::read("truth.csv", text.as_bytes()).unwrap();
        let star = Network::star(8, LinkSpec::new(mbytes(1.0), Bytes(65536))).unwrap();
        let chosen_names = [(256, "pairwise"), (65536, "pairwise"), (1024, "direct")];
        let choices = chosen_names.map(|(size, name)| (cell(8, size), name.to_owned()));
        let (rows, missing) = rows(("n", &star), &truth, &choices.into());
        assert_eq!(missing, ["alltoall direct, 8 x 1 KiB: was not measured"]);
        let [small, large] = &rows[..] else { panic!("{rows:?}") };
        assert!(small.busy && !large.busy && large.lossy && !large.tree);
        let numbers = [large.gain, large.lower, large.upper, large.best_gain];
        assert!(numbers.iter().all(|gain| (gain - 3.0).abs() < 1e-12));
        assert!(large.excess.abs() < 1e-12 && large.oracle.abs() < 1e-12);
        assert!((large.bound_s.unwrap().0 - 7.0 * 0.065_536).abs() < 1e-9);
    }
}
