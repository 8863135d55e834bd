//! Test whether data come from one network with one MPI and its settings, by their provenance.
//!
//! Compared are the facts in [`IDENTIFYING`], every `setting_NAME`, and every `env_NAME` except
//! [`HARMLESS_VARIABLES`]. A fact that only one side states is no difference, since data of other
//! programs state few; but data measured by netsig state whether their network was emulated or
//! simulated. Settings by which an MPI library chooses an algorithm matter where the library had
//! the choice: a job that forces `library:NAME` has its own settings by design.

use std::collections::BTreeMap;
use std::fmt;

use super::{Dataset, JobId, OPERANDS_KEY, Provenance};
use crate::algorithm::LIBRARY;

/// Facts that distinguish networks and MPIs, the most important first. `placement` is compared by
/// the largest number of ranks on a host: so many share a link, whatever the number of hosts.
pub const IDENTIFYING: [&str; 13] = [
    "simulated",
    "lab",
    "undelayed_links",
    "network",
    "mpi",
    "interface",
    "interface_speed_mbit_per_s",
    "interface_mtu_bytes",
    "congestion_control",
    PLACEMENT,
    "synchronisation",
    "yield_shim",
    OPERANDS_KEY,
];

/// Prefixes of environment variables that only affect the hosts of a job, its start and its logs.
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

/// Key of the fact that states the number of ranks on each host.
pub(super) const PLACEMENT: &str = "placement";

/// Facts that data measured by netsig state only if true.
const STATED_IF_TRUE: [&str; 3] = ["simulated", "lab", "undelayed_links"];

/// Prefixes of the settings of Open MPI's components that take calls before `tuned` does.
const BEFORE_TUNED: [&str; 3] = ["coll_han_", "coll_hcoll_", "coll_ucc_"];

/// Prefix of the key of a setting of the MPI library.
const SETTING: &str = "setting_";

/// Prefix of the key of an environment variable.
const VARIABLE: &str = "env_";

/// Most characters of a value that a message shows: MPICH's version is a page.
const MOST_SHOWN: usize = 60;

/// A data file with its name.
#[derive(Debug, Clone, Copy)]
pub struct NamedDataset<'a> {
    /// Name of the file.
    pub name: &'a str,
    /// Contents of the file.
    pub data: &'a Dataset,
}

/// A fact and the place that states it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FactStatement {
    key: String,
    /// Empty if the fact is not set.
    value: String,
    place: String,
}

/// A fact with two values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactDifference {
    /// The key of the fact.
    pub key: String,
    /// The two values.
    pub values: [String; 2],
    /// The places of the values: files, or launches in files.
    pub places: [String; 2],
}

/// Facts in which the data differ, each once, the most important first. Empty if the data may be
/// combined.
pub fn differences(sources: &[NamedDataset]) -> Vec<FactDifference> {
    let mut first: BTreeMap<String, FactStatement> = BTreeMap::new();
    let mut found: Vec<FactDifference> = Vec::new();
    for statement in sources.iter().flat_map(statements) {
        let known = first.entry(statement.key.clone()).or_insert_with(|| statement.clone());
        let is_reported = found.iter().any(|other| other.key == statement.key);
        if known.value != statement.value && !is_reported {
            found.push(FactDifference {
                key: statement.key,
                values: [known.value.clone(), statement.value],
                places: [known.place.clone(), statement.place],
            });
        }
    }
    found.sort_by_key(|difference| importance(&difference.key));
    found
}

/// Largest number of ranks on one host in any launch, if the provenance states it.
pub fn ranks_per_host(facts: &Provenance) -> Option<u32> {
    let fact = |key| JobId::of_key(key).map_or(key, |(_, fact)| fact);
    let placements = facts.iter().filter(|(key, _)| fact(key) == PLACEMENT);
    placements.filter_map(|(_, text)| most_on_a_host(text)).max()
}

/// Compared facts of one file, in their order.
fn statements(source: &NamedDataset) -> Vec<FactStatement> {
    let facts = &source.data.provenance;
    let mut samples = source.data.samples.iter();
    let leaves_choice = samples.any(|sample| *sample.cell.algorithm == *LIBRARY);
    let mut all: Vec<FactStatement> = Vec::new();
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
                // A fact that only a later job states was not set in the first; but a setting was not
                // recorded there, since the library has every setting in every job.
                let was_unset = !is_known && !key.starts_with(SETTING);
                all.extend(was_unset.then(|| unstated(key, name)));
                format!("{job} of {name}")
            }
            None if is_known => format!("{name} further down"),
            None => name.to_owned(),
        };
        let key = key.to_owned();
        all.push(FactStatement { key, value, place });
    }
    if is_measured(facts) {
        let lacking = STATED_IF_TRUE.iter().filter(|key| facts.get(key).is_none());
        all.extend(lacking.map(|key| unstated(key, source.name)));
    }
    all
}

/// A fact that is not set.
fn unstated(key: &str, place: &str) -> FactStatement {
    FactStatement {
        key: key.to_owned(),
        value: String::new(),
        place: place.to_owned(),
    }
}

/// True if netsig, and no other program, measured the data.
pub fn is_measured(facts: &Provenance) -> bool {
    let has = |key: &&str| facts.get(key).is_some();
    has(&"netsig") && ["mpi", "simulated"].iter().any(has) && !has(&"imported_from")
}

fn is_compared(key: &str) -> bool {
    let begins = |name: &str| HARMLESS_VARIABLES.iter().any(|begin| name.starts_with(begin));
    match key.strip_prefix(VARIABLE) {
        Some(name) => !begins(name),
        None => key.starts_with(SETTING) || IDENTIFYING.contains(&key),
    }
}

/// True if a setting affects the MPI library's choice of an algorithm for a measured collective:
/// the settings that force a choice, and related ones of Open MPI and MPICH.
fn chooses_algorithm(key: &str) -> bool {
    let setting = key.strip_prefix(SETTING).or(key.strip_prefix(VARIABLE));
    let setting_name = setting.unwrap_or_default();
    let name = setting_name.strip_prefix("OMPI_MCA_").unwrap_or(setting_name);
    if name.starts_with("coll_tuned_") || BEFORE_TUNED.iter().any(|prefix| name.starts_with(prefix)) {
        return true;
    }
    let ends = ["_ALGORITHM", "_DEVICE_COLLECTIVE", "_DEVICE_COLLECTIVES"];
    name.starts_with("MPIR_CVAR_")
        && (ends.iter().any(|end| name.ends_with(end)) || name.contains("COLLECTIVE_FALLBACK"))
}

/// Compared part of a value; `None` if the value is malformed.
fn comparable(key: &str, value: &str) -> Option<String> {
    match key {
        PLACEMENT => most_on_a_host(value).map(|most| format!("{most} a host")),
        _ => Some(value.to_owned()),
    }
}

/// Largest number of ranks on a host in a placement such as `a:2,b:1`.
fn most_on_a_host(placement: &str) -> Option<u32> {
    let counts = placement.split(',').map(|host| {
        let (_, count) = host.rsplit_once(':')?;
        count.parse().ok()
    });
    counts.collect::<Option<Vec<u32>>>()?.into_iter().max()
}

/// Index of a fact in [`IDENTIFYING`], or the number of these for other facts.
fn importance(key: &str) -> usize {
    let place = IDENTIFYING.iter().position(|known| *known == key);
    place.unwrap_or(IDENTIFYING.len())
}

impl fmt::Display for FactDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = self.values.each_ref();
        let pairs = one.chars().zip(other.chars());
        let same = pairs.take_while(|(a, b)| a == b).count();
        let [one, other] = [one, other].map(|value| shown_value(value, same));
        let [here, there] = &self.places;
        write!(f, "{} is {one} in {here} and {other} in {there}", self.key)
    }
}

/// A value in quotes; a long value is cut to the part about the end of the first `same` characters, which another
/// value shares.
fn shown_value(value: &str, same: usize) -> String {
    if value.is_empty() {
        return "not set".to_owned();
    }
    let length = value.chars().count();
    let first = match length {
        0..=MOST_SHOWN => 0,
        _ => same.saturating_sub(MOST_SHOWN / 4),
    };
    let part: String = value.chars().skip(first).take(MOST_SHOWN).collect();
    let [before, after] = [first > 0, first + MOST_SHOWN < length].map(|cut| if cut { "…" } else { "" });
    format!("\"{before}{}{after}\"", part.escape_debug())
}

#[cfg(test)]
mod tests;
