//! `netsig-bench interpose`: gains of programs under the preloaded library, on emulated networks drawn from a seed.
//!
//! netsig's commands make a profile of the four collectives that the programs call, on half of the hosts. In the cells
//! of `select` the choices run directly and in place of the library's call, and optionally under an earlier version
//! (`cells`, `row`, `speed_verdict`). Real programs run with and without the library (`programs`). On a fixed network,
//! the saved time is compared with the truth, and integer sorts run (`fixed`). `passing` times calls that are passed on
//! and watches memory, on this machine alone. `goals` holds the figures. Tables go to standard output and table.md;
//! cells.csv has a row for each cell. A network takes about 20 minutes, the fixed one about eight, and each is measured
//! once.

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
mod sorts;
mod speed_verdict;

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::harness::draw::ethernet;
use crate::harness::effort::BenchEffort;
use crate::harness::folder::results;
use crate::harness::learn::{self, ALLTOALL_CAMPAIGN, BCAST_CAMPAIGN, FURTHER_COLLECTIVES};
use crate::harness::root;
use crate::harness::series::NetworkSeries;
use cells::InterposeBench;

/// Name of the benchmark.
const BENCHMARK: &str = "interpose";

/// The preloaded library.
const LIBRARY: &str = "libnetsig_interpose.so";

/// Both MPIs.
const MPIS: [&str; 2] = ["openmpi", "mpich"];

/// Further programs and builds to measure.
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
    /// The integer sorts, which are also among the programs.
    sorts: Vec<programs::ProgramRow>,
    notes: Vec<String>,
}

/// Measures the missing data of the networks and judges them; false if a goal is missed.
pub fn run(series: NetworkSeries, effort: BenchEffort, further: &FurtherPrograms) -> Result<bool> {
    let results = results(&effort.folder(BENCHMARK))?;
    let npb = further.npb()?;
    // Finds a missing library now, not after the networks of the other MPI.
    for mpi in MPIS {
        further.earlier_library(mpi)?;
    }
    let mut outcome = InterposeOutcome::default();
    series.visit_networks(BENCHMARK, effort, ethernet::network, |bench_network| {
        outcome.add(&InterposeBench {
            bench_network,
            earlier_library: further.earlier_library(bench_network.drawn.mpi)?,
        })
    })?;
    outcome.add_fixed(fixed::measure(npb.as_deref(), effort)?);
    let passing = passing::figures(&results)?;
    report::write(&outcome, passing, &results)
}

impl FurtherPrograms {
    /// The preloaded library of the earlier build for an MPI.
    fn earlier_library(&self, mpi: &str) -> Result<Option<PathBuf>> {
        let Some(folder) = &self.before else {
            return Ok(None);
        };
        let places = [format!("{mpi}/{LIBRARY}"), library_place(mpi)];
        let mut paths = places.iter().map(|place| folder.join(place));
        let path = paths.find(|path| path.is_file()).with_context(|| {
            let [direct_place, built] = &places;
            format!(
                "{}: has neither {direct_place} nor {built}; give the folder of an earlier build",
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
        let bench_network = bench.bench_network;
        let drawn = &bench_network.drawn;
        let judged = [&ALLTOALL_CAMPAIGN, &BCAST_CAMPAIGN].into_iter();
        let wanted: Vec<_> = judged.chain(&FURTHER_COLLECTIVES).collect();
        let learned = learn::learn_choices(bench_network, &wanted)?;
        let seconds = learned.seconds;
        let about = format!("{}; {seconds:.0} s for the profile", drawn.summary());
        self.cells.extend(row::rows(bench, &learned.choices)?);
        self.programs.extend(programs::rows(bench_network)?);
        let notes = std::iter::once(about).chain(learned.notes);
        self.notes.extend(notes.map(|note| format!("{}: {note}", drawn.name)));
        Ok(())
    }

    /// Adds the results of the fixed network.
    fn add_fixed(&mut self, fixed: fixed::FixedOutcome) {
        self.programs.extend(fixed.sorts.iter().cloned());
        self.saved = fixed.saved;
        self.sorts = fixed.sorts;
        self.notes.extend(fixed.notes);
    }
}

/// The file of the preloaded library for an MPI.
fn library_path(mpi: &str) -> PathBuf {
    root().join(library_place(mpi))
}

/// Path of the library in a built checkout.
fn library_place(mpi: &str) -> String {
    format!("target/{mpi}/release/{LIBRARY}")
}
