//! The clusters of the ranks of a call: ranks of one cluster are near each other, and the links between
//! clusters are slow. A host with several ranks is a cluster in this sense, too.
//!
//! ```
//! # use netsig_base::algorithm::Layout;
//! let layout = Layout::new([7, 7, 1, 7, 1]);
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
pub struct Layout(Arc<Clusters>);

#[derive(Debug, PartialEq, Eq)]
struct Clusters {
    members: Vec<Vec<Rank>>,
    seats: Vec<Seat>,
    /// Number of clusters of each size.
    sizes: BTreeMap<u32, u32>,
}

/// A rank, as a cluster and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seat {
    /// Number of the cluster.
    pub cluster: usize,
    /// Number of the rank in the cluster.
    pub number: u32,
}

impl Layout {
    /// A layout from the cluster of each rank, in the order of ranks.
    pub fn new<C: Ord>(cluster_of_each: impl IntoIterator<Item = C>) -> Self {
        let mut numbers = BTreeMap::new();
        let mut members: Vec<Vec<Rank>> = Vec::new();
        let mut seats = Vec::new();
        for (rank, cluster) in (0..).map(Rank).zip(cluster_of_each) {
            let next = members.len();
            let cluster = *numbers.entry(cluster).or_insert(next);
            if cluster == next {
                members.push(Vec::new());
            }
            let number = u32::try_from(members[cluster].len()).expect("fewer than ranks");
            seats.push(Seat { cluster, number });
            members[cluster].push(rank);
        }
        let mut sizes = BTreeMap::new();
        for own in &members {
            let size = u32::try_from(own.len()).expect("fewer than ranks");
            *sizes.entry(size).or_default() += 1;
        }
        Self(Arc::new(Clusters { members, seats, sizes }))
    }

    /// Clusters of these sizes, each with consecutive ranks.
    pub fn of_sizes(sizes: &[u32]) -> Self {
        let clusters = (0u32..).zip(sizes);
        Self::new(clusters.flat_map(|(cluster, &size)| (0..size).map(move |_| cluster)))
    }

    /// All ranks in one cluster.
    pub fn one(procs: Procs) -> Self {
        Self::of_sizes(&[procs.get()])
    }

    /// The clusters of some of the ranks, which are numbered anew in the order given.
    #[must_use]
    pub fn of_ranks(&self, ranks: impl IntoIterator<Item = Rank>) -> Self {
        Self::new(ranks.into_iter().map(|rank| self.seat(rank).cluster))
    }

    /// Number of the cluster of each rank, separated by commas.
    pub fn clusters_of_ranks(&self) -> String {
        self.0.seats.iter().map(|seat| seat.cluster).join(",")
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.0.seats.len()
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
    pub(super) fn kinds(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        self.0.sizes.iter().map(|(size, count)| (*size, *count))
    }

    /// Cluster and number of a rank.
    pub fn seat(&self, rank: Rank) -> Seat {
        self.0.seats[rank.0 as usize]
    }

    /// The rank at a seat.
    pub(super) fn rank(&self, seat: Seat) -> Rank {
        self.0.members[seat.cluster][seat.number as usize]
    }

    /// First rank of a cluster, which speaks for it.
    pub fn head(&self, cluster: usize) -> Rank {
        self.0.members[cluster][0]
    }
}

/// The sizes of the clusters: `4+8`.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.sizes().format("+"))
    }
}
