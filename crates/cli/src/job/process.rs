//! The process of a job: a launcher on this machine, or an emulated cluster with one in it.

use std::ffi::OsString;
use std::io::PipeWriter;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use netsig_core::network::scenario::Scenario;
use netsig_lab::{Running, Watch, end_with_this_process};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{BY_SIGNAL, GLANCE};
use crate::failure::Failure;

/// How long a launcher may take to end its ranks once it is asked to.
const GRACE: Duration = Duration::from_secs(5);

/// How long it may take to end them by itself after Ctrl-C.
const PATIENCE: Duration = Duration::from_secs(3);

/// A process to wait for. Dropping it ends it.
pub enum Process {
    /// A launcher.
    Plain(Plain),
    /// An emulated cluster.
    Lab(Running),
}

/// A launcher on this machine.
pub struct Plain {
    child: Child,
    interrupted: Option<Instant>,
    asked_to_end: Option<Instant>,
}

/// How a process ended.
#[derive(Debug)]
pub struct Exit {
    /// The exit code.
    pub code: i32,
    /// Why nothing that it measured counts, if so.
    pub void: Option<String>,
}

impl Process {
    /// Starts `command`, in the lab if there is a scenario; what it prints goes to `output`.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(
        command: &[OsString],
        scenario: Option<&Scenario>,
        output: PipeWriter,
    ) -> Result<Self, Failure> {
        let errors = output.try_clone().context("no pipe can be made")?;
        if let Some(scenario) = scenario {
            let mut lab = netsig_lab::command(scenario, command)?;
            lab.stdin(Stdio::null()).stdout(output).stderr(errors);
            return Ok(Self::Lab(Running::start(lab)?));
        }
        let (program, arguments) = command.split_first().expect("a command has a program");
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors);
        // A launcher that outlived netsig would go on writing data.
        end_with_this_process(&mut command, Signal::SIGTERM);
        let child = command.spawn().with_context(|| {
            let program = program.display();
            format!("{program} cannot be started; give another --mpirun")
        })?;
        Ok(Self::Plain(Plain {
            child,
            interrupted: None,
            asked_to_end: None,
        }))
    }

    /// How it ended, if it has. After Ctrl-C it has a moment to clean up, then this call
    /// ends it.
    ///
    /// # Errors
    /// If the system refuses to say.
    pub fn try_wait(&mut self, watch: &Watch) -> Result<Option<Exit>, Failure> {
        match self {
            Self::Plain(plain) => plain.try_wait(watch),
            Self::Lab(running) => Ok(running.try_wait()?.map(|outcome| Exit {
                code: outcome.code,
                void: outcome.void_reason(),
            })),
        }
    }

    /// Ends it and waits until it has.
    ///
    /// # Errors
    /// If the system refuses to say how it ended.
    pub fn end(&mut self, watch: &Watch) -> Result<Exit, Failure> {
        match self {
            Self::Plain(plain) => plain.ask_to_end(),
            // The kernel ends everything in the lab with its first process.
            Self::Lab(running) => send(running.child().id(), Signal::SIGKILL),
        }
        loop {
            if let Some(exit) = self.try_wait(watch)? {
                return Ok(exit);
            }
            thread::sleep(GLANCE);
        }
    }
}

impl Plain {
    fn try_wait(&mut self, watch: &Watch) -> Result<Option<Exit>, Failure> {
        if watch.saw_interrupt() && self.asked_to_end.is_none() {
            let since = *self.interrupted.get_or_insert_with(Instant::now);
            // The terminal has told the launcher too; told twice, some clean up nothing.
            if since.elapsed() > PATIENCE {
                self.ask_to_end();
            }
        }
        let asked = self.asked_to_end;
        if asked.is_some_and(|since| since.elapsed() > GRACE) {
            // It fails only if the launcher has just ended.
            let _ = self.child.kill();
        }
        let status = self.child.try_wait();
        let status = status.context("the MPI job cannot be waited for")?;
        Ok(status.map(|status| Exit {
            code: status
                .code()
                .unwrap_or_else(|| BY_SIGNAL + status.signal().unwrap_or_default()),
            void: None,
        }))
    }

    /// Launchers end their ranks when they are asked to end, and cannot when killed.
    fn ask_to_end(&mut self) {
        self.asked_to_end = Some(Instant::now());
        send(self.child.id(), Signal::SIGTERM);
    }
}

impl Drop for Plain {
    fn drop(&mut self) {
        // Both fail only if the job has ended and been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal; that the process has just ended by itself is no error.
fn send(process: u32, signal: Signal) {
    let _ = kill(Pid::from_raw(process.cast_signed()), signal);
}
