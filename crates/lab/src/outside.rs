//! Starting a command, mostly in a fresh emulated cluster, and its end.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use netsig_core::network::Network;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::error::{LabError, system, system_or};
use crate::interrupt::Watch;
use crate::{INSIDE, inside, netns, softnet, verify};

/// How long an interrupted command may take to clean up by itself.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long a command may take to end once it is asked to.
const GRACE: Duration = Duration::from_secs(5);

/// How often a waiting [`Running`] looks whether the command has ended.
const GLANCE: Duration = Duration::from_millis(10);

/// The exit code of what a signal has ended, less the number of that signal.
pub const BY_SIGNAL: i32 = 128;

/// The exit code of a command that Ctrl-C ended.
const INTERRUPTED: i32 = BY_SIGNAL + 2;

/// A command that runs, in its emulated cluster or in none. Dropping it kills both.
#[derive(Debug)]
pub struct Running {
    child: Child,
    /// What asks it to end.
    ends_by: Signal,
    /// In a cluster, what this machine had dropped before.
    drops_before: Option<u64>,
    watch: Watch,
    interrupted: Option<Instant>,
    asked_to_end: Option<Instant>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The command's exit code; 128 + N if signal N ended it, 130 after Ctrl-C.
    pub code: i32,
    /// Packets that this machine itself dropped meanwhile for want of processor time; 0 of a
    /// command outside of a cluster.
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
/// As [`command`], [`Running::in_lab`] and [`Running::wait`].
pub fn exec(network: &Network, command: &[OsString]) -> Result<Outcome, LabError> {
    Running::in_lab(self::command(network, command)?, Watch::start())?.wait()
}

/// What [`Running::in_lab`] starts: `command` in a fresh cluster of `scenario`. Its input and
/// output are this process's own, unless set.
///
/// # Errors
/// If this machine cannot emulate it; see [`verify`].
pub fn command(network: &Network, command: &[OsString]) -> Result<Command, LabError> {
    verify(network)?;
    let program = std::env::current_exe().map_err(system("find", "this program"))?;
    let mut lab = netns::fresh()?;
    lab.arg(program)
        .args([INSIDE, network.name.as_str()])
        .args(command)
        .env(inside::SCENARIO, network.to_toml());
    Ok(lab)
}

impl Running {
    /// Starts the cluster and the command in it. The cluster dies with the *thread* that
    /// called this, so call it from one that lives long enough, such as `main`'s.
    ///
    /// # Errors
    /// If the system refuses to start a process. That the network cannot be built or
    /// the command not be found, the lab says on the command's standard error.
    pub fn in_lab(command: Command, watch: Watch) -> Result<Self, LabError> {
        let drops_before = softnet::drops()?;
        // The kernel ends everything in the lab with its first process.
        let running = Self::start(command, Signal::SIGKILL, watch);
        let mut running = running.map_err(system("start", "the lab"))?;
        running.drops_before = Some(drops_before);
        Ok(running)
    }

    /// Starts a command outside of a cluster; `ends_by` asks it to end, also when the thread
    /// that called this does.
    ///
    /// # Errors
    /// If the system refuses to start it.
    pub fn start(mut command: Command, ends_by: Signal, watch: Watch) -> io::Result<Self> {
        end_with_this_process(&mut command, ends_by);
        Ok(Self {
            child: command.spawn()?,
            ends_by,
            drops_before: None,
            watch,
            interrupted: None,
            asked_to_end: None,
        })
    }

    /// Whether Ctrl-C came since the watch over the command started.
    pub fn saw_interrupt(&self) -> bool {
        self.watch.saw_interrupt()
    }

    /// How the command ended, if it has. After Ctrl-C the command has a moment to
    /// clean up, then this call ends it.
    ///
    /// # Errors
    /// If the system refuses to say, which it does not on any Linux in order.
    pub fn try_wait(&mut self) -> Result<Option<Outcome>, LabError> {
        if self.saw_interrupt() && self.asked_to_end.is_none() {
            let since = *self.interrupted.get_or_insert_with(Instant::now);
            // The terminal has told the command too; told twice, some clean up nothing.
            if since.elapsed() > PATIENCE {
                self.ask_to_end();
            }
        }
        let asked = self.asked_to_end;
        if asked.is_some_and(|since| since.elapsed() > GRACE) {
            // It fails only if the command has just ended.
            let _ = self.child.kill();
        }
        let status = self.child.try_wait();
        let status = status.map_err(system_or("wait for", "the command", "start it again"))?;
        status.map(|status| self.outcome(status)).transpose()
    }

    /// Waits for the command's end.
    ///
    /// # Errors
    /// As [`Running::try_wait`].
    pub fn wait(&mut self) -> Result<Outcome, LabError> {
        loop {
            if let Some(outcome) = self.try_wait()? {
                return Ok(outcome);
            }
            std::thread::sleep(GLANCE);
        }
    }

    /// Ends the command, and waits until it has ended.
    ///
    /// # Errors
    /// As [`Running::try_wait`].
    pub fn end(&mut self) -> Result<Outcome, LabError> {
        self.ask_to_end();
        self.wait()
    }

    /// Launchers end their ranks when they are asked to end, and cannot when killed.
    fn ask_to_end(&mut self) {
        self.asked_to_end = Some(Instant::now());
        // It fails only if the command has just ended.
        let _ = kill(Pid::from_raw(self.child.id().cast_signed()), self.ends_by);
    }

    fn outcome(&self, status: ExitStatus) -> Result<Outcome, LabError> {
        let code = match status.code() {
            _ if self.saw_interrupt() => INTERRUPTED,
            Some(code) => code,
            None => BY_SIGNAL + status.signal().unwrap_or_default(),
        };
        let softnet_drops = match self.drops_before {
            Some(before) => softnet::drops()?.saturating_sub(before),
            None => 0,
        };
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
fn end_with_this_process(command: &mut Command, signal: Signal) {
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
