//! Checks this machine for the capabilities that the lab needs, with a remedy for each missing one.

use std::path::{Path, PathBuf};
use std::process::Command;

use netsig_base::network::Network;

use crate::delay;
use crate::error::LabError;
use crate::fidelity;
use crate::launch;
use crate::probe::{self, KernelFindings, TAP};
use crate::tool::{self, ETHTOOL, IP, TC, UNSHARE, one_line};

/// More hosts than this do not fit the address plan (`10.0.0.1` and up).
const MOST_HOSTS: u32 = 200;

/// A requirement of the lab, and the result of its check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabCapability {
    /// Name of the requirement.
    pub name: &'static str,
    /// True if the lab cannot run without it; otherwise some function is degraded or missing.
    pub is_needed: bool,
    /// Description of the found item (path, version), or the reason for its absence and a remedy.
    pub found: Result<String, String>,
}

/// The results of [`check`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabCapabilities {
    /// All requirements, in the order of printing.
    pub rows: Vec<LabCapability>,
    /// The congestion controls that an emulated host may use.
    pub congestion_controls: Vec<String>,
}

impl LabCapabilities {
    /// True if the lab can run on this machine.
    pub fn can_run(&self) -> bool {
        self.first_missing().is_none()
    }

    /// Checks that `network` can be emulated on this machine.
    ///
    /// # Errors
    /// If something is missing; the one-line text gives the reason and a remedy.
    pub fn verify(&self, network: &Network) -> Result<(), LabError> {
        let hosts = network.hosts().get();
        let wanted = &network.congestion_control;
        let lacking = if hosts > MOST_HOSTS {
            format!(
                "the lab numbers at most {MOST_HOSTS} hosts, and it has {hosts}; \
                 use a smaller scenario, or `netsig simulate --network` for this one"
            )
        } else if let Some(problem) = fidelity::impossible_reason(network) {
            problem
        } else if let Some(missing) = self.first_missing() {
            missing
        } else if !self.congestion_controls.contains(wanted) {
            format!(
                "its kernel has no congestion control {wanted} loaded; \
                 use a scenario with {}, or as root: modprobe tcp_{wanted}",
                self.congestion_controls.join(" or ")
            )
        } else {
            return Ok(());
        };
        Err(LabError::Unsupported {
            scenario: network.name.clone(),
            lacking,
        })
    }

    /// The reason why the lab cannot hold frames back on this machine, with a remedy, if it cannot.
    pub(crate) fn missing_taps_reason(&self) -> Option<&str> {
        let row = self.rows.iter().find(|row| row.name == TAP)?;
        row.found.as_ref().err().map(String::as_str)
    }

    /// The first missing requirement without which the lab cannot run, and the reason.
    fn first_missing(&self) -> Option<String> {
        let mut needed = self.rows.iter().filter(|row| row.is_needed);
        needed.find_map(|row| {
            let missing = row.found.as_ref().err()?;
            Some(format!("{}: {missing}", row.name))
        })
    }
}

/// Checks the capabilities of this machine by tests in temporary namespaces.
pub fn check() -> LabCapabilities {
    let optional_checks = [
        ("yield shim", yield_shim()),
        (
            "Open MPI",
            launcher(&["mpirun.openmpi", "mpirun"], "open-mpi.org", "openmpi-bin"),
        ),
        (
            "MPICH",
            launcher(&["mpirun.mpich", "mpiexec.hydra", "mpirun"], "HYDRA", "mpich"),
        ),
    ];
    let mut capabilities = check_essential();
    let optional = optional_checks.map(|(name, found)| LabCapability {
        name,
        is_needed: false,
        found,
    });
    capabilities.rows.extend(optional);
    capabilities
}

/// Checks that this machine can emulate `network`, by the tests of [`check`].
///
/// # Errors
/// If something is missing; the one-line text gives the reason and a remedy.
pub fn verify(network: &Network) -> Result<(), LabError> {
    check_essential().verify(network)
}

/// The warning that this machine emulates the delays of `network` as 0, if it has to.
pub fn delay_warning(network: &Network) -> Option<String> {
    delay::names(network)?;
    let capabilities = check_essential();
    delay::warning(network, capabilities.missing_taps_reason()?)
}

/// The capabilities on which the emulation of a network depends.
pub(crate) fn check_essential() -> LabCapabilities {
    essential_capabilities(probe::run())
}

fn essential_capabilities(findings: KernelFindings) -> LabCapabilities {
    let programs = [UNSHARE, IP, TC, ETHTOOL].map(|tool| {
        let remedy = format!("not installed; install the package {}", tool.package);
        (tool.name, tool::find(tool.name).map(shown).ok_or(remedy))
    });
    let rows = programs.into_iter().chain(findings.probes);
    let row = |(name, found)| LabCapability {
        name,
        is_needed: name != TAP,
        found,
    };
    LabCapabilities {
        rows: rows.map(row).collect(),
        congestion_controls: findings.congestion_controls,
    }
}

fn yield_shim() -> Result<String, String> {
    launch::shim().map(shown).ok_or_else(|| {
        "libnetsig_yield_shim.so is neither beside this program nor in ../lib/netsig, so times scatter more \
         and MPICH may hang; use `make install` or netsig's package, or set NETSIG_YIELD_SHIM_PATH"
            .to_owned()
    })
}

/// The first program in `names` whose version text contains `mark`; `package` usually contains it.
fn launcher(names: &[&str], mark: &str, package: &str) -> Result<String, String> {
    let mut paths = names.iter().filter_map(|name| tool::find(name));
    let is_it = |path: &PathBuf| {
        let version = Command::new(path).arg("--version").output();
        version.is_ok_and(|output| one_line(&output.stdout).contains(mark))
    };
    paths.find(is_it).map(shown).ok_or_else(|| {
        let names = names.join(", ");
        format!("none of {names} is it; install {package}, or put its mpirun into PATH")
    })
}

fn shown(path: impl AsRef<Path>) -> String {
    path.as_ref().display().to_string()
}

#[cfg(test)]
mod tests {
    use netsig_base::network::LinkSpec;
    use netsig_base::units::{BitsPerSecond, Bytes};

    use super::*;

    fn machine(veth: &str) -> LabCapabilities {
        with_tap(veth, "ok")
    }

    fn with_tap(veth: &str, tap: &str) -> LabCapabilities {
        let text = format!("ok\nok\nok\n{veth}\nok\nok\nok\n{tap}\ncc reno\n");
        let mut capabilities = essential_capabilities(probe::parse_findings(&text));
        // These rows depend on the programs of this machine.
        capabilities.rows.drain(..4);
        capabilities
    }

    #[test]
    fn a_missing_capability_is_named_with_what_to_do() {
        let network = crate::load("ethernet-4x50").unwrap();
        assert!(machine("ok").verify(&network).is_ok());
        let poor = machine("no Unknown device type.");
        assert!(!poor.can_run());
        let message = poor.verify(&network).unwrap_err().to_string();
        let expected = "this machine cannot emulate ethernet-4x50: veth: Unknown device type.; load";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn a_machine_without_taps_runs_the_lab_and_says_what_becomes_of_delays() {
        let network = crate::load("wan-4-4-4-30x10").unwrap();
        assert_eq!(machine("ok").missing_taps_reason(), None);
        let poor = with_tap("ok", "no open: No such file or directory");
        assert!(poor.can_run() && poor.verify(&network).is_ok());
        let lacking = poor.missing_taps_reason().unwrap();
        assert_eq!(
            delay::warning(&network, lacking).unwrap(),
            "wan-4-4-4-30x10: the delay of west -> core, middle -> core, east -> core is emulated \
             as 0, since this machine has no tap devices: open: No such file or directory; as root: \
             modprobe tun, or give the container /dev/net/tun"
        );
        let without_delays = crate::load("unequal-2-6-4x40").unwrap();
        assert_eq!(delay::warning(&without_delays, lacking), None);
    }

    #[test]
    fn more_hosts_than_addresses_are_refused() {
        let message = |hosts| {
            let port = LinkSpec::new(BitsPerSecond(1_000_000), Bytes(65536));
            let star = Network::star(hosts, port).unwrap();
            let verified = machine("ok").verify(&star);
            verified.map_err(|error| error.to_string())
        };
        assert_eq!(message(200), Ok(()));
        let expected = "this machine cannot emulate : the lab numbers at most 200 hosts, \
            and it has 201; use a smaller scenario, or `netsig simulate --network` for this one";
        assert_eq!(message(201), Err(expected.to_owned()));
    }

    #[test]
    fn an_unavailable_congestion_control_is_refused() {
        let mut network = crate::load("cubic-16x40").unwrap();
        network.congestion_control = "vegas".to_owned();
        let expected = "this machine cannot emulate cubic-16x40: its kernel has no congestion \
            control vegas loaded; use a scenario with reno, or as root: modprobe tcp_vegas";
        let message = machine("ok").verify(&network).unwrap_err().to_string();
        assert_eq!(message, expected);
    }

    #[test]
    fn a_route_may_choose_all_that_the_kernel_has() {
        let found = check();
        if !found.can_run() {
            eprintln!("SKIPPED: no namespaces on this machine");
            return;
        }
        let path = "/proc/sys/net/ipv4/tcp_available_congestion_control";
        let text = std::fs::read_to_string(path).unwrap();
        let available: Vec<_> = text.split_whitespace().collect();
        assert_eq!(found.congestion_controls, available);
    }
}
