//! The ranks of an algorithm in steps of powers of two, after the fold.

use std::ops::Range;

use crate::units::{Procs, Rank};

/// Ranks 0 … 2r−1 in pairs, of which one takes part in the steps, and all others.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoldedRanks {
    procs: Procs,
    kept: KeptRank,
}

/// The rank of a pair that takes part in the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptRank {
    Even,
    Odd,
}

/// Part of a rank in an algorithm with folded ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoldRole {
    /// It takes part in the steps under this number.
    Number(u32),
    /// It waits for its partner's result.
    Waiting,
}

impl FoldedRanks {
    pub(super) fn new(procs: Procs, kept: KeptRank) -> Self {
        Self { procs, kept }
    }

    /// Number of steps ℓ.
    pub(super) fn steps(self) -> u32 {
        self.procs.floor_log2()
    }

    /// Step of round `index`, from 0; `None` for the round of the fold.
    pub(super) fn step(self, index: usize) -> Option<u32> {
        let step = index.checked_sub(self.folds())?;
        Some(u32::try_from(step).expect("fewer steps than bits"))
    }

    /// Q.
    pub(super) fn power(self) -> u32 {
        1 << self.steps()
    }

    /// Number of pairs r.
    pub(super) fn pairs(self) -> u32 {
        self.procs.get() - self.power()
    }

    /// f: 1 if ranks are folded, else 0.
    pub(super) fn folds(self) -> usize {
        usize::from(self.pairs() > 0)
    }

    /// The other rank of a pair.
    pub(super) fn twin(self, rank: Rank) -> Option<Rank> {
        (rank.0 < 2 * self.pairs()).then_some(Rank(rank.0 ^ 1))
    }

    pub(super) fn role(self, rank: Rank) -> FoldRole {
        let is_even = rank.0.is_multiple_of(2);
        match self.twin(rank) {
            None => FoldRole::Number(rank.0 - self.pairs()),
            Some(_) if is_even == (self.kept == KeptRank::Even) => FoldRole::Number(rank.0 / 2),
            Some(_) => FoldRole::Waiting,
        }
    }

    /// The rank with this number.
    pub(super) fn rank(self, number: u32) -> Rank {
        let pairs = self.pairs();
        match self.kept {
            _ if number >= pairs => Rank(number + pairs),
            KeptRank::Even => Rank(2 * number),
            KeptRank::Odd => Rank(2 * number + 1),
        }
    }

    /// Blocks of the ranks with the numbers in `numbers`, if each rank has one block; a pair has two.
    pub(super) fn blocks(self, numbers: Range<u32>) -> Range<u32> {
        let start = |number: u32| number + number.min(self.pairs());
        start(numbers.start)..start(numbers.end)
    }
}

/// Window of `number` after `steps` halvings of `parts`, a power of two: in step k the lower one of `number` and
/// `number` xor 2^k keeps the lower half.
pub(super) fn nearest_first_window(parts: u32, number: u32, steps: u32) -> Range<u32> {
    let start = (0..steps)
        .map(|step| (number >> step & 1) * (parts >> (step + 1)))
        .sum();
    start..start + (parts >> steps)
}

/// Window of `number` of 2^`levels` after `steps` halvings in which the farthest partners come first.
pub(super) fn farthest_first_window(levels: u32, number: u32, steps: u32) -> Range<u32> {
    let length = 1 << (levels - steps);
    let start = number & !(length - 1);
    start..start + length
}
