//! The environment variables that affect the execution of a job.

use itertools::Itertools;

/// Prefixes of relevant variables.
const PREFIXES: &[&str] = &["OMPI_MCA_", "PMIX_MCA_", "MPIR_CVAR_", "UCX_", "FI_", "I_MPI_"];

/// Prefixes of the variables that Open MPI's launcher sets itself, with different values in each
/// job.
const OF_THE_LAUNCHER: &[&str] = &[
    "OMPI_MCA_orte_",
    "OMPI_MCA_ess",
    "OMPI_MCA_pmix",
    "OMPI_MCA_initial_wdir",
    "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
    "PMIX_MCA_mca_base_",
];

/// Other relevant variables.
const NAMES: &[&str] = &[
    "SLURM_JOB_ID",
    "SLURM_JOB_NODELIST",
    "SLURM_MPI_TYPE",
    "SLURM_TASKS_PER_NODE",
];

/// The relevant variables with their values, sorted by name.
pub fn relevant() -> Vec<(String, String)> {
    let all = std::env::vars_os();
    let readable = all.filter_map(|(name, value)| {
        let name = name.into_string().ok()?;
        Some((name, value.to_string_lossy().into_owned()))
    });
    readable.filter(|(name, _)| is_relevant(name)).sorted().collect()
}

fn is_relevant(name: &str) -> bool {
    let begins_with = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    NAMES.contains(&name) || (begins_with(PREFIXES) && !begins_with(OF_THE_LAUNCHER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_sets_is_relevant() {
        for (name, expected) in [
            ("OMPI_MCA_btl_tcp_eager_limit", true),
            ("OMPI_MCA_orte_hnp_uri", false),
            ("UCX_TLS", true),
            ("SLURM_JOB_ID", true),
            ("HOME", false),
        ] {
            assert_eq!(is_relevant(name), expected, "{name}");
        }
    }
}
