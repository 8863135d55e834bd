//! Import of the output of other benchmark programs.
//!
//! Each program has a file here, whose reader gives tables of numbers that were measured together,
//! facts for the provenance, and the lines left out with the reasons. A statistic stays a
//! statistic: only `ReproMPI` prints repetitions, and only these become samples. The user supplies
//! facts that a file lacks; netsig never guesses them.
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
use crate::text::refusal::Refusal;
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

/// Titles of the programs that print one.
const TITLES: [(&str, Program); 4] = [
    ("OSU MPI", Program::Osu),
    ("MPI Benchmarks", Program::Imb),
    ("MPI Benchmark Suite", Program::Imb),
    ("Netgauge", Program::Netgauge),
];

/// The program that printed `text`, judged by the first comments.
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

/// The refusal of a file that another benchmark program printed, if one did.
pub fn foreign(name: &str, text: &str) -> Option<Refusal> {
    let program = printed_by(text)?;
    Some(Refusal::request(format!(
        "{name}: was printed by another program; turn it into data with `netsig import {program} {name} -o DATA`"
    )))
}

/// Number of lines at the start of a file among which the title is searched.
const TITLE_LINES: usize = 20;

/// A file to import.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Path: the name in errors, and perhaps the source of the number of processes.
    pub name: &'a str,
    /// Contents of the file.
    pub text: &'a str,
}

/// Statements of the user about files that do not contain them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Number of processes.
    pub procs: Option<Procs>,
    /// Algorithm of the collectives: `library` or a name of netsig.
    pub algorithm: Arc<str>,
    /// Collective of a table without a title.
    pub collective: Option<Collective>,
}

/// Result of an import.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Imported {
    /// The data. In the provenance, the facts of each file follow its `file`.
    pub data: Dataset,
    /// Lines left out, with file and reason.
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

/// Combines the output of `program` in `inputs`. Where several tables hold the same cell, their
/// `launch` differs, numbered in the order of the files.
///
/// # Errors
/// If a file is not of that program, holds nothing that netsig can use, or lacks a fact that
/// `asked` lacks too.
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

/// Adds the facts that a file states, after its name, and netsig's facts about it unless the key
/// already has the same value.
fn add_facts(name: &str, facts: &Provenance, to: &mut Provenance) {
    to.push("file", name);
    for (key, value) in facts.iter() {
        if key.starts_with(source::STATED) || to.get(key) != Some(value) {
            to.push(key, value);
        }
    }
}

/// The next free launch number of each cell; the keys have launch 0.
#[derive(Default)]
struct Launches(HashMap<Place, u32>);

impl Launches {
    /// Gives all cells of `run` the first launch number that is free for each of them.
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
