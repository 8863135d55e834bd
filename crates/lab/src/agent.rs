//! `lab-agent [SSH OPTIONS] HOST COMMAND…`: the program that `mpirun` starts instead of ssh. Runs
//! the command on an emulated host: in its network namespace, with its host name, a private view of
//! `/sys` and the yield shim preloaded.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

use crate::error::{LabError, system, system_or};
use crate::filesystem::{self, NONE};
use crate::launch::{SHIM_IN_USE, SHIM_PATH, preload};
use crate::{AGENT, netns};

/// The options of ssh that take a value and that launchers use.
const OPTIONS_WITH_VALUE: [&str; 4] = ["-l", "-p", "-o", "-i"];

/// Runs the hidden command with the arguments after its name; returns on failure only.
pub(crate) fn run(args: impl Iterator<Item = OsString>) -> Result<ExitCode, LabError> {
    let (host, words) = target(args).ok_or(LabError::Misused { command: AGENT })?;
    become_host(&host)?;
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(words.join(OsStr::new(" ")));
    if let Some(shim) = std::env::var_os(SHIM_PATH) {
        let existing = std::env::var_os("LD_PRELOAD");
        shell.env("LD_PRELOAD", preload(shim, existing)).env(SHIM_IN_USE, "1");
    }
    let failed = system_or("run", "/bin/sh", "install a shell there");
    Err(failed(shell.exec()))
}

/// The host and the words of the command, without the options of ssh.
fn target(mut args: impl Iterator<Item = OsString>) -> Option<(String, Vec<OsString>)> {
    loop {
        let word = args.next()?.into_string().ok()?;
        if OPTIONS_WITH_VALUE.contains(&word.as_str()) {
            args.next()?;
        } else if !word.starts_with('-') {
            let words: Vec<_> = args.collect();
            return (!words.is_empty()).then_some((word, words));
        }
    }
}

/// Moves this process to `host`, as `ip netns exec` does, and gives it the host's name.
fn become_host(host: &str) -> Result<(), LabError> {
    netns::enter(host)?;
    unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWUTS).map_err(system("leave the namespaces of", "ctl"))?;
    filesystem::name_host(host)?;
    // Later mounts affect this process alone.
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(NONE, "/", NONE, private, NONE).map_err(system("make private", "/"))?;
    // MPI libraries list interfaces from /sys, which shows the network namespace in which it was
    // mounted: mount it again in this host's namespace.
    let sysfs = Some("sysfs");
    mount(Some(host), "/sys", sysfs, MsFlags::empty(), NONE).map_err(system("mount", "/sys"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Option<(String, String)> {
        let (host, words) = target(line.split_whitespace().map(OsString::from))?;
        Some((host, words.join(OsStr::new(" ")).into_string().unwrap()))
    }

    #[test]
    fn options_of_ssh_are_left_out() {
        let expected = Some(("h3".to_owned(), "orted -mca a b".to_owned()));
        assert_eq!(parsed("h3 orted -mca a b"), expected);
        assert_eq!(parsed("-x -q -l root -p 22 h3 orted -mca a b"), expected);
    }

    #[test]
    fn a_host_and_a_command_are_needed() {
        for line in ["", "-x", "-l", "h3", "-l root h3"] {
            assert_eq!(parsed(line), None, "{line}");
        }
    }
}
