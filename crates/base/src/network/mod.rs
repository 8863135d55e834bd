//! Description of a network: hosts on switches, the links between switches, and settings of the
//! hosts. The lab emulates it, the simulator runs on it, and models and fits take its links.
//!
//! | read from | by |
//! |---|---|
//! | TOML: a star, a tree of two switches, any graph of switches, a binary tree | [`Network::parse`] |
//! | Slurm's `topology.conf`, `topology.yaml`, and the output of `scontrol show topology` | [`slurm::parse`] |
//!
//! # Choices
//! A host has one link, to its switch, and forwards nothing. In a tree of switches each route is the only one;
//! elsewhere it is a shortest one. Among several, the next switch is always the one with the lowest number, as with
//! static routing tables.
//!
//! # Domain
//! At most 1,048,576 hosts and as many switches. Trees need memory for their links alone; other
//! graphs also need a table of 8 bytes per host and switch for each switch at which a route has
//! ended. A binary tree is built when its links are first used: closed forms need only its heights.
//!
//! ```
//! # use netsig_base::network::Network;
//! let text = "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '64KiB'\nlatency = '50us'\n\
//!     [[switch]]\nname = 's0'\nhosts = 'n[0-3]'\n\
//!     [[switch]]\nname = 's1'\nhosts = 'n[4-5]'\n\
//!     [[link]]\nbetween = ['s0', 's1']\nrate = '2Gbit/s'\nport_buffer = '128KiB'\n";
//! let network = Network::parse("two", text)?;
//! let hosts = network.hosts_listed("n3,n4")?;
//! let mut route = Vec::new();
//! network.route(hosts[0], hosts[1], &mut route);
//! let names: Vec<String> = route.iter().map(|&link| network.link_name(link)).collect();
//! assert_eq!(names, ["n3 -> s0", "s0 -> s1", "s1 -> n4"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod clusters;
mod cut;
pub mod discovery;
mod file;
mod graph;
pub mod grid;
pub mod hosts;
mod link;
pub mod named;
pub mod placement;
mod routes;
pub mod slurm;
#[cfg(test)]
pub(crate) mod testing;
mod write;

use std::sync::{Arc, OnceLock};

use crate::text::file_error::FileError;
use crate::text::sanitised::excerpt;
use crate::units::parameter::ParameterError;
use crate::units::{BitsPerSecond, Bytes, BytesPerSecond, Procs, Seconds, SecondsPerByte};

pub use build::check_edges;
pub use clusters::{HostCluster, HostClusters, HostClustersError};
pub use cut::NetworkCut;
use graph::NetworkGraph;
pub use grid::{ClusterGrid, ClusterGridError, ClusterLink};
pub use link::{Link, LinkId, Vertex};

/// Least retransmission timeout of TCP in Linux (RFC 6298 requires a second).
pub const LINUX_RTO: Seconds = Seconds(0.2);

/// Largest number of hosts of a network, and of switches.
pub const MOST_HOSTS: usize = 1 << 20;

/// The TCP congestion control of hosts if the description names none.
const DEFAULT_CONGESTION_CONTROL: &str = "reno";

/// A network.
#[derive(Debug, Clone)]
pub struct Network {
    /// Name of its file without `.toml`.
    pub name: String,
    /// Purpose of the network in a sentence; may be empty.
    pub description: String,
    /// The TCP congestion control of all hosts.
    pub congestion_control: String,
    /// The first message size that the MPI library does not send eagerly, if known.
    pub eager_limit: Option<Bytes>,
    /// L, the time of an empty message, if known.
    pub latency: Option<Seconds>,
    /// The retransmission timeout, if it differs from that of Linux.
    pub rto: Option<Seconds>,
    /// The contention signature that a simulated transport follows, if known.
    pub truth: Option<TrueSignature>,
    shape: NetworkShape,
    graph: Arc<OnceLock<NetworkGraph>>,
}

/// Connections of hosts and switches.
#[derive(Debug, Clone, PartialEq)]
enum NetworkShape {
    Switches {
        switches: Vec<Switch>,
        trunks: Vec<Trunk>,
    },
    /// A symmetric binary tree, by heights from the hosts up.
    BinaryTree(Vec<TreeEdge>),
}

/// A full-duplex link with a port at each end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkSpec {
    /// The rate in each direction.
    pub rate: BitsPerSecond,
    /// Buffer of a switch's port; a full port drops. A host never drops its own messages.
    pub buffer: Bytes,
    /// The propagation delay.
    pub delay: Seconds,
}

/// A switch with its hosts.
#[derive(Debug, Clone, PartialEq)]
pub struct Switch {
    /// Name of the switch.
    pub name: String,
    /// The names of its hosts.
    pub hosts: Vec<String>,
    /// The link of each host.
    pub host_link: LinkSpec,
}

/// A link between two switches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trunk {
    /// Indices of the two switches in the list of switches.
    pub ends: [usize; 2],
    /// The link.
    pub link: LinkSpec,
}

/// The edges of one height of a binary tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeEdge {
    /// Bandwidth b in each direction.
    pub bandwidth: BytesPerSecond,
    /// Delay d; the buffer of the switch is b·d.
    pub delay: Seconds,
}

/// Contention signature of a simulated network, for the assessment of fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrueSignature {
    /// Start-up time of one message.
    pub alpha: Seconds,
    /// Contention ratio: time of an exchange as a multiple of the contention-free bound.
    pub gamma: f64,
    /// Extra time of one partner's message beyond the threshold.
    pub delta: Seconds,
    /// The message size from which `delta` is paid.
    pub threshold: Bytes,
    /// Relative standard deviation of one repetition.
    pub noise: f64,
}

/// Fewer hosts than processes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("network {network} has {hosts} hosts for {procs} processes; choose a larger one or fewer processes")]
pub struct TooFewHosts {
    network: String,
    hosts: Procs,
    procs: Procs,
}

/// Error of a network's description; the message ends with a remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// No hosts.
    #[error("a network without hosts; give at least one")]
    NoHosts,
    /// More hosts or switches than the limit.
    #[error("{count} {what} are too many; use at most {MOST_HOSTS}")]
    TooMany {
        /// `hosts` or `switches`.
        what: &'static str,
        /// Their number.
        count: usize,
    },
    /// Two hosts with one name.
    #[error("two hosts are called {0:?}; give each a name of its own")]
    SameName(String),
    /// Two links between the same switches.
    #[error("{} and {} are joined twice; join them once, at the sum of the rates", excerpt(.0), excerpt(.1))]
    JoinedTwice(String, String),
    /// Switches that cannot reach each other.
    #[error("no way leads from {} to {} through switches; join their parts by a link", excerpt(.0), excerpt(.1))]
    NotConnected(String, String),
    /// Edges that no binary tree can have.
    #[error(transparent)]
    Edge(#[from] ParameterError),
}

/// True if the networks have one description.
impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.to_toml()) == (&other.name, other.to_toml())
    }
}

impl Network {
    /// Parses the description `text`; `name` names the network, also in errors.
    ///
    /// # Errors
    /// If the text is not TOML, has unknown or missing keys, or describes an impossible network;
    /// the message names the line and a remedy.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        file::parse(name, text)
    }

    /// The TOML text that [`Network::parse`] reads back to this network.
    pub fn to_toml(&self) -> String {
        write::toml(self)
    }

    /// Refuses more processes than hosts.
    ///
    /// # Errors
    /// If `procs` exceeds the number of hosts.
    pub fn refuse_more_than_hosts(&self, procs: Procs) -> Result<(), TooFewHosts> {
        let hosts = self.hosts();
        if procs <= hosts {
            return Ok(());
        }
        Err(TooFewHosts {
            network: self.name.clone(),
            hosts,
            procs,
        })
    }

    /// The number of hosts.
    pub fn hosts(&self) -> Procs {
        let hosts = match &self.shape {
            NetworkShape::Switches { switches, .. } => build::host_count(switches),
            NetworkShape::BinaryTree(heights) => 1 << heights.len(),
        };
        let count = u32::try_from(hosts).expect("at most 2^20 hosts");
        Procs::new(count).expect("there is a host")
    }

    /// The edges by height; `None` unless the network is a binary tree.
    pub fn heights(&self) -> Option<&[TreeEdge]> {
        match &self.shape {
            NetworkShape::Switches { .. } => None,
            NetworkShape::BinaryTree(heights) => Some(heights),
        }
    }

    /// Gap per byte of the slowest link of a host, without headers.
    pub fn host_gap(&self) -> SecondsPerByte {
        match &self.shape {
            NetworkShape::Switches { switches, .. } => {
                let with_hosts = switches.iter().filter(|switch| !switch.hosts.is_empty());
                let rate = with_hosts.map(|switch| switch.host_link.rate).min();
                rate.expect("there is a host").gap_per_byte()
            }
            NetworkShape::BinaryTree(heights) => SecondsPerByte(1.0 / heights[0].bandwidth.0),
        }
    }

    /// Gaps per byte of the slowest and of the fastest link of a host, without headers.
    pub fn host_gaps(&self) -> [SecondsPerByte; 2] {
        let slowest = self.host_gap();
        let fastest = match &self.shape {
            NetworkShape::Switches { switches, .. } => {
                let with_hosts = switches.iter().filter(|switch| !switch.hosts.is_empty());
                let rate = with_hosts.map(|switch| switch.host_link.rate).max();
                rate.map_or(slowest, BitsPerSecond::gap_per_byte)
            }
            NetworkShape::BinaryTree(_) => slowest,
        };
        [slowest, fastest]
    }

    /// Smallest buffer of a switch's port to a host.
    pub fn host_buffer(&self) -> Bytes {
        match &self.shape {
            NetworkShape::Switches { switches, .. } => {
                let with_hosts = switches.iter().filter(|switch| !switch.hosts.is_empty());
                let buffer = with_hosts.map(|switch| switch.host_link.buffer).min();
                buffer.expect("there is a host")
            }
            NetworkShape::BinaryTree(heights) => Bytes::rounded(heights[0].buffer()),
        }
    }

    /// True if every route is the only one.
    pub fn is_tree(&self) -> bool {
        match &self.shape {
            NetworkShape::Switches { switches, trunks } => trunks.len() + 1 == switches.len(),
            NetworkShape::BinaryTree(_) => true,
        }
    }

    /// The network in a few words: `12 hosts, 40 Mbit/s, 64 KiB port buffer, reno, star`.
    pub fn summary(&self) -> String {
        let mut words = vec![format!("{} hosts", self.hosts())];
        let mut ports: Vec<String> = match &self.shape {
            NetworkShape::Switches { switches, .. } => {
                let with_hosts = switches.iter().filter(|switch| !switch.hosts.is_empty());
                let port = |switch: &Switch| {
                    let LinkSpec { rate, buffer, .. } = switch.host_link;
                    format!("{rate}, {buffer} port buffer")
                };
                with_hosts.map(port).collect()
            }
            NetworkShape::BinaryTree(_) => Vec::new(),
        };
        ports.dedup();
        words.push(ports.join(" or "));
        words.push(self.congestion_control.clone());
        let limit = self.eager_limit;
        words.extend(limit.map(|limit| format!("{limit} eager limit")));
        words.push(self.shape_name());
        words.extend(self.delayed_links());
        words.retain(|word| !word.is_empty());
        words.join(", ")
    }

    /// Links between switches that have a delay, each kind once.
    fn delayed_links(&self) -> Vec<String> {
        let NetworkShape::Switches { trunks, .. } = &self.shape else {
            return Vec::new();
        };
        let far = trunks.iter().filter(|trunk| trunk.link.delay.0 > 0.0);
        let mut links: Vec<String> = far
            .map(|trunk| format!("links of {} and {}", trunk.link.rate, trunk.link.delay))
            .collect();
        links.dedup();
        links
    }

    /// Kind of the connections between switches.
    fn shape_name(&self) -> String {
        match &self.shape {
            NetworkShape::BinaryTree(_) => "binary tree".to_owned(),
            NetworkShape::Switches { switches, .. } => match switches.len() {
                1 => "star".to_owned(),
                2 => "tree".to_owned(),
                count if self.is_tree() => format!("tree of {count} switches"),
                count => format!("graph of {count} switches"),
            },
        }
    }
}

impl LinkSpec {
    /// A link without delay.
    pub fn new(rate: BitsPerSecond, buffer: Bytes) -> Self {
        Self {
            rate,
            buffer,
            delay: Seconds(0.0),
        }
    }
}

impl TreeEdge {
    /// Buffer of the switch's port: b·d bytes.
    pub fn buffer(&self) -> f64 {
        self.bandwidth.0 * self.delay.0
    }
}

#[cfg(test)]
mod tests;
