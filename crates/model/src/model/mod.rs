//! The models, one file per formula: derivation and misprints in its head, the function that
//! computes the formula, and an entry with formula, source, domain, parameters and a worked
//! example.
//!
//! The entries drive `netsig models`, the names that `--model` takes, predictions, fits,
//! comparisons and the tests. Modules shared by several models: the form of an entry (`words`,
//! `entry`, `case`, `examples`), the parameters of a message ([`hockney`], [`plogp`]), the
//! contention [`signature`], and the search for a segment size ([`segment`]).

pub mod adve;
pub mod alltoall;
mod bcast;
mod case;
pub mod closed_form;
mod clustered;
mod clusters;
mod entry;
mod error;
mod examples;
pub mod exchange;
pub mod field;
pub mod hockney;
pub mod message;
pub mod plogp;
mod prelude;
pub mod regimes;
mod scatter;
pub mod segment;
pub mod setting;
pub mod signature;
mod words;

pub use case::{Case, Known, Segments, Timed, Values};
pub use clustered::{Between, Clustered};
pub use entry::Model;
pub use error::ModelError;
pub(crate) use error::possible;
pub use examples::Example;
pub use words::{Estimator, Kind, Need, Parameter, Role, Subject};

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
const PROGRAMS: &[Model] = &[adve::ADVE];

/// All models, grouped by subject, in the order in which lists show them.
pub fn models() -> impl Iterator<Item = &'static Model> {
    static ALL: [&[Model]; 9] = [
        message::MODELS,
        bcast::MODELS,
        scatter::SCATTER,
        scatter::GATHER,
        ALLGATHER,
        alltoall::MODELS,
        ALLTOALLV,
        exchange::MODELS,
        PROGRAMS,
    ];
    ALL.into_iter().flatten()
}

/// All models of a collective.
pub fn of(collective: Collective) -> impl Iterator<Item = &'static Model> {
    models().filter(move |model| model.subject == Subject::Collective(collective))
}

/// The model of the algorithms of a collective that follow the clusters of the ranks.
pub fn of_clusters(collective: Collective) -> Option<&'static Model> {
    of(collective).find(|model| model.is_of_clusters())
}

/// The model that describes any algorithm of a collective, in full: the regimes.
///
/// # Panics
/// If a collective lacks it, which the list above does not allow.
pub fn general(collective: Collective) -> &'static Model {
    let mut models = of(collective);
    let general = models.find(|model| model.has_distribution());
    general.expect("the regimes describe every collective")
}

/// The strategies of a collective, one model each: all models but the field and the regimes, which describe
/// any measured algorithm, and those of clusters. An all-to-all has no strategies.
pub fn strategies(collective: Collective) -> impl Iterator<Item = &'static Model> {
    let has_some = collective != Collective::Alltoall;
    of(collective).filter(move |model| has_some && !model.is_stored() && !model.is_of_clusters())
}

/// The model of a collective with this name.
///
/// # Errors
/// If there is none; the error lists the names of the collective's models.
pub fn find(collective: Collective, name: &str) -> Result<&'static Model, ModelError> {
    of(collective)
        .find(|model| model.name == name)
        .ok_or_else(|| unknown(name, format!(" of {collective}"), of(collective)))
}

/// All models with this name, which several subjects may use.
///
/// # Errors
/// If there is none; the error lists the names of all models.
pub fn named(name: &str) -> Result<Vec<&'static Model>, ModelError> {
    let found: Vec<_> = models().filter(|model| model.name == name).collect();
    if found.is_empty() {
        return Err(unknown(name, String::new(), models()));
    }
    Ok(found)
}

/// Error for a `name` that no model of `known` has.
fn unknown(name: &str, of: String, known: impl Iterator<Item = &'static Model>) -> ModelError {
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

    use super::*;

    /// Predictions take the interval of a model from what it says it needs.
    #[test]
    fn a_model_takes_from_the_network_no_more_than_it_says() {
        let other = examples::hockney(5e-5, 8.502e-9);
        for model in models() {
            let (known, values, case) = model.example.inputs();
            let keeps = |need| model.needs.contains(&need);
            let mut changed = known.clone();
            if !keeps(Need::Hockney) {
                changed.hockney = other.hockney;
            }
            if !keeps(Need::PLogP) {
                changed.plogp = other.plogp.clone();
            }
            let [before, after] = [&known, &changed].map(|on| model.time(on, &values, case));
            assert_eq!(before, after, "{} {}", model.subject, model.name);
        }
    }

    #[test]
    fn names_are_unique_within_a_subject_and_mend_one_of_it() {
        let name = |own: &Model, name| format!("{} {name}", own.subject);
        let all: Vec<String> = models().map(|own| name(own, own.name)).collect();
        assert!(all.iter().all_unique(), "{all:?}");
        let mut mended = models().filter_map(|own| Some(name(own, own.mends?)));
        assert_eq!(mended.find(|name| !all.contains(name)), None);
    }
}
