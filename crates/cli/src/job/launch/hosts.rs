//! Counts the hosts that are available to the ranks.

use std::path::{Path, PathBuf};

use itertools::Itertools;
use netsig_base::network::hosts;
use netsig_base::network::named::FileAccess as _;
use netsig_base::text::file_error::FileError;
use netsig_base::text::is_whole_number;
use netsig_base::units::Procs;

use super::implementation::MpiImplementation;
use super::slurm::SlurmAllocation;
use crate::input::failure::Failure;
use crate::input::files::UserFiles;

/// The variables of batch systems other than Slurm with the name of a host file: PBS, LSF and Grid
/// Engine.
const BATCH_VARIABLES: [&str; 3] = ["PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE"];

/// Names, without dashes, of mpirun's options that specify hosts.
const HOST_OPTIONS: [&str; 5] = ["host", "H", "machinefile", "default-hostfile", "rankfile"];

/// The hosts of the ranks.
#[derive(Debug, Clone, Copy)]
pub struct HostCapacity {
    /// Number of hosts.
    pub hosts: u32,
    /// Number of ranks on each host.
    pub ppn: u32,
    /// Advice for more hosts.
    pub remedy: &'static str,
}

impl HostCapacity {
    /// Checks that the hosts suffice for `procs` processes.
    ///
    /// # Errors
    /// If there are too few hosts.
    pub fn check(self, procs: Procs) -> Result<(), Failure> {
        let needed = procs.get().div_ceil(self.ppn);
        if needed <= self.hosts {
            return Ok(());
        }
        let are = match self.hosts {
            1 => "is 1".to_owned(),
            hosts => format!("are {hosts}"),
        };
        Err(Failure::usage(format!(
            "{procs} processes, {} a host, need {needed} hosts and there {are}; {}, or give --ppn {} (ranks then share hosts' memory, and times are not the network's)",
            self.ppn,
            self.remedy,
            procs.get().div_ceil(self.hosts.max(1)),
        )))
    }
}

/// Number of hosts on which an mpirun of `flavour` starts ranks: from `hostfile`, otherwise from
/// the launcher's variable, Slurm, or another batch system; otherwise 1, this machine. `None` if
/// `options` specify hosts.
///
/// # Errors
/// If a host file cannot be read.
pub fn count(
    hostfile: Option<&Path>,
    implementation: &MpiImplementation,
    options: &[String],
) -> Result<Option<u32>, Failure> {
    if options.iter().any(|option| specifies_hosts(option)) {
        return Ok(None);
    }
    let named = |variable| std::env::var_os(variable).map(PathBuf::from);
    let given_file = hostfile.map(Path::to_owned);
    if let Some(file) = given_file.or_else(|| named(implementation.hostfile_variable)) {
        return count_distinct_hosts(&file).map(Some);
    }
    if let Some(nodes) = SlurmAllocation::find().and_then(|allocation| allocation.nodes) {
        return Ok(Some(nodes));
    }
    match BATCH_VARIABLES.into_iter().find_map(named) {
        Some(file) => count_distinct_hosts(&file).map(Some),
        None => Ok(Some(1)),
    }
}

fn specifies_hosts(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    let is_option = name.len() < option.len();
    is_option && (name == "f" || HOST_OPTIONS.iter().any(|naming| name.starts_with(naming)))
}

/// Number of different hosts in a host file.
fn count_distinct_hosts(file: &Path) -> Result<u32, Failure> {
    let text = UserFiles.text(file).map_err(|error| {
        let problem = format!("the host file cannot be read ({error}); give --hostfile");
        Failure::usage(problem).about(file)
    })?;
    let host_names = parse_host_names(&file.display().to_string(), &text)?;
    let hosts = host_names.iter().unique().count();
    Ok(u32::try_from(hosts).unwrap_or(u32::MAX))
}

/// The hosts of a host file's lines. A line begins with a host, possibly with a user before it and a number of
/// slots behind it, and further details follow a space; `#` begins a comment. A host is a name, a list such as
/// `n[0-3]`, or an IP address.
fn parse_host_names(file: &str, text: &str) -> Result<Vec<String>, FileError> {
    let mut all = Vec::new();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let content = line.split('#').next().unwrap_or_default();
        let Some(word) = content.split_whitespace().next() else {
            continue;
        };
        let host_with_slots = word.rsplit_once('@').map_or(word, |(_, host)| host);
        let host = without_slots(host_with_slots);
        if let Some(address) = in_brackets(host) {
            all.push(address.to_owned());
        } else if host.contains(['[', ',']) {
            let expanded = hosts::expand(host);
            let hosts = expanded.map_err(|error| FileError::at_line(file, number, error.problem))?;
            all.extend(hosts.into_iter().map(|host_name| host_name.text));
        } else {
            all.push(host.to_owned());
        }
    }
    Ok(all)
}

/// A host without its number of slots: `n1:4`, `[2001:db8::1]:4`. An IPv6 address has colons of its own.
fn without_slots(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, slots)) if is_whole_number(slots) && is_whole_host(name) => name,
        _ => host,
    }
}

/// True for a name without colons, and for an address in brackets.
fn is_whole_host(name: &str) -> bool {
    !name.contains(':') || in_brackets(name).is_some()
}

/// The IPv6 address in brackets.
fn in_brackets(host: &str) -> Option<&str> {
    let inside = host.strip_prefix('[')?.strip_suffix(']')?;
    inside.contains(':').then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forms of Open MPI, MPICH, Grid Engine and of lists, each with the hosts that it names.
    #[test]
    fn the_hosts_of_each_form_are_found() {
        for (text, expected) in [
            (
                "2001:db8::1\n2001:db8::2\n2001:db8::3",
                "2001:db8::1 2001:db8::2 2001:db8::3",
            ),
            ("[2001:db8::1]\n[2001:db8::2]:4", "2001:db8::1 2001:db8::2"),
            ("2001:db8::1 slots=4\nfe80::1%eth0 slots=2", "2001:db8::1 fe80::1%eth0"),
            ("2001:db8:0:0:0:0:0:10", "2001:db8:0:0:0:0:0:10"),
            ("::1\nroot@[::1]:2", "::1 ::1"),
            ("# all\n\na slots=4 max_slots=8\n\tb # c\n", "a b"),
            ("a:4\nb:2 binding=user:0\r\nc\r\n", "a b c"),
            ("\u{feff}u@a.lan:4\n10.0.0.1:2", "a.lan 10.0.0.1"),
            ("a 4 all.q@a UNDEFINED", "a"),
            ("n[01-02,4]:2\nr[0-1]n[0-1]", "n01 n02 n4 r0n0 r0n1 r1n0 r1n1"),
            ("[1-2].lan\na,b:2", "1.lan 2.lan a b"),
        ] {
            let found = parse_host_names("hosts", text).unwrap();
            assert_eq!(found.join(" "), expected, "{text}");
        }
        let error = parse_host_names("hosts", "a\nn[1-").unwrap_err();
        let message = "hosts:2: \"[\" is never closed; write names such as n[0-15,20],login1";
        assert_eq!(error.to_string(), message);
    }
}
