//! The duties of the first process of a PID namespace: it waits for the command, collects orphans,
//! and forwards a request to end.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// Runs `command` to its end and returns its exit code, 128 + N if signal N ended it.
///
/// SIGCHLD and SIGTERM are blocked before the command starts, so that none is lost: the first
/// process of a PID namespace ignores signals that it neither blocks nor handles. SIGINT stays
/// ignored: the terminal sends it to the command itself.
pub(crate) fn run(command: &mut Command) -> std::io::Result<ExitCode> {
    let signals = SigSet::from_iter([Signal::SIGCHLD, Signal::SIGTERM]);
    signals.thread_block()?;
    unblock_in_child(command, signals);
    let child = Pid::from_raw(command.spawn()?.id().cast_signed());
    loop {
        if let Some(code) = collect_ended(child)? {
            return Ok(ExitCode::from(code));
        }
        if signals.wait()? == Signal::SIGTERM {
            kill(child, Signal::SIGTERM)?;
        }
    }
}

/// Unblocks `signals` in `command`, which would inherit the block.
#[expect(unsafe_code, reason = "the only way to change the mask between fork and exec")]
fn unblock_in_child(command: &mut Command, signals: SigSet) {
    let unblock = move || Ok(signals.thread_unblock()?);
    // SAFETY: between fork and exec the closure makes one system call; it neither
    // allocates nor takes a lock.
    unsafe { command.pre_exec(unblock) };
}

/// Collects all processes that have ended; returns `child`'s exit code if it has ended.
fn collect_ended(child: Pid) -> nix::Result<Option<u8>> {
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
