//! One rank's memory for schedules: its input, output and scratch blocks, one array after another.

use std::ops::Range;

use netsig_core::algorithm::PairSizes;
use netsig_core::schedule::{self, BlockCounts, Division, Extent, Slot};
use netsig_core::units::{Bytes, Procs, Rank};

/// Three consecutive arrays of blocks in one allocation. Pieces that differ in size lie as far apart as
/// if all had the largest size; each fills the begin of its place.
pub struct Blocks {
    counts: BlockCounts,
    division: Division,
    lengths: Option<Lengths>,
    memory: Vec<u8>,
}

/// Lengths of the pieces of one rank, which differ in size.
pub struct Lengths {
    /// By receiver.
    pub input: Vec<Bytes>,
    /// By sender.
    pub output: Vec<Bytes>,
}

impl Lengths {
    /// Lengths of the pieces of `rank`.
    pub fn of(pairs: &PairSizes, rank: Rank) -> Self {
        let ranks = || pairs.procs().ranks();
        Self {
            input: ranks().map(|to| pairs.get(rank, to)).collect(),
            output: ranks().map(|from| pairs.get(from, rank)).collect(),
        }
    }
}

/// A copy from one place in the memory of [`Blocks`] to another.
#[derive(Clone, Copy)]
pub struct Transfer {
    from: usize,
    to: usize,
    size: usize,
}

impl Transfer {
    /// Copies the bytes.
    ///
    /// # Safety
    /// `memory` belongs to blocks of the same extent as the blocks of this transfer. No other
    /// access writes the source, and none reads or writes the destination, during the copy.
    pub unsafe fn run(self, memory: *mut u8) {
        // SAFETY: source and destination lie inside the memory; the caller guarantees exclusive
        // use. No reference is created, because messages may access other blocks.
        unsafe {
            memory
                .add(self.from)
                .copy_to(memory.add(self.to), self.size);
        }
    }
}

impl Blocks {
    /// Allocates the blocks of a schedule or of an MPI call, with the lengths of pieces that differ in
    /// size.
    pub fn new(extent: &Extent, lengths: Option<Lengths>) -> Self {
        Self {
            counts: extent.blocks,
            division: extent.division,
            lengths,
            memory: vec![0; length(extent.blocks.bytes(extent.division))],
        }
    }

    /// The bytes of a whole input piece, to be written.
    pub fn input_piece(&mut self, number: u32) -> &mut [u8] {
        let piece = self.piece_from(Slot::Input(number * self.division.parts()));
        &mut self.memory[piece]
    }

    /// The bytes of a whole output piece.
    pub fn output_piece(&self, number: u32) -> &[u8] {
        &self.memory[self.piece_from(Slot::Output(number * self.division.parts()))]
    }

    /// The bytes of a whole output piece, to be written.
    pub fn output_piece_mut(&mut self, number: u32) -> &mut [u8] {
        let piece = self.piece_from(Slot::Output(number * self.division.parts()));
        &mut self.memory[piece]
    }

    /// Addresses of the input array and of the output array.
    pub fn arrays(&mut self) -> (*mut u8, *mut u8) {
        let output = length(self.division.offset(self.counts.input));
        let memory = self.memory.as_mut_ptr();
        (memory, memory.wrapping_add(output))
    }

    /// Converts a copy of blocks to a copy of bytes.
    pub fn transfer(&self, copy: schedule::Copy) -> Transfer {
        let (from, to) = (self.place(copy.from), self.place(copy.to));
        assert_eq!(
            from.len(),
            to.len(),
            "a copy is to the same part of a piece"
        );
        Transfer {
            from: from.start,
            to: to.start,
            size: to.len(),
        }
    }

    /// Address of the first byte of all blocks.
    pub fn memory(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr()
    }

    /// Length of the memory in bytes.
    pub fn bytes(&self) -> usize {
        self.memory.len()
    }

    /// Distance between the begins of two pieces in bytes: the length of the largest.
    pub fn piece_bytes(&self) -> usize {
        length(self.division.size().0)
    }

    /// Lengths of the input pieces and of the output pieces, one for each of `procs` ranks.
    pub fn piece_lengths(&self, procs: Procs) -> [Vec<usize>; 2] {
        let parts = self.division.parts();
        let arrays: [fn(u32) -> Slot; 2] = [Slot::Input, Slot::Output];
        let pieces = |slot: fn(u32) -> Slot| {
            let numbers = 0..procs.get();
            numbers
                .map(|number| self.piece_from(slot(number * parts)).len())
                .collect()
        };
        arrays.map(pieces)
    }

    /// True if a message of `slots` is sent: where pieces differ in size, sender and receiver leave
    /// out blocks without data. A message without blocks is a signal.
    pub fn is_sent(&self, slots: &[Slot]) -> bool {
        let is_empty = |slot: &Slot| self.place(*slot).is_empty();
        self.lengths.is_none() || slots.is_empty() || !slots.iter().all(is_empty)
    }

    /// Range of a block in the memory.
    pub fn place(&self, slot: Slot) -> Range<usize> {
        let start = self.start(slot);
        let bytes = match self.piece(slot) {
            Some(piece) => self.division.bytes_of(piece, slot.index()),
            None => self.division.bytes(slot.index()),
        };
        start..start + length(bytes)
    }

    /// Length of the piece that a block is a part of, if pieces differ in size.
    fn piece(&self, slot: Slot) -> Option<Bytes> {
        let Lengths { input, output } = self.lengths.as_ref()?;
        let lengths = match slot {
            Slot::Input(_) => input,
            Slot::Output(_) => output,
            Slot::Scratch(_) => return None,
        };
        let number = slot.index() / self.division.parts();
        lengths.get(number as usize).copied()
    }

    /// Range of all `slots` in the memory, if each begins at the end of the one before.
    pub fn in_a_row(&self, slots: &[Slot]) -> Option<Range<usize>> {
        let mut places = slots.iter().map(|&slot| self.place(slot));
        let first = places.next().unwrap_or(0..0);
        places.try_fold(first, |row, next| {
            (row.end == next.start).then_some(row.start..next.end)
        })
    }

    /// Range of the piece that begins with the block `first`.
    fn piece_from(&self, first: Slot) -> Range<usize> {
        let start = self.start(first);
        let bytes = self.piece(first).unwrap_or(self.division.size());
        start..start + length(bytes.0)
    }

    /// Offset of a block. The input and output arrays consist of whole pieces, so their lengths
    /// add.
    fn start(&self, slot: Slot) -> usize {
        let before = self.counts.place(slot).expect("a rank has the block");
        let before = u32::try_from(before).expect("plans limit blocks");
        length(self.division.offset(before))
    }
}

fn length(bytes: u64) -> usize {
    usize::try_from(bytes).expect("plans limit memory to what can be addressed")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pieces of 5 bytes in and out, in parts of 3 and 2 bytes, and a part on its way.
    fn blocks(lengths: Option<Lengths>) -> Blocks {
        let counts = BlockCounts {
            input: 4,
            output: 4,
            scratch: 1,
        };
        let extent = Extent {
            procs: Procs::new(2).unwrap(),
            rounds: 1,
            division: Division::segments(Bytes(5), Bytes(3)),
            blocks: counts,
            longest_message: 1,
        };
        Blocks::new(&extent, lengths)
    }

    #[test]
    fn blocks_do_not_overlap() {
        let mut blocks = blocks(None);
        assert_eq!(blocks.bytes(), 23);
        let (inputs, outputs) = ((0..4).map(Slot::Input), (0..4).map(Slot::Output));
        let all = inputs.chain(outputs).chain([Slot::Scratch(0)]);
        for (slot, value) in all.zip(1..) {
            let place = blocks.place(slot);
            blocks.memory[place].fill(value);
        }
        let copy = blocks.transfer(schedule::Copy {
            from: Slot::Input(2),
            to: Slot::Output(0),
        });
        // SAFETY: made for these blocks, which nothing else uses.
        unsafe { copy.run(blocks.memory()) };
        assert_eq!(blocks.input_piece(0), [1, 1, 1, 2, 2]);
        assert_eq!(blocks.output_piece(0), [3, 3, 3, 6, 6]);
        assert_eq!(blocks.output_piece(1), [7, 7, 7, 8, 8]);
        assert_eq!(blocks.memory[20..], [9, 9, 9]);
        let (input, output) = blocks.arrays();
        assert_eq!(output.addr() - input.addr(), 10);
    }

    /// Of 5 bytes for both ranks, 2 for this one and 4 for the other; it gets 0 and 5.
    #[test]
    fn shorter_pieces_fill_the_begin_of_their_place() {
        use Slot::{Input, Output};
        let lengths = Lengths {
            input: [2, 4].map(Bytes).into(),
            output: [0, 5].map(Bytes).into(),
        };
        let mut blocks = blocks(Some(lengths));
        assert_eq!(blocks.bytes(), 23);
        let inputs = [0..2, 3..3, 5..8, 8..9];
        assert_eq!([0, 1, 2, 3].map(|block| blocks.place(Input(block))), inputs);
        let outputs = [10..10, 13..13, 15..18, 18..20];
        assert_eq!(
            [0, 1, 2, 3].map(|block| blocks.place(Output(block))),
            outputs
        );
        assert_eq!(blocks.input_piece(1).len(), 4);
        assert_eq!(
            (blocks.output_piece(0).len(), blocks.output_piece(1).len()),
            (0, 5)
        );
        assert!(!blocks.is_sent(&[Input(1)]) && blocks.is_sent(&[Input(0)]));
        assert!(blocks.is_sent(&[]), "a signal");
    }

    #[test]
    fn only_blocks_in_ascending_order_are_in_a_row() {
        use Slot::{Input, Output, Scratch};
        let blocks = blocks(None);
        assert_eq!(blocks.in_a_row(&[]), Some(0..0));
        assert_eq!(blocks.in_a_row(&[Input(1)]), Some(3..5));
        let row = [Output(2), Output(3), Scratch(0)];
        assert_eq!(blocks.in_a_row(&row), Some(15..23));
        assert_eq!(blocks.in_a_row(&[Output(1), Output(0)]), None);
        assert_eq!(blocks.in_a_row(&[Input(0), Output(0)]), None);
    }
}
