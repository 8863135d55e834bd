//! `netsig-bench select`: penalties and gains of the algorithms that netsig selects, on emulated
//! networks drawn from a seed.
//!
//! A profile is made as its user makes it, by netsig's commands on half of the hosts (`learn`); its
//! choices for ¾ and all of the hosts are measured beside every other candidate (`truth`) and
//! judged (`judge`); `goals` holds the figures. Tables go to standard output and table.md; cells.csv
//! has a row for each cell. A network takes about 15 minutes and is measured once.

mod goals;
mod report;
mod rules;

use anyhow::Result;
use itertools::Itertools as _;

use crate::draw::{self, Drawn};
use crate::effort::Effort;
use crate::judge::{self, Network, Row};
use crate::learn::{self, JUDGED};
use crate::site::{self, Site};
use crate::truth;

/// Name of the benchmark.
const BENCHMARK: &str = "select";

/// The results of all networks.
#[derive(Default)]
struct Outcome {
    networks: Vec<Network>,
    rows: Vec<Row>,
    /// Gains of a rules file alone, of each cell.
    rules: Vec<rules::Gain>,
    notes: Vec<String>,
}

/// Measures the missing data of the first networks of a seed and judges the choices; false if a
/// goal is missed. With `only_measure` nothing is judged.
pub fn run(seed: u64, networks: u32, effort: Effort, only_measure: bool) -> Result<bool> {
    let results = site::results(&effort.folder(BENCHMARK))?;
    let mut outcome = Outcome::default();
    for number in 0..networks {
        let drawn = draw::network(seed, number)?;
        eprintln!("{}: {}, {}", drawn.name, drawn.whole.summary(), drawn.mpi);
        let site = Site::new(&effort.folder(BENCHMARK), &drawn.name)?;
        outcome.add(&drawn, &site, effort)?;
    }
    if only_measure {
        return Ok(true);
    }
    report::write(&outcome, &results)
}

impl Effort {
    /// Seconds of all operations in one launch of the truth.
    fn launch(self) -> f64 {
        match self {
            Self::Full => 110.0,
            Self::Trial => 8.0,
        }
    }
}

impl Outcome {
    /// Measures and judges a network.
    fn add(&mut self, drawn: &Drawn, site: &Site, effort: Effort) -> Result<()> {
        let learned = learn::learned(drawn, site, &JUDGED.each_ref(), effort)?;
        let truth = truth::measured(drawn, site, &learned, effort.launch())?;
        let network = Network::new(drawn);
        let (rows, missing) = judge::rows(&network, &truth, &learned.choices);
        match rules::gains(drawn, site, &truth, &learned, effort) {
            Ok(gains) => self.rules.extend(gains),
            Err(error) => {
                let error = one_line(&format!("{error:#}"));
                let note = format!("{}: no rules file: {error}", drawn.name);
                self.notes.push(note);
            }
        }
        self.notes.push(format!(
            "{}: {}, {}; {:.0} s for the profile",
            drawn.name,
            drawn.whole.summary(),
            drawn.mpi,
            learned.seconds
        ));
        let notes = learned.notes.into_iter().chain(missing);
        let of_network = notes.map(|note| format!("{}: {}", drawn.name, one_line(&note)));
        self.notes.extend(of_network);
        self.rows.extend(rows);
        self.networks.push(network);
        Ok(())
    }
}

/// The text in one line, for a list.
fn one_line(text: &str) -> String {
    text.split_whitespace().join(" ")
}
