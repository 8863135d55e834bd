//! A short job of the rank program that belongs to no plan: starts it on the hosts, follows it, and returns its report,
//! a temporary file.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use netsig_base::network::Network;
use netsig_base::units::Procs;
use netsig_measure::plan::JobId;
use tempfile::TempPath;

use super::series::temporary;
use crate::input::failure::Failure;
use crate::input::interrupt::Temporary;
use crate::job::launch::{Launcher, absolute_path};
use crate::job::progress::ProgressFollower;
use crate::job::{JobEnd, RunningJob};

/// The name of the job in its report.
const JOB: JobId = JobId { launch: 0, variant: 0 };

/// A job of the rank program, and its place.
pub struct PlanlessJob<'a> {
    /// The subcommand of the rank program.
    pub subcommand: &'static str,
    /// Label of the progress.
    pub label: &'static str,
    /// The network of a lab.
    pub scenario: Option<&'a Network>,
    /// The file beside which the ranks write their report.
    pub output: &'a Path,
    /// Longest duration of a step of a rank.
    pub timeout: Duration,
}

impl PlanlessJob<'_> {
    /// The number of ranks: the given one, or as many as there are hosts for.
    ///
    /// # Errors
    /// If the number of hosts is not known, or too small.
    pub fn procs(&self, launcher: &Launcher, given_procs: Option<Procs>) -> Result<Procs, Failure> {
        let hosts = self.scenario.map(Network::hosts);
        let procs = given_procs
            .or(hosts)
            .or(launcher.procs_on_all_hosts())
            .ok_or_else(|| Failure::usage("the number of hosts is not known; give the number of ranks, --procs"))?;
        if let Some(hosts) = hosts.filter(|hosts| *hosts < procs) {
            return Err(Failure::usage(format!(
                "--procs {procs} and the scenario has {hosts} hosts; leave out --procs"
            )));
        }
        launcher.check(procs)?;
        Ok(procs)
    }

    /// Runs the job of `procs` ranks; returns its end and its report.
    ///
    /// # Errors
    /// If the report cannot be created, or the job cannot be started.
    pub fn run(&self, launcher: &Launcher, procs: Procs) -> Result<(JobEnd, Temporary<TempPath>), Failure> {
        let report = temporary::create_beside(self.output, ".toml")?;
        let arguments: [OsString; 5] = [
            self.subcommand.into(),
            "--output".into(),
            absolute_path(&report)?.into(),
            "--timeout".into(),
            self.timeout.as_secs().to_string().into(),
        ];
        let command = launcher.command(procs, &[], &arguments);
        let mut progress = ProgressFollower::of_unknown_extent(&report, self.label);
        let job = RunningJob::start(&command, self.scenario)?;
        let end = job.follow(JOB, self.timeout, &mut progress)?;
        Ok((end, report))
    }
}
