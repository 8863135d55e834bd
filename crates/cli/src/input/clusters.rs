//! The clusters of the processes, from `--clusters`.

use std::path::Path;

use netsig_base::network::{ClusterGrid, HostCluster, HostClusters};
use netsig_base::units::Procs;

use crate::input::failure::Failure;
use crate::input::files;

/// Clusters that replace the profile's.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ClusterArgs {
    /// The clusters: a file of `netsig discover`, or the numbers of their processes, such as 4,8 [default: the
    /// profile's].
    #[arg(long, value_name = "FILE|SIZES")]
    clusters: Option<String>,
}

impl ClusterArgs {
    /// The clusters, if they are given, for the process counts `procs`.
    ///
    /// # Errors
    /// If they are neither a file of clusters nor sizes, or have fewer hosts than there are processes.
    pub fn grid(&self, counts: &[Procs]) -> Result<Option<ClusterGrid>, Failure> {
        let Some(given) = &self.clusters else {
            return Ok(None);
        };
        let is_sizes = given.starts_with(|c: char| c.is_ascii_digit()) && !Path::new(given).exists();
        let grid = if is_sizes {
            grid_of_sizes(given)?
        } else {
            files::grid(Path::new(given))?
        };
        for &procs in counts {
            let checked = grid.clusters.refuse_more_than_hosts(procs);
            checked.map_err(|error| Failure::usage(format!("--clusters {given}: {error}")))?;
        }
        Ok(Some(grid))
    }
}

/// Clusters of the given numbers of hosts, with arbitrary names.
fn grid_of_sizes(text: &str) -> Result<ClusterGrid, Failure> {
    let size = |text: &str| text.trim().parse().ok().filter(|&size: &u32| size > 0);
    let parsed_sizes: Option<Vec<u32>> = text.split(',').map(size).collect();
    let sizes = parsed_sizes.ok_or_else(|| {
        Failure::usage(format!(
            "--clusters {text}: neither a file nor numbers of processes; write such as 4,8"
        ))
    })?;
    let cluster = |(number, size): (usize, u32)| HostCluster {
        name: format!("cluster {number}"),
        hosts: (0..size).map(|host| format!("{number}-{host}")).collect(),
    };
    let cluster_list = sizes.into_iter().enumerate().map(cluster).collect();
    let clusters = HostClusters::new(cluster_list).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(clusters.into())
}
