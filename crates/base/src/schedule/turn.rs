//! Renumbering of a schedule with root 0 for another root.

use super::{Message, Slot};
use crate::units::{Procs, Rank};

/// Renumbers ranks from a root on: rank v of the schedule becomes rank v + root (modulo n).
/// Arrays with a piece for each rank are renumbered likewise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The new number of rank 0.
    pub root: Rank,
    /// Number of processes.
    pub procs: Procs,
    /// Number of blocks of a piece.
    pub parts: u32,
    /// Number of input pieces of a rank: one, or one for each rank.
    pub input: u32,
    /// Number of output pieces of a rank: one, or one for each rank.
    pub output: u32,
}

impl Turn {
    pub(super) fn message(self, message: Message) -> Message {
        let partner = message.partner.ahead(self.root.0, self.procs);
        Message::of(partner, message.slots.into_iter().map(|slot| self.slot(slot)))
    }

    pub(super) fn slot(self, slot: Slot) -> Slot {
        match slot {
            Slot::Input(index) => Slot::Input(self.block(index, self.input)),
            Slot::Output(index) => Slot::Output(self.block(index, self.output)),
            Slot::Scratch(_) => slot,
        }
    }

    /// New number of block `index` in an array of `pieces`.
    fn block(self, index: u32, pieces: u32) -> u32 {
        let piece = u64::from(index / self.parts) + u64::from(self.root.0);
        let piece = u32::try_from(piece % u64::from(pieces)).expect("less than the pieces");
        piece * self.parts + index % self.parts
    }
}
