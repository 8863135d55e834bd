//! A running MPI job, in an emulated cluster or not, and its output.

mod death;
pub mod launch;
mod process;
pub mod progress;
mod stall;
mod vigil;

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use netsig_core::network::scenario::Scenario;
use netsig_lab::Watch;
use netsig_measure::plan::JobId;

use self::progress::Follower;
use self::vigil::{Heard, Vigil};
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

/// What to expect of a job.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    /// Which of the campaign it is.
    pub job: JobId,
    /// After how long without a step its ranks report.
    pub timeout: Duration,
}

impl Job {
    /// Starts `command`, in the lab if there is a scenario.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(command: &[OsString], scenario: Option<&Scenario>) -> Result<Self, Failure> {
        let watch = watch()?;
        let mut process = Process::start(command, scenario)?;
        let (sender, messages) = channel();
        let (output, errors) = process.take_outputs();
        read_lines(output, sender.clone());
        read_lines(errors, sender);
        Ok(Self {
            process,
            messages,
            watch,
        })
    }

    /// Waits for the end, showing progress and passing on messages. What a job prints goes
    /// to standard error: standard output is for results. A job that has measured
    /// everything but does not come to its end (some MPIs hang in `MPI_Finalize`) is ended,
    /// as is one that hangs.
    ///
    /// # Errors
    /// If the system refuses to say how the job does.
    pub fn follow(mut self, expected: Expected, progress: &mut Follower) -> Result<End, Failure> {
        let mut vigil = Vigil::new(expected.timeout, Instant::now());
        let mut complete_since: Option<Instant> = None;
        loop {
            if let Some(exit) = self.process.try_wait()? {
                self.listen_to_last_words(&mut vigil, progress);
                progress.look_until_quiet();
                return Ok(end(exit, &vigil, expected, progress));
            }
            let now = Instant::now();
            for line in self.messages.try_iter() {
                self.pass_on(&line, &mut vigil, progress);
            }
            progress.look();
            if progress.has_ended(expected.job) {
                let since = *complete_since.get_or_insert(now);
                if now - since > FAREWELL {
                    return self.end_as(End::Complete);
                }
            } else if let Some(why) =
                vigil.verdict(now, progress.grown(), progress.hosts(expected.job))
            {
                return self.end_as(End::Lost(why));
            }
            thread::sleep(GLANCE);
        }
    }

    /// Takes note of a line and shows it, if it is for people.
    fn pass_on(&self, line: &str, vigil: &mut Vigil, progress: &Follower) {
        let is_noise = line.contains(NOISE) || self.watch.saw_interrupt();
        if vigil.hear(line, Instant::now()) == Heard::ForPeople && !is_noise {
            progress.say(line);
        }
    }

    /// Ends the job, whose end is `end` unless nothing counts.
    fn end_as(mut self, end: End) -> Result<End, Failure> {
        let exit = self.process.end()?;
        Ok(exit.void.map_or(end, End::Void))
    }

    fn listen_to_last_words(&self, vigil: &mut Vigil, progress: &Follower) {
        while let Ok(line) = self.messages.recv_timeout(LAST_WORDS) {
            self.pass_on(&line, vigil, progress);
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

/// The end of a job that ended by itself.
fn end(exit: Exit, vigil: &Vigil, expected: Expected, progress: &Follower) -> End {
    if let Some(reason) = exit.void {
        return End::Void(reason);
    }
    if exit.was_interrupted {
        return End::Interrupted;
    }
    if exit.code == 0 || progress.has_ended(expected.job) {
        return End::Complete;
    }
    if let Some(reason) = vigil.reason() {
        return End::Failed(reason);
    }
    vigil
        .death(progress.hosts(expected.job))
        .map_or_else(|| End::Failed(ended_with(exit.code)), End::Lost)
}

fn ended_with(code: i32) -> String {
    match code - BY_SIGNAL {
        signal @ 1..=64 => format!("the MPI job was killed by signal {signal}"),
        _ => format!("the MPI job ended with code {code}, for the reason above"),
    }
}

/// Sends the lines that come out of `source`, read by a thread that ends with it.
fn read_lines(source: Option<impl Read + Send + 'static>, sender: Sender<String>) {
    let Some(source) = source else { return };
    thread::spawn(move || {
        let mut lines = BufReader::new(source);
        let mut line = Vec::new();
        while lines
            .read_until(b'\n', &mut line)
            .is_ok_and(|count| count > 0)
        {
            let text = String::from_utf8_lossy(&line)
                .trim_end_matches('\n')
                .to_owned();
            if sender.send(text).is_err() {
                return;
            }
            line.clear();
        }
    });
}
