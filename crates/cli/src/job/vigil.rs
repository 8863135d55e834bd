//! Watching over a job: its output and the growth of its data tell whether it still
//! goes on and why it ended.

use std::time::{Duration, Instant};

use super::death::Death;
use super::stall::{self, Report};

/// What a rank that ends a job itself begins its reason with: then no launcher needs to
/// explain the end.
const REASON: &str = "netsig-rank: ";

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
        if let (None, Some((_, reason))) = (&self.reason, line.split_once(REASON)) {
            self.reason = Some(reason.to_owned());
            return None;
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
    fn a_rank_that_gives_its_own_reason_has_it_told() {
        let now = Instant::now();
        let mut vigil = Vigil::new(Duration::from_secs(60), now);
        let reason = "rank 0: data.csv: cannot be written";
        assert_eq!(vigil.hear(&format!("netsig-rank: {reason}"), now), None);
        assert_eq!(vigil.reason.as_deref(), Some(reason));
    }
}
