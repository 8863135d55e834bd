//! `netsig run`: runs a program with the interposer preloaded into its ranks, and prints its report.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use netsig_base::network::Network;
use netsig_lab::{Outcome, Running, Watch};
use netsig_model::predict::notes::on_links;
use netsig_model::predict::rate::other_rate;
use netsig_model::profile::Profile;
use nix::sys::signal::Signal;
use tempfile::TempDir;

use crate::input::args::Mpi;
use crate::input::destination::Destination;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::interrupt::Temporary;
use crate::input::kind::Kind;
use crate::input::network::NetworkArgs;
use crate::input::output::Output;
use crate::input::report::Report;
use crate::job::launch::absolute;
use crate::job::launch::preloaded::{MpiCommand, text};
use crate::print::notes::print;
use crate::print::rows::{Cell, PrintArgs, Rows};

/// Run an MPI program whose collectives take the fastest algorithms that the profile predicts.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The profile that `netsig fit` wrote; rank 0 reads it.
    profile: PathBuf,
    /// Replace calls, or only report what would be replaced.
    #[arg(long, value_enum, default_value = "on")]
    mode: Mode,
    /// Keep the report in this file, as CSV.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// The MPI of the program, if the command does not begin with its mpirun; ranks then inherit
    /// the environment of the command.
    #[arg(long, value_enum)]
    mpi: Option<Mpi>,
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
  netsig run alltoall.toml --report calls.csv -- srun -n 32 ./program";

/// Effect of the interposer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
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
    if let Some(problem) = other_rate(&profile, network.as_ref()) {
        let problem = format!("{problem}; name the network that was measured");
        return Err(Failure::data(problem).about(&args.profile));
    }
    let (program, arguments) = args.command.split_first().expect("clap requires a word");
    let command = MpiCommand::recognise((program, arguments), args.mpi)?;
    let library = command.interposer()?;
    let kept = args.kept()?;
    print(&on_links(&profile, network.as_ref()));
    let folder = Args::folder(kept.as_ref())?;
    let report = folder.join("report.csv");
    let environment = args.environment(&report, &profile, network.as_ref())?;
    let outcome = start(command.with(library, &environment)?)?;
    let told = args.tell(&report, kept.as_ref());
    match (told, Failure::passed(outcome.code)) {
        (Err(failure), Err(passed)) => {
            failure.report();
            Err(passed)
        }
        (told, passed) => passed.and(told),
    }
}

/// Runs `command` to its end. A launcher that gets SIGTERM, also when netsig is killed, ends its
/// ranks.
fn start(command: std::process::Command) -> Result<Outcome, Failure> {
    let program = PathBuf::from(command.get_program());
    let running = Running::start(command, Signal::SIGTERM, Watch::start());
    let running = running.with_context(|| format!("{}: cannot be started; check the path", program.display()));
    Ok(running.map_err(Failure::unusable)?.wait()?)
}

impl Args {
    /// The file of --report.
    fn kept(&self) -> Result<Option<Output>, Failure> {
        let inputs = [Some(self.profile.as_path()), self.network.path()];
        let inputs: Vec<&Path> = inputs.into_iter().flatten().collect();
        let path = self.report.as_deref();
        path.map(|path| Output::replacing("--report", path, Kind::Report, &inputs))
            .transpose()
    }

    /// A temporary folder that the host of rank 0 can see too: beside the file of --report, or in
    /// the current directory.
    fn folder(kept: Option<&Output>) -> Result<Temporary<TempDir>, Failure> {
        let destination = kept.map(Output::destination);
        let parent = destination.map_or(Path::new("."), Destination::folder);
        let place = absolute(parent)?;
        let mut builder = tempfile::Builder::new();
        let made = Temporary::new(|| builder.prefix("netsig-").tempdir_in(place));
        made.with_context(|| {
            format!(
                "{}: cannot be written; give --report a file in another directory",
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
            Mode::On => "on",
            Mode::Report => "report",
        };
        let mut variables = vec![
            ("NETSIG_PROFILE", text(self.profile_file(profile, folder)?)?),
            ("NETSIG_INTERPOSE", mode.to_owned()),
            ("NETSIG_REPORT", text(report)?),
        ];
        if let Some(network) = network {
            let path = self.network_file(network, folder)?;
            variables.push(("NETSIG_NETWORK", text(path)?));
        }
        Ok(variables)
    }

    /// The profile as a file that rank 0 can read: the user's own, or one in `folder` for a profile from a pipe.
    fn profile_file(&self, profile: &Profile, folder: &Path) -> Result<PathBuf, Failure> {
        if files::is_lasting(&self.profile) {
            return absolute(&self.profile);
        }
        let path = folder.join("profile.toml");
        fs::write(&path, profile.to_toml()).with_context(|| files::unwritable(&path))?;
        Ok(path)
    }

    /// The network as a .toml file: the user's own, or one in `folder` for a network of another
    /// form.
    fn network_file(&self, network: &Network, folder: &Path) -> Result<PathBuf, Failure> {
        let is_toml = |path: &&Path| path.extension().is_some_and(|end| end == "toml");
        if let Some(own) = self.network.path().filter(is_toml) {
            return absolute(own);
        }
        let path = folder.join(format!("{}.toml", network.name));
        fs::write(&path, network.to_toml()).with_context(|| files::unwritable(&path))?;
        Ok(path)
    }

    /// Keeps and prints the report of a program that has ended.
    fn tell(&self, report: &Path, kept: Option<&Output>) -> Result<(), Failure> {
        let text = fs::read_to_string(report).unwrap_or_default();
        if text.trim().is_empty() {
            eprintln!(
                "netsig: warning: the interposer wrote no report: the program did not call MPI_Finalize, is linked statically, was passed no variables by its launcher, or a line above has the reason"
            );
            return Ok(());
        }
        kept.map_or(Ok(()), |kept| kept.replace(text.as_bytes()))?;
        match Report::parse("the report", &text) {
            Ok(report) => self.print(&report),
            Err(error) => {
                eprintln!("netsig: warning: {error}");
                Ok(())
            }
        }
    }

    /// Prints the report. The interposer writes one without calls when the program starts.
    fn print(&self, report: &Report) -> Result<(), Failure> {
        for note in &report.notes {
            eprintln!("netsig: note: {note}");
        }
        if report.calls.is_empty() {
            eprintln!("netsig: warning: the report has no calls: the program made none, or ended before MPI_Finalize");
        }
        Ok(rows(report).print(self.print)?)
    }
}

fn rows(report: &Report) -> Rows {
    let text = |text: &Option<String>| Cell::if_some(text.as_ref(), Cell::text);
    Rows::of(&report.calls)
        .column("collective", |row| Cell::text(&row.collective))
        .column("procs", |row| Cell::if_some(row.procs, Cell::number))
        .column("size_bytes", |row| Cell::if_some(row.size, Cell::size))
        .column("calls", |row| Cell::number(row.number))
        .column("time_s", |row| Cell::time(row.time))
        .column("algorithm", |row| text(&row.algorithm))
        .column("call_s", |row| Cell::if_some(row.call, Cell::time))
        .column("library_call_s", |row| Cell::if_some(row.library_call, Cell::time))
        .detail(1, "library_calls", |row| Cell::number(row.left))
        .detail(1, "predicted_library_s", |row| {
            Cell::if_some(row.predicted_library, Cell::time)
        })
        .detail(1, "predicted_s", |row| Cell::if_some(row.predicted, Cell::time))
        .column("saved_s", |row| Cell::if_some(row.saved, Cell::time))
        .column("reason", |row| text(&row.reason))
        .rows
}
