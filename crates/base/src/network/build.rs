//! Construction of networks from switches, links or heights.

use std::sync::{Arc, OnceLock};

use itertools::Itertools;

use super::graph::NetworkGraph;
use super::link::{Cable, Vertex};
use super::{
    DEFAULT_CONGESTION_CONTROL, LinkSpec, MOST_HOSTS, Network, NetworkError, NetworkShape, Switch, TreeEdge, Trunk,
};
use crate::units::parameter::{ParameterError, non_negative};
use crate::units::{Bytes, Seconds};

/// Largest number of heights of a binary tree, so that its leaves can be counted.
const MOST_HEIGHTS: usize = 31;

impl Network {
    /// A network of switches with their hosts, and of links between switches.
    ///
    /// # Errors
    /// If there are no or too many hosts, two hosts have one name, two links join the same
    /// switches, or some switch cannot be reached.
    pub fn new(switches: Vec<Switch>, trunks: Vec<Trunk>) -> Result<Self, NetworkError> {
        let graph = switch_graph(&switches, &trunks)?;
        Ok(Self {
            graph: Arc::new(OnceLock::from(graph)),
            ..Self::of(NetworkShape::Switches { switches, trunks })
        })
    }

    /// A star: all hosts, `host0` and so on, on one switch.
    ///
    /// # Errors
    /// If there are no or too many hosts.
    pub fn star(hosts: u32, host_link: LinkSpec) -> Result<Self, NetworkError> {
        Self::new(vec![Switch::numbered(0, 0..hosts, host_link)?], Vec::new())
    }

    /// A tree of two switches: the `first` hosts are on switch 0, the others on switch 1.
    ///
    /// # Errors
    /// If there are no or too many hosts.
    pub fn two_switches(
        [first, second]: [u32; 2],
        host_link: LinkSpec,
        uplink: LinkSpec,
    ) -> Result<Self, NetworkError> {
        let all = first.saturating_add(second);
        let switches = [
            Switch::numbered(0, 0..first, host_link)?,
            Switch::numbered(1, first..all, host_link)?,
        ];
        let trunk = Trunk {
            ends: [0, 1],
            link: uplink,
        };
        Self::new(switches.into(), vec![trunk])
    }

    /// The symmetric binary tree of the model PlogPT: 2^H hosts below H
    /// heights of switches; the edges of the hosts come first. A port buffers b·d.
    ///
    /// # Errors
    /// If a bandwidth is not positive, a delay is negative, or there are no or more than 20
    /// heights.
    pub fn binary_tree(heights: Vec<TreeEdge>) -> Result<Self, NetworkError> {
        check_edges(&heights)?;
        if heights.is_empty() {
            return Err(NetworkError::NoHosts);
        }
        refuse_too_many("hosts", 1 << heights.len())?;
        Ok(Self::of(NetworkShape::BinaryTree(heights)))
    }

    fn of(shape: NetworkShape) -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            congestion_control: DEFAULT_CONGESTION_CONTROL.to_owned(),
            eager_limit: None,
            latency: None,
            rto: None,
            truth: None,
            shape,
            graph: Arc::default(),
        }
    }

    /// Hosts, switches and links; built at the first call.
    pub(super) fn graph(&self) -> &NetworkGraph {
        self.graph.get_or_init(|| {
            let built = match &self.shape {
                NetworkShape::Switches { switches, trunks } => switch_graph(switches, trunks),
                NetworkShape::BinaryTree(heights) => binary_tree_graph(heights),
            };
            built.expect("the parts were checked")
        })
    }
}

impl Switch {
    /// A switch `switch0`, with `host0` and so on.
    fn numbered(number: u32, hosts: std::ops::Range<u32>, host_link: LinkSpec) -> Result<Self, NetworkError> {
        refuse_too_many("hosts", hosts.len())?;
        Ok(Self {
            name: format!("switch{number}"),
            hosts: hosts.map(|host| format!("host{host}")).collect(),
            host_link,
        })
    }
}

/// Refuses edges that no binary tree can have.
///
/// # Errors
/// If a bandwidth is not positive, a delay is negative, a number is not finite, or there are more
/// than 31 heights.
pub fn check_edges(edges: &[TreeEdge]) -> Result<(), ParameterError> {
    if edges.len() > MOST_HEIGHTS {
        let rule = "at most 31, for 2^31 ranks";
        return Err(ParameterError::new("number of heights", edges.len(), rule));
    }
    for TreeEdge { bandwidth, delay } in edges {
        if !(bandwidth.0.is_finite() && bandwidth.0 > 0.0) {
            let rule = "finite and above 0 bytes per second";
            return Err(ParameterError::new("bandwidth", bandwidth.0, rule));
        }
        non_negative("delay", delay.0)?;
    }
    Ok(())
}

/// The number of hosts on all switches.
pub(super) fn host_count(switches: &[Switch]) -> usize {
    switches.iter().map(|switch| switch.hosts.len()).sum()
}

fn refuse_too_many(what: &'static str, count: usize) -> Result<(), NetworkError> {
    if count > MOST_HOSTS {
        return Err(NetworkError::TooMany { what, count });
    }
    Ok(())
}

/// Graph of switches: its vertices are the hosts of all switches in order, then the switches.
fn switch_graph(switches: &[Switch], trunks: &[Trunk]) -> Result<NetworkGraph, NetworkError> {
    let count = host_count(switches);
    refuse_too_many("hosts", count)?;
    refuse_too_many("switches", switches.len())?;
    let hosts = || switches.iter().flat_map(|switch| &switch.hosts);
    if count == 0 {
        return Err(NetworkError::NoHosts);
    }
    if let Some(name) = hosts().duplicates().next() {
        return Err(NetworkError::SameName(name.clone()));
    }
    let switch = |number: usize| Vertex::of(count + number);
    let cable = |ends, link: LinkSpec| Cable {
        ends,
        rate: link.rate.into(),
        buffer: link.buffer,
        delay: link.delay,
    };
    let numbered_switches = switches.iter().enumerate();
    let host_links = numbered_switches
        .flat_map(|(number, host_switch)| host_switch.hosts.iter().map(move |_| (number, host_switch.host_link)));
    let to_switch = |(host, (number, port))| cable([Vertex::of(host), switch(number)], port);
    let between = |trunk: &Trunk| cable(trunk.ends.map(switch), trunk.link);
    let host_cables = host_links.enumerate().map(to_switch);
    let cables: Vec<Cable> = host_cables.chain(trunks.iter().map(between)).collect();
    let names = hosts().chain(switches.iter().map(|switch| &switch.name));
    NetworkGraph::new(count, names.cloned().collect(), &cables)
}

/// Graph of a binary tree: every two vertices are below one of the next height.
fn binary_tree_graph(heights: &[TreeEdge]) -> Result<NetworkGraph, NetworkError> {
    let hosts = 1 << heights.len();
    let first = |height: usize| 2 * hosts - ((2 * hosts) >> height);
    let cables = heights.iter().enumerate().flat_map(|(below, edge)| {
        (0..hosts >> below).map(move |node| Cable {
            ends: [first(below) + node, first(below + 1) + node / 2].map(Vertex::of),
            rate: edge.bandwidth,
            buffer: Bytes::rounded(edge.buffer()),
            delay: Seconds(0.0),
        })
    });
    let name = |kind| move |number| format!("{kind}{number}");
    let host_names = (0..hosts).map(name("host"));
    let names = host_names.chain((0..hosts - 1).map(name("switch")));
    NetworkGraph::new(hosts, names.collect(), &cables.collect::<Vec<_>>())
}
