//! Starting a command in a fresh emulated cluster, and its end.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use netsig_core::network::scenario::Scenario;
use nix::sys::signal::Signal;

use crate::error::{LabError, system};
use crate::interrupt::Watch;
use crate::{INSIDE, inside, netns, softnet, verify};

/// How long an interrupted command may take to clean up.
const GRACE: Duration = Duration::from_secs(3);

/// How often a waiting [`Running`] looks whether the command has ended.
const GLANCE: Duration = Duration::from_millis(10);

/// The exit code of a command that Ctrl-C ended.
const INTERRUPTED: i32 = 128 + 2;

/// A command that runs in its emulated cluster. Dropping it kills both.
#[derive(Debug)]
pub struct Running {
    child: Child,
    drops_before: u64,
    watch: Watch,
    interrupted_at: Option<Instant>,
}

/// How a command in the lab ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The command's exit code; 128 + N if signal N ended it, 130 after Ctrl-C.
    pub code: i32,
    /// Packets that this machine itself dropped meanwhile for want of processor time.
    pub softnet_drops: u64,
}

impl Outcome {
    /// Why nothing measured in this run counts, if so.
    pub fn void_reason(&self) -> Option<String> {
        (self.softnet_drops > 0).then(|| {
            format!(
                "this machine dropped {} packets for want of processor time, so the run measured \
                 the machine and is void; stop other work or choose a slower scenario",
                self.softnet_drops
            )
        })
    }
}

/// Runs `command` in a fresh cluster of `scenario` and waits for its end.
///
/// # Errors
/// As [`command`], [`Running::start`] and [`Running::wait`].
pub fn exec(scenario: &Scenario, command: &[OsString]) -> Result<Outcome, LabError> {
    Running::start(self::command(scenario, command)?)?.wait()
}

/// What [`Running::start`] starts: `command` in a fresh cluster of `scenario`. Its input and
/// output are this process's own, unless set.
///
/// # Errors
/// If this machine cannot emulate it; see [`verify`].
pub fn command(scenario: &Scenario, command: &[OsString]) -> Result<Command, LabError> {
    verify(scenario)?;
    let program = std::env::current_exe().map_err(system("find", "this program"))?;
    let mut lab = netns::fresh()?;
    lab.arg(program)
        .args([INSIDE, scenario.name.as_str()])
        .args(command)
        .env(inside::SCENARIO, scenario.to_toml());
    Ok(lab)
}

impl Running {
    /// Starts the cluster and the command in it. The cluster dies with the *thread* that
    /// called this, so call it from one that lives long enough, such as `main`'s.
    ///
    /// # Errors
    /// If the system refuses to start a process. That the network cannot be built or
    /// the command not be found, the lab says on the command's standard error.
    pub fn start(mut command: Command) -> Result<Self, LabError> {
        end_with_this_process(&mut command, Signal::SIGKILL);
        Ok(Self {
            drops_before: softnet::drops()?,
            watch: Watch::start().map_err(system("watch for", "SIGINT"))?,
            child: command.spawn().map_err(system("start", "the lab"))?,
            interrupted_at: None,
        })
    }

    /// The process to watch or end from outside, whose end ends the whole lab, with the
    /// command's input and output if they were piped.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// How the command ended, if it has. After Ctrl-C the command has a moment to
    /// clean up, then this call ends it.
    ///
    /// # Errors
    /// If the system refuses to say, which it does not on any Linux in order.
    pub fn try_wait(&mut self) -> Result<Option<Outcome>, LabError> {
        self.end_if_interrupted();
        let status = self
            .child
            .try_wait()
            .map_err(system("wait for", "the lab"))?;
        status.map(|status| self.outcome(status)).transpose()
    }

    /// Waits for the command's end.
    ///
    /// # Errors
    /// As [`Running::try_wait`].
    pub fn wait(mut self) -> Result<Outcome, LabError> {
        loop {
            if let Some(outcome) = self.try_wait()? {
                return Ok(outcome);
            }
            std::thread::sleep(GLANCE);
        }
    }

    fn end_if_interrupted(&mut self) {
        if self.watch.saw_interrupt() {
            let since = *self.interrupted_at.get_or_insert_with(Instant::now);
            if since.elapsed() > GRACE {
                // It fails only if the command has just ended.
                let _ = self.child.kill();
            }
        }
    }

    fn outcome(&self, status: ExitStatus) -> Result<Outcome, LabError> {
        let code = match status.code() {
            _ if self.watch.saw_interrupt() => INTERRUPTED,
            Some(code) => code,
            None => 128 + status.signal().unwrap_or_default(),
        };
        let softnet_drops = softnet::drops()?.saturating_sub(self.drops_before);
        Ok(Outcome {
            code,
            softnet_drops,
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only if the command has ended and been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets the kernel send `signal` to `command` when the *thread* that starts it ends in
/// whatever way.
#[expect(
    unsafe_code,
    reason = "the only way to ask for it between fork and exec"
)]
pub fn end_with_this_process(command: &mut Command, signal: Signal) {
    let parent = nix::unistd::getpid();
    let ask = move || {
        nix::sys::prctl::set_pdeathsig(signal)?;
        // If the parent ended before it was asked for, nobody would be told any more.
        if nix::unistd::getppid() != parent {
            return Err(nix::errno::Errno::ESRCH.into());
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes two system calls; it neither
    // allocates nor takes a lock.
    unsafe { command.pre_exec(ask) };
}
