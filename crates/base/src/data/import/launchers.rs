//! The launchers of jobs: their names, and the options with which they state numbers of processes and hosts. Also the
//! names of the programs that they start.

use crate::algorithm::Collective;

/// Quantity that an option of a launcher states.
#[derive(Debug, Clone, Copy)]
pub(super) enum LaunchQuantity {
    Procs,
    Hosts,
    PerHost,
}

/// Options with the quantities that they state.
pub(super) type LaunchOptions = [(&'static str, LaunchQuantity)];

/// Options of mpirun, mpiexec and their kin.
const OF_MPI: &LaunchOptions = &[
    ("-n", LaunchQuantity::Procs),
    ("-np", LaunchQuantity::Procs),
    ("-c", LaunchQuantity::Procs),
    ("--n", LaunchQuantity::Procs),
    ("--np", LaunchQuantity::Procs),
    ("-N", LaunchQuantity::PerHost),
    ("-ppn", LaunchQuantity::PerHost),
    ("--ppn", LaunchQuantity::PerHost),
    ("-perhost", LaunchQuantity::PerHost),
    ("-npernode", LaunchQuantity::PerHost),
    ("--npernode", LaunchQuantity::PerHost),
    ("--ntasks-per-node", LaunchQuantity::PerHost),
];

/// Options of the commands of Slurm and Flux.
const OF_SLURM: &LaunchOptions = &[
    ("-n", LaunchQuantity::Procs),
    ("--ntasks", LaunchQuantity::Procs),
    ("-N", LaunchQuantity::Hosts),
    ("--nodes", LaunchQuantity::Hosts),
    ("--ntasks-per-node", LaunchQuantity::PerHost),
    ("--tasks-per-node", LaunchQuantity::PerHost),
];

/// Options of LSF's commands.
const OF_LSF: &LaunchOptions = &[("-n", LaunchQuantity::Procs)];

/// Options of jsrun; its sets of resources are no hosts.
const OF_JSRUN: &LaunchOptions = &[("-p", LaunchQuantity::Procs), ("--np", LaunchQuantity::Procs)];

/// Commands that start the programs of a job.
pub(super) const LAUNCHERS: [(&str, &LaunchOptions); 14] = [
    ("mpirun", OF_MPI),
    ("mpiexec", OF_MPI),
    ("mpiexec.hydra", OF_MPI),
    ("mpiexec_mpt", OF_MPI),
    ("mpirun_rsh", OF_MPI),
    ("orterun", OF_MPI),
    ("prterun", OF_MPI),
    ("prun", OF_MPI),
    ("aprun", OF_MPI),
    ("ibrun", OF_MPI),
    ("srun", OF_SLURM),
    ("yhrun", OF_SLURM),
    ("flux", OF_SLURM),
    ("jsrun", OF_JSRUN),
];

/// Words before the options of an allocation of hosts, within which launchers start programs.
pub(super) const ALLOCATIONS: [(&str, &LaunchOptions); 4] = [
    ("#SBATCH", OF_SLURM),
    ("salloc", OF_SLURM),
    ("sbatch", OF_SLURM),
    ("#BSUB", OF_LSF),
];

/// Word before the resources of a job of PBS, and the resources that are numbers of a job.
pub(super) const PBS: &str = "#PBS";
pub(super) const RESOURCES: [(&str, LaunchQuantity); 4] = [
    ("nodes=", LaunchQuantity::Hosts),
    ("select=", LaunchQuantity::Hosts),
    ("ppn=", LaunchQuantity::PerHost),
    ("mpiprocs=", LaunchQuantity::PerHost),
];

/// Beginnings of the names of benchmark programs.
pub(super) const BENCHMARKS: [&str; 4] = ["osu_", "IMB-", "mpibenchmark", "run.py"];

/// Programs whose launch prints no table.
pub(super) const TOOLS: [&str; 9] = [
    "hostname",
    "date",
    "env",
    "printenv",
    "lscpu",
    "nvidia-smi",
    "uname",
    "true",
    "ucx_info",
];

/// Words between a launcher and its options.
pub(super) const SUBCOMMANDS: [&str; 3] = ["run", "mini", "submit"];

/// Options of launchers with two values.
pub(super) const WITH_TWO_VALUES: [&str; 5] = ["--mca", "-mca", "--gmca", "-genv", "-env"];

/// Name of the OSU program that measures a collective.
pub(super) fn osu_program(collective: Collective) -> String {
    format!("osu_{collective}").replace('-', "_")
}
