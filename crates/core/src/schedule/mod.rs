//! An algorithm as data: what each rank sends, receives and copies, round by round.
//!
//! One description serves four uses: it is proved here ([`check_delivery`]), predicted
//! by a formula, simulated on a network model, and executed over MPI.
//!
//! # Meaning
//! A rank's memory is three arrays of blocks ([`Slot`]). The message of m bytes that one
//! rank has for one rank is a *piece*, and all pieces are divided into blocks alike
//! ([`Division`]): block i of an array is part i mod `parts` of a piece. A message carries
//! any number of blocks; the receiver takes them in the order in which the sender lists
//! them, each as the same part that it was. Where pieces are divided, no message has a
//! part twice, so that none is longer than as many blocks from the first on. Within a round, sends and copies read the memory as it was when the round
//! began; receives and copies write, and the writes are seen from the next round on. So
//! all of a round's operations may proceed at once and in any order. The next round
//! starts when all of them are complete. Messages between two ranks match in the order
//! they are listed.

mod check;
mod division;
mod messages;
mod turn;

use std::num::NonZeroU32;

use smallvec::SmallVec;

use crate::units::{Procs, Rank};

pub use check::check_delivery;
pub use division::Division;
pub use messages::{Frame, Messages, Rule};
pub use turn::Turn;

/// The place of a block in one rank's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// Block `i` of what the caller handed in; never written.
    Input(u32),
    /// Block `i` of what the caller gets back.
    Output(u32),
    /// Block `i` of the memory for data on their way to other ranks.
    Scratch(u32),
}

impl Slot {
    /// The number of the block in its array.
    pub fn index(self) -> u32 {
        let (Self::Input(index) | Self::Output(index) | Self::Scratch(index)) = self;
        index
    }
}

/// How many blocks of each kind every rank has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockCounts {
    /// Blocks that the caller hands in.
    pub input: u32,
    /// Blocks that the caller gets back.
    pub output: u32,
    /// Blocks for data on their way to other ranks.
    pub scratch: u32,
}

impl BlockCounts {
    /// How many blocks of all kinds.
    pub fn total(&self) -> usize {
        self.input as usize + self.output as usize + self.scratch as usize
    }

    /// The bytes of all of them, if pieces are divided so.
    pub fn bytes(&self, division: Division) -> u64 {
        let arrays = [self.input, self.output, self.scratch];
        let bytes = arrays.map(|count| division.offset(count));
        bytes.into_iter().fold(0, u64::saturating_add)
    }

    /// The number of a block among all of a rank, from 0, if there is such a block.
    pub fn place(&self, slot: Slot) -> Option<usize> {
        let (index, count, before) = match slot {
            Slot::Input(index) => (index, self.input, 0),
            Slot::Output(index) => (index, self.output, self.input as usize),
            Slot::Scratch(index) => {
                let before = self.input as usize + self.output as usize;
                (index, self.scratch, before)
            }
        };
        (index < count).then_some(before + index as usize)
    }
}

/// The outer measures of a schedule, the same for all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Who takes part.
    pub procs: Procs,
    /// The number of rounds.
    pub rounds: usize,
    /// How a piece is divided into blocks.
    pub division: Division,
    /// The memory that it needs.
    pub blocks: BlockCounts,
    /// No message has more blocks.
    pub longest_message: u32,
}

/// The blocks of a message.
pub type Slots = SmallVec<[Slot; 1]>;

/// One message of a rank, out or in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The receiver of a message out, the sender of one in.
    pub partner: Rank,
    /// The blocks that are sent, all different; or those that are filled, as many as were sent
    /// and in that order.
    pub slots: Slots,
}

/// A local copy of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copy {
    /// The block read.
    pub from: Slot,
    /// The block written.
    pub to: Slot,
}

/// How many sends, and likewise how many receives, a rank keeps in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InFlight {
    /// Everything in the round is posted at once.
    #[default]
    Unlimited,
    /// The next of the list is posted only when one of so many is complete.
    AtMost(NonZeroU32),
    /// All receives are posted at once, but sends as in [`InFlight::AtMost`].
    Sends(NonZeroU32),
}

impl InFlight {
    /// The most receives and the most sends in progress.
    pub fn at_once(self) -> (usize, usize) {
        match self {
            Self::Unlimited => (usize::MAX, usize::MAX),
            Self::AtMost(most) => (most.get() as usize, most.get() as usize),
            Self::Sends(most) => (usize::MAX, most.get() as usize),
        }
    }
}

/// What one rank does in one round, by default nothing. Posting follows the order of the
/// lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Round {
    /// Messages out, in the order they are posted.
    pub sends: Messages,
    /// Messages in, in the order they are posted; posted before the sends.
    pub receives: Messages,
    /// Local copies.
    pub copies: SmallVec<[Copy; 1]>,
    /// The limit on what is in progress at once.
    pub in_flight: InFlight,
}

/// A block that a rank reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The round, from 0.
    pub round: usize,
    /// Who.
    pub rank: Rank,
    /// Where.
    pub slot: Slot,
}

/// How a round of one rank, or the whole, breaks the rules; found by [`check_delivery`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// A block is read before anything was put there.
    #[error("round {}: rank {} reads {:?}, which holds nothing yet", .0.round, .0.rank, .0.slot)]
    ReadsNothing(Access),
    /// A block is written twice in one round, written while it is read, or is input.
    #[error(
        "round {}: rank {} writes {:?}, which is input or in use in that round",
        .0.round, .0.rank, .0.slot
    )]
    BadWrite(Access),
    /// A block is written that the rank does not have.
    #[error("round {}: rank {} writes {:?}, more than it has memory for", .0.round, .0.rank, .0.slot)]
    OutsideMemory(Access),
    /// A block is written into the place of another part of a piece.
    #[error(
        "round {}: rank {} writes another part of a piece into {:?}",
        .0.round, .0.rank, .0.slot
    )]
    OtherPart(Access),
    /// A message is longer than the schedule says, or has a block or a part twice.
    #[error(
        "round {round}: rank {from} sends rank {to} too long a message, or a block or part twice"
    )]
    BadMessage {
        /// The round, from 0.
        round: usize,
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
    },
    /// A receive without its send, a send without its receive, or one of another length.
    #[error("round {round}: messages from rank {from} to rank {to} do not match")]
    Unmatched {
        /// The round, from 0.
        round: usize,
        /// The sender.
        from: Rank,
        /// The receiver.
        to: Rank,
    },
    /// An output block holds the wrong data, or none.
    #[error("rank {rank} ends with {held:?} in output block {block}, expected {expected:?}")]
    NotDelivered {
        /// Who.
        rank: Rank,
        /// Which output block.
        block: u32,
        /// What it holds.
        held: Option<Datum>,
        /// What it should hold.
        expected: Datum,
    },
}

/// The identity of a block of user data: input block `block` of rank `origin`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Datum {
    /// The rank that handed it in.
    pub origin: Rank,
    /// Its place in that rank's input.
    pub block: u32,
}

impl Message {
    /// Of one block.
    pub fn single(partner: Rank, slot: Slot) -> Self {
        Self {
            partner,
            slots: [slot].into(),
        }
    }

    /// Of these blocks in this order.
    pub fn of(partner: Rank, slots: impl IntoIterator<Item = Slot>) -> Self {
        Self {
            partner,
            slots: slots.into_iter().collect(),
        }
    }
}

impl Round {
    /// The same round with ranks and pieces renumbered.
    #[must_use]
    pub fn turned(self, turn: Turn) -> Self {
        let copies = self.copies.into_iter().map(|Copy { from, to }| Copy {
            from: turn.slot(from),
            to: turn.slot(to),
        });
        Self {
            sends: self.sends.turned(turn),
            receives: self.receives.turned(turn),
            copies: copies.collect(),
            in_flight: self.in_flight,
        }
    }
}
