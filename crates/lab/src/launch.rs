//! The environment that makes a plain `mpirun -np N PROGRAM` use the emulated hosts, for Open MPI 4
//! and for MPICH, and the location of the yield shim.

use std::ffi::OsString;
use std::path::PathBuf;

use netsig_base::network::Network;

use crate::filesystem::{AGENT_SCRIPT, HOSTFILE, HOSTFILE_MPICH, TMPDIR};

/// Path of the yield shim: the user's choice, and within the lab the shim in use.
pub(crate) const SHIM_PATH: &str = "NETSIG_YIELD_SHIM_PATH";

/// Set on emulated hosts where the yield shim is preloaded.
pub(crate) const SHIM_IN_USE: &str = "NETSIG_YIELD_SHIM";

/// Congestion control of connections between hosts. The sysctl in the hosts does not show it, since
/// their routes set it.
const CONGESTION_CONTROL: &str = "NETSIG_LAB_CONGESTION_CONTROL";

/// Name of the emulated network; set for a command in the lab.
pub(crate) const NETWORK: &str = "NETSIG_LAB";

const SHIM_FILE: &str = "libnetsig_yield_shim.so";

/// Folders of the shim, relative to the folder of the running program: the same folder; the library
/// folder if installed; the parent folder or `deps` for programs that cargo built for tests.
const SHIM_FOLDERS: [&str; 5] = [".", "../lib/netsig", "..", "deps", "../deps"];

/// Variables for launchers and MPI libraries.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("NETSIG_LAB_HOSTFILE", HOSTFILE),
    ("NETSIG_LAB_AGENT", AGENT_SCRIPT),
    ("TMPDIR", TMPDIR),
    // Open MPI: start daemons through the agent, one rank a host, TCP over eth0 only.
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_plm", "rsh"),
    ("OMPI_MCA_plm_rsh_agent", AGENT_SCRIPT),
    ("OMPI_MCA_plm_rsh_no_tree_spawn", "1"),
    ("OMPI_MCA_orte_default_hostfile", HOSTFILE),
    ("OMPI_MCA_rmaps_base_mapping_policy", "node"),
    ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ("OMPI_MCA_pml", "ob1"),
    ("OMPI_MCA_btl", "tcp,self"),
    ("OMPI_MCA_btl_tcp_if_include", "eth0"),
    ("OMPI_MCA_oob", "tcp"),
    ("OMPI_MCA_oob_tcp_if_include", "eth1,ctlbr"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
    // MPICH: the same through hydra and UCX.
    ("HYDRA_LAUNCHER", "ssh"),
    ("HYDRA_LAUNCHER_EXEC", AGENT_SCRIPT),
    ("HYDRA_HOST_FILE", HOSTFILE_MPICH),
    ("UCX_TLS", "tcp,self"),
    ("UCX_NET_DEVICES", "eth0"),
    ("UCX_POSIX_USE_PROC_LINK", "n"),
];

/// The variables of the eager limit of Open MPI and of MPICH over UCX.
const EAGER_LIMITS: [&str; 3] = [
    "OMPI_MCA_btl_tcp_eager_limit",
    "OMPI_MCA_btl_tcp_rndv_eager_limit",
    "UCX_RNDV_THRESH",
];

/// All environment variables of a command in the lab.
pub(crate) fn environment(network: &Network) -> Vec<(&'static str, OsString)> {
    let fixed = ENVIRONMENT.iter().map(|&(key, value)| (key, value.into()));
    let named = [
        (NETWORK, network.name.clone().into()),
        ("NETSIG_LAB_HOSTS", network.hosts().to_string().into()),
        (CONGESTION_CONTROL, network.congestion_control.clone().into()),
    ];
    let limit = network.eager_limit.map(|limit| limit.0.to_string());
    let limits = limit
        .iter()
        .flat_map(|limit| EAGER_LIMITS.map(|key| (key, limit.into())));
    let shim = shim().map(|path| (SHIM_PATH, path.into()));
    fixed.chain(named).chain(limits).chain(shim).collect()
}

/// Path of the yield shim, if it exists.
pub(crate) fn shim() -> Option<PathBuf> {
    let named = std::env::var_os(SHIM_PATH).map(PathBuf::from);
    let program = std::env::current_exe().ok();
    let folder = program.as_deref().and_then(std::path::Path::parent);
    let beside = folder
        .into_iter()
        .flat_map(|folder| SHIM_FOLDERS.map(|relative| folder.join(relative).join(SHIM_FILE)));
    named
        .into_iter()
        .chain(beside)
        .find_map(|path| path.canonicalize().ok())
}

/// The yield shim that ranks of this process's cluster have preloaded; `None` outside of the lab and
/// without a shim. A launcher that sets `LD_PRELOAD` for its ranks must name the shim as well.
pub fn shim_in_use() -> Option<OsString> {
    std::env::var_os(NETWORK)?;
    std::env::var_os(SHIM_PATH)
}

/// `existing` as `LD_PRELOAD` with `shim` in front.
pub(crate) fn preload(shim: OsString, existing: Option<OsString>) -> OsString {
    let mut value = shim;
    if let Some(existing) = existing.filter(|text| !text.is_empty()) {
        value.push(":");
        value.push(existing);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eager_limit_is_a_setting_of_the_mpi() {
        let mut network = crate::load("ethernet-8x50").unwrap();
        network.eager_limit = Some(netsig_base::units::Bytes(16384));
        let limit = ("OMPI_MCA_btl_tcp_eager_limit", "16384".into());
        assert!(environment(&network).contains(&limit));
    }

    #[test]
    fn the_shim_goes_before_what_is_preloaded_already() {
        assert_eq!(preload("s.so".into(), None), "s.so");
        assert_eq!(preload("s.so".into(), Some("".into())), "s.so");
        assert_eq!(preload("s.so".into(), Some("a.so:b.so".into())), "s.so:a.so:b.so");
    }
}
