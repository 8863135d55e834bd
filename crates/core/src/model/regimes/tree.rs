//! Arrival of the last message in a binomial tree with root 0.
//!
//! # Method
//! A subtree is identified by its level and its number of ranks: 2^level, less those beyond the
//! last rank. Each level has at most one incomplete subtree, so that O(log² n) subtrees are
//! computed.

use std::collections::HashMap;

use super::wire::{Wire, on_link};
use crate::units::{Procs, Seconds};

/// A binomial tree with the size of its messages.
pub(super) struct Binomial<'a> {
    /// Bytes m.
    pub(super) size: f64,
    /// True if an edge carries a block for every rank behind it.
    pub(super) parts: bool,
    /// Time of bytes on the wire.
    pub(super) wire: &'a Wire,
}

/// W and W′ of the subtrees computed so far, by level and number of ranks.
type Known = HashMap<(u32, u32), [f64; 2]>;

impl Binomial<'_> {
    /// W and W′ of a tree of n ranks.
    pub(super) fn times(&self, procs: Procs) -> [Seconds; 2] {
        let mut known = Known::new();
        self.subtree((procs.ceil_log2(), procs.get()), &mut known)
            .map(Seconds)
    }

    /// W and W′ of a subtree, by level and number of ranks.
    fn subtree(&self, (levels, ranks): (u32, u32), known: &mut Known) -> [f64; 2] {
        if let Some(times) = known.get(&(levels, ranks)) {
            return *times;
        }
        let children: Vec<((u32, u32), f64)> = self.children(levels, ranks).collect();
        let below: Vec<[f64; 2]> = children
            .iter()
            .map(|(child, _)| self.subtree(*child, known))
            .collect();
        let mut times = [0.0f64; 2];
        let mut sent = 0.0;
        for ((_, bytes), [serial, _]) in children.iter().zip(&below) {
            sent += bytes;
            times[0] = times[0].max(self.wire.time(sent).0 + serial);
        }
        let mut waiting: Vec<(f64, f64)> = children
            .iter()
            .zip(&below)
            .map(|((_, bytes), [_, shared])| (*bytes, *shared))
            .collect();
        waiting.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut sent, mut smaller) = (0.0, 0.0);
        for (place, (bytes, shared)) in waiting.iter().enumerate() {
            sent += (waiting.len() - place) as f64 * (bytes - smaller);
            smaller = *bytes;
            times[1] = times[1].max(self.wire.time(sent).0 + shared);
        }
        known.insert((levels, ranks), times);
        times
    }

    /// Subtrees below the root of a subtree, the highest level first, each with the bytes of its
    /// message.
    fn children(&self, levels: u32, ranks: u32) -> impl Iterator<Item = ((u32, u32), f64)> {
        let (size, parts) = (self.size, self.parts);
        (0..levels).rev().filter_map(move |level| {
            let behind = ranks.saturating_sub(1 << level).min(1 << level);
            let blocks = if parts { f64::from(behind) } else { 1.0 };
            (behind > 0).then_some(((level, behind), on_link(blocks * size, 1.0)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::SecondsPerByte;

    /// Blocks of one byte: what the root sends is all others' blocks, each message with its
    /// headers, and no path is shorter than that.
    #[test]
    fn the_root_sends_every_block_once() {
        let wire = Wire::straight(SecondsPerByte(1.0));
        let tree = Binomial {
            size: 1.0,
            parts: true,
            wire: &wire,
        };
        for procs in (1..200).chain([1 << 20, u32::MAX]) {
            let count = Procs::new(procs).unwrap();
            let children = tree.children(count.ceil_log2(), procs);
            let messages: Vec<f64> = children.map(|(_, bytes)| bytes).collect();
            let headers = on_link(0.0, messages.len() as f64);
            let sent: f64 = messages.iter().sum();
            assert!((sent - headers - f64::from(procs - 1)).abs() < 1e-6);
            let [serial, shared] = tree.times(count);
            assert!(serial.0 >= sent && shared.0 >= serial.0, "{procs}");
        }
    }
}
