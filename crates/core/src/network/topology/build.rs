//! Topologies of the usual shapes.

use super::{Cable, MOST_HOSTS, Parts, Topology, TopologyError, Vertex};
use crate::network::binary_tree::{Edge, Network, Parameters};
use crate::network::scenario::{Scenario, Uplink};
use crate::units::BytesPerSecond;
use crate::units::{Bytes, Seconds};

impl Topology {
    /// All hosts on one switch.
    ///
    /// # Errors
    /// If there are no or too many hosts, or the rate is not positive.
    pub fn star(hosts: u32, rate: BytesPerSecond, buffer: Bytes) -> Result<Self, TopologyError> {
        Self::on_switches(hosts, (rate, buffer), None)
    }

    /// The network of a scenario: all hosts on one switch, or on two that are joined.
    ///
    /// # Errors
    /// Never for a scenario that was read from a file.
    pub fn of_scenario(scenario: &Scenario) -> Result<Self, TopologyError> {
        let link = (scenario.rate.into(), scenario.port_buffer);
        Self::on_switches(scenario.hosts.get(), link, scenario.uplink)
    }

    /// Hosts with links of a rate and a buffer to one switch, or to two that are joined.
    fn on_switches(
        hosts: u32,
        (rate, buffer): (BytesPerSecond, Bytes),
        uplink: Option<Uplink>,
    ) -> Result<Self, TopologyError> {
        check_hosts(hosts as usize)?;
        let switches = [hosts, hosts + 1].map(Vertex);
        let first_hosts = uplink.map_or(hosts, |uplink| uplink.first_switch_hosts);
        let to_switch = |host| Cable {
            ends: [Vertex(host), switches[usize::from(host >= first_hosts)]],
            rate,
            buffer,
        };
        let between = uplink.map(|uplink| Cable {
            ends: switches,
            rate: uplink.rate.into(),
            buffer: uplink.port_buffer,
        });
        Self::new(Parts {
            hosts: numbered("host", hosts),
            switches: numbered("switch", if uplink.is_some() { 2 } else { 1 }),
            cables: (0..hosts).map(to_switch).chain(between).collect(),
        })
    }

    /// The symmetric binary tree of [`plogpt`](crate::model::alltoall::plogpt): 2^H hosts below H
    /// heights of switches, the leaves' edges first. A port buffers b·d.
    ///
    /// # Errors
    /// If a bandwidth is not positive, a delay is negative, or there are more than 20 heights.
    pub fn binary_tree(heights: &[Edge]) -> Result<Self, TopologyError> {
        let hosts = leaves(heights)?;
        let first = |height: usize| 2 * hosts - ((2 * hosts) >> height);
        let cables = heights.iter().enumerate().flat_map(|(below, edge)| {
            (0..hosts >> below).map(move |node| Cable {
                ends: [first(below) + node, first(below + 1) + node / 2].map(Vertex::of),
                rate: edge.bandwidth,
                buffer: Bytes::rounded(edge.bandwidth.0 * edge.delay.0),
            })
        });
        let hosts = Vertex::of(hosts).0;
        Self::new(Parts {
            hosts: numbered("host", hosts),
            switches: numbered("switch", hosts - 1),
            cables: cables.collect(),
        })
    }
}

/// How many leaves the binary tree of these edges has.
///
/// # Errors
/// As [`Topology::binary_tree`].
pub fn leaves(heights: &[Edge]) -> Result<usize, TopologyError> {
    Network::new(&Parameters::new(heights.to_vec(), Seconds(0.0)))?;
    let hosts = 1 << heights.len();
    check_hosts(hosts)?;
    Ok(hosts)
}

fn check_hosts(count: usize) -> Result<(), TopologyError> {
    if count > MOST_HOSTS {
        return Err(TopologyError::TooMany {
            what: "hosts",
            count,
            most: MOST_HOSTS,
        });
    }
    Ok(())
}

/// `host0`, `host1` and so on.
fn numbered(kind: &str, count: u32) -> Vec<String> {
    (0..count).map(|number| format!("{kind}{number}")).collect()
}
