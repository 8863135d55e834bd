//! A cell: one operation to repeat, and whether it can be.

use netsig_core::algorithm::{Collective, Method, Schedule};
use netsig_core::schedule::{BlockCounts, Division};
use netsig_core::units::{Bytes, Procs};

/// The most memory that one rank may need for its blocks in a cell: 16 GiB.
const MOST_MEMORY: u64 = 1 << 34;

/// The most blocks that all ranks may have together: a schedule is proved for every one of
/// them, which takes 200 MB for so many.
const MOST_BLOCKS: u64 = 1 << 24;

/// The largest message: MPI counts bytes in a C int.
pub(crate) const LARGEST_MESSAGE: u64 = (1 << 31) - 1;

/// One operation to repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// What is timed.
    pub operation: Operation,
    /// Among how many: the first so many ranks, but see [`Operation::Flows`].
    pub procs: Procs,
    /// Bytes per destination; of a broadcast or between two, of the message; for
    /// [`Operation::PLogP`] of the largest that is planned.
    pub size: Bytes,
    /// Repetitions that are thrown away first.
    pub warmup: u32,
    /// Repetitions that are kept, at most.
    pub repetitions: u32,
}

/// What can be timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `size` bytes from rank 0 to rank 1 and back; the time is half of that.
    PingPong,
    /// pLogP between ranks 0 and 1: a series of the three operations below, with sizes up to
    /// eight times that of the cell.
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
    /// answer. Times: the gap g(m) between two of them, and the time of all.
    Flood {
        /// How many messages.
        messages: u32,
    },
    /// `procs`/2 simultaneous transfers of `size` bytes between disjoint pairs, from rank i
    /// of the lower half of all ranks to its counterpart in the upper half, see
    /// [`Plan::receiver`](super::Plan::receiver). Times: one a pair, from the common start to
    /// the end of its transfer.
    Flows,
    /// A collective. Time: the maximum over the ranks.
    Collective(Collective, Method),
}

impl Cell {
    /// netsig's schedule, if one runs the operation.
    pub fn schedule(&self) -> Option<Schedule> {
        match self.operation {
            Operation::Collective(_, Method::Schedule(algorithm)) => {
                Some(algorithm.schedule(self.procs, self.size))
            }
            _ => None,
        }
    }

    /// The blocks that every rank needs.
    pub fn blocks(&self) -> BlockCounts {
        if let Some(schedule) = self.schedule() {
            return schedule.extent().blocks;
        }
        let (input, output) = match self.operation {
            Operation::Collective(collective, _) => {
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
        let whole = Division::whole(self.size);
        let schedule = self.schedule();
        schedule.map_or(whole, |schedule| schedule.extent().division)
    }

    pub(super) fn check(&self) -> Result<(), String> {
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
        let Some(schedule) = self.schedule() else {
            return Ok(());
        };
        let (algorithm, extent) = (schedule.algorithm(), schedule.extent());
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

    /// Whether both repeat the same, however often.
    pub(crate) fn is_same_work(&self, other: &Self) -> bool {
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
