//! Import of the output of other benchmark programs.
//!
//! Each program has a file here, which says what the program's titles, headings and rows are. `log.rs` reads lines
//! and `tables.rs` tables for all of them; `counts.rs` finds the numbers of processes. A reader gives tables of
//! numbers that were measured together, facts for the provenance, and the lines left out with the reasons. A statistic stays a
//! statistic: only `ReproMPI` prints repetitions, and only these become samples. The user supplies
//! facts that a file lacks; netsig never guesses them.
//!
//! ```
//! # use netsig_base::data::StatisticKind;
//! # use netsig_base::data::import::{Asked, Input, Program, import};
//! # use netsig_base::units::Seconds;
//! let text = "\
//! ## OSU MPI All-to-All Personalized Exchange Latency Test v5.3
//! ## Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
//! 131072              278651.54         260647.67         307297.81          20
//! ";
//! let file = Input { name: "osu_alltoall-p8.txt", text };
//! let data = import(Some(Program::Osu), &[file], &Asked::default())?.data;
//! let mean = &data.aggregates[0];
//! assert_eq!(mean.place.procs.get(), 8);
//! assert_eq!(mean.statistic, StatisticKind::MeanOverRanks);
//! assert_eq!((mean.averaged, mean.time), (Some(20), Seconds(0.27865154)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod counts;
mod file;
mod imb;
mod launch;
mod launchers;
mod log;
mod logp_mpi;
mod netgauge;
mod osu;
mod programs;
mod reprompi;
mod resemblance;
mod source;
mod table;
mod tables;

use std::collections::{BTreeSet, HashMap};
use std::str::FromStr;
use std::sync::Arc;

use itertools::Itertools as _;
use strum::VariantArray as _;

use crate::algorithm::{Collective, LIBRARY};
use crate::data::{Dataset, Experiment, Place, Provenance};
use crate::text::file_error::FileError;
use crate::text::names::named;
use crate::text::refusal::Refusal;
use crate::units::Procs;

use file::{File, FileLine};
use programs::announcing;
use source::Source;

/// A program whose results can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display, strum::IntoStaticStr, strum::VariantArray)]
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

/// The refusal of a file that another benchmark program printed, if one did.
pub fn foreign(name: &str, text: &str) -> Option<Refusal> {
    let asked = Asked::default();
    let program = file(&Input { name, text }, &asked).programs().first().copied()?;
    Some(Refusal::request(format!(
        "{name}: was printed by another program; turn it into data with `netsig import {program}`"
    )))
}

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
    /// Number of processes: none, one, or one for each table of a benchmark in its order.
    pub procs: Vec<Procs>,
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
            procs: Vec::new(),
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

/// Combines the output of `program` in `inputs`; without a program, that of all programs that are recognised.
/// Where several tables hold the same cell, their `launch` differs, numbered in the order of the files. A file
/// that holds nothing is left out.
///
/// # Errors
/// If no file holds anything that netsig can use, a row is broken, or a fact is missing that `asked` lacks too.
pub fn import(program: Option<Program>, inputs: &[Input<'_>], asked: &Asked) -> Result<Imported, FileError> {
    let mut imported = Imported::default();
    let version = env!("CARGO_PKG_VERSION");
    imported.data.provenance.push("netsig", version);
    let mut launches = Launches::default();
    let mut unusable = None;
    for (index, input) in inputs.iter().enumerate() {
        let name = input.name;
        imported.notes.extend(same_text(input, &inputs[..index]));
        let file = file(input, asked);
        let sources = sources(program, &file)?;
        let notes: Vec<(u64, String)> = sources.iter().flat_map(Source::notes).collect();
        if sources.iter().all(Source::is_empty) {
            let (why, remedy) = nothing(program, &file, notes.first());
            imported.notes.push(format!("{name}: left out: it {why}"));
            let problem = format!("{why}; {remedy}");
            unusable.get_or_insert(FileError::of_file(name, problem));
            continue;
        }
        let notes = notes.into_iter();
        let notes = notes.map(|(line, note)| format!("{name}:{line}: {note}"));
        imported.notes.extend(notes);
        imported.notes.extend(other_output(program, &file));
        for source in sources.into_iter().filter(|source| !source.is_empty()) {
            add_facts(name, &source.facts, &mut imported.data.provenance);
            for mut run in source.runs {
                launches.number(&mut run);
                imported.data.append(run);
            }
        }
    }
    match (unusable, unused_collective(&imported.data, asked)) {
        (Some(problem), _) if launches.is_empty() => Err(problem),
        (_, Some(problem)) => {
            let names = inputs.iter().map(|input| input.name).join(", ");
            Err(FileError::of_file(&names, problem))
        }
        _ => Ok(imported),
    }
}

/// The problem that no table is of the collective that the user names.
fn unused_collective(data: &Dataset, asked: &Asked) -> Option<String> {
    let asked = asked.collective?;
    let is_used = cells(data).any(|cell| cell.experiment == Experiment::Collective(asked));
    let problem = format!("the titles name other benchmarks than {asked}; leave --collective out");
    (!is_used).then_some(problem)
}

fn file<'a>(input: &Input<'a>, asked: &'a Asked) -> File<'a> {
    File::new(input, asked, announcing)
}

/// What the programs printed into a file.
fn sources(program: Option<Program>, file: &File<'_>) -> Result<Vec<Source>, FileError> {
    let programs = program.map_or_else(|| file.programs(), |program| vec![program]);
    let read = programs.into_iter().map(|program| program.read(file));
    let mut sources: Vec<Source> = read.collect::<Result<_, _>>()?;
    // Each reader meets the lines that are no program's.
    sources.iter_mut().skip(1).for_each(Source::forget_foreign);
    Ok(sources)
}

/// Why a file holds nothing to import, and a remedy.
fn nothing(program: Option<Program>, file: &File<'_>, note: Option<&(u64, String)>) -> (String, String) {
    let all = || PROGRAMS.iter().join(", ");
    let wanted = program.map_or_else(all, |program| program.to_string());
    let wanted = format!("give the output of {wanted}");
    if file.lines().iter().all(|line| line.text.is_empty()) {
        return ("is empty".to_owned(), wanted);
    }
    let is_data = |line: &FileLine| line.text.starts_with("#@netsig=");
    if file.lines().iter().any(is_data) {
        let remedy = "give it to `netsig fit`".to_owned();
        return ("is data of netsig already".to_owned(), remedy);
    }
    let mut others = file.programs().into_iter();
    let other = others.find(|other| Some(*other) != program);
    if let (Some(_), Some(other)) = (program, other) {
        let remedy = format!("give it to `netsig import {other}`");
        return (format!("was printed by {other}"), remedy);
    }
    let why = note.map_or(String::new(), |(line, note)| format!(" (line {line}: {note})"));
    (format!("holds nothing to import{why}"), wanted)
}

/// The note that a file also holds output of other programs than the one whose output is imported.
fn other_output(program: Option<Program>, file: &File<'_>) -> Option<String> {
    let program = program?;
    let others = file.programs().into_iter();
    let others = others.filter(|other| *other != program).join(", ");
    let name = file.name;
    let note = format!("{name}: left out: the output of {others}; name no program to import all");
    (!others.is_empty()).then_some(note)
}

/// The note that a file has the text of an earlier one.
fn same_text(input: &Input<'_>, earlier: &[Input<'_>]) -> Option<String> {
    let same = earlier.iter().find(|other| other.text == input.text)?;
    let Input { name, .. } = input;
    Some(format!(
        "{name}: has the same text as {}; its times are taken as those of another launch",
        same.name
    ))
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
    /// True if no cell has been numbered.
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives all cells of `run` the first launch number that is free for each of them.
    fn number(&mut self, run: &mut Dataset) {
        let places: BTreeSet<Place> = cells(run).collect();
        let taken = places.iter().filter_map(|place| self.0.get(place));
        let launch = taken.max().copied().unwrap_or(0);
        self.0.extend(places.into_iter().map(|place| (place, launch + 1)));
        run.launches_mut().for_each(|own| *own = launch);
    }
}

/// The cells of all rows.
fn cells(run: &Dataset) -> impl Iterator<Item = Place> {
    let samples = run.samples.iter().map(|sample| sample.place.clone());
    let rejected = run.rejected.iter().map(|rejected| rejected.place.clone());
    let aggregates = run.aggregates.iter().map(|number| number.place.clone());
    samples.chain(rejected).chain(aggregates)
}
