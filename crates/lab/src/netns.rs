//! Working inside a named network namespace.

use std::fs::File;
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, setns};

use crate::error::{LabError, RUN_CHECK, system};

/// Where `ip netns` keeps the namespaces' names.
pub(crate) const NAMES: &str = "/run/netns";

/// Makes `name` the network namespace of the calling thread.
pub(crate) fn enter(name: &str) -> Result<(), LabError> {
    let path = PathBuf::from(NAMES).join(name);
    let file = File::open(&path).map_err(system(
        "open the network namespace",
        &path,
        "name one of the lab's hosts",
    ))?;
    setns(&file, CloneFlags::CLONE_NEWNET).map_err(system("enter", path, RUN_CHECK))
}

/// Runs `work` in the network namespace `name`. Programs that it starts and
/// `/proc/sys/net` belong to that namespace; the caller's namespace stays as it was,
/// since a namespace is a property of a thread and `work` gets its own.
pub(crate) fn within<T: Send>(
    name: &str,
    work: impl FnOnce() -> Result<T, LabError> + Send,
) -> Result<T, LabError> {
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| enter(name).and_then(|()| work()));
        worker
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Sets `key` (a path below `/proc/sys/net`) of the current network namespace.
pub(crate) fn set(key: &str, value: &str) -> Result<(), LabError> {
    let path = Path::new("/proc/sys/net").join(key);
    std::fs::write(&path, value).map_err(system("set", path, RUN_CHECK))
}

/// Keeps IPv6 quiet in the current network namespace, where the kernel has it at all.
pub(crate) fn silence_ipv6() -> Result<(), LabError> {
    let key = "ipv6/conf/all/disable_ipv6";
    if Path::new("/proc/sys/net").join(key).exists() {
        set(key, "1")
    } else {
        Ok(())
    }
}
