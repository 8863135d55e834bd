//! `netsig import`: converts the output of other benchmark programs to a data file.

use std::path::{Path, PathBuf};

use itertools::Itertools as _;
use netsig_core::algorithm::{Collective, LIBRARY};
use netsig_core::data::import::{self, Asked, Imported, Input, PROGRAMS, Program};
use netsig_core::units::Procs;

use crate::input::failure::Failure;
use crate::input::files;
use crate::input::output::Output;

/// Turn the output of other benchmark programs into a data file.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[arg(help = programs())]
    program: Program,
    /// The output of the program.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The data file (CSV); it must not exist yet.
    #[arg(short, long, value_name = "DATA")]
    output: PathBuf,
    /// The number of processes, if the files do not state it [default: pN, nN or npN in a
    /// file's name].
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    procs: Option<Procs>,
    /// The algorithm of the collectives; library is the MPI library's own choice.
    #[arg(long, value_name = "NAME", default_value = LIBRARY)]
    algorithm: String,
    /// The collective of OSU tables that have no title.
    #[arg(long, value_name = "NAME")]
    collective: Option<Collective>,
}

const EXAMPLES: &str = "\
Examples:
  netsig import osu osu_latency.txt osu_alltoall-np8.txt osu_alltoall-np16.txt -o osu.csv
  netsig import imb imb.txt --algorithm pairwise -o imb.csv
  netsig import osu table.txt --collective alltoall --procs 16 -o data.csv";

fn programs() -> String {
    let names = PROGRAMS.iter().join(", ");
    format!("The program that printed them: one of {names}")
}

/// Runs the command.
///
/// # Errors
/// If a file is not from that program or lacks information, or the data file exists or cannot be
/// written.
pub fn run(args: &Args) -> Result<(), Failure> {
    let reads: Vec<&Path> = args.files.iter().map(PathBuf::as_path).collect();
    let remedy = "choose another --output or remove it";
    let output = Output::fresh(&args.output, &reads, remedy)?;
    let read = |path: &PathBuf| Ok((path.display().to_string(), files::text(path)?));
    let read: Vec<(String, String)> = args
        .files
        .iter()
        .map(read)
        .collect::<Result<_, Failure>>()?;
    let inputs = read.iter().map(|(name, text)| Input { name, text });
    let inputs: Vec<Input<'_>> = inputs.collect();
    let asked = Asked {
        procs: args.procs,
        algorithm: args.algorithm.as_str().into(),
        collective: args.collective,
    };
    let Imported { data, notes } = import::import(args.program, &inputs, &asked)?;
    output.write(|mut out| data.write(&mut out))?;
    for note in notes {
        eprintln!("netsig: note: {note}");
    }
    eprintln!(
        "{} repetitions and {} statistics in {}",
        data.samples.len(),
        data.aggregates.len(),
        args.output.display()
    );
    Ok(())
}
