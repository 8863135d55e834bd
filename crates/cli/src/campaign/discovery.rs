//! The job that finds the clusters of hosts: starts the rank program, follows it, and reads its report.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::anyhow;
use netsig_core::network::{Grid, Network};
use netsig_core::units::Procs;
use netsig_measure::plan::JobId;

use super::series::temporary;
use crate::input::args::{LaunchArgs, Place};
use crate::input::failure::Failure;
use crate::input::files;
use crate::job::launch::{Launcher, absolute};
use crate::job::progress::Follower;
use crate::job::{End, Job};

/// Where and how to discover.
pub struct Discovery<'a> {
    /// The place: the hosts of the launcher or a lab.
    pub place: &'a Place,
    /// The network of a lab.
    pub scenario: Option<&'a Network>,
    /// The launcher of MPI programs.
    pub launch: &'a LaunchArgs,
    /// Number of ranks; by default those for which there are hosts.
    pub procs: Option<Procs>,
    /// The output, in whose folder the ranks write their report.
    pub output: &'a Path,
    /// Longest duration of a step of a rank.
    pub timeout: Duration,
}

/// The report's name of the job.
const JOB: JobId = JobId {
    launch: 0,
    variant: 0,
};

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
        let procs = self.procs(&launcher)?;
        let report = temporary::beside(self.output, ".toml")?;
        let arguments: [OsString; 5] = [
            "discover".into(),
            "--output".into(),
            absolute(report.path())?.into(),
            "--timeout".into(),
            self.timeout.as_secs().to_string().into(),
        ];
        let command = launcher.command(procs, &[], &arguments);
        let mut progress = Follower::without_end(report.path(), "discovering");
        let job = Job::start(&command, self.scenario)?;
        let end = job.follow(JOB, self.timeout, &mut progress)?;
        drop(progress);
        match end {
            End::Complete => {
                let name = report.path().display().to_string();
                Ok(Grid::parse(&name, &files::text(report.path())?)?)
            }
            End::Interrupted => Err(Failure::interrupted("interrupted; nothing was written")),
            End::Void(why) => Err(anyhow!("{why}; nothing was written, discover again").into()),
            End::Lost(why) => Err(anyhow!("{why}; nothing was written, {REMEDY}").into()),
            End::Failed(why) => {
                let what = "nothing was written; where a host is named there";
                Err(anyhow!("{why}; {what}, {REMEDY}").into())
            }
        }
    }

    fn procs(&self, launcher: &Launcher) -> Result<Procs, Failure> {
        let hosts = self.scenario.map(Network::hosts);
        let procs = self.procs.or(hosts).or(launcher.all()).ok_or_else(|| {
            Failure::usage("the number of hosts is not known; give the number of ranks, --procs")
        })?;
        if let Some(hosts) = hosts.filter(|hosts| *hosts < procs) {
            return Err(Failure::usage(format!(
                "--procs {procs} and the scenario has {hosts} hosts; leave out --procs"
            )));
        }
        launcher.check(procs)?;
        if procs.get() < 2 {
            return Err(Failure::usage(format!(
                "discover needs two hosts or more, and there is one; {MORE}"
            )));
        }
        Ok(procs)
    }
}
