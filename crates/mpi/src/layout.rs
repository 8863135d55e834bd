//! Places of the blocks of a schedule in one rank's memory: the addresses of its input, output and
//! scratch blocks.

use std::ops::Range;

use netsig_base::schedule::{self, BlockCounts, Division, Extent, Slot};

/// Addresses of all blocks of a rank. The arrays may lie anywhere; blocks of one array do not overlap.
#[derive(Debug)]
pub struct Layout {
    counts: BlockCounts,
    division: Division,
    input: Pieces,
    output: Pieces,
    /// Address of the first scratch block.
    scratch: usize,
}

/// Addresses of an array of pieces.
#[derive(Debug)]
pub enum Pieces {
    /// Pieces of one size, one after the other from this address on.
    Row(usize),
    /// The bytes of each piece. The parts of one that is longer than the size m that is divided are ⌈its
    /// length / m⌉ times as long: both of its ranks know that length, and divide any m ≥ the same limit.
    Each(Vec<Range<usize>>),
}

/// A copy from one place to another of the same length.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    from: usize,
    to: usize,
    size: usize,
}

impl Transfer {
    /// Copies the bytes. Source and destination may be the same place.
    ///
    /// # Safety
    /// The layout of this transfer describes memory that this process may use. No other access
    /// writes the source, and none reads or writes the destination, during the copy.
    pub unsafe fn run(self) {
        let from = std::ptr::with_exposed_provenance::<u8>(self.from);
        let to = std::ptr::with_exposed_provenance_mut(self.to);
        // SAFETY: the caller guarantees both places. No reference is created, because messages may
        // access other blocks.
        unsafe { from.copy_to(to, self.size) }
    }
}

impl Layout {
    /// The layout of a schedule of this extent, with its scratch blocks at the address `scratch`.
    pub fn new(extent: &Extent, input: Pieces, output: Pieces, scratch: usize) -> Self {
        Self {
            counts: extent.blocks,
            division: extent.division,
            input,
            output,
            scratch,
        }
    }

    /// Converts a copy of blocks to a copy of bytes.
    pub(crate) fn transfer(&self, copy: schedule::Copy) -> Transfer {
        let (from, to) = (self.place(copy.from), self.place(copy.to));
        assert_eq!(from.len(), to.len(), "a copy is to the same part of a piece");
        Transfer {
            from: from.start,
            to: to.start,
            size: to.len(),
        }
    }

    /// True if a message of `slots` is sent: where pieces differ in size, sender and receiver leave
    /// out blocks without data. A message without blocks is a signal.
    pub(crate) fn is_sent(&self, slots: &[Slot]) -> bool {
        let may_differ = |slot: &Slot| match slot {
            Slot::Input(_) => matches!(self.input, Pieces::Each(_)),
            Slot::Output(_) => matches!(self.output, Pieces::Each(_)),
            Slot::Scratch(_) => false,
        };
        let is_empty = |slot: &Slot| may_differ(slot) && self.place(*slot).is_empty();
        slots.is_empty() || !slots.iter().all(is_empty)
    }

    /// Addresses of a block.
    pub fn place(&self, slot: Slot) -> Range<usize> {
        let index = slot.index();
        self.counts.place(slot).expect("a rank has the block");
        let pieces = match slot {
            Slot::Input(_) => &self.input,
            Slot::Output(_) => &self.output,
            Slot::Scratch(_) => &Pieces::Row(self.scratch),
        };
        let (start, bytes) = match pieces {
            Pieces::Row(start) => (start + length(self.division.offset(index)), self.division.bytes(index)),
            Pieces::Each(pieces) => {
                let parts = self.division.parts();
                let piece = &pieces[(index / parts) as usize];
                let size = piece.len() as u64;
                let times = size.div_ceil(self.division.size().0.max(1));
                let place = |offset: u64| offset.saturating_mul(times).min(size);
                let start = self.division.offset(index % parts);
                let end = place(start + self.division.bytes(index % parts));
                (piece.start + length(place(start)), end - place(start))
            }
        };
        start..start + length(bytes)
    }

    /// Addresses of all `slots`, if each begins at the end of the one before.
    pub(crate) fn in_a_row(&self, slots: &[Slot]) -> Option<Range<usize>> {
        let mut places = slots.iter().map(|&slot| self.place(slot));
        let first = places.next().unwrap_or(0..0);
        places.try_fold(first, |row, next| {
            (row.end == next.start).then_some(row.start..next.end)
        })
    }
}

fn length(bytes: u64) -> usize {
    usize::try_from(bytes).expect("memory can be addressed")
}

#[cfg(test)]
mod tests {
    use netsig_base::units::{Bytes, Procs};

    use super::*;

    /// Two pieces of 5 bytes in and out, in parts of 3 and 2 bytes, and a part on its way.
    fn layout(input: Pieces, output: Pieces) -> Layout {
        let extent = Extent {
            procs: Procs::new(2).unwrap(),
            rounds: 1,
            division: Division::segments(Bytes(5), Bytes(3)),
            blocks: BlockCounts {
                input: 4,
                output: 4,
                scratch: 1,
            },
            longest_message: 1,
        };
        Layout::new(&extent, input, output, 20)
    }

    #[test]
    fn blocks_lie_in_their_arrays() {
        use Slot::{Input, Output, Scratch};
        let layout = layout(Pieces::Row(0), Pieces::Row(10));
        let input = [0..3, 3..5, 5..8, 8..10];
        assert_eq!([0, 1, 2, 3].map(|block| layout.place(Input(block))), input);
        assert_eq!(layout.place(Output(2)), 15..18);
        assert_eq!(layout.place(Scratch(0)), 20..23);
        assert!(layout.is_sent(&[Input(0)]) && layout.is_sent(&[]));
    }

    /// Of 5 bytes for both ranks, 2 for this one and 4 for the other; it gets 0 and 5, in any place.
    #[test]
    fn shorter_pieces_are_cut_into_the_same_parts() {
        use Slot::{Input, Output};
        let layout = layout(
            Pieces::Each(vec![100..102, 205..209]),
            Pieces::Each(vec![70..70, 30..35]),
        );
        let inputs = [0, 1, 2, 3].map(|block| layout.place(Input(block)));
        assert_eq!(inputs[0], 100..102);
        assert!(inputs[1].is_empty());
        assert_eq!(inputs[2..], [205..208, 208..209]);
        let outputs = [2, 3].map(|block| layout.place(Output(block)));
        assert_eq!(outputs, [30..33, 33..35]);
        assert!(!layout.is_sent(&[Input(1)]) && layout.is_sent(&[Input(0)]));
        assert!(!layout.is_sent(&[Output(0)]) && layout.is_sent(&[]));
    }

    #[test]
    fn the_parts_of_longer_pieces_are_longer() {
        let layout = layout(Pieces::Each(vec![100..105, 200..211]), Pieces::Row(0));
        let inputs = [0, 1, 2, 3].map(|block| layout.place(Slot::Input(block)));
        assert_eq!(inputs, [100..103, 103..105, 200..209, 209..211]);
    }

    #[test]
    fn only_blocks_in_ascending_order_are_in_a_row() {
        use Slot::{Input, Output, Scratch};
        let layout = layout(Pieces::Row(0), Pieces::Row(10));
        assert_eq!(layout.in_a_row(&[]), Some(0..0));
        assert_eq!(layout.in_a_row(&[Input(1)]), Some(3..5));
        let row = [Output(2), Output(3), Scratch(0)];
        assert_eq!(layout.in_a_row(&row), Some(15..23));
        assert_eq!(layout.in_a_row(&[Output(1), Output(0)]), None);
        assert_eq!(layout.in_a_row(&[Input(0), Output(0)]), None);
    }

    #[test]
    fn a_transfer_copies_a_block() {
        let mut memory: Vec<u8> = (0..23).collect();
        let base = memory.as_mut_ptr().expose_provenance();
        let layout = layout(Pieces::Row(base), Pieces::Row(base + 10));
        let copy = layout.transfer(schedule::Copy {
            from: Slot::Input(2),
            to: Slot::Output(0),
        });
        // SAFETY: the layout is that of the memory, which nothing else uses.
        unsafe { copy.run() };
        assert_eq!(memory[10..14], [5, 6, 7, 13]);
    }
}
