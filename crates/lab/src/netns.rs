//! Runs code in a named network namespace.

use std::fs::File;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sched::{CloneFlags, setns};

use crate::error::{LabError, system, system_or};
use crate::tool::UNSHARE;

/// The folder in which `ip netns` keeps the namespaces' names.
pub(crate) const NAMESPACE_FOLDER: &str = "/run/netns";

/// The command that runs a program in new user (as root), network, mount, host-name and PID
/// namespaces. They end with their first process, and that process ends with this command.
pub(crate) fn unshare_command() -> Result<Command, LabError> {
    let mut unshare = Command::new(UNSHARE.find()?);
    unshare.args(["-Urnmupf", "--propagation", "private"]);
    unshare.args(["--mount-proc", "--kill-child", "--"]);
    Ok(unshare)
}

/// Makes `name` the network namespace of the calling thread.
pub(crate) fn enter(name: &str) -> Result<(), LabError> {
    let path = PathBuf::from(NAMESPACE_FOLDER).join(name);
    let remedy = "name one of the lab's hosts";
    let file = File::open(&path).map_err(system_or("open the network namespace", &path, remedy))?;
    setns(&file, CloneFlags::CLONE_NEWNET).map_err(system("enter", path))
}

/// Runs `work` in the network namespace `name`, in a separate thread because a namespace is a
/// property of a thread; the caller's namespace does not change. Programs that `work` starts, and
/// `/proc/sys/net`, belong to `name`.
pub(crate) fn run_in_namespace<T: Send>(
    name: &str,
    work: impl FnOnce() -> Result<T, LabError> + Send,
) -> Result<T, LabError> {
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| enter(name).and_then(|()| work()));
        worker.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Sets `key` (a path below `/proc/sys/net`) of the current network namespace.
pub(crate) fn set_sysctl(key: &str, value: &str) -> Result<(), LabError> {
    let path = Path::new("/proc/sys/net").join(key);
    std::fs::write(&path, value).map_err(system("set", path))
}

/// Disables IPv6 in the current network namespace, if the kernel supports IPv6.
pub(crate) fn silence_ipv6() -> Result<(), LabError> {
    let key = "ipv6/conf/all/disable_ipv6";
    if Path::new("/proc/sys/net").join(key).exists() {
        set_sysctl(key, "1")
    } else {
        Ok(())
    }
}
