//! Watches a job: its output and the growth of its data show whether it makes progress and why it
//! ended.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::death::Death;
use super::parted::Parted;
use super::stall::{self, Report};

/// Prefix of the message of a rank that ends the job itself; a launcher's explanation of the end is
/// then unnecessary.
const REASON: &str = "netsig-rank: ";

/// A part of Open MPI's message when srun started it without an interface to it.
const NO_INTERFACE: &str = "direct launched using \"srun\"";

/// The meaning of that message, with a remedy.
const NO_INTERFACE_REASON: &str = "Open MPI was not built with the interface through which it was started; give --launcher-option=--mpi=NAME with another of `srun --mpi=list`, or --launcher openmpi";

/// Time to collect the reports of a stall before they are evaluated.
const COLLECTION: Duration = Duration::from_secs(3);

/// Time that a job may need to start in addition to the time-out.
const START_UP: Duration = Duration::from_secs(30);

/// Time in which a job ends itself that cannot reach its hosts.
const PARTING: Duration = Duration::from_secs(10);

/// Factor of that time for later steps, since a repetition may take longer than the start.
const LONGER: u32 = 3;

/// The state of a running job.
pub struct Vigil {
    timeout: Duration,
    started: Instant,
    reports: Vec<Report>,
    first_report: Option<Instant>,
    /// Hosts of ranks that have begun, of jobs whose ranks tell it.
    begun: BTreeMap<usize, String>,
    parted: Parted,
    /// When the launcher or MPI told of hosts that cannot be reached.
    parted_since: Option<Instant>,
    /// The reason that the first rank or the MPI library gave for the end of the job.
    pub reason: Option<String>,
    /// The rank that died, if any.
    pub death: Death,
}

impl Vigil {
    /// Watches a job that starts now, whose ranks report after `timeout`.
    pub fn new(timeout: Duration, now: Instant) -> Self {
        Self {
            timeout,
            started: now,
            reports: Vec::new(),
            first_report: None,
            begun: BTreeMap::new(),
            parted: Parted::default(),
            parted_since: None,
            reason: None,
            death: Death::default(),
        }
    }

    /// Evaluates a line of the job's output, and returns it if it is for the user.
    pub fn hear<'a>(&mut self, line: &'a str, now: Instant) -> Option<&'a str> {
        if let Some(report) = Report::parse(line) {
            self.reports.push(report);
            self.first_report.get_or_insert(now);
            return None;
        }
        if let Some((rank, host)) = stall::begun(line) {
            self.begun.insert(rank, host);
            return None;
        }
        if let Some((_, reason)) = line.split_once(REASON) {
            let first = self.reason.get_or_insert_with(|| reason.to_owned());
            // Processes that each run as a separate job print the same message.
            return (first != reason).then_some(line);
        }
        if line.contains(NO_INTERFACE) {
            self.reason.get_or_insert_with(|| NO_INTERFACE_REASON.to_owned());
        }
        if let Some(reason) = self.parted.hear(line) {
            self.reason.get_or_insert(reason);
            self.parted_since.get_or_insert(now);
        }
        self.death.hear(line);
        Some(line)
    }

    /// The reason to end a job that cannot reach its hosts and does not end itself. `grown` is as for
    /// [`Self::verdict`].
    pub fn parting(&self, now: Instant, grown: Option<Instant>) -> Option<String> {
        let is_over = |since| now.saturating_duration_since(since) > PARTING && grown.is_none();
        self.reason.clone().filter(|_| self.parted_since.is_some_and(is_over))
    }

    /// The reason to end the job, if there is one. `grown` is the last time when its data grew
    /// since its start; `hosts` is in rank order.
    pub fn verdict(&self, now: Instant, grown: Option<Instant>, hosts: &[String]) -> Option<String> {
        if let Some(first) = self.first_report {
            let is_complete = now - first > COLLECTION;
            let known = self.hosts(hosts);
            let stalled = || stall::conclude(&self.reports, &known, self.timeout);
            return is_complete.then(|| self.reason.clone().unwrap_or_else(stalled));
        }
        let limit = self.timeout + START_UP;
        let (since, limit) = match grown {
            Some(grown) => (grown, limit * LONGER),
            None => (self.started, limit),
        };
        (now.saturating_duration_since(since) > limit)
            .then(|| format!("there was no sign of life for {} s", limit.as_secs()))
    }

    /// The hosts in rank order: those that the data tell, or those of the ranks that have begun.
    fn hosts(&self, told: &[String]) -> Vec<String> {
        let ranks = self.begun.keys().max().map_or(0, |last| last + 1);
        let begun = |rank| self.begun.get(&rank).map_or("unknown", String::as_str);
        match told {
            [] => (0..ranks).map(|rank| begun(rank).to_owned()).collect(),
            told => told.to_vec(),
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
        let mut vigil = Vigil::new(Duration::from_secs(60), start);
        assert_eq!(vigil.hear("a word", after(1)), Some("a word"));
        assert_eq!(vigil.hear(REPORT, after(60)), None);
        assert_eq!(vigil.verdict(after(62), Some(after(1)), &[]), None);
        let verdict = vigil.verdict(after(64), Some(after(1)), &[]).unwrap();
        assert!(verdict.starts_with("rank 1 on host unknown did not answer for 60 s"));
    }

    #[test]
    fn a_job_without_a_sign_of_life_is_ended() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let vigil = Vigil::new(Duration::from_secs(60), start);
        assert_eq!(vigil.verdict(after(89), None, &[]), None);
        assert!(vigil.verdict(after(91), None, &[]).is_some());
        assert_eq!(vigil.verdict(after(280), Some(after(11)), &[]), None);
        assert!(vigil.verdict(after(282), Some(after(11)), &[]).is_some());
    }

    #[test]
    fn a_job_that_cannot_reach_its_hosts_is_ended() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut vigil = Vigil::new(Duration::from_secs(60), start);
        vigil.hear("ssh: connect to host n7 port 22: No route to host", after(1));
        assert_eq!(vigil.parting(after(10), None), None);
        assert_eq!(vigil.parting(after(12), Some(after(2))), None);
        assert!(vigil.parting(after(12), None).unwrap().contains("n7"));
    }

    #[test]
    fn a_launcher_without_the_interface_of_the_mpi_is_told() {
        let now = Instant::now();
        let mut vigil = Vigil::new(Duration::from_secs(60), now);
        let line = "The application appears to have been direct launched using \"srun\",";
        assert_eq!(vigil.hear(line, now), Some(line));
        vigil.hear("srun: error: n2: task 1: Exited with exit code 1", now);
        assert!(vigil.reason.unwrap().ends_with("or --launcher openmpi"));
    }

    #[test]
    fn a_rank_that_gives_its_own_reason_has_it_told() {
        let now = Instant::now();
        let mut vigil = Vigil::new(Duration::from_secs(60), now);
        let reason = "rank 0: data.csv: cannot be written";
        for other in [reason, reason, "rank 1: data.csv: is no plan"] {
            let line = format!("netsig-rank: {other}");
            let shown = vigil.hear(&line, now);
            assert_eq!(shown.is_some(), other != reason);
        }
        assert_eq!(vigil.reason.as_deref(), Some(reason));
    }
}
