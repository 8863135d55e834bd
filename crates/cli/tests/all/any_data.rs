//! netsig answers or refuses any data: no command panics, and every profile that `fit` writes can be read.

use crate::long_form::is_long_form;
use crate::support::{TestHome, stderr_text};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::Config;

const COLUMNS: &str = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,retransmits,part,\
                       sync_error_s,status,statistic,averaged,longest_processor_wait_us";

/// Experiments between two processes, with the columns of collective and algorithm.
const PAIRS: [&str; 8] = [
    "pingpong,,",
    "round_trip,,",
    "send_overhead,,",
    "receive_overhead,,",
    "gap,,",
    "latency,,",
    "flow,,",
    "local_reduction,,sum:double",
];

const COLLECTIVES: [&str; 13] = [
    "collective,alltoall,library",
    "collective,alltoall,direct",
    "collective,alltoall,bruck:2",
    "collective,alltoall,nonsense",
    "collective,bcast,binomial",
    "collective,allgather,library",
    "collective,alltoallv-sparse,direct",
    "collective,scatter,",
    "collective,allreduce,library",
    "collective,allreduce,ring",
    "collective,reduce,binomial",
    "collective,reduce-scatter-block,pairwise",
    "collective,barrier,dissemination",
];

/// Sizes; the last two are rare: one that f64 cannot distinguish from its neighbour, and one that TOML does not have.
const SIZES: [u64; 12] = [
    0,
    1,
    64,
    1024,
    4096,
    16_384,
    65_536,
    131_072,
    1 << 20,
    1 << 53,
    (1 << 53) + 1,
    u64::MAX,
];

/// Statistics; the first is the statistic of a single repetition.
const STATISTICS: [&str; 7] = [
    "",
    "mean-over-ranks",
    "min-over-ranks",
    "max-over-ranks",
    "mean",
    "median",
    "min",
];

const FACTS: [&str; 9] = [
    "imported_from=osu",
    "placement=a:2,b:2",
    "placement=a:0,b",
    "mpi=Open MPI 4.1.4",
    "setting_btl_tcp_eager_limit=0",
    "clusters=2,2",
    "hosts=",
    "started_unix_s=1",
    "reduction=max:int",
];

/// Times in seconds that no network has.
const STRANGE: [f64; 5] = [5e-324, 1e-300, 1e9, 1e300, f64::MAX];

/// Repetitions or statistics of one experiment.
#[derive(Debug, Clone)]
struct DataSeries {
    names: &'static str,
    procs: Vec<u32>,
    sizes: Vec<u64>,
    statistics: Vec<&'static str>,
    repetitions: u32,
    /// α in microseconds, β in nanoseconds a byte.
    line: (f64, f64),
    /// Place of a row with a strange time, modulo their number.
    strange: Option<(usize, f64)>,
    /// Status of the first row.
    status: &'static str,
    launch: u32,
}

impl DataSeries {
    fn rows(&self) -> Vec<String> {
        let mut rows = Vec::new();
        for &procs in &self.procs {
            for &size in &self.sizes {
                for statistic in &self.statistics {
                    for number in 0..self.repetitions {
                        let status = if rows.is_empty() { self.status } else { "" };
                        let time = self.time(rows.len(), procs, size);
                        let (names, launch) = (self.names, self.launch);
                        rows.push(format!(
                            "{names},{procs},{size},{number},{launch},{time:e},{number},{number},,{status},{statistic},,"
                        ));
                    }
                }
            }
        }
        rows
    }

    /// The time of a row: on the line with a ripple of a tenth, or strange.
    fn time(&self, row: usize, procs: u32, size: u64) -> f64 {
        let line = self.line.0 * 1e-6 + self.line.1 * 1e-9 * size as f64;
        match self.strange {
            Some((place, time)) if place % 16 == row => time,
            _ => line * f64::from(procs.max(2) - 1) * (1.0 + 0.1 * (row as f64).sin()),
        }
    }
}

fn series(names: &'static [&'static str], procs: &'static [u32]) -> impl Strategy<Value = DataSeries> {
    let sizes = prop_oneof![
        4 => subsequence(&SIZES[..9], 1..9),
        1 => subsequence(&SIZES[..], 1..12),
    ];
    let statistics = prop_oneof![Just(vec![""]), subsequence(&STATISTICS[..], 1..4)];
    let strange = prop_oneof![3 => Just(None), 1 => (any::<usize>(), select(&STRANGE[..])).prop_map(Some)];
    let status = select(&["", "", "late", "wrong-data"][..]);
    (
        (select(names), subsequence(procs, 1..=procs.len()), sizes, statistics),
        (
            1..4u32,
            (1.0..100.0, 0.1..100.0),
            strange,
            status,
            select(&[0, 1, u32::MAX][..]),
        ),
    )
        .prop_map(|((names, procs, sizes, statistics), rest)| {
            let (repetitions, line, strange, status, launch) = rest;
            DataSeries {
                names,
                procs,
                sizes,
                statistics,
                repetitions,
                line,
                strange,
                status,
                launch,
            }
        })
}

/// A data file.
fn data() -> impl Strategy<Value = String> {
    let pairs = vec(series(&PAIRS[..1], &[2]), 0..2);
    let more = vec(series(&PAIRS, &[1, 2, 4, 2000]), 0..3);
    let collectives = vec(series(&COLLECTIVES, &[1, 2, 4, 6, 8, u32::MAX]), 0..4);
    let facts = prop_oneof![2 => Just(Vec::new()), 1 => subsequence(&FACTS[..], 1..3)];
    (facts, pairs, more, collectives).prop_map(|(facts, pairs, more, collectives)| {
        let facts = facts.iter().map(|fact| format!("#@{fact}"));
        let all = [pairs, more, collectives].concat();
        let rows = all.iter().flat_map(DataSeries::rows);
        let lines = facts.chain([COLUMNS.to_owned()]).chain(rows);
        lines.map(|line| line + "\n").collect()
    })
}

/// Commands on data alone.
const OF_DATA: [&str; 3] = [
    "compare data.csv",
    "compare data.csv --train procs<=4",
    "report data.csv -o page.html --procs 2,8",
];

/// Commands on a profile of the data.
const OF_PROFILE: [&str; 7] = [
    "predict profile.toml --collective alltoall --procs 2,8 --size 1KiB,64KiB",
    "predict profile.toml --collective bcast --procs 2,8 --size 1KiB,64KiB",
    "select profile.toml --collective alltoall --procs 8 --size 1KiB --extrapolate",
    "plan profile.toml --budget 10m --for 'alltoall library up to 16'",
    "compare data.csv --selection profile.toml --show cells",
    "tune profile.toml --for openmpi-4.1 --procs 2..8 -o rules",
    "report data.csv profile.toml -o page.html --procs 2,8",
];

/// True if the command answers; it may refuse only because data are missing.
fn answers(home: &TestHome, command: &str) -> bool {
    let output = home.netsig(command).output().unwrap();
    let code = output.status.code();
    let said = stderr_text(&output);
    // A file without any time and a budget below the smallest plan are unusable arguments.
    let is_usage = ["holds no time", "the smallest useful plan takes"];
    let is_refused = code == Some(2) && is_usage.iter().any(|words| said.contains(words));
    assert!(matches!(code, Some(0 | 3)) || is_refused, "{command}: {code:?} {said}");
    assert!(!said.contains("of 0 times"), "{command}: {said}");
    code == Some(0)
}

/// Each case runs up to a dozen commands.
fn cases() -> u32 {
    if is_long_form() { 96 } else { 3 }
}

proptest! {
    #![proptest_config(Config { max_shrink_iters: 16, ..crate::seeded::cases(cases()) })]

    #[test]
    fn every_readable_file_is_answered_or_refused(data in data()) {
        let home = TestHome::new();
        home.write("data.csv", &data);
        for command in OF_DATA {
            answers(&home, command);
        }
        let is_fitted = answers(&home, "fit data.csv -o profile.toml") || answers(&home, "fit data.csv --force -o profile.toml");
        if is_fitted {
            for command in OF_PROFILE {
                answers(&home, command);
            }
        }
    }
}
