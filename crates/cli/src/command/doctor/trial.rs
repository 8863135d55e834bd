//! The checks by the trial job: start and placement of the ranks, state of their hosts, and connections between all
//! hosts.

use std::time::{Duration, Instant};

use itertools::Itertools as _;
use netsig_base::algorithm::MpiFlavour;
use netsig_base::data::sharing;
use netsig_base::text::counted;
use netsig_base::units::{Procs, Seconds};

use super::check_row::CheckRow;
use crate::campaign::examination::{ExaminationReport, HostExamination, ReportedFindings, open_ports, some_names};
use crate::campaign::planless_job::PlanlessJob;
use crate::input::failure::{Failure, split_remedy};
use crate::job::launch::Launcher;

const START: &str = "start";
const ONE_RANK_A_HOST: &str = "one rank a host";
const COUNTERS: &str = "tcp counters";
const CLOCKS: &str = "clocks";
const PROCESSORS: &str = "processors";
const CONNECTIONS: &str = "connections";

/// Clocks that are slow to read.
const SLOW_SOURCES: [&str; 4] = ["hpet", "acpi_pm", "jiffies", "pit"];

/// Time of reading the clock twice above which it disturbs times of microseconds.
const SLOW_CLOCK_OVERHEAD: f64 = 1e-6;

/// Share of the processors' time in use from which ranks may wait for a processor.
const BUSY_SHARE: f64 = 0.5;

/// The trial job.
pub struct DoctorTrial {
    /// Its outcome, or the reason why it could not be started.
    outcome: Result<HostExamination, Failure>,
    /// Its duration.
    duration: Duration,
    mpi: Option<MpiFlavour>,
}

/// The rows of the trial after an earlier check failed.
pub fn skipped() -> Vec<CheckRow> {
    let all = [START, ONE_RANK_A_HOST, COUNTERS, CLOCKS, PROCESSORS, CONNECTIONS];
    let skip = |check| CheckRow::skipped(check, "no job is started before the checks above succeed");
    all.map(skip).into()
}

impl DoctorTrial {
    /// Runs the job of `procs` ranks.
    ///
    /// # Errors
    /// If Ctrl-C ends it.
    pub fn run(planless_job: &PlanlessJob, launcher: &Launcher, procs: Procs) -> Result<Self, Failure> {
        let started = Instant::now();
        let outcome = match HostExamination::run(planless_job, launcher, procs) {
            Err(failure) if failure.is_interrupt() => return Err(failure),
            outcome => outcome,
        };
        Ok(Self {
            outcome,
            duration: started.elapsed(),
            mpi: launcher.mpi().ok(),
        })
    }

    /// The checks; `ppn` ranks are wanted on each host.
    pub fn rows(&self, ppn: u32) -> Vec<CheckRow> {
        let examination = match &self.outcome {
            Ok(found) => found,
            Err(failure) => return rows_of_failed_start(CheckRow::of_failure(START, failure)),
        };
        let trouble = examination.failure_reason.as_deref();
        let Some(rank_count) = examination.report.started else {
            let why = trouble.unwrap_or("the ranks wrote no report");
            return rows_of_failed_start(failed_start(why));
        };
        let took = Seconds(self.duration.as_secs_f64());
        let start = format!(
            "{} started and ended in {took:.1}",
            counted(rank_count.into(), "rank", "ranks")
        );
        let ranks = &examination.report.ranks;
        let cure = open_ports(self.mpi);
        let connections = match (examination.silent_hosts(), examination.problem()) {
            (Some(silent_hosts), _) => CheckRow::failed(CONNECTIONS, silent_hosts, cure),
            (None, Some(why)) => CheckRow::failed(CONNECTIONS, why, cure),
            (None, None) => check_connections(&examination.report),
        };
        let [apart, counters, clocks, processors] = if ranks.is_empty() {
            [ONE_RANK_A_HOST, COUNTERS, CLOCKS, PROCESSORS]
                .map(|check| CheckRow::skipped(check, "not all ranks reached rank 0"))
        } else {
            [
                check_host_sharing(ranks, ppn),
                check_counters(ranks),
                check_clocks(ranks),
                check_processors(ranks),
            ]
        };
        vec![
            CheckRow::ok(START, start),
            apart,
            counters,
            clocks,
            processors,
            connections,
        ]
    }
}

/// The failed start, and the checks that it prevents.
fn rows_of_failed_start(start: CheckRow) -> Vec<CheckRow> {
    let mut rows = skipped();
    rows[0] = start;
    rows[1..]
        .iter_mut()
        .for_each(|row| "the ranks did not start".clone_into(&mut row.detail));
    rows
}

fn failed_start(why: &str) -> CheckRow {
    let cure = "see the launcher's messages: it must understand the host file and reach each host (by ssh without a password), and netsig's programs must have the same path there";
    let (detail, cure) = split_remedy(why).unwrap_or((why, cure));
    CheckRow::failed(START, detail, cure)
}

/// Checks that ranks share no host, unless the user wants it.
fn check_host_sharing(ranks: &[ReportedFindings], ppn: u32) -> CheckRow {
    let hosts = ranks.iter().map(|findings| findings.host.clone()).collect_vec();
    match sharing::describe_shared_hosts(&hosts) {
        None => CheckRow::ok(ONE_RANK_A_HOST, some_names(hosts.iter())),
        Some(shared) if ppn > 1 => CheckRow::ok(ONE_RANK_A_HOST, format!("{shared}, as --ppn {ppn} wants")),
        Some(shared) => {
            let cure = "name more hosts, each once, and leave out --launcher-options that place ranks; or give --ppn";
            CheckRow::failed(ONE_RANK_A_HOST, shared, cure)
        }
    }
}

fn check_counters(ranks: &[ReportedFindings]) -> CheckRow {
    let without_counters = ranks.iter().filter(|findings| !findings.unreadable_counters.is_empty());
    let lacking = without_counters.collect_vec();
    let Some(first) = lacking.first() else {
        return CheckRow::ok(COUNTERS, "readable on all hosts");
    };
    let files = first.unreadable_counters.join(", ");
    let hosts = some_names(lacking.iter().map(|findings| &findings.host));
    let detail = format!("{hosts}: {files} cannot be read, so data would not tell losses");
    CheckRow::warning(
        COUNTERS,
        detail,
        "give the container its /proc/net, or measure outside of it",
    )
}

fn check_clocks(ranks: &[ReportedFindings]) -> CheckRow {
    let clock_overhead = |findings: &ReportedFindings| findings.clock_overhead_s;
    let is_slow = |findings: &&ReportedFindings| {
        clock_overhead(findings) > SLOW_CLOCK_OVERHEAD || SLOW_SOURCES.contains(&findings.clock_source.as_str())
    };
    let slow = ranks.iter().filter(is_slow).collect_vec();
    let in_words = |all: &[&ReportedFindings]| {
        let clock_sources = all.iter().map(|findings| findings.clock_source.as_str());
        let sources = clock_sources.unique().filter(|name| !name.is_empty()).join(", ");
        let longest = all.iter().map(|findings| clock_overhead(findings)).fold(0.0, f64::max);
        format!("{sources}; reading it takes {} at most", Seconds(longest / 2.0))
    };
    if slow.is_empty() {
        return CheckRow::ok(CLOCKS, in_words(&ranks.iter().collect_vec()));
    }
    let hosts = some_names(slow.iter().map(|findings| &findings.host));
    let cure = "boot these hosts with clocksource=tsc if their processors have a steady one, or leave them out";
    CheckRow::warning(CLOCKS, format!("{hosts}: {}", in_words(&slow)), cure)
}

fn check_processors(ranks: &[ReportedFindings]) -> CheckRow {
    let busy = ranks
        .iter()
        .filter(|findings| findings.busy >= BUSY_SHARE)
        .collect_vec();
    let most = ranks.iter().map(|findings| findings.busy).fold(0.0, f64::max);
    let used = format!("{:.0} % in use at most", 100.0 * most);
    if busy.is_empty() {
        let mut counts = ranks.iter().map(|findings| findings.processors).unique().sorted();
        return CheckRow::ok(PROCESSORS, format!("{} a host, {used}", counts.join(" or ")));
    }
    let hosts = some_names(busy.iter().map(|findings| &findings.host));
    let cure = "end other programs there, or ask the batch system for whole nodes";
    CheckRow::warning(PROCESSORS, format!("{hosts}: {used} by other programs"), cure)
}

/// Checks that all pairs exchanged messages.
fn check_connections(report: &ExaminationReport) -> CheckRow {
    let pair_times = report.pairs.iter().filter_map(|pair| {
        let [first, second] = pair.arrived_s?;
        Some((first.max(second), pair.ranks))
    });
    let slowest_pair = pair_times.max_by(|a, b| a.0.total_cmp(&b.0));
    let longest = slowest_pair.map_or(String::new(), |(time, ranks)| {
        let pair = report.names(ranks).join(" and ");
        format!("; slowest 64 KiB in {}, between {pair}", Seconds(time))
    });
    let pairs = counted(report.pairs.len() as u64, "pair", "pairs");
    CheckRow::ok(CONNECTIONS, format!("{pairs} of ranks exchanged messages{longest}"))
}
