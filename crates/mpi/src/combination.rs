//! Combinations of blocks by `MPI_Reduce_local`.
//!
//! Combinations that follow each other in a round are one call where both their operands lie next to each other in
//! memory, as whole windows of blocks do. Empty blocks are left out.

use std::os::raw::c_int;

use mpi::ffi;
use netsig_base::schedule::BlockCombination;

use crate::error::MpiError;
use crate::layout::MemoryLayout;

/// An operation on elements of a type.
#[derive(Debug, Clone, Copy)]
pub struct LocalOperation {
    /// The operation.
    pub operation: ffi::MPI_Op,
    /// Type of the elements.
    pub datatype: ffi::MPI_Datatype,
    /// Length of an element in bytes; elements lie without gaps.
    pub element: usize,
}

/// A combination of two places of the same length, which do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryCombination {
    left: usize,
    right: usize,
    size: usize,
}

impl LocalOperation {
    /// Replaces `right` by left ∘ right, both of `size` bytes.
    ///
    /// # Errors
    /// If MPI refuses it.
    ///
    /// # Safety
    /// Both addresses are memory of this process with so many whole elements, and do not overlap. No other access
    /// writes the left operand, and none reads or writes the right one, during the call.
    pub unsafe fn combine(self, left: usize, right: usize, size: usize) -> Result<(), MpiError> {
        let count = c_int::try_from(size / self.element).expect("vectors are limited to what a C int counts");
        let left = std::ptr::with_exposed_provenance(left);
        let right = std::ptr::with_exposed_provenance_mut(right);
        // SAFETY: the caller guarantees both operands.
        let code = unsafe { ffi::PMPI_Reduce_local(left, right, count, self.datatype, self.operation) };
        MpiError::check(code)
    }
}

impl MemoryCombination {
    /// The calls that carry out `combinations` in their order.
    pub fn of_round(combinations: &[BlockCombination], layout: &MemoryLayout) -> Vec<Self> {
        let mut calls: Vec<Self> = Vec::new();
        for combination in combinations {
            let (left, right) = (layout.place(combination.left), layout.place(combination.right));
            assert_eq!(left.len(), right.len(), "operands are the same part of a vector");
            let next = Self {
                left: left.start,
                right: right.start,
                size: right.len(),
            };
            match calls.last_mut() {
                _ if next.size == 0 => {}
                Some(last) if last.is_continued_by(next) => last.size += next.size,
                _ => calls.push(next),
            }
        }
        calls
    }

    /// True if one call can carry out both: the operands of the other lie behind those of this one. The left operand of
    /// both together must not overlap the right one.
    fn is_continued_by(self, other: Self) -> bool {
        let size = self.size + other.size;
        let is_behind = self.left + self.size == other.left && self.right + self.size == other.right;
        is_behind && self.left.abs_diff(self.right) >= size
    }

    /// Combines the elements.
    ///
    /// # Errors
    /// If MPI refuses it.
    ///
    /// # Safety
    /// The layout describes memory that this process may use. No other access writes the left operand, and none reads
    /// or writes the right one, during the call.
    pub unsafe fn run(self, operation: LocalOperation) -> Result<(), MpiError> {
        // SAFETY: guaranteed by the caller; the operands are two blocks of the layout, or rows of blocks apart.
        unsafe { operation.combine(self.left, self.right, self.size) }
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::schedule::{BlockCounts, BlockSlot, PieceDivision, ScheduleExtent};
    use netsig_base::units::{Bytes, Procs};

    use super::*;
    use crate::layout::PieceAddresses;

    use BlockSlot::{Buffer, Input, Output, Scratch};

    /// Six elements of 4 bytes in four blocks of 8, 8, 4 and 4 bytes at 0 and 100, scratch at 200, buffers behind it.
    fn calls(combinations: &[[BlockSlot; 2]]) -> Vec<[usize; 3]> {
        let extent = ScheduleExtent {
            procs: Procs::new(2).unwrap(),
            rounds: 1,
            division: PieceDivision::elements(Bytes(24), Bytes(4), 4, 1),
            blocks: BlockCounts {
                input: 4,
                output: 4,
                scratch: 4,
                buffers: 2,
            },
            longest_message: 4,
        };
        let [input, output] = [0, 100].map(PieceAddresses::Consecutive);
        let layout = MemoryLayout::new(&extent, input, output, 200);
        let combinations: Vec<_> = combinations
            .iter()
            .map(|&[left, right]| BlockCombination { left, right })
            .collect();
        let calls = MemoryCombination::of_round(&combinations, &layout);
        calls.iter().map(|call| [call.left, call.right, call.size]).collect()
    }

    #[test]
    fn a_window_of_blocks_is_one_call() {
        let window: Vec<_> = (1..4).map(|block| [Scratch(block), Output(block)]).collect();
        assert_eq!(calls(&window), [[208, 108, 16]]);
        let apart = [[Scratch(0), Output(0)], [Scratch(2), Output(2)]];
        assert_eq!(calls(&apart), [[200, 100, 8], [216, 116, 4]]);
        let backwards = [[Scratch(1), Output(1)], [Scratch(0), Output(0)]];
        assert_eq!(calls(&backwards).len(), 2);
        let one_side = [[Scratch(0), Output(0)], [Input(1), Output(1)]];
        assert_eq!(calls(&one_side).len(), 2);
    }

    /// The second combination reads what the first has written.
    #[test]
    fn dependent_combinations_stay_apart() {
        let chain = [[Output(2), Output(3)], [Output(3), Scratch(3)]];
        assert_eq!(calls(&chain).len(), 2);
        let shifted = [[Scratch(2), Scratch(3)], [Scratch(3), Buffer { number: 0, part: 3 }]];
        assert_eq!(calls(&shifted), [[216, 220, 4], [220, 224, 4]]);
    }

    /// Buffers are as far apart as the longest block is long.
    #[test]
    fn buffers_lie_behind_the_scratch_blocks() {
        let buffer = |number, part| Buffer { number, part };
        assert_eq!(calls(&[[buffer(0, 2), Output(2)]]), [[224, 116, 4]]);
        assert_eq!(calls(&[[Output(1), buffer(1, 1)]]), [[108, 232, 8]]);
    }
}
