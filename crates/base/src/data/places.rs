//! Clusters of the ranks in a provenance: the grid that a job was given, and the cluster of each rank.

use super::Provenance;
use super::mixture::PLACEMENT;
use crate::algorithm::Layout;
use crate::network::Grid;
use crate::network::placement::TakingPart;
use crate::text::line::{escaped, unescaped};

/// Key of the clusters with their links, the text of a [`Grid`] in one line.
const CLUSTERS: &str = "clusters";

/// Key of the number of each rank's cluster.
const OF_RANKS: &str = "cluster_of_ranks";

/// Adds the clusters of a job and of its ranks.
pub fn push(facts: &mut Provenance, grid: &Grid, layout: &Layout) {
    facts.push(CLUSTERS, escaped(&grid.to_toml()));
    push_layout(facts, "", layout);
}

/// Adds the clusters of the ranks, under a key that begins with `prefix`.
pub fn push_layout(facts: &mut Provenance, prefix: &str, layout: &Layout) {
    facts.push(&format!("{prefix}{OF_RANKS}"), layout.clusters_of_ranks());
}

/// The clusters that a job was given.
pub fn grid(facts: &Provenance) -> Option<Grid> {
    Grid::parse(CLUSTERS, &unescaped(facts.get(CLUSTERS)?)).ok()
}

/// The clusters of the ranks, under a key that begins with `prefix`.
pub fn layout(facts: &Provenance, prefix: &str) -> Option<Layout> {
    let text = facts.get(&format!("{prefix}{OF_RANKS}"))?;
    let clusters: Result<Vec<u32>, _> = text.split(',').map(str::parse).collect();
    clusters.ok().map(Layout::new)
}

/// Largest number of ranks on a host; 1 if the facts state none.
pub fn per_host(facts: &Provenance) -> u32 {
    stated_per_host(facts).unwrap_or(1)
}

/// Largest number of ranks on a host, if the facts state it.
pub fn stated_per_host(facts: &Provenance) -> Option<u32> {
    let placements = facts.iter().filter(|(key, _)| key.ends_with(PLACEMENT));
    let hosts = placements.flat_map(|(_, value)| value.split(','));
    let ranks = hosts.filter_map(|host| host.rsplit_once(':')?.1.parse().ok());
    ranks.max()
}

/// The ranks that took part in a collective among some of them.
pub fn taking_part(facts: &Provenance) -> TakingPart {
    match per_host(facts) {
        1 => TakingPart::Spread,
        _ => TakingPart::First,
    }
}
