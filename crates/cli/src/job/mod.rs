//! A running MPI job, in an emulated cluster or not, and its output.

mod hang;
pub mod installed;
pub mod launch;
mod monitor;
pub mod progress;
mod rank_death;
mod unreachable_hosts;

use std::ffi::OsString;
use std::io::{BufRead, BufReader, PipeWriter, pipe};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use netsig_base::network::Network;
use netsig_lab::{CommandOutcome, RunningCommand, SIGNAL_EXIT_CODE_BASE, SignalWatch};
use netsig_measure::plan::JobId;
use nix::sys::signal::Signal;

use self::monitor::JobMonitor;
use self::progress::ProgressFollower;
use crate::input::failure::Failure;

/// Interval between checks of a running job.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Time for a job to end after it has measured everything.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Time for the last messages of an ended job to arrive.
const LAST_MESSAGES_TIMEOUT: Duration = Duration::from_secs(1);

/// A meaningless message of Open MPI's launcher: the child set its process group before the parent
/// did.
const IGNORED_MESSAGE: &str = "plm:rsh: Warning: setpgid(";

/// A started job.
pub struct RunningJob {
    process: RunningCommand,
    messages: Receiver<String>,
}

/// The end of a job.
#[derive(Debug, PartialEq, Eq)]
pub enum JobEnd {
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

impl RunningJob {
    /// Starts `command`, in the lab if there is a scenario.
    ///
    /// # Errors
    /// If the command cannot be started.
    pub fn start(command: &[OsString], scenario: Option<&Network>) -> Result<Self, Failure> {
        let watch = SignalWatch::start();
        let (output, writer) = pipe().context("no pipe can be made")?;
        let process = start(command, scenario, writer, watch)?;
        let (sender, messages) = channel();
        thread::spawn(move || {
            let raw_lines = BufReader::new(output).split(b'\n').map_while(Result::ok);
            let mut lines = raw_lines.map(|line| String::from_utf8_lossy(&line).into_owned());
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
    pub fn follow(mut self, job: JobId, timeout: Duration, progress: &mut ProgressFollower) -> Result<JobEnd, Failure> {
        let mut monitor = JobMonitor::new(timeout, Instant::now());
        let mut complete_since: Option<Instant> = None;
        loop {
            if let Some(exit) = self.process.try_wait()? {
                while let Ok(line) = self.messages.recv_timeout(LAST_MESSAGES_TIMEOUT) {
                    self.handle_line(&line, &mut monitor, progress);
                }
                progress.check_until_complete();
                return Ok(self.end(exit, job, monitor, progress));
            }
            let now = Instant::now();
            for line in self.messages.try_iter() {
                self.handle_line(&line, &mut monitor, progress);
            }
            progress.check_if_due();
            let end = if progress.has_ended(job) {
                let since = *complete_since.get_or_insert(now);
                (now - since > EXIT_TIMEOUT).then_some(JobEnd::Complete)
            } else {
                let unreachable_reason = monitor
                    .reason_if_unreachable(now, progress.last_growth())
                    .map(JobEnd::Failed);
                let verdict = || monitor.reason_to_end(now, progress.last_growth(), progress.hosts(job));
                unreachable_reason.or_else(|| verdict().map(JobEnd::Lost))
            };
            if let Some(end) = end {
                let exit = self.process.end()?;
                let interrupt = self.process.interrupt_code();
                let final_end = interrupt.map_or(end, JobEnd::Interrupted);
                return Ok(exit.void_reason().map_or(final_end, JobEnd::Void));
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Evaluates a line of output, and shows it unless it is for netsig only.
    fn handle_line(&self, line: &str, monitor: &mut JobMonitor, progress: &ProgressFollower) {
        let is_noise = line.contains(IGNORED_MESSAGE) || self.process.interrupt_code().is_some();
        if let Some(line) = monitor.read_line(line, Instant::now()).filter(|_| !is_noise) {
            progress.print_message(line);
        }
    }

    /// The end of a job that exited without netsig's intervention.
    fn end(&self, exit: CommandOutcome, job: JobId, monitor: JobMonitor, progress: &ProgressFollower) -> JobEnd {
        if let Some(reason) = exit.void_reason() {
            return JobEnd::Void(reason);
        }
        if let Some(code) = self.process.interrupt_code() {
            return JobEnd::Interrupted(code);
        }
        if exit.code == 0 || progress.has_ended(job) {
            return JobEnd::Complete;
        }
        if let Some(reason) = monitor.reason {
            return JobEnd::Failed(reason);
        }
        match (
            monitor.death.in_words(progress.hosts(job)),
            exit.code - SIGNAL_EXIT_CODE_BASE,
        ) {
            (Some(death), _) => JobEnd::Lost(death),
            (None, signal @ 1..=64) => JobEnd::Failed(format!("the MPI job was killed by signal {signal}")),
            (None, _) => JobEnd::Failed(format!(
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
    watch: SignalWatch,
) -> Result<RunningCommand, Failure> {
    let (program, arguments) = command.split_first().expect("a command has a program");
    let mut job_command = match scenario {
        Some(scenario) => netsig_lab::command(scenario, command)?,
        None => Command::new(program),
    };
    let errors = output.try_clone().context("no pipe can be made")?;
    job_command.stdin(Stdio::null()).stdout(output).stderr(errors);
    if scenario.is_some() {
        return Ok(RunningCommand::in_lab(job_command, watch)?);
    }
    job_command.args(arguments);
    // A launcher that outlives netsig would continue to write data.
    let running = RunningCommand::start(job_command, Signal::SIGTERM, watch);
    Ok(running.with_context(|| {
        let program = program.display();
        format!("{program} cannot be started; give another --mpirun")
    })?)
}
