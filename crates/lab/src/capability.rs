//! What this machine can emulate, and what to do about what it cannot.

use std::process::Command;

use netsig_core::network::scenario::Scenario;

use crate::error::LabError;
use crate::launch;
use crate::probe::{self, Findings, PROBES};
use crate::tool::{self, ETHTOOL, IP, TC, Tool, UNSHARE, one_line};

/// More hosts than this do not fit the address plan (`10.0.0.1` and up).
const MOST_HOSTS: u32 = 200;

/// Whether the lab works without a capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Nothing works without it.
    Required,
    /// Something is worse or missing without it.
    Optional,
}

/// Something the lab uses, and whether it is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capability {
    /// What it is.
    pub name: &'static str,
    /// Whether the lab works without it.
    pub need: Need,
    /// What was found (a path, a version), or why it is missing.
    pub found: Result<String, Missing>,
}

/// Why a capability is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// What was seen.
    pub why: String,
    /// What to do about it.
    pub remedy: String,
}

/// All that [`check`] looked at, in the order to print it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    rows: Vec<Capability>,
    congestion_controls: Vec<String>,
}

impl Capabilities {
    /// Everything looked at, in the order to print it.
    pub fn rows(&self) -> &[Capability] {
        &self.rows
    }

    /// The congestion controls that an emulated host may use.
    pub fn congestion_controls(&self) -> &[String] {
        &self.congestion_controls
    }

    /// Whether the lab works here at all.
    pub fn can_run(&self) -> bool {
        self.first_missing().is_none()
    }

    /// Whether `scenario` can be emulated here.
    ///
    /// # Errors
    /// If something is missing: what, why and what to do, in one line.
    pub fn verify(&self, scenario: &Scenario) -> Result<(), LabError> {
        let refuse = |lacking: String, remedy: String| {
            Err(LabError::Unsupported {
                scenario: scenario.name.clone(),
                lacking,
                remedy,
            })
        };
        let hosts = scenario.hosts.get();
        if hosts > MOST_HOSTS {
            return refuse(
                format!("the lab numbers at most {MOST_HOSTS} hosts, and it has {hosts}"),
                "use a smaller scenario, or `netsig simulate --network` for this one".to_owned(),
            );
        }
        if let Some((name, missing)) = self.first_missing() {
            return refuse(format!("{name}: {}", missing.why), missing.remedy.clone());
        }
        let wanted = &scenario.congestion_control;
        if !self.congestion_controls.contains(wanted) {
            return refuse(
                format!("its kernel has no congestion control {wanted} loaded"),
                format!(
                    "use a scenario with {}, or as root: modprobe tcp_{wanted}",
                    self.congestion_controls.join(" or "),
                ),
            );
        }
        Ok(())
    }

    /// The first thing missing without which nothing works.
    fn first_missing(&self) -> Option<(&'static str, &Missing)> {
        self.rows
            .iter()
            .filter(|row| row.need == Need::Required)
            .find_map(|row| row.found.as_ref().err().map(|missing| (row.name, missing)))
    }
}

/// Looks at what this machine can emulate, by trying it in throw-away namespaces.
pub fn check() -> Capabilities {
    let mut capabilities = essentials();
    capabilities
        .rows
        .extend([yield_shim(), open_mpi(), mpich()]);
    capabilities
}

/// Whether this machine can emulate `scenario`, by trying it as [`check`] does.
///
/// # Errors
/// If something is missing: what, why and what to do, in one line.
pub fn verify(scenario: &Scenario) -> Result<(), LabError> {
    essentials().verify(scenario)
}

/// What the lab cannot do without.
fn essentials() -> Capabilities {
    let mut rows: Vec<_> = [UNSHARE, IP, TC, ETHTOOL].iter().map(program).collect();
    let (kernel, congestion_controls) = match probe::run() {
        Ok(findings) => (kernel_rows(&findings), findings.congestion_controls),
        Err(error) => (vec![no_namespaces(&error)], Vec::new()),
    };
    rows.extend(kernel);
    Capabilities {
        rows,
        congestion_controls,
    }
}

fn program(tool: &Tool) -> Capability {
    let remedy = format!("install the package {}", tool.package);
    required(
        tool.name,
        path_of(tool.name).ok_or_else(|| missing("not installed", remedy)),
    )
}

fn kernel_rows(findings: &Findings) -> Vec<Capability> {
    let probed = PROBES
        .iter()
        .zip(&findings.failures)
        .map(|(probe, failure)| {
            let found = match failure {
                None => Ok("works".to_owned()),
                Some(why) => Err(missing(why, probe.remedy)),
            };
            required(probe.name, found)
        });
    let controls = match findings.congestion_controls.join(", ") {
        none if none.is_empty() => Err(missing(
            "no route can choose one",
            "use Linux and iproute2 4.0 or newer, which know `ip route … congctl`",
        )),
        names => Ok(names),
    };
    probed
        .chain([required("congestion control", controls)])
        .collect()
}

fn no_namespaces(error: &LabError) -> Capability {
    let first = &PROBES[0];
    required(first.name, Err(missing(error.to_string(), first.remedy)))
}

fn yield_shim() -> Capability {
    let found = launch::shim()
        .map(|path| path.display().to_string())
        .ok_or_else(|| {
            missing(
                "libnetsig_yield_shim.so is not beside this program, so times scatter more",
                "cargo build --package netsig-yield-shim, or set NETSIG_YIELD_SHIM_PATH",
            )
        });
    optional("yield shim", found)
}

fn open_mpi() -> Capability {
    let remedy = "install openmpi-bin, or put its mpirun into PATH";
    optional(
        "Open MPI",
        launcher(&["mpirun.openmpi", "mpirun"], "open-mpi.org", remedy),
    )
}

fn mpich() -> Capability {
    let remedy = "install mpich, or put its mpirun into PATH";
    optional(
        "MPICH",
        launcher(
            &["mpirun.mpich", "mpiexec.hydra", "mpirun"],
            "HYDRA",
            remedy,
        ),
    )
}

/// The first of `names` whose version text contains `mark`.
fn launcher(names: &[&str], mark: &str, remedy: &str) -> Result<String, Missing> {
    names
        .iter()
        .filter_map(|name| tool::find(name))
        .find(|path| {
            let version = Command::new(path).arg("--version").output();
            version.is_ok_and(|output| one_line(&output.stdout).contains(mark))
        })
        .map(|path| path.display().to_string())
        .ok_or_else(|| missing(format!("none of {} is it", names.join(", ")), remedy))
}

fn path_of(name: &str) -> Option<String> {
    tool::find(name).map(|path| path.display().to_string())
}

fn required(name: &'static str, found: Result<String, Missing>) -> Capability {
    Capability {
        name,
        need: Need::Required,
        found,
    }
}

fn optional(name: &'static str, found: Result<String, Missing>) -> Capability {
    Capability {
        name,
        need: Need::Optional,
        found,
    }
}

fn missing(why: impl Into<String>, remedy: impl Into<String>) -> Missing {
    Missing {
        why: why.into(),
        remedy: remedy.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(veth: Option<&str>) -> Capabilities {
        let mut failures = vec![None; PROBES.len()];
        failures[3] = veth.map(str::to_owned);
        let findings = Findings {
            failures,
            congestion_controls: vec!["reno".to_owned()],
        };
        let rows = kernel_rows(&findings);
        Capabilities {
            rows,
            congestion_controls: findings.congestion_controls,
        }
    }

    #[test]
    fn a_missing_capability_is_named_with_what_to_do() {
        let scenario = crate::load("ethernet-4x50").unwrap();
        assert!(machine(None).verify(&scenario).is_ok());
        let poor = machine(Some("Unknown device type."));
        assert!(!poor.can_run());
        let message = poor.verify(&scenario).unwrap_err().to_string();
        let expected =
            "this machine cannot emulate ethernet-4x50: veth: Unknown device type.; load";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn more_hosts_than_addresses_are_refused() {
        let mut scenario = crate::load("ethernet-4x50").unwrap();
        let mut message = |hosts| {
            scenario.hosts = netsig_core::units::Procs::new(hosts).unwrap();
            machine(None)
                .verify(&scenario)
                .map_err(|error| error.to_string())
        };
        assert_eq!(message(200), Ok(()));
        let expected = "this machine cannot emulate ethernet-4x50: the lab numbers at most 200 hosts, \
            and it has 201; use a smaller scenario, or `netsig simulate --network` for this one";
        assert_eq!(message(201), Err(expected.to_owned()));
    }

    #[test]
    fn an_unavailable_congestion_control_is_refused() {
        let mut scenario = crate::load("cubic-16x40").unwrap();
        scenario.congestion_control = "vegas".to_owned();
        let expected = "this machine cannot emulate cubic-16x40: its kernel has no congestion \
            control vegas loaded; use a scenario with reno, or as root: modprobe tcp_vegas";
        let message = machine(None).verify(&scenario).unwrap_err().to_string();
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
        let available = std::fs::read_to_string(path).unwrap();
        let available: Vec<_> = available.split_whitespace().collect();
        assert_eq!(found.congestion_controls(), available);
    }

    #[test]
    fn a_check_looks_at_everything_quickly() {
        let start = std::time::Instant::now();
        let found = check();
        assert!(start.elapsed() < std::time::Duration::from_secs(2));
        assert!(found.rows().iter().any(|row| row.name == "yield shim"));
    }
}
