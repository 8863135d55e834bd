//! A measurement plan: TOML in, the list of cells to measure out.
//!
//! The order of cells is random but fixed by the plan's seed and the launch, so that all
//! ranks agree on it and congestion left behind by one size does not always meet the same
//! next one.

use netsig_core::collective::{Collective, Method};
use netsig_core::file_error::{FileError, parse_toml};
use netsig_core::list::List;
use netsig_core::schedule::{BlockCounts, Division};
use netsig_core::units::{Bytes, Procs};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

const HINT: &str = "see FORMATS.md for what a plan may say";

/// What to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Seeds the order of cells and a simulated transport's noise.
    pub seed: u64,
    /// How many times the MPI job is started; each measures every cell.
    pub launches: u32,
    /// The relative half-width of the 95 % confidence interval of a cell's median at which
    /// its repetitions stop; without it all are carried out.
    pub precision: Option<f64>,
    /// How the ranks come to a common start.
    pub synchronisation: Synchronisation,
    /// How pLogP is measured, if it is.
    pub plogp: Option<PLogPSettings>,
    /// All cells of one launch in the order of the file.
    cells: Vec<Cell>,
}

/// One operation to repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// What is timed.
    pub operation: Operation,
    /// Among how many: the first so many ranks.
    pub procs: Procs,
    /// Bytes per destination; of a broadcast or between two, of the message; for
    /// [`Operation::PLogP`] of the largest.
    pub size: Bytes,
    /// Repetitions that are thrown away first.
    pub warmup: u32,
    /// Repetitions that are kept, at most.
    pub repetitions: u32,
}

/// How the ranks come to a common start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronisation {
    /// A barrier; each rank's clock starts when it leaves it.
    #[default]
    Barrier,
    /// A moment on a clock that the ranks have agreed on; who is late voids the repetition.
    Window,
}

/// How pLogP is measured: the settings of the MPI `LogP` benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PLogPSettings {
    /// The smallest size but 0.
    pub smallest: Bytes,
    /// The largest size, but see `extend`.
    pub largest: Bytes,
    /// Repetitions are added in rounds of so many.
    pub round: u32,
    /// The most repetitions of a size above 64 KiB; twice and four times as many of smaller.
    pub most: u32,
    /// The level of the confidence intervals that end the repetitions.
    pub confidence: f64,
    /// Half the relative half-width at which they end.
    pub epsilon: f64,
    /// The largest relative deviation from a line through two sizes that needs no size
    /// between.
    pub difference: f64,
    /// Whether every g(m) is measured by saturation, as g(0) is.
    pub flood: Flood,
}

/// Which gaps are measured by saturation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flood {
    /// g(0) only; the others follow from round trips.
    Empty,
    /// All.
    Every,
}

/// What can be timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `size` bytes from rank 0 to rank 1 and back; the time is half of that.
    PingPong,
    /// pLogP between ranks 0 and 1: a series of the three operations below.
    PLogP,
    /// `size` bytes from rank 0 to rank 1 and none back. Times: RTT(m) and os(m).
    RoundTrip,
    /// Rank 0 sends nothing, waits, and receives `size` bytes that have arrived meanwhile.
    /// Time: or(m).
    ReceiveOverhead {
        /// How long it waits.
        delay_ns: u64,
    },
    /// Rank 0 sends so many messages of `size` bytes without a pause and waits for an empty
    /// answer. Times: that of the sends, divided by their number, and that of all.
    Flood {
        /// How many messages.
        messages: u32,
    },
    /// `procs`/2 simultaneous transfers of `size` bytes between disjoint pairs, from rank i
    /// of the lower half of all ranks to its counterpart in the upper half. Times: one a
    /// pair, from the common start to the end of its transfer.
    Flows,
    /// A collective. Time: the maximum over the ranks.
    Collective(Collective, Method),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePlan {
    #[serde(default)]
    seed: u64,
    #[serde(default = "one")]
    launches: Count,
    pingpong: Option<WirePingPong>,
    #[serde(default)]
    collective: Vec<WireCollective>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePingPong {
    sizes: List<Bytes>,
    repetitions: Count,
    #[serde(default = "one")]
    warmup: Count,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCollective {
    name: Name,
    algorithms: Vec<String>,
    procs: List<Procs>,
    sizes: List<Bytes>,
    repetitions: Count,
    #[serde(default = "one")]
    warmup: Count,
}

/// A count from 1 to a million.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "i64")]
struct Count(u32);

/// The name of a collective.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "String")]
struct Name(Collective);

fn one() -> Count {
    Count(1)
}

impl TryFrom<i64> for Count {
    type Error = String;
    fn try_from(value: i64) -> Result<Self, String> {
        match u32::try_from(value) {
            Ok(count @ 1..=1_000_000) => Ok(Self(count)),
            _ => Err(format!(
                "{value} is not possible here; write a number from 1 to 1000000"
            )),
        }
    }
}

impl TryFrom<String> for Name {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
            .map(Self)
            .map_err(|e: netsig_core::collective::UnknownAlgorithm| e.to_string())
    }
}

/// The most memory that one rank may need for its blocks in a cell: 16 GiB.
const MOST_MEMORY: u64 = 1 << 34;

/// The most blocks that all ranks may have together: a schedule is proved for every one of
/// them, which takes 200 MB for so many.
const MOST_BLOCKS: u64 = 1 << 24;

/// The largest message: MPI counts bytes in a C int.
const LARGEST_MESSAGE: u64 = (1 << 31) - 1;

impl Plan {
    /// Reads a plan; `name` is what errors call it.
    ///
    /// # Errors
    /// If it is not TOML, has unknown keys or impossible values, or measures nothing.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        let wire: WirePlan = parse_toml(name, text, HINT)?;
        let cells = wire
            .cells()
            .map_err(|problem| FileError::at_line(name, 1, problem))?;
        Ok(Self {
            seed: wire.seed,
            launches: wire.launches.0,
            precision: None,
            synchronisation: Synchronisation::default(),
            plogp: None,
            cells,
        })
    }

    /// The cells of a launch in the order in which it measures them.
    pub fn order(&self, launch: u32) -> Vec<Cell> {
        let mut cells = self.cells.clone();
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(launch));
        cells.shuffle(&mut rng);
        cells
    }

    /// The largest number of processes that any cell needs.
    pub fn procs(&self) -> Procs {
        self.cells
            .iter()
            .map(|cell| cell.procs)
            .max()
            .expect("a plan measures something")
    }

    /// The volume of all repetitions that the whole plan records.
    pub fn volume(&self) -> u64 {
        let of = |cell: &Cell| u64::from(cell.repetitions) * volume(cell.procs, cell.size);
        self.cells.iter().map(of).sum::<u64>() * u64::from(self.launches)
    }

    /// How many samples the whole plan gives.
    pub fn samples(&self) -> u64 {
        let once: u64 = self
            .cells
            .iter()
            .map(|cell| u64::from(cell.repetitions))
            .sum();
        once * u64::from(self.launches)
    }
}

/// The volume of one repetition, (n−1)·(m + a small message's worth): what progress
/// and time left are counted in.
pub fn volume(procs: Procs, size: Bytes) -> u64 {
    const START_UP: u64 = 1000;
    u64::from(procs.get() - 1) * (size.0 + START_UP)
}

impl WirePlan {
    fn cells(&self) -> Result<Vec<Cell>, String> {
        let mut cells: Vec<Cell> = self.pingpong.iter().flat_map(WirePingPong::cells).collect();
        for collective in &self.collective {
            cells.extend(collective.cells()?);
        }
        if cells.is_empty() {
            return Err("the plan measures nothing; add [pingpong] or [[collective]]".to_owned());
        }
        cells.iter().try_for_each(Cell::check)?;
        let doubled =
            (1..cells.len()).find(|&i| cells[..i].iter().any(|cell| cell.is_same_work(&cells[i])));
        match doubled {
            Some(i) => Err(format!("{} is planned twice; merge the entries", cells[i])),
            None => Ok(cells),
        }
    }
}

impl WirePingPong {
    fn cells(&self) -> Vec<Cell> {
        let procs = Procs::new(2).expect("two is a number of processes");
        let cell = |&size| Cell {
            operation: Operation::PingPong,
            procs,
            size,
            warmup: self.warmup.0,
            repetitions: self.repetitions.0,
        };
        self.sizes.items().iter().map(cell).collect()
    }
}

impl WireCollective {
    fn cells(&self) -> Result<Vec<Cell>, String> {
        if self.algorithms.is_empty() {
            return Err(format!(
                "no algorithms for {}; write algorithms = [\"direct\"]",
                self.name.0
            ));
        }
        let mut cells = Vec::new();
        for algorithm in &self.algorithms {
            let method = Method::parse(self.name.0, algorithm).map_err(|e| e.to_string())?;
            for &procs in self.procs.items() {
                for &size in self.sizes.items() {
                    cells.push(Cell {
                        operation: Operation::Collective(self.name.0, method),
                        procs,
                        size,
                        warmup: self.warmup.0,
                        repetitions: self.repetitions.0,
                    });
                }
            }
        }
        Ok(cells)
    }
}

impl Cell {
    /// The blocks that every rank needs.
    pub fn blocks(&self) -> BlockCounts {
        let (input, output) = match self.operation {
            Operation::Collective(_, Method::Schedule(algorithm)) => {
                return algorithm.extent(self.procs, self.size).blocks;
            }
            Operation::Collective(collective, Method::Library(_)) => {
                let pieces = collective.pieces(self.procs);
                (pieces.input, pieces.output)
            }
            _ => (1, 1),
        };
        BlockCounts {
            input,
            output,
            scratch: 0,
        }
    }

    /// How the message of the cell's size is divided into blocks.
    pub fn division(&self) -> Division {
        match self.operation {
            Operation::Collective(_, Method::Schedule(algorithm)) => {
                algorithm.extent(self.procs, self.size).division
            }
            _ => Division::whole(self.size),
        }
    }

    fn check(&self) -> Result<(), String> {
        if self.procs.get() < 2 {
            return Err("procs = 1 exchanges nothing; write 2 or more".to_owned());
        }
        let smallest = match self.operation {
            Operation::Collective(..) | Operation::Flows => 1,
            _ => 0,
        };
        if !(smallest..=LARGEST_MESSAGE).contains(&self.size.0) {
            return Err(format!(
                "{self} is not possible; write sizes from {smallest} to 2147483647 bytes"
            ));
        }
        self.check_blocks()?;
        self.check_memory()?;
        self.check_messages()
    }

    /// Segments may be absurdly short.
    fn check_blocks(&self) -> Result<(), String> {
        let blocks = self.blocks().total() as u64 * u64::from(self.procs.get());
        if blocks <= MOST_BLOCKS {
            return Ok(());
        }
        Err(format!(
            "{self} makes {blocks} blocks on all ranks, more than {MOST_BLOCKS}; write longer segments or fewer processes"
        ))
    }

    fn check_memory(&self) -> Result<(), String> {
        let bytes = self.blocks().bytes(self.division());
        if bytes <= MOST_MEMORY {
            return Ok(());
        }
        let times = bytes.div_ceil(self.size.0);
        Err(format!(
            "{self} takes {times} times {} bytes on every rank; write sizes up to {} bytes, so that they fit into 16 GiB",
            self.size.0,
            MOST_MEMORY / times
        ))
    }

    /// A schedule may gather blocks into one message.
    fn check_messages(&self) -> Result<(), String> {
        let Operation::Collective(_, Method::Schedule(algorithm)) = self.operation else {
            return Ok(());
        };
        let extent = algorithm.extent(self.procs, self.size);
        let bytes = extent.division.offset(extent.longest_message);
        if bytes <= LARGEST_MESSAGE {
            return Ok(());
        }
        let times = bytes.div_ceil(self.size.0);
        Err(format!(
            "{algorithm} among {} gathers {times} times {} bytes in one message; write sizes up to {} bytes, so that it stays below 2 GiB",
            self.procs,
            self.size.0,
            LARGEST_MESSAGE / times
        ))
    }

    fn is_same_work(&self, other: &Self) -> bool {
        (self.operation, self.procs, self.size) == (other.operation, other.procs, other.size)
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.operation {
            Operation::PingPong => write!(f, "ping-pong of {}", self.size),
            Operation::PLogP => write!(f, "pLogP up to {}", self.size),
            Operation::RoundTrip => write!(f, "round trip of {}", self.size),
            Operation::ReceiveOverhead { .. } => write!(f, "receive overhead of {}", self.size),
            Operation::Flood { messages } => write!(f, "{messages} messages of {}", self.size),
            Operation::Flows => write!(f, "{} flows of {}", self.procs.get() / 2, self.size),
            Operation::Collective(collective, method) => {
                write!(
                    f,
                    "{collective} {method} among {} with {}",
                    self.procs, self.size
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
seed = 7
launches = 2

[pingpong]
sizes = "1..4"
repetitions = 10

[[collective]]
name = "alltoall"
algorithms = ["direct", "throttled:2", "library"]
procs = [4, 8]
sizes = "256, 1KiB"
repetitions = 5
"#;

    fn problem(old: &str, new: &str) -> String {
        assert!(TEXT.contains(old));
        Plan::parse("plan.toml", &TEXT.replace(old, new))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_plan_is_the_product_of_its_lists() {
        let plan = Plan::parse("plan.toml", TEXT).unwrap();
        assert_eq!(plan.samples(), 2 * (3 * 10 + 3 * 2 * 2 * 5));
        assert_eq!(plan.procs().get(), 8);
    }

    #[test]
    fn the_largest_message_goes_to_and_fro() {
        let text = TEXT.replace("\"1..4\"", "\"2147483647\"");
        assert!(Plan::parse("plan.toml", &text).is_ok());
    }

    #[test]
    fn divided_messages_are_as_long_as_their_blocks() {
        // Two parts of 2^30 and 2^30 - 1 bytes: together the largest message.
        for (algorithm, procs) in [
            ("scatter-allgather", 3),
            ("pipeline:1MiB", 3),
            ("library:chain", 2),
        ] {
            let text = format!(
                "[[collective]]\nname = \"bcast\"\nalgorithms = [{algorithm:?}]\nprocs = {procs}\n\
                 sizes = 2147483647\nrepetitions = 1\n"
            );
            let plan = Plan::parse("plan.toml", &text).unwrap();
            let cell = plan.order(0)[0];
            assert_eq!(cell.blocks().bytes(cell.division()), 2 * 2_147_483_647);
        }
    }

    #[test]
    fn every_launch_has_its_own_order_of_the_same_cells() {
        let plan = Plan::parse("plan.toml", TEXT).unwrap();
        let [first, again, second] = [0, 0, 1].map(|launch| plan.order(launch));
        assert_eq!(first, again);
        assert_ne!(first, second);
        assert!(first.iter().all(|cell| second.contains(cell)));
    }

    #[test]
    fn faults_are_one_line_with_place_and_remedy() {
        assert!(problem("seed", "sead").starts_with("plan.toml:2: unknown field `sead`"));
        assert!(
            problem("repetitions = 5", "repetitions = 0")
                .starts_with("plan.toml:14: 0 is not possible")
        );
        assert!(problem("[4, 8]", "[0]").contains(":12: \"0\" is not a number of processes"));
        assert!(problem("[4, 8]", "1").contains("write 2 or more"));
        assert!(problem("256, 1KiB", "4k").contains(":13: \"4k\" is not a size"));
        assert!(problem("256, 1KiB", "0").contains("write sizes from 1 to"));
        assert!(problem("256, 1KiB", "8GiB").contains("write sizes from 1 to 2147483647 bytes"));
        assert!(problem("\"1..4\"", "\"2GiB\"").contains("ping-pong of 2 GiB"));
        assert!(problem("throttled:2", "ring").contains("\"ring\" is not an algorithm"));
        assert!(
            problem("name = \"alltoall\"", "name = \"reduce\"")
                .contains(":10: \"reduce\" is not a collective")
        );
        assert!(problem("throttled:2", "direct").contains("planned twice"));
        // In a cluster of 2 and one of 6, each of the 2 relays for 3 of the 6.
        let relayed = TEXT.replace("throttled:2", "two-phase:2");
        let gathering = relayed.replace("256, 1KiB", "256, 512MiB");
        let problem = Plan::parse("plan.toml", &gathering).unwrap_err();
        assert!(problem.to_string().contains(
            "two-phase:2 among 8 gathers 4 times 536870912 bytes in one message; write sizes up to 536870911"
        ));
        // 8 blocks in, 8 out and 3 rounds of 2 on their way.
        let crowded = relayed.replace("256, 1KiB", "256, 800MiB");
        let problem = Plan::parse("plan.toml", &crowded).unwrap_err();
        assert!(problem.to_string().contains(
            "two-phase:2 among 8 with 800 MiB takes 22 times 838860800 bytes on every rank; write sizes up to 780903144 bytes"
        ));
        // 8 ranks with 2 · 8 messages of 2^18 segments.
        let segmented = TEXT.replace("throttled:2", "pairwise-segmented:1");
        let absurd = segmented.replace("256, 1KiB", "256KiB");
        let problem = Plan::parse("plan.toml", &absurd).unwrap_err();
        assert!(
            problem
                .to_string()
                .contains("with 256 KiB makes 33554432 blocks on all ranks, more than"),
            "{problem}"
        );
        let nothing = Plan::parse("plan.toml", "seed = 1")
            .unwrap_err()
            .to_string();
        assert!(nothing.contains("measures nothing"));
    }
}
