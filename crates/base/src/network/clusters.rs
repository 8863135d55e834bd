//! Clusters of hosts that are near each other, by host name.
//!
//! | from | by |
//! |---|---|
//! | a TOML file with `[[cluster]]` tables, by hand or from `netsig discover` | [`HostClusters::parse`] |
//! | a description of the network, also of Slurm | [`HostClusters::of_network`] |
//!
//! # Choices
//! In a description of a network, a link between switches separates clusters if it has a delay; if no
//! link has one, every switch with hosts is a cluster. A host matches a name also by the part before
//! the first dot.
//!
//! ```
//! # use netsig_base::network::HostClusters;
//! let text = "[[cluster]]\nname = 'east'\nhosts = 'n[0-1]'\n[[cluster]]\nname = 'west'\nhosts = 'n2'\n";
//! let clusters = HostClusters::parse("clusters.toml", text)?;
//! let hosts = ["n2", "n0.site", "n2"].map(str::to_owned);
//! assert_eq!(clusters.cluster_of_each_rank(&hosts)?, [1, 0, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;

use itertools::Itertools as _;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::{Network, NetworkShape, Vertex, hosts, named};
use crate::text::file_error::{FileError, parse_toml};
use crate::text::sanitised::excerpt;
use crate::units::Procs;

/// The clusters of the hosts of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StoredClusters", into = "StoredClusters")]
pub enum HostClusters {
    /// Every host is a cluster, of the processes that share its memory.
    EachHost,
    /// Clusters by name; each has a host, and no host is in two.
    Named(Vec<HostCluster>),
}

/// Hosts that are near each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCluster {
    /// Name of the cluster.
    pub name: String,
    /// Names of the hosts.
    pub hosts: Vec<String>,
}

/// Error of clusters; the message ends with a remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostClustersError {
    /// No clusters.
    #[error("no clusters; write a [[cluster]] with name and hosts for each")]
    NoClusters,
    /// A cluster without hosts.
    #[error("cluster {} has no hosts; name some, or leave it out", excerpt(.0))]
    Empty(String),
    /// Hosts that are no host list expression.
    #[error("cluster {}: hosts {problem}", excerpt(.name))]
    NoNames {
        /// The cluster.
        name: String,
        /// The fault and its remedy.
        problem: String,
    },
    /// Two clusters with one name.
    #[error("two clusters are called {}; give each a name of its own", excerpt(.0))]
    SameName(String),
    /// A host in two clusters.
    #[error("host {host} is in the clusters {} and {}; name it once", excerpt(.one), excerpt(.other))]
    HostInTwoClusters {
        /// The host.
        host: String,
        /// The first cluster.
        one: String,
        /// The second cluster; may be the same.
        other: String,
    },
    /// Fewer hosts than processes; each host runs one process.
    #[error("the clusters have {hosts} hosts for {procs} processes; name more hosts, or give fewer --procs")]
    TooFew {
        /// Number of hosts.
        hosts: usize,
        /// Number of processes.
        procs: Procs,
    },
    /// A rank on a host of no cluster.
    #[error(
        "rank {rank} runs on {host}, which is in no cluster; add {host} to a [[cluster]], or run netsig discover on these hosts"
    )]
    Unlisted {
        /// The rank.
        rank: usize,
        /// Its host.
        host: String,
    },
}

/// A file of clusters; plans and profiles hold the same text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClustersFile {
    cluster: HostClusters,
    /// Links between the clusters; `grid.rs` reads them.
    #[serde(default, skip_serializing)]
    #[expect(dead_code, reason = "any content will do")]
    cluster_link: IgnoredAny,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "\"host\" or tables with name and hosts")]
enum StoredClusters {
    Each(EachHostKeyword),
    Named(Vec<StoredCluster>),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCluster {
    name: String,
    /// A host list expression.
    hosts: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EachHostKeyword {
    Host,
}

impl TryFrom<StoredClusters> for HostClusters {
    type Error = HostClustersError;
    fn try_from(wire: StoredClusters) -> Result<Self, HostClustersError> {
        match wire {
            StoredClusters::Each(EachHostKeyword::Host) => Ok(Self::EachHost),
            StoredClusters::Named(clusters) => {
                let clusters = clusters.into_iter().map(HostCluster::try_from);
                Self::new(clusters.try_collect()?)
            }
        }
    }
}

impl TryFrom<StoredCluster> for HostCluster {
    type Error = HostClustersError;
    fn try_from(StoredCluster { name, hosts }: StoredCluster) -> Result<Self, HostClustersError> {
        match hosts::expand(&hosts) {
            Ok(found) => Ok(Self {
                name,
                hosts: found.into_iter().map(|listed| listed.text).collect(),
            }),
            Err(error) => Err(HostClustersError::NoNames {
                name,
                problem: format!("{hosts:?}: {error}"),
            }),
        }
    }
}

impl From<HostClusters> for StoredClusters {
    fn from(clusters: HostClusters) -> Self {
        match clusters {
            HostClusters::EachHost => Self::Each(EachHostKeyword::Host),
            HostClusters::Named(clusters) => {
                let wire = |HostCluster { name, hosts }: HostCluster| StoredCluster {
                    name,
                    hosts: hosts.join(","),
                };
                Self::Named(clusters.into_iter().map(wire).collect())
            }
        }
    }
}

impl HostClusters {
    /// Clusters by name.
    ///
    /// # Errors
    /// If there are none, one has no hosts, or a name occurs twice.
    pub fn new(clusters: Vec<HostCluster>) -> Result<Self, HostClustersError> {
        if clusters.is_empty() {
            return Err(HostClustersError::NoClusters);
        }
        if let Some(name) = clusters.iter().map(|cluster| &cluster.name).duplicates().next() {
            return Err(HostClustersError::SameName(name.clone()));
        }
        let mut known = BTreeMap::new();
        for cluster in &clusters {
            if cluster.hosts.is_empty() {
                return Err(HostClustersError::Empty(cluster.name.clone()));
            }
            for host in &cluster.hosts {
                if let Some(one) = known.insert(host, &cluster.name) {
                    return Err(HostClustersError::HostInTwoClusters {
                        host: host.clone(),
                        one: one.clone(),
                        other: cluster.name.clone(),
                    });
                }
            }
        }
        Ok(Self::Named(clusters))
    }

    /// Parses a file of clusters; `name` names it in errors.
    ///
    /// # Errors
    /// If the text is not TOML or contains impossible clusters.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        let hint = "see FORMATS.md for files of clusters";
        parse_toml::<ClustersFile>(name, text, hint).map(|file| file.cluster)
    }

    /// The TOML text that [`HostClusters::parse`] reads back.
    pub fn to_toml(&self) -> String {
        let cluster = self.clone();
        toml::to_string(&ClustersFile {
            cluster,
            cluster_link: IgnoredAny,
        })
        .expect("clusters have a TOML form")
    }

    /// The clusters of a network, whose hosts are called by `name`.
    pub fn of_network(network: &Network, name: impl Fn(Vertex) -> String) -> Self {
        let groups = network.groups().into_iter();
        let named = groups.map(|(group, hosts)| HostCluster {
            name: group,
            hosts: hosts.into_iter().map(&name).collect(),
        });
        Self::Named(named.collect())
    }

    /// The clusters of a described network. The hosts of a shipped scenario are called as in the emulated cluster.
    pub fn described(network: &Network, scenario: &str) -> Self {
        if named::is_shipped(scenario) {
            return Self::of_network(network, |host| named::emulated_host(host.0));
        }
        let hosts_by_name = network.hosts_by_name().into_iter();
        let names: BTreeMap<u32, &str> = hosts_by_name.map(|(name, host)| (host.0, name)).collect();
        Self::of_network(network, |host| names[&host.0].to_owned())
    }

    /// Clusters of so many hosts, with arbitrary names, from text such as `4,8`; `None` for other text.
    pub fn of_sizes(text: &str) -> Option<Self> {
        let size = |text: &str| text.trim().parse().ok().filter(|&size: &u32| size > 0);
        let sizes: Vec<u32> = text.split(',').map(size).collect::<Option<_>>()?;
        let cluster = |(number, size): (usize, u32)| HostCluster {
            name: format!("cluster {number}"),
            hosts: (0..size).map(|host| format!("{number}-{host}")).collect(),
        };
        Some(Self::Named(sizes.into_iter().enumerate().map(cluster).collect()))
    }

    /// Refuses more processes than hosts. Where each host is a cluster, the number of hosts is unknown.
    ///
    /// # Errors
    /// If there are more processes.
    pub fn refuse_more_than_hosts(&self, procs: Procs) -> Result<(), HostClustersError> {
        let Self::Named(clusters) = self else {
            return Ok(());
        };
        let hosts = clusters.iter().map(|cluster| cluster.hosts.len()).sum();
        if procs.get() as usize <= hosts {
            return Ok(());
        }
        Err(HostClustersError::TooFew { hosts, procs })
    }

    /// Number of the cluster of each rank, from the hosts of the ranks.
    ///
    /// # Errors
    /// If a host is in no cluster.
    pub fn cluster_of_each_rank(&self, hosts: &[String]) -> Result<Vec<usize>, HostClustersError> {
        let Self::Named(clusters) = self else {
            let numbers: BTreeMap<&String, usize> = hosts.iter().unique().zip(0..).collect();
            return Ok(hosts.iter().map(|host| numbers[host]).collect());
        };
        let hosts_with_number = |(number, cluster): (usize, &HostCluster)| {
            let hosts = cluster.hosts.clone().into_iter();
            hosts.map(move |host| (host, number)).collect_vec()
        };
        let known: BTreeMap<String, usize> = clusters
            .iter()
            .enumerate()
            .flat_map(|one| hosts_with_number((one.0, one.1)))
            .collect();
        let find = |(rank, host): (usize, &String)| {
            let short = host.split('.').next().unwrap_or_default();
            let found = known.get(host).or_else(|| known.get(short));
            found.copied().ok_or_else(|| HostClustersError::Unlisted {
                rank,
                host: host.clone(),
            })
        };
        hosts.iter().enumerate().map(find).collect()
    }
}

impl Network {
    /// True if a link between switches has a delay.
    pub fn has_delays(&self) -> bool {
        let NetworkShape::Switches { trunks, .. } = &self.shape else {
            return false;
        };
        trunks.iter().any(|trunk| trunk.link.delay.0 > 0.0)
    }

    /// Hosts that no link with a delay separates, with the name of their first switch that has hosts; without
    /// delays the hosts of each switch.
    fn groups(&self) -> Vec<(String, Vec<Vertex>)> {
        let NetworkShape::Switches { switches, trunks } = &self.shape else {
            return vec![(self.name.clone(), self.all_hosts().collect())];
        };
        let has_delays = self.has_delays();
        let mut group: Vec<usize> = (0..switches.len()).collect();
        let near = trunks.iter().filter(|trunk| has_delays && trunk.link.delay.0 <= 0.0);
        for [one, other] in near.map(|trunk| trunk.ends) {
            let (one, other) = (group[one], group[other]);
            let joined = one.min(other);
            group
                .iter_mut()
                .filter(|number| [one, other].contains(number))
                .for_each(|number| *number = joined);
        }
        let mut hosts = self.all_hosts();
        let mut groups: BTreeMap<usize, (String, Vec<Vertex>)> = BTreeMap::new();
        for (switch, &number) in switches
            .iter()
            .zip(&group)
            .filter(|(switch, _)| !switch.hosts.is_empty())
        {
            let named_group = groups
                .entry(number)
                .or_insert_with(|| (switch.name.clone(), Vec::new()));
            named_group.1.extend(hosts.by_ref().take(switch.hosts.len()));
        }
        groups.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[[cluster]]\nname = \"east\"\nhosts = \"n[0-3]\"\n\n\
                        [[cluster]]\nname = \"west\"\nhosts = \"n4,m1\"\n";

    fn hosts(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn clusters_survive_their_text_and_find_hosts_by_short_names() {
        let clusters = HostClusters::parse("c", TEXT).unwrap();
        assert_eq!(HostClusters::parse("c", &clusters.to_toml()), Ok(clusters.clone()));
        let found = clusters.cluster_of_each_rank(&hosts(&["m1", "n3.a.b", "n0", "n4"]));
        assert_eq!(found, Ok(vec![1, 0, 0, 1]));
        let each = HostClusters::parse("c", "cluster = \"host\"").unwrap();
        assert_eq!(each, HostClusters::EachHost);
        assert_eq!(each.cluster_of_each_rank(&hosts(&["b", "a", "b"])), Ok(vec![0, 1, 0]));
        assert_eq!(HostClusters::parse("c", &each.to_toml()), Ok(each));
    }

    /// Two sites of two switches and one switch, and the same without a delay.
    #[test]
    fn delays_separate_clusters_else_switches_do() {
        let head = "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '64KiB'\n";
        let switch = |name, hosts| format!("[[switch]]\nname = '{name}'\nhosts = {hosts}\n");
        let core = "[[switch]]\nname = 'core'\n";
        let link =
            |a, b, more| format!("[[link]]\nbetween = ['{a}', '{b}']\nrate = '1Gbit/s'\nport_buffer = '64KiB'\n{more}");
        let delay = "delay = '5ms'\n";
        let text = |delay| {
            [head, &switch("a", 2), core, &switch("b", 1), &switch("c", 2)].concat()
                + &[link("a", "core", delay), link("c", "core", delay), link("b", "a", "")].concat()
        };
        let text_of = |delay| {
            let network = Network::parse("n", &text(delay)).unwrap();
            let clusters = HostClusters::of_network(&network, |host| format!("h{}", host.0));
            clusters.to_toml()
        };
        insta::assert_snapshot!(text_of(delay) + "\n" + &text_of(""));
    }

    #[test]
    fn faults_are_told_with_what_to_do() {
        let parse = |text: &str| format!("{}\n", HostClusters::parse("c.toml", text).unwrap_err());
        let messages = [
            TEXT.replace("n4", "n2"),
            TEXT.replace("west", "east"),
            TEXT.replace("n4,m1", ""),
            TEXT.replace("n[0-3]", "n[0-"),
            TEXT.replace("hosts", "host"),
            "cluster = []".to_owned(),
            "cluster = \"node\"".to_owned(),
            String::new(),
        ]
        .map(|text| parse(&text));
        let unlisted = HostClusters::parse("c", TEXT)
            .unwrap()
            .cluster_of_each_rank(&hosts(&["n0", "n9"]));
        insta::assert_snapshot!(format!("{}{}", messages.concat(), unlisted.unwrap_err()));
    }
}
