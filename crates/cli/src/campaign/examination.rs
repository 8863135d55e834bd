//! The job that examines the hosts: its findings and its end.

use itertools::Itertools as _;
use netsig_base::algorithm::MpiFlavour;
use netsig_base::text::file_error::parse_toml;
use netsig_base::units::Procs;
use serde::Deserialize;

use super::planless_job::PlanlessJob;
use crate::input::failure::{Failure, split_remedy};
use crate::input::files;
use crate::job::JobEnd;
use crate::job::launch::Launcher;

/// The subcommand of the rank program.
pub const EXAMINE: &str = "examine";

/// The report of the ranks, as far as they wrote it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExaminationReport {
    /// Number of ranks, if they started.
    pub started: Option<u32>,
    /// The findings of each rank on its host; none if the ranks did not meet.
    #[serde(default, rename = "rank")]
    pub ranks: Vec<ReportedFindings>,
    /// The pairs of ranks that exchanged messages, and the pair that was about to.
    #[serde(default, rename = "pair")]
    pub pairs: Vec<ExaminedPair>,
}

/// The findings of a rank on its host.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportedFindings {
    /// Name of the host.
    pub host: String,
    /// The files of counters that the kernel does not show.
    pub unreadable_counters: Vec<String>,
    /// The kernel's name of its clock; empty if unknown.
    pub clock_source: String,
    /// Time of reading the clock twice.
    pub clock_overhead_s: f64,
    /// Number of processors.
    pub processors: u32,
    /// Share of the processors' time that other programs used.
    pub busy: f64,
}

/// An exchange of messages between two ranks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExaminedPair {
    /// The ranks.
    pub ranks: [usize; 2],
    /// Time until each rank had the other's messages, infinite if they did not arrive; `None` if the job ended during
    /// the exchange.
    pub arrived_s: Option<[f64; 2]>,
}

/// The outcome of an examination.
pub struct HostExamination {
    /// The findings of the ranks.
    pub report: ExaminationReport,
    /// The reason of the failure, if the job failed.
    pub failure_reason: Option<String>,
}

/// The most hosts or pairs that are named.
const MOST_NAMED: usize = 4;

impl ExaminationReport {
    /// The hosts of ranks.
    pub fn names(&self, ranks: [usize; 2]) -> [&str; 2] {
        let host = |rank: usize| self.ranks.get(rank).map(|findings| findings.host.as_str());
        ranks.map(|rank| host(rank).unwrap_or("unknown"))
    }

    /// The directions without messages, each from one host to another.
    fn silent_directions(&self) -> Vec<String> {
        let silent = self.pairs.iter().flat_map(|pair| {
            let [one, other] = pair.ranks;
            let ways = [[other, one], [one, other]].into_iter();
            let arrived = ways.zip(pair.arrived_s.unwrap_or_default());
            arrived.filter(|(_, time)| time.is_infinite())
        });
        silent.map(|(way, _)| self.names(way).join(" to ")).collect()
    }
}

impl HostExamination {
    /// Examines the hosts of `procs` ranks.
    ///
    /// # Errors
    /// If the job cannot be started, Ctrl-C ends it, or its report cannot be read.
    pub fn run(planless_job: &PlanlessJob, launcher: &Launcher, procs: Procs) -> Result<Self, Failure> {
        let (end, file) = planless_job.run(launcher, procs)?;
        let name = file.display().to_string();
        let hint = "use a rank program of this version of netsig";
        let report = parse_toml(&name, &files::text(&file)?, hint)?;
        let trouble = match end {
            JobEnd::Complete => None,
            JobEnd::Interrupted(code) => {
                return Err(Failure::interrupted(code, "start the command again"));
            }
            JobEnd::Void(why) | JobEnd::Lost(why) | JobEnd::Failed(why) => Some(why),
        };
        Ok(Self {
            report,
            failure_reason: trouble,
        })
    }

    /// The reason of the failure without the remedy, if the job failed.
    pub fn problem(&self) -> Option<&str> {
        let trouble = self.failure_reason.as_deref()?;
        Some(split_remedy(trouble).map_or(trouble, |(problem, _)| problem))
    }

    /// The hosts that exchanged no messages, in words; none if all did, or none started.
    pub fn silent_hosts(&self) -> Option<String> {
        let silent = self.report.silent_directions();
        if !silent.is_empty() {
            return Some(format!("no message came from {}", some_names(silent)));
        }
        let final_pair = self.report.pairs.last();
        let last = final_pair.filter(|pair| pair.arrived_s.is_none())?;
        let pair = self.report.names(last.ranks).join(" and ");
        let why = self.problem().unwrap_or("the job ended");
        Some(format!("{pair} cannot exchange messages: {why}"))
    }
}

/// The cure for hosts that do not answer each other.
pub fn open_ports(mpi: Option<MpiFlavour>) -> String {
    let choice = match mpi {
        Some(MpiFlavour::OpenMpi) => {
            "--launcher-option=--mca --launcher-option=btl_tcp_if_include --launcher-option=NETWORK/BITS"
        }
        _ => "UCX_NET_DEVICES=INTERFACE (or FI_TCP_IFACE, by MPICH's network module) in the environment",
    };
    format!(
        "open all TCP ports between these hosts and check their links, or choose the network that joins them: {choice}"
    )
}

/// Some of the names.
pub fn some_names(names: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    let distinct_names = names.into_iter().map(|name| name.to_string()).unique().collect_vec();
    let others_count = distinct_names.len().saturating_sub(MOST_NAMED);
    let others = (others_count > 0).then(|| format!("{others_count} more"));
    distinct_names.into_iter().take(MOST_NAMED).chain(others).join(", ")
}
