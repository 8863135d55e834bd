//! Clusters of the ranks of a job, as an input of models.

use netsig_base::algorithm::ClusterLayout;
use netsig_base::network::placement::ParticipatingRanks;
use netsig_base::network::{ClusterGrid, ClusterLink, HostClusters};
use netsig_base::units::{Bytes, Procs, Rank, Seconds, SecondsPerByte};

use super::hockney::Hockney;

/// Names of the parameters of two clusters: size of the first, α and β between them.
pub(super) const FIRST_CLUSTER: &str = "first_cluster_procs";
pub(super) const ALPHA_WIDE: &str = "alpha_w_s";
pub(super) const BETA_WIDE: &str = "beta_w_s_per_byte";

/// Clusters of the ranks of a job, with the times of messages between them.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusteredRanks {
    /// Clusters of all ranks.
    pub layout: ClusterLayout,
    /// Ranks that take part if not all do.
    pub taking_part: ParticipatingRanks,
    /// Messages between two clusters; `None` if their times are not known.
    pub wide_area: Option<WideAreaLink>,
    /// α and β inside a cluster, if they are not those of the network.
    pub inside: Option<Hockney>,
}

/// Messages between two clusters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WideAreaLink {
    /// `α_w`: time of the smallest message.
    pub latency: Seconds,
    /// `β_w`: time of each further byte.
    pub gap: SecondsPerByte,
    /// X: size from which a message waits for the receiver's consent, if any does.
    pub consent: Option<Bytes>,
    /// W: bytes that a connection sends at once after a pause, if not all.
    pub first_window: Option<Bytes>,
}

impl WideAreaLink {
    /// Messages without consent and windows.
    pub fn without_windows(latency: Seconds, gap: SecondsPerByte) -> Self {
        Self {
            latency,
            gap,
            consent: None,
            first_window: None,
        }
    }

    /// A link with the worse value of each property.
    fn worst_of(self, other: Self) -> Self {
        let least = |one: Option<Bytes>, other: Option<Bytes>| one.into_iter().chain(other).min();
        Self {
            latency: Seconds(self.latency.0.max(other.latency.0)),
            gap: SecondsPerByte(self.gap.0.max(other.gap.0)),
            consent: least(self.consent, other.consent),
            first_window: least(self.first_window, other.first_window),
        }
    }
}

impl From<&ClusterLink> for WideAreaLink {
    fn from(link: &ClusterLink) -> Self {
        Self {
            latency: link.alpha(),
            gap: link.beta(),
            consent: link.consent_size(),
            first_window: link.first_window(),
        }
    }
}

impl ClusteredRanks {
    /// The clusters of the ranks of a job, with the times of `grid`. Several links between clusters count as one with
    /// the worst value of each property. If each host is a cluster, the network joins them, and messages through a
    /// host's memory count as free.
    pub fn new(grid: &ClusterGrid, layout: ClusterLayout, taking_part: ParticipatingRanks, network: &Hockney) -> Self {
        if grid.clusters == HostClusters::EachHost {
            return Self {
                layout,
                taking_part,
                wide_area: Some(WideAreaLink::without_windows(network.alpha(), network.beta())),
                inside: Hockney::new(Seconds(0.0), SecondsPerByte(0.0)).ok(),
            };
        }
        let is_wide = |link: &&ClusterLink| link.cluster_names()[0] != link.cluster_names()[1];
        let wide = grid.links.iter().filter(is_wide).map(WideAreaLink::from);
        Self {
            layout,
            taking_part,
            wide_area: wide.reduce(WideAreaLink::worst_of),
            inside: None,
        }
    }

    /// Value of a parameter of the models of two clusters; NaN for the size of the first, which depends on
    /// the case.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        let wide_area = self.wide_area.as_ref();
        match name {
            FIRST_CLUSTER => Some(f64::NAN),
            ALPHA_WIDE => wide_area.map(|link| link.latency.0),
            BETA_WIDE => wide_area.map(|link| link.gap.0),
            _ => None,
        }
    }

    /// Clusters of the ranks of a case; `None` if it has more processes than there are ranks.
    pub fn layout_of(&self, procs: Procs) -> Option<ClusterLayout> {
        let rank_count = u32::try_from(self.layout.ranks()).ok()?;
        let all = Procs::new(rank_count).ok().filter(|all| procs <= *all)?;
        let ranks = self.taking_part.ranks(all, procs);
        Some(self.layout.of_ranks(ranks.into_iter().map(Rank)))
    }
}
