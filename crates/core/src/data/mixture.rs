//! Whether data were taken on one network with one MPI and its settings, as far as their
//! provenance says.
//!
//! What is compared is in [`IDENTIFYING`], every `setting_NAME`, and every `env_NAME` but those
//! of [`HARMLESS_VARIABLES`]. A fact that only one side states is no difference, since data of
//! other programs state few; but data that netsig measured say whether their network was
//! emulated or simulated. Settings by which an MPI library chooses an algorithm matter where the
//! choice was left to it: a job that forces `library:NAME` has its own by design.

use std::collections::BTreeMap;
use std::fmt;

use super::{Dataset, JobId, Provenance};
use crate::algorithm::LIBRARY;

/// The facts that tell networks and MPIs apart, the most telling first. `placement` counts by
/// its most ranks on a host: so many share a link, however many hosts there are.
pub const IDENTIFYING: [&str; 11] = [
    "simulated",
    "lab",
    "network",
    "mpi",
    "interface",
    "interface_speed_mbit_per_s",
    "interface_mtu_bytes",
    "congestion_control",
    PLACEMENT,
    "synchronisation",
    "yield_shim",
];

/// How the names of environment variables begin that tell where a job runs, how it is started
/// and what it logs.
pub const HARMLESS_VARIABLES: [&str; 14] = [
    "SLURM_",
    "PMIX_MCA_",
    "OMPI_MCA_oob",
    "OMPI_MCA_plm",
    "OMPI_MCA_ras",
    "OMPI_MCA_rmaps",
    "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
    "UCX_LOG_",
    "FI_LOG_",
    "I_MPI_DEBUG",
    "I_MPI_HYDRA_",
    "I_MPI_INFO_",
    "I_MPI_MPIRUN",
    "I_MPI_ROOT",
];

/// The key of how many ranks each host has.
pub(super) const PLACEMENT: &str = "placement";

/// Facts that data measured by netsig state wherever they are so.
const STATED_IF_SO: [&str; 2] = ["simulated", "lab"];

/// What begins the key of a setting of the MPI library.
const SETTING: &str = "setting_";

/// What begins the key of an environment variable.
const VARIABLE: &str = "env_";

/// A data file.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What is in it.
    pub data: &'a Dataset,
}

/// A fact and where it is stated.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Statement {
    key: String,
    /// Empty for what is not so.
    value: String,
    place: String,
}

/// A fact that is stated in two ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The key of the fact.
    pub key: String,
    /// What it is in either place.
    pub values: [String; 2],
    /// The two places: files, or launches of them.
    pub places: [String; 2],
}

/// The facts in which the data differ, each once, the most telling first. None: they may be
/// taken together.
pub fn differences(sources: &[Source]) -> Vec<Difference> {
    let mut first: BTreeMap<String, Statement> = BTreeMap::new();
    let mut found: Vec<Difference> = Vec::new();
    for statement in sources.iter().flat_map(statements) {
        let known = first
            .entry(statement.key.clone())
            .or_insert_with(|| statement.clone());
        let is_told = found.iter().any(|other| other.key == statement.key);
        if known.value != statement.value && !is_told {
            found.push(Difference {
                key: statement.key,
                values: [known.value.clone(), statement.value],
                places: [known.place.clone(), statement.place],
            });
        }
    }
    found.sort_by_key(|difference| importance(&difference.key));
    found
}

/// The most ranks that one host has, if the provenance says and in any launch.
pub fn ranks_per_host(facts: &Provenance) -> Option<u32> {
    let fact = |key| JobId::of_key(key).map_or(key, |(_, fact)| fact);
    let placements = facts.iter().filter(|(key, _)| fact(key) == PLACEMENT);
    placements
        .filter_map(|(_, text)| most_on_a_host(text))
        .max()
}

/// The facts of one file that are compared, in their order.
fn statements(source: &Source) -> Vec<Statement> {
    let facts = &source.data.provenance;
    let mut samples = source.data.samples.iter();
    let leaves_choice = samples.any(|sample| *sample.place.algorithm == *LIBRARY);
    let mut all: Vec<Statement> = Vec::new();
    for (key, value) in facts.iter() {
        let (job, key) = JobId::of_key(key).map_or((None, key), |(job, fact)| (Some(job), fact));
        let is_forced = !leaves_choice || job.is_some_and(|job| job.variant > 0);
        if !is_compared(key) || (is_forced && chooses_algorithm(key)) {
            continue;
        }
        let Some(value) = comparable(key, value) else {
            continue;
        };
        let is_known = all.iter().any(|statement| statement.key == key);
        let name = source.name;
        let place = match job {
            Some(job) => {
                // What only a later job states was not so in the first.
                all.extend((!is_known).then(|| unstated(key, name)));
                format!("{job} of {name}")
            }
            None if is_known => format!("{name} further down"),
            None => name.to_owned(),
        };
        let key = key.to_owned();
        all.push(Statement { key, value, place });
    }
    if is_measured(facts) {
        let lacking = STATED_IF_SO.iter().filter(|key| facts.get(key).is_none());
        all.extend(lacking.map(|key| unstated(key, source.name)));
    }
    all
}

/// A fact that is not so.
fn unstated(key: &str, place: &str) -> Statement {
    Statement {
        key: key.to_owned(),
        value: String::new(),
        place: place.to_owned(),
    }
}

/// Whether netsig measured the data and not another program.
pub fn is_measured(facts: &Provenance) -> bool {
    let has = |key: &&str| facts.get(key).is_some();
    has(&"netsig") && ["mpi", "simulated"].iter().any(has) && !has(&"imported_from")
}

fn is_compared(key: &str) -> bool {
    let begins = |name: &str| {
        HARMLESS_VARIABLES
            .iter()
            .any(|begin| name.starts_with(begin))
    };
    match key.strip_prefix(VARIABLE) {
        Some(name) => !begins(name),
        None => key.starts_with(SETTING) || IDENTIFYING.contains(&key),
    }
}

/// Whether a setting decides which algorithm the MPI library takes for a collective that is
/// measured: all that a forced choice sets, and what Open MPI and MPICH have beside it.
fn chooses_algorithm(key: &str) -> bool {
    let name = key.strip_prefix(SETTING).or(key.strip_prefix(VARIABLE));
    let name = name.unwrap_or_default();
    let name = name.strip_prefix("OMPI_MCA_").unwrap_or(name);
    if let Some(tuned) = name.strip_prefix("coll_tuned_") {
        return !tuned.starts_with("barrier");
    }
    let ends = ["_ALGORITHM", "_DEVICE_COLLECTIVE", "_DEVICE_COLLECTIVES"];
    name.starts_with("MPIR_CVAR_")
        && (ends.iter().any(|end| name.ends_with(end)) || name.contains("COLLECTIVE_FALLBACK"))
}

/// What of a value is compared; nothing if it is not of its form.
fn comparable(key: &str, value: &str) -> Option<String> {
    match key {
        PLACEMENT => most_on_a_host(value).map(|most| format!("{most} a host")),
        _ => Some(value.to_owned()),
    }
}

/// The most ranks on a host of a placement such as `a:2,b:1`.
fn most_on_a_host(placement: &str) -> Option<u32> {
    let counts = placement.split(',').map(|host| {
        let (_, count) = host.rsplit_once(':')?;
        count.parse().ok()
    });
    counts.collect::<Option<Vec<u32>>>()?.into_iter().max()
}

/// The place of a fact among those that are told first.
fn importance(key: &str) -> usize {
    let place = IDENTIFYING.iter().position(|known| *known == key);
    place.unwrap_or(IDENTIFYING.len())
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &str| match value {
            "" => "not set".to_owned(),
            value => format!("{value:?}"),
        };
        let [one, other] = self.values.each_ref().map(|value| shown(value));
        let [here, there] = &self.places;
        write!(f, "{} is {one} in {here} and {other} in {there}", self.key)
    }
}

#[cfg(test)]
mod tests;
