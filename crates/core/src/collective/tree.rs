//! The trees over which a message leaves rank 0, or reaches it.
//!
//! * Flat: every rank is a child of rank 0.
//! * Chain: rank i + 1 is the child of rank i.
//! * Binary: ranks 2i + 1 and 2i + 2 are the children of rank i.
//! * k-nomial of radix r: the parent of a rank is that rank with the lowest digit that is
//!   not zero, of its number in base r, set to zero. Radix 2 is the binomial tree. Children
//!   are served in the order of their subtrees, the largest first.

use std::ops::Range;

use crate::units::{Procs, Rank};

/// A tree over all ranks with rank 0 as its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tree {
    Flat,
    Chain,
    Binary,
    /// Of this radix, at least 2.
    Knomial(u32),
}

pub(super) const BINOMIAL: Tree = Tree::Knomial(2);

impl Tree {
    /// None for the root.
    pub(super) fn parent(self, rank: Rank) -> Option<Rank> {
        let before = rank.0.checked_sub(1)?;
        Some(Rank(match self {
            Self::Flat => 0,
            Self::Chain => before,
            Self::Binary => before / 2,
            Self::Knomial(radix) => rank.0 - below(rank.0, unit(rank.0, radix) * u64::from(radix)),
        }))
    }

    /// The children of `rank` in the order in which it serves them.
    pub(super) fn children(self, procs: Procs, rank: Rank) -> Vec<Rank> {
        let numbers = |numbers: Range<u64>| {
            let all = numbers.take_while(|&number| number < u64::from(procs.get()));
            all.map(rank_of).collect()
        };
        let number = u64::from(rank.0);
        match self {
            Self::Flat if rank.0 > 0 => Vec::new(),
            Self::Flat => numbers(1..u64::from(procs.get())),
            Self::Chain => numbers(number + 1..number + 2),
            Self::Binary => numbers(2 * number + 1..2 * number + 3),
            Self::Knomial(radix) => {
                let digits = 1..u64::from(radix);
                let of = |unit: u64| digits.clone().map(move |digit| number + digit * unit);
                let exist = |&child: &u64| child < u64::from(procs.get());
                let limit = if rank.0 == 0 {
                    u64::from(procs.get())
                } else {
                    unit(rank.0, radix)
                };
                let units: Vec<u64> = powers(radix).take_while(|&unit| unit < limit).collect();
                let children = units.into_iter().rev();
                let children = children.flat_map(|unit| of(unit).take_while(exist));
                children.map(rank_of).collect()
            }
        }
    }

    /// The round, from 0, in which `rank` gets its message if every rank first has the
    /// whole of it, and a rank of a k-nomial tree serves the children of one digit in each
    /// round. Not for the root.
    pub(super) fn arrival(self, procs: Procs, rank: Rank) -> usize {
        match self {
            Self::Flat | Self::Chain | Self::Binary => self.depth(rank) - 1,
            Self::Knomial(radix) => {
                let own = powers(radix).take_while(|&power| power < unit(rank.0, radix));
                self.rounds(procs) - 1 - own.count()
            }
        }
    }

    /// How many rounds there are until the last arrival.
    pub(super) fn rounds(self, procs: Procs) -> usize {
        match self {
            Self::Flat | Self::Chain | Self::Binary => self.height(procs),
            Self::Knomial(radix) => powers(radix)
                .take_while(|&power| power < u64::from(procs.get()))
                .count(),
        }
    }

    /// How many messages lie between the root and `rank`.
    pub(super) fn depth(self, rank: Rank) -> usize {
        match self {
            Self::Flat => usize::from(rank.0 > 0),
            Self::Chain => rank.0 as usize,
            Self::Binary => (u64::from(rank.0) + 1).ilog2() as usize,
            Self::Knomial(radix) => std::iter::successors(self.parent(rank), |&parent| {
                Self::Knomial(radix).parent(parent)
            })
            .count(),
        }
    }

    /// The largest depth.
    pub(super) fn height(self, procs: Procs) -> usize {
        let last = Rank(procs.get() - 1);
        match self {
            Self::Flat | Self::Chain | Self::Binary => self.depth(last),
            // As many digits as the last rank of 1, 11, 111, … has.
            Self::Knomial(radix) => {
                let ones = powers(radix).scan(0, |sum, power| {
                    *sum += power;
                    Some(*sum)
                });
                ones.take_while(|&ones| ones <= u64::from(last.0)).count()
            }
        }
    }

    /// The ranks that get their data by way of `child`, itself first. Not for binary trees,
    /// whose subtrees are not ranks in a row, and not for the root.
    pub(super) fn subtree(self, procs: Procs, child: Rank) -> Range<u32> {
        let end = match self {
            Self::Flat => child.0 + 1,
            Self::Chain => procs.get(),
            Self::Knomial(radix) => {
                let end = u64::from(child.0) + unit(child.0, radix);
                u32::try_from(end).map_or(procs.get(), |end| end.min(procs.get()))
            }
            Self::Binary => unreachable!("nothing is scattered over a binary tree"),
        };
        child.0..end
    }
}

/// 1, r, r², … as far as ranks go.
fn powers(radix: u32) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(1u64), move |power| power.checked_mul(radix.into()))
}

/// The weight of the lowest digit of `number` > 0 that is not zero.
fn unit(number: u32, radix: u32) -> u64 {
    let divides = |power: &u64| u64::from(number).is_multiple_of(*power);
    powers(radix)
        .take_while(divides)
        .last()
        .expect("1 divides every number")
}

/// What is left of `number` below the digit of this weight.
fn below(number: u32, weight: u64) -> u32 {
    rank_of(u64::from(number) % weight).0
}

fn rank_of(number: u64) -> Rank {
    Rank(u32::try_from(number).expect("no more than the number of a rank"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREES: [Tree; 7] = [
        Tree::Flat,
        Tree::Chain,
        Tree::Binary,
        BINOMIAL,
        Tree::Knomial(3),
        Tree::Knomial(4),
        Tree::Knomial(u32::MAX),
    ];

    fn children(tree: Tree, procs: u32, rank: u32) -> Vec<u32> {
        let procs = Procs::new(procs).unwrap();
        let children = tree.children(procs, Rank(rank));
        children.iter().map(|child| child.0).collect()
    }

    #[test]
    fn children_are_those_drawn_by_hand() {
        assert_eq!(children(BINOMIAL, 12, 0), [8, 4, 2, 1]);
        assert_eq!(children(BINOMIAL, 12, 8), [10, 9]);
        assert_eq!(children(BINOMIAL, 12, 4), [6, 5]);
        assert_eq!(children(Tree::Knomial(3), 20, 0), [9, 18, 3, 6, 1, 2]);
        assert_eq!(children(Tree::Knomial(3), 20, 9), [12, 15, 10, 11]);
        assert_eq!(children(Tree::Knomial(3), 20, 18), [19]);
        assert_eq!(children(Tree::Binary, 6, 1), [3, 4]);
        assert_eq!(children(Tree::Binary, 6, 2), [5]);
    }

    /// Walks every tree from the root and compares what was met with what the tree says.
    #[test]
    fn every_rank_is_reached_once_by_its_parent() {
        for tree in TREES {
            for count in 1..70 {
                let procs = Procs::new(count).unwrap();
                let mut met = vec![(Rank(0), 0)];
                let mut next = 0;
                while let Some(&(rank, depth)) = met.get(next) {
                    for child in tree.children(procs, rank) {
                        assert_eq!(tree.parent(child), Some(rank));
                        assert_eq!(tree.depth(child), depth + 1);
                        met.push((child, depth + 1));
                    }
                    next += 1;
                }
                let height = met.iter().map(|&(_, depth)| depth).max();
                assert_eq!(height, Some(tree.height(procs)), "{tree:?} over {procs}");
                let mut ranks: Vec<Rank> = met.into_iter().map(|(rank, _)| rank).collect();
                ranks.sort_unstable();
                assert!(ranks.into_iter().eq(procs.ranks()), "{tree:?} over {procs}");
            }
        }
    }

    #[test]
    fn a_subtree_is_a_child_with_the_subtrees_of_its_children() {
        for tree in TREES.into_iter().filter(|&tree| tree != Tree::Binary) {
            for count in 2..70 {
                let procs = Procs::new(count).unwrap();
                for child in procs.ranks().skip(1) {
                    let mut ranks = vec![child.0];
                    let below = tree.children(procs, child);
                    ranks.extend(below.into_iter().flat_map(|rank| tree.subtree(procs, rank)));
                    ranks.sort_unstable();
                    assert!(ranks.into_iter().eq(tree.subtree(procs, child)));
                }
            }
        }
    }

    #[test]
    fn the_rounds_are_the_logarithm_to_the_radix() {
        for count in 1..70 {
            let procs = Procs::new(count).unwrap();
            assert_eq!(BINOMIAL.rounds(procs), procs.ceil_log2() as usize);
            let last = procs
                .ranks()
                .skip(1)
                .map(|rank| BINOMIAL.arrival(procs, rank));
            assert_eq!(
                last.max().map_or(0, |last| last + 1),
                BINOMIAL.rounds(procs)
            );
        }
        let rounds = |procs| Tree::Knomial(4).rounds(Procs::new(procs).unwrap());
        assert_eq!([1, 2, 4, 5, 16, 17].map(rounds), [0, 1, 1, 2, 2, 3]);
    }
}
