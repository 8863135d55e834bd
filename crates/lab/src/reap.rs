//! The duties of the first process of a PID namespace: wait for the command, bury
//! orphans, hand on a request to end.

use std::process::{Command, ExitCode};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// Runs `command` to its end and returns its exit code, 128 + N if signal N ended it.
///
/// Signals of interest are blocked only after the command has started, since it would
/// inherit the block; until then they mean nothing to the first process of a PID
/// namespace. SIGINT stays that way: the terminal sends it to the command itself.
pub(crate) fn run(command: &mut Command) -> std::io::Result<ExitCode> {
    let child = Pid::from_raw(command.spawn()?.id().cast_signed());
    let signals = SigSet::from_iter([Signal::SIGCHLD, Signal::SIGTERM]);
    signals.thread_block()?;
    loop {
        if let Some(code) = bury(child)? {
            return Ok(ExitCode::from(code));
        }
        if signals.wait()? == Signal::SIGTERM {
            kill(child, Signal::SIGTERM)?;
        }
    }
}

/// Collects all processes that have ended; `child`'s exit code if it is among them.
fn bury(child: Pid) -> nix::Result<Option<u8>> {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, code)) if pid == child => {
                return Ok(Some(u8::try_from(code & 0xff).unwrap_or(u8::MAX)));
            }
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == child => {
                return Ok(Some(128 + u8::try_from(signal as i32).unwrap_or(0)));
            }
            Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Err(error),
        }
    }
}
