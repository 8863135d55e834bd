//! Memory of a rank: arrays of blocks, and buffers for one block each.

use super::PieceDivision;

/// The place of a block in one rank's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlockSlot {
    /// Block `i` of the caller's input; never written.
    Input(u32),
    /// Block `i` of the caller's output.
    Output(u32),
    /// Block `i` of the memory for data that the rank relays.
    Scratch(u32),
    /// A buffer with room for a block of any part.
    Buffer {
        /// Number of the buffer.
        number: u32,
        /// The part that it holds.
        part: u32,
    },
}

impl BlockSlot {
    /// The number of the block in its array; of a buffer, the part that it holds.
    pub fn index(self) -> u32 {
        let (Self::Input(index) | Self::Output(index) | Self::Scratch(index) | Self::Buffer { part: index, .. }) = self;
        index
    }
}

/// Number of blocks of each kind that every rank has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockCounts {
    /// Number of input blocks.
    pub input: u32,
    /// Number of output blocks.
    pub output: u32,
    /// Number of blocks for data that the rank relays.
    pub scratch: u32,
    /// Number of buffers, each with room for the longest block.
    pub buffers: u32,
}

impl BlockCounts {
    /// Number of blocks of all kinds.
    pub fn total(&self) -> usize {
        self.input as usize + self.output as usize + self.scratch as usize + self.buffers as usize
    }

    /// Size of all blocks in bytes, if pieces are divided by `division`.
    pub fn bytes(&self, division: PieceDivision) -> u64 {
        let array_bytes = [self.input, self.output].map(|count| division.offset(count));
        let relay_bytes = self.relay_bytes(division);
        array_bytes.into_iter().fold(relay_bytes, u64::saturating_add)
    }

    /// Size of the scratch blocks and the buffers behind them in bytes.
    pub fn relay_bytes(&self, division: PieceDivision) -> u64 {
        self.buffer_offset(division, self.buffers)
    }

    /// Distance in bytes from the first scratch block to buffer `number`.
    pub fn buffer_offset(&self, division: PieceDivision, number: u32) -> u64 {
        let before = u64::from(number).saturating_mul(division.longest());
        division.offset(self.scratch).saturating_add(before)
    }

    /// Index of a block in the memory of a rank, from 0; `None` if the rank has no such block.
    pub fn place(&self, slot: BlockSlot) -> Option<usize> {
        let (index, count, before) = match slot {
            BlockSlot::Input(index) => (index, self.input, 0),
            BlockSlot::Output(index) => (index, self.output, self.input as usize),
            BlockSlot::Scratch(index) => {
                let before = self.input as usize + self.output as usize;
                (index, self.scratch, before)
            }
            BlockSlot::Buffer { number, .. } => {
                let before = self.input as usize + self.output as usize + self.scratch as usize;
                (number, self.buffers, before)
            }
        };
        (index < count).then_some(before + index as usize)
    }
}
