//! Collectives in two levels. The data of one cluster for another cross once, in one message between the first ranks
//! (heads) of the clusters. All other messages stay inside the clusters.
//!
//! * Broadcast: the root sends to the heads of all other clusters, and every head serves its cluster over the
//!   binomial tree. A message of several segments goes along a chain instead, each segment as it arrives. The root is
//!   the head of its own cluster.
//! * Scatter: the root sends each other head the pieces of its cluster, and the head hands them out. A gather is the
//!   same backwards.
//! * All-gather: all ranks of a cluster exchange their pieces, and the heads exchange the pieces of their clusters.
//!   Each head then hands the pieces of all other clusters to its cluster over the binomial tree.
//! * Reductions and barrier: see `reduction` and `barrier`.
//!
//! # Source
//! The broadcast and the all-gather after Kielmann, Hofman, Bal, Plaat, Bhoedjang 1999 (PPoPP): each piece
//! crosses a link between clusters once. The trees inside the clusters are netsig's choice.

mod allgather;
mod barrier;
mod bcast;
mod reduction;
mod scatter;
#[cfg(test)]
mod tests;

pub(super) use allgather::ALLGATHER;
pub(super) use barrier::BARRIER;
pub(super) use bcast::BCAST;
pub(super) use reduction::{ALLREDUCE, REDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK};
pub(super) use scatter::{GATHER, SCATTER};

use super::{ClusterLayout, ClusterRank};
use crate::units::{Procs, Rank};

impl ClusterLayout {
    /// Heads of the other clusters, the next first.
    fn other_heads(&self, cluster: usize) -> impl Iterator<Item = Rank> {
        let count = self.clusters();
        (1..count).map(move |ahead| self.head((cluster + ahead) % count))
    }

    /// Cluster of a rank with its size, and the rank's number there, for a tree inside the cluster.
    fn tree_position(&self, rank: Rank) -> (usize, Procs, Rank) {
        let ClusterRank { cluster, number } = self.cluster_rank(rank);
        let size = Procs::new(self.size(cluster)).expect("a cluster has a rank");
        (cluster, size, Rank(number))
    }

    /// Rank of a cluster by its number there.
    fn cluster_member(&self, cluster: usize, number: Rank) -> Rank {
        let number = number.0;
        self.rank_at(ClusterRank { cluster, number })
    }

    /// Most rounds of the binomial tree in a cluster, over the clusters from `first` on.
    fn tree_rounds(&self, first: usize) -> Option<usize> {
        let sizes = self.sizes().skip(first);
        let rounds = sizes.map(|size| size.next_power_of_two().ilog2() as usize);
        rounds.max()
    }
}
