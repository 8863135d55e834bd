//! Checks that the launcher belongs to the MPI library of this program. Otherwise MPI starts every
//! process as a separate job with a single rank.

use std::io::Write as _;

use anyhow::{Result, bail};

/// The environment variables that identify a launcher.
struct LauncherVariables {
    /// Name of the launcher.
    name: &'static str,
    /// A variable that only this launcher sets.
    identifying: &'static str,
    /// The variable with the number of started processes.
    count: &'static str,
    /// Advice that lets the processes start as one job.
    remedy: &'static str,
}

/// mpirun first: within a Slurm allocation it starts its own daemons with srun.
const LAUNCHERS: [LauncherVariables; 3] = [
    LauncherVariables {
        name: "the mpirun of Open MPI",
        identifying: "OMPI_COMM_WORLD_SIZE",
        count: "OMPI_COMM_WORLD_SIZE",
        remedy: OTHER_MPIRUN,
    },
    LauncherVariables {
        name: "the mpirun of MPICH",
        identifying: "MPI_LOCALNRANKS",
        count: "PMI_SIZE",
        remedy: OTHER_MPIRUN,
    },
    LauncherVariables {
        name: "srun",
        identifying: "SLURM_STEP_NUM_TASKS",
        count: "SLURM_STEP_NUM_TASKS",
        remedy: "choose another of `srun --mpi=list`, usually --launcher-option=--mpi=pmix for Open MPI and pmi2 for MPICH, or give --launcher openmpi or mpich",
    },
];

const OTHER_MPIRUN: &str =
    "start it with the mpirun of its own MPI (--mpirun), or give the --rank-program for this one";

/// The variables with the number of a process, of `mpirun` and `srun`.
const RANKS: [&str; 3] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"];

/// Tells netsig the host of this rank before MPI starts, since MPI hangs where hosts do not answer each other.
pub fn announce_host() {
    let rank = RANKS.iter().find_map(|name| std::env::var(name).ok());
    if let (Some(rank), Ok(host)) = (rank, nix::unistd::gethostname()) {
        let line = format!("@netsig-begun rank={rank} host={}\n", host.display());
        // A failure to write to standard error cannot be reported.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

/// Name and version of the MPI library, such as `Open MPI v4.1.4` or `MPICH 4.0.2`.
pub fn library() -> String {
    let text = mpi::environment::library_version().unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    let name = line.split([',', '\0']).next().unwrap_or_default();
    let words = name.split_whitespace().filter(|word| *word != "Version:");
    words.collect::<Vec<_>>().join(" ")
}

/// Checks that the launcher did not start more processes than MPI reports (`ranks`).
///
/// # Errors
/// If the launcher started more processes.
pub fn check(ranks: u32) -> Result<()> {
    let is_set = |name: &str| std::env::var_os(name).is_some();
    let Some(mark) = LAUNCHERS.iter().find(|mark| is_set(mark.identifying)) else {
        return Ok(());
    };
    let started = std::env::var(mark.count).unwrap_or_default();
    if started.parse().is_ok_and(|started: u32| started > ranks) {
        bail!(
            "{} started {started} processes and MPI shows {ranks} to each: it does not work with {}, for which this rank program was built; {}",
            mark.name,
            library(),
            mark.remedy
        );
    }
    Ok(())
}
