//! Builds the emulated network: pure functions derive the input of `ip`, `tc` and `ethtool` from
//! the description, and this module runs them.
//!
//! Each host `hI` is a namespace with `eth0` (data, shaped, 10.0.0.I+1) and `eth1` (control, not
//! shaped, 10.9.0.I+1), so that launch traffic never disturbs data. A switch `swK` is a namespace
//! with a bridge. Its port `pI` to a host and its port `tL` on link L to another switch are shaped
//! and have the buffers of the description; packets drop only there. Ports are the ends of virtual
//! cables (veth), or of a wire if the link has a delay. `mpirun` runs in the namespace of the control
//! bridge `ctlbr`.

use itertools::Itertools;
use netsig_base::network::named::emulated_host;
use netsig_base::network::{HostClusters, Link, LinkId, Network, Vertex};
use netsig_base::units::{BitsPerSecond, Bytes, BytesPerSecond};

use crate::delay::{DelayEmulation, cables_between_switches, delayed};
use crate::error::LabError;
use crate::fidelity::burst;
use crate::netns;
use crate::tool::{ETHTOOL, IP, TC};
use crate::wire::{self, LabWireEnd};

/// The control address of the namespace of `mpirun`.
pub(crate) const CONTROL_ADDRESS: &str = "10.9.0.254";

/// Size of a host's own queue: large enough that the host never drops.
const HOST_QUEUE: Bytes = Bytes(4_000_000);

/// Builds the whole network; runs in the namespace of `mpirun`.
pub(crate) fn build(network: &Network, delays: DelayEmulation) -> Result<(), LabError> {
    IP.batch("the control namespace", &namespaces(network))?;
    IP.batch("the control namespace", &cables(network, delays))?;
    for (id, link) in wires(network, delays) {
        wire::start_wire(network.link_name(id), &ends(network, id, link), link)?;
    }
    for switch in switches(network) {
        netns::run_in_namespace(&switch.name, || switch.build())?;
    }
    for (host, link) in uplinks(network) {
        netns::run_in_namespace(&host_name(host), || build_host(network, host, link))?;
    }
    Ok(())
}

/// The name of host `host`, and of its namespace.
pub(crate) fn host_name(host: u32) -> String {
    emulated_host(host)
}

/// The clusters of the emulated hosts.
pub fn clusters(network: &Network) -> HostClusters {
    HostClusters::of_network(network, |host| host_name(host.0))
}

/// The address of `host` for launch traffic.
pub(crate) fn control_address(host: u32) -> String {
    format!("10.9.0.{}", host + 1)
}

/// The name of a switch, and of its namespace.
fn switch_name(network: &Network, switch: Vertex) -> String {
    format!("sw{}", switch.0 - network.hosts().get())
}

/// All links by number.
fn links(network: &Network) -> impl Iterator<Item = (LinkId, &Link)> {
    (0..).map(LinkId).zip(network.links())
}

/// Each host with its link to its switch.
fn uplinks(network: &Network) -> impl Iterator<Item = (u32, &Link)> {
    let from_hosts = network.links().iter().filter(|link| network.is_host(link.from));
    from_hosts.map(|link| (link.from.0, link))
}

/// A port and its shaping.
struct LabPort {
    device: String,
    shape: String,
}

/// A switch: a namespace with one bridge.
struct LabSwitch {
    name: String,
    ports: Vec<LabPort>,
}

impl LabSwitch {
    fn build(&self) -> Result<(), LabError> {
        netns::silence_ipv6()?;
        let ports = self.ports.iter();
        let members = ports.map(|port| format!("link set dev {} master br0 up", port.device));
        let bridge = format!(
            "link add name br0 type bridge forward_delay 0 mcast_snooping 0\n\
             link set dev br0 up\n\
             link set dev lo up\n{}",
            members.format("\n")
        );
        IP.batch(&self.name, &bridge)?;
        shape(&self.name, &self.ports)
    }
}

/// The sending device of a switch on a link.
fn device(network: &Network, id: LinkId, link: &Link) -> String {
    match link.to {
        host if network.is_host(host) => format!("p{}", host.0),
        _ => format!("t{}", id.0),
    }
}

/// All switches with their ports.
fn switches(network: &Network) -> Vec<LabSwitch> {
    let count = u32::try_from(network.vertices()).expect("few in a lab");
    let port = |(id, link): (LinkId, &Link)| LabPort {
        device: device(network, id, link),
        shape: tbf(link.rate, link.buffer),
    };
    let switch = |vertex| LabSwitch {
        name: switch_name(network, vertex),
        ports: links(network)
            .filter(|(_, link)| link.from == vertex)
            .map(port)
            .collect(),
    };
    (network.hosts().get()..count).map(Vertex).map(switch).collect()
}

/// A token bucket filter of `rate`, with the burst for that rate and a queue of `limit`.
fn tbf(rate: BytesPerSecond, limit: Bytes) -> String {
    let rate = BitsPerSecond::from(rate);
    let burst = burst(rate);
    format!("tbf rate {}bit burst {} limit {}", rate.0, burst.0, limit.0)
}

/// Shapes ports in the current namespace, and makes them handle single frames as real ports do. With offloads,
/// packets of 64 KiB would pass, and a buffer in bytes would have no effect.
fn shape(place: &str, ports: &[LabPort]) -> Result<(), LabError> {
    let mut lines = ports
        .iter()
        .map(|LabPort { device, shape }| format!("qdisc add dev {device} root {shape}"));
    TC.batch(place, &lines.join("\n"))?;
    ports.iter().try_for_each(|LabPort { device, .. }| {
        let offloads = ["tso", "off", "gso", "off", "gro", "off"];
        let arguments = [&["-K", device], &offloads[..]].concat();
        ETHTOOL.run(place, &arguments).map(drop)
    })
}

/// Creates the namespaces and the control bridge.
fn namespaces(network: &Network) -> String {
    let switches = switches(network).into_iter().map(|switch| switch.name);
    let hosts = (0..network.hosts().get()).map(host_name);
    let names = switches.chain(hosts);
    format!(
        "{}\n\
         link set dev lo up\n\
         link add name ctlbr type bridge\n\
         addr add {CONTROL_ADDRESS}/24 dev ctlbr\n\
         link set dev ctlbr up",
        names.map(|name| format!("netns add {name}")).format("\n")
    )
}

/// Creates the virtual cables and moves each end to its namespace. `name` is required, since `ip
/// link add a …` may parse a short name as a keyword.
fn cables(network: &Network, delays: DelayEmulation) -> String {
    let of_host = |(host, link): (u32, &Link)| {
        let switch = switch_name(network, link.to);
        format!(
            "link add name p{host} type veth peer name d{host}\n\
             link set dev p{host} netns {switch}\n\
             link set dev d{host} netns h{host}\n\
             link add name c{host} type veth peer name e{host}\n\
             link set dev c{host} master ctlbr up\n\
             link set dev e{host} netns h{host}"
        )
    };
    let of_switches = |(id, link): (LinkId, &Link)| {
        let [near, far] = ends(network, id, link);
        format!(
            "link add name {0} type veth peer name {1}\n\
             link set dev {0} netns {2}\n\
             link set dev {1} netns {3}",
            near.device, far.device, near.namespace, far.namespace
        )
    };
    let wires: Vec<_> = wires(network, delays).map(|(id, _)| id).collect();
    let between = cables_between_switches(network).filter(|(id, _)| !wires.contains(id));
    let hosts = uplinks(network).map(of_host);
    hosts.chain(between.map(of_switches)).join("\n")
}

/// The connections of switches that are wires: their frames are held back.
fn wires(network: &Network, delays: DelayEmulation) -> impl Iterator<Item = (LinkId, &Link)> {
    delayed(network).filter(move |_| delays == DelayEmulation::Emulated)
}

/// The devices of both ends of a link between switches.
fn ends(network: &Network, id: LinkId, link: &Link) -> [LabWireEnd; 2] {
    [(id, link.from), (id.reverse(), link.to)].map(|(id, switch)| LabWireEnd {
        namespace: switch_name(network, switch),
        device: format!("t{}", id.0),
    })
}

/// Configures `host`, which sends on `link`; runs in its namespace.
fn build_host(network: &Network, host: u32, link: &Link) -> Result<(), LabError> {
    let name = host_name(host);
    netns::silence_ipv6()?;
    netns::set_sysctl("ipv4/tcp_no_metrics_save", "1")?;
    IP.batch(&name, &host_interfaces(network, host))?;
    let port = LabPort {
        device: "eth0".to_owned(),
        shape: tbf(link.rate, HOST_QUEUE),
    };
    shape(&name, &[port])
}

/// Interfaces, addresses and static neighbours of `host`, so that no address resolution disturbs a
/// measurement.
fn host_interfaces(network: &Network, host: u32) -> String {
    let others = (0..network.hosts().get()).filter(|&other| other != host);
    let mut neighbours = others.map(|other| {
        let (address, hardware) = (data_address(other), hardware_address(other));
        format!("neigh add {address} lladdr {hardware} dev eth0 nud permanent")
    });
    format!(
        "link set dev d{host} name eth0 address {}\n\
         link set dev e{host} name eth1\n\
         link set dev lo up\n\
         addr add {}/24 dev eth0\n\
         addr add {}/24 dev eth1\n\
         link set dev eth0 up\n\
         link set dev eth1 up\n\
         {}\n{}",
        hardware_address(host),
        data_address(host),
        control_address(host),
        data_route(network, host),
        neighbours.join("\n")
    )
}

/// The route to all data addresses. It sets the congestion control of the connections over it,
/// whichever end opened them.
///
/// The sysctl `tcp_congestion_control` does not suffice: outside the initial namespace it accepts
/// only algorithms in `tcp_allowed_congestion_control`, often not all of the kernel's. A route
/// accepts any loaded algorithm; the sysctl keeps the machine's default, which then affects launch
/// traffic only.
fn data_route(network: &Network, host: u32) -> String {
    format!(
        "route change 10.0.0.0/24 dev eth0 scope link src {} congctl {}",
        data_address(host),
        network.congestion_control
    )
}

fn data_address(host: u32) -> String {
    format!("10.0.0.{}", host + 1)
}

fn hardware_address(host: u32) -> String {
    format!("02:00:00:00:00:{:02x}", host + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str) -> Vec<LabSwitch> {
        switches(&crate::load(name).unwrap())
    }

    #[test]
    fn every_switch_has_its_ports() {
        let devices = |s: &LabSwitch| s.ports.iter().map(|port| port.device.clone()).join(" ");
        let description = |s: &LabSwitch| format!("{}: {}", s.name, devices(s));
        let unequal = [
            "sw0: p0 p1 t24",
            "sw1: p2 p3 p4 p5 p6 p7 t25 t26",
            "sw2: p8 p9 p10 p11 t27",
        ];
        let found: Vec<String> = load("unequal-2-6-4x40").iter().map(description).collect();
        assert_eq!(found, unequal);
    }

    #[test]
    fn ports_are_shaped_and_buffer_what_the_description_says() {
        let tree = load("tree-2x6x40");
        assert_eq!(tree[0].ports[0].shape, "tbf rate 40000000bit burst 3200 limit 65536");
        assert_eq!(tree[1].ports[6].shape, "tbf rate 100000000bit burst 3200 limit 131072");
    }
}
