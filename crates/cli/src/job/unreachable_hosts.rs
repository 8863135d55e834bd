//! Finds in the output of a job the hosts that MPI could not connect, or the launcher could not reach.
//!
//! Open MPI names them in one line, if the kernel refuses a connection, or in two, if no network joins them.
//! UCX, through which MPICH sends, names a host and the address of the other one. Launchers reach hosts by ssh.

use std::sync::LazyLock;

use regex_lite::Regex;

/// The line about a refused connection.
static REFUSED: LazyLock<Regex> = LazyLock::new(|| {
    let line = r"from (\S+) to: (\S+) Unable to connect to the peer (\S+) on port \d+: (.*)";
    Regex::new(line).expect("a valid expression")
});

/// The line of UCX about a refused connection.
static REFUSED_TO_UCX: LazyLock<Regex> = LazyLock::new(|| {
    let line = r"\[(\S+?):\d+ *:\d+\].* UCX +ERROR +connect\(.*dest_addr=(\S+):\d+\) failed: (.*)";
    Regex::new(line).expect("a valid expression")
});

/// Each of the lines about hosts that no network joins.
static UNJOINED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*Process [12] \(\[\[.*\]\) is on host: (\S+)").expect("a valid expression"));

/// The lines of ssh about a host that does not answer, is not known, or asks for a password.
static UNREACHED: LazyLock<Regex> = LazyLock::new(|| {
    let line = r"^(?:ssh: connect to host (\S+) port \d+: (.*)|ssh: Could not resolve hostname ([^:]+): (.*)|(?:\S+@)?(\S+): (Permission denied \(.*\))\.?)$";
    Regex::new(line).expect("a valid expression")
});

/// Remedy for hosts that ssh does not reach.
const SSH_REMEDY: &str = "leave it out of the host file, or make `ssh HOST true` work without a question";

/// Remedy for hosts that are not connected.
const REMEDY: &str = "open all TCP ports between them and check their links, or choose the network that joins them";

/// The unreachable hosts in the output so far.
#[derive(Debug, Default)]
pub struct UnreachableHosts {
    unjoined: Vec<String>,
}

impl UnreachableHosts {
    /// Evaluates a line of output; returns the reason if it is complete.
    pub fn read_line(&mut self, line: &str) -> Option<String> {
        if let Some(found) = REFUSED.captures(line) {
            let (_, [from, to, address, why]) = found.extract();
            return Some(format!(
                "host {from} cannot connect to host {to} ({address}: {why}); {REMEDY}"
            ));
        }
        if let Some(found) = REFUSED_TO_UCX.captures(line) {
            let (_, [from, address, why]) = found.extract();
            return Some(format!("host {from} cannot connect to {address} ({why}); {REMEDY}"));
        }
        if let Some(found) = UNREACHED.captures(line.trim_end()) {
            let captured = found.iter().skip(1).flatten().map(|part| part.as_str());
            let parts: Vec<&str> = captured.collect();
            let [host, why] = parts[..] else { return None };
            return Some(format!("ssh does not reach host {host} ({why}); {SSH_REMEDY}"));
        }
        let (_, [host]) = UNJOINED.captures(line)?.extract();
        self.unjoined.push(host.to_owned());
        let [one, other] = &self.unjoined[..] else {
            return None;
        };
        Some(format!(
            "no network that MPI may use joins host {one} and host {other}; {REMEDY}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As OpenSSH 9.2 wrote them.
    #[test]
    fn hosts_that_ssh_does_not_reach_are_named() {
        for (line, expected) in [
            (
                "ssh: connect to host 10.0.0.9 port 22: No route to host\r",
                "host 10.0.0.9 (No route to host)",
            ),
            (
                "ssh: Could not resolve hostname n17: Name or service not known",
                "host n17 (Name or service not known)",
            ),
            (
                "me@n17.org: Permission denied (publickey,password).",
                "host n17.org (Permission denied (publickey,password))",
            ),
        ] {
            let expected = format!("ssh does not reach {expected}; {SSH_REMEDY}");
            assert_eq!(UnreachableHosts::default().read_line(line), Some(expected));
        }
        let other = "cat: x: Permission denied";
        assert_eq!(UnreachableHosts::default().read_line(other), None);
    }

    /// As Open MPI 4.1 and UCX 1.13 wrote them.
    #[test]
    fn both_hosts_are_found() {
        for (text, expected) in [
            (
                "[[16647,1],2][btl_tcp_endpoint.c:793:mca_btl_tcp_endpoint_start_connect] from h2 to: h1 \
                 Unable to connect to the peer 10.0.0.2 on port 1024: Invalid argument",
                "host h2 cannot connect to host h1 (10.0.0.2: Invalid argument)",
            ),
            (
                "[1795753166.753642] [h2:81   :0]            sock.c:325  UCX  ERROR   \
                 connect(fd=27, dest_addr=10.0.0.2:56103) failed: Invalid argument",
                "host h2 cannot connect to 10.0.0.2 (Invalid argument)",
            ),
            (
                "each other.\n\n  Process 1 ([[16647,1],3]) is on host: h3\n  \
                 Process 2 ([[16647,1],0]) is on host: h0\n  BTLs attempted: self\n",
                "no network that MPI may use joins host h3 and host h0",
            ),
        ] {
            let mut unreachable_hosts = UnreachableHosts::default();
            let reasons: Vec<_> = text
                .lines()
                .filter_map(|line| unreachable_hosts.read_line(line))
                .collect();
            assert_eq!(reasons, [format!("{expected}; {REMEDY}")]);
        }
    }
}
