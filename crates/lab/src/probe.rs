//! Trying, in throw-away namespaces, whether the kernel can do what the lab needs. One
//! shell does it all, so that a check takes a fraction of a second.

use std::process::{Command, Stdio};

use crate::error::{LabError, RUN_CHECK, system};
use crate::tool::{UNSHARE, one_line};

/// Something the kernel must be able to do.
pub(crate) struct Probe {
    pub(crate) name: &'static str,
    /// What proves it, in shell; each builds on those before it.
    script: &'static str,
    pub(crate) remedy: &'static str,
}

/// What the probes found: each probe's failure, if any, and usable congestion controls.
pub(crate) struct Findings {
    pub(crate) failures: Vec<Option<String>>,
    pub(crate) congestion_controls: Vec<String>,
}

const LOAD: &str = "load the kernel module of that name (modprobe) or use a kernel that has it";
const ALLOW: &str = "allow it: sysctl kernel.unprivileged_userns_clone=1 and \
    kernel.apparmor_restrict_unprivileged_userns=0, or start the container with --privileged";

pub(crate) const PROBES: &[Probe] = &[
    Probe {
        name: "user namespaces",
        script: "true",
        remedy: ALLOW,
    },
    Probe {
        name: "private mounts",
        script: "mount -t tmpfs none /run && mkdir /run/netns && mount -t tmpfs none /dev/shm",
        remedy: ALLOW,
    },
    Probe {
        name: "network namespaces",
        script: "ip netns add probe && ip netns exec probe true",
        remedy: ALLOW,
    },
    Probe {
        name: "veth",
        script: "ip link add name v0 type veth peer name v1",
        remedy: LOAD,
    },
    Probe {
        name: "bridge",
        script: "ip link add name b0 type bridge && ip link set dev v0 master b0",
        remedy: LOAD,
    },
    Probe {
        name: "tbf",
        script: "tc qdisc add dev v0 root tbf rate 40mbit burst 3200 limit 65536",
        remedy: "load the kernel module sch_tbf (modprobe) or use a kernel that has it",
    },
    Probe {
        name: "offloads off",
        script: "ethtool -K v0 tso off gso off gro off",
        remedy: "use a kernel whose veth lets ethtool switch offloads",
    },
];

/// Prints `cc NAME` for each loaded congestion control that a route may choose.
const CONTROLS: &str = "ip link set dev lo up
for c in $(cat /proc/sys/net/ipv4/tcp_available_congestion_control); do
    ip route replace 10.0.0.0/24 dev lo congctl $c 2>/dev/null && echo cc $c
done
true";

/// Runs all probes.
///
/// # Errors
/// If not even a namespace can be had; the message is unshare's.
pub(crate) fn run() -> Result<Findings, LabError> {
    let output = Command::new(UNSHARE.find()?)
        .args([
            "-Urnmupf",
            "--propagation",
            "private",
            "--mount-proc",
            "--kill-child",
        ])
        .args(["sh", "-c", &script()])
        .env("PATH", path())
        .stdin(Stdio::null())
        .output()
        .map_err(system("start", UNSHARE.name, RUN_CHECK))?;
    if !output.status.success() {
        return Err(LabError::Tool {
            tool: UNSHARE.name,
            place: "a trial".to_owned(),
            reason: one_line(&output.stderr),
        });
    }
    Ok(findings(&String::from_utf8_lossy(&output.stdout)))
}

/// One line a probe: `ok`, or what went wrong.
fn script() -> String {
    let line = |probe: &Probe| {
        let script = probe.script;
        format!("if said=$({{ {script}; }} 2>&1); then echo ok; else echo no $said; fi\n")
    };
    PROBES
        .iter()
        .map(line)
        .chain([CONTROLS.to_owned()])
        .collect()
}

fn findings(text: &str) -> Findings {
    let failure = |line: &str| line.strip_prefix("no").map(|why| why.trim().to_owned());
    Findings {
        failures: text.lines().take(PROBES.len()).map(failure).collect(),
        congestion_controls: text
            .lines()
            .filter_map(|line| line.strip_prefix("cc "))
            .map(str::to_owned)
            .collect(),
    }
}

/// PATH with the administrators' folders, which users often lack.
fn path() -> std::ffi::OsString {
    let mut path = std::env::var_os("PATH").unwrap_or_default();
    path.push(":/usr/sbin:/sbin");
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let found =
            findings("ok\nno Unknown device type.\nok\nok\nok\nok\nok\ncc reno\ncc cubic\n");
        assert_eq!(found.failures.len(), PROBES.len());
        assert_eq!(found.failures[1].as_deref(), Some("Unknown device type."));
        assert!(found.failures[0].is_none());
        assert_eq!(found.congestion_controls, ["reno", "cubic"]);
    }
}
