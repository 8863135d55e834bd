//! Import of the output of other benchmark programs.
//!
//! Each program has a file here, which defines the program's titles, headings and rows. `log.rs` reads lines and
//! `tables.rs` tables for all of them; `counts.rs` finds the process counts. A reader gives tables of numbers that
//! were measured together, facts for the provenance, and the lines left out with the reasons. A statistic stays a
//! statistic: only `ReproMPI` prints repetitions, and only these become samples. The user supplies facts that a file
//! lacks; netsig never guesses them.
//!
//! ```
//! # use netsig_base::data::ImportedStatistic;
//! # use netsig_base::data::import::{BenchmarkProgram, ImportInput, ImportOptions, import};
//! # use netsig_base::units::Seconds;
//! let text = "\
//! ## OSU MPI All-to-All Personalized Exchange Latency Test v5.3
//! ## Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
//! 131072              278651.54         260647.67         307297.81          20
//! ";
//! let file = ImportInput { name: "osu_alltoall-p8.txt", text };
//! let data = import(Some(BenchmarkProgram::Osu), &[file], &ImportOptions::default())?.data;
//! let mean = &data.aggregates[0];
//! assert_eq!(mean.cell.procs.get(), 8);
//! assert_eq!(mean.statistic, ImportedStatistic::MeanOverRanks);
//! assert_eq!((mean.averaged, mean.time), (Some(20), Seconds(0.27865154)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod counts;
mod file;
mod imb;
mod imported_log;
mod launch;
mod launchers;
mod log;
mod logp_mpi;
mod netgauge;
mod operands;
mod osu;
mod programs;
mod reduced_size;
mod reprompi;
mod resemblance;
mod table;
mod tables;

use std::collections::{BTreeSet, HashMap};
use std::str::FromStr;
use std::sync::Arc;

use itertools::Itertools as _;
use strum::VariantArray as _;

use crate::algorithm::{Collective, LIBRARY};
use crate::data::{Dataset, Experiment, LaunchCell, OPERANDS_KEY, Provenance};
use crate::text::file_error::FileError;
use crate::text::names::variant_named;
use crate::text::refusal::Refusal;
use crate::units::Procs;

use file::{FileLine, ImportFile};
use imported_log::ImportedLog;
use programs::announced_program;

pub use reduced_size::{PrintedSize, SizeConvention};

/// A program whose results can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum BenchmarkProgram {
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
pub const PROGRAMS: &[BenchmarkProgram] = BenchmarkProgram::VARIANTS;

/// The refusal of a file that another benchmark program printed, if one did.
pub fn refuse_other_output(name: &str, text: &str) -> Option<Refusal> {
    let options = ImportOptions::default();
    let program = import_file(&ImportInput { name, text }, &options)
        .programs()
        .first()
        .copied()?;
    Some(Refusal::request(format!(
        "{name}: was printed by another program; turn it into data with `netsig import {program}`"
    )))
}

/// A file to import.
#[derive(Debug, Clone, Copy)]
pub struct ImportInput<'a> {
    /// Path: the name in errors, and perhaps the source of the number of processes.
    pub name: &'a str,
    /// Contents of the file.
    pub text: &'a str,
}

/// Statements of the user about files that do not contain them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOptions {
    /// Number of processes: none, one, or one for each table of a benchmark in its order.
    pub procs: Vec<Procs>,
    /// Algorithm of the collectives: `library` or a name of netsig.
    pub algorithm: Arc<str>,
    /// Collective of a table without a title.
    pub collective: Option<Collective>,
}

/// Result of an import.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImportResult {
    /// The data. In the provenance, the facts of each file follow its `file`; operation and type are those of all
    /// reductions.
    pub data: Dataset,
    /// Lines left out, with file and reason.
    pub notes: Vec<String>,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            procs: Vec::new(),
            algorithm: LIBRARY.into(),
            collective: None,
        }
    }
}

impl FromStr for BenchmarkProgram {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        variant_named(text, "a program that netsig imports from")
    }
}

impl BenchmarkProgram {
    fn read(self, file: &ImportFile<'_>) -> Result<ImportedLog, FileError> {
        match self {
            Self::Osu => osu::read(file),
            Self::Imb => imb::read(file),
            Self::ReproMpi => reprompi::read(file),
            Self::Netgauge => netgauge::read(file),
            Self::LogpMpi => logp_mpi::read(file),
        }
    }
}

/// Combines the output of `program` in `inputs`; without a program, the output of all known programs. Tables with the
/// same cell become launches, numbered in the order of the files. A file that holds nothing is left out.
///
/// # Errors
/// If no file holds anything that netsig can use, a row is broken, or neither a file nor `options` state a necessary
/// fact.
pub fn import(
    program: Option<BenchmarkProgram>,
    inputs: &[ImportInput<'_>],
    options: &ImportOptions,
) -> Result<ImportResult, FileError> {
    let mut imported = ImportResult::default();
    let version = env!("CARGO_PKG_VERSION");
    imported.data.provenance.push("netsig", version);
    let mut launches = FreeLaunchNumbers::default();
    let mut unusable = None;
    let mut operands = BTreeSet::new();
    for (index, input) in inputs.iter().enumerate() {
        let name = input.name;
        imported.notes.extend(same_text(input, &inputs[..index]));
        let file = import_file(input, options);
        let logs = read_logs(program, &file)?;
        let line_notes: Vec<(u64, String)> = logs.iter().flat_map(ImportedLog::notes).collect();
        if logs.iter().all(ImportedLog::is_empty) {
            let (why, remedy) = nothing_to_import(program, &file, line_notes.first());
            imported.notes.push(format!("{name}: left out: it {why}"));
            let problem = format!("{why}; {remedy}");
            unusable.get_or_insert(FileError::of_file(name, problem));
            continue;
        }
        let numbered_notes = line_notes.into_iter();
        let notes = numbered_notes.map(|(line, note)| format!("{name}:{line}: {note}"));
        imported.notes.extend(notes);
        imported.notes.extend(other_output(program, &file));
        for log in logs.into_iter().filter(|log| !log.is_empty()) {
            add_facts(name, &log.facts, &mut imported.data.provenance);
            operands.extend(log.operands);
            for mut run in log.runs {
                launches.assign_launch(&mut run);
                imported.data.append(run);
            }
        }
    }
    match operands::common(&operands) {
        Ok(None) => {}
        Ok(Some(known)) => imported.data.provenance.push(OPERANDS_KEY, known),
        Err(note) => imported.notes.push(note),
    }
    match (unusable, unused_collective(&imported.data, options)) {
        (Some(problem), _) if launches.is_empty() => Err(problem),
        (_, Some(problem)) => {
            let names = inputs.iter().map(|input| input.name).join(", ");
            Err(FileError::of_file(&names, problem))
        }
        _ => Ok(imported),
    }
}

/// The problem that no table measures the collective that the user names.
fn unused_collective(data: &Dataset, options: &ImportOptions) -> Option<String> {
    let collective = options.collective?;
    let is_used = cells(data).any(|cell| cell.experiment == Experiment::Collective(collective));
    let problem = format!("the titles name other benchmarks than {collective}; leave --collective out");
    (!is_used).then_some(problem)
}

fn import_file<'a>(input: &ImportInput<'a>, options: &'a ImportOptions) -> ImportFile<'a> {
    ImportFile::new(input, options, announced_program)
}

/// Output of the programs in a file.
fn read_logs(program: Option<BenchmarkProgram>, file: &ImportFile<'_>) -> Result<Vec<ImportedLog>, FileError> {
    let programs = program.map_or_else(|| file.programs(), |program| vec![program]);
    let read = programs.into_iter().map(|program| program.read(file));
    let mut logs: Vec<ImportedLog> = read.collect::<Result<_, _>>()?;
    // Each reader notes the lines that belong to no program.
    logs.iter_mut().skip(1).for_each(ImportedLog::forget_foreign);
    Ok(logs)
}

/// The reason why a file holds nothing to import, and a remedy.
fn nothing_to_import(
    program: Option<BenchmarkProgram>,
    file: &ImportFile<'_>,
    note: Option<&(u64, String)>,
) -> (String, String) {
    let all = || PROGRAMS.iter().join(", ");
    let names = program.map_or_else(all, |program| program.to_string());
    let wanted = format!("give the output of {names}");
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

/// The note that a file also holds output of other programs, which is not imported.
fn other_output(program: Option<BenchmarkProgram>, file: &ImportFile<'_>) -> Option<String> {
    let program = program?;
    let programs = file.programs().into_iter();
    let others = programs.filter(|other| *other != program).join(", ");
    let name = file.name;
    let note = format!("{name}: left out: the output of {others}; name no program to import all");
    (!others.is_empty()).then_some(note)
}

/// The note that a file has the text of an earlier one.
fn same_text(input: &ImportInput<'_>, earlier: &[ImportInput<'_>]) -> Option<String> {
    let same = earlier.iter().find(|other| other.text == input.text)?;
    let ImportInput { name, .. } = input;
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
        if key.starts_with(imported_log::STATED) || to.get(key) != Some(value) {
            to.push(key, value);
        }
    }
}

/// The next free launch number of each cell; the keys have launch 0.
#[derive(Default)]
struct FreeLaunchNumbers(HashMap<LaunchCell, u32>);

impl FreeLaunchNumbers {
    /// True if no cell has been numbered.
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Gives all cells of `run` the first launch number that is free for each of them.
    fn assign_launch(&mut self, run: &mut Dataset) {
        let places: BTreeSet<LaunchCell> = cells(run).collect();
        let taken = places.iter().filter_map(|place| self.0.get(place));
        let launch = taken.max().copied().unwrap_or(0);
        self.0.extend(places.into_iter().map(|place| (place, launch + 1)));
        run.launches_mut().for_each(|launch_number| *launch_number = launch);
    }
}

/// The cells of all rows.
fn cells(run: &Dataset) -> impl Iterator<Item = LaunchCell> {
    let samples = run.samples.iter().map(|sample| sample.cell.clone());
    let rejected = run.rejected.iter().map(|rejected| rejected.cell.clone());
    let aggregates = run.aggregates.iter().map(|number| number.cell.clone());
    samples.chain(rejected).chain(aggregates)
}
