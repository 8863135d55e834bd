//! Packets that the ports of the emulated switches dropped. Packets drop nowhere else in the lab, so these counts are
//! exact. TCP's counters of the hosts are not: they count all retransmissions, even needless ones.

use std::fs;

use crate::error::{LabError, system};
use crate::launch::NETWORK;
use crate::netns;
use crate::tool::TC;

/// The counts of a port since the cluster was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortDrops {
    /// The switch, `swK`.
    pub switch: String,
    /// Its port: `pI` to host `hI`, `tL` on link L to another switch.
    pub port: String,
    /// Packets that the port sent.
    pub sent: u64,
    /// Packets that it dropped.
    pub dropped: u64,
}

/// The counts of all ports of the emulated cluster in which this process runs.
///
/// # Errors
/// If it runs in no emulated cluster, or the kernel does not show the counts.
pub fn port_drops() -> Result<Vec<PortDrops>, LabError> {
    std::env::var_os(NETWORK).ok_or(LabError::Outside)?;
    let mut ports = Vec::new();
    for switch in switches()? {
        let arguments = ["-s", "qdisc", "show"];
        let text = netns::run_in_namespace(&switch, || TC.run(&switch, &arguments))?;
        ports.extend(shaped(&switch, &text));
    }
    Ok(ports)
}

/// The namespaces of the switches by number.
fn switches() -> Result<Vec<String>, LabError> {
    let failed = || system("list the namespaces in", netns::NAMESPACE_FOLDER);
    let entries = fs::read_dir(netns::NAMESPACE_FOLDER).map_err(failed())?;
    let read_names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names: Vec<String> = read_names.collect::<Result<_, _>>().map_err(failed())?;
    names.retain(|name| name.starts_with("sw"));
    names.sort_by_key(|name| (name.len(), name.clone()));
    Ok(names)
}

/// The shaped ports in the output of `tc -s qdisc show`, in which the line of a device precedes the line of its
/// counts.
fn shaped(switch: &str, text: &str) -> Vec<PortDrops> {
    let lines = text.lines().zip(text.lines().skip(1));
    let port = |(device, counts): (&str, &str)| {
        let device = device.strip_prefix("qdisc tbf ")?;
        let mut words = device.split_whitespace();
        words.find(|word| *word == "dev")?;
        Some(PortDrops {
            switch: switch.to_owned(),
            port: words.next()?.to_owned(),
            sent: number_before(counts, "pkt")?,
            dropped: number_after(counts, "(dropped")?,
        })
    };
    lines.filter_map(port).collect()
}

/// The number before a word.
fn number_before(text: &str, word: &str) -> Option<u64> {
    let words = text.split_whitespace();
    let mut pairs = words.clone().zip(words.skip(1));
    pairs.find(|(_, next)| *next == word)?.0.parse().ok()
}

/// The number after a word.
fn number_after(text: &str, word: &str) -> Option<u64> {
    let mut words = text.split_whitespace();
    words.find(|found| *found == word)?;
    words.next()?.trim_end_matches(',').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As iproute2 6.1 writes it.
    const TEXT: &str = "\
qdisc noqueue 0: dev lo root refcnt 2
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
qdisc tbf 8001: dev p0 root refcnt 9 rate 40Mbit burst 3200b lat 12.5ms
 Sent 20838084 bytes 14204 pkt (dropped 83, overlimits 28411 requeues 0)
 backlog 0b 0p requeues 0
qdisc tbf 8002: dev t24 root refcnt 9 rate 100Mbit burst 3200b lat 10ms
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
";

    #[test]
    fn ports_are_those_that_are_shaped() {
        let port = |port: &str, sent, dropped| PortDrops {
            switch: "sw0".to_owned(),
            port: port.to_owned(),
            sent,
            dropped,
        };
        let expected = [port("p0", 14204, 83), port("t24", 0, 0)];
        assert_eq!(shaped("sw0", TEXT), expected);
    }
}
