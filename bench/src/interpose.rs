//! `netsig-bench interpose`: what the preloaded library makes of programs, on emulated networks drawn
//! from a seed.
//!
//! A profile is made as its user makes it, by netsig's commands on half of the hosts, of the four
//! collectives that the programs call. In the cells of `select` the choices then run as themselves and
//! in the place of the library's call (`cells`); real programs run with and without the library
//! (`programs`); `passing` times a call that is passed on and watches memory, on this machine alone;
//! `goals` holds the figures. Tables go to standard output and table.md; cells.csv has a row for each
//! cell. A network takes about 20 minutes and is measured once.

mod cells;
mod goals;
mod launch;
mod passing;
mod programs;
mod report;
mod reported;

use anyhow::Result;

use crate::draw::{self, Drawn};
use crate::effort::Effort;
use crate::learn::{self, FURTHER, JUDGED};
use crate::site::{self, Site};

/// Name of the benchmark.
const BENCHMARK: &str = "interpose";

/// The results of all networks.
#[derive(Default)]
struct Outcome {
    cells: Vec<cells::Row>,
    programs: Vec<programs::Row>,
    notes: Vec<String>,
}

/// Measures the missing data of the first networks of a seed and judges them; false if a goal is
/// missed.
pub fn run(seed: u64, networks: u32, effort: Effort) -> Result<bool> {
    let benchmark = effort.folder(BENCHMARK);
    let results = site::results(&benchmark)?;
    let mut outcome = Outcome::default();
    for number in 0..networks {
        let drawn = draw::network(seed, number)?;
        eprintln!("{}: {}, {}", drawn.name, drawn.whole.summary(), drawn.mpi);
        let site = Site::new(&benchmark, &drawn.name)?;
        outcome.add(&drawn, &site, effort)?;
    }
    let passing = passing::figures(&results)?;
    report::write(&outcome, passing, &results)
}

impl Outcome {
    /// Measures and judges a network.
    fn add(&mut self, drawn: &Drawn, site: &Site, effort: Effort) -> Result<()> {
        let wanted: Vec<_> = JUDGED.iter().chain(&FURTHER).collect();
        let learned = learn::learned(drawn, site, &wanted, effort)?;
        self.notes.push(format!(
            "{}: {}, {}; {:.0} s for the profile",
            drawn.name,
            drawn.whole.summary(),
            drawn.mpi,
            learned.seconds
        ));
        let rows = cells::rows(drawn, site, &learned.choices, effort)?;
        self.cells.extend(rows);
        self.programs.extend(programs::rows(drawn, site)?);
        let notes = learned.notes.into_iter();
        self.notes
            .extend(notes.map(|note| format!("{}: {note}", drawn.name)));
        Ok(())
    }
}

/// The file of the preloaded library for an MPI.
fn library(mpi: &str) -> std::path::PathBuf {
    let file = format!("target/{mpi}/release/libnetsig_interpose.so");
    crate::root().join(file)
}
