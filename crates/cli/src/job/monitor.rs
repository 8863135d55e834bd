//! Watches a job: its output and the growth of its data show whether it makes progress and why it
//! ended.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::hang::{self, HangReport};
use super::rank_death::RankDeath;
use super::unreachable_hosts::UnreachableHosts;

/// Prefix of the message of a rank that ends the job itself; a launcher's explanation of the end is
/// then unnecessary.
const REASON_PREFIX: &str = "netsig-rank: ";

/// A part of Open MPI's message when srun started it without an interface to it.
const NO_INTERFACE: &str = "direct launched using \"srun\"";

/// The meaning of that message, with a remedy.
const NO_INTERFACE_REASON: &str = "Open MPI was not built with the interface through which it was started; give --launcher-option=--mpi=NAME with another of `srun --mpi=list`, or --launcher openmpi";

/// Time to collect the reports of a stall before they are evaluated.
const REPORT_COLLECTION_TIME: Duration = Duration::from_secs(3);

/// Time that a job may need to start in addition to the time-out.
const START_UP: Duration = Duration::from_secs(30);

/// Time in which a job that cannot reach its hosts ends itself.
const UNREACHABLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Factor of that time for later steps, since a repetition may take longer than the start.
const LATER_STEP_FACTOR: u32 = 3;

/// The state of a running job.
pub struct JobMonitor {
    timeout: Duration,
    started: Instant,
    reports: Vec<HangReport>,
    first_report: Option<Instant>,
    /// Hosts of the started ranks, in jobs whose ranks report their start.
    started_ranks: BTreeMap<usize, String>,
    unreachable_hosts: UnreachableHosts,
    /// Time at which the launcher or MPI reported unreachable hosts.
    unreachable_since: Option<Instant>,
    /// The reason that the first rank or the MPI library gave for the end of the job.
    pub reason: Option<String>,
    /// The rank that died, if any.
    pub death: RankDeath,
}

impl JobMonitor {
    /// Watches a job that starts now, whose ranks report after `timeout`.
    pub fn new(timeout: Duration, now: Instant) -> Self {
        Self {
            timeout,
            started: now,
            reports: Vec::new(),
            first_report: None,
            started_ranks: BTreeMap::new(),
            unreachable_hosts: UnreachableHosts::default(),
            unreachable_since: None,
            reason: None,
            death: RankDeath::default(),
        }
    }

    /// Evaluates a line of the job's output, and returns it if it is for the user.
    pub fn read_line<'a>(&mut self, line: &'a str, now: Instant) -> Option<&'a str> {
        if let Some(report) = HangReport::parse(line) {
            self.reports.push(report);
            self.first_report.get_or_insert(now);
            return None;
        }
        if let Some((rank, host)) = hang::parse_rank_start(line) {
            self.started_ranks.insert(rank, host);
            return None;
        }
        if let Some((_, reason)) = line.split_once(REASON_PREFIX) {
            let first = self.reason.get_or_insert_with(|| reason.to_owned());
            // Processes that each run as a separate job print the same message.
            return (first != reason).then_some(line);
        }
        if line.contains(NO_INTERFACE) {
            self.reason.get_or_insert_with(|| NO_INTERFACE_REASON.to_owned());
        }
        if let Some(reason) = self.unreachable_hosts.read_line(line) {
            self.reason.get_or_insert(reason);
            self.unreachable_since.get_or_insert(now);
        }
        self.death.read_line(line);
        Some(line)
    }

    /// The reason to end a job that cannot reach its hosts and does not end itself. `last_growth` is as for
    /// [`Self::reason_to_end`].
    pub fn reason_if_unreachable(&self, now: Instant, last_growth: Option<Instant>) -> Option<String> {
        let is_over = |since| now.saturating_duration_since(since) > UNREACHABLE_TIMEOUT && last_growth.is_none();
        self.reason
            .clone()
            .filter(|_| self.unreachable_since.is_some_and(is_over))
    }

    /// The reason to end the job, if there is one. `last_growth` is the last time at which its data grew since its
    /// start; `hosts` is in rank order.
    pub fn reason_to_end(&self, now: Instant, last_growth: Option<Instant>, hosts: &[String]) -> Option<String> {
        if let Some(first) = self.first_report {
            let is_complete = now - first > REPORT_COLLECTION_TIME;
            let known = self.hosts(hosts);
            let hung = || hang::describe_hang(&self.reports, &known, self.timeout);
            return is_complete.then(|| self.reason.clone().unwrap_or_else(hung));
        }
        let limit = self.timeout + START_UP;
        let (since, limit) = match last_growth {
            Some(grown) => (grown, limit * LATER_STEP_FACTOR),
            None => (self.started, limit),
        };
        (now.saturating_duration_since(since) > limit)
            .then(|| format!("there was no sign of life for {} s", limit.as_secs()))
    }

    /// The hosts in rank order: from the data, or from the ranks that have begun.
    fn hosts(&self, known: &[String]) -> Vec<String> {
        let ranks = self.started_ranks.keys().max().map_or(0, |last| last + 1);
        let host_of = |rank| self.started_ranks.get(&rank).map_or("unknown", String::as_str);
        match known {
            [] => (0..ranks).map(|rank| host_of(rank).to_owned()).collect(),
            known => known.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "@netsig-stall rank=0 host=h0 steps=3 among=0,1 in=ping-pong of 1 B";

    #[test]
    fn reports_are_collected_before_a_verdict() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut monitor = JobMonitor::new(Duration::from_secs(60), start);
        assert_eq!(monitor.read_line("a word", after(1)), Some("a word"));
        assert_eq!(monitor.read_line(REPORT, after(60)), None);
        assert_eq!(monitor.reason_to_end(after(62), Some(after(1)), &[]), None);
        let verdict = monitor.reason_to_end(after(64), Some(after(1)), &[]).unwrap();
        assert!(verdict.starts_with("rank 1 on host unknown did not answer for 60 s"));
    }

    #[test]
    fn a_job_without_a_sign_of_life_is_ended() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let monitor = JobMonitor::new(Duration::from_secs(60), start);
        assert_eq!(monitor.reason_to_end(after(89), None, &[]), None);
        assert!(monitor.reason_to_end(after(91), None, &[]).is_some());
        assert_eq!(monitor.reason_to_end(after(280), Some(after(11)), &[]), None);
        assert!(monitor.reason_to_end(after(282), Some(after(11)), &[]).is_some());
    }

    #[test]
    fn a_job_that_cannot_reach_its_hosts_is_ended() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut monitor = JobMonitor::new(Duration::from_secs(60), start);
        monitor.read_line("ssh: connect to host n7 port 22: No route to host", after(1));
        assert_eq!(monitor.reason_if_unreachable(after(10), None), None);
        assert_eq!(monitor.reason_if_unreachable(after(12), Some(after(2))), None);
        assert!(monitor.reason_if_unreachable(after(12), None).unwrap().contains("n7"));
    }

    #[test]
    fn a_launcher_without_the_interface_of_the_mpi_is_told() {
        let now = Instant::now();
        let mut monitor = JobMonitor::new(Duration::from_secs(60), now);
        let line = "The application appears to have been direct launched using \"srun\",";
        assert_eq!(monitor.read_line(line, now), Some(line));
        monitor.read_line("srun: error: n2: task 1: Exited with exit code 1", now);
        assert!(monitor.reason.unwrap().ends_with("or --launcher openmpi"));
    }

    #[test]
    fn a_rank_that_gives_its_own_reason_has_it_told() {
        let now = Instant::now();
        let mut monitor = JobMonitor::new(Duration::from_secs(60), now);
        let reason = "rank 0: data.csv: cannot be written";
        for other in [reason, reason, "rank 1: data.csv: is no plan"] {
            let line = format!("netsig-rank: {other}");
            let shown = monitor.read_line(&line, now);
            assert_eq!(shown.is_some(), other != reason);
        }
        assert_eq!(monitor.reason.as_deref(), Some(reason));
    }
}
