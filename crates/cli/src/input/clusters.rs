//! The clusters of the processes, from `--clusters`.

use std::path::Path;

use netsig_base::network::{ClusterGrid, HostClusters};
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
            let sized = HostClusters::of_sizes(given).ok_or_else(|| {
                Failure::usage(format!(
                    "--clusters {given}: neither a file nor numbers of processes; write such as 4,8"
                ))
            })?;
            sized.into()
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
