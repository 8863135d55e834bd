//! Collectives in two levels: what one cluster has for another crosses between their first ranks, their
//! heads, once and in one message; the rest happens inside the clusters.
//!
//! * Broadcast: the root sends to the heads of all other clusters, and every head serves its cluster: over
//!   the binomial tree, or where the message has several segments along a chain, each segment as it
//!   arrives. The root is the head of its own cluster.
//! * Scatter: the root sends each other head the pieces of its cluster, and the head hands them out. A
//!   gather is the same backwards.
//! * All-gather: all ranks of a cluster exchange their pieces, the heads exchange the pieces of their
//!   clusters, and each hands the pieces of all others to its cluster over the binomial tree.
//!
//! # Source
//! The broadcast and the all-gather after Kielmann, Hofman, Bal, Plaat, Bhoedjang 1999 (PPoPP): each piece
//! crosses a link between clusters once. The trees inside the clusters are netsig's choice.

mod allgather;
mod bcast;
mod scatter;
#[cfg(test)]
mod tests;

pub(super) use allgather::ALLGATHER;
pub(super) use bcast::BCAST;
pub(super) use scatter::{GATHER, SCATTER};

use super::{Layout, Seat};
use crate::units::{Procs, Rank};

impl Layout {
    /// Heads of the other clusters, the next first.
    fn other_heads(&self, cluster: usize) -> impl Iterator<Item = Rank> {
        let count = self.clusters();
        (1..count).map(move |ahead| self.head((cluster + ahead) % count))
    }

    /// Cluster of a rank with its size, and the rank's number there, for a tree inside the cluster.
    fn within(&self, rank: Rank) -> (usize, Procs, Rank) {
        let Seat { cluster, number } = self.seat(rank);
        let size = Procs::new(self.size(cluster)).expect("a cluster has a rank");
        (cluster, size, Rank(number))
    }

    /// Rank of a cluster by its number there.
    fn inside(&self, cluster: usize, number: Rank) -> Rank {
        let number = number.0;
        self.rank(Seat { cluster, number })
    }

    /// Most rounds of the binomial tree in a cluster, of those from `first` on.
    fn tree_rounds(&self, first: usize) -> Option<usize> {
        let sizes = self.sizes().skip(first);
        let rounds = sizes.map(|size| size.next_power_of_two().ilog2() as usize);
        rounds.max()
    }
}
