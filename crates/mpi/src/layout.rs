//! Places of the blocks of a schedule in one rank's memory: the addresses of its input, output and
//! scratch blocks, and of the buffers behind these.

use std::ops::Range;

use netsig_base::schedule::{self, BlockCounts, BlockSlot, PieceDivision, ScheduleExtent};

/// Addresses of all blocks of a rank. The arrays may lie anywhere; blocks of one array do not overlap.
#[derive(Debug)]
pub struct MemoryLayout {
    counts: BlockCounts,
    parts: PartPlaces,
    order: SegmentOrder,
    input: PieceAddresses,
    output: PieceAddresses,
    /// Address of the first scratch block. The buffers follow the last one, as far apart as the longest block is long.
    scratch: usize,
}

/// Where the parts of a piece lie in it.
#[derive(Debug, Clone)]
pub enum PartPlaces {
    /// As the schedule divides it.
    Divided(PieceDivision),
    /// At these bytes, with the end of the piece as the last one. A vector is cut so if the program names the lengths of its
    /// blocks.
    Given(Vec<u64>),
}

/// Order of the segments in exchanges, where pieces differ in size. All ranks have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::EnumString, strum::Display)]
#[strum(serialize_all = "kebab-case")]
pub enum SegmentOrder {
    /// The order of the schedule, which serves its partners in groups.
    #[default]
    ByGroup,
    /// The first segments of all pieces come before the second ones.
    Together,
}

/// Addresses of an array of pieces.
#[derive(Debug)]
pub enum PieceAddresses {
    /// Pieces of one size, one after the other from this address on.
    Consecutive(usize),
    /// The bytes of each piece. A piece of length l is cut like a piece of the schedule's size m, with parts ⌈l / m⌉
    /// times as long. Sender and receiver know l, and each divides an m of at least the same limit.
    Ranges(Vec<Range<usize>>),
}

/// A copy from one place to another of the same length.
#[derive(Debug, Clone, Copy)]
pub struct MemoryCopy {
    from: usize,
    to: usize,
    size: usize,
}

impl PartPlaces {
    /// Distance in bytes from the first block of an array to block `index`.
    fn offset(&self, index: u32) -> u64 {
        match self {
            Self::Divided(division) => division.offset(index),
            Self::Given(starts) => {
                let (piece, part) = (index as usize / self.parts(), index as usize % self.parts());
                piece as u64 * starts[self.parts()] + starts[part]
            }
        }
    }

    /// Length of block `index` of an array.
    fn bytes(&self, index: u32) -> u64 {
        match self {
            Self::Divided(division) => division.bytes(index),
            Self::Given(starts) => {
                let part = index as usize % self.parts();
                starts[part + 1] - starts[part]
            }
        }
    }

    fn parts(&self) -> usize {
        match self {
            Self::Divided(division) => division.parts() as usize,
            Self::Given(starts) => starts.len() - 1,
        }
    }

    /// Distance in bytes from the first scratch block to buffer `number`.
    fn buffer_offset(&self, counts: BlockCounts, number: u32) -> u64 {
        match self {
            Self::Divided(division) => counts.buffer_offset(*division, number),
            Self::Given(starts) => {
                let longest = starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
                self.offset(counts.scratch) + u64::from(number) * longest
            }
        }
    }

    /// Size of the scratch blocks and the buffers behind them in bytes.
    pub fn relay_bytes(&self, counts: BlockCounts) -> usize {
        length(self.buffer_offset(counts, counts.buffers))
    }
}

impl MemoryCopy {
    /// Copies the bytes. If source and destination are the same place, nothing is written: a program may not write
    /// there.
    ///
    /// # Safety
    /// The layout of this transfer describes memory that this process may use. No other access
    /// writes the source, and none reads or writes the destination, during the copy.
    pub unsafe fn run(self) {
        if self.from == self.to {
            return;
        }
        let from = std::ptr::with_exposed_provenance::<u8>(self.from);
        let to = std::ptr::with_exposed_provenance_mut(self.to);
        // SAFETY: the caller guarantees both places. No reference is created, because messages may
        // access other blocks.
        unsafe { from.copy_to(to, self.size) }
    }
}

impl MemoryLayout {
    /// The layout of a schedule of this extent, with its scratch blocks and buffers from the address `scratch` on.
    pub fn new(extent: &ScheduleExtent, input: PieceAddresses, output: PieceAddresses, scratch: usize) -> Self {
        Self::with_parts(
            extent.blocks,
            PartPlaces::Divided(extent.division),
            [input, output],
            scratch,
        )
    }

    /// The layout of these blocks, with the parts of pieces at other places than the schedule's.
    pub fn with_parts(
        counts: BlockCounts,
        parts: PartPlaces,
        [input, output]: [PieceAddresses; 2],
        scratch: usize,
    ) -> Self {
        Self {
            counts,
            parts,
            order: SegmentOrder::default(),
            input,
            output,
            scratch,
        }
    }

    /// The layout for exchanges in this order.
    #[must_use]
    pub fn in_order(self, order: SegmentOrder) -> Self {
        Self { order, ..self }
    }

    /// Converts a copy of blocks to a copy of bytes.
    pub(crate) fn transfer(&self, copy: schedule::BlockCopy) -> MemoryCopy {
        let (from, to) = (self.place(copy.from), self.place(copy.to));
        assert_eq!(from.len(), to.len(), "a copy is to the same part of a piece");
        MemoryCopy {
            from: from.start,
            to: to.start,
            size: to.len(),
        }
    }

    /// True if a message of `slots` is sent: where pieces differ in size, sender and receiver leave out messages
    /// without data. A message without blocks is a signal.
    pub(crate) fn is_sent(&self, slots: &[BlockSlot]) -> bool {
        let may_differ = |slot: &BlockSlot| match slot {
            BlockSlot::Input(_) => matches!(self.input, PieceAddresses::Ranges(_)),
            BlockSlot::Output(_) => matches!(self.output, PieceAddresses::Ranges(_)),
            BlockSlot::Scratch(_) | BlockSlot::Buffer { .. } => false,
        };
        let is_empty = |slot: &BlockSlot| may_differ(slot) && self.place(*slot).is_empty();
        slots.is_empty() || !slots.iter().all(is_empty)
    }

    /// Order of the segments.
    pub(crate) fn order(&self) -> SegmentOrder {
        self.order
    }

    /// Rank of the exchange of a block among the exchanges of a round; those of one rank keep the order of the schedule.
    pub(crate) fn exchange_rank(&self, slot: BlockSlot) -> usize {
        match self.order {
            SegmentOrder::ByGroup => 0,
            SegmentOrder::Together => slot.index() as usize % self.parts.parts(),
        }
    }

    /// Addresses of a block.
    pub fn place(&self, slot: BlockSlot) -> Range<usize> {
        let index = slot.index();
        self.counts.place(slot).expect("a rank has the block");
        let pieces = match slot {
            BlockSlot::Input(_) => &self.input,
            BlockSlot::Output(_) => &self.output,
            BlockSlot::Scratch(_) => &PieceAddresses::Consecutive(self.scratch),
            BlockSlot::Buffer { number, part } => {
                let start = self.scratch + length(self.parts.buffer_offset(self.counts, number));
                return start..start + length(self.parts.bytes(part));
            }
        };
        let (start, bytes) = match pieces {
            PieceAddresses::Consecutive(start) => (start + length(self.parts.offset(index)), self.parts.bytes(index)),
            PieceAddresses::Ranges(pieces) => {
                let PartPlaces::Divided(division) = &self.parts else {
                    panic!("pieces that differ in size are divided by the schedule");
                };
                let parts = division.parts();
                let piece = &pieces[(index / parts) as usize];
                let size = piece.len() as u64;
                let times = size.div_ceil(division.size().0.max(1));
                let place = |offset: u64| offset.saturating_mul(times).min(size);
                let start = division.offset(index % parts);
                let end = place(start + division.bytes(index % parts));
                (piece.start + length(place(start)), end - place(start))
            }
        };
        start..start + length(bytes)
    }

    /// Addresses of all `slots`, if each begins at the end of the one before.
    pub(crate) fn contiguous(&self, slots: &[BlockSlot]) -> Option<Range<usize>> {
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
    fn layout(input: PieceAddresses, output: PieceAddresses) -> MemoryLayout {
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
        MemoryLayout::new(&extent, input, output, 20)
    }

    #[test]
    fn blocks_lie_in_their_arrays() {
        use BlockSlot::{Input, Output, Scratch};
        let layout = layout(PieceAddresses::Consecutive(0), PieceAddresses::Consecutive(10));
        let input = [0..3, 3..5, 5..8, 8..10];
        assert_eq!([0, 1, 2, 3].map(|block| layout.place(Input(block))), input);
        assert_eq!(layout.place(Output(2)), 15..18);
        assert_eq!(layout.place(Scratch(0)), 20..23);
        assert!(layout.is_sent(&[Input(0)]) && layout.is_sent(&[]));
    }

    /// With m = 5, this rank sends 2 bytes to itself and 4 to the other rank; it receives 0 and 5, in any place.
    #[test]
    fn shorter_pieces_are_cut_into_the_same_parts() {
        use BlockSlot::{Input, Output};
        let layout = layout(
            PieceAddresses::Ranges(vec![100..102, 205..209]),
            PieceAddresses::Ranges(vec![70..70, 30..35]),
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

    /// A vector of 9 bytes in blocks of 2, 0 and 7, with scratch for two vectors and a buffer behind it.
    #[test]
    fn the_parts_of_a_vector_may_lie_anywhere() {
        use BlockSlot::{Buffer, Input, Scratch};
        let counts = BlockCounts {
            input: 3,
            output: 3,
            scratch: 6,
            buffers: 1,
        };
        let parts = PartPlaces::Given(vec![0, 2, 2, 9]);
        assert_eq!(parts.relay_bytes(counts), 25);
        let arrays = [0, 100].map(PieceAddresses::Consecutive);
        let layout = MemoryLayout::with_parts(counts, parts, arrays, 200);
        let slots = [
            Input(1),
            Input(2),
            Scratch(3),
            Scratch(5),
            Buffer { number: 0, part: 0 },
        ];
        let places = slots.map(|slot| layout.place(slot));
        assert_eq!(places, [2..2, 2..9, 209..211, 211..218, 218..220]);
    }

    #[test]
    fn the_parts_of_longer_pieces_are_longer() {
        let layout = layout(
            PieceAddresses::Ranges(vec![100..105, 200..211]),
            PieceAddresses::Consecutive(0),
        );
        let inputs = [0, 1, 2, 3].map(|block| layout.place(BlockSlot::Input(block)));
        assert_eq!(inputs, [100..103, 103..105, 200..209, 209..211]);
    }

    #[test]
    fn only_blocks_in_ascending_order_are_in_a_row() {
        use BlockSlot::{Input, Output, Scratch};
        let layout = layout(PieceAddresses::Consecutive(0), PieceAddresses::Consecutive(10));
        assert_eq!(layout.contiguous(&[]), Some(0..0));
        assert_eq!(layout.contiguous(&[Input(1)]), Some(3..5));
        let row = [Output(2), Output(3), Scratch(0)];
        assert_eq!(layout.contiguous(&row), Some(15..23));
        assert_eq!(layout.contiguous(&[Output(1), Output(0)]), None);
        assert_eq!(layout.contiguous(&[Input(0), Output(0)]), None);
    }

    #[test]
    fn a_transfer_copies_a_block() {
        let mut memory: Vec<u8> = (0..23).collect();
        let base = memory.as_mut_ptr().expose_provenance();
        let layout = layout(
            PieceAddresses::Consecutive(base),
            PieceAddresses::Consecutive(base + 10),
        );
        let copy = layout.transfer(schedule::BlockCopy {
            from: BlockSlot::Input(2),
            to: BlockSlot::Output(0),
        });
        // SAFETY: the layout is that of the memory, which nothing else uses.
        unsafe { copy.run() };
        assert_eq!(memory[10..14], [5, 6, 7, 13]);
    }
}
