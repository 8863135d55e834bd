//! Renumbering of a schedule with root 0 for another root.

use super::{BlockSlot, ScheduleMessage};
use crate::units::{Procs, Rank};

/// Renumbers ranks from a root on: rank v of the schedule becomes rank v + root (modulo n).
/// Arrays with a piece for each rank are renumbered likewise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootRenumbering {
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

impl RootRenumbering {
    pub(super) fn message(self, message: ScheduleMessage) -> ScheduleMessage {
        let partner = message.partner.successor(self.root.0, self.procs);
        ScheduleMessage::of(partner, message.slots.into_iter().map(|slot| self.slot(slot)))
    }

    pub(super) fn slot(self, slot: BlockSlot) -> BlockSlot {
        match slot {
            BlockSlot::Input(index) => BlockSlot::Input(self.block(index, self.input)),
            BlockSlot::Output(index) => BlockSlot::Output(self.block(index, self.output)),
            BlockSlot::Scratch(_) | BlockSlot::Buffer { .. } => slot,
        }
    }

    /// New number of block `index` in an array of `pieces`.
    fn block(self, index: u32, pieces: u32) -> u32 {
        let shifted_piece = u64::from(index / self.parts) + u64::from(self.root.0);
        let piece = u32::try_from(shifted_piece % u64::from(pieces)).expect("less than the pieces");
        piece * self.parts + index % self.parts
    }
}
