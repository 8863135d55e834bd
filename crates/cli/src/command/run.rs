//! `netsig run`: runs a program with the interposer preloaded into its ranks, and prints its report.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use netsig_base::network::Network;
use netsig_base::units::Seconds;
use netsig_lab::{CommandOutcome, RunningCommand, SignalWatch};
use netsig_model::predict::notes::note_on_links;
use netsig_model::predict::rate::rate_difference;
use netsig_model::predict::result_rule::ReductionMode;
use netsig_model::profile::Profile;
use nix::sys::signal::Signal;
use tempfile::TempDir;

use crate::input::args::MpiChoice;
use crate::input::destination::Destination;
use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::files;
use crate::input::interposer_report::InterposerReport;
use crate::input::interrupt::Temporary;
use crate::input::network::NetworkArgs;
use crate::input::output::OutputPath;
use crate::job::launch::absolute_path;
use crate::job::launch::preloaded::{MpiCommand, text};
use crate::print::notes::{print, print_remark, print_warning};
use crate::print::rows::{PrintArgs, print_rows};
use netsig_render::rows::{PrintedCell, PrintedRows};

/// Run an MPI program whose collectives take the fastest algorithms that the profile predicts.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The profile that `netsig fit` wrote; rank 0 reads it.
    profile: PathBuf,
    /// Replace calls, or only report what would be replaced.
    #[arg(long, value_enum, default_value = "on")]
    mode: InterposerMode,
    /// What may change in reductions: nothing, as `off` leaves them to the MPI library; their speed, so that results keep
    /// their bits; or also the order in which operands are combined [default: `NETSIG_REDUCTIONS`, else same-order].
    #[arg(long, value_enum, value_name = "CHANGE")]
    reductions: Option<ReductionChange>,
    /// Keep the report in this file, as CSV.
    #[arg(short, long, alias = "report", value_name = "FILE")]
    output: Option<PathBuf>,
    /// The MPI of the program, if the command does not begin with its mpirun; ranks then inherit
    /// the environment of the command.
    #[arg(long, value_enum)]
    mpi: Option<MpiChoice>,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    print: PrintArgs,
    /// The command that starts the program: mpirun of Open MPI or MPICH, or srun, and its
    /// arguments.
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  netsig run alltoall.toml -- mpirun --hostfile hosts -np 32 ./program
  netsig run alltoall.toml --mode report -- mpirun -np 32 ./program
  netsig run alltoall.toml -o calls.csv -- srun -n 32 ./program
  netsig run allreduce.toml --reductions on -- mpirun -np 32 ./program";

/// What may change in reductions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReductionChange {
    /// Nothing: the MPI library carries them out.
    Off,
    /// Their speed: results keep their bits.
    SameOrder,
    /// Also the order of the operands, and so the last bits of sums of floating-point numbers.
    On,
}

impl ReductionChange {
    fn mode(self) -> ReductionMode {
        match self {
            Self::Off => ReductionMode::Off,
            Self::SameOrder => ReductionMode::SameOrder,
            Self::On => ReductionMode::On,
        }
    }
}

/// The variable that the preloaded library reads, too; empty, it is as if not set.
const REDUCTIONS: &str = "NETSIG_REDUCTIONS";

/// Effect of the interposer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InterposerMode {
    /// Calls run the fastest algorithm.
    On,
    /// Calls stay as they are; the report has the algorithms that would run.
    Report,
}

/// Runs the command.
///
/// # Errors
/// If an input cannot be used, or the program cannot be started or fails.
pub fn run(args: &Args) -> Result<(), Failure> {
    let profile = files::profile(&args.profile)?;
    let network = args.network.load()?;
    if let Some(problem) = rate_difference(&profile, network.as_ref()) {
        let problem = format!("{problem}; name the network that was measured");
        return Err(Failure::data(problem).about(&args.profile));
    }
    let (program, arguments) = args.command.split_first().expect("clap requires a word");
    let command = MpiCommand::recognise(program, arguments, args.mpi)?;
    let library = command.interposer()?;
    let report_output = args.report_output()?;
    print(&note_on_links(&profile, network.as_ref()));
    let folder = Args::folder(report_output.as_ref())?;
    let report = folder.join("report.csv");
    let environment = args.environment(&report, &profile, network.as_ref())?;
    let outcome = start(command.with_preload(library, &environment)?)?;
    let printed = args.keep_and_print(&report, report_output.as_ref());
    match (printed, Failure::check_exit_code(outcome.code)) {
        (Err(failure), Err(passed)) => {
            failure.report();
            Err(passed)
        }
        (printed, passed) => passed.and(printed),
    }
}

/// Runs `command` to its end. A launcher that gets SIGTERM, also when netsig is killed, ends its
/// ranks.
fn start(command: std::process::Command) -> Result<CommandOutcome, Failure> {
    let program = PathBuf::from(command.get_program());
    let started = RunningCommand::start(command, Signal::SIGTERM, SignalWatch::start());
    let running = started.with_context(|| format!("{}: cannot be started; check the path", program.display()));
    Ok(running.map_err(Failure::unusable)?.wait()?)
}

impl Args {
    /// The file of --output.
    fn report_output(&self) -> Result<Option<OutputPath>, Failure> {
        let optional_inputs = [Some(self.profile.as_path()), self.network.path()];
        let inputs: Vec<&Path> = optional_inputs.into_iter().flatten().collect();
        let path = self.output.as_deref();
        path.map(|path| OutputPath::replacing("--output", path, FileKind::Report, &inputs))
            .transpose()
    }

    /// A temporary folder that the host of rank 0 can see too: beside the file of --output, or in
    /// the current directory.
    fn folder(report_output: Option<&OutputPath>) -> Result<Temporary<TempDir>, Failure> {
        let destination = report_output.map(OutputPath::destination);
        let parent = destination.map_or(Path::new("."), Destination::folder);
        let place = absolute_path(parent)?;
        let mut builder = tempfile::Builder::new();
        let made = Temporary::new(|| builder.prefix("netsig-").tempdir_in(place));
        made.with_context(|| {
            format!(
                "{}: cannot be written; give --output a file in another directory",
                parent.display()
            )
        })
        .map_err(Failure::unusable)
    }

    /// The variables of the interposer.
    fn environment(
        &self,
        report: &Path,
        profile: &Profile,
        network: Option<&Network>,
    ) -> Result<Vec<(&'static str, String)>, Failure> {
        let folder = files::parent(report);
        let mode = match self.mode {
            InterposerMode::On => "on",
            InterposerMode::Report => "report",
        };
        let mut variables = vec![
            ("NETSIG_PROFILE", text(self.profile_file(profile, folder)?)?),
            ("NETSIG_INTERPOSE", mode.to_owned()),
            (REDUCTIONS, self.reductions()?.to_string()),
            ("NETSIG_REPORT", text(report)?),
        ];
        if let Some(network) = network {
            let path = self.network_file(network, folder)?;
            variables.push(("NETSIG_NETWORK", text(path)?));
        }
        Ok(variables)
    }

    /// What may change in reductions.
    fn reductions(&self) -> Result<ReductionMode, Failure> {
        if let Some(change) = self.reductions {
            return Ok(change.mode());
        }
        let given = std::env::var_os(REDUCTIONS).filter(|text| !text.is_empty());
        let Some(text) = given.map(|text| text.to_string_lossy().into_owned()) else {
            return Ok(ReductionMode::default());
        };
        let wrong = |_| Failure::usage(format!("{REDUCTIONS}={text} is none of off, same-order and on"));
        text.parse().map_err(wrong)
    }

    /// The profile as a file that rank 0 can read: the user's own, or one in `folder` for a profile from a pipe.
    fn profile_file(&self, profile: &Profile, folder: &Path) -> Result<PathBuf, Failure> {
        if files::is_lasting(&self.profile) {
            return absolute_path(&self.profile);
        }
        let path = folder.join("profile.toml");
        fs::write(&path, profile.to_toml()).with_context(|| files::unwritable(&path))?;
        Ok(path)
    }

    /// The network as a .toml file: the user's own, or one in `folder` for a network of another
    /// form.
    fn network_file(&self, network: &Network, folder: &Path) -> Result<PathBuf, Failure> {
        let is_toml = |path: &&Path| path.extension().is_some_and(|end| end == "toml");
        if let Some(named_path) = self.network.path().filter(is_toml) {
            return absolute_path(named_path);
        }
        let path = folder.join(format!("{}.toml", network.name));
        fs::write(&path, network.to_toml()).with_context(|| files::unwritable(&path))?;
        Ok(path)
    }

    /// Keeps and prints the report of a program that has ended.
    fn keep_and_print(&self, report: &Path, report_output: Option<&OutputPath>) -> Result<(), Failure> {
        let text = fs::read_to_string(report).unwrap_or_default();
        if text.trim().is_empty() {
            print_warning(
                "the interposer wrote no report: the program did not call MPI_Finalize, is linked statically, was passed no variables by its launcher, or a line above has the reason",
            );
            return Ok(());
        }
        report_output.map_or(Ok(()), |output| output.replace(text.as_bytes()))?;
        match InterposerReport::parse("the report", &text) {
            Ok(report) => self.print(&report),
            Err(error) => {
                print_warning(error);
                Ok(())
            }
        }
    }

    /// Prints the report. The interposer writes one without calls when the program starts.
    fn print(&self, report: &InterposerReport) -> Result<(), Failure> {
        for note in &report.notes {
            print_remark(note);
        }
        if report.calls.is_empty() {
            print_warning("the report has no calls: the program made none, or ended before MPI_Finalize");
        }
        let left = report.calls.iter().filter_map(|row| Some(row.left_gain?.0));
        let left_gain: f64 = left.filter(|gain| *gain > 0.0).sum();
        if left_gain > 0.0 {
            print_remark(format!(
                "reductions kept their bits; any order of the operands (--reductions on) is predicted to save {} more",
                Seconds(left_gain)
            ));
        }
        Ok(print_rows(&rows(report), self.print)?)
    }
}

fn rows(report: &InterposerReport) -> PrintedRows {
    let text = |text: &Option<String>| PrintedCell::if_some(text.as_ref(), PrintedCell::text);
    PrintedRows::of(&report.calls)
        .column("collective", |row| PrintedCell::text(&row.collective))
        .column("procs", |row| PrintedCell::if_some(row.procs, PrintedCell::number))
        .column("size_bytes", |row| PrintedCell::if_some(row.size, PrintedCell::size))
        .column("calls", |row| PrintedCell::number(row.call_count))
        .detail(1, "time_s", |row| PrintedCell::time(row.time))
        .column("algorithm", |row| text(&row.algorithm))
        .detail(3, "call_s", |row| {
            PrintedCell::if_some(row.call_time, PrintedCell::time)
        })
        .detail(3, "library_call_s", |row| {
            PrintedCell::if_some(row.library_call_time, PrintedCell::time)
        })
        .detail(4, "library_calls", |row| PrintedCell::number(row.library_call_count))
        .detail(4, "predicted_library_s", |row| {
            PrintedCell::if_some(row.predicted_library, PrintedCell::time)
        })
        .detail(4, "predicted_s", |row| {
            PrintedCell::if_some(row.predicted, PrintedCell::time)
        })
        .column("saved_s", |row| PrintedCell::if_some(row.saved, PrintedCell::time))
        .detail(4, "left_gain_s", |row| {
            PrintedCell::if_some(row.left_gain, PrintedCell::time)
        })
        .detail(2, "reason", |row| text(&row.reason))
        .rows
}
