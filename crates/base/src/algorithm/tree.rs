//! Trees over which a message travels from rank 0 or to it.
//!
//! * Flat: every rank is a child of rank 0.
//! * Chain: rank i + 1 is the child of rank i.
//! * Binary: ranks 2i + 1 and 2i + 2 are the children of rank i.
//! * k-nomial of radix r: the parent of a rank has the same number in base r with the lowest
//!   digit other than zero set to zero. Radix 2 is the binomial tree. Children are served in
//!   the order of their subtrees, the largest first.

use std::ops::Range;

use crate::units::{Procs, Rank};

/// A tree over all ranks with rank 0 as its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RankTree {
    Flat,
    Chain,
    Binary,
    /// Radix, at least 2.
    Knomial(u32),
}

pub(super) const BINOMIAL: RankTree = RankTree::Knomial(2);

impl RankTree {
    /// Parent of `rank`; `None` for the root.
    pub(super) fn parent(self, rank: Rank) -> Option<Rank> {
        let before = rank.0.checked_sub(1)?;
        Some(Rank(match self {
            Self::Flat => 0,
            Self::Chain => before,
            Self::Binary => before / 2,
            Self::Knomial(radix) => {
                rank.0 - remainder_below(rank.0, lowest_digit_weight(rank.0, radix) * u64::from(radix))
            }
        }))
    }

    /// Children of `rank` in the order of service.
    pub(super) fn children(self, procs: Procs, rank: Rank) -> impl Iterator<Item = Rank> {
        let rounds = self.serving_rounds(procs, rank);
        rounds.flat_map(move |index| self.children_in(procs, rank, index))
    }

    /// Children that `rank` serves in round `index`, in their order.
    ///
    /// Rounds count from 0. A rank starts to serve when it has its whole message. It serves all
    /// children in one round, in a k-nomial tree the children of one digit per round.
    pub(super) fn children_in(self, procs: Procs, rank: Rank, index: usize) -> impl Iterator<Item = Rank> {
        let number = u64::from(rank.0);
        let (first, step, most) = match self {
            _ if !self.serving_rounds(procs, rank).contains(&index) => (number, 1, 0),
            Self::Flat => (1, 1, u32::MAX),
            Self::Chain => (number + 1, 1, 1),
            Self::Binary => (2 * number + 1, 1, 2),
            Self::Knomial(radix) => {
                let unit = power(radix, self.rounds(procs) - 1 - index);
                (number + unit, unit, radix - 1)
            }
        };
        let all = (0..most).map(move |place| first + step * u64::from(place));
        all.take_while(move |&child| child < u64::from(procs.get()))
            .map(rank_of)
    }

    /// Parent of `rank`, if the parent's message arrives in round `index`.
    pub(super) fn parent_in(self, procs: Procs, rank: Rank, index: usize) -> Option<Rank> {
        let parent = self.parent(rank)?;
        (self.ready_round(procs, rank) == index + 1).then_some(parent)
    }

    /// Rounds in which `rank` receives its message or serves a child.
    pub(super) fn active_rounds(self, procs: Procs, rank: Rank) -> Range<usize> {
        let serving = self.serving_rounds(procs, rank);
        serving.start.saturating_sub(1)..serving.end
    }

    /// Rounds in which `rank` serves a child.
    pub(super) fn serving_rounds(self, procs: Procs, rank: Rank) -> Range<usize> {
        let ready = self.ready_round(procs, rank);
        let (nearest_child, end) = match self {
            Self::Flat | Self::Knomial(_) => (u64::from(rank.0) + 1, self.rounds(procs)),
            Self::Chain => (u64::from(rank.0) + 1, ready + 1),
            Self::Binary => (2 * u64::from(rank.0) + 1, ready + 1),
        };
        if nearest_child < u64::from(procs.get()) {
            ready..end
        } else {
            ready..ready
        }
    }

    /// First round at whose start `rank` has its message.
    fn ready_round(self, procs: Procs, rank: Rank) -> usize {
        match self {
            Self::Knomial(_) if rank.0 == 0 => 0,
            Self::Knomial(radix) => self.rounds(procs) - zeros(rank.0, radix),
            Self::Flat | Self::Chain | Self::Binary => self.depth(rank),
        }
    }

    /// Number of rounds until the last arrival.
    pub(super) fn rounds(self, procs: Procs) -> usize {
        match self {
            Self::Flat | Self::Chain | Self::Binary => self.height(procs),
            Self::Knomial(2) => procs.ceil_log2() as usize,
            Self::Knomial(radix) => powers(radix)
                .take_while(|&power| power < u64::from(procs.get()))
                .count(),
        }
    }

    /// Number of messages between the root and `rank`.
    pub(super) fn depth(self, rank: Rank) -> usize {
        match self {
            Self::Flat => usize::from(rank.0 > 0),
            Self::Chain => rank.0 as usize,
            Self::Binary => (u64::from(rank.0) + 1).ilog2() as usize,
            Self::Knomial(2) => rank.0.count_ones() as usize,
            Self::Knomial(radix) => {
                std::iter::successors(self.parent(rank), |&parent| Self::Knomial(radix).parent(parent)).count()
            }
        }
    }

    /// Largest depth of a rank.
    pub(super) fn height(self, procs: Procs) -> usize {
        let last = Rank(procs.get() - 1);
        match self {
            Self::Flat | Self::Chain | Self::Binary => self.depth(last),
            // Number of the values 1, 11, 111, … in base r that do not exceed the last rank.
            Self::Knomial(radix) => {
                let ones = powers(radix).scan(0, |sum, power| {
                    *sum += power;
                    Some(*sum)
                });
                ones.take_while(|&ones| ones <= u64::from(last.0)).count()
            }
        }
    }

    /// Size of the largest subtree of a child of the root, or 1 without children. Not for binary
    /// trees.
    pub(super) fn largest_subtree(self, procs: Procs) -> u32 {
        // The subtrees of the second round are complete. Later ones are no larger.
        let children = [0, 1].map(|index| self.children_in(procs, Rank(0), index).next());
        let subtrees = children.into_iter().flatten();
        let lengths = subtrees.map(|child| self.subtree(procs, child).len());
        u32::try_from(lengths.max().unwrap_or(1)).expect("no more than ranks")
    }

    /// Ranks whose data pass `child`, itself first. Not for binary trees, whose subtrees are not
    /// consecutive ranks, and not for the root.
    pub(super) fn subtree(self, procs: Procs, child: Rank) -> Range<u32> {
        let end = match self {
            Self::Flat => child.0 + 1,
            Self::Chain => procs.get(),
            Self::Knomial(radix) => {
                let end = u64::from(child.0) + lowest_digit_weight(child.0, radix);
                u32::try_from(end).map_or(procs.get(), |end| end.min(procs.get()))
            }
            Self::Binary => unreachable!("nothing is scattered over a binary tree"),
        };
        child.0..end
    }
}

/// 1, r, r², … within 64 bits.
fn powers(radix: u32) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(1u64), move |power| power.checked_mul(radix.into()))
}

/// Weight of the digit at this place, from 0.
fn power(radix: u32, place: usize) -> u64 {
    let exponent = u32::try_from(place).expect("fewer digits than bits");
    u64::from(radix).pow(exponent)
}

/// Weight of the lowest digit of `number` > 0 that is not zero.
fn lowest_digit_weight(number: u32, radix: u32) -> u64 {
    power(radix, zeros(number, radix))
}

/// Number of trailing zero digits of `number` > 0.
fn zeros(number: u32, radix: u32) -> usize {
    if radix == 2 {
        return number.trailing_zeros() as usize;
    }
    let divides = |power: &u64| u64::from(number).is_multiple_of(*power);
    powers(radix).skip(1).take_while(divides).count()
}

/// Remainder of `number` below the digit of this weight.
fn remainder_below(number: u32, weight: u64) -> u32 {
    rank_of(u64::from(number) % weight).0
}

fn rank_of(number: u64) -> Rank {
    Rank(u32::try_from(number).expect("no more than the number of a rank"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_those_drawn_by_hand() {
        for (tree, procs, rank, expected) in [
            (BINOMIAL, 12, 0, &[8, 4, 2, 1][..]),
            (BINOMIAL, 12, 8, &[10, 9]),
            (BINOMIAL, 12, 4, &[6, 5]),
            (RankTree::Knomial(3), 20, 0, &[9, 18, 3, 6, 1, 2]),
            (RankTree::Knomial(3), 20, 9, &[12, 15, 10, 11]),
            (RankTree::Knomial(3), 20, 18, &[19]),
            (RankTree::Binary, 6, 1, &[3, 4]),
            (RankTree::Binary, 6, 2, &[5]),
        ] {
            let children = tree.children(Procs::new(procs).unwrap(), Rank(rank));
            assert!(children.eq(expected.iter().copied().map(Rank)), "{tree:?} {rank}");
        }
    }
}
