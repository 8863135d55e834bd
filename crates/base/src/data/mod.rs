//! Measurements in full: every repetition of every experiment, and its provenance.
//!
//! A data file is CSV with `#@key=value` lines for provenance (FORMATS.md). Columns are found by
//! name; unknown columns are ignored. Summaries of repetitions are in [`crate::data::cells`].

pub mod cells;
pub mod cluster_facts;
pub mod import;
mod job;
mod join;
pub mod likeness;
pub mod mixture;
pub mod processors;
mod read;
pub mod sharing;
#[cfg(test)]
pub(crate) mod testing;
pub mod transport;
mod write;

use std::fmt;
use std::sync::Arc;

use crate::algorithm::Collective;
use crate::text::names::name_of;
use crate::units::{Bytes, Procs, Seconds};

pub use job::JobId;
pub use join::TooManyLaunches;
pub use read::has_required_columns;
pub use write::write_header;

/// The columns, in the order in which they are written.
pub const COLUMNS: [&str; 18] = [
    "experiment",
    "collective",
    "algorithm",
    "procs",
    "size_bytes",
    "repetition",
    "launch",
    "time_s",
    "retransmits",
    "rtos",
    "tail_probes",
    "softnet_drops",
    "part",
    "sync_error_s",
    "status",
    "statistic",
    "averaged",
    "longest_processor_wait_us",
];

/// The provenance key that marks data which must not be used.
pub const VOID_KEY: &str = "void";

/// Key of the line that marks a cell as completely measured.
const DONE: &str = "done";

/// Provenance key of the operation and type of reductions, such as `sum:double`.
pub const OPERANDS_KEY: &str = "reduction";

/// Kind of operation that was timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Experiment {
    /// Half of a round trip with `size_bytes` each way.
    PingPong,
    /// A round trip with `size_bytes` on the way out and none back: RTT(m).
    RoundTrip,
    /// Time of a send call: os(m).
    SendOverhead,
    /// Time to receive a message that has arrived: or(m).
    ReceiveOverhead,
    /// Interval between messages in a long row without pauses: g(m).
    Gap,
    /// Latency L, in files that state it.
    Latency,
    /// One of several simultaneous transfers between disjoint pairs, from the common start to the
    /// end of the transfer; `procs` is twice the number of pairs.
    Flow,
    /// Time of one call of `MPI_Reduce_local` for a vector of `size_bytes`; the algorithm names operation and type.
    LocalReduction,
    /// A collective, from the common start to the last finish.
    Collective(Collective),
}

/// The experiments that are no collectives, with their names in files.
const EXPERIMENTS: [(Experiment, &str); 8] = [
    (Experiment::PingPong, "pingpong"),
    (Experiment::RoundTrip, "round_trip"),
    (Experiment::SendOverhead, "send_overhead"),
    (Experiment::ReceiveOverhead, "receive_overhead"),
    (Experiment::Gap, "gap"),
    (Experiment::Latency, "latency"),
    (Experiment::Flow, "flow"),
    (Experiment::LocalReduction, "local_reduction"),
];

/// Name of the experiment of every collective; another column names the collective.
pub const COLLECTIVE: &str = "collective";

/// Counters of the kernels of all hosts during a repetition; `None` if a counter could not be
/// read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LossCounters {
    /// Retransmitted segments (`Tcp: RetransSegs`).
    pub retransmits: Option<u32>,
    /// Expired retransmission timers (`TcpExt: TCPTimeouts`).
    pub rtos: Option<u32>,
    /// Tail-loss probes (`TcpExt: TCPLossProbes`).
    pub tail_probes: Option<u32>,
    /// Packets that the hosts dropped before TCP received them (`/proc/net/softnet_stat`).
    pub softnet_drops: Option<u32>,
    /// Microseconds in which a process was ready to run and waited for a processor
    /// (`/proc/self/schedstat`), of the process that waited longest.
    pub longest_processor_wait_us: Option<u32>,
}

/// One repetition of one experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Cell and launch.
    pub cell: LaunchCell,
    /// Number of the repetition within its launch, from 0.
    pub repetition: u32,
    /// Measured time.
    pub time: Seconds,
    /// TCP losses during the repetition.
    pub losses: LossCounters,
    /// Number of the transfer among simultaneous ones, from 0; 0 for a single one.
    pub part: u32,
    /// Possible difference between the ranks' starts.
    pub sync_error: Option<Seconds>,
}

/// Cell of a plan within a launch, to which repetitions belong.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaunchCell {
    /// Number of the MPI launch, from 0.
    pub launch: u32,
    /// Operation that was timed.
    pub experiment: Experiment,
    /// Algorithm of netsig, or `library`; empty unless the operation is a collective.
    pub algorithm: Arc<str>,
    /// Number of processes.
    pub procs: Procs,
    /// Bytes per destination (all-to-all) or per message (ping-pong).
    pub size: Bytes,
}

/// Reason why a repetition has no time.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum RejectionReason {
    /// A rank was not ready at the agreed start.
    Late,
    /// A rank received data other than those sent to it.
    WrongData,
}

/// Status of a valid repetition.
pub const OK_STATUS: &str = "ok";

/// A repetition without a valid time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedRepetition {
    /// Cell and launch.
    pub cell: LaunchCell,
    /// Number of the repetition within its launch.
    pub repetition: u32,
    /// Reason why it has no time.
    pub reason: RejectionReason,
}

/// Kind of a statistic that another program computed. A statistic over ranks is taken over each
/// rank's mean of all repetitions, and says nothing about single repetitions.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum ImportedStatistic {
    /// Mean over the ranks.
    MeanOverRanks,
    /// Minimum over the ranks.
    MinOverRanks,
    /// Maximum over the ranks.
    MaxOverRanks,
    /// Mean of the repetitions.
    Mean,
    /// Median of the repetitions.
    Median,
    /// Minimum of the repetitions.
    Min,
}

/// A statistic of many repetitions that another program computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// Cell and launch; `launch` distinguishes files or runs.
    pub cell: LaunchCell,
    /// Kind of the statistic.
    pub statistic: ImportedStatistic,
    /// Number of repetitions, if the program states it.
    pub averaged: Option<u32>,
    /// Value of the statistic.
    pub time: Seconds,
}

/// A row of a measurement in progress, or the line that ends a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum DataRecord {
    /// A repetition.
    Sample(Sample),
    /// A repetition without a valid time.
    Rejected(RejectedRepetition),
    /// A cell that was measured completely.
    Done(LaunchCell),
}

/// Ordered `key=value` facts about the origin of data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance(Vec<(String, String)>);

/// Samples with their provenance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dataset {
    /// Origin of the samples.
    pub provenance: Provenance,
    /// Samples in the order of their measurement.
    pub samples: Vec<Sample>,
    /// Repetitions without a valid time.
    pub rejected: Vec<RejectedRepetition>,
    /// Statistics of other programs.
    pub aggregates: Vec<Aggregate>,
    /// Cells that were measured completely.
    pub completed: Vec<LaunchCell>,
}

impl Provenance {
    /// Adds a fact; line breaks in it become spaces.
    pub fn push(&mut self, key: &str, value: impl fmt::Display) {
        let one_line = |text: String| text.replace(['\n', '\r'], " ");
        self.0.push((one_line(key.to_owned()), one_line(value.to_string())));
    }

    /// The last value of `key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0
            .iter()
            .rev()
            .find(|(k, _)| k == key)
            .map(|(_, value)| value.as_str())
    }

    /// The eager limit set in the MPI library, if one value is recorded.
    pub fn eager_limit(&self) -> Option<Bytes> {
        let limit_facts = self
            .0
            .iter()
            .filter(|(key, _)| key.ends_with("_eager_limit") && !key.contains("rndv"));
        let mut limits: Vec<&str> = limit_facts.map(|(_, value)| value.as_str()).collect();
        limits.dedup();
        match limits[..] {
            [one] => one.parse().ok().map(Bytes),
            _ => None,
        }
    }

    /// All facts in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

impl Dataset {
    /// Reason why these data must not be used, if the provenance states one.
    pub fn void_reason(&self) -> Option<&str> {
        self.provenance.get(VOID_KEY)
    }

    /// Largest process count of a measured collective.
    pub fn largest_procs(&self) -> Option<Procs> {
        let cells = self.samples.iter().map(|sample| &sample.cell);
        let is_collective = |cell: &&LaunchCell| matches!(cell.experiment, Experiment::Collective(_));
        cells.filter(is_collective).map(|cell| cell.procs).max()
    }

    /// The samples and the statistics of other programs in the wanted cells, with the provenance.
    #[must_use]
    pub fn subset(&self, is_wanted: impl Fn(&LaunchCell) -> bool) -> Self {
        let samples = self.samples.iter().filter(|row| is_wanted(&row.cell));
        let aggregates = self.aggregates.iter().filter(|row| is_wanted(&row.cell));
        Self {
            provenance: self.provenance.clone(),
            samples: samples.cloned().collect(),
            aggregates: aggregates.cloned().collect(),
            ..Self::default()
        }
    }
}

impl Extend<DataRecord> for Dataset {
    fn extend<T: IntoIterator<Item = DataRecord>>(&mut self, records: T) {
        for record in records {
            match record {
                DataRecord::Sample(sample) => self.samples.push(sample),
                DataRecord::Rejected(rejected) => self.rejected.push(rejected),
                DataRecord::Done(cell) => self.completed.push(cell),
            }
        }
    }
}

impl LaunchCell {
    /// A repetition of this cell, without losses and as the only part.
    pub fn sample(self, repetition: u32, time: Seconds) -> Sample {
        Sample {
            cell: self,
            repetition,
            time,
            losses: LossCounters::default(),
            part: 0,
            sync_error: None,
        }
    }
}

impl Experiment {
    /// Values of the columns `experiment` and `collective`.
    pub fn column_values(self) -> (&'static str, String) {
        match self {
            Self::Collective(collective) => (COLLECTIVE, collective.to_string()),
            _ => (name_of(&self, &EXPERIMENTS), String::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "#@mpi=Open MPI 4.1.4\n\
        experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,note,rtos\n\
        pingpong,,,2,1024,0,0,1e-4,,\n\
        collective,alltoall,direct,8,4096,1,2,0.01,\"x, y\",3\n\
        #@void=because\n";

    #[test]
    fn columns_are_found_by_name() {
        let data = Dataset::read("a.csv", GOOD.as_bytes()).unwrap();
        let [first, second] = &data.samples[..] else {
            panic!("{data:?}")
        };
        assert_eq!(first.cell.experiment, Experiment::PingPong);
        assert_eq!((second.cell.size, second.cell.launch), (Bytes(4096), 2));
        assert_eq!(second.losses.rtos, Some(3));
        assert_eq!(second.losses.retransmits, None);
        assert_eq!(data.provenance.get("mpi"), Some("Open MPI 4.1.4"));
        assert_eq!(data.void_reason(), Some("because"));
    }

    #[test]
    fn the_eager_limit_is_the_one_that_was_set() {
        let mut provenance = Provenance::default();
        for (parameter, value, limit) in [
            ("btl_tcp_rndv_eager_limit", 1024, None),
            ("btl_tcp_eager_limit", 65_536, Some(Bytes(65_536))),
            ("btl_vader_eager_limit", 4096, None),
        ] {
            provenance.push(&format!("setting_{parameter}"), value);
            assert_eq!(provenance.eager_limit(), limit);
        }
    }

    #[test]
    fn bad_cells_and_missing_columns_are_named() {
        let messages = [
            ("4096", "4k"),
            ("0.01", "-1"),
            ("0.01", "NaN"),
            ("direct,8", "direct,0"),
            ("alltoall", "alltoal"),
            ("alltoall", "barrier"),
            ("mpi=Open MPI 4.1.4", "reduction=band:double"),
            ("pingpong", "pong"),
            ("1e-4,,", "1e-4"),
            ("time_s", "time"),
            (GOOD, ""),
        ]
        .map(|(old, new)| {
            let text = GOOD.replace(old, new);
            let refused = Dataset::read("a.csv", text.as_bytes()).unwrap_err();
            format!("{refused}\n")
        });
        insta::assert_snapshot!(messages.concat());
    }
}
