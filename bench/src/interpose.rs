//! `netsig-bench interpose`: what the preloaded library makes of programs, on emulated networks drawn
//! from a seed.
//!
//! A profile is made as its user makes it, by netsig's commands on half of the hosts, of the four
//! collectives that the programs call. In the cells of `select` the choices then run as themselves and
//! in the place of the library's call, beside an earlier version if there is one (`cells`, `row`, `slower`);
//! real programs run with and without the library (`programs`). A network that is the same in every run
//! shows the time saved beside the truth, and integer sorts (`fixed`); `passing` times a call that is passed
//! on and watches memory, on this machine alone; `goals` holds the figures. Tables go to standard output and
//! table.md; cells.csv has a row for each cell. A network takes about 20 minutes, the fixed one about eight,
//! and each is measured once.

mod cells;
mod fixed;
mod goals;
mod launch;
mod passing;
mod programs;
mod report;
mod reported;
mod row;
mod saved;
mod slower;
mod sorts;

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::harness::draw::ethernet;
use crate::harness::effort::BenchEffort;
use crate::harness::folder::results;
use crate::harness::learn::{self, FURTHER, JUDGED};
use crate::harness::root;
use crate::harness::series::NetworkSeries;
use cells::InterposeBench;

/// Name of the benchmark.
const BENCHMARK: &str = "interpose";

/// The preloaded library.
const LIBRARY: &str = "libnetsig_interpose.so";

/// Both MPIs.
const MPIS: [&str; 2] = ["openmpi", "mpich"];

/// What is measured besides.
#[derive(clap::Args)]
pub struct FurtherPrograms {
    /// Folder of an earlier build, whose preloaded library is measured beside the present one.
    #[arg(long, value_name = "FOLDER")]
    before: Option<PathBuf>,
    /// NPB's IS, class W, for 8 ranks of Open MPI.
    #[arg(long, value_name = "PROGRAM")]
    npb: Option<PathBuf>,
}

/// The results of all networks.
#[derive(Default)]
struct InterposeOutcome {
    cells: Vec<row::InterposeRow>,
    programs: Vec<programs::ProgramRow>,
    saved: Vec<saved::SavedRow>,
    /// The integer sorts, which stand among the programs too.
    sorts: Vec<programs::ProgramRow>,
    notes: Vec<String>,
}

/// Measures the missing data of the networks and judges them; false if a goal is missed.
pub fn run(series: NetworkSeries, effort: BenchEffort, further: &FurtherPrograms) -> Result<bool> {
    let results = results(&effort.folder(BENCHMARK))?;
    let npb = further.npb()?;
    // A library that is missing is found now, not after the networks of the other MPI.
    for mpi in MPIS {
        further.before(mpi)?;
    }
    let mut outcome = InterposeOutcome::default();
    series.each((BENCHMARK, effort), ethernet::network, |site| {
        outcome.add(&InterposeBench {
            site,
            before: further.before(site.drawn.mpi)?,
        })
    })?;
    outcome.add_fixed(fixed::outcome(npb.as_deref(), effort)?);
    let passing = passing::figures(&results)?;
    report::write(&outcome, passing, &results)
}

impl FurtherPrograms {
    /// The preloaded library of the earlier build for an MPI.
    fn before(&self, mpi: &str) -> Result<Option<PathBuf>> {
        let Some(folder) = &self.before else {
            return Ok(None);
        };
        let places = [format!("{mpi}/{LIBRARY}"), place(mpi)];
        let mut paths = places.iter().map(|place| folder.join(place));
        let path = paths.find(|path| path.is_file()).with_context(|| {
            let [own, built] = &places;
            format!(
                "{}: has neither {own} nor {built}; give the folder of an earlier build",
                folder.display()
            )
        })?;
        Ok(Some(path.canonicalize()?))
    }

    /// The path of NPB's program.
    fn npb(&self) -> Result<Option<String>> {
        let path = self.npb.as_ref().map(|path| {
            let full = path.canonicalize();
            full.with_context(|| format!("{}: is not there; run make bench-interpose with NPB", path.display()))
        });
        Ok(path.transpose()?.map(|path| path.display().to_string()))
    }
}

impl InterposeOutcome {
    /// Measures and judges a network.
    fn add(&mut self, bench: &InterposeBench) -> Result<()> {
        let site = bench.site;
        let drawn = &site.drawn;
        let wanted: Vec<_> = JUDGED.iter().chain(&FURTHER).collect();
        let learned = learn::learned(site, &wanted)?;
        let seconds = learned.seconds;
        let about = format!("{}; {seconds:.0} s for the profile", drawn.summary());
        self.cells.extend(row::rows(bench, &learned.choices)?);
        self.programs.extend(programs::rows(site)?);
        let notes = std::iter::once(about).chain(learned.notes);
        self.notes.extend(notes.map(|note| format!("{}: {note}", drawn.name)));
        Ok(())
    }

    /// Adds the network that is the same in every run.
    fn add_fixed(&mut self, fixed: fixed::FixedOutcome) {
        self.programs.extend(fixed.sorts.iter().cloned());
        self.saved = fixed.saved;
        self.sorts = fixed.sorts;
        self.notes.extend(fixed.notes);
    }
}

/// The file of the preloaded library for an MPI.
fn library(mpi: &str) -> PathBuf {
    root().join(place(mpi))
}

/// Its place in a built checkout.
fn place(mpi: &str) -> String {
    format!("target/{mpi}/release/{LIBRARY}")
}
