//! The Slurm allocation that netsig runs in, as its environment variables tell, and what
//! srun must be told to use it.

use netsig_core::units::Procs;

use crate::input::failure::Failure;

/// Set within an allocation.
const JOB: &str = "SLURM_JOB_ID";

/// What an allocation offers, as far as it says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allocation {
    tasks: Option<u32>,
    nodes: Option<u32>,
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

    /// What srun needs to start `procs` tasks: each on a node of its own where there are
    /// enough, and an end to all when one dies.
    pub fn options(self, procs: Procs) -> Vec<String> {
        let count = procs.to_string();
        let mut options = vec!["-n", &count, "--kill-on-bad-exit=1"];
        if self.nodes.is_some_and(|nodes| nodes >= procs.get()) {
            options.push("--ntasks-per-node=1");
        }
        options.into_iter().map(str::to_owned).collect()
    }
}
