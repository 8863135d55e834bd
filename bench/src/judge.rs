//! Judges the choices of a network on its truth, one row a cell.
//!
//! # Method
//! Penalties and gains are those of `netsig compare --selection`. The bound of an all-to-all is the
//! time of its bytes on the busiest link, at that link's rate and without headers: (n − 1)·m of a
//! host, or a·(n − a)·m between switches, where a of the n processes are on one side. The library
//! loses packets where at least half of its repetitions retransmit. A cell is busy if the processors
//! were during the choice, the library's choice or the fastest algorithm.

use std::collections::BTreeSet;

use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::cells::{CellKey, Statistic};
use netsig_base::data::{Dataset, LossCounters, processors};
use netsig_base::network;
use netsig_base::stats::bootstrap::Bootstrap;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::predict::penalty::{Contest, contests};
use serde::Serialize;

use crate::cell::{Cell, Choices};
use crate::draw::Drawn;
use crate::goal::OfNetwork;

/// Least ratio of the library's time to that of the choice.
pub const WORTH: f64 = 0.95;

/// Intervals of the ratio of the library's time to that of the choice.
const BOOTSTRAP: Bootstrap = Bootstrap {
    draws: 1000,
    seed: 1,
    confidence: 0.95,
};

/// Medians are judged: a user waits for the usual time.
const STATISTIC: Statistic = Statistic::Median;

/// A network with what its rows need.
pub struct Network {
    pub name: String,
    pub mpi: &'static str,
    pub whole: network::Network,
}

/// The choice of one cell: a row of cells.csv.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    pub network: String,
    pub tree: bool,
    pub collective: Collective,
    pub procs: Procs,
    pub size_bytes: Bytes,
    pub choice: String,
    pub best: String,
    pub penalty: f64,
    /// The oracle's own penalty.
    pub oracle: f64,
    /// Time of the library's own choice over that of the choice, and its interval.
    pub gain: f64,
    pub lower: f64,
    pub upper: f64,
    /// Time of the library's own choice over that of the fastest.
    pub best_gain: f64,
    pub time_s: Seconds,
    pub best_s: Seconds,
    /// Of an all-to-all.
    pub bound_s: Option<Seconds>,
    /// True if the library's own choice loses packets.
    pub lossy: bool,
    /// True if the processors were busy, so that the cell is not judged.
    pub busy: bool,
}

impl OfNetwork for Row {
    fn network(&self) -> &str {
        &self.network
    }
}

impl Network {
    pub fn new(drawn: &Drawn) -> Self {
        Self {
            name: drawn.name.clone(),
            mpi: drawn.mpi,
            whole: drawn.whole.clone(),
        }
    }

    /// True if it has links between switches.
    pub fn is_tree(&self) -> bool {
        self.whole.cuts().is_some_and(|cuts| !cuts.is_empty())
    }
}

/// A row for each choice, and notes on those that were not measured.
pub fn rows(network: &Network, truth: &Dataset, choices: &Choices) -> (Vec<Row>, Vec<String>) {
    let (contests, _) = contests(truth);
    let busy: BTreeSet<CellKey> = processors::busy(truth).into_iter().collect();
    let mut rows = Vec::new();
    let mut missing = Vec::new();
    for (cell, choice) in choices {
        let Cell {
            collective,
            procs,
            size,
        } = *cell;
        let is_it =
            |own: &&Contest| own.collective == collective && own.procs == procs && own.size == size;
        let contest = contests.iter().find(is_it);
        let judge = Judge {
            network,
            truth,
            busy: &busy,
        };
        match contest.and_then(|contest| judge.row(contest, *cell, choice)) {
            Some(row) => rows.push(row),
            None => missing.push(format!(
                "{collective} {choice}, {procs} x {size}: was not measured"
            )),
        }
    }
    (rows, missing)
}

struct Judge<'a> {
    network: &'a Network,
    truth: &'a Dataset,
    busy: &'a BTreeSet<CellKey>,
}

impl Judge<'_> {
    /// The row of a choice; `None` if it or the library's own was not measured.
    fn row(&self, contest: &Contest, cell: Cell, choice: &str) -> Option<Row> {
        let judged = contest.judge(choice, STATISTIC)?;
        let ratio = contest.ratio([LIBRARY, choice], STATISTIC, &BOOTSTRAP)?;
        let [time, best, library] = [choice, &judged.best, LIBRARY]
            .map(|name| contest.time(name, STATISTIC))
            .map(|time| time.expect("judged"));
        let is_busy = |name: &str| self.busy.contains(&cell.key(name));
        let is_exchange = cell.collective == Collective::Alltoall;
        Some(Row {
            network: self.network.name.clone(),
            tree: self.network.is_tree(),
            collective: cell.collective,
            procs: cell.procs,
            size_bytes: cell.size,
            choice: choice.to_owned(),
            penalty: judged.penalty,
            oracle: judged.oracle.unwrap_or(0.0),
            gain: ratio.value,
            lower: ratio.lower,
            upper: ratio.upper,
            best_gain: library / best,
            time_s: time,
            best_s: best,
            bound_s: is_exchange.then(|| cell.bound(&self.network.whole)),
            lossy: self.is_lossy(cell),
            busy: [choice, &judged.best, LIBRARY].into_iter().any(is_busy),
            best: judged.best.to_string(),
        })
    }

    /// True if at least half of the repetitions of the library's own choice retransmit.
    fn is_lossy(&self, cell: Cell) -> bool {
        let wanted = cell.key(LIBRARY);
        let samples = self.truth.samples.iter();
        let own = samples.filter(|sample| CellKey::from(&sample.place) == wanted);
        let lost: Vec<bool> = own.map(|sample| loses(sample.losses)).collect();
        let count = lost.iter().filter(|lost| **lost).count();
        !lost.is_empty() && 2 * count >= lost.len()
    }
}

fn loses(counters: LossCounters) -> bool {
    let LossCounters {
        retransmits, rtos, ..
    } = counters;
    [retransmits, rtos]
        .into_iter()
        .flatten()
        .any(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use itertools::Itertools as _;
    use netsig_base::network::Port;
    use netsig_base::units::{BitsPerSecond, BytesPerSecond};

    use super::*;

    fn mbytes(rate: f64) -> BitsPerSecond {
        BitsPerSecond::from(BytesPerSecond(rate * 1e6))
    }

    fn network(whole: network::Network) -> Network {
        Network {
            name: "n".to_owned(),
            mpi: "openmpi",
            whole,
        }
    }

    fn cell(procs: u32, size: u64) -> Cell {
        Cell {
            collective: Collective::Alltoall,
            procs: Procs::new(procs).unwrap(),
            size: Bytes(size),
        }
    }

    /// Four launches of the library at 3 s, with retransmissions in two, and of pairwise at 1 s with
    /// the processors busy in the second cell.
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
        let star = network::Network::star(8, Port::new(mbytes(1.0), Bytes(65536))).unwrap();
        let choices = [(256, "pairwise"), (65536, "pairwise"), (1024, "direct")];
        let choices = choices.map(|(size, name)| (cell(8, size), name.to_owned()));
        let (rows, missing) = rows(&network(star), &truth, &choices.into());
        assert_eq!(missing, ["alltoall direct, 8 x 1 KiB: was not measured"]);
        let [small, large] = &rows[..] else {
            panic!("{rows:?}")
        };
        assert!(small.busy && !large.busy && large.lossy && !large.tree);
        let numbers = [large.gain, large.lower, large.upper, large.best_gain];
        assert!(numbers.iter().all(|gain| (gain - 3.0).abs() < 1e-12));
        assert!(large.penalty.abs() < 1e-12 && large.oracle.abs() < 1e-12);
        assert!((large.bound_s.unwrap().0 - 7.0 * 0.065_536).abs() < 1e-9);
    }
}
