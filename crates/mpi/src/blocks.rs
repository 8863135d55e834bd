//! One rank's memory for schedules: input, output and scratch blocks, all of one size.

use std::ops::Range;

use netsig_core::schedule::{self, BlockCounts, Slot};

/// Equal blocks in one piece of memory.
pub struct Blocks {
    size: usize,
    counts: BlockCounts,
    memory: Vec<u8>,
}

/// A copy from one place in the memory of [`Blocks`] to another.
#[derive(Clone, Copy)]
pub struct Transfer {
    from: usize,
    to: usize,
    size: usize,
}

impl Transfer {
    /// Carries it out.
    ///
    /// # Safety
    /// `memory` is that of blocks of as many bytes as those this was made for. Nothing
    /// else writes the block that is read or touches the one that is written.
    pub unsafe fn run(self, memory: *mut u8) {
        // SAFETY: both places are inside the memory, for whose use the caller vouches. No
        // reference to it is made: messages may be reading and writing its other blocks.
        unsafe {
            memory
                .add(self.from)
                .copy_to(memory.add(self.to), self.size);
        }
    }
}

impl Blocks {
    /// So many blocks of `size` bytes.
    pub fn new(counts: BlockCounts, size: usize) -> Self {
        Self {
            size,
            counts,
            memory: vec![0; counts.total() * size],
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

    /// A local copy as bytes.
    pub fn transfer(&self, copy: schedule::Copy) -> Transfer {
        Transfer {
            from: self.place(copy.from).start,
            to: self.place(copy.to).start,
            size: self.size,
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
        let start = self.counts.place(slot).expect("a rank has the block") * self.size;
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
        let copy = blocks.transfer(schedule::Copy {
            from: Slot::Input(1),
            to: Slot::Output(0),
        });
        // SAFETY: made for these blocks, which nothing else uses.
        unsafe { copy.run(blocks.memory()) };
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
