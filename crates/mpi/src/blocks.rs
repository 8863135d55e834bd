//! One rank's memory for the operations of a plan: its input, output and scratch blocks and its buffers, one array
//! after another.

use std::ops::Range;

use netsig_base::algorithm::PairSizes;
use netsig_base::schedule::ScheduleExtent;
use netsig_base::units::{Bytes, Procs, Rank};
use netsig_mpi::{MemoryLayout, PieceAddresses, SegmentOrder};

/// Address of which the first block begins at a multiple, in bytes: a cache line. Elements are then aligned in all
/// arrays, since these consist of whole elements.
const ALIGNMENT: usize = 64;

/// Consecutive arrays in one allocation. Pieces that differ in size lie as far apart as if all had the largest size.
pub struct RankBlocks {
    memory: Vec<u8>,
    /// Offset of the first block in the memory.
    start: usize,
    extent: ScheduleExtent,
    lengths: Option<PieceLengths>,
}

/// Lengths of the pieces of one rank, where pieces differ in size.
pub struct PieceLengths {
    /// By receiver.
    pub input: Vec<Bytes>,
    /// By sender.
    pub output: Vec<Bytes>,
    /// Order of their segments.
    pub order: SegmentOrder,
}

impl PieceLengths {
    /// Lengths of the pieces of `rank`.
    pub fn of(pairs: &PairSizes, rank: Rank) -> Self {
        let ranks = || pairs.procs().ranks();
        Self {
            input: ranks().map(|to| pairs.get(rank, to)).collect(),
            output: ranks().map(|from| pairs.get(from, rank)).collect(),
            order: if pairs.is_sparse() {
                SegmentOrder::Together
            } else {
                SegmentOrder::ByGroup
            },
        }
    }
}

impl RankBlocks {
    /// Allocates the blocks of a schedule or of an MPI call; `lengths` is given where pieces differ in size.
    pub fn new(extent: &ScheduleExtent, lengths: Option<PieceLengths>) -> Self {
        let memory = vec![0u8; length(extent.blocks.bytes(extent.division)) + ALIGNMENT];
        let start = memory.as_ptr().addr().wrapping_neg() % ALIGNMENT;
        Self {
            memory,
            start,
            extent: *extent,
            lengths,
        }
    }

    /// Addresses of the blocks, which stay valid as long as these blocks exist.
    pub fn layout(&mut self) -> MemoryLayout {
        let base = self.memory.as_mut_ptr().expose_provenance();
        let pieces = |start: usize, lengths: Option<&Vec<Bytes>>| match lengths {
            None => PieceAddresses::Consecutive(base + start),
            Some(lengths) => {
                let starts = (base + start..).step_by(self.piece_bytes().max(1));
                let places = starts.zip(lengths);
                PieceAddresses::Ranges(places.map(|(at, size)| at..at + length(size.0)).collect())
            }
        };
        let lengths = self.lengths.as_ref();
        MemoryLayout::new(
            &self.extent,
            pieces(self.start, lengths.map(|piece_lengths| &piece_lengths.input)),
            pieces(self.output_start(), lengths.map(|piece_lengths| &piece_lengths.output)),
            base + self.scratch_start(),
        )
        .in_order(lengths.map(|piece_lengths| piece_lengths.order).unwrap_or_default())
    }

    /// The bytes of a whole input piece, to be written.
    pub fn input_piece(&mut self, number: u32) -> &mut [u8] {
        let lengths = self.lengths.as_ref().map(|piece_lengths| &piece_lengths.input);
        let piece = self.piece(self.start, number, lengths);
        &mut self.memory[piece]
    }

    /// The bytes of a whole output piece.
    pub fn output_piece(&self, number: u32) -> &[u8] {
        &self.memory[self.output_range(number)]
    }

    /// The bytes of a whole output piece, to be written.
    pub fn output_piece_mut(&mut self, number: u32) -> &mut [u8] {
        let piece = self.output_range(number);
        &mut self.memory[piece]
    }

    /// Addresses of the input array and of the output array.
    pub fn arrays(&mut self) -> (*mut u8, *mut u8) {
        let (input, output) = (self.start, self.output_start());
        let memory = self.memory.as_mut_ptr();
        (memory.wrapping_add(input), memory.wrapping_add(output))
    }

    /// Distance in bytes from the start of one piece to the next: the length of the largest piece.
    pub fn piece_bytes(&self) -> usize {
        length(self.extent.division.size().0)
    }

    /// Lengths of the input pieces and of the output pieces, one for each of `procs` ranks.
    pub fn piece_lengths(&self, procs: Procs) -> [Vec<usize>; 2] {
        let lengths = self.lengths.as_ref();
        let arrays = [
            lengths.map(|piece_lengths| &piece_lengths.input),
            lengths.map(|piece_lengths| &piece_lengths.output),
        ];
        arrays.map(|lengths| match lengths {
            Some(lengths) => lengths.iter().map(|size| length(size.0)).collect(),
            None => vec![self.piece_bytes(); procs.get() as usize],
        })
    }

    fn output_range(&self, number: u32) -> Range<usize> {
        let lengths = self.lengths.as_ref().map(|piece_lengths| &piece_lengths.output);
        self.piece(self.output_start(), number, lengths)
    }

    /// Range of a piece of the array that begins at `start`.
    fn piece(&self, start: usize, number: u32, lengths: Option<&Vec<Bytes>>) -> Range<usize> {
        let piece_start = start + number as usize * self.piece_bytes();
        let piece_length = lengths.and_then(|lengths| lengths.get(number as usize));
        piece_start..piece_start + piece_length.map_or(self.piece_bytes(), |size| length(size.0))
    }

    /// Offset of the output array. The input and output arrays consist of whole pieces.
    fn output_start(&self) -> usize {
        self.start + length(self.extent.division.offset(self.extent.blocks.input))
    }

    fn scratch_start(&self) -> usize {
        self.output_start() + length(self.extent.division.offset(self.extent.blocks.output))
    }
}

fn length(bytes: u64) -> usize {
    usize::try_from(bytes).expect("plans limit memory to what can be addressed")
}

#[cfg(test)]
mod tests {
    use netsig_base::schedule::{BlockCounts, BlockSlot, PieceDivision};

    use super::*;

    /// Two pieces of 5 bytes in and out, in parts of 3 and 2 bytes, and a part on its way. With m = 5, this rank sends
    /// 2 bytes to itself and 4 to the other rank; it receives 0 and 5.
    #[test]
    fn the_layout_is_that_of_the_pieces() {
        let extent = ScheduleExtent {
            procs: Procs::new(2).unwrap(),
            rounds: 1,
            division: PieceDivision::segments(Bytes(5), Bytes(3)),
            blocks: BlockCounts {
                input: 4,
                output: 4,
                scratch: 1,
                buffers: 0,
            },
            longest_message: 1,
        };
        for differ in [false, true] {
            let lengths = differ.then(|| PieceLengths {
                input: [2, 4].map(Bytes).into(),
                output: [0, 5].map(Bytes).into(),
                order: SegmentOrder::default(),
            });
            let mut blocks = RankBlocks::new(&extent, lengths);
            let layout = blocks.layout();
            let (input, output) = blocks.arrays();
            assert_eq!(output.addr() - input.addr(), 10);
            let scratch = layout.place(BlockSlot::Scratch(0)).start - input.addr();
            assert_eq!((scratch, blocks.memory.len()), (20, 23 + ALIGNMENT));
            assert_eq!(input.addr() % ALIGNMENT, 0);
            let second = layout.place(BlockSlot::Input(2)).start;
            assert_eq!(blocks.input_piece(1).as_ptr().addr(), second);
            assert_eq!(blocks.input_piece(1).len(), if differ { 4 } else { 5 });
            assert_eq!(blocks.output_piece(0).len(), if differ { 0 } else { 5 });
            let expected = layout.place(BlockSlot::Output(2)).start;
            assert_eq!(blocks.output_piece_mut(1).as_ptr().addr(), expected);
        }
    }
}
