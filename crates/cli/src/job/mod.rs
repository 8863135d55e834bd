//! A running MPI job, in an emulated cluster or not, and its output.

mod death;
pub mod launch;
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
use netsig_core::network::Network;
use netsig_lab::{BY_SIGNAL, Outcome, Running, Watch};
use netsig_measure::plan::JobId;
use nix::sys::signal::Signal;

use self::progress::Follower;
use self::vigil::Vigil;
use crate::input::failure::Failure;

/// How often a running job is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// How long a job may take to end when it has measured everything.
const FAREWELL: Duration = Duration::from_secs(10);

/// How long the last messages of an ended job may take to arrive.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A message of Open MPI's launcher that means nothing: its process group was set by the
/// child before the parent came to it.
const NOISE: &str = "plm:rsh: Warning: setpgid(";

/// A started job.
pub struct Job {
    process: Running,
    messages: Receiver<String>,
}

/// How a job ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// It has done everything.
    Complete,
    /// Nothing that it measured counts, for this reason.
    Void(String),
    /// By Ctrl-C.
    Interrupted,
    /// A rank that is named here died or hung.
    Lost(String),
    /// By itself, for this reason.
    Failed(String),
}

impl Job {
    /// Starts `command`, in the lab if there is a scenario.
    ///
    /// # Errors
    /// If it cannot be started.
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

    /// Waits for the end of `job`, whose ranks report after `timeout` without a step, showing
    /// progress and passing on messages. What a job prints goes to standard error: standard
    /// output is for results. A job that has measured everything but does not come to its end
    /// (some MPIs hang in `MPI_Finalize`) is ended, as is one that hangs.
    ///
    /// # Errors
    /// If the system refuses to say how the job does.
    pub fn follow(
        mut self,
        job: JobId,
        timeout: Duration,
        progress: &mut Follower,
    ) -> Result<End, Failure> {
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
                let why = vigil.verdict(now, progress.grown(), progress.hosts(job));
                why.map(End::Lost)
            };
            if let Some(end) = end {
                let exit = self.process.end()?;
                return Ok(exit.void_reason().map_or(end, End::Void));
            }
            thread::sleep(GLANCE);
        }
    }

    /// Takes note of a line and shows it, if it is for people.
    fn pass_on(&self, line: &str, vigil: &mut Vigil, progress: &Follower) {
        let is_noise = line.contains(NOISE) || self.process.saw_interrupt();
        if let Some(line) = vigil.hear(line, Instant::now()).filter(|_| !is_noise) {
            progress.say(line);
        }
    }

    /// The end of a job that ended by itself.
    fn end(&self, exit: Outcome, job: JobId, vigil: Vigil, progress: &Follower) -> End {
        if let Some(reason) = exit.void_reason() {
            return End::Void(reason);
        }
        if self.process.saw_interrupt() {
            return End::Interrupted;
        }
        if exit.code == 0 || progress.has_ended(job) {
            return End::Complete;
        }
        if let Some(reason) = vigil.reason {
            return End::Failed(reason);
        }
        match (vigil.death.tell(progress.hosts(job)), exit.code - BY_SIGNAL) {
            (Some(death), _) => End::Lost(death),
            (None, signal @ 1..=64) => {
                End::Failed(format!("the MPI job was killed by signal {signal}"))
            }
            (None, _) => End::Failed(format!(
                "the MPI job ended with code {}, for the reason above",
                exit.code
            )),
        }
    }
}

/// Starts `command`, in the lab if there is a scenario; what it prints goes to `output`.
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
    // A launcher that outlived netsig would go on writing data.
    let running = Running::start(started, Signal::SIGTERM, watch);
    Ok(running.with_context(|| {
        let program = program.display();
        format!("{program} cannot be started; give another --mpirun")
    })?)
}
