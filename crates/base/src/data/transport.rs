//! Tells from the provenance of data whether messages between hosts travel by TCP over Ethernet.
//!
//! # Rule
//! The lab emulates Ethernet. Elsewhere the MPI library must have been restricted to TCP. The restriction is Open
//! MPI's setting `btl` under the layer `ob1`, UCX's `UCX_TLS`, libfabric's `FI_PROVIDER` or MPICH's variable for it.
//! The interface must not be one of `InfiniBand`, whose links lose nothing. Without such facts nothing is known,
//! since libraries take the fastest network that they find.

use super::Provenance;

/// Transports of UCX inside of a host.
const TRANSPORTS_INSIDE_HOST: [&str; 8] = ["self", "sm", "shm", "mm", "posix", "sysv", "cma", "knem"];

/// Variables that name a provider of libfabric.
const PROVIDERS: [&str; 2] = ["env_FI_PROVIDER", "env_MPIR_CVAR_OFI_USE_PROVIDER"];

/// True if the facts say that messages between hosts travel by TCP over Ethernet.
pub fn is_over_tcp(facts: &Provenance) -> bool {
    let items = |key: &str| facts.get(key).unwrap_or_default().split([',', ';']);
    let has = |key: &str, item: &str| items(key).any(|listed| listed.trim() == item);
    let ob1 = has("setting_pml", "ob1") && has("setting_btl", "tcp");
    let ucx = has("env_UCX_TLS", "tcp")
        && items("env_UCX_TLS").all(|transport| transport == "tcp" || TRANSPORTS_INSIDE_HOST.contains(&transport))
        && !has("setting_pml", "ob1");
    let libfabric = PROVIDERS.into_iter().any(|key| has(key, "tcp") || has(key, "sockets"));
    let interface = facts.get("interface").unwrap_or_default();
    let is_stated = facts.get("lab").is_some() || ob1 || ucx || libfabric;
    is_stated && !interface.starts_with("ib") && facts.get("simulated").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::read;

    #[test]
    fn tcp_is_known_where_the_library_was_restricted_to_it() {
        for (facts, expected) in [
            ("lab=ethernet-8x50", true),
            ("simulated=ethernet-8x50", false),
            ("setting_pml=ob1\n#@setting_btl=tcp,self", true),
            ("setting_pml=ob1\n#@setting_btl=^openib", false),
            ("setting_pml=ob1\n#@setting_btl=tcp,self\n#@interface=ib0", false),
            ("setting_pml=ucx\n#@setting_btl=tcp,self", false),
            ("setting_pml=ucx\n#@env_UCX_TLS=tcp,self,sm", true),
            ("env_UCX_TLS=rc,tcp,self", false),
            ("env_FI_PROVIDER=tcp;ofi_rxm", true),
            ("env_FI_PROVIDER=psm3", false),
            ("mpi=Open MPI 5.0\n#@interface=eth0\n#@congestion_control=cubic", false),
        ] {
            let data = read(&format!("#@{facts}\n"), "", "pingpong,,,2,8,0,0,1e-4\n");
            assert_eq!(is_over_tcp(&data.provenance), expected, "{facts}");
        }
    }
}
