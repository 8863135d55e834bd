//! `netsig-bench interpose`: gains of programs under the preloaded library, on emulated networks drawn from a seed.
//!
//! netsig's commands make a profile of the five collectives that the programs call, on half of the hosts. In the cells
//! of `select` the choices run directly and in place of the library's call, and optionally under an earlier version
//! (`cells`, `row`, `speed_verdict`). Real programs run with and without the library (`programs`). On a fixed network,
//! the saved time is compared with the truth, and integer sorts run (`fixed`). `passing` times calls that are passed on
//! and watches memory, on this machine alone. `goals` holds the figures. Tables go to standard output and table.md;
//! cells.csv has a row for each cell, same-order.csv for each reduction whose results keep their bits. A network takes
//! about 28 minutes, eight of them for reductions, the fixed one about eight, and each is measured once. Chosen
//! collectives alone have results of their own.

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
use itertools::Itertools as _;
use netsig_base::algorithm::Collective;

use crate::harness::draw::ethernet;
use crate::harness::effort::BenchEffort;
use crate::harness::folder::results;
use crate::harness::learn::{self, CollectiveCampaign, FURTHER_COLLECTIVES};
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
    rows: row::InterposeRows,
    programs: Vec<programs::ProgramRow>,
    saved: Vec<saved::SavedRow>,
    /// The integer sorts, which are also among the programs.
    sorts: Vec<programs::ProgramRow>,
    notes: Vec<String>,
}

/// What is measured.
struct InterposeSubject {
    /// Name of the folder.
    benchmark: String,
    campaigns: Vec<&'static CollectiveCampaign>,
    /// True if all collectives are reductions.
    reductions_alone: bool,
}

/// Measures the missing data of the networks for these `collectives`, or for all if none is given, and judges them; false
/// if a goal is missed.
pub fn run(
    series: NetworkSeries,
    effort: BenchEffort,
    collectives: &[Collective],
    further: &FurtherPrograms,
) -> Result<bool> {
    let subject = InterposeSubject::of(collectives);
    let results = results(&effort.folder(&subject.benchmark))?;
    let npb = further.npb()?;
    // Finds a missing library now, not after the networks of the other MPI.
    for mpi in MPIS {
        further.earlier_library(mpi)?;
    }
    let mut outcome = InterposeOutcome::default();
    series.visit_networks(&subject.benchmark, effort, ethernet::network, |bench_network| {
        let bench = InterposeBench {
            bench_network,
            earlier_library: further.earlier_library(bench_network.drawn.mpi)?,
        };
        outcome.add(&bench, &subject)
    })?;
    if !subject.reductions_alone {
        outcome.add_fixed(fixed::measure(&subject.benchmark, npb.as_deref(), effort)?);
    }
    let passing = passing::figures(&results)?;
    report::write(&outcome, passing, &results)
}

impl InterposeSubject {
    /// The campaigns of these collectives or, if none is given, of all and of those that programs call.
    fn of(collectives: &[Collective]) -> Self {
        let judged = learn::judged_campaigns(collectives).into_iter();
        let further = FURTHER_COLLECTIVES.iter().filter(|_| collectives.is_empty());
        Self {
            benchmark: std::iter::once(BENCHMARK.to_owned())
                .chain(collectives.iter().map(Collective::to_string))
                .join("-"),
            campaigns: judged.chain(further).collect(),
            reductions_alone: !collectives.is_empty() && collectives.iter().all(|collective| collective.is_reduction()),
        }
    }
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
    fn add(&mut self, bench: &InterposeBench, subject: &InterposeSubject) -> Result<()> {
        let bench_network = bench.bench_network;
        let drawn = &bench_network.drawn;
        let learned = learn::learn_choices(bench_network, &subject.campaigns)?;
        let seconds = learned.seconds;
        let about = format!("{}; {seconds:.0} s for the profile", drawn.summary());
        self.rows.extend(row::InterposeRows::measure(bench, &learned.choices)?);
        self.programs
            .extend(programs::rows(bench_network, subject.reductions_alone)?);
        let notes = std::iter::once(about).chain(learned.notes);
        self.notes.extend(notes.map(|note| format!("{}: {note}", drawn.name)));
        Ok(())
    }

    /// True if all cells are of reductions, which do not run on the fixed network.
    fn is_of_reductions(&self) -> bool {
        let mut cells = self.rows.cells.iter();
        cells.len() > 0 && cells.all(|row| row.collective.is_reduction())
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
