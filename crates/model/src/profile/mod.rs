//! Profiles: the results of fits, as predictions need them; one TOML file per network (FORMATS.md).
//!
//! The file contains the structs of this folder, and the fits that need no other form, unchanged.
//! Reading checks every value, so that later code cannot meet a bad one.

mod choice;
mod facts;
mod of_fit;
mod protocol;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::hash::Hash;

use itertools::Itertools as _;
use netsig_base::algorithm::{ClusterLayout, Collective, ReductionOperands};
use netsig_base::data::mixture::{self, FactDifference, NamedDataset};
use netsig_base::data::{Dataset, OPERANDS_KEY, Provenance, cluster_facts};
use netsig_base::network::{ClusterGrid, ClusterLink, HostClusters, grid};
use netsig_base::text::file_error::{FileError, parse_toml};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Procs, SecondsPerByte};
use serde::{Deserialize, Serialize};

pub use self::choice::ChosenModelEntry;
pub use self::protocol::ProtocolEntry;
use crate::field::FieldEntry;
use crate::fit::flows::FlowGaps;
use crate::fit::hockney::HockneyFit;
use crate::fit::operation::OperationTime;
use crate::fitted::{ContentionFreeBase, ContentionModel, FittedModel};
use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;
use crate::model::signature::Signature;
use crate::model::{self, ClusteredRanks, KnownNetwork, Model, SIGNATURE};
use crate::regimes::entry::RegimesEntry;
use crate::regimes::forecast::has_regimes_for;

/// Version of the format that this netsig writes and reads.
pub const VERSION: u32 = 4;

/// The fitted models of one network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Version of the format, [`VERSION`].
    #[serde(rename = "netsig_profile")]
    pub version: u32,
    /// Origin of the profile and its data.
    #[serde(default, with = "facts")]
    pub provenance: Provenance,
    /// Point-to-point parameters.
    pub hockney: HockneyFit,
    /// L, g(m), os(m), or(m), where known.
    pub plogp: Option<PLogP>,
    /// Eager limit of the MPI library, where a measurement has shown it.
    pub protocol: Option<ProtocolEntry>,
    /// Gaps of simultaneous transfers between disjoint pairs.
    pub flows: Option<FlowGaps>,
    /// Times of the operations of reductions, where they were measured.
    #[serde(default, rename = "operation", skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<OperationTime>,
    /// Fitted models of each algorithm.
    #[serde(default)]
    pub fitted: Vec<FittedModel>,
    /// Field of each algorithm.
    #[serde(default, rename = "field")]
    pub fields: Vec<FieldEntry>,
    /// Regimes of each algorithm, one entry for each class of process counts.
    #[serde(default)]
    pub regimes: Vec<RegimesEntry>,
    /// Model that a fit chose for each algorithm.
    #[serde(default, rename = "choice")]
    pub choices: Vec<ChosenModelEntry>,
    /// Clusters of hosts that `netsig discover` found.
    #[serde(default, rename = "cluster", skip_serializing_if = "Option::is_none")]
    pub clusters: Option<HostClusters>,
    /// Measured links between and inside the clusters.
    #[serde(default, rename = "cluster_link", skip_serializing_if = "Vec::is_empty")]
    pub cluster_links: Vec<ClusterLink>,
}

/// Version of a profile, read before all else.
#[derive(Deserialize)]
struct ProfileHeader {
    netsig_profile: toml::Spanned<u32>,
}

/// Prefix of the keys of facts about the data of a fit.
const OF_DATA: &str = "data_";

/// Key of the collectives with a root that have cells whose times are means over the ranks.
const ROOTED_MEANS: &str = "means_over_ranks";

/// Key of the process count whose collectives gave α and β for want of a ping-pong.
const SUBSTITUTE_PROCS: &str = "alpha_and_beta_among";

const HINT: &str = "`netsig fit` writes profiles";

/// Remedy for an impossible value.
const REMEDY: &str = "correct it or fit again";

impl Profile {
    /// Reads a profile; `name` is the file's name in errors.
    ///
    /// # Errors
    /// If the text is no profile, has another version, or contains impossible values.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        let version = parse_toml::<ProfileHeader>(name, text, HINT)?.netsig_profile;
        refuse_version(*version.get_ref())
            .map_err(|problem| FileError::at_offset(name, text, version.span().start, problem))?;
        let profile: Self = parse_toml(name, text, HINT)?;
        profile
            .check()
            .map_err(|problem| FileError::of_file(name, format!("{problem}; {REMEDY}")))?;
        Ok(profile)
    }

    /// The profile as TOML text.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a profile has a TOML form")
    }

    /// Known properties of the network; without measured pLogP, pLogP follows from α and β, see
    /// [`PLogP::from_hockney`].
    pub fn network(&self) -> KnownNetwork {
        KnownNetwork {
            operation: self.operation(),
            ..KnownNetwork::of(self.hockney.model(), self.plogp.as_ref())
        }
    }

    /// Operation and type of the reductions in the data.
    pub fn operands(&self) -> ReductionOperands {
        let stated = self.provenance.get(&format!("{OF_DATA}{OPERANDS_KEY}"));
        stated.and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// ω of the reductions in the data, else of the first measured operation; 0 if none was measured.
    pub fn operation(&self) -> SecondsPerByte {
        let operands = self.operands();
        let of_data = self.operations.iter().find(|entry| entry.operands == operands);
        let known = of_data.or(self.operations.first());
        known.map_or(SecondsPerByte(0.0), |entry| entry.per_byte)
    }

    /// The pLogP tables; `name` is the file's name in errors.
    ///
    /// # Errors
    /// If the profile has none.
    pub fn tables(self, name: &str) -> Result<PLogP, Refusal> {
        let problem = "has no [plogp]; name a profile with its tables";
        self.plogp.ok_or_else(|| Refusal::data(problem).about(name))
    }

    /// The clusters of the hosts with the times between them, if known.
    pub fn grid(&self) -> Option<ClusterGrid> {
        let clusters = self.clusters.clone()?;
        let links = self.cluster_links.clone();
        Some(ClusterGrid { clusters, links })
    }

    /// Adds facts about the profile's data.
    pub fn add_facts(&mut self, facts: &Provenance) {
        for (key, value) in facts.iter() {
            self.provenance.push(&format!("{OF_DATA}{key}"), value);
        }
    }

    /// True if cells of a collective with a root have means over the ranks, which leave at different times.
    pub fn has_rooted_means(&self, collective: Collective) -> bool {
        let stated_names = self.provenance.get(ROOTED_MEANS).into_iter();
        let mut names = stated_names.flat_map(|names| names.split(','));
        names.any(|name| name == collective.to_string())
    }

    /// Process count whose collectives gave α and β, if no ping-pong did. Contention is relative to it.
    pub fn substitute_procs(&self) -> Option<Procs> {
        Procs::new(self.provenance.get(SUBSTITUTE_PROCS)?.parse().ok()?).ok()
    }

    /// Facts about network, MPI or settings in which data differ from the data of this profile, whose file is
    /// `place`.
    pub fn differences(&self, place: &str, data: NamedDataset) -> Vec<FactDifference> {
        let facts = self.provenance.iter();
        let mut provenance = Provenance::default();
        for (key, value) in facts.filter_map(|(key, value)| Some((key.strip_prefix(OF_DATA)?, value))) {
            provenance.push(key, value);
        }
        let fitted = Dataset {
            provenance,
            ..Dataset::default()
        };
        mixture::differences(&[
            NamedDataset {
                name: place,
                data: &fitted,
            },
            data,
        ])
    }

    /// The profile with these clusters and links in place of its clusters; its facts about the ranks stay.
    #[must_use]
    pub fn with_clusters(self, grid: ClusterGrid) -> Self {
        Self {
            clusters: Some(grid.clusters),
            cluster_links: grid.links,
            ..self
        }
    }

    /// Replaces the clusters of the hosts, and the times between them if `grid` has any. Each host then runs one
    /// process, in the order of the clusters.
    pub fn set_grid(&mut self, grid: ClusterGrid) {
        if let Some(layout) = layout_of(&grid.clusters) {
            self.set_layout(&layout);
        }
        self.clusters = Some(grid.clusters);
        if !grid.links.is_empty() {
            self.cluster_links = grid.links;
        }
    }

    /// Replaces the clusters of the ranks.
    pub fn set_layout(&mut self, layout: &ClusterLayout) {
        cluster_facts::push_layout(&mut self.provenance, OF_DATA, layout);
    }

    /// Largest number of processes on a host when the data were measured.
    pub fn per_host(&self) -> u32 {
        cluster_facts::most_ranks_per_host(&self.provenance)
    }

    /// The clusters of the ranks as measured, else with one process on each host.
    pub fn clustered(&self) -> Option<ClusteredRanks> {
        let grid = self.grid()?;
        let measured = cluster_facts::layout(&self.provenance, OF_DATA);
        let layout = measured.or_else(|| layout_of(&grid.clusters))?;
        let taking_part = cluster_facts::participating_ranks(&self.provenance);
        let network = self.hockney.model();
        Some(ClusteredRanks::new(&grid, layout, taking_part, &network))
    }

    /// True if the ranks were in several clusters, so that the measurements mix both kinds of links.
    pub fn is_between_clusters(&self) -> bool {
        let layout = cluster_facts::layout(&self.provenance, OF_DATA);
        layout.is_some_and(|layout| layout.clusters() > 1)
    }

    /// A fitted model of an algorithm.
    pub fn model(&self, model: &Model, algorithm: &str) -> Option<&FittedModel> {
        self.fitted
            .iter()
            .find(|entry| entry.model == model && entry.algorithm == algorithm)
    }

    /// The field of an algorithm.
    pub fn field(&self, collective: Collective, algorithm: &str) -> Option<&FieldEntry> {
        let mut fields = self.fields.iter();
        fields.find(|field| field.collective == collective && field.algorithm == algorithm)
    }

    /// The contention signature of an algorithm on top of `base`.
    pub fn signature(&self, collective: Collective, algorithm: &str, base: Hockney) -> Option<Signature> {
        let model = model::find(collective, SIGNATURE).ok()?;
        self.model(model, algorithm)?.signature(base)
    }

    /// All fitted contention models.
    pub fn contention_models(&self) -> impl Iterator<Item = &dyn ContentionModel> {
        let fitted = self.fitted.iter().map(|entry| entry as &dyn ContentionModel);
        let regimes = self.regimes.iter().map(|entry| entry as &dyn ContentionModel);
        let fields = self.fields.iter().map(|entry| entry as &dyn ContentionModel);
        fitted.chain(fields).chain(regimes)
    }

    /// The fitted contention models of a collective.
    pub fn contention_models_of(&self, collective: Collective) -> impl Iterator<Item = &dyn ContentionModel> {
        let is_of_collective = move |model: &&dyn ContentionModel| model.collective() == Some(collective);
        self.contention_models().filter(is_of_collective)
    }

    /// Level of the intervals of a collective's predictions, if it is known.
    pub fn interval_level(&self, collective: Collective) -> Option<f64> {
        let regimes = self.regimes.iter().map(|entry| (entry.collective, entry.confidence));
        let fields = self.fields.iter().map(|entry| (entry.collective, entry.confidence));
        let mut levels = regimes.chain(fields);
        let of_collective = levels.find(|(of, _)| *of == collective);
        of_collective.map(|(_, level)| level)
    }

    /// Algorithms of a collective with a fitted model, each once.
    pub fn algorithms(&self, collective: Collective) -> Vec<&str> {
        let all = self.contention_models_of(collective);
        all.map(ContentionModel::algorithm).unique().collect()
    }

    /// True if an unmeasured algorithm can borrow parameters of measured ones; between clusters none can.
    pub fn can_transfer_parameters(&self, collective: Collective, algorithm: &str) -> bool {
        !self.is_between_clusters() && has_regimes_for(&self.regimes, collective, algorithm)
    }

    /// Refuses values that no prediction can use, and repeated sections.
    fn check(&self) -> Result<(), String> {
        let within = |section: &str| {
            let section = section.to_owned();
            move |what: String| format!("{section} {what}")
        };
        self.hockney.check().map_err(within("[hockney]"))?;
        if let Some(protocol) = &self.protocol {
            protocol.check().map_err(within("[protocol]"))?;
        }
        if let Some(flows) = &self.flows {
            flows.check().map_err(within("[flows]"))?;
        }
        for operation in &self.operations {
            let who = format!("[[operation]] of {}:", operation.operands);
            operation.check().map_err(within(&who))?;
        }
        for fitted in &self.fitted {
            let who = format!("[[fitted]] {} of {:?}:", fitted.model.name, fitted.algorithm);
            fitted.check().map_err(within(&who))?;
            if fitted.fitted_on == ContentionFreeBase::Tables && self.plogp.is_none() {
                let what = "fitted_on = \"plogp\", but the profile has no [plogp]";
                return Err(within(&who)(what.to_owned()));
            }
        }
        for regimes in &self.regimes {
            let who = format!("[[regimes]] of {:?}:", regimes.algorithm);
            regimes.check().map_err(within(&who))?;
        }
        for field in &self.fields {
            let who = format!("[[field]] of {:?}:", field.algorithm);
            field.check().map_err(within(&who))?;
        }
        for choice in &self.choices {
            let who = format!("[[choice]] of {:?}:", choice.algorithm);
            choice.check().map_err(within(&who))?;
        }
        let fitted_name = |fitted: &FittedModel| {
            let model = fitted.model;
            let name = format!("{}/{} of {}", model.subject, model.name, fitted.algorithm);
            (name, ())
        };
        refuse_twice("[[fitted]]", self.fitted.iter().map(fitted_name))?;
        let operation_name = |operation: &OperationTime| (operation.operands.to_string(), ());
        refuse_twice("[[operation]]", self.operations.iter().map(operation_name))?;
        let field_name = |field: &FieldEntry| (format!("{} {}", field.collective, field.algorithm), ());
        refuse_twice("[[field]]", self.fields.iter().map(field_name))?;
        let regimes_key = |regimes: &RegimesEntry| {
            let name = format!("{} {} {}", regimes.collective, regimes.algorithm, regimes.class);
            (name, regimes.model.pattern)
        };
        refuse_twice("[[regimes]]", self.regimes.iter().map(regimes_key))?;
        let choice_name = |choice: &ChosenModelEntry| (format!("{} {}", choice.collective, choice.algorithm), ());
        refuse_twice("[[choice]]", self.choices.iter().map(choice_name))?;
        self.check_links()
    }

    fn check_links(&self) -> Result<(), String> {
        match &self.clusters {
            None if self.cluster_links.is_empty() => Ok(()),
            None => Err("[[cluster_link]] without a [[cluster]]".to_owned()),
            Some(clusters) => grid::check_links(clusters, &self.cluster_links).map_err(|error| error.to_string()),
        }
    }
}

/// One rank on each host, in the order of the clusters.
fn layout_of(clusters: &HostClusters) -> Option<ClusterLayout> {
    let HostClusters::Named(clusters) = clusters else {
        return None;
    };
    let host_counts = clusters.iter().map(|cluster| u32::try_from(cluster.hosts.len()).ok());
    let sizes: Option<Vec<u32>> = host_counts.collect();
    sizes.map(|sizes| ClusterLayout::of_sizes(&sizes))
}

fn refuse_version(version: u32) -> Result<(), String> {
    match version {
        VERSION => Ok(()),
        newer if newer > VERSION => Err(format!(
            "profile version {newer} is newer than {VERSION}, which this netsig reads; update netsig or fit again"
        )),
        older => Err(format!(
            "profile version {older} is older than {VERSION}, which this netsig reads; fit the data again with netsig fit"
        )),
    }
}

/// Refuses two sections with the same name and key.
fn refuse_twice<K: Hash + Eq>(section: &str, names: impl Iterator<Item = (String, K)>) -> Result<(), String> {
    match names.duplicates().next() {
        Some((name, _)) => Err(format!("{section} of {name} is given twice")),
        None => Ok(()),
    }
}
