//! Bounds of collectives by the bytes that must cross the links between clusters.
//!
//! # Formula
//! A link between two clusters takes `α_w` + B/c for B bytes, with the time `α_w` of its smallest message. Its capacity
//! c is 1/`β_w`. If one message is as fast on it as inside a cluster, its capacity is that of as many ports as the
//! smaller cluster has.
//!
//! | collective | bytes B | link |
//! |---|---|---|
//! | all-to-all | a·b·m between clusters of a and b ranks | the link of the two |
//! | broadcast | m into a cluster without the root | all links of the cluster: least `α_w`, sum of c |
//! | scatter, gather | b·m into or out of a cluster of b ranks without the root | likewise |
//! | all-gather | (n − b)·m into a cluster of b ranks | likewise |
//! | reduce | m out of a cluster without the root | likewise |
//! | all-reduce; barrier | m; 0 into a cluster | likewise |
//! | reduce-scatter | max(b, n − b)·m/n into or out of a cluster of b ranks | likewise |
//!
//! # Source
//! netsig.

use itertools::Itertools as _;
use netsig_base::algorithm::{ClusterLayout, Collective};
use netsig_base::network::{ClusterGrid, ClusterLink, HostCluster, HostClusters};
use netsig_base::units::{Bytes, Procs, Rank};

use crate::model::ClusteredRanks;
use crate::profile::Profile;

/// Largest ratio of `β_w` to β at which a link between clusters may be as fast as several ports.
const AS_FAST_AS_A_PORT: f64 = 1.1;

/// Ranks of a case that are near each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct CaseCluster<'a> {
    /// Name of the cluster, if the data tell it.
    name: Option<&'a str>,
    pub ranks: f64,
    pub has_root: bool,
}

/// Link between two clusters.
#[derive(Debug, Clone, Copy)]
struct CrossingLink {
    /// `α_w` in seconds, without the time of its bytes.
    latency: f64,
    /// `β_w` in seconds.
    byte: f64,
}

impl Profile {
    /// Clusters of the ranks of a case; none without known clusters.
    pub(super) fn clusters_of(&self, procs: Procs) -> Vec<CaseCluster<'_>> {
        let Some(ClusteredRanks {
            layout, taking_part, ..
        }) = self.clustered()
        else {
            return Vec::new();
        };
        let Some(all) = u32::try_from(layout.ranks()).ok().and_then(|all| Procs::new(all).ok()) else {
            return Vec::new();
        };
        let names = self.cluster_names(&layout);
        let ranks = taking_part.ranks(all, procs).into_iter();
        let cluster_of_each = ranks.map(|rank| layout.cluster_rank(Rank(rank)).cluster).collect_vec();
        let counts = cluster_of_each.iter().copied().counts().into_iter().sorted();
        let cluster = |(number, ranks): (usize, usize)| CaseCluster {
            name: names.as_ref().map(|names| names[number]),
            ranks: ranks as f64,
            has_root: cluster_of_each.first() == Some(&number),
        };
        counts.map(cluster).collect()
    }

    /// Name of each cluster of the ranks: by the hosts of the ranks, or in the order of the clusters. `None` if
    /// neither fits the layout.
    fn cluster_names(&self, layout: &ClusterLayout) -> Option<Vec<&str>> {
        let Some(HostClusters::Named(clusters)) = &self.clusters else {
            return None;
        };
        let of_hosts = || {
            let hosts = self.provenance.get("data_hosts")?.split(',').map(str::to_owned);
            self.clusters.as_ref()?.cluster_of_each_rank(&hosts.collect_vec()).ok()
        };
        let in_order = || {
            let repeated = |(number, cluster): (usize, &HostCluster)| vec![number; cluster.hosts.len()];
            Some(clusters.iter().enumerate().flat_map(repeated).collect_vec())
        };
        let fits = |numbers: &Vec<usize>| ClusterLayout::new(numbers.iter()) == *layout;
        let numbers = of_hosts().filter(fits).or_else(|| in_order().filter(fits))?;
        let name = |cluster: usize| clusters[numbers[layout.head(cluster).0 as usize]].name.as_str();
        Some((0..layout.clusters()).map(name).collect())
    }

    /// Longest time of the bytes between clusters; `None` if no link between them is known or needed.
    pub(super) fn crossing_time(
        &self,
        collective: Collective,
        clusters: &[CaseCluster],
        size: Bytes,
        port_byte: f64,
    ) -> Option<f64> {
        let grid = self.grid()?;
        let best = CrossingLink::best_of(&grid)?;
        let crossing = |one: &CaseCluster, other: &CaseCluster| Crossing {
            link: CrossingLink::between(&grid, one, other).unwrap_or(best),
            ports: one.ranks.min(other.ranks),
            port_byte,
        };
        let size = size.as_f64();
        if is_exchange(collective) {
            let pairs = clusters.iter().array_combinations();
            let times = pairs.map(|[one, other]| time_over(&[crossing(one, other)], one.ranks * other.ranks * size));
            return times.reduce(f64::max);
        }
        let all_ranks: f64 = clusters.iter().map(|cluster| cluster.ranks).sum();
        let times = clusters.iter().enumerate().filter_map(|(number, cluster)| {
            let bytes = match collective {
                Collective::Bcast | Collective::Reduce if !cluster.has_root => size,
                Collective::Scatter | Collective::Gather if !cluster.has_root => cluster.ranks * size,
                Collective::Allgather => (all_ranks - cluster.ranks) * size,
                Collective::Allreduce => size,
                Collective::ReduceScatter | Collective::ReduceScatterBlock => {
                    cluster.ranks.max(all_ranks - cluster.ranks) / all_ranks * size
                }
                Collective::Barrier => 0.0,
                _ => return None,
            };
            let others = clusters.iter().enumerate().filter(|(other, _)| *other != number);
            let crossings = others.map(|(_, other)| crossing(cluster, other)).collect_vec();
            (!crossings.is_empty()).then(|| time_over(&crossings, bytes))
        });
        times.reduce(f64::max)
    }
}

/// Link between two clusters of a case.
struct Crossing {
    link: CrossingLink,
    /// Ranks of the smaller cluster.
    ports: f64,
    /// β of a port.
    port_byte: f64,
}

impl Crossing {
    /// Bytes per second; infinite where noise hides the time of a byte.
    fn capacity(&self) -> f64 {
        let is_slow = self.link.byte > AS_FAST_AS_A_PORT * self.port_byte;
        let ports = if is_slow { 1.0 } else { self.ports };
        ports / self.link.byte
    }
}

/// Time of bytes that may take several links.
fn time_over(crossings: &[Crossing], bytes: f64) -> f64 {
    let latencies = crossings.iter().map(|crossing| crossing.link.latency);
    let capacity: f64 = crossings.iter().map(Crossing::capacity).sum();
    latencies.fold(f64::INFINITY, f64::min) + bytes / capacity
}

impl CrossingLink {
    fn of(link: &ClusterLink) -> Self {
        let (smallest, time) = link.times()[0];
        Self {
            latency: (time.0 - link.beta().0 * smallest.as_f64()).max(0.0),
            byte: link.beta().0,
        }
    }

    /// The measured link between two clusters, if their names are known.
    fn between(grid: &ClusterGrid, one: &CaseCluster, other: &CaseCluster) -> Option<Self> {
        grid.link(one.name?, other.name?).map(Self::of)
    }

    /// A link with the best value of each property.
    fn best_of(grid: &ClusterGrid) -> Option<Self> {
        let is_wide = |link: &&ClusterLink| link.cluster_names()[0] != link.cluster_names()[1];
        let links = grid.links.iter().filter(is_wide).map(Self::of);
        links.reduce(|one, other| Self {
            latency: one.latency.min(other.latency),
            byte: one.byte.min(other.byte),
        })
    }
}

/// True for an exchange of equal pieces.
pub(super) fn is_exchange(collective: Collective) -> bool {
    matches!(collective, Collective::Alltoall | Collective::Alltoallv)
}
