//! Schedules: an algorithm as data, with the sends, receives and copies of each rank by round.
//!
//! One description serves four uses: it is proved here ([`check_delivery`]), predicted by a
//! formula, simulated on a network model, and executed over MPI.
//!
//! # Meaning
//! A rank's memory is three arrays of blocks ([`BlockSlot`]). The message of m bytes from one rank for one rank is a
//! *piece*. All pieces are divided into blocks alike ([`PieceDivision`]): block i of an array is part i mod `parts`
//! of a piece. A message carries any number of blocks; the receiver stores them in the order in which the sender
//! lists them, each as the same part of a piece. If pieces are divided, a message contains each part at most once, so
//! it is no longer than the same number of blocks at the start of an array. Within a round, sends and copies read the
//! memory as it was when the round began; receives and copies write, and the next round reads the written data. So
//! these operations of a round may proceed at once and in any order. When all of them are complete, the combinations
//! of the round follow in the order of their list. Then the next round starts. Messages between two ranks match in
//! the order of the lists.
//!
//! In a reduction a block holds the contributions of several ranks to one part of the vector, combined in an order:
//! left ∘ right. A piece is the whole vector, and its parts consist of whole elements.

mod check;
mod division;
mod memory;
mod messages;
mod port_run;
mod renumbering;
mod straight;
mod value;

use std::borrow::Cow;
use std::num::NonZeroU32;

use smallvec::SmallVec;

use crate::units::{Procs, Rank};

pub use check::{check_delivery, check_synchronisation};
pub use division::PieceDivision;
pub use memory::{BlockCounts, BlockSlot};
pub use messages::{MessageRule, RoundMessages, RuleInputs};
pub use port_run::{PortRun, RunCosts};
pub use renumbering::RootRenumbering;
pub use straight::is_straight;

/// Dimensions of a schedule, the same for all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduleExtent {
    /// Number of processes.
    pub procs: Procs,
    /// The number of rounds.
    pub rounds: usize,
    /// Division of a piece into blocks.
    pub division: PieceDivision,
    /// Blocks of memory per rank.
    pub blocks: BlockCounts,
    /// Largest number of blocks in a message.
    pub longest_message: u32,
}

/// The blocks of a message.
pub type MessageSlots = SmallVec<[BlockSlot; 1]>;

/// One outgoing or incoming message of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleMessage {
    /// Receiver of an outgoing message, sender of an incoming one.
    pub partner: Rank,
    /// Sent blocks, all different; or the blocks to fill, as many as were sent and in that order.
    pub slots: MessageSlots,
}

/// A local copy of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockCopy {
    /// The block read.
    pub from: BlockSlot,
    /// The block written.
    pub to: BlockSlot,
}

/// A local combination of two blocks of the same part: `right` becomes left ∘ right, as by `MPI_Reduce_local`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockCombination {
    /// The left operand, which stays as it is.
    pub left: BlockSlot,
    /// The right operand, which the result replaces.
    pub right: BlockSlot,
}

/// Order in which the operands of a reduction are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandOrder {
    /// That of the ranks: the algorithm serves every associative operation.
    Ranks,
    /// Another: the operation must commute.
    Any,
}

/// Limit on the sends, and likewise on the receives, that a rank keeps in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InFlightLimit {
    /// All messages of the round are posted at once.
    #[default]
    Unlimited,
    /// The next message of the list is posted only when one of this many is complete.
    AtMost(NonZeroU32),
    /// All receives are posted at once; sends have the limit of [`InFlightLimit::AtMost`].
    Sends(NonZeroU32),
    /// The send and the receive at place j of their lists are posted when those at place j minus this
    /// number are complete. MPI completes a short send when the system has buffered it: only the
    /// receives tell that the network keeps up.
    Exchanges(NonZeroU32),
}

impl InFlightLimit {
    /// Largest numbers of receives and of sends in progress.
    pub fn receive_and_send_limits(self) -> (usize, usize) {
        match self {
            Self::Unlimited => (usize::MAX, usize::MAX),
            Self::AtMost(most) | Self::Exchanges(most) => (most.get() as usize, most.get() as usize),
            Self::Sends(most) => (usize::MAX, most.get() as usize),
        }
    }
}

/// Operations of one rank in one round; empty by default. Messages are posted in the order of the
/// lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Round {
    /// Outgoing messages.
    pub sends: RoundMessages,
    /// Incoming messages; posted before the sends.
    pub receives: RoundMessages,
    /// Local copies.
    pub copies: SmallVec<[BlockCopy; 1]>,
    /// Combinations, in this order, after all messages and copies.
    pub combinations: Vec<BlockCombination>,
    /// Limit on the messages in progress.
    pub in_flight: InFlightLimit,
}

/// A block that a rank reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockAccess {
    /// The round, from 0.
    pub round: usize,
    /// The rank.
    pub rank: Rank,
    /// The block.
    pub slot: BlockSlot,
}

/// A broken rule of a round, or of the whole schedule; found by [`check_delivery`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// A block is read before it holds data.
    #[error("round {}: rank {} reads {:?}, which holds nothing yet", .0.round, .0.rank, .0.slot)]
    ReadsNothing(BlockAccess),
    /// A block is written twice in one round, written while it is read, or is input.
    #[error(
        "round {}: rank {} writes {:?}, which is input or in use in that round",
        .0.round, .0.rank, .0.slot
    )]
    BadWrite(BlockAccess),
    /// A block is written that the rank does not have.
    #[error("round {}: rank {} writes {:?}, more than it has memory for", .0.round, .0.rank, .0.slot)]
    OutsideMemory(BlockAccess),
    /// A block receives data of another part of a piece.
    #[error(
        "round {}: rank {} writes another part of a piece into {:?}",
        .0.round, .0.rank, .0.slot
    )]
    OtherPart(BlockAccess),
    /// A message is longer than the schedule's longest, or has a block or a part twice.
    #[error("round {round}: rank {from} sends rank {to} too long a message, or a block or part twice")]
    BadMessage {
        /// The round, from 0.
        round: usize,
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
    },
    /// A receive without its send, a send without its receive, or two of different lengths.
    #[error("round {round}: messages from rank {from} to rank {to} do not match")]
    Unmatched {
        /// The round, from 0.
        round: usize,
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
    },
    /// Blocks of two parts are combined, or a block with itself.
    #[error(
        "round {}: rank {} combines {:?} with itself or with another part of the vector",
        .0.round, .0.rank, .0.slot
    )]
    BadCombination(BlockAccess),
    /// An output block lacks a contribution, has one twice, or has them in a wrong order.
    #[error("rank {rank} ends with {held} in output block {block}, expected each rank once{}", order.remark())]
    NotReduced {
        /// The rank.
        rank: Rank,
        /// Number of the output block.
        block: u32,
        /// The contributions that the block holds, with parentheses around each combination.
        held: String,
        /// The order in which they should be.
        order: OperandOrder,
    },
    /// Two ranks end with results that were combined differently, so that their bits may differ.
    #[error("rank {rank} ends with {held} in output block {block}, which another rank has combined otherwise")]
    ResultsDiffer {
        /// The rank.
        rank: Rank,
        /// Number of the output block.
        block: u32,
        /// The contributions that the block holds.
        held: String,
    },
    /// A rank leaves a barrier that another may not have reached.
    #[error("rank {rank} leaves the barrier without a sign of rank {missing}")]
    NotSynchronised {
        /// The rank that leaves.
        rank: Rank,
        /// The rank that it has not heard of.
        missing: Rank,
    },
    /// An output block holds wrong data, or none.
    #[error("rank {rank} ends with {held:?} in output block {block}, expected {expected:?}")]
    NotDelivered {
        /// The rank.
        rank: Rank,
        /// Number of the output block.
        block: u32,
        /// The data that the block holds.
        held: Option<Datum>,
        /// The data that the block should hold.
        expected: Datum,
    },
}

/// The identity of a block of user data: input block `block` of rank `origin`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Datum {
    /// The rank whose input contains the block.
    pub origin: Rank,
    /// Number of the block in that rank's input.
    pub block: u32,
}

/// What an output block must hold at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockResult {
    /// A block of one rank's input.
    Moved(Datum),
    /// The blocks with this number in the inputs of all ranks, combined to one expression on all ranks that have it.
    Combined(u32, OperandOrder),
}

impl OperandOrder {
    fn remark(self) -> &'static str {
        match self {
            Self::Ranks => ", in the order of the ranks",
            Self::Any => "",
        }
    }
}

impl ScheduleMessage {
    /// A message of one block.
    pub fn single(partner: Rank, slot: BlockSlot) -> Self {
        Self {
            partner,
            slots: [slot].into(),
        }
    }

    /// A message of these blocks in this order.
    pub fn of(partner: Rank, slots: impl IntoIterator<Item = BlockSlot>) -> Self {
        Self {
            partner,
            slots: slots.into_iter().collect(),
        }
    }
}

impl Round {
    /// The round with other partners.
    #[must_use]
    pub(crate) fn with_partners(self, partner: impl Fn(Rank) -> Rank) -> Self {
        let renamed = |messages: RoundMessages| {
            let all = messages.iter().map(Cow::into_owned);
            let with_partner = |message: ScheduleMessage| ScheduleMessage {
                partner: partner(message.partner),
                ..message
            };
            all.map(with_partner).collect()
        };
        Self {
            sends: renamed(self.sends),
            receives: renamed(self.receives),
            ..self
        }
    }

    /// Renumbers ranks and pieces.
    #[must_use]
    pub fn renumbered(self, renumbering: RootRenumbering) -> Self {
        let copies = self.copies.into_iter().map(|BlockCopy { from, to }| BlockCopy {
            from: renumbering.slot(from),
            to: renumbering.slot(to),
        });
        let combinations = self
            .combinations
            .into_iter()
            .map(|BlockCombination { left, right }| BlockCombination {
                left: renumbering.slot(left),
                right: renumbering.slot(right),
            });
        Self {
            sends: self.sends.renumbered(renumbering),
            receives: self.receives.renumbered(renumbering),
            copies: copies.collect(),
            combinations: combinations.collect(),
            in_flight: self.in_flight,
        }
    }
}
