//! The emulated network: what `ip`, `tc` and `ethtool` must be told, as pure functions
//! of the scenario, and the telling of it.
//!
//! Each host `hI` is a namespace with `eth0` (data, shaped, 10.0.0.I+1) and `eth1`
//! (control, not shaped, 10.9.0.I+1), so that launch traffic never disturbs data. A
//! switch `swK` is a namespace with a bridge; its port `pI` towards a host is shaped
//! and holds the scenario's port buffer, the only place where packets drop. The
//! control bridge `ctlbr` is where `mpirun` runs.

use std::ops::Range;

use itertools::Itertools;
use netsig_core::network::scenario::{Scenario, burst};
use netsig_core::units::{BitsPerSecond, Bytes};

use crate::error::LabError;
use crate::netns;
use crate::tool::{ETHTOOL, IP, TC};

/// The control address of the namespace that `mpirun` runs in.
pub(crate) const CONTROL_ADDRESS: &str = "10.9.0.254";

/// What a host's own queue holds: enough that the host itself never drops.
const HOST_QUEUE: Bytes = Bytes(4_000_000);

/// Builds the whole network from within the namespace that is to run `mpirun`.
pub(crate) fn build(scenario: &Scenario) -> Result<(), LabError> {
    IP.batch("the control namespace", &namespaces(scenario))?;
    IP.batch("the control namespace", &cables(scenario))?;
    for switch in switches(scenario) {
        netns::within(&switch.name, || switch.build())?;
    }
    for host in 0..scenario.hosts.get() {
        netns::within(&host_name(host), || build_host(scenario, host))?;
    }
    Ok(())
}

/// The name of host `host`, and of its namespace.
pub(crate) fn host_name(host: u32) -> String {
    format!("h{host}")
}

/// The address of `host` for launch traffic.
pub(crate) fn control_address(host: u32) -> String {
    format!("10.9.0.{}", host + 1)
}

/// A port and how it is shaped.
struct Port {
    device: String,
    shape: String,
}

/// A switch: a namespace of its own with one bridge.
struct Switch {
    name: String,
    ports: Vec<Port>,
}

impl Switch {
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

/// All switches of `scenario` with their ports.
fn switches(scenario: &Scenario) -> Vec<Switch> {
    let shape = tbf(scenario.rate, scenario.port_buffer);
    let port = |host: u32| Port {
        device: format!("p{host}"),
        shape: shape.clone(),
    };
    let switch = |number, hosts: Range<u32>, uplink| Switch {
        name: format!("sw{number}"),
        ports: hosts.map(port).chain(uplink).collect(),
    };
    let hosts = scenario.hosts.get();
    let Some(uplink) = &scenario.uplink else {
        return vec![switch(0, 0..hosts, None)];
    };
    let up = |number| {
        Some(Port {
            device: format!("up{number}"),
            shape: tbf(uplink.rate, uplink.port_buffer),
        })
    };
    let first = uplink.first_switch_hosts;
    vec![switch(0, 0..first, up(0)), switch(1, first..hosts, up(1))]
}

/// A token bucket: `rate` with `burst` let through at once and `limit` queued.
fn tbf(rate: BitsPerSecond, limit: Bytes) -> String {
    let burst = burst(rate);
    format!("tbf rate {}bit burst {} limit {}", rate.0, burst.0, limit.0)
}

/// Shapes ports in the current namespace, and makes them handle frames one by one, as a wire
/// does: a buffer counted in bytes means nothing where 64 KiB pass as one packet.
fn shape(place: &str, ports: &[Port]) -> Result<(), LabError> {
    let mut lines = ports
        .iter()
        .map(|Port { device, shape }| format!("qdisc add dev {device} root {shape}"));
    TC.batch(place, &lines.join("\n"))?;
    ports.iter().try_for_each(|Port { device, .. }| {
        let offloads = ["tso", "off", "gso", "off", "gro", "off"];
        ETHTOOL.run(place, &[&["-K", device], &offloads[..]].concat())
    })
}

/// The namespaces and the control bridge.
fn namespaces(scenario: &Scenario) -> String {
    let switches = switches(scenario).into_iter().map(|switch| switch.name);
    let hosts = (0..scenario.hosts.get()).map(host_name);
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

/// The virtual cables: each end goes to its namespace. `name` must be written out,
/// since `ip link add a …` may read a short name as a keyword.
fn cables(scenario: &Scenario) -> String {
    let mut cables = Vec::new();
    for Switch { name, ports } in switches(scenario) {
        let hosts = ports
            .iter()
            .filter_map(|port| port.device.strip_prefix('p'));
        cables.extend(hosts.map(|host| {
            format!(
                "link add name p{host} type veth peer name d{host}\n\
                 link set dev p{host} netns {name}\n\
                 link set dev d{host} netns h{host}\n\
                 link add name c{host} type veth peer name e{host}\n\
                 link set dev c{host} master ctlbr up\n\
                 link set dev e{host} netns h{host}"
            )
        }));
    }
    if scenario.uplink.is_some() {
        let uplink = "link add name up0 type veth peer name up1\n\
                      link set dev up0 netns sw0\n\
                      link set dev up1 netns sw1";
        cables.push(uplink.to_owned());
    }
    cables.join("\n")
}

/// Sets up `host` from within its namespace.
fn build_host(scenario: &Scenario, host: u32) -> Result<(), LabError> {
    let name = host_name(host);
    netns::silence_ipv6()?;
    netns::set("ipv4/tcp_no_metrics_save", "1")?;
    IP.batch(&name, &host_interfaces(scenario, host))?;
    let port = Port {
        device: "eth0".to_owned(),
        shape: tbf(scenario.rate, HOST_QUEUE),
    };
    shape(&name, &[port])
}

/// Interfaces, addresses and the fixed neighbours of `host`: no address resolution
/// disturbs a measurement.
fn host_interfaces(scenario: &Scenario, host: u32) -> String {
    let others = (0..scenario.hosts.get()).filter(|&other| other != host);
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
        data_route(scenario, host),
        neighbours.join("\n")
    )
}

/// The route to all data addresses, which says what congestion control connections over
/// it use, whichever end opened them.
///
/// The sysctl `tcp_congestion_control` would not do: outside the initial namespace it
/// takes only what `tcp_allowed_congestion_control` lists, often not all that the kernel
/// has. A route may name any that is loaded, so it serves all of them alike; the sysctl
/// keeps the machine's default, which then only launch traffic uses.
fn data_route(scenario: &Scenario, host: u32) -> String {
    format!(
        "route change 10.0.0.0/24 dev eth0 scope link src {} congctl {}",
        data_address(host),
        scenario.congestion_control
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

    fn ports(name: &str) -> Vec<(String, Vec<String>)> {
        let scenario = crate::load(name).unwrap();
        let devices = |s: &Switch| s.ports.iter().map(|p| p.device.clone()).collect();
        switches(&scenario)
            .iter()
            .map(|s| (s.name.clone(), devices(s)))
            .collect()
    }

    #[test]
    fn a_star_has_one_switch_and_a_tree_two_with_an_uplink_each() {
        let star = ports("ethernet-4x50");
        assert_eq!(
            star,
            [(
                "sw0".into(),
                ["p0", "p1", "p2", "p3"].map(String::from).to_vec()
            )]
        );
        let tree = ports("tree-2x6x40");
        assert_eq!((tree[0].0.as_str(), tree[1].0.as_str()), ("sw0", "sw1"));
        assert_eq!(tree[0].1.join(" "), "p0 p1 p2 p3 p4 p5 up0");
        assert_eq!(tree[1].1.join(" "), "p6 p7 p8 p9 p10 p11 up1");
    }

    #[test]
    fn ports_are_shaped_and_buffer_what_the_scenario_says() {
        let tree = switches(&crate::load("tree-2x6x40").unwrap());
        assert_eq!(
            tree[0].ports[0].shape,
            "tbf rate 40000000bit burst 3200 limit 65536"
        );
        assert_eq!(
            tree[1].ports[6].shape,
            "tbf rate 100000000bit burst 3200 limit 131072"
        );
    }

    #[test]
    fn the_route_between_hosts_chooses_the_congestion_control() {
        let lines = host_interfaces(&crate::load("cubic-16x40").unwrap(), 2);
        let at = |line: &str| lines.lines().position(|other| other == line);
        let route = at("route change 10.0.0.0/24 dev eth0 scope link src 10.0.0.3 congctl cubic");
        // The kernel makes the route to change when the interface comes up.
        assert!(route > at("link set dev eth0 up"), "{lines:?}");
    }

    #[test]
    fn every_host_knows_every_other() {
        let scenario = crate::load("ethernet-16x25").unwrap();
        let text = host_interfaces(&scenario, 15);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.contains(&"addr add 10.0.0.16/24 dev eth0"));
        assert!(lines[0].ends_with("02:00:00:00:00:10"));
        assert_eq!(
            lines
                .iter()
                .filter(|line| line.starts_with("neigh"))
                .count(),
            15
        );
    }
}
