//! Clusters of hosts with the measured times of messages between and inside them, as `netsig
//! discover` writes them.
//!
//! | section | holds |
//! |---|---|
//! | `[[cluster]]` | name and hosts, as in [`HostClusters`] |
//! | `[[cluster_link]]` | one-way times of messages between two clusters, or inside one that is named twice |
//!
//! ```
//! # use netsig_base::network::ClusterGrid;
//! let text = "[[cluster]]\nname = 'a'\nhosts = 'a[0-1]'\n[[cluster]]\nname = 'b'\nhosts = 'b0'\n\
//!     [[cluster_link]]\nbetween = ['a', 'b']\nbytes = [1, 1001]\ntime_s = [0.005, 0.006]\n";
//! let grid = ClusterGrid::parse("grid.toml", text)?;
//! let link = grid.link("b", "a").expect("order does not matter");
//! assert_eq!(link.alpha().0, 0.005);
//! assert!((link.time(2001.0).0 - 0.007).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cluster_link;
mod overview;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use self::cluster_link::ClusterLink;
pub use self::overview::ClusterRow;
use super::clusters::HostClusters;
use crate::text::file_error::{FileError, parse_toml};
use crate::text::sanitised::excerpt;

/// Clusters and the links between and inside them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterGrid {
    /// The clusters.
    #[serde(rename = "cluster")]
    pub clusters: HostClusters,
    /// The links that were measured, each once.
    #[serde(default, rename = "cluster_link", skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<ClusterLink>,
}

/// Error of a link between clusters; the message ends with a remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClusterGridError {
    /// Not as many times as sizes.
    #[error(
        "[[cluster_link]] between {}: {sizes} bytes and {times} time_s; give one for each", excerpt(.between)
    )]
    Unequal {
        /// The clusters.
        between: String,
        /// Number of sizes.
        sizes: usize,
        /// Number of times.
        times: usize,
    },
    /// Fewer than two sizes.
    #[error(
        "[[cluster_link]] between {}: fewer than two sizes, which show no bandwidth; give two or more", excerpt(.0)
    )]
    TooFew(String),
    /// Sizes that do not ascend.
    #[error(
        "[[cluster_link]] between {}: {size} bytes are not above the size before; sort the sizes", excerpt(.between)
    )]
    NotAscending {
        /// The clusters.
        between: String,
        /// The second of two sizes.
        size: u64,
    },
    /// A time that no message can take.
    #[error(
        "[[cluster_link]] between {}: a time of {time} s is not finite and above 0; measure again with netsig discover", excerpt(.between)
    )]
    NoTime {
        /// The clusters.
        between: String,
        /// The time.
        time: String,
    },
    /// A size without a time, or a time without a size.
    #[error(
        "[[cluster_link]] between {}: paused_bytes and paused_time_s belong together; give both or none", excerpt(.0)
    )]
    HalfPaused(String),
    /// A link of an unknown cluster.
    #[error(
        "[[cluster_link]] between {}: no cluster is called {}; name two of the [[cluster]] tables", excerpt(.between), excerpt(.name)
    )]
    Unknown {
        /// The clusters.
        between: String,
        /// The unknown name.
        name: String,
    },
    /// Two links between the same clusters.
    #[error("[[cluster_link]] between {} is given twice; leave one out", excerpt(.0))]
    Twice(String),
}

/// Clusters without times.
impl From<HostClusters> for ClusterGrid {
    fn from(clusters: HostClusters) -> Self {
        Self {
            clusters,
            links: Vec::new(),
        }
    }
}

impl ClusterGrid {
    /// Clusters and their links.
    ///
    /// # Errors
    /// The errors of [`check_links`].
    pub fn new(clusters: HostClusters, links: Vec<ClusterLink>) -> Result<Self, ClusterGridError> {
        check_links(&clusters, &links)?;
        Ok(Self { clusters, links })
    }

    /// Parses a file of clusters, with links or without; `name` names it in errors.
    ///
    /// # Errors
    /// If the text is not TOML or contains impossible clusters or links.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        let grid: Self = parse_toml(name, text, "see FORMATS.md for files of clusters")?;
        check_links(&grid.clusters, &grid.links).map_err(|error| FileError::of_file(name, error.to_string()))?;
        Ok(grid)
    }

    /// The TOML text that [`ClusterGrid::parse`] reads back.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("clusters and links have a TOML form")
    }

    /// The link between two clusters, in any order, or inside one that is named twice.
    pub fn link(&self, one: &str, other: &str) -> Option<&ClusterLink> {
        self.links.iter().find(|link| link.joins(one, other))
    }
}

/// Checks that the links join known clusters, each pair once.
///
/// # Errors
/// If a link names an unknown cluster, or two links join the same clusters.
pub fn check_links(clusters: &HostClusters, links: &[ClusterLink]) -> Result<(), ClusterGridError> {
    let is_known = |name: &str| match clusters {
        HostClusters::EachHost => false,
        HostClusters::Named(clusters) => clusters.iter().any(|cluster| cluster.name == name),
    };
    for (index, link) in links.iter().enumerate() {
        let [one, other] = link.cluster_names();
        if let Some(name) = [one, other].into_iter().find(|name| !is_known(name)) {
            return Err(ClusterGridError::Unknown {
                between: joined_names(&link.cluster_names()),
                name: name.to_owned(),
            });
        }
        if links[..index].iter().any(|before| before.joins(one, other)) {
            return Err(ClusterGridError::Twice(joined_names(&link.cluster_names())));
        }
    }
    Ok(())
}

fn joined_names([one, other]: &[impl fmt::Display; 2]) -> String {
    format!("{one} and {other}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[[cluster]]\nname = \"h0\"\nhosts = \"h0,h1,h2\"\n\n\
        [[cluster]]\nname = \"h3\"\nhosts = \"h3,h4\"\n\n\
        [[cluster_link]]\nbetween = [\"h0\", \"h3\"]\nbytes = [1, 1024, 2048]\n\
        time_s = [0.005, 0.006, 0.009]\n\n\
        [[cluster_link]]\nbetween = [\"h3\", \"h3\"]\nbytes = [1, 2]\ntime_s = [0.2, 0.1]\n";

    #[test]
    fn a_grid_survives_its_text_and_clusters_alone_are_one() {
        let grid = ClusterGrid::parse("g", TEXT).unwrap();
        assert_eq!(grid.to_toml().replace('\'', "\""), TEXT);
        let alone = TEXT.split("[[cluster_link]]").next().unwrap();
        let clusters = HostClusters::parse("g", alone).unwrap();
        assert_eq!(HostClusters::parse("g", TEXT), Ok(clusters.clone()));
        assert_eq!(clusters, grid.clusters);
        let read = ClusterGrid::parse("g", alone).unwrap();
        assert!(read.links.is_empty());
        assert_eq!(read.to_toml(), clusters.to_toml());
    }

    #[test]
    fn a_pause_has_a_size_and_a_time() {
        let text = "[[cluster_link]]\nbetween = ['h0', 'h3']\nbytes = [1, 2]\ntime_s = [0.1, 0.2]\n\
            paused_bytes = 3\n";
        let alone = TEXT.split("[[cluster_link]]").next().unwrap();
        let error = ClusterGrid::parse("g", &format!("{alone}{text}")).unwrap_err();
        assert!(error.to_string().contains("belong together"), "{error}");
        let whole = format!("{alone}{text}paused_time_s = 0.3\n");
        let read = ClusterGrid::parse("g", &whole).unwrap();
        assert_eq!(ClusterGrid::parse("g", &read.to_toml()), Ok(read));
    }

    /// By hand: 3 ms for the last 1024 bytes.
    #[test]
    fn times_are_linear_between_sizes_and_beyond() {
        let grid = ClusterGrid::parse("g", TEXT).unwrap();
        let link = grid.link("h3", "h0").unwrap();
        let near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
        assert!(near(link.beta().0, 0.003 / 1024.0));
        for (bytes, time) in [
            (0.0, 0.005),
            (1.0, 0.005),
            (1024.0, 0.006),
            (1536.0, 0.0075),
            (2048.0, 0.009),
            (3072.0, 0.012),
        ] {
            assert!(near(link.time(bytes).0, time), "{bytes}");
        }
        let noisy = grid.link("h3", "h3").unwrap();
        assert!(near(noisy.time(1e9).0, 0.1) && near(noisy.beta().0, 0.0));
        assert_eq!(grid.link("h0", "h0"), None);
    }

    #[test]
    fn faults_are_told_with_what_to_do() {
        let messages = [
            TEXT.replace("1, 1024, 2048", "1, 2048"),
            TEXT.replace("1, 1024, 2048", "1, 2048, 1024"),
            TEXT.replace("0.009", "0.0"),
            TEXT.replace("0.009", "inf"),
            TEXT.replace("[1, 2]", "[1]").replace("[0.2, 0.1]", "[0.2]"),
            TEXT.replace("[\"h0\", \"h3\"]", "[\"h0\", \"h4\"]"),
            TEXT.replace("[\"h0\", \"h3\"]", "[\"h3\", \"h3\"]"),
            TEXT.replace("bytes", "sizes"),
            "cluster = \"host\"\n".to_owned() + TEXT.split_once("h4\"\n\n").unwrap().1,
        ]
        .map(|text| format!("{}\n", ClusterGrid::parse("g.toml", &text).unwrap_err()));
        insta::assert_snapshot!(messages.concat());
    }
}
