//! One rank's memory for schedules: input blocks, then output blocks, all of one size.

use std::ops::Range;

use netsig_core::schedule::{Copy, Slot};

/// Equal blocks in one piece of memory.
pub struct Blocks {
    size: usize,
    count: usize,
    memory: Vec<u8>,
}

impl Blocks {
    /// `count` input and `count` output blocks of `size` bytes.
    pub fn new(count: usize, size: usize) -> Self {
        Self {
            size,
            count,
            memory: vec![0; 2 * count * size],
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
        let (input, output) = self.memory.split_at_mut(self.count * self.size);
        (input, output)
    }

    /// Carries out a local copy.
    pub fn copy(&mut self, copy: Copy) {
        let (source, target) = (self.place(copy.from), self.place(copy.to).start);
        self.memory.copy_within(source, target);
    }

    fn place(&self, slot: Slot) -> Range<usize> {
        let (Slot::Input(index) | Slot::Output(index)) = slot;
        let index = index as usize;
        assert!(index < self.count, "{slot:?} of {} blocks", self.count);
        let start = match slot {
            Slot::Input(_) => index * self.size,
            Slot::Output(_) => (self.count + index) * self.size,
        };
        start..start + self.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_overlap() {
        let mut blocks = Blocks::new(2, 3);
        for (slot, value) in [
            (Slot::Input(0), 1),
            (Slot::Input(1), 2),
            (Slot::Output(0), 3),
            (Slot::Output(1), 4),
        ] {
            blocks.block_mut(slot).fill(value);
        }
        blocks.copy(Copy {
            from: Slot::Input(1),
            to: Slot::Output(0),
        });
        let (input, output) = blocks.arrays();
        assert_eq!(
            (input, &*output),
            (&[1, 1, 1, 2, 2, 2][..], &[2, 2, 2, 4, 4, 4][..])
        );
    }
}
