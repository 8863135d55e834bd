//! A running MPI job, in an emulated cluster or not, and its output.

mod death;
pub mod launch;
mod process;
pub mod progress;
mod stall;
mod vigil;

use std::ffi::OsString;
use std::io::{BufRead, BufReader, pipe};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use netsig_core::network::scenario::Scenario;
use netsig_lab::Watch;
use netsig_measure::plan::JobId;

use self::progress::Follower;
use self::vigil::Vigil;
use crate::failure::Failure;
use process::{Exit, Process};

/// How often a running job is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// How long a job may take to end when it has measured everything.
const FAREWELL: Duration = Duration::from_secs(10);

/// How long the last messages of an ended job may take to arrive.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The exit code of what a signal has ended, less the number of that signal.
pub const BY_SIGNAL: i32 = 128;

/// A message of Open MPI's launcher that means nothing: its process group was set by the
/// child before the parent came to it.
const NOISE: &str = "plm:rsh: Warning: setpgid(";

/// A started job.
pub struct Job {
    process: Process,
    messages: Receiver<String>,
    watch: Watch,
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
    pub fn start(command: &[OsString], scenario: Option<&Scenario>) -> Result<Self, Failure> {
        let watch = watch()?;
        let (output, writer) = pipe().context("no pipe can be made")?;
        let process = Process::start(command, scenario, writer)?;
        let (sender, messages) = channel();
        thread::spawn(move || {
            let lines = BufReader::new(output).split(b'\n').map_while(Result::ok);
            let mut lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
            lines.try_for_each(|line| sender.send(line))
        });
        Ok(Self {
            process,
            messages,
            watch,
        })
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
            if let Some(exit) = self.process.try_wait(&self.watch)? {
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
                let exit = self.process.end(&self.watch)?;
                return Ok(exit.void.map_or(end, End::Void));
            }
            thread::sleep(GLANCE);
        }
    }

    /// Takes note of a line and shows it, if it is for people.
    fn pass_on(&self, line: &str, vigil: &mut Vigil, progress: &Follower) {
        let is_noise = line.contains(NOISE) || self.watch.saw_interrupt();
        if let Some(line) = vigil.hear(line, Instant::now()).filter(|_| !is_noise) {
            progress.say(line);
        }
    }

    /// The end of a job that ended by itself.
    fn end(&self, exit: Exit, job: JobId, vigil: Vigil, progress: &Follower) -> End {
        if let Some(reason) = exit.void {
            return End::Void(reason);
        }
        if self.watch.saw_interrupt() {
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

/// Takes note of Ctrl-C from now on.
///
/// # Errors
/// If the system refuses.
pub fn watch() -> Result<Watch, Failure> {
    let watch = Watch::start().map_err(std::io::Error::from);
    Ok(watch.context("Ctrl-C cannot be watched for")?)
}
