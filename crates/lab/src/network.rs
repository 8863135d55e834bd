//! The emulated network: what `ip`, `tc` and `ethtool` must be told, as pure functions
//! of the scenario, and the telling of it.
//!
//! Each host `hI` is a namespace with `eth0` (data, shaped, 10.0.0.I+1) and `eth1`
//! (control, not shaped, 10.9.0.I+1), so that launch traffic never disturbs data. A
//! switch `swK` is a namespace with a bridge; its port `pI` towards a host is shaped
//! and holds the scenario's port buffer, the only place where packets drop. The
//! control bridge `ctlbr` is where `mpirun` runs.

use netsig_core::network::scenario::{Scenario, Topology};
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

/// A port of a switch and how it is shaped.
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
        IP.batch(&self.name, &self.bridge())?;
        let shapes: Vec<_> = self
            .ports
            .iter()
            .map(|p| qdisc(&p.device, &p.shape))
            .collect();
        TC.batch(&self.name, &shapes)?;
        self.ports
            .iter()
            .try_for_each(|port| single_frames(&self.name, &port.device))
    }

    fn bridge(&self) -> Vec<String> {
        let mut lines = vec![
            "link add name br0 type bridge forward_delay 0 mcast_snooping 0".to_owned(),
            "link set dev br0 up".to_owned(),
            "link set dev lo up".to_owned(),
        ];
        lines.extend(
            self.ports
                .iter()
                .map(|p| format!("link set dev {} master br0 up", p.device)),
        );
        lines
    }
}

/// All switches of `scenario` with their ports.
fn switches(scenario: &Scenario) -> Vec<Switch> {
    let shape = tbf(scenario.rate, scenario.burst(), scenario.port_buffer);
    let port = |host: u32| Port {
        device: format!("p{host}"),
        shape: shape.clone(),
    };
    let hosts = scenario.hosts.get();
    let Topology::Tree(uplink) = &scenario.topology else {
        return vec![Switch {
            name: "sw0".to_owned(),
            ports: (0..hosts).map(port).collect(),
        }];
    };
    let trunk = tbf(uplink.rate, uplink.burst(), uplink.port_buffer);
    let first = uplink.first_switch_hosts;
    [0..first, first..hosts]
        .into_iter()
        .enumerate()
        .map(|(number, hosts)| {
            let up = Port {
                device: format!("up{number}"),
                shape: trunk.clone(),
            };
            let ports = hosts.map(port).chain([up]).collect();
            Switch {
                name: format!("sw{number}"),
                ports,
            }
        })
        .collect()
}

/// A token bucket: `rate` with `burst` let through at once and `limit` queued.
fn tbf(rate: BitsPerSecond, burst: Bytes, limit: Bytes) -> String {
    format!("tbf rate {}bit burst {} limit {}", rate.0, burst.0, limit.0)
}

fn qdisc(device: &str, shape: &str) -> String {
    format!("qdisc add dev {device} root {shape}")
}

/// Makes `device` handle frames one by one, as a wire does: a buffer counted in bytes
/// means nothing where 64 KiB pass as one packet.
fn single_frames(place: &str, device: &str) -> Result<(), LabError> {
    ETHTOOL.run(
        place,
        &["-K", device, "tso", "off", "gso", "off", "gro", "off"],
    )
}

/// The namespaces and the control bridge.
fn namespaces(scenario: &Scenario) -> Vec<String> {
    let switches = switches(scenario).into_iter().map(|switch| switch.name);
    let hosts = (0..scenario.hosts.get()).map(host_name);
    let mut lines: Vec<_> = switches
        .chain(hosts)
        .map(|name| format!("netns add {name}"))
        .collect();
    lines.extend([
        "link set dev lo up".to_owned(),
        "link add name ctlbr type bridge".to_owned(),
        format!("addr add {CONTROL_ADDRESS}/24 dev ctlbr"),
        "link set dev ctlbr up".to_owned(),
    ]);
    lines
}

/// The virtual cables: each end goes to its namespace. `name` must be written out,
/// since `ip link add a …` may read a short name as a keyword.
fn cables(scenario: &Scenario) -> Vec<String> {
    let mut lines = Vec::new();
    for switch in switches(scenario) {
        for port in switch
            .ports
            .iter()
            .filter_map(|port| port.device.strip_prefix('p'))
        {
            lines.extend([
                format!("link add name p{port} type veth peer name d{port}"),
                format!("link set dev p{port} netns {}", switch.name),
                format!("link set dev d{port} netns h{port}"),
                format!("link add name c{port} type veth peer name e{port}"),
                format!("link set dev c{port} master ctlbr up"),
                format!("link set dev e{port} netns h{port}"),
            ]);
        }
    }
    if let Topology::Tree(_) = scenario.topology {
        lines.extend([
            "link add name up0 type veth peer name up1".to_owned(),
            "link set dev up0 netns sw0".to_owned(),
            "link set dev up1 netns sw1".to_owned(),
        ]);
    }
    lines
}

/// Sets up `host` from within its namespace.
fn build_host(scenario: &Scenario, host: u32) -> Result<(), LabError> {
    let name = host_name(host);
    netns::silence_ipv6()?;
    netns::set("ipv4/tcp_no_metrics_save", "1")?;
    IP.batch(&name, &host_interfaces(scenario, host))?;
    TC.batch(
        &name,
        &[qdisc(
            "eth0",
            &tbf(scenario.rate, scenario.burst(), HOST_QUEUE),
        )],
    )?;
    single_frames(&name, "eth0")
}

/// Interfaces, addresses and the fixed neighbours of `host`: no address resolution
/// disturbs a measurement.
fn host_interfaces(scenario: &Scenario, host: u32) -> Vec<String> {
    let mut lines = vec![
        format!(
            "link set dev d{host} name eth0 address {}",
            hardware_address(host)
        ),
        format!("link set dev e{host} name eth1"),
        "link set dev lo up".to_owned(),
        format!("addr add {}/24 dev eth0", data_address(host)),
        format!("addr add {}/24 dev eth1", control_address(host)),
        "link set dev eth0 up".to_owned(),
        "link set dev eth1 up".to_owned(),
        data_route(scenario, host),
    ];
    let others = (0..scenario.hosts.get()).filter(|&other| other != host);
    lines.extend(others.map(|other| {
        let (address, hardware) = (data_address(other), hardware_address(other));
        format!("neigh add {address} lladdr {hardware} dev eth0 nud permanent")
    }));
    lines
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
        let at = |line: &str| lines.iter().position(|other| other == line);
        let route = at("route change 10.0.0.0/24 dev eth0 scope link src 10.0.0.3 congctl cubic");
        // The kernel makes the route to change when the interface comes up.
        assert!(route > at("link set dev eth0 up"), "{lines:?}");
    }

    #[test]
    fn every_host_knows_every_other() {
        let scenario = crate::load("ethernet-16x25").unwrap();
        let lines = host_interfaces(&scenario, 15);
        assert!(lines.contains(&"addr add 10.0.0.16/24 dev eth0".to_owned()));
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
