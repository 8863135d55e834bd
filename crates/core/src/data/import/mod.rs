//! What other benchmark programs printed, as data of netsig.
//!
//! Each program has its file here; all of them give tables of numbers that were
//! measured together, facts for the provenance, and what was left out and why. A statistic
//! stays a statistic: only `ReproMPI` prints repetitions, and only these become
//! samples. What a file cannot say is asked for, never guessed.
//!
//! ```
//! # use netsig_core::data::StatisticKind;
//! # use netsig_core::data::import::{Asked, Input, Program, import};
//! # use netsig_core::units::Seconds;
//! let text = "\
//! ## OSU MPI All-to-All Personalized Exchange Latency Test v5.3
//! ## Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
//! 131072              278651.54         260647.67         307297.81          20
//! ";
//! let file = Input { name: "osu_alltoall-p8.txt", text };
//! let data = import(Program::Osu, &[file], &Asked::default())?.data;
//! let mean = &data.aggregates[0];
//! assert_eq!(mean.place.procs.get(), 8);
//! assert_eq!(mean.statistic, StatisticKind::MeanOverRanks);
//! assert_eq!((mean.averaged, mean.time), (Some(20), Seconds(0.27865154)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
mod imb;
mod logp_mpi;
mod netgauge;
mod osu;
mod reprompi;
mod source;
mod table;

use std::collections::{BTreeSet, HashMap};
use std::str::FromStr;
use std::sync::Arc;

use strum::VariantArray as _;

use crate::algorithm::{Collective, LIBRARY};
use crate::data::{Dataset, Place, Provenance};
use crate::text::file_error::FileError;
use crate::text::names::named;
use crate::units::Procs;

use file::File;
use source::Source;

/// A program whose results can be imported.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, strum::Display, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum Program {
    /// The OSU micro-benchmarks, 3 to 7.
    Osu,
    /// The Intel MPI Benchmarks.
    Imb,
    /// `ReproMPI`'s `mpibenchmark`.
    ReproMpi,
    /// Netgauge's pattern `loggp`.
    Netgauge,
    /// The MPI LogP Benchmark.
    #[strum(serialize = "logp_mpi")]
    LogpMpi,
}

/// All programs.
pub const PROGRAMS: &[Program] = Program::VARIANTS;

/// What stands in the titles of programs that print one.
const TITLES: [(&str, Program); 4] = [
    ("OSU MPI", Program::Osu),
    ("MPI Benchmarks", Program::Imb),
    ("MPI Benchmark Suite", Program::Imb),
    ("Netgauge", Program::Netgauge),
];

/// The program that printed `text`, as far as its first comments tell.
pub fn printed_by(text: &str) -> Option<Program> {
    let comments = || {
        text.lines()
            .take(TITLE_LINES)
            .filter(|line| line.starts_with('#') && !line.starts_with("#@"))
    };
    let stands = |title: &str| comments().any(|line| line.contains(title));
    let found = TITLES.iter().find(|(title, _)| stands(title));
    found.map(|(_, program)| *program)
}

/// A title stands among so many lines.
const TITLE_LINES: usize = 20;

/// A file to import.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Its path: what errors call it, and perhaps the number of processes.
    pub name: &'a str,
    /// What stands in it.
    pub text: &'a str,
}

/// What the user says of files that cannot say it themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// How many processes ran.
    pub procs: Option<Procs>,
    /// Who ran the collectives: `library` or an algorithm.
    pub algorithm: Arc<str>,
    /// What a table without a title measured.
    pub collective: Option<Collective>,
}

/// What came of the files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Imported {
    /// The data. Provenance gives the facts of each file after its `file`.
    pub data: Dataset,
    /// What was left out of which file, and why.
    pub notes: Vec<String>,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            procs: None,
            algorithm: LIBRARY.into(),
            collective: None,
        }
    }
}

impl FromStr for Program {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        named(text, "a program that netsig imports from")
    }
}

impl Program {
    fn read(self, file: &File<'_>) -> Result<Source, FileError> {
        match self {
            Self::Osu => osu::read(file),
            Self::Imb => imb::read(file),
            Self::ReproMpi => reprompi::read(file),
            Self::Netgauge => netgauge::read(file),
            Self::LogpMpi => logp_mpi::read(file),
        }
    }
}

/// Puts what `program` wrote into `inputs` together. Where several tables hold the same
/// cell, `launch` tells them apart, in the order of the files.
///
/// # Errors
/// If a file is not of that program, holds nothing that netsig can use, or does not say
/// what `asked` does not say either.
pub fn import(
    program: Program,
    inputs: &[Input<'_>],
    asked: &Asked,
) -> Result<Imported, FileError> {
    let mut imported = Imported::default();
    let version = env!("CARGO_PKG_VERSION");
    imported.data.provenance.push("netsig", version);
    let mut launches = Launches::default();
    for &Input { name, text } in inputs {
        if text.trim().is_empty() {
            let problem = format!("is empty; give the output of {program}");
            return Err(FileError::of_file(name, problem));
        }
        let source = program.read(&File { name, text, asked })?;
        let notes = source.notes(name);
        if source.runs.iter().all(|run| cells(run).next().is_none()) {
            let why = notes
                .first()
                .map_or(String::new(), |note| format!(" ({note})"));
            let problem = format!("holds nothing to import{why}; give the output of {program}");
            return Err(FileError::of_file(name, problem));
        }
        imported.notes.extend(notes);
        add_facts(name, &source.facts, &mut imported.data.provenance);
        for mut run in source.runs {
            launches.number(&mut run);
            imported.data.append(run);
        }
    }
    Ok(imported)
}

/// What a file says of itself after its name, and what netsig says of it unless that was
/// said of the file before.
fn add_facts(name: &str, facts: &Provenance, to: &mut Provenance) {
    to.push("file", name);
    for (key, value) in facts.iter() {
        if key.starts_with(source::STATED) || to.get(key) != Some(value) {
            to.push(key, value);
        }
    }
}

/// For each cell, as launch 0, the number of the launch that is free next.
#[derive(Default)]
struct Launches(HashMap<Place, u32>);

impl Launches {
    /// Gives everything in `run` the first number that none of its cells has.
    fn number(&mut self, run: &mut Dataset) {
        let places: BTreeSet<Place> = cells(run).collect();
        let taken = places.iter().filter_map(|place| self.0.get(place));
        let launch = taken.max().copied().unwrap_or(0);
        self.0
            .extend(places.into_iter().map(|place| (place, launch + 1)));
        run.launches_mut().for_each(|own| *own = launch);
    }
}

fn cells(run: &Dataset) -> impl Iterator<Item = Place> {
    let samples = run.samples.iter().map(|sample| sample.place.clone());
    let rejected = run.rejected.iter().map(|rejected| rejected.place.clone());
    let aggregates = run.aggregates.iter().map(|number| number.place.clone());
    samples.chain(rejected).chain(aggregates)
}
