//! Clusters of the ranks of a job, as an input of models.

use itertools::Itertools as _;

use super::hockney::Hockney;
use crate::algorithm::Layout;
use crate::network::placement::TakingPart;
use crate::network::{ClusterLink, Clusters, Grid};
use crate::units::table::Table;
use crate::units::{Bytes, Procs, Rank, Seconds, SecondsPerByte};

/// Names of the parameters of two clusters: size of the first, α and β between them.
pub(super) const FIRST_CLUSTER: &str = "first_cluster_procs";
pub(super) const ALPHA_WIDE: &str = "alpha_w_s";
pub(super) const BETA_WIDE: &str = "beta_w_s_per_byte";

/// Clusters of the ranks of a job, with the times of messages between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustered {
    /// Clusters of all ranks.
    pub layout: Layout,
    /// Ranks that take part if not all do.
    pub taking_part: TakingPart,
    /// Time of a message between two clusters by its size; `None` if not known.
    pub between: Option<Table>,
    /// α and β inside a cluster, if they are not those of the network.
    pub inside: Option<Hockney>,
}

impl Clustered {
    /// The clusters of the ranks of a job, with the times of `grid`: of several links between clusters the
    /// slowest for each size. If each host is a cluster, the network is between them, and messages through a
    /// host's memory count as free.
    pub fn new(
        grid: &Grid,
        (layout, taking_part): (Layout, TakingPart),
        network: &Hockney,
    ) -> Self {
        if grid.clusters == Clusters::EachHost {
            return Self {
                layout,
                taking_part,
                between: Some(Table::line(network.alpha(), network.beta())),
                inside: Hockney::new(Seconds(0.0), SecondsPerByte(0.0)).ok(),
            };
        }
        let is_wide = |link: &&ClusterLink| link.between()[0] != link.between()[1];
        let wide: Vec<&ClusterLink> = grid.links.iter().filter(is_wide).collect();
        let sizes = wide
            .iter()
            .flat_map(|link| link.times())
            .map(|(size, _)| *size);
        let slowest = |size: Bytes| {
            let times = wide.iter().map(|link| link.time(size.as_f64()).0);
            (size, Seconds(times.fold(0.0, f64::max)))
        };
        let rows: Vec<(Bytes, Seconds)> = sizes.sorted_unstable().dedup().map(slowest).collect();
        Self {
            layout,
            taking_part,
            between: Table::new("cluster_link", rows).ok(),
            inside: None,
        }
    }

    /// Value of a parameter of the models of two clusters; NaN for the size of the first, which depends on
    /// the case.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        let between = self.between.as_ref();
        match name {
            FIRST_CLUSTER => Some(f64::NAN),
            ALPHA_WIDE => between.map(|table| table.at(Bytes(0)).0),
            BETA_WIDE => between.map(last_slope),
            _ => None,
        }
    }

    /// Clusters of the ranks of a case; `None` if it has more processes than there are ranks.
    pub fn layout_of(&self, procs: Procs) -> Option<Layout> {
        let all = u32::try_from(self.layout.ranks()).ok()?;
        let all = Procs::new(all).ok().filter(|all| procs <= *all)?;
        let ranks = self.taking_part.ranks(all, procs);
        Some(self.layout.of_ranks(ranks.into_iter().map(Rank)))
    }
}

/// Seconds per byte between the two longest messages of a table.
pub(super) fn last_slope(table: &Table) -> f64 {
    let Some([(low, early), (high, late)]) = table.rows().last_chunk() else {
        return 0.0;
    };
    ((late.0 - early.0) / (high.as_f64() - low.as_f64())).max(0.0)
}
