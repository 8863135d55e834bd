//! `netsig import`: converts the output of other benchmark programs to a data file.

use std::path::{Path, PathBuf};

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::import::{self, BenchmarkProgram, ImportInput, ImportOptions, ImportResult, PROGRAMS};
use netsig_base::units::Procs;

use crate::input::failure::Failure;
use crate::input::files;
use crate::input::output::OutputPath;
use crate::print::notes::print_remark;
use crate::print::progress_sentence;

/// Turn the output of other benchmark programs into a data file.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "netsig import [OPTIONS] --output <DATA> [PROGRAM] <FILE>...")]
pub struct Args {
    #[arg(required = true, value_name = "FILE", help = files_help())]
    files: Vec<PathBuf>,
    /// The data file (CSV), which must not exist yet; - is standard output.
    #[arg(short, long, value_name = "DATA")]
    output: PathBuf,
    /// The number of processes, if neither the text of the files nor pN, nN or npN in their names states it; for
    /// several tables of one benchmark in a file a list, with a number for each table in order: 4,8,16.
    #[arg(long, value_name = "N,...", value_delimiter = ',', allow_hyphen_values = true)]
    procs: Vec<Procs>,
    /// The algorithm of the collectives; library is the MPI library's own choice.
    #[arg(long, value_name = "NAME", default_value = LIBRARY)]
    algorithm: String,
    /// The collective of OSU tables that have no title.
    #[arg(long, value_name = "NAME")]
    collective: Option<Collective>,
}

const EXAMPLES: &str = "\
Examples:
  netsig import osu_latency.txt osu_alltoall-np8.txt osu_alltoall-np16.txt slurm-4711.out -o osu.csv
  netsig import imb imb.txt --algorithm pairwise -o imb.csv
  netsig import osu table.txt --collective alltoall --procs 16 -o data.csv
  netsig import osu loop.txt --procs 4,8,16 -o data.csv";

fn files_help() -> String {
    let names = PROGRAMS.iter().join(", ");
    format!(
        "The outputs of benchmark programs, or logs that hold them; - is standard input; before them perhaps the program whose tables are \
         taken, one of {names} [default: all that are recognised]"
    )
}

impl Args {
    /// The program, if the first word is one, and the files.
    fn inputs(&self) -> Result<(Option<BenchmarkProgram>, &[PathBuf]), Failure> {
        let [first, rest @ ..] = &*self.files else {
            return Ok((None, &[]));
        };
        match first.to_str().map(str::parse::<BenchmarkProgram>) {
            Some(Ok(program)) if rest.is_empty() => {
                let problem = format!("no file is named; give the output of {program}");
                Err(Failure::usage(problem))
            }
            Some(Ok(program)) => Ok((Some(program), rest)),
            Some(Err(problem)) if is_word(first) => Err(Failure::usage(format!(
                "there is no file {}, and {problem}",
                first.display()
            ))),
            _ => Ok((None, &self.files)),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If a file is not from that program or lacks information, or the data file exists or cannot be
/// written.
pub fn run(args: &Args) -> Result<(), Failure> {
    let (program, files) = args.inputs()?;
    files::refuse_twice(files)?;
    let reads: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let remedy = "choose another --output or remove it";
    let output = OutputPath::fresh(&args.output, &reads, remedy)?;
    let (texts, unreadable) = readable_texts(files)?;
    let named_texts = texts.iter().map(|(name, text)| ImportInput { name, text });
    let inputs: Vec<ImportInput<'_>> = named_texts.collect();
    let import_options = ImportOptions {
        procs: args.procs.clone(),
        algorithm: args.algorithm.as_str().into(),
        collective: args.collective,
    };
    let ImportResult { data, notes } = import::import(program, &inputs, &import_options)?;
    output.write(|mut out| data.write(&mut out))?;
    for note in unreadable.iter().chain(&notes) {
        print_remark(note);
    }
    progress_sentence::print(format_args!(
        "{} repetitions and {} statistics in {output}",
        data.samples.len(),
        data.aggregates.len()
    ));
    Ok(())
}

/// True for a word that names no file and does not look like the name of one.
fn is_word(name: &Path) -> bool {
    let text = name.as_os_str().as_encoded_bytes();
    !name.exists() && !text.iter().any(|sign| b"./-".contains(sign))
}

/// Names of files with their texts.
type NamedTexts = Vec<(String, String)>;

/// The texts of the files with their names, and notes on the files that cannot be read.
fn readable_texts(files: &[PathBuf]) -> Result<(NamedTexts, Vec<String>), Failure> {
    let read = |path: &PathBuf| Ok((files::name(path), files::text(path)?));
    let (texts, mut failures): (Vec<_>, Vec<Failure>) = files.iter().map(read).partition_result();
    if texts.is_empty() {
        return Err(failures.swap_remove(0));
    }
    let notes = failures.iter().map(Failure::to_string);
    Ok((texts, notes.collect()))
}
