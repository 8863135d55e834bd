//! Starts a command, usually in a new emulated cluster, and ends it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use netsig_base::network::Network;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::error::{LabError, system, system_or};
use crate::interrupt::{SIGNAL_EXIT_CODE_BASE, SignalWatch};
use crate::{INSIDE, capability, delay, inside, netns, softnet};

/// Time for an interrupted command to clean up before it is asked to end.
const CLEANUP_TIME: Duration = Duration::from_secs(3);

/// Time for a command to end after the request.
const END_TIME: Duration = Duration::from_secs(5);

/// Interval at which a waiting [`RunningCommand`] checks the command.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// A running command, in an emulated cluster or in none. Dropping it kills both.
#[derive(Debug)]
pub struct RunningCommand {
    child: Child,
    /// The signal that requests its end.
    ends_by: Signal,
    /// In a cluster, the number of packets that this machine had dropped before the start.
    drops_before: Option<u64>,
    watch: SignalWatch,
    interrupted: Option<Instant>,
    asked_to_end: Option<Instant>,
}

/// Result of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandOutcome {
    /// The command's exit code; 128 + N if signal N ended it or this process, 130 after
    /// Ctrl-C.
    pub code: i32,
    /// Number of packets that this machine dropped during the command for lack of processor time; 0
    /// outside of a cluster.
    pub softnet_drops: u64,
}

impl CommandOutcome {
    /// The reason why the measurements of this run are void, if they are.
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

/// Runs `command` in a new cluster of `network` and waits for its end.
///
/// # Errors
/// The errors of [`command`], [`RunningCommand::in_lab`] and [`RunningCommand::wait`].
pub fn exec(network: &Network, command: &[OsString]) -> Result<CommandOutcome, LabError> {
    RunningCommand::in_lab(self::command(network, command)?, SignalWatch::start())?.wait()
}

/// The command for [`RunningCommand::in_lab`] that runs `command` in a new cluster of `network`. It
/// inherits this process's input and output, unless they are set.
///
/// # Errors
/// If this machine cannot emulate the network; see [`verify`](crate::verify).
pub fn command(network: &Network, command: &[OsString]) -> Result<Command, LabError> {
    let capabilities = capability::check_essential();
    capabilities.verify(network)?;
    let program = std::env::current_exe().map_err(system("find", "this program"))?;
    let mut lab = netns::unshare_command()?;
    lab.arg(program)
        .args([INSIDE, network.name.as_str()])
        .args(command)
        .env(inside::SCENARIO, network.to_toml())
        .env_remove(delay::UNDELAYED);
    if capabilities.missing_taps_reason().is_some() {
        lab.envs(delay::names(network).map(|names| (delay::UNDELAYED, names)));
    }
    Ok(lab)
}

impl RunningCommand {
    /// Starts the cluster and the command in it. The cluster ends with the calling *thread*, so
    /// call this from a long-lived one, such as the main thread.
    ///
    /// # Errors
    /// If the system cannot start a process. Failures to build the network or to find the command
    /// appear on the command's standard error instead.
    pub fn in_lab(command: Command, watch: SignalWatch) -> Result<Self, LabError> {
        let drops_before = softnet::drops()?;
        // The kernel ends all processes in the lab with its first process.
        let started = Self::start(command, Signal::SIGKILL, watch);
        let mut running = started.map_err(system("start", "the lab"))?;
        running.drops_before = Some(drops_before);
        Ok(running)
    }

    /// Starts a command outside of a cluster. The signal `ends_by` requests its end, also when the
    /// calling thread ends.
    ///
    /// # Errors
    /// If the system cannot start it.
    pub fn start(mut command: Command, ends_by: Signal, watch: SignalWatch) -> io::Result<Self> {
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

    /// The exit code of Ctrl-C or SIGTERM, if one came since the watch started; also after the command's end.
    pub fn interrupt_code(&self) -> Option<i32> {
        self.watch.exit_code()
    }

    /// The result of the command if it has ended. After Ctrl-C, the command has some time to clean
    /// up before this call ends it; SIGTERM, which it did not get, is handed on.
    ///
    /// # Errors
    /// If the system cannot report the command's state, which does not occur on a sane Linux.
    pub fn try_wait(&mut self) -> Result<Option<CommandOutcome>, LabError> {
        if let (Some(signal), None) = (self.watch.signal(), self.asked_to_end) {
            let since = *self.interrupted.get_or_insert_with(Instant::now);
            // The terminal has also sent SIGINT to the command; after a second one some commands do
            // not clean up.
            if signal == Signal::SIGTERM || since.elapsed() > CLEANUP_TIME {
                self.ask_to_end();
            }
        }
        let asked = self.asked_to_end;
        if asked.is_some_and(|since| since.elapsed() > END_TIME) {
            // This fails only if the command has just ended.
            let _ = self.child.kill();
        }
        let waited = self.child.try_wait();
        let status = waited.map_err(system_or("wait for", "the command", "start it again"))?;
        status.map(|status| self.outcome(status)).transpose()
    }

    /// Waits for the command's end.
    ///
    /// # Errors
    /// The errors of [`RunningCommand::try_wait`].
    pub fn wait(&mut self) -> Result<CommandOutcome, LabError> {
        loop {
            if let Some(outcome) = self.try_wait()? {
                return Ok(outcome);
            }
            std::thread::sleep(CHECK_INTERVAL);
        }
    }

    /// Ends the command and waits for its end.
    ///
    /// # Errors
    /// The errors of [`RunningCommand::try_wait`].
    pub fn end(&mut self) -> Result<CommandOutcome, LabError> {
        self.ask_to_end();
        self.wait()
    }

    /// Requests the command's end by a signal: launchers then end their ranks, unlike after
    /// SIGKILL.
    fn ask_to_end(&mut self) {
        self.asked_to_end = Some(Instant::now());
        // This fails only if the command has just ended.
        let _ = kill(Pid::from_raw(self.child.id().cast_signed()), self.ends_by);
    }

    fn outcome(&self, status: ExitStatus) -> Result<CommandOutcome, LabError> {
        let by_signal = |signal| SIGNAL_EXIT_CODE_BASE + signal;
        let code = match (self.watch.signal(), status.code()) {
            (Some(signal), _) => by_signal(signal as i32),
            (None, Some(code)) => code,
            (None, None) => by_signal(status.signal().unwrap_or_default()),
        };
        let softnet_drops = match self.drops_before {
            Some(before) => softnet::drops()?.saturating_sub(before),
            None => 0,
        };
        Ok(CommandOutcome { code, softnet_drops })
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        // Both calls fail only if the command has ended and been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Makes the kernel send `signal` to `command` when the *thread* that starts it ends.
#[expect(unsafe_code, reason = "the only way to ask for it between fork and exec")]
fn end_with_this_process(command: &mut Command, signal: Signal) {
    let parent = nix::unistd::getpid();
    let ask = move || {
        nix::sys::prctl::set_pdeathsig(signal)?;
        // If the parent ended before the request, the signal will never come.
        if nix::unistd::getppid() != parent {
            return Err(nix::errno::Errno::ESRCH.into());
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes two system calls; it neither
    // allocates nor takes a lock.
    unsafe { command.pre_exec(ask) };
}
