//! Counts the hosts that are available to the ranks.

use std::path::{Path, PathBuf};

use itertools::Itertools;
use netsig_core::network::named::Files as _;
use netsig_core::units::Procs;

use super::flavour::Flavour;
use super::slurm::Allocation;
use crate::input::failure::Failure;
use crate::input::files::UserFiles;

/// The variables of batch systems other than Slurm with the name of a host file: PBS, LSF and Grid
/// Engine.
const BATCH_SYSTEMS: [&str; 3] = ["PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE"];

/// Names, without dashes, of mpirun's options that specify hosts.
const NAMING: [&str; 5] = ["host", "H", "machinefile", "default-hostfile", "rankfile"];

/// The hosts of the ranks.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Number of hosts.
    pub hosts: u32,
    /// Number of ranks on each host.
    pub ppn: u32,
    /// Advice for more hosts.
    pub remedy: &'static str,
}

impl Room {
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
    flavour: &Flavour,
    options: &[String],
) -> Result<Option<u32>, Failure> {
    if options.iter().any(|option| names_hosts(option)) {
        return Ok(None);
    }
    let named = |variable| std::env::var_os(variable).map(PathBuf::from);
    let own = hostfile.map(Path::to_owned);
    if let Some(file) = own.or_else(|| named(flavour.hostfile_variable)) {
        return distinct(&file).map(Some);
    }
    if let Some(nodes) = Allocation::find().and_then(|allocation| allocation.nodes) {
        return Ok(Some(nodes));
    }
    match BATCH_SYSTEMS.into_iter().find_map(named) {
        Some(file) => distinct(&file).map(Some),
        None => Ok(Some(1)),
    }
}

fn names_hosts(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    let is_option = name.len() < option.len();
    is_option && (name == "f" || NAMING.iter().any(|naming| name.starts_with(naming)))
}

/// Number of different hosts in a host file. Each line begins with a host, possibly followed by `:`
/// or a space and further details; `#` begins a comment.
fn distinct(file: &Path) -> Result<u32, Failure> {
    let text = UserFiles.text(file).map_err(|error| {
        let problem = format!("the host file cannot be read ({error}); give --hostfile");
        Failure::usage(problem).about(file)
    })?;
    let lines = text.lines().filter_map(|line| line.split('#').next());
    let words = lines.filter_map(|line| line.split_whitespace().next());
    let hosts = words.map(|word| word.split(':').next()).unique().count();
    Ok(u32::try_from(hosts).unwrap_or(u32::MAX))
}
