//! Clusters of the ranks in a provenance: the grid that a job was given, and the cluster of each rank.

use super::Provenance;
use super::mixture::PLACEMENT;
use crate::algorithm::ClusterLayout;
use crate::network::ClusterGrid;
use crate::network::placement::ParticipatingRanks;
use crate::text::line::{escaped, unescaped};

/// Key of the clusters with their links, the text of a [`ClusterGrid`] in one line.
const CLUSTERS: &str = "clusters";

/// Key of the number of each rank's cluster.
const OF_RANKS: &str = "cluster_of_ranks";

/// Adds the clusters of a job and of its ranks.
pub fn push_clusters(facts: &mut Provenance, grid: &ClusterGrid, layout: &ClusterLayout) {
    facts.push(CLUSTERS, escaped(&grid.to_toml()));
    push_layout(facts, "", layout);
}

/// Adds the clusters of the ranks, under a key that begins with `prefix`.
pub fn push_layout(facts: &mut Provenance, prefix: &str, layout: &ClusterLayout) {
    facts.push(&format!("{prefix}{OF_RANKS}"), layout.clusters_of_ranks());
}

/// The clusters that a job was given.
pub fn grid(facts: &Provenance) -> Option<ClusterGrid> {
    ClusterGrid::parse(CLUSTERS, &unescaped(facts.get(CLUSTERS)?)).ok()
}

/// The clusters of the ranks, under a key that begins with `prefix`.
pub fn layout(facts: &Provenance, prefix: &str) -> Option<ClusterLayout> {
    let text = facts.get(&format!("{prefix}{OF_RANKS}"))?;
    let clusters: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    clusters.ok().map(ClusterLayout::new)
}

/// Largest number of ranks on a host; 1 if the facts state none.
pub fn most_ranks_per_host(facts: &Provenance) -> u32 {
    stated_ranks_per_host(facts).unwrap_or(1)
}

/// Largest number of ranks on a host, if the facts state it.
pub fn stated_ranks_per_host(facts: &Provenance) -> Option<u32> {
    let placements = facts.iter().filter(|(key, _)| key.ends_with(PLACEMENT));
    let hosts = placements.flat_map(|(_, value)| value.split(','));
    let ranks = hosts.filter_map(|host| host.rsplit_once(':')?.1.parse().ok());
    ranks.max()
}

/// The ranks that take part in a collective among some ranks of the job.
pub fn participating_ranks(facts: &Provenance) -> ParticipatingRanks {
    match most_ranks_per_host(facts) {
        1 => ParticipatingRanks::Spread,
        _ => ParticipatingRanks::First,
    }
}
