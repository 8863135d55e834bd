//! Arrival of the last message in a tree with root 0.
//!
//! # Method
//! A subtree is identified by its level and its number of ranks. In a k-nomial tree it has k^level ranks, less the
//! ranks beyond the last one. Each level has at most one incomplete subtree, so that O(k·log² n) subtrees are
//! computed. netsig's binary tree is filled level by level. That of Open MPI deals the ranks of a level to both sides
//! in turn; up to 3000 ranks its longest path has the same number of messages.

use std::collections::HashMap;

use netsig_base::units::Procs;

use super::wire::{WireTime, with_headers};

/// Form of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TreeShape {
    /// In each round a rank sends to k − 1 others, k times as far away as in the next.
    Knomial(u32),
    /// A rank sends to two others; the levels fill one after the other, from one side.
    Binary,
}

/// A tree with the size of its messages.
pub(super) struct MessageTree<'a> {
    /// Form.
    pub(super) shape: TreeShape,
    /// Bytes m.
    pub(super) size: f64,
    /// True if an edge carries a block for every rank behind it.
    pub(super) parts: bool,
    /// Time of bytes on the wire.
    pub(super) wire: &'a WireTime,
}

/// The longest of all paths.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct LongestPath {
    /// Messages that follow one another.
    pub(super) sends: u32,
    /// W in seconds.
    pub(super) serial: f64,
}

/// The subtrees computed so far, by level and number of ranks.
type KnownSubtrees = HashMap<(u32, u32), LongestPath>;

impl MessageTree<'_> {
    /// The longest path among n ranks.
    pub(super) fn longest(&self, procs: Procs) -> LongestPath {
        let levels = match self.shape {
            TreeShape::Knomial(radix) => {
                let reached = |levels: &u32| u64::from(radix).pow(*levels);
                let mut all = 0..u32::BITS;
                let is_enough = |levels: &u32| reached(levels) >= u64::from(procs.get());
                all.find(is_enough).unwrap_or(u32::BITS)
            }
            TreeShape::Binary => 0,
        };
        self.subtree(levels, procs.get(), &mut KnownSubtrees::new())
    }

    /// The longest path of a subtree, by level and number of ranks.
    fn subtree(&self, levels: u32, ranks: u32, known: &mut KnownSubtrees) -> LongestPath {
        if let Some(found) = known.get(&(levels, ranks)) {
            return *found;
        }
        let children = self.children(levels, ranks);
        let paths = children
            .iter()
            .map(|((level, behind), _)| self.subtree(*level, *behind, known));
        let paths_below: Vec<LongestPath> = paths.collect();
        let mut found = LongestPath::default();
        let mut sent = 0.0;
        for (sends, ((_, bytes), below)) in (1..).zip(children.iter().zip(&paths_below)) {
            sent += bytes;
            found.serial = found.serial.max(self.wire.time(sent).0 + below.serial);
            found.sends = found.sends.max(sends + below.sends);
        }
        known.insert((levels, ranks), found);
        found
    }

    /// Subtrees below the root of a subtree in the order of its messages, each with the bytes of
    /// its message.
    fn children(&self, levels: u32, ranks: u32) -> Vec<((u32, u32), f64)> {
        let subtrees: Vec<(u32, u32)> = match self.shape {
            TreeShape::Knomial(radix) => {
                let of_level = |level: u32| {
                    let whole = radix.pow(level);
                    let places = (ranks.saturating_sub(1) / whole).min(radix - 1);
                    (1..=places).map(move |place| (level, whole.min(ranks - whole * place)))
                };
                (0..levels).rev().flat_map(of_level).collect()
            }
            TreeShape::Binary => halves(ranks).map(|behind| (0, behind)).to_vec(),
        };
        let has_ranks = subtrees.into_iter().filter(|(_, behind)| *behind > 0);
        let with_bytes = has_ranks.map(|(level, behind)| {
            let blocks = if self.parts { f64::from(behind) } else { 1.0 };
            ((level, behind), with_headers(blocks * self.size, 1.0))
        });
        with_bytes.collect()
    }
}

/// Ranks of both subtrees of a binary tree that is filled level by level.
fn halves(ranks: u32) -> [u32; 2] {
    let Some(depth) = ranks.checked_ilog2().filter(|depth| *depth > 0) else {
        return [0, 0];
    };
    let above = (1u32 << depth) - 1;
    let half = 1 << (depth - 1);
    let left = half - 1 + (ranks - above).min(half);
    [left, ranks - 1 - left]
}

#[cfg(test)]
mod tests {
    use netsig_base::units::SecondsPerByte;

    use super::*;

    const WIRE: fn() -> WireTime = || WireTime::proportional(SecondsPerByte(1.0));

    fn tree(shape: TreeShape, parts: bool, wire: &WireTime) -> MessageTree<'_> {
        MessageTree {
            shape,
            size: 1.0,
            parts,
            wire,
        }
    }

    /// Blocks of one byte: the root sends the blocks of all other ranks, each message with headers, and no path is
    /// shorter.
    #[test]
    fn the_root_sends_every_block_once() {
        let wire = WIRE();
        for shape in [2, 3, 4].map(TreeShape::Knomial).into_iter().chain([TreeShape::Binary]) {
            let tree = tree(shape, true, &wire);
            for procs in (1..200).chain([1 << 20, u32::MAX]) {
                let count = Procs::new(procs).unwrap();
                let levels = (0..32).find(|level| match shape {
                    TreeShape::Knomial(radix) => u64::from(radix).pow(*level) >= u64::from(procs),
                    TreeShape::Binary => true,
                });
                let children = tree.children(levels.unwrap_or(32), procs);
                let messages: Vec<f64> = children.iter().map(|(_, bytes)| *bytes).collect();
                let headers = with_headers(0.0, messages.len() as f64);
                let sent: f64 = messages.iter().sum();
                assert!((sent - headers - f64::from(procs - 1)).abs() < 1e-6);
                assert!(tree.longest(count).serial >= sent, "{procs}");
            }
        }
    }

    /// Messages that follow one another: one for each round of a binomial tree; of a k-nomial tree up
    /// to k − 1 in each, of a binary tree up to two at each level.
    #[test]
    fn messages_follow_one_another() {
        let wire = WIRE();
        for (shape, counts) in [
            (TreeShape::Knomial(2), [0, 1, 2, 2, 3, 3, 3, 3, 4]),
            (TreeShape::Knomial(4), [0, 1, 2, 3, 4, 4, 4, 4, 5]),
            (TreeShape::Binary, [0, 1, 2, 2, 3, 3, 4, 4, 4]),
        ] {
            for (procs, sends) in (1..).zip(counts) {
                let found = tree(shape, false, &wire).longest(Procs::new(procs).unwrap());
                assert_eq!(found.sends, sends, "{shape:?} {procs}");
            }
        }
    }
}
