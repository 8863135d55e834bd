//! `netsig report`: one self-contained HTML page about data and profiles.

use std::path::PathBuf;

use netsig_base::units::Procs;
use netsig_base::units::list::List;
use netsig_model::predict::answer::refuse_single;

use crate::input::args;
use crate::input::failure::Failure;
use crate::input::kind::Kind;
use crate::input::output::Output;
use crate::input::standard;
use crate::print::notes::print;
use crate::print::rows::to_stdout;
use crate::report::{self, Options};

/// Write one self-contained HTML page: the verdict, interactive plots, tables and a predictor.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Data files and profiles, in any order. Files of one network are taken together; data without a profile
    /// are fitted.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The page to write; - is standard output.
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,
    /// Process counts that the page predicts: 8,16,32 or 8..64 (doubling) or 8..64+8 (steps) [default: every
    /// count up to twice the measured ones, of many about 48].
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    procs: Option<List<Procs>>,
    /// Most single repetitions of a collective that the page shows; more are thinned out evenly.
    #[arg(long, value_name = "N", default_value = "6000", value_parser = args::count)]
    repetitions: usize,
}

const EXAMPLES: &str = "\
Examples:
  netsig report data.csv data.toml -o report.html
  netsig report alltoall.csv bcast.csv alltoall.toml bcast.toml heldout.csv -o report.html
  netsig report data.toml --procs 64,128,256 -o plan.html";

/// Runs the command.
///
/// # Errors
/// If a file cannot be used, no file holds a time or a fit, or the page cannot be written.
pub fn run(args: &Args) -> Result<(), Failure> {
    let reads: Vec<_> = args.files.iter().map(PathBuf::as_path).collect();
    let output = Output::replacing("--output", &args.output, Kind::Page, &reads)?;
    refuse_single(args.procs.as_ref().map_or(&[], List::items))?;
    let options = Options {
        procs: args.procs.clone(),
        repetitions: args.repetitions,
    };
    let said = report::write(&args.files, &options, &output)?;
    print(&said.notes);
    to_stdout(|out| said.verdict.iter().try_for_each(|line| writeln!(out, "{line}")))?;
    if !standard::is_output_taken() {
        eprintln!("netsig: wrote {output}: open it in a browser");
    }
    Ok(())
}
