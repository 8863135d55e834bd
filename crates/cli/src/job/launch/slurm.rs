//! The Slurm allocation that netsig runs in, as its environment variables tell, and the options
//! of srun.

use std::path::Path;
use std::process::Command;

use netsig_core::algorithm::MpiFlavour;
use netsig_core::units::Procs;

use crate::input::failure::Failure;

/// Set within an allocation.
const JOB: &str = "SLURM_JOB_ID";

/// Names the interface between srun and MPI where srun is not told with `--mpi`.
const MPI_TYPE: &str = "SLURM_MPI_TYPE";

/// What an allocation offers, as far as it says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allocation {
    tasks: Option<u32>,
    /// How many nodes it has.
    pub nodes: Option<u32>,
}

impl Allocation {
    /// The allocation that the environment variables tell; `None` outside.
    pub fn find() -> Option<Self> {
        let number = |name| std::env::var(name).ok()?.parse().ok();
        std::env::var_os(JOB).map(|_| Self {
            tasks: number("SLURM_NTASKS"),
            nodes: number("SLURM_JOB_NUM_NODES"),
        })
    }

    /// Refuses more processes than there are tasks.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn check(self, procs: Procs) -> Result<(), Failure> {
        match self.tasks {
            Some(tasks) if tasks < procs.get() => Err(Failure::usage(format!(
                "the plan needs {procs} processes and the Slurm allocation has {tasks} tasks (SLURM_NTASKS); ask salloc or sbatch for --ntasks={procs}"
            ))),
            _ => Ok(()),
        }
    }
}

/// The options of srun that start `procs` tasks, `ppn` on each node; all end when one dies.
/// On more nodes than they need srun would give each fewer.
pub fn options(procs: Procs, ppn: u32, interface: Option<&str>) -> Vec<Vec<String>> {
    let mut options = vec![
        vec!["-n".to_owned(), procs.to_string()],
        vec!["--kill-on-bad-exit=1".to_owned()],
        vec![format!("--ntasks-per-node={ppn}")],
        vec![format!("--nodes={}", procs.get().div_ceil(ppn))],
    ];
    options.extend(interface.map(|interface| vec![format!("--mpi={interface}")]));
    options
}

/// The interface between srun and MPI to ask for: the best for `mpi` that `srun` offers; `None`
/// if the environment names one or nothing fits.
pub fn interface(srun: &Path, mpi: MpiFlavour) -> Option<String> {
    if std::env::var_os(MPI_TYPE).is_some_and(|value| !value.is_empty()) {
        return None;
    }
    let output = Command::new(srun).arg("--mpi=list").output().ok()?;
    // Versions of Slurm differ in where they print the list.
    let printed = [output.stdout, output.stderr].concat();
    best(&String::from_utf8_lossy(&printed), mpi)
}

/// The best interface of a list that srun prints, in which `pmix_v4` is version 4 of `pmix`.
fn best(list: &str, mpi: MpiFlavour) -> Option<String> {
    let is_separator = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let offers = || list.split(is_separator);
    let named = |name: &str| offers().find(|offer| *offer == name);
    let version = |offer: &&str| offer.strip_prefix("pmix_v")?.parse::<u32>().ok();
    let versioned = offers()
        .filter(|offer| version(offer).is_some())
        .max_by_key(version);
    let best = match mpi {
        MpiFlavour::OpenMpi => named("pmix").or(versioned).or(named("pmi2")),
        MpiFlavour::Mpich => named("pmi2").or(named("pmix")).or(versioned),
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
            assert_eq!(best(list, mpi).as_deref(), expected, "{list}");
        }
    }
}
