//! The kernel's TCP counters of this host, from `/proc/net/snmp` and `/proc/net/netstat`.
//!
//! Both files are pairs of lines: names, then values, each beginning with a group name.
//! They count per network namespace, that is per emulated host.

use std::fs::File;
use std::io::{Read, Seek};

use netsig_core::dataset::LossCounters;

/// The counter files, kept open.
pub struct Counters {
    snmp: Option<File>,
    netstat: Option<File>,
    text: String,
}

impl Counters {
    /// Opens what there is.
    pub fn open() -> Self {
        let open = |path| File::open(path).ok();
        Self {
            snmp: open("/proc/net/snmp"),
            netstat: open("/proc/net/netstat"),
            text: String::new(),
        }
    }

    /// The counts since boot.
    pub fn read(&mut self) -> LossCounters {
        let mut read = |file: &mut Option<File>, group, names: &[&str]| {
            self.text.clear();
            let whole = file.as_mut().and_then(|file| {
                file.rewind().ok()?;
                file.read_to_string(&mut self.text).ok()
            });
            match whole {
                Some(_) => names
                    .iter()
                    .map(|name| find(&self.text, group, name))
                    .collect(),
                None => vec![None; names.len()],
            }
        };
        let snmp = read(&mut self.snmp, "Tcp:", &["RetransSegs"]);
        let netstat = read(
            &mut self.netstat,
            "TcpExt:",
            &["TCPTimeouts", "TCPLossProbes"],
        );
        LossCounters {
            retransmits: snmp[0],
            rtos: netstat[0],
            tail_probes: netstat[1],
            softnet_drops: None,
        }
    }
}

/// What was counted between two readings.
pub fn since(before: &LossCounters, after: &LossCounters) -> LossCounters {
    let difference = |b: Option<u64>, a: Option<u64>| Some(a?.saturating_sub(b?));
    LossCounters {
        retransmits: difference(before.retransmits, after.retransmits),
        rtos: difference(before.rtos, after.rtos),
        tail_probes: difference(before.tail_probes, after.tail_probes),
        softnet_drops: difference(before.softnet_drops, after.softnet_drops),
    }
}

/// The value of `name` in the group of lines that begin with `group`.
fn find(text: &str, group: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter(|line| line.starts_with(group));
    let (names, values) = (lines.next()?, lines.next()?);
    let column = names.split_whitespace().position(|field| field == name)?;
    values.split_whitespace().nth(column)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "IpExt: A B\nIpExt: 1 2\nTcpExt: X TCPTimeouts\nTcpExt: 7 8\n";

    #[test]
    fn values_stand_under_their_names() {
        assert_eq!(find(TEXT, "TcpExt:", "TCPTimeouts"), Some(8));
        assert_eq!(find(TEXT, "TcpExt:", "A"), None);
        assert_eq!(find(TEXT, "Tcp:", "A"), None);
    }

    #[test]
    fn this_kernel_counts() {
        let counts = Counters::open().read();
        assert!(
            counts.retransmits.is_some() && counts.tail_probes.is_some(),
            "{counts:?}"
        );
    }
}
