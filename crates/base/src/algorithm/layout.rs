//! The clusters of the ranks of a call: ranks of one cluster are near each other, and the links between
//! clusters are slow. A host with several ranks is a cluster in this sense, too.
//!
//! ```
//! # use netsig_base::algorithm::ClusterLayout;
//! let layout = ClusterLayout::new([7, 7, 1, 7, 1]);
//! assert_eq!(layout.to_string(), "3+2");
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use itertools::Itertools as _;

use crate::units::{Procs, Rank};

/// The clusters of the ranks. Clusters are numbered in the order of their first ranks, and the ranks of a
/// cluster from 0 in their own order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterLayout(Arc<LayoutClusters>);

#[derive(Debug, PartialEq, Eq)]
struct LayoutClusters {
    members: Vec<Vec<Rank>>,
    cluster_ranks: Vec<ClusterRank>,
    /// Number of clusters of each size.
    size_counts: BTreeMap<u32, u32>,
}

/// A rank, as a cluster and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterRank {
    /// Number of the cluster.
    pub cluster: usize,
    /// Number of the rank in the cluster.
    pub number: u32,
}

impl ClusterLayout {
    /// A layout from the cluster of each rank, in the order of ranks.
    pub fn new<C: Ord>(cluster_of_each: impl IntoIterator<Item = C>) -> Self {
        let mut numbers = BTreeMap::new();
        let mut members: Vec<Vec<Rank>> = Vec::new();
        let mut cluster_ranks = Vec::new();
        for (rank, cluster) in (0..).map(Rank).zip(cluster_of_each) {
            let next = members.len();
            let cluster = *numbers.entry(cluster).or_insert(next);
            if cluster == next {
                members.push(Vec::new());
            }
            let number = u32::try_from(members[cluster].len()).expect("fewer than ranks");
            cluster_ranks.push(ClusterRank { cluster, number });
            members[cluster].push(rank);
        }
        let mut size_counts = BTreeMap::new();
        for ranks in &members {
            let size = u32::try_from(ranks.len()).expect("fewer than ranks");
            *size_counts.entry(size).or_default() += 1;
        }
        Self(Arc::new(LayoutClusters {
            members,
            cluster_ranks,
            size_counts,
        }))
    }

    /// Clusters of these sizes, each with consecutive ranks.
    pub fn of_sizes(sizes: &[u32]) -> Self {
        let clusters = (0u32..).zip(sizes);
        Self::new(clusters.flat_map(|(cluster, &size)| (0..size).map(move |_| cluster)))
    }

    /// All ranks in one cluster.
    pub fn one_cluster(procs: Procs) -> Self {
        Self::of_sizes(&[procs.get()])
    }

    /// The layout of some of the ranks, which are renumbered in the order given.
    #[must_use]
    pub fn of_ranks(&self, ranks: impl IntoIterator<Item = Rank>) -> Self {
        Self::new(ranks.into_iter().map(|rank| self.cluster_rank(rank).cluster))
    }

    /// Number of the cluster of each rank, separated by commas.
    pub fn clusters_of_ranks(&self) -> String {
        self.0
            .cluster_ranks
            .iter()
            .map(|cluster_rank| cluster_rank.cluster)
            .join(",")
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.0.cluster_ranks.len()
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.0.members.len()
    }

    /// Ranks of a cluster, ascending.
    pub fn members(&self, cluster: usize) -> &[Rank] {
        &self.0.members[cluster]
    }

    /// Number of ranks of a cluster.
    pub fn size(&self, cluster: usize) -> u32 {
        u32::try_from(self.members(cluster).len()).expect("fewer than ranks")
    }

    /// Number of ranks of each cluster, in the order of the clusters.
    pub fn sizes(&self) -> impl Iterator<Item = u32> {
        (0..self.clusters()).map(|cluster| self.size(cluster))
    }

    /// Each size of a cluster, ascending, with the number of clusters of that size.
    pub(super) fn size_counts(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        self.0.size_counts.iter().map(|(size, count)| (*size, *count))
    }

    /// Cluster and number of a rank.
    pub fn cluster_rank(&self, rank: Rank) -> ClusterRank {
        self.0.cluster_ranks[rank.0 as usize]
    }

    /// The rank with this number in its cluster.
    pub(super) fn rank_at(&self, cluster_rank: ClusterRank) -> Rank {
        self.0.members[cluster_rank.cluster][cluster_rank.number as usize]
    }

    /// First rank of a cluster, which exchanges data with other clusters for it.
    pub fn head(&self, cluster: usize) -> Rank {
        self.0.members[cluster][0]
    }
}

/// The sizes of the clusters: `4+8`.
impl fmt::Display for ClusterLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.sizes().format("+"))
    }
}
