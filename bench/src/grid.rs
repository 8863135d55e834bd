//! `netsig-bench grid`: all-to-alls between emulated sites drawn from a seed.
//!
//! netsig discovers the sites, measures, predicts and selects as its user does (`learn`). The choices for all
//! processes and for about 5/6 of them, in 4 KiB and drawn sizes, are measured beside the candidates
//! (`truth`), and so are the two-phase exchanges that were predicted (`judge`); `goals` holds the figures.
//! Tables go to standard output and table.md; cells.csv and two-phase.csv have a row for each cell. A network
//! takes about a quarter of an hour and is measured once.

mod draw;
mod goals;
mod judge;
mod learn;
mod report;

use anyhow::Result;
use netsig_base::units::Seconds;

use crate::draw::Drawn;
use crate::effort::Effort;
use crate::judge::{Network, Row, rows};
use crate::site::{self, Site};
use crate::truth;

/// Name of the benchmark.
const BENCHMARK: &str = "grid";

/// The discovery of one network.
struct Discovery {
    is_found: bool,
    discovery: Seconds,
}

/// The results of all networks.
#[derive(Default)]
struct Outcome {
    sites: Vec<Discovery>,
    rows: Vec<Row>,
    exchanges: Vec<judge::Row>,
    notes: Vec<String>,
}

impl Effort {
    /// Seconds of all operations in one launch of the truth.
    fn between_sites(self) -> f64 {
        match self {
            Self::Full => 38.0,
            Self::Trial => 8.0,
        }
    }
}

/// Measures the missing data of the first networks of a seed and judges them; false if a goal is
/// missed.
pub fn run(seed: u64, networks: u32, effort: Effort) -> Result<bool> {
    let benchmark = effort.folder(BENCHMARK);
    let results = site::results(&benchmark)?;
    let mut outcome = Outcome::default();
    for number in 0..networks {
        let drawn = draw::network(seed, number)?;
        eprintln!("{}: {}", drawn.name, drawn.whole.summary());
        let site = Site::new(&benchmark, &drawn.name)?;
        outcome.add(&drawn, &site, effort)?;
    }
    report::write(&outcome, &results)
}

impl Outcome {
    /// Measures and judges a network.
    fn add(&mut self, drawn: &Drawn, site: &Site, effort: Effort) -> Result<()> {
        let known = learn::known(drawn, site, effort)?;
        let truth = truth::measured(drawn, site, &known.learned, effort.between_sites())?;
        let (rows, missing) = rows(&Network::new(drawn), &truth, &known.learned.choices);
        self.rows.extend(rows);
        self.exchanges.extend(judge::rows(drawn, &truth, &known));
        self.sites.push(Discovery {
            is_found: known.is_found,
            discovery: known.discovery,
        });
        self.notes.push(format!(
            "{}: {}; {:.0} s for discovery, {:.0} s for the profile",
            drawn.name,
            drawn.whole.summary(),
            known.discovery.0,
            known.learned.seconds
        ));
        let missing = missing.into_iter();
        self.notes
            .extend(missing.map(|note| format!("{}: {note}", drawn.name)));
        Ok(())
    }
}
