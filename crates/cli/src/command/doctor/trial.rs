//! The checks by the trial job: whether the ranks start, where, what they find on their hosts, and whether
//! all hosts answer each other.

use std::time::{Duration, Instant};

use itertools::Itertools as _;
use netsig_base::algorithm::MpiFlavour;
use netsig_base::data::sharing;
use netsig_base::text::counted;
use netsig_base::units::{Procs, Seconds};

use super::row::Row;
use crate::campaign::errand::Errand;
use crate::campaign::examination::{Examination, Findings, Report, open_ports, some};
use crate::input::failure::{Failure, split};
use crate::job::launch::Launcher;

const START: &str = "start";
const APART: &str = "one rank a host";
const COUNTERS: &str = "tcp counters";
const CLOCKS: &str = "clocks";
const PROCESSORS: &str = "processors";
const CONNECTIONS: &str = "connections";

/// Clocks that are slow to read.
const SLOW_SOURCES: [&str; 4] = ["hpet", "acpi_pm", "jiffies", "pit"];

/// Time of reading the clock twice above which it disturbs times of microseconds.
const SLOW: f64 = 1e-6;

/// Share of the processors' time in use from which ranks may wait for a processor.
const BUSY: f64 = 0.5;

/// The trial job.
pub struct Trial {
    /// Its outcome, or the reason why it could not be started.
    outcome: Result<Examination, Failure>,
    /// Its duration.
    took: Duration,
    mpi: Option<MpiFlavour>,
}

/// The checks, where an earlier one failed.
pub fn skipped() -> Vec<Row> {
    let all = [START, APART, COUNTERS, CLOCKS, PROCESSORS, CONNECTIONS];
    let skip = |check| Row::skipped(check, "no job is started before the checks above succeed");
    all.map(skip).into()
}

impl Trial {
    /// Runs the job of `procs` ranks.
    ///
    /// # Errors
    /// If Ctrl-C ends it.
    pub fn run(errand: &Errand, launcher: &Launcher, procs: Procs) -> Result<Self, Failure> {
        let started = Instant::now();
        let outcome = match Examination::run(errand, launcher, procs) {
            Err(failure) if failure.is_interrupt() => return Err(failure),
            outcome => outcome,
        };
        Ok(Self {
            outcome,
            took: started.elapsed(),
            mpi: launcher.mpi().ok(),
        })
    }

    /// The checks; `ppn` ranks are wanted on each host.
    pub fn rows(&self, ppn: u32) -> Vec<Row> {
        let found = match &self.outcome {
            Ok(found) => found,
            Err(failure) => return alone(Row::of_failure(START, failure)),
        };
        let trouble = found.trouble.as_deref();
        let Some(ranks) = found.report.started else {
            let why = trouble.unwrap_or("the ranks wrote no report");
            return alone(not_started(why));
        };
        let took = Seconds(self.took.as_secs_f64());
        let start = format!(
            "{} started and ended in {took:.1}",
            counted(ranks.into(), "rank", "ranks")
        );
        let ranks = &found.report.ranks;
        let cure = open_ports(self.mpi);
        let connections = match (found.silence(), found.problem()) {
            (Some(silence), _) => Row::failed(CONNECTIONS, silence, cure),
            (None, Some(why)) => Row::failed(CONNECTIONS, why, cure),
            (None, None) => connected(&found.report),
        };
        let [apart, counters, clocks, processors] = if ranks.is_empty() {
            [APART, COUNTERS, CLOCKS, PROCESSORS].map(|check| Row::skipped(check, "not all ranks reached rank 0"))
        } else {
            [apart(ranks, ppn), counters(ranks), clocks(ranks), processors(ranks)]
        };
        vec![Row::ok(START, start), apart, counters, clocks, processors, connections]
    }
}

/// The failed start, and the checks that it prevents.
fn alone(start: Row) -> Vec<Row> {
    let mut rows = skipped();
    rows[0] = start;
    rows[1..]
        .iter_mut()
        .for_each(|row| "the ranks did not start".clone_into(&mut row.detail));
    rows
}

fn not_started(why: &str) -> Row {
    let cure = "see the launcher's messages: it must understand the host file and reach each host (by ssh without a password), and netsig's programs must have the same path there";
    let (detail, cure) = split(why).unwrap_or((why, cure));
    Row::failed(START, detail, cure)
}

/// Ranks share no host, unless that is wanted.
fn apart(ranks: &[Findings], ppn: u32) -> Row {
    let hosts = ranks.iter().map(|own| own.host.clone()).collect_vec();
    match sharing::in_words(&hosts) {
        None => Row::ok(APART, some(hosts.iter())),
        Some(shared) if ppn > 1 => Row::ok(APART, format!("{shared}, as --ppn {ppn} wants")),
        Some(shared) => {
            let cure = "name more hosts, each once, and leave out --launcher-options that place ranks; or give --ppn";
            Row::failed(APART, shared, cure)
        }
    }
}

fn counters(ranks: &[Findings]) -> Row {
    let lacking = ranks.iter().filter(|own| !own.unreadable_counters.is_empty());
    let lacking = lacking.collect_vec();
    let Some(first) = lacking.first() else {
        return Row::ok(COUNTERS, "readable on all hosts");
    };
    let files = first.unreadable_counters.join(", ");
    let hosts = some(lacking.iter().map(|own| &own.host));
    let detail = format!("{hosts}: {files} cannot be read, so data would not tell losses");
    Row::warning(
        COUNTERS,
        detail,
        "give the container its /proc/net, or measure outside of it",
    )
}

fn clocks(ranks: &[Findings]) -> Row {
    let cost = |own: &Findings| own.clock_overhead_s;
    let is_slow = |own: &&Findings| cost(own) > SLOW || SLOW_SOURCES.contains(&own.clock_source.as_str());
    let slow = ranks.iter().filter(is_slow).collect_vec();
    let in_words = |all: &[&Findings]| {
        let sources = all.iter().map(|own| own.clock_source.as_str());
        let sources = sources.unique().filter(|name| !name.is_empty()).join(", ");
        let longest = all.iter().map(|own| cost(own)).fold(0.0, f64::max);
        format!("{sources}; reading it takes {} at most", Seconds(longest / 2.0))
    };
    if slow.is_empty() {
        return Row::ok(CLOCKS, in_words(&ranks.iter().collect_vec()));
    }
    let hosts = some(slow.iter().map(|own| &own.host));
    let cure = "boot these hosts with clocksource=tsc if their processors have a steady one, or leave them out";
    Row::warning(CLOCKS, format!("{hosts}: {}", in_words(&slow)), cure)
}

fn processors(ranks: &[Findings]) -> Row {
    let busy = ranks.iter().filter(|own| own.busy >= BUSY).collect_vec();
    let most = ranks.iter().map(|own| own.busy).fold(0.0, f64::max);
    let used = format!("{:.0} % in use at most", 100.0 * most);
    if busy.is_empty() {
        let mut counts = ranks.iter().map(|own| own.processors).unique().sorted();
        return Row::ok(PROCESSORS, format!("{} a host, {used}", counts.join(" or ")));
    }
    let hosts = some(busy.iter().map(|own| &own.host));
    let cure = "end other programs there, or ask the batch system for whole nodes";
    Row::warning(PROCESSORS, format!("{hosts}: {used} by other programs"), cure)
}

/// All pairs exchanged messages.
fn connected(report: &Report) -> Row {
    let longest = report.pairs.iter().filter_map(|pair| {
        let [first, second] = pair.arrived_s?;
        Some((first.max(second), pair.ranks))
    });
    let longest = longest.max_by(|a, b| a.0.total_cmp(&b.0));
    let longest = longest.map_or(String::new(), |(time, ranks)| {
        let pair = report.names(ranks).join(" and ");
        format!("; slowest 64 KiB in {}, between {pair}", Seconds(time))
    });
    let pairs = counted(report.pairs.len() as u64, "pair", "pairs");
    Row::ok(CONNECTIONS, format!("{pairs} of ranks exchanged messages{longest}"))
}
