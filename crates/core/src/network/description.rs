//! Networks as files: what a simulation takes as its network.
//!
//! | file | network |
//! |---|---|
//! | `topology = "star"` or `"tree"` | a [`Scenario`]: one switch, or two that are joined |
//! | `topology = "binary-tree"` | the symmetric tree of [`plogpt`](crate::model::alltoall::plogpt) |
//! | `topology = "graph"` | any switches and links between them |
//!
//! ```
//! # use netsig_core::network::description::Description;
//! let text = "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '64KiB'\nlatency = '50us'\n\
//!     [[switch]]\nname = 's0'\nhosts = 'n[0-3]'\n\
//!     [[switch]]\nname = 's1'\nhosts = 'n[4-7]'\n\
//!     [[link]]\nbetween = ['s0', 's1']\nrate = '2Gbit/s'\nport_buffer = '128KiB'\n";
//! let network = Description::parse("two", text)?;
//! assert_eq!(network.topology().hosts().len(), 8);
//! # Ok::<(), netsig_core::text::file_error::FileError>(())
//! ```

mod wire;

use std::sync::{Arc, OnceLock};

use itertools::Itertools;

use super::topology::{self, Topology, TopologyError, Vertex};
use crate::network::binary_tree::Edge;
use crate::network::scenario::Scenario;
use crate::text::file_error::FileError;
use crate::units::BytesPerSecond;
use crate::units::Seconds;

/// A network to simulate, with what its file says of it.
#[derive(Debug, Clone)]
pub struct Description {
    /// L, if the file says.
    pub latency: Option<Seconds>,
    /// The retransmission timeout, if the file says.
    pub rto: Option<Seconds>,
    shape: Shape,
}

/// Hosts, switches and links.
#[derive(Debug, Clone)]
enum Shape {
    Built(Arc<Topology>),
    /// A binary tree, built when it is needed: a closed form needs its edges alone.
    BinaryTree {
        heights: Vec<Edge>,
        hosts: usize,
        built: Arc<OnceLock<Arc<Topology>>>,
    },
}

impl Description {
    /// Reads the description `text`; `name` is what errors call its file.
    ///
    /// # Errors
    /// If the text is not TOML, has unknown or missing keys, or describes a network that
    /// cannot be; the message names the line and says what to write.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        wire::parse(name, text)
    }

    /// The network of a scenario; its L is the start-up time of its truth.
    pub fn of_scenario(scenario: &Scenario) -> Self {
        let topology = Topology::of_scenario(scenario).expect("a scenario is a network");
        Self {
            latency: scenario.truth.map(|truth| truth.alpha),
            ..Self::of_topology(topology)
        }
    }

    /// A network of which no more is known.
    pub fn of_topology(topology: Topology) -> Self {
        Self::of(Shape::Built(Arc::new(topology)))
    }

    /// The binary tree of these edges by height.
    ///
    /// # Errors
    /// As [`Topology::binary_tree`].
    pub fn of_heights(heights: Vec<Edge>) -> Result<Self, TopologyError> {
        Ok(Self::of(Shape::BinaryTree {
            hosts: topology::leaves(&heights)?,
            heights,
            built: Arc::default(),
        }))
    }

    fn of(shape: Shape) -> Self {
        Self {
            latency: None,
            rto: None,
            shape,
        }
    }

    /// Hosts, switches and links.
    pub fn topology(&self) -> &Arc<Topology> {
        match &self.shape {
            Shape::Built(topology) => topology,
            Shape::BinaryTree { heights, built, .. } => built.get_or_init(|| {
                let tree = Topology::binary_tree(heights);
                Arc::new(tree.expect("the edges were checked"))
            }),
        }
    }

    /// The edges by height, of a binary tree.
    pub fn heights(&self) -> Option<&[Edge]> {
        match &self.shape {
            Shape::Built(_) => None,
            Shape::BinaryTree { heights, .. } => Some(heights),
        }
    }

    /// All hosts, ascending.
    pub fn hosts(&self) -> Arc<[Vertex]> {
        let count = match &self.shape {
            Shape::Built(topology) => topology.hosts().len(),
            Shape::BinaryTree { hosts, .. } => *hosts,
        };
        let end = u32::try_from(count).expect("at most 2^20 hosts");
        (0..end).map(Vertex).collect()
    }

    /// The rate of the links of all hosts, if it is the same.
    pub fn host_rate(&self) -> Option<BytesPerSecond> {
        if let Some(heights) = self.heights() {
            return heights.first().map(|edge| edge.bandwidth);
        }
        let topology = self.topology();
        let links = topology.links().iter();
        let leaving = links.filter(|link| topology.is_host(link.from));
        leaving.map(|link| link.rate).all_equal_value().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Bytes;

    const GRAPH: &str = r#"topology = "graph"
rate = "1Gbit/s"
port_buffer = "64KiB"
[[switch]]
name = "s0"
hosts = "n[0-3]"
[[switch]]
name = "s1"
hosts = 2
rate = "100Mbit/s"
[[switch]]
name = "top"
[[link]]
between = ["s0", "top"]
rate = "2Gbit/s"
port_buffer = "128KiB"
[[link]]
between = ["s1", "top"]
rate = "1Gbit/s"
port_buffer = "32KiB"
"#;

    const BINARY: &str = r#"topology = "binary-tree"
latency = "50us"
[[height]]
rate = "1Gbit/s"
[[height]]
rate = "1Gbit/s"
delay = "36.4us"
"#;

    fn fault(text: &str, old: &str, new: &str) -> String {
        assert!(text.contains(old), "{old}");
        let changed = text.replacen(old, new, 1);
        Description::parse("t", &changed).unwrap_err().to_string()
    }

    #[test]
    fn a_graph_is_read_in_full() {
        let graph = Description::parse("t", GRAPH).unwrap();
        let topology = graph.topology();
        let names: Vec<&str> = topology.hosts().map(|host| topology.name(host)).collect();
        assert_eq!(names, ["n0", "n1", "n2", "n3", "s1-0", "s1-1"]);
        assert_eq!((topology.vertices(), topology.links().len()), (9, 16));
        let link = |name: &str| {
            let mut links = (0..16).map(super::super::topology::LinkId);
            let found = links.find(|&id| topology.link_name(id) == name).unwrap();
            (topology.link(found).rate.0, topology.link(found).buffer)
        };
        assert_eq!(link("s0 -> n2"), (125e6, Bytes(65536)));
        assert_eq!(link("s1-1 -> s1"), (12.5e6, Bytes(65536)));
        assert_eq!(link("top -> s1"), (125e6, Bytes(32768)));
        assert_eq!((graph.host_rate(), graph.latency), (None, None));
    }

    #[test]
    fn a_binary_tree_keeps_its_heights() {
        let tree = Description::parse("t", BINARY).unwrap();
        assert_eq!(tree.topology().hosts().len(), 4);
        assert_eq!(tree.latency, Some(Seconds(50.0 * 1e-6)));
        let delays: Vec<f64> = tree.heights().unwrap().iter().map(|e| e.delay.0).collect();
        assert_eq!(delays, [0.0, 36.4 * 1e-6]);
        assert_eq!(tree.host_rate(), Some(BytesPerSecond(125e6)));
    }

    #[test]
    fn a_scenario_of_many_hosts_is_a_network() {
        let text = "description = 'big'\ntopology = 'star'\nhosts = 4096\nrate = '1Gbit/s'\n\
                    port_buffer = '64KiB'\ncongestion_control = 'reno'\n";
        let star = Description::parse("t", text).unwrap();
        assert_eq!((star.topology().hosts().len(), star.latency), (4096, None));
    }

    #[test]
    fn faults_name_line_and_remedy() {
        let cases = [
            (
                GRAPH,
                "\"graph\"",
                "\"ring\"",
                "t:1: \"ring\" is not a topology; write",
            ),
            (
                GRAPH,
                "topology = \"graph\"",
                "",
                "t:1: missing field `topology`; see",
            ),
            (
                GRAPH,
                "port_buffer",
                "buffer",
                "t:3: unknown field `buffer`",
            ),
            (
                GRAPH,
                "\"1Gbit/s\"",
                "\"0Mbit/s\"",
                "t:2: \"0Mbit/s\" is not a link rate; write",
            ),
            (
                GRAPH,
                "\"n[0-3]\"",
                "\"n[0-3\"",
                "t:6: \"[\" is never closed",
            ),
            (
                GRAPH,
                "= 2",
                "= 0",
                "t:9: 0 hosts; write 1 or more, or leave it out",
            ),
            (
                GRAPH,
                "= 2",
                "= 2000000",
                "t:9: 2000004 hosts up to here are too many; write at most 1048576",
            ),
            (
                GRAPH,
                "\"s1\"",
                "\"s0\"",
                "t:8: two switches are called \"s0\"; give each",
            ),
            (
                GRAPH,
                "[\"s0\", \"top\"]",
                "[\"s0\", \"s2\"]",
                "t:14: no switch is called \"s2\"; write",
            ),
            (
                GRAPH,
                "[\"s1\", \"top\"]",
                "[\"s0\", \"top\"]",
                "t:1: s0 and top are joined twice",
            ),
            (
                GRAPH,
                "[\"s1\", \"top\"]",
                "[\"s1\", \"s1\"]",
                "t:18: a cable joins s1 to s1",
            ),
            (
                BINARY,
                "36.4us",
                "-1us",
                "t:7: \"-1us\" is not a duration; write",
            ),
            (BINARY, "delay", "buffer", "t:7: unknown field `buffer`"),
            (BINARY, "50us", "50", "t:2: \"50\" is not a duration; write"),
        ];
        for (text, old, new, expected) in cases {
            let message = fault(text, old, new);
            assert!(message.starts_with(expected), "{new}: {message}");
            assert!(
                !message.contains('\n') && message.contains("; "),
                "{message}"
            );
        }
        let apart = GRAPH.split("[[link]]").next().unwrap();
        let message = Description::parse("t", apart).unwrap_err().to_string();
        assert!(message.contains("join their parts by a cable"), "{message}");
    }
}
