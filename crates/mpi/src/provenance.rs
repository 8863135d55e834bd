//! Collects the provenance of the measurements on rank 0.

mod environment;
mod system;

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use itertools::Itertools;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};
use netsig_base::algorithm::ClusterLayout;
use netsig_base::data::{OPERANDS_KEY, Provenance, cluster_facts, sharing};
use netsig_base::text::line::escaped;
use netsig_measure::plan::provenance::PLAN;
use netsig_measure::plan::{JobId, MeasurementPlan};

use crate::settings;

/// Prefix of the key of a control variable of the MPI library.
const SETTING: &str = "setting_";

/// Prefix of the key of an environment variable.
const VARIABLE: &str = "env_";

/// Longest host name; longer names are cut.
const LONGEST_NAME: usize = 64;

/// The ranks of a job: their hosts and clusters.
pub struct RankPlaces {
    /// Name of the host of each rank.
    hosts: Vec<String>,
    /// Clusters of the ranks, if the plan names clusters.
    pub layout: Option<ClusterLayout>,
}

impl RankPlaces {
    /// The hosts of all ranks, and their clusters. All ranks must call this.
    ///
    /// # Errors
    /// If a rank runs on a host of no cluster.
    pub fn gather(world: &SimpleCommunicator, plan: &MeasurementPlan) -> Result<Self> {
        let hosts = host_names(world);
        let grid = plan.grid.as_ref();
        let of_each = grid.map(|grid| grid.clusters.cluster_of_each_rank(&hosts));
        Ok(Self {
            layout: of_each.transpose()?.map(ClusterLayout::new),
            hosts,
        })
    }

    /// Refuses ranks that share a host.
    ///
    /// # Errors
    /// If ranks share a host.
    pub fn refuse_sharing(&self) -> Result<()> {
        match sharing::describe_shared_hosts(&self.hosts) {
            None => Ok(()),
            Some(ranks) => bail!(
                "{ranks}, so that times would be those of its memory; name more hosts, each once, and leave out options that place ranks, or give --ppn"
            ),
        }
    }
}

/// Collects the facts of this job on rank 0: the `plan` with its `text`, library, hosts, settings, and `notes` of the
/// form `key=value`.
///
/// # Errors
/// If a note is not `key=value`.
pub fn collect(
    world: &SimpleCommunicator,
    plan: &MeasurementPlan,
    text: &str,
    places: &RankPlaces,
    notes: &[String],
) -> Result<Option<Provenance>> {
    if world.rank() != 0 {
        return Ok(None);
    }
    let hosts = &places.hosts;
    let mut facts = Provenance::default();
    facts.push("netsig", env!("CARGO_PKG_VERSION"));
    let library = mpi::environment::library_version().unwrap_or_default();
    facts.push("mpi", library.trim_end_matches(is_padding));
    facts.push("ranks", world.size());
    facts.push("hosts", hosts.join(","));
    facts.push("placement", placement(hosts));
    if let (Some(layout), Some(grid)) = (&places.layout, &plan.grid) {
        cluster_facts::push_clusters(&mut facts, grid, layout);
    }
    facts.push("seed", plan.seed);
    facts.push(PLAN, escaped(text));
    facts.push("synchronisation", plan.synchronisation);
    if let Some(operands) = plan.reduced_operands() {
        facts.push(OPERANDS_KEY, operands);
    }
    let settings = settings::read();
    for (key, value) in system::facts(&settings) {
        facts.push(key, value);
    }
    for (name, value) in settings {
        facts.push(&format!("{SETTING}{name}"), value);
    }
    for (name, value) in environment::relevant() {
        facts.push(&format!("{VARIABLE}{name}"), value);
    }
    facts.push("started_unix_s", unix_seconds()?);
    for note in notes {
        let (key, value) = note
            .split_once('=')
            .with_context(|| format!("--note {note:?} is not key=value"))?;
        facts.push(key, value);
    }
    Ok(Some(facts))
}

/// The facts of a later job that differ from `known`, each under a key of that job; a setting that no longer exists has
/// an empty value.
pub fn changes(known: &Provenance, facts: &Provenance, job: JobId) -> Provenance {
    let is_gone = |key: &str| (key.starts_with(SETTING) || key.starts_with(VARIABLE)) && facts.get(key).is_none();
    let new = facts.iter().filter(|(key, value)| known.get(key) != Some(value));
    let gone = known.iter().filter(|(key, _)| is_gone(key));
    let mut changes = Provenance::default();
    for (key, value) in new.chain(gone.map(|(key, _)| (key, ""))) {
        changes.push(&job.key(key), value);
    }
    changes
}

/// The current Unix time.
///
/// # Errors
/// If the clock is before 1970.
pub fn unix_seconds() -> Result<u64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Ok(now.context("the clock is before 1970; set it")?.as_secs())
}

/// The name of this rank's host.
pub fn host_name() -> String {
    mpi::environment::processor_name().unwrap_or_default()
}

/// Number of ranks on each host, in the order of first appearance.
fn placement(hosts: &[String]) -> String {
    let counts = hosts.iter().counts();
    let distinct_hosts = hosts.iter().unique();
    distinct_hosts.map(|host| format!("{host}:{}", counts[host])).join(",")
}

/// True for the padding of MPI libraries' C strings.
fn is_padding(c: char) -> bool {
    c == '\0' || c.is_whitespace()
}

/// The host of each rank; all ranks must call this.
pub fn host_names(world: &SimpleCommunicator) -> Vec<String> {
    let mut mine = host_name().into_bytes();
    mine.resize(LONGEST_NAME, 0);
    let mut all = vec![0u8; LONGEST_NAME * usize::try_from(world.size()).unwrap_or(0)];
    world.all_gather_into(&mine[..], &mut all[..]);
    let names = all.chunks(LONGEST_NAME).map(String::from_utf8_lossy);
    names.map(|name| name.trim_end_matches('\0').to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_counted_in_their_order() {
        let hosts = ["b", "a", "b"].map(str::to_owned);
        assert_eq!(placement(&hosts), "b:2,a:1");
    }

    #[test]
    fn a_later_launch_says_what_is_new() {
        let facts = |pairs: &[(&str, &str)]| {
            let mut facts = Provenance::default();
            for (key, value) in pairs {
                facts.push(key, value);
            }
            facts
        };
        let known = facts(&[("kernel", "6.1"), ("env_A", "1"), ("env_B", "2")]);
        let now = facts(&[("kernel", "6.1"), ("env_A", "3"), ("seed", "0")]);
        let expected = [("launch_2_env_A", "3"), ("launch_2_seed", "0"), ("launch_2_env_B", "")];
        assert_eq!(changes(&known, &now, JobId { launch: 2, variant: 0 }), facts(&expected));
    }
}
