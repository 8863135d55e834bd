//! Limits of the networks that an ordinary machine emulates faithfully.
//!
//! The limits were found by varying the rate: if times no longer scale with it, the machine limits
//! them instead of the network.

use netsig_base::network::{LINUX_RTO, Link, Network};
use netsig_base::units::{BitsPerSecond, Bytes, Seconds};

use crate::delay;

/// Bursts in bytes that shaped links of these rates (Mbit/s) need to reach their rate; the first is
/// two full frames, the minimum that lets frames pass.
const BURSTS: [(f64, f64); 3] = [(100.0, 3200.0), (300.0, 15_000.0), (1000.0, 40_000.0)];

/// Burst size of a link that is shaped to `rate`: linear interpolation between the needs of links
/// with 100, 300 and 1000 Mbit/s, extrapolated above.
pub(crate) fn burst(rate: BitsPerSecond) -> Bytes {
    let [slow, middle, fast] = BURSTS;
    let mbit = rate.0 as f64 / 1e6;
    let ((x0, y0), (x1, y1)) = if mbit <= middle.0 {
        (slow, middle)
    } else {
        (middle, fast)
    };
    let line = y0 + (mbit.max(x0) - x0) * (y1 - y0) / (x1 - x0);
    Bytes::rounded(line)
}

/// The reason why the lab cannot build the network on any machine, with a remedy; `None` if it can.
pub(crate) fn impossible_reason(network: &Network) -> Option<String> {
    if !network.is_tree() {
        let problem = "its switches are joined in a circle, where bridges would send frames round";
        return Some(format!(
            "{problem}; remove a [[link]], or use `netsig simulate --network`"
        ));
    }
    let links = || (0..).map(netsig_base::network::LinkId).zip(network.links());
    let name = |id| network.link_name(id);
    let is_of_host = |link: &Link| network.is_host(link.from) || network.is_host(link.to);
    let of_host = |(_, link): &(_, &Link)| is_of_host(link) && link.delay.0 > 0.0;
    if let Some((id, link)) = links().find(of_host) {
        return Some(format!(
            "the link {} has a delay of {}, and the lab delays only links between switches; \
             write the delay there, or use `netsig simulate --network`",
            name(id),
            link.delay
        ));
    }
    if let Some((id, link)) = links().find(|(_, link)| link.delay > delay::LONGEST_DELAY) {
        return Some(format!(
            "the link {} has a delay of {}, and the lab holds frames back for at most {}; \
             write that or less, or use `netsig simulate --network`",
            name(id),
            link.delay,
            delay::LONGEST_DELAY
        ));
    }
    let smallest = Bytes::rounded(BURSTS[0].1);
    let (id, link) = links().find(|(_, link)| link.buffer < smallest)?;
    Some(format!(
        "a port buffer of {} at {} is less than one burst, so nothing would pass; write \
         {} bytes or more",
        link.buffer,
        name(id),
        smallest.0
    ))
}

/// The reason not to trust times from an emulation of this network on an ordinary machine, if any.
pub fn fidelity_warning(network: &Network) -> Option<String> {
    let hosts = u64::from(network.hosts().get());
    let most = if hosts <= 8 { 800_000_000 } else { 640_000_000 };
    let from_hosts = network.links().iter().filter(|link| network.is_host(link.from));
    let rates = from_hosts.map(|link| BitsPerSecond::from(link.rate).0);
    let total: u64 = rates.sum();
    if total > most {
        return Some(format!(
            "{}: the links of {hosts} hosts add up to {}, more than {}, so the machine's speed \
             enters the times; use at most {} a host",
            network.name,
            BitsPerSecond(total),
            BitsPerSecond(most),
            BitsPerSecond(most / hosts / 1_000_000 * 1_000_000),
        ));
    }
    let queue = |link: &&Link| Seconds(link.buffer.as_f64() / link.rate.0);
    let ports = network.links().iter().filter(|link| !network.is_host(link.from));
    let deepest = ports.max_by(|a, b| queue(a).0.total_cmp(&queue(b).0))?;
    (queue(&deepest) > LINUX_RTO).then(|| {
        format!(
            "{}: a full port buffer of {} takes {} to drain, longer than TCP waits before it \
             sends again; use a smaller port_buffer",
            network.name,
            deepest.buffer,
            queue(&deepest),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use netsig_base::network::LinkSpec;

    #[test]
    fn bursts_grow_with_the_rate() {
        let rates = [10, 100, 200, 300, 650, 1000];
        let bursts = rates.map(|mbit: u64| burst(BitsPerSecond(mbit * 1_000_000)).0);
        assert_eq!(bursts, [3200, 3200, 9100, 15_000, 27_500, 40_000]);
    }

    #[test]
    fn too_much_traffic_or_too_deep_a_buffer_is_told() {
        let warning = |hosts, mbit: u64, buffer| {
            let port = LinkSpec::new(BitsPerSecond(mbit * 1_000_000), Bytes(buffer));
            fidelity_warning(&Network::star(hosts, port).unwrap())
        };
        assert_eq!(warning(8, 100, 65536), None);
        assert_eq!(warning(16, 40, 65536), None);
        let message = warning(12, 100, 65536).unwrap();
        assert!(message.ends_with("use at most 53 Mbit/s a host"), "{message}");
        assert!(warning(8, 101, 65536).is_some());
        assert!(warning(4, 2, 65536).unwrap().contains("262 ms"));
    }

    #[test]
    fn what_no_machine_can_build_is_told() {
        let head = "topology = 'graph'\nrate = '10Mbit/s'\nport_buffer = '64KiB'\n";
        let switch = |name| format!("[[switch]]\nname = '{name}'\nhosts = 2\n");
        let far = "[[switch]]\nname = 'd'\nhosts = 1\ndelay = '5ms'\n";
        let link = |a, b, more| format!("[[link]]\nbetween = ['{a}', '{b}']\nrate = '9Mbit/s'\n{more}\n");
        let switches = ["a", "b", "c"].map(switch).concat();
        let chain = link("a", "b", "port_buffer = '64KiB'");
        let refusals = [
            (
                link("b", "c", "port_buffer = '64KiB'\ndelay = '1100ms'"),
                "the link b -> c has a delay of 1.10 s, and the lab holds frames back for at most 1.00 s",
            ),
            (
                far.to_owned() + &["b", "d"].map(|end| link("c", end, "port_buffer = '64KiB'")).concat(),
                "the link d-0 -> d has a delay of 5.00 ms, and the lab delays only links between",
            ),
            (
                link("b", "c", "port_buffer = '3199'"),
                "a port buffer of 3199 B at b -> c is less",
            ),
            (
                ["b", "a"].map(|end| link("c", end, "port_buffer = '64KiB'")).concat(),
                "its switches are joined in a circle",
            ),
        ];
        for (more, expected) in refusals {
            let network = Network::parse("t", &format!("{head}{switches}{chain}{more}")).unwrap();
            let reason = impossible_reason(&network).unwrap();
            assert!(reason.starts_with(expected) && reason.contains("; "), "{reason}");
        }
        for name in ["tree-2x6x40", "wan-6-6-30x5"] {
            assert_eq!(impossible_reason(&crate::load(name).unwrap()), None);
        }
    }
}
