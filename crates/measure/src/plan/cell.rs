//! A cell: one operation to repeat, with a check that it can be measured.

use netsig_base::algorithm::{Collective, CollectiveCall, CollectiveMethod, PairSizes, ReductionOperands};
use netsig_base::schedule::{BlockCounts, PieceDivision, ScheduleExtent};
use netsig_base::units::{Bytes, Procs, Seconds};

use super::LARGEST_MESSAGE;
use super::settings::{PLogPSettings, warm_up};

/// The most memory that one rank may need for its blocks in a cell: 16 GiB.
const MOST_MEMORY: u64 = 1 << 34;

/// The most blocks of all ranks together. The proof of a schedule covers every block, which takes
/// 200 MB for this number.
const MOST_BLOCKS: u64 = 1 << 24;

/// One operation to repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanCell {
    /// The timed operation.
    pub operation: TimedOperation,
    /// Number of participating ranks, spread over all ranks, except for [`TimedOperation::Flows`].
    pub procs: Procs,
    /// Bytes per destination, on average where they differ; for a broadcast or an operation between two ranks, bytes
    /// of the message; for a reduction, bytes of the whole vector; for [`TimedOperation::PLogP`], the largest planned
    /// size.
    pub size: Bytes,
    /// Number of repetitions at the start that are discarded.
    pub warmup: u32,
    /// Largest number of recorded repetitions.
    pub repetitions: u32,
}

/// A timed operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimedOperation {
    /// Rank 0 sends `size` bytes to rank 1 and receives them back; the time is half of that.
    PingPong,
    /// pLogP between ranks 0 and 1: a series of the three operations below, with sizes up to eight
    /// times the cell's size.
    PLogP,
    /// Rank 0 sends `size` bytes to rank 1 and receives an empty answer. Times: RTT(m) and os(m).
    RoundTrip,
    /// Rank 0 requests `size` bytes with an empty message, waits until they have arrived, and
    /// receives them. Time: or(m).
    ReceiveOverhead {
        /// The wait in nanoseconds.
        delay_ns: u64,
    },
    /// Rank 0 sends `messages` messages of `size` bytes without a pause and waits for an empty
    /// answer. Times: the gap g(m) between two messages, and the time of the whole flood.
    Flood {
        /// Number of messages.
        messages: u32,
    },
    /// `procs`/2 simultaneous transfers of `size` bytes between disjoint pairs: from rank i in the
    /// lower half of all n ranks of the plan to rank i + ⌈n/2⌉. Times: for each pair, from the
    /// common start to the end of its transfer.
    Flows,
    /// One call of `MPI_Reduce_local` for vectors of `size` bytes, on rank 0 alone.
    LocalReduction,
    /// A collective operation. Time: the maximum over the ranks.
    Collective(Collective, CollectiveMethod),
}

impl PlanCell {
    /// A cell of an operation between ranks 0 and 1.
    pub(crate) fn of_two(operation: TimedOperation, size: Bytes, warmup: u32, repetitions: u32) -> Self {
        Self {
            operation,
            procs: Procs::new(2).expect("two is a number of processes"),
            size,
            warmup,
            repetitions,
        }
    }

    /// A cell of local reductions.
    pub(crate) fn of_local_reduction(size: Bytes, warmup: u32, repetitions: u32) -> Self {
        Self {
            procs: Procs::new(1).expect("one is a number of processes"),
            ..Self::of_two(TimedOperation::LocalReduction, size, warmup, repetitions)
        }
    }

    /// The cell of the whole pLogP measurement.
    pub(crate) fn of_plogp(settings: &PLogPSettings) -> Self {
        Self::of_two(TimedOperation::PLogP, settings.sizes.largest, 0, settings.most)
    }

    /// One step of a pLogP cell.
    pub(crate) fn step(&self, operation: TimedOperation, size: Bytes) -> Self {
        let is_flood = matches!(operation, TimedOperation::Flood { .. });
        Self {
            operation,
            size,
            warmup: if is_flood { 0 } else { warm_up(size) },
            ..*self
        }
    }

    /// Method of a collective.
    pub fn method(&self) -> Option<CollectiveMethod> {
        match self.operation {
            TimedOperation::Collective(_, method) => Some(method),
            _ => None,
        }
    }

    /// True if the cell combines elements.
    pub fn is_reduction(&self) -> bool {
        match self.operation {
            TimedOperation::Collective(collective, _) => collective.is_reduction(),
            TimedOperation::LocalReduction => true,
            _ => false,
        }
    }

    /// Lengths of the pieces, if they differ from pair to pair.
    pub fn pairs(&self) -> Option<PairSizes> {
        let TimedOperation::Collective(collective, _) = self.operation else {
            return None;
        };
        PairSizes::of_pattern(collective.size_pattern(), self.procs, self.size)
    }

    /// Dimensions, except the rounds, of netsig's schedule or of an MPI call with whole pieces. Vectors that are
    /// reduced consist of elements of `element` bytes.
    pub fn extent(&self, element: Bytes) -> ScheduleExtent {
        if let Some(CollectiveMethod::Schedule(algorithm)) = self.method() {
            let schedule = if self.is_reduction() {
                let call = CollectiveCall {
                    element,
                    ..CollectiveCall::new(self.procs, self.size)
                };
                algorithm.serve(&call).expect("every algorithm serves root 0")
            } else {
                algorithm.schedule(self.procs, self.size)
            };
            return schedule.extent();
        }
        let (input, output) = match self.operation {
            TimedOperation::Collective(collective, _) => {
                let pieces = collective.piece_counts(self.procs);
                (pieces.input, pieces.output)
            }
            _ => (1, 1),
        };
        let largest = self.pairs().map_or(self.size, |pairs| pairs.largest());
        ScheduleExtent {
            procs: self.procs,
            rounds: 1,
            division: PieceDivision::whole(largest),
            blocks: BlockCounts {
                input,
                output,
                scratch: 0,
                buffers: 0,
            },
            longest_message: 1,
        }
    }

    /// Number of simultaneous flows.
    pub(crate) fn flows(&self) -> u32 {
        self.procs.get() / 2
    }

    /// Checks that the cell can be measured, within the limits of sizes, blocks and memory.
    pub(crate) fn check(&self, operands: ReductionOperands) -> Result<(), String> {
        if self.procs.get() < 2 && self.operation != TimedOperation::LocalReduction {
            return Err("procs = 1 exchanges nothing; write 2 or more".to_owned());
        }
        let smallest = match self.operation {
            TimedOperation::Collective(Collective::Barrier, _) if self.size == Bytes(0) => 0,
            TimedOperation::Collective(Collective::Barrier, _) => {
                return Err(format!(
                    "a barrier has no data, and sizes has {}; write sizes = 0, or leave sizes out",
                    self.size
                ));
            }
            TimedOperation::Collective(..) | TimedOperation::Flows | TimedOperation::LocalReduction => 1,
            _ => 0,
        };
        let size = self.size.0;
        if !(smallest..=LARGEST_MESSAGE).contains(&size) {
            return Err(format!(
                "{self} is not possible; write sizes from {smallest} to 2147483647 bytes"
            ));
        }
        self.check_elements(operands)?;
        self.check_extent(&self.extent(operands.element().bytes()))
    }

    /// Checks that vectors consist of whole elements, and equal blocks too.
    fn check_elements(&self, operands: ReductionOperands) -> Result<(), String> {
        let element = operands.element().bytes();
        let unit = match self.operation {
            TimedOperation::Collective(collective, method) => method.size_unit(collective, self.procs, element),
            TimedOperation::LocalReduction => element,
            _ => return Ok(()),
        };
        if self.size.0.is_multiple_of(unit.0) {
            return Ok(());
        }
        let whole = if unit == element { "" } else { " in each block" };
        Err(format!(
            "{self} has no whole number of {} elements{whole}; write multiples of {} bytes",
            operands.element(),
            unit.0
        ))
    }

    /// Checks that the blocks of a schedule of this cell fit into the limits of blocks and memory.
    ///
    /// # Errors
    /// If a limit is exceeded; the text names it with a remedy.
    pub fn check_extent(&self, extent: &ScheduleExtent) -> Result<(), String> {
        let size = self.size.0;
        // Very short segments make very many blocks.
        let blocks = extent.blocks.total() as u64 * u64::from(self.procs.get());
        if blocks > MOST_BLOCKS {
            return Err(format!(
                "{self} makes {blocks} blocks on all ranks, more than {MOST_BLOCKS}; write longer segments or fewer processes"
            ));
        }
        let memory = extent.blocks.bytes(extent.division);
        if memory > MOST_MEMORY {
            let times = memory.div_ceil(size);
            return Err(format!(
                "{self} takes {times} times {size} bytes on every rank; write sizes up to {} bytes, so that they fit into 16 GiB",
                MOST_MEMORY / times
            ));
        }
        // MPI_Alltoallv takes the places of the pieces as numbers of bytes.
        let array = extent.division.offset(extent.blocks.input);
        if let TimedOperation::Collective(collective, _) = self.operation
            && collective.operation() == Collective::Alltoallv
            && array > LARGEST_MESSAGE
        {
            let times = array.div_ceil(size);
            return Err(format!(
                "{collective} among {} has an array of {times} times {size} bytes; write sizes up to {} bytes, so that it stays below 2 GiB",
                self.procs,
                LARGEST_MESSAGE / times
            ));
        }
        // A schedule may put several blocks into one message.
        let message = extent.division.offset(extent.longest_message);
        if let TimedOperation::Collective(_, method) = self.operation
            && message > LARGEST_MESSAGE
        {
            let times = message.div_ceil(size);
            return Err(format!(
                "{method} among {} gathers {times} times {size} bytes in one message; write sizes up to {} bytes, so that it stays below 2 GiB",
                self.procs,
                LARGEST_MESSAGE / times
            ));
        }
        Ok(())
    }

    /// Operation, processes and size: the work that the cell repeats.
    pub(crate) fn timed_case(&self) -> (TimedOperation, Procs, Bytes) {
        (self.operation, self.procs, self.size)
    }
}

impl TimedOperation {
    /// Duration of a whole repetition with these times.
    pub(crate) fn duration(self, times: &[Seconds]) -> Seconds {
        let longest = Seconds(times.iter().map(|time| time.0).fold(0.0, f64::max));
        match self {
            Self::PingPong => longest * 2.0,
            _ => longest,
        }
    }
}

impl std::fmt::Display for PlanCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.operation {
            TimedOperation::PingPong => write!(f, "ping-pong of {}", self.size),
            TimedOperation::PLogP => write!(f, "pLogP up to {}", self.size),
            TimedOperation::RoundTrip => write!(f, "round trip of {}", self.size),
            TimedOperation::ReceiveOverhead { .. } => {
                write!(f, "receive overhead of {}", self.size)
            }
            TimedOperation::Flood { messages } => write!(f, "{messages} messages of {}", self.size),
            TimedOperation::Flows => write!(f, "{} flows of {}", self.flows(), self.size),
            TimedOperation::LocalReduction => write!(f, "local reduction of {}", self.size),
            TimedOperation::Collective(Collective::Barrier, method) => {
                write!(f, "{} {method} among {}", Collective::Barrier, self.procs)
            }
            TimedOperation::Collective(collective, method) => {
                let Self { procs, size, .. } = self;
                write!(f, "{collective} {method} among {procs} with {size}")
            }
        }
    }
}
