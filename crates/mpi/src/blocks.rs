//! One rank's memory for schedules: input, output and scratch blocks, all of one size.

use std::ops::Range;

use netsig_core::schedule::{BlockCounts, Copy, Slot};

/// Equal blocks in one piece of memory.
pub struct Blocks {
    size: usize,
    counts: BlockCounts,
    memory: Vec<u8>,
}

impl Blocks {
    /// So many blocks of `size` bytes.
    pub fn new(counts: BlockCounts, size: usize) -> Self {
        let count = counts.input as usize + counts.output as usize + counts.scratch as usize;
        Self {
            size,
            counts,
            memory: vec![0; count * size],
        }
    }

    /// The bytes of one block.
    pub fn block(&self, slot: Slot) -> &[u8] {
        &self.memory[self.place(slot)]
    }

    /// The bytes of one block, to be written.
    pub fn block_mut(&mut self, slot: Slot) -> &mut [u8] {
        let place = self.place(slot);
        &mut self.memory[place]
    }

    /// All input blocks, and all output blocks to be written.
    pub fn arrays(&mut self) -> (&[u8], &mut [u8]) {
        let output = self.counts.output as usize * self.size;
        let (input, rest) = self
            .memory
            .split_at_mut(self.counts.input as usize * self.size);
        (input, &mut rest[..output])
    }

    /// Carries out a local copy.
    pub fn copy(&mut self, copy: Copy) {
        let (source, target) = (self.place(copy.from), self.place(copy.to));
        let memory = self.memory.as_mut_ptr();
        // SAFETY: both places are `size` bytes inside the memory. No reference to the
        // memory is made here: messages may be reading and writing its other blocks.
        unsafe {
            memory
                .add(source.start)
                .copy_to(memory.add(target.start), self.size);
        }
    }

    /// The first byte of all blocks.
    pub fn memory(&mut self) -> *mut u8 {
        self.memory.as_mut_ptr()
    }

    /// The length of the memory.
    pub fn bytes(&self) -> usize {
        self.memory.len()
    }

    /// The bytes of every block.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Where a block lies in the memory.
    pub fn place(&self, slot: Slot) -> Range<usize> {
        let BlockCounts {
            input,
            output,
            scratch,
        } = self.counts;
        let (index, count, before) = match slot {
            Slot::Input(index) => (index, input, 0),
            Slot::Output(index) => (index, output, input as usize),
            Slot::Scratch(index) => (index, scratch, input as usize + output as usize),
        };
        assert!(index < count, "{slot:?} of {count} blocks");
        let start = (before + index as usize) * self.size;
        start..start + self.size
    }

    /// Where all of `slots` lie, if each begins where the one before ends.
    pub fn piece(&self, slots: &[Slot]) -> Option<Range<usize>> {
        let mut places = slots.iter().map(|&slot| self.place(slot));
        let first = places.next().unwrap_or(0..0);
        places.try_fold(first, |piece, next| {
            (piece.end == next.start).then_some(piece.start..next.end)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks() -> Blocks {
        let counts = BlockCounts {
            input: 2,
            output: 2,
            scratch: 1,
        };
        Blocks::new(counts, 3)
    }

    #[test]
    fn blocks_do_not_overlap() {
        let mut blocks = blocks();
        for (slot, value) in [
            (Slot::Input(0), 1),
            (Slot::Input(1), 2),
            (Slot::Output(0), 3),
            (Slot::Output(1), 4),
            (Slot::Scratch(0), 5),
        ] {
            blocks.block_mut(slot).fill(value);
        }
        blocks.copy(Copy {
            from: Slot::Input(1),
            to: Slot::Output(0),
        });
        assert_eq!(blocks.block(Slot::Scratch(0)), [5, 5, 5]);
        let (input, output) = blocks.arrays();
        assert_eq!(
            (input, &*output),
            (&[1, 1, 1, 2, 2, 2][..], &[2, 2, 2, 4, 4, 4][..])
        );
    }

    #[test]
    fn only_blocks_in_ascending_order_are_one_piece() {
        use Slot::{Input, Output, Scratch};
        let blocks = blocks();
        assert_eq!(blocks.piece(&[]), Some(0..0));
        assert_eq!(blocks.piece(&[Input(1)]), Some(3..6));
        assert_eq!(
            blocks.piece(&[Output(0), Output(1), Scratch(0)]),
            Some(6..15)
        );
        assert_eq!(blocks.piece(&[Output(1), Output(0)]), None);
        assert_eq!(blocks.piece(&[Input(0), Output(0)]), None);
    }
}
