//! Evaluates the reports of ranks that make no progress, and finds the hanging ranks.
//!
//! Every rank that takes part in a cell reports if it has not entered a new step within the
//! time-out. A rank that hangs in user code or on a dead host does not report; a hanging rank with
//! a working watchdog has entered fewer steps than the ranks that wait for it.

use std::sync::LazyLock;
use std::time::Duration;

use itertools::Itertools;
use regex_lite::Regex;

/// Form of a report's line.
static REPORT: LazyLock<Regex> = LazyLock::new(|| {
    let line = r"@netsig-stall rank=(\d+) host=(\S*) steps=(\d+) among=([\d,]+) in=(.*)";
    Regex::new(line).expect("a valid expression")
});

/// Form of the line by which a rank begins.
static RANK_START: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"@netsig-begun rank=(\d+) host=(\S+)").expect("a valid expression"));

/// The rank that begins by this line of a job's output, and its host; `None` for other lines.
pub fn parse_rank_start(line: &str) -> Option<(usize, String)> {
    let (_, [rank, host]) = RANK_START.captures(line)?.extract();
    Some((rank.parse().ok()?, host.to_owned()))
}

/// One rank's report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HangReport {
    /// The reporting rank.
    rank: usize,
    /// Its host.
    host: String,
    /// Number of steps that the rank has entered.
    steps: u64,
    /// The participating ranks.
    among: Vec<usize>,
    /// Description of the rank's activity.
    activity: String,
}

impl HangReport {
    /// Parses a line of a job's output; `None` if it is no report.
    pub fn parse(line: &str) -> Option<Self> {
        let (_, [rank, host, steps, among, activity]) = REPORT.captures(line)?.extract();
        Some(Self {
            rank: rank.parse().ok()?,
            host: host.to_owned(),
            steps: steps.parse().ok()?,
            among: among.split(',').map(|rank| rank.parse().ok()).collect::<Option<_>>()?,
            activity: activity.to_owned(),
        })
    }
}

/// Describes the stall: ranks, hosts, activity and time, from at least one report. `hosts` is in
/// rank order, as far as known.
pub fn describe_hang(reports: &[HangReport], hosts: &[String], timeout: Duration) -> String {
    let last = reports.iter().max_by_key(|report| report.steps);
    let activity = last.map_or("", |report| report.activity.as_str());
    let participants = reports.iter().map(|report| &report.among[..]);
    let among = participants.max_by_key(|ranks| ranks.len()).unwrap_or_default();
    let blamed = suspected_ranks(reports, among);
    let seconds = timeout.as_secs();
    let host = |rank: usize| {
        let reported = reports.iter().find(|report| report.rank == rank);
        let host = reported.map(|report| &report.host);
        host.or(hosts.get(rank)).map_or("unknown", String::as_str)
    };
    let name = |rank: usize| format!("rank {rank} on host {}", host(rank));
    match blamed[..] {
        // Both wait: the fault may be on either host or between them.
        [one, other] if among.len() == 2 => {
            let (one, other) = (name(one), name(other));
            return format!("{one} and {other} did not answer each other for {seconds} s in \"{activity}\"");
        }
        [_, _, ..] if blamed.len() == among.len() => {
            let all = among.len();
            return format!("none of the {all} ranks went on for {seconds} s in \"{activity}\"");
        }
        _ => {}
    }
    let listed = blamed.iter().take(MOST_NAMED);
    let named = listed.map(|&rank| name(rank));
    let others_count = blamed.len().saturating_sub(MOST_NAMED);
    let others = (others_count > 0).then(|| format!("{others_count} more"));
    let who = named.chain(others).join(", ");
    format!("{who} did not answer for {seconds} s in \"{activity}\"")
}

/// The most ranks that are listed individually.
const MOST_NAMED: usize = 4;

/// The ranks without a report; if all reported, those with the fewest steps.
fn suspected_ranks(reports: &[HangReport], among: &[usize]) -> Vec<usize> {
    let is_silent = |rank: &usize| reports.iter().all(|report| report.rank != *rank);
    let silent: Vec<usize> = among.iter().copied().filter(is_silent).collect();
    if !silent.is_empty() {
        return silent;
    }
    let latest = |rank| {
        let reports_of_rank = reports.iter().filter(move |report| report.rank == rank);
        reports_of_rank.map(|report| report.steps).max()
    };
    let fewest = among.iter().copied().filter_map(latest).min();
    let is_last = |rank: &usize| latest(*rank) == fewest;
    among.iter().copied().filter(is_last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(steps: &[(usize, u64)]) -> String {
        let line = |&(rank, steps): &(usize, u64)| {
            format!(
                "@netsig-stall rank={rank} host=h{rank} steps={steps} among=0,1,2,3 in=alltoall direct among 4 with 4 KiB, repetition {steps}"
            )
        };
        let reports: Vec<HangReport> = steps
            .iter()
            .map(|step| HangReport::parse(&line(step)).unwrap())
            .collect();
        let hosts = ["n0", "n1", "n2", "n3"].map(str::to_owned);
        describe_hang(&reports, &hosts, Duration::from_secs(60))
    }

    #[test]
    fn who_is_silent_or_behind_is_to_blame() {
        let within = "did not answer for 60 s in \"alltoall direct among 4 with 4 KiB, repetition 9\"";
        assert_eq!(
            described(&[(0, 9), (1, 9), (2, 9)]),
            format!("rank 3 on host n3 {within}")
        );
        assert_eq!(
            described(&[(0, 9), (3, 8)]),
            format!("rank 1 on host n1, rank 2 on host n2 {within}")
        );
        assert_eq!(
            described(&[(0, 9), (1, 8), (2, 9), (3, 9)]),
            format!("rank 1 on host h1 {within}")
        );
        // A second report of a rank that has moved on since the first.
        assert_eq!(
            described(&[(0, 9), (1, 7), (2, 8), (3, 9), (1, 9)]),
            format!("rank 2 on host h2 {within}")
        );
        assert!(described(&[(0, 9), (1, 9), (2, 9), (3, 9)]).starts_with("none of the 4 ranks"));
        let pair = [0, 3].map(|rank| {
            let line = format!("@netsig-stall rank={rank} host=h{rank} steps=1 among=0,3 in=x");
            HangReport::parse(&line).unwrap()
        });
        assert_eq!(
            describe_hang(&pair, &[], Duration::from_secs(60)),
            "rank 0 on host h0 and rank 3 on host h3 did not answer each other for 60 s in \"x\""
        );
    }

    #[test]
    fn a_rank_that_begins_is_known() {
        let line = "@netsig-begun rank=12 host=n12.org";
        assert_eq!(parse_rank_start(line), Some((12, "n12.org".to_owned())));
        assert_eq!(parse_rank_start("rank=12 host=n12.org"), None);
    }

    #[test]
    fn other_lines_are_no_reports() {
        for line in ["", "@netsig-stall", "@netsig-stall rank=x host=h in=y", "a word"] {
            assert_eq!(HangReport::parse(line), None, "{line}");
        }
    }
}
