//! Watching over a job: its output and the growth of its data tell whether it still
//! goes on and why it ended.

use std::time::{Duration, Instant};

use super::death::Death;
use super::stall::{self, Report};

/// What a rank that ends a job itself begins its reason with: then no launcher needs to
/// explain the end.
const REASON: &str = "netsig-rank: ";

/// A part of the message of Open MPI that was started by srun without an interface to it.
const NO_INTERFACE: &str = "direct launched using \"srun\"";

/// Its meaning, with the cure.
const NO_INTERFACE_REASON: &str = "Open MPI was not built with the interface through which it was started; give --launcher-option=--mpi=NAME with another of `srun --mpi=list`, or --launcher openmpi";

/// How long the reports of a stall are collected before a conclusion is drawn.
const COLLECTION: Duration = Duration::from_secs(3);

/// How much longer than the time-out a job may take to give its first sign of life.
const START_UP: Duration = Duration::from_secs(30);

/// How many times that long it may be silent later, since a repetition may well take
/// longer than a start.
const LONGER: u32 = 3;

/// What is known of a job under way.
pub struct Vigil {
    timeout: Duration,
    started: Instant,
    reports: Vec<Report>,
    first_report: Option<Instant>,
    /// Why the first rank that gave up did so, in its own words.
    pub reason: Option<String>,
    /// Which rank died.
    pub death: Death,
}

impl Vigil {
    /// Over a job that starts now and whose ranks report after `timeout`.
    pub fn new(timeout: Duration, now: Instant) -> Self {
        Self {
            timeout,
            started: now,
            reports: Vec::new(),
            first_report: None,
            reason: None,
            death: Death::default(),
        }
    }

    /// Takes note of a line that the job printed, and gives it back if it is for people.
    pub fn hear<'a>(&mut self, line: &'a str, now: Instant) -> Option<&'a str> {
        if let Some(report) = Report::parse(line) {
            self.reports.push(report);
            self.first_report.get_or_insert(now);
            return None;
        }
        if let Some((_, reason)) = line.split_once(REASON) {
            let first = self.reason.get_or_insert_with(|| reason.to_owned());
            // Processes that find themselves alone all say the same.
            return (first != reason).then_some(line);
        }
        if line.contains(NO_INTERFACE) {
            self.reason
                .get_or_insert_with(|| NO_INTERFACE_REASON.to_owned());
        }
        self.death.hear(line);
        Some(line)
    }

    /// Why the job has to be ended, if so. `grown` is when its data last grew since it was
    /// started, `hosts` are in the order of the ranks.
    pub fn verdict(
        &self,
        now: Instant,
        grown: Option<Instant>,
        hosts: &[String],
    ) -> Option<String> {
        if let Some(first) = self.first_report {
            let is_complete = now - first > COLLECTION;
            let stalled = || stall::conclude(&self.reports, hosts, self.timeout);
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
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "@netsig-stall rank=0 host=h0 steps=3 among=2 in=ping-pong of 1 B";

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
