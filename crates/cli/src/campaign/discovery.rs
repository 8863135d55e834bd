//! The job that finds the clusters of hosts: starts the rank program, follows it, and reads its report.

use anyhow::anyhow;
use netsig_base::network::ClusterGrid;
use netsig_base::units::Procs;

use super::planless_job::PlanlessJob;
use crate::input::args::{LaunchArgs, MeasurementPlace};
use crate::input::failure::Failure;
use crate::input::files;
use crate::job::JobEnd;
use crate::job::launch::Launcher;

/// Where and how to discover.
pub struct ClusterDiscovery<'a> {
    /// The place: the hosts of the launcher or a lab.
    pub place: &'a MeasurementPlace,
    /// The launcher of MPI programs.
    pub launch: &'a LaunchArgs,
    /// Number of ranks; by default as many as there are hosts for.
    pub procs: Option<Procs>,
    /// The job.
    pub planless_job: PlanlessJob<'a>,
}

/// Remedy for a host that died or hung.
const REMEDY: &str = "check this host and its network, or leave it out of the host file";

/// Remedy for too few hosts.
const MORE_HOSTS: &str = "give --hostfile with more, or ask the batch system for more nodes";

impl ClusterDiscovery<'_> {
    /// Runs the job.
    ///
    /// # Errors
    /// If there are fewer than two ranks, the job cannot be started, or it fails.
    pub fn run(&self) -> Result<ClusterGrid, Failure> {
        let launcher = Launcher::find(self.launch, self.place)?;
        let procs = self.planless_job.procs(&launcher, self.procs)?;
        if procs.get() < 2 {
            return Err(Failure::usage(format!(
                "discover needs two hosts or more, and there is one; {MORE_HOSTS}"
            )));
        }
        let (end, report) = self.planless_job.run(&launcher, procs)?;
        match end {
            JobEnd::Complete => {
                let name = report.display().to_string();
                Ok(ClusterGrid::parse(&name, &files::text(&report)?)?)
            }
            JobEnd::Interrupted(code) => {
                let kept = "nothing was written; discover again";
                Err(Failure::interrupted(code, kept))
            }
            JobEnd::Void(why) => Err(anyhow!("{why}; nothing was written, discover again").into()),
            JobEnd::Lost(why) => Err(anyhow!("{why}; nothing was written, {REMEDY}").into()),
            JobEnd::Failed(why) => {
                let state = "nothing was written; where a host is named there";
                Err(anyhow!("{why}; {state}, {REMEDY}").into())
            }
        }
    }
}
