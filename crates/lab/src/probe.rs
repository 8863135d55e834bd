//! Tests in temporary namespaces that the kernel has the features of the lab. One shell runs all
//! tests, so that a check takes a fraction of a second.

use std::process::Stdio;

use crate::error::{LabError, system};
use crate::netns;
use crate::tool::{self, UNSHARE, one_line};

/// A required feature of the kernel.
struct KernelProbe {
    name: &'static str,
    /// The test, in shell; each depends on those before it.
    script: &'static str,
    remedy: &'static str,
}

/// The results of the probes.
pub(crate) struct KernelFindings {
    /// Name and result of each probe: that it works, or the failure and a remedy.
    pub(crate) probes: Vec<(&'static str, Result<String, String>)>,
    /// The congestion controls that a route may choose.
    pub(crate) congestion_controls: Vec<String>,
}

const LOAD: &str = "load the kernel module of that name (modprobe) or use a kernel that has it";
const ALLOW: &str = "allow it: sysctl kernel.unprivileged_userns_clone=1 and \
    kernel.apparmor_restrict_unprivileged_userns=0, or start the container with --privileged";

/// The probe that decides whether links can have a delay; the lab runs without.
pub(crate) const TAP: &str = "tap devices";

const PROBES: &[KernelProbe] = &[
    KernelProbe {
        name: "user namespaces",
        script: "true",
        remedy: ALLOW,
    },
    KernelProbe {
        name: "private mounts",
        script: "mount -t tmpfs none /run && mkdir /run/netns && mount -t tmpfs none /dev/shm",
        remedy: ALLOW,
    },
    KernelProbe {
        name: "network namespaces",
        script: "ip netns add probe && ip netns exec probe true",
        remedy: ALLOW,
    },
    KernelProbe {
        name: "veth",
        script: "ip link add name v0 type veth peer name v1",
        remedy: LOAD,
    },
    KernelProbe {
        name: "bridge",
        script: "ip link add name b0 type bridge && ip link set dev v0 master b0",
        remedy: LOAD,
    },
    KernelProbe {
        name: "tbf",
        script: "tc qdisc add dev v0 root tbf rate 40mbit burst 3200 limit 65536",
        remedy: "load the kernel module sch_tbf (modprobe) or use a kernel that has it",
    },
    KernelProbe {
        name: "offloads off",
        script: "ethtool -K v0 tso off gso off gro off",
        remedy: "use a kernel whose veth lets ethtool switch offloads",
    },
    KernelProbe {
        name: TAP,
        script: "ip tuntap add dev t0 mode tap && ethtool -K t0 tso off gso off gro off",
        remedy: "as root: modprobe tun, or give the container /dev/net/tun",
    },
];

/// Prints `cc NAME` for each loaded congestion control that a route may choose.
const CONTROLS: &str = "ip link set dev lo up
for c in $(cat /proc/sys/net/ipv4/tcp_available_congestion_control); do
    ip route replace 10.0.0.0/24 dev lo congctl $c 2>/dev/null && echo cc $c
done
true";

const NO_CONTROL: &str = "no route can choose one; \
    use Linux and iproute2 4.0 or newer, which know `ip route … congctl`";

/// Runs all probes. If no namespace can be created, the first probe fails with unshare's message.
pub(crate) fn run() -> KernelFindings {
    probe_output().map_or_else(
        |error| KernelFindings {
            probes: vec![PROBES[0].failed(&error.to_string())],
            congestion_controls: Vec::new(),
        },
        |text| parse_findings(&text),
    )
}

fn probe_output() -> Result<String, LabError> {
    let output = netns::unshare_command()?
        .args(["sh", "-c", &script()])
        .env("PATH", tool::path())
        .stdin(Stdio::null())
        .output()
        .map_err(system("start", UNSHARE.name))?;
    if !output.status.success() {
        return Err(LabError::Tool {
            tool: UNSHARE.name,
            place: "a trial".to_owned(),
            reason: one_line(&output.stderr),
        });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

impl KernelProbe {
    fn failed(&self, why: &str) -> (&'static str, Result<String, String>) {
        (self.name, Err(format!("{why}; {}", self.remedy)))
    }
}

/// A shell script that prints one line for each probe: `ok`, or `no` and its messages.
fn script() -> String {
    let line = |probe: &KernelProbe| {
        let script = probe.script;
        format!("if said=$({{ {script}; }} 2>&1); then echo ok; else echo no $said; fi\n")
    };
    PROBES.iter().map(line).chain([CONTROLS.to_owned()]).collect()
}

pub(crate) fn parse_findings(text: &str) -> KernelFindings {
    let probe = |(probe, line): (&KernelProbe, &str)| match line.strip_prefix("no") {
        Some(why) => probe.failed(why.trim()),
        None => (probe.name, Ok("works".to_owned())),
    };
    let controls = text.lines().filter_map(|line| line.strip_prefix("cc "));
    let congestion_controls: Vec<String> = controls.map(str::to_owned).collect();
    let controls = match congestion_controls.join(", ") {
        none if none.is_empty() => Err(NO_CONTROL.to_owned()),
        names => Ok(names),
    };
    let probes = PROBES.iter().zip(text.lines()).map(probe);
    KernelFindings {
        probes: probes.chain([("congestion control", controls)]).collect(),
        congestion_controls,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        let found = parse_findings("ok\nno Unknown device type.\nok\nok\nok\nok\nok\nok\ncc reno\ncc cubic\n");
        assert_eq!(found.probes.len(), PROBES.len() + 1);
        let [(_, first), (_, second), ..] = &found.probes[..] else {
            panic!("no probes");
        };
        assert_eq!(first, &Ok("works".to_owned()));
        let why = second.as_ref().unwrap_err();
        assert!(why.starts_with("Unknown device type.; allow it"), "{why}");
        assert_eq!(found.congestion_controls, ["reno", "cubic"]);
    }
}
