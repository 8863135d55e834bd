//! A schedule whose root is rank 0, renumbered for another root.

use super::{Message, Slot};
use crate::units::{Procs, Rank};

/// Numbers ranks from a root on: what the schedule calls rank v is rank v + root (modulo n).
/// Arrays with a piece for each rank are numbered likewise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The rank that the schedule calls 0.
    pub root: Rank,
    /// Who takes part.
    pub procs: Procs,
    /// The blocks of a piece.
    pub parts: u32,
    /// The pieces that a rank hands in: one, or one for each rank.
    pub input: u32,
    /// The pieces that a rank gets back: one, or one for each rank.
    pub output: u32,
}

impl Turn {
    pub(super) fn message(self, message: Message) -> Message {
        let partner = message.partner.ahead(self.root.0, self.procs);
        Message::of(
            partner,
            message.slots.into_iter().map(|slot| self.slot(slot)),
        )
    }

    pub(super) fn slot(self, slot: Slot) -> Slot {
        match slot {
            Slot::Input(index) => Slot::Input(self.block(index, self.input)),
            Slot::Output(index) => Slot::Output(self.block(index, self.output)),
            Slot::Scratch(_) => slot,
        }
    }

    /// The block that takes the place of block `index` in an array of so many pieces.
    fn block(self, index: u32, pieces: u32) -> u32 {
        let piece = u64::from(index / self.parts) + u64::from(self.root.0);
        let piece = u32::try_from(piece % u64::from(pieces)).expect("less than the pieces");
        piece * self.parts + index % self.parts
    }
}
