//! An MPI job under way, in an emulated cluster or not, and what it says.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, stderr};
use std::os::fd::AsFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use netsig_core::scenario::Scenario;
use netsig_lab::{Lab, Running};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::failure::Failure;
use crate::progress::Follower;

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
    process: Process,
    messages: Receiver<String>,
}

enum Process {
    Plain(Child),
    Lab(Running),
}

/// How a job ended.
pub struct End {
    /// The exit code.
    pub code: i32,
    /// Why nothing that it measured counts, if so.
    pub void: Option<String>,
}

impl Job {
    /// Starts `command`, in the lab if there is a scenario. What it prints goes to
    /// standard error: standard output is for results.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(command: &[OsString], scenario: Option<&Scenario>) -> Result<Self, Failure> {
        let output = stderr()
            .as_fd()
            .try_clone_to_owned()
            .context("standard error is closed")?;
        let output = Stdio::from(output);
        if let Some(scenario) = scenario {
            let lab = Lab::new(scenario)?
                .stdin(Stdio::null())
                .stdout(output)
                .stderr(Stdio::piped());
            let mut running = lab.spawn(command)?;
            let messages = lines(running.take_stderr());
            return Ok(Self {
                process: Process::Lab(running),
                messages,
            });
        }
        let (program, arguments) = command.split_first().expect("a command has a program");
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(Stdio::piped());
        let what = || {
            format!(
                "{} cannot be started; give another --mpirun",
                program.display()
            )
        };
        let mut child = command.spawn().with_context(what)?;
        let messages = lines(child.stderr.take());
        Ok(Self {
            process: Process::Plain(child),
            messages,
        })
    }

    /// Waits for the end of launch number `launch`, showing progress and passing on
    /// messages. A job that has measured everything but does not come to its end (some MPIs
    /// hang in `MPI_Finalize`) is ended.
    ///
    /// # Errors
    /// If the system refuses to say how the job does.
    pub fn follow(mut self, launch: u32, progress: &mut Follower) -> Result<End, Failure> {
        let mut complete_since: Option<Instant> = None;
        let end = loop {
            if let Some(end) = self.process.try_wait()? {
                break end;
            }
            self.messages
                .try_iter()
                .for_each(|line| pass_on(progress, &line));
            progress.look();
            if progress.launches_ended() > launch {
                let since = *complete_since.get_or_insert_with(Instant::now);
                if since.elapsed() > FAREWELL {
                    self.process.kill();
                }
            }
            thread::sleep(GLANCE);
        };
        while let Ok(line) = self.messages.recv_timeout(LAST_WORDS) {
            pass_on(progress, &line);
        }
        let was_ended = complete_since.is_some_and(|since| since.elapsed() > FAREWELL);
        Ok(if was_ended {
            End { code: 0, ..end }
        } else {
            end
        })
    }
}

fn pass_on(progress: &Follower, line: &str) {
    if !line.contains(NOISE) {
        progress.say(line);
    }
}

impl Process {
    fn try_wait(&mut self) -> Result<Option<End>, Failure> {
        match self {
            Self::Plain(child) => {
                let status = child
                    .try_wait()
                    .context("the MPI job cannot be waited for")?;
                Ok(status.map(|status| End {
                    code: status.code().unwrap_or(1),
                    void: None,
                }))
            }
            Self::Lab(running) => {
                let outcome = running.try_wait()?;
                Ok(outcome.map(|outcome| End {
                    code: outcome.code,
                    void: outcome.void_reason(),
                }))
            }
        }
    }
}

impl Process {
    /// Ends the job; that it has just ended by itself is no error.
    fn kill(&mut self) {
        match self {
            Self::Plain(child) => {
                let _ = child.kill();
            }
            Self::Lab(running) => {
                let lab = Pid::from_raw(running.id().cast_signed());
                let _ = kill(lab, Signal::SIGKILL);
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Self::Plain(child) = self {
            // Both fail only if the job has ended and been waited for.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The lines that come out of `source`, read by a thread that ends with it.
fn lines(source: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = channel();
    if let Some(source) = source {
        thread::spawn(move || {
            for line in BufReader::new(source).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
    }
    receiver
}
