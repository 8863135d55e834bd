//! Networks for tests of this crate and of crates that use it, which include this file by its path.

use netsig_base::network::{LinkSpec, Network, NetworkError, Switch, Trunk};
use netsig_base::units::{BitsPerSecond, Bytes};

/// A port of 8 bit/s that holds one byte.
pub(crate) fn port() -> LinkSpec {
    LinkSpec::new(BitsPerSecond(8), Bytes(1))
}

/// Switches with so many hosts, joined.
pub(crate) fn graph_of(hosts: &[u32], pairs: &[(usize, usize)]) -> Result<Network, NetworkError> {
    let mut names = (0..).map(|number| format!("h{number}"));
    let switch = |(number, count): (usize, &u32)| Switch {
        name: format!("s{number}"),
        hosts: names.by_ref().take(*count as usize).collect(),
        host_link: port(),
    };
    let switches = hosts.iter().enumerate().map(switch).collect();
    let trunk = |&(a, b): &(usize, usize)| Trunk {
        ends: [a, b],
        link: port(),
    };
    Network::new(switches, pairs.iter().map(trunk).collect())
}
