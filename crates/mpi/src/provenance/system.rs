//! The machine of rank 0: kernel, processors, the network interface of the data.

use std::fs;
use std::path::Path;

use crate::locations::processors;

/// The facts that are available; `settings` are the MPI library's control variables.
pub fn facts(settings: &[(&str, String)]) -> Vec<(&'static str, String)> {
    let interface = interface(settings);
    let of_interface = |file: &str| {
        let name = interface.as_ref()?;
        contents(Path::new("/sys/class/net").join(name).join(file))
    };
    // A virtual interface has a speed of -1.
    let speed = of_interface("speed").filter(|speed| !speed.starts_with('-'));
    let candidates = [
        ("kernel", contents("/proc/sys/kernel/osrelease")),
        ("cpu", contents("/proc/cpuinfo").and_then(|text| model(&text))),
        ("cpus", Some(processors().to_string())),
        ("congestion_control", congestion_control()),
        ("lab", variable("NETSIG_LAB")),
        ("undelayed_links", variable("NETSIG_LAB_UNDELAYED_LINKS")),
        ("yield_shim", variable("NETSIG_YIELD_SHIM")),
        ("interface_speed_mbit_per_s", speed),
        ("interface_mtu_bytes", of_interface("mtu")),
        ("interface", interface),
    ];
    let known = candidates.into_iter();
    known.filter_map(|(key, value)| Some((key, value?))).collect()
}

/// The congestion control. The lab sets it in routes, so the system-wide setting does not apply
/// there.
fn congestion_control() -> Option<String> {
    variable("NETSIG_LAB_CONGESTION_CONTROL").or_else(|| contents("/proc/sys/net/ipv4/tcp_congestion_control"))
}

/// The interface that the MPI library's settings select, otherwise that of the default route.
fn interface(settings: &[(&str, String)]) -> Option<String> {
    let mut settings = settings.iter();
    let told = settings.find(|(name, value)| *name == "btl_tcp_if_include" && !value.is_empty());
    told.map(|(_, value)| value.clone())
        .or_else(|| variable("UCX_NET_DEVICES").filter(|devices| devices != "all"))
        .or_else(|| default_route(&contents("/proc/net/route")?))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn contents(path: impl AsRef<Path>) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// The model name of the processor, from the text of `/proc/cpuinfo`.
fn model(text: &str) -> Option<String> {
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = fields.find(|(key, _)| key.trim() == "model name")?;
    Some(value.trim().to_owned())
}

/// The interface of the line of `/proc/net/route` whose destination and mask are zero.
fn default_route(text: &str) -> Option<String> {
    let routes = text.lines().skip(1);
    let mut columns = routes.map(|line| line.split_whitespace().collect::<Vec<_>>());
    let default = columns.find(|c| c.get(1) == Some(&"00000000") && c.get(7) == Some(&"00000000"));
    default.map(|columns| columns[0].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_route_has_no_mask() {
        let text = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n\
            lo\t0000007F\t00000000\t0001\t0\t0\t0\t000000FF\n\
            ens3\t00000000\t0102000A\t0003\t0\t0\t0\t00000000\n";
        assert_eq!(default_route(text).as_deref(), Some("ens3"));
        assert_eq!(default_route("Iface\n"), None);
    }

    #[test]
    fn the_mpi_library_is_told_its_interface() {
        let settings = [("btl_tcp_if_include", "eth7".to_owned())];
        assert_eq!(interface(&settings).as_deref(), Some("eth7"));
        let known: Vec<_> = facts(&settings).into_iter().map(|(key, _)| key).collect();
        assert!(known.contains(&"kernel") && known.contains(&"interface"), "{known:?}");
    }
}
