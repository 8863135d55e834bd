//! `netsig report`: one self-contained HTML page about data and profiles.

use std::path::PathBuf;

use netsig_base::units::Procs;
use netsig_base::units::list::QuantityList;
use netsig_model::predict::answer::refuse_single;
use netsig_render::report::{self, RenderedPage, ReportOptions};

use crate::input::args;
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::output::OutputPath;
use crate::input::report_sources;
use crate::input::standard;
use crate::print::notes::print;
use crate::print::progress_sentence;
use crate::print::rows::to_stdout;
use crate::print::verdict::write_verdict;

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
    /// Process counts that the page predicts: 8,16,32 or 8..64 (doubling) or 8..64+8 (steps) [default: every count up
    /// to twice the measured ones, at most about 48].
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    procs: Option<QuantityList<Procs>>,
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
    let output = OutputPath::replacing("--output", &args.output, FileKind::Page, &reads)?;
    refuse_single(args.procs.as_ref().map_or(&[], QuantityList::items))?;
    let options = ReportOptions {
        procs: args.procs.clone(),
        repetitions: args.repetitions,
    };
    let RenderedPage { html, verdicts, notes } = report::page(report_sources::read(&args.files)?, &options)?;
    output.replace(html.as_bytes())?;
    print(&notes);
    to_stdout(|out| {
        let mut all = verdicts.iter();
        all.try_for_each(|(heading, answers)| write_verdict(heading, answers, out))
    })?;
    if !standard::is_output_taken() {
        progress_sentence::print(format_args!("netsig: wrote {output}: open it in a browser"));
    }
    Ok(())
}
