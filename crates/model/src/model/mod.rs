//! The models, one file per formula. A file has derivation and misprints in its head, the function that computes the
//! formula, and an entry with formula, source, domain, parameters and a worked example.
//!
//! The entries drive `netsig models`, the names that `--model` takes, predictions, fits, comparisons and the tests.
//! Several models share these modules: the form of an entry (`properties`, `entry`, `case`, `examples`); the
//! parameters of a message ([`hockney`], [`plogp`]); the contention [`signature`]; the search for a segment size
//! ([`segment`]).

pub mod adve;
pub mod alltoall;
mod bcast;
mod case;
pub mod closed_form;
mod clustered;
mod clusters;
mod entry;
mod error;
pub mod evaluation;
mod examples;
pub mod exchange;
pub mod field;
pub mod hockney;
pub mod message;
pub mod plogp;
mod prelude;
mod properties;
pub mod reduction;
pub mod regimes;
mod scatter;
pub mod segment;
pub mod setting;
pub mod signature;

pub use case::{Case, KnownNetwork, ModelTime, ParameterValues, SegmentChoice};
pub use clustered::{ClusteredRanks, WideAreaLink};
pub use entry::Model;
pub use error::ModelError;
pub(crate) use error::check_time;
pub use examples::WorkedExample;
pub use properties::{ModelEstimator, ModelInput, ModelKind, ModelParameter, ModelSubject, ParameterRole};

use itertools::Itertools;

use netsig_base::algorithm::Collective;

/// Name of netsig's own signature of an all-to-all, the model that a profile stores in full.
pub const SIGNATURE: &str = "signature";

/// Name of the regimes, which a profile stores in full for every algorithm.
pub const REGIMES: &str = "regimes";

/// Name of the model whose γ is a table over process counts and sizes.
pub const FIELD: &str = "field";

/// Name of the model of an all-to-all between clusters whose pieces go straight to their receivers.
pub const SHARED_LINK: &str = "shared_link";

/// Name of the model whose parameters come from measured transfers.
pub const THROUGHPUT: &str = "throughput";

const ALLGATHER: &[Model] = &[clusters::ALLGATHER, field::ALLGATHER, regimes::entry::ALLGATHER];
const ALLTOALLV: &[Model] = &[
    field::ALLTOALLV,
    regimes::entry::ALLTOALLV,
    regimes::entry::ALLTOALLV_SKEWED,
    regimes::entry::ALLTOALLV_SPARSE,
];
const REDUCE: &[Model] = &[field::REDUCE, regimes::entry::REDUCE];
const ALLREDUCE: &[Model] = &[field::ALLREDUCE, regimes::entry::ALLREDUCE];
const REDUCE_SCATTER: &[Model] = &[field::REDUCE_SCATTER, regimes::entry::REDUCE_SCATTER];
const REDUCE_SCATTER_BLOCK: &[Model] = &[field::REDUCE_SCATTER_BLOCK, regimes::entry::REDUCE_SCATTER_BLOCK];
const BARRIER: &[Model] = &[field::BARRIER, regimes::entry::BARRIER];
const PROGRAMS: &[Model] = &[adve::ADVE];

/// All models, grouped by subject, in the order in which lists show them.
pub fn models() -> impl Iterator<Item = &'static Model> {
    static ALL: [&[Model]; 19] = [
        message::MODELS,
        bcast::MODELS,
        scatter::SCATTER,
        scatter::GATHER,
        ALLGATHER,
        alltoall::MODELS,
        ALLTOALLV,
        reduction::REDUCE,
        REDUCE,
        reduction::ALLREDUCE,
        ALLREDUCE,
        reduction::REDUCE_SCATTER,
        REDUCE_SCATTER,
        reduction::REDUCE_SCATTER_BLOCK,
        REDUCE_SCATTER_BLOCK,
        reduction::BARRIER,
        BARRIER,
        exchange::MODELS,
        PROGRAMS,
    ];
    ALL.into_iter().flatten()
}

/// All models of a collective.
pub fn of_collective(collective: Collective) -> impl Iterator<Item = &'static Model> {
    models().filter(move |model| model.subject == ModelSubject::Collective(collective))
}

/// The model of the algorithms of a collective that follow the clusters of the ranks.
pub fn of_clusters(collective: Collective) -> Option<&'static Model> {
    of_collective(collective).find(|model| model.is_of_clusters())
}

/// The model of a collective that describes any algorithm in full: the regimes.
///
/// # Panics
/// If a collective lacks it, which the list above does not allow.
pub fn general_model(collective: Collective) -> &'static Model {
    let mut models = of_collective(collective);
    let general = models.find(|model| model.has_distribution());
    general.expect("the regimes describe every collective")
}

/// The strategies of a collective, one model each. They exclude the field and the regimes, which describe any
/// measured algorithm, and the models of clusters. An all-to-all has no strategies.
pub fn strategies(collective: Collective) -> impl Iterator<Item = &'static Model> {
    let has_some = collective != Collective::Alltoall;
    of_collective(collective).filter(move |model| has_some && !model.is_stored() && !model.is_of_clusters())
}

/// Names that models had in earlier versions, with their present ones. Options, profiles and vectors may use both.
const FORMER_NAMES: [(&str, &str); 7] = [
    ("free", "contention_free"),
    ("tree", "tree_bound"),
    ("contention_001", "plogp_receive_bound"),
    ("upper_003", "plogp_overhead_bound"),
    ("factor_001", "plogp_factor"),
    ("factor_001_times_p_minus_1", "plogp_factor_per_peer"),
    ("factor_003", "plogp_overhead_factor"),
];

/// The present name of the model with the present or former `name`.
pub fn present_name(name: &str) -> &str {
    let mut pairs = FORMER_NAMES.iter();
    let renamed = pairs.find(|(former, _)| *former == name);
    renamed.map_or(name, |(_, present)| present)
}

/// The model of a collective with this present or former name.
///
/// # Errors
/// If there is none; the error lists the names of the collective's models.
pub fn find(collective: Collective, name: &str) -> Result<&'static Model, ModelError> {
    of_collective(collective)
        .find(|model| model.name == present_name(name))
        .ok_or_else(|| unknown_model(name, format!(" of {collective}"), of_collective(collective)))
}

/// All models with this present or former name, which several subjects may use.
///
/// # Errors
/// If there is none; the error lists the names of all models.
pub fn all_named(name: &str) -> Result<Vec<&'static Model>, ModelError> {
    let found: Vec<_> = models().filter(|model| model.name == present_name(name)).collect();
    if found.is_empty() {
        return Err(unknown_model(name, String::new(), models()));
    }
    Ok(found)
}

/// Error for a `name` that no model of `known` has.
fn unknown_model(name: &str, of: String, known: impl Iterator<Item = &'static Model>) -> ModelError {
    let names = known.map(|model| model.name);
    ModelError::Unknown {
        name: name.to_owned(),
        of,
        known: names.sorted_unstable().dedup().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use itertools::Itertools;
    use netsig_base::units::SecondsPerByte;

    use super::*;

    /// Predictions derive the interval of a model from its declared inputs.
    #[test]
    fn a_model_takes_from_the_network_no_more_than_it_says() {
        let other = examples::hockney_network(5e-5, 8.502e-9);
        for model in models() {
            let (known, values, case) = model.example.inputs();
            let keeps = |need| model.needs.contains(&need);
            let mut changed = known.clone();
            if !keeps(ModelInput::Hockney) {
                changed.hockney = other.hockney;
            }
            if !keeps(ModelInput::PLogP) {
                changed.plogp = other.plogp.clone();
            }
            if !keeps(ModelInput::Operation) {
                changed.operation = SecondsPerByte(1e-6);
            }
            let [before, after] = [&known, &changed].map(|network| model.time(network, &values, case));
            assert_eq!(before, after, "{} {}", model.subject, model.name);
        }
    }

    #[test]
    fn names_are_unique_within_a_subject_and_mend_one_of_it() {
        let name = |model: &Model, name| format!("{} {name}", model.subject);
        let all: Vec<String> = models().map(|model| name(model, model.name)).collect();
        assert!(all.iter().all_unique(), "{all:?}");
        let mut mended = models().filter_map(|model| Some(name(model, model.corrects?)));
        assert_eq!(mended.find(|name| !all.contains(name)), None);
    }
}
