//! The job that finds the clusters of hosts: starts the rank program, follows it, and reads its report.

use anyhow::anyhow;
use netsig_base::network::Grid;
use netsig_base::units::Procs;

use super::errand::Errand;
use crate::input::args::{LaunchArgs, Place};
use crate::input::failure::Failure;
use crate::input::files;
use crate::job::End;
use crate::job::launch::Launcher;

/// Where and how to discover.
pub struct Discovery<'a> {
    /// The place: the hosts of the launcher or a lab.
    pub place: &'a Place,
    /// The launcher of MPI programs.
    pub launch: &'a LaunchArgs,
    /// Number of ranks; by default those for which there are hosts.
    pub procs: Option<Procs>,
    /// The job.
    pub errand: Errand<'a>,
}

/// What to do about a host that died or hung.
const REMEDY: &str = "check this host and its network, or leave it out of the host file";

/// How to give more hosts.
const MORE: &str = "give --hostfile with more, or ask the batch system for more nodes";

impl Discovery<'_> {
    /// Runs the job.
    ///
    /// # Errors
    /// If there are fewer than two ranks, the job cannot be started, or it fails.
    pub fn run(&self) -> Result<Grid, Failure> {
        let launcher = Launcher::find(self.launch, self.place)?;
        let procs = self.errand.procs(&launcher, self.procs)?;
        if procs.get() < 2 {
            return Err(Failure::usage(format!(
                "discover needs two hosts or more, and there is one; {MORE}"
            )));
        }
        let (end, report) = self.errand.run(&launcher, procs)?;
        match end {
            End::Complete => {
                let name = report.display().to_string();
                Ok(Grid::parse(&name, &files::text(&report)?)?)
            }
            End::Interrupted(code) => {
                let kept = "nothing was written; discover again";
                Err(Failure::interrupted(code, kept))
            }
            End::Void(why) => Err(anyhow!("{why}; nothing was written, discover again").into()),
            End::Lost(why) => Err(anyhow!("{why}; nothing was written, {REMEDY}").into()),
            End::Failed(why) => {
                let what = "nothing was written; where a host is named there";
                Err(anyhow!("{why}; {what}, {REMEDY}").into())
            }
        }
    }
}
