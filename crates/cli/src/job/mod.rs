//! A running MPI job, in an emulated cluster or not, and its output.

mod death;
pub mod installed;
pub mod launch;
mod parted;
pub mod progress;
mod stall;
mod vigil;

use std::ffi::OsString;
use std::io::{BufRead, BufReader, PipeWriter, pipe};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use netsig_base::network::Network;
use netsig_lab::{BY_SIGNAL, Outcome, Running, Watch};
use netsig_measure::plan::JobId;
use nix::sys::signal::Signal;

use self::progress::Follower;
use self::vigil::Vigil;
use crate::input::failure::Failure;

/// Interval between checks of a running job.
const GLANCE: Duration = Duration::from_millis(20);

/// Time for a job to end after it has measured everything.
const FAREWELL: Duration = Duration::from_secs(10);

/// Time for the last messages of an ended job to arrive.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A meaningless message of Open MPI's launcher: the child set its process group before the parent
/// did.
const NOISE: &str = "plm:rsh: Warning: setpgid(";

/// A started job.
pub struct Job {
    process: Running,
    messages: Receiver<String>,
}

/// The end of a job.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// The job completed its measurements.
    Complete,
    /// The measurements are void, for this reason.
    Void(String),
    /// Ctrl-C or SIGTERM ended the job, with the exit code of the signal.
    Interrupted(i32),
    /// A rank died or hung; the text names it.
    Lost(String),
    /// The job failed, for this reason.
    Failed(String),
}

impl Job {
    /// Starts `command`, in the lab if there is a scenario.
    ///
    /// # Errors
    /// If the command cannot be started.
    pub fn start(command: &[OsString], scenario: Option<&Network>) -> Result<Self, Failure> {
        let watch = Watch::start();
        let (output, writer) = pipe().context("no pipe can be made")?;
        let process = start(command, scenario, writer, watch)?;
        let (sender, messages) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).split(b'\n').map_while(Result::ok);
            let mut lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
            lines.try_for_each(|line| sender.send(line))
        });
        Ok(Self { process, messages })
    }

    /// Waits for the end of `job`, shows progress and forwards messages. Ranks report after
    /// `timeout` without a step. The job's output goes to standard error, because standard output
    /// is for results. Ends a job that has measured everything but does not exit (some MPIs hang in
    /// `MPI_Finalize`), and a job that hangs.
    ///
    /// # Errors
    /// If the state of the job cannot be read.
    pub fn follow(mut self, job: JobId, timeout: Duration, progress: &mut Follower) -> Result<End, Failure> {
        let mut vigil = Vigil::new(timeout, Instant::now());
        let mut complete_since: Option<Instant> = None;
        loop {
            if let Some(exit) = self.process.try_wait()? {
                while let Ok(line) = self.messages.recv_timeout(LAST_WORDS) {
                    self.pass_on(&line, &mut vigil, progress);
                }
                progress.look_until_quiet();
                return Ok(self.end(exit, job, vigil, progress));
            }
            let now = Instant::now();
            for line in self.messages.try_iter() {
                self.pass_on(&line, &mut vigil, progress);
            }
            progress.look();
            let end = if progress.has_ended(job) {
                let since = *complete_since.get_or_insert(now);
                (now - since > FAREWELL).then_some(End::Complete)
            } else {
                let parting = vigil.parting(now, progress.grown()).map(End::Failed);
                let verdict = || vigil.verdict(now, progress.grown(), progress.hosts(job));
                parting.or_else(|| verdict().map(End::Lost))
            };
            if let Some(end) = end {
                let exit = self.process.end()?;
                let interrupt = self.process.interrupt_code();
                let end = interrupt.map_or(end, End::Interrupted);
                return Ok(exit.void_reason().map_or(end, End::Void));
            }
            thread::sleep(GLANCE);
        }
    }

    /// Evaluates a line of output, and shows it unless it is for netsig only.
    fn pass_on(&self, line: &str, vigil: &mut Vigil, progress: &Follower) {
        let is_noise = line.contains(NOISE) || self.process.interrupt_code().is_some();
        if let Some(line) = vigil.hear(line, Instant::now()).filter(|_| !is_noise) {
            progress.say(line);
        }
    }

    /// The end of a job that exited without netsig's intervention.
    fn end(&self, exit: Outcome, job: JobId, vigil: Vigil, progress: &Follower) -> End {
        if let Some(reason) = exit.void_reason() {
            return End::Void(reason);
        }
        if let Some(code) = self.process.interrupt_code() {
            return End::Interrupted(code);
        }
        if exit.code == 0 || progress.has_ended(job) {
            return End::Complete;
        }
        if let Some(reason) = vigil.reason {
            return End::Failed(reason);
        }
        match (vigil.death.tell(progress.hosts(job)), exit.code - BY_SIGNAL) {
            (Some(death), _) => End::Lost(death),
            (None, signal @ 1..=64) => End::Failed(format!("the MPI job was killed by signal {signal}")),
            (None, _) => End::Failed(format!(
                "the MPI job ended with code {}, for the reason above",
                exit.code
            )),
        }
    }
}

/// Starts `command`, in the lab if there is a scenario, with its output to `output`.
fn start(
    command: &[OsString],
    scenario: Option<&Network>,
    output: PipeWriter,
    watch: Watch,
) -> Result<Running, Failure> {
    let (program, arguments) = command.split_first().expect("a command has a program");
    let mut started = match scenario {
        Some(scenario) => netsig_lab::command(scenario, command)?,
        None => Command::new(program),
    };
    let errors = output.try_clone().context("no pipe can be made")?;
    started.stdin(Stdio::null()).stdout(output).stderr(errors);
    if scenario.is_some() {
        return Ok(Running::in_lab(started, watch)?);
    }
    started.args(arguments);
    // A launcher that outlives netsig would continue to write data.
    let running = Running::start(started, Signal::SIGTERM, watch);
    Ok(running.with_context(|| {
        let program = program.display();
        format!("{program} cannot be started; give another --mpirun")
    })?)
}
