//! Hosts, links and routes of a platform.

use std::collections::BTreeMap;

use netsig_base::network::{Link, LinkId, Network, Vertex};
use netsig_base::units::{Procs, Seconds};

use super::xml::{element, element_around, number};
use super::{LEAST_SHARE, MOST_SWITCHES, PlatformError, PlatformParameters, SPEED};

/// A link with a capacity in each direction.
const DUPLEX: (&str, &str) = ("sharing_policy", "SPLITDUPLEX");

/// A star of hosts `host0` and so on.
pub(super) fn star(parameters: &PlatformParameters, hosts: Procs) -> String {
    let attributes = [
        ("id", "star"),
        ("prefix", "host"),
        ("suffix", ""),
        ("radical", &format!("0-{}", hosts.get() - 1)),
        ("speed", SPEED),
        ("bw", &bytes_per_second(parameters.bandwidth())),
        ("lat", &seconds(parameters.latency * 0.5)),
        DUPLEX,
    ];
    element("cluster", &attributes)
}

/// A zone for each switch with hosts, the links between switches, and the network's routes between
/// zones.
pub(super) fn zones(parameters: &PlatformParameters, network: &Network) -> Result<String, PlatformError> {
    let switches = hosts_by_switch(network);
    if switches.len() > MOST_SWITCHES {
        return Err(PlatformError::TooManySwitches {
            name: network.name.clone(),
            count: switches.len(),
        });
    }
    let host_rate = 1.0 / network.host_gap().0;
    let measured = parameters.bandwidth();
    let share = (measured / host_rate).clamp(LEAST_SHARE, 1.0);
    let mut inner = String::new();
    let half = seconds(parameters.latency * 0.5);
    for (&switch, hosts) in &switches {
        let link = |name: &str, link: &Link| {
            let rate = bytes_per_second(measured * link.rate.0 / host_rate);
            duplex(name, &rate, &half)
        };
        inner += &zone(network, switch, hosts, link);
    }
    for id in trunks(network) {
        let link = network.link(id);
        let rate = bytes_per_second(link.rate.0 * share);
        inner += &duplex(&trunk_name(network, id), &rate, &seconds(link.delay));
    }
    inner += &routes(network, &switches);
    Ok(element_around(
        "zone",
        &[("id", "network"), ("routing", "Full")],
        &inner,
    ))
}

/// Hosts of each switch that has any, with their links.
type PlatformSwitches = BTreeMap<Vertex, Vec<(Vertex, LinkId)>>;

fn hosts_by_switch(network: &Network) -> PlatformSwitches {
    let mut switches = PlatformSwitches::new();
    for (id, link) in (0..).map(LinkId).zip(network.links()) {
        if network.is_host(link.from) {
            switches.entry(link.to).or_default().push((link.from, id));
        }
    }
    switches
}

/// One direction of each cable between two switches.
fn trunks(network: &Network) -> impl Iterator<Item = LinkId> {
    let numbered = (0..).map(LinkId).zip(network.links());
    let between =
        numbered.filter(|(id, link)| *id < id.reverse() && !network.is_host(link.from) && !network.is_host(link.to));
    between.map(|(id, _)| id)
}

fn trunk_name(network: &Network, id: LinkId) -> String {
    let Link { from, to, .. } = network.link(id);
    format!("trunk:{}:{}", network.vertex_name(*from), network.vertex_name(*to))
}

/// A switch with its hosts; `duplex` writes the link of a host under a name.
fn zone(
    network: &Network,
    switch: Vertex,
    hosts: &[(Vertex, LinkId)],
    duplex: impl Fn(&str, &Link) -> String,
) -> String {
    let mut inner = String::new();
    for &(host, id) in hosts {
        let name = network.vertex_name(host);
        let link = format!("link:{name}");
        let [up, down] = ["UP", "DOWN"].map(|way| format!("{link}_{way}"));
        inner += &element("host", &[("id", name), ("speed", SPEED)]);
        inner += &duplex(&link, network.link(id));
        inner += &element("host_link", &[("id", name), ("up", &up), ("down", &down)]);
    }
    inner += &element("router", &[("id", &router(network, switch))]);
    element_around(
        "zone",
        &[("id", &zone_name(network, switch)), ("routing", "Cluster")],
        &inner,
    )
}

/// Routes between every two zones, in each direction.
fn routes(network: &Network, switches: &PlatformSwitches) -> String {
    let mut text = String::new();
    let mut route = Vec::new();
    for (&from, senders) in switches {
        for (&to, receivers) in switches {
            if from == to {
                continue;
            }
            network.route(senders[0].0, receivers[0].0, &mut route);
            let mut inner = String::new();
            for &id in &route[1..route.len() - 1] {
                let (cable, way) = if id < id.reverse() {
                    (id, "UP")
                } else {
                    (id.reverse(), "DOWN")
                };
                let name = trunk_name(network, cable);
                inner += &element("link_ctn", &[("id", &name), ("direction", way)]);
            }
            let attributes = [
                ("src", &*zone_name(network, from)),
                ("dst", &*zone_name(network, to)),
                ("gw_src", &*router(network, from)),
                ("gw_dst", &*router(network, to)),
                ("symmetrical", "NO"),
            ];
            text += &element_around("zoneRoute", &attributes, &inner);
        }
    }
    text
}

fn zone_name(network: &Network, switch: Vertex) -> String {
    format!("switch:{}", network.vertex_name(switch))
}

fn router(network: &Network, switch: Vertex) -> String {
    format!("router:{}", network.vertex_name(switch))
}

fn duplex(name: &str, rate: &str, latency: &str) -> String {
    element(
        "link",
        &[("id", name), ("bandwidth", rate), ("latency", latency), DUPLEX],
    )
}

fn bytes_per_second(rate: f64) -> String {
    format!("{}Bps", number(rate))
}

fn seconds(time: Seconds) -> String {
    format!("{}s", number(time.0))
}
