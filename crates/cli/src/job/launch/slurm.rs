//! The Slurm allocation in which netsig runs, from its environment variables, and the options of
//! srun.

use std::path::Path;
use std::process::Command;

use netsig_base::algorithm::MpiFlavour;
use netsig_base::units::Procs;

use crate::input::failure::Failure;

/// A variable that is set within an allocation.
const JOB_VARIABLE: &str = "SLURM_JOB_ID";

/// The default interface between srun and MPI, used if srun has no `--mpi` option.
const MPI_TYPE: &str = "SLURM_MPI_TYPE";

/// srun's option that names the interface.
pub const INTERFACE_OPTION: &str = "--mpi";

/// Resources of an allocation, as far as stated.
#[derive(Debug, Clone, Copy, Default)]
pub struct SlurmAllocation {
    tasks: Option<u32>,
    /// Number of nodes.
    pub nodes: Option<u32>,
}

impl SlurmAllocation {
    /// Reads the allocation from the environment variables; `None` outside of an allocation.
    pub fn find() -> Option<Self> {
        let number = |name| std::env::var(name).ok()?.parse().ok();
        std::env::var_os(JOB_VARIABLE).map(|_| Self {
            tasks: number("SLURM_NTASKS"),
            nodes: number("SLURM_JOB_NUM_NODES"),
        })
    }

    /// Checks that the allocation has enough tasks.
    ///
    /// # Errors
    /// If there are fewer tasks than `procs`.
    pub fn check(self, procs: Procs) -> Result<(), Failure> {
        match self.tasks {
            Some(tasks) if tasks < procs.get() => Err(Failure::usage(format!(
                "the plan needs {procs} processes and the Slurm allocation has {tasks} tasks (SLURM_NTASKS); ask salloc or sbatch for --ntasks={procs}"
            ))),
            _ => Ok(()),
        }
    }
}

/// The options of srun that start `procs` tasks, `ppn` on each node, and end all if one dies. The
/// number of nodes is explicit, because srun would otherwise spread the tasks over all nodes.
pub fn options(procs: Procs, ppn: u32, interface: Option<&str>) -> Vec<Vec<String>> {
    let mut options = vec![
        vec!["-n".to_owned(), procs.to_string()],
        vec!["--kill-on-bad-exit=1".to_owned()],
        vec![format!("--ntasks-per-node={ppn}")],
        vec![format!("--nodes={}", procs.get().div_ceil(ppn))],
    ];
    options.extend(interface.map(|interface| vec![format!("{INTERFACE_OPTION}={interface}")]));
    options
}

/// True if the environment specifies the interface between srun and MPI.
pub fn has_default_interface() -> bool {
    std::env::var_os(MPI_TYPE).is_some_and(|value| !value.is_empty())
}

/// The best interface of `srun` for `mpi`. `None` if the environment specifies one or none is
/// suitable.
pub fn interface(srun: &Path, mpi: MpiFlavour) -> Option<String> {
    if has_default_interface() {
        return None;
    }
    let output = Command::new(srun).arg("--mpi=list").output().ok()?;
    // Slurm versions print the list to different streams.
    let printed = [output.stdout, output.stderr].concat();
    best_interface(&String::from_utf8_lossy(&printed), mpi)
}

/// The best interface in a list that srun prints, where `pmix_v4` is version 4 of `pmix`.
fn best_interface(list: &str, mpi: MpiFlavour) -> Option<String> {
    let is_separator = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let offers = || list.split(is_separator);
    let named = |name: &str| offers().find(|offer| *offer == name);
    let version = |offer: &&str| offer.strip_prefix("pmix_v")?.parse::<u32>().ok();
    let versioned = offers().filter(|offer| version(offer).is_some()).max_by_key(version);
    let best = match mpi {
        MpiFlavour::OpenMpi => named("pmix").or(versioned).or(named("pmi2")),
        MpiFlavour::Mpich | MpiFlavour::IntelMpi => named("pmi2").or(named("pmix")).or(versioned),
    };
    best.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_interface_of_every_form_of_the_list_is_found() {
        use MpiFlavour::{Mpich, OpenMpi};
        let recent = "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\n\
            specific pmix plugin versions available: pmix_v3,pmix_v4\n";
        let old = "srun: MPI types are...\nsrun: none\nsrun: pmi2\nsrun: pmix_v9\nsrun: pmix_v10\n";
        for (list, mpi, expected) in [
            (recent, OpenMpi, Some("pmix")),
            (recent, Mpich, Some("pmi2")),
            (old, OpenMpi, Some("pmix_v10")),
            ("srun: none\nsrun: pmi2\n", OpenMpi, Some("pmi2")),
            ("none pmix", Mpich, Some("pmix")),
            ("srun: error: Invalid MPI type 'list'", OpenMpi, None),
        ] {
            assert_eq!(best_interface(list, mpi).as_deref(), expected, "{list}");
        }
    }
}
