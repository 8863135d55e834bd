//! The registry: every model by name, with its formula, source, domain, what it needs, and
//! a worked example.
//!
//! This one table drives `netsig models`, the names that `--model` takes, predictions,
//! fits, comparisons and the tests. A model is one entry in one of the files below, and
//! the formula itself stands in [`crate::model`] or [`crate::model::exchange`].

mod alltoall;
mod broadcast;
mod contention;
mod error;
mod exchange;
mod general;
mod grid;
mod networks;
mod plogpt;
mod regimes;
mod related;
mod scatter;
mod words;

use std::num::NonZeroU32;

use crate::algorithm::Collective;
use crate::model::hockney::Hockney;
use crate::model::plogp::PLogP;
use crate::model::segment::{Search, Segment};
use crate::model::signature::Signature;
use crate::network::tree::Tree;
use crate::units::parameter::{ParameterError, volume};
use crate::units::table::Table;
use crate::units::{Bytes, Procs, Seconds};
pub use error::ModelError;
use error::unknown;
pub use words::{Estimator, Kind, Need, Parameter, Role, Subject};

/// The name of netsig's own signature of an all-to-all, the model that a profile holds in
/// full.
pub const SIGNATURE: &str = "signature";

/// The name of the regimes, which a profile holds in full for every algorithm.
pub const REGIMES: &str = "regimes";

/// The name of the model that measured transfers give the parameters of.
pub const THROUGHPUT: &str = "throughput";

/// A model.
#[derive(Debug)]
pub struct Model {
    /// Its name, unique among the models of its subject.
    pub name: &'static str,
    /// What it is about.
    pub subject: Subject,
    /// What its time means.
    pub kind: Kind,
    /// The formula in Unicode.
    pub formula: &'static str,
    /// Who published it and where.
    pub source: &'static str,
    /// When it holds, and where netsig deviates from the print.
    pub domain: &'static str,
    /// The printed model whose misprint it mends, by its name in the same subject.
    pub mends: Option<&'static str>,
    /// What it takes from a profile.
    pub needs: &'static [Need],
    /// Its own parameters.
    pub parameters: &'static [Parameter],
    /// How they are found.
    pub estimator: Estimator,
    /// A worked example.
    pub example: Example,
    time: fn(&Inputs) -> Result<Timed, ModelError>,
}

/// A worked example: inputs for people, the same for the formula, and what comes out.
#[derive(Debug)]
pub struct Example {
    /// The case in words.
    pub inputs: &'static str,
    /// The value that the formula must give.
    pub expected: f64,
    /// The unit of that value.
    pub unit: &'static str,
    /// The network in words, where `inputs` do not tell it.
    on: &'static str,
    network: fn() -> Network,
    values: fn() -> Values,
    case: fn() -> Case,
}

/// What is known of a network.
#[derive(Debug, Clone)]
pub struct Network {
    /// α and β.
    pub hockney: Hockney,
    /// L, g(m), os(m), or(m).
    pub plogp: PLogP,
    /// The signature of the all-to-all in question, if there is one.
    pub signature: Option<Signature>,
    /// Its links, where they are known.
    pub tree: Option<Tree>,
}

/// The values of a model's own parameters.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Values {
    /// In the order of [`Model::parameters`].
    pub numbers: Vec<f64>,
    /// L(m), for the one model that has it.
    pub latency: Option<Table>,
}

/// How a segmented algorithm cuts its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segments {
    /// Into segments of this size.
    Of(Segment),
    /// Into those that the search finds best, whole multiples of the datatype.
    Best(Search, Segment),
}

/// What is to be predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// n.
    pub procs: Procs,
    /// m.
    pub size: Bytes,
    /// For segmented algorithms.
    pub segments: Segments,
}

/// A time, and the segment size where the algorithm has one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timed {
    /// The time.
    pub time: Seconds,
    /// The segments it was computed for.
    pub segment: Option<Segment>,
}

/// What a formula sees.
struct Inputs<'a> {
    model: &'static Model,
    network: &'a Network,
    values: &'a Values,
    case: Case,
}

/// All models, grouped by subject, in the order in which lists show them.
pub fn models() -> impl Iterator<Item = &'static Model> {
    general::MESSAGES
        .iter()
        .chain(&broadcast::MODELS)
        .chain(&regimes::BCAST)
        .chain(&scatter::SCATTER)
        .chain(&regimes::SCATTER)
        .chain(&scatter::GATHER)
        .chain(&regimes::GATHER)
        .chain(&regimes::ALLGATHER)
        .chain(&alltoall::MODELS)
        .chain(&contention::MODELS)
        .chain(&regimes::ALLTOALL)
        .chain(&plogpt::MODELS)
        .chain(&related::MODELS)
        .chain(&grid::MODELS)
        .chain(&exchange::MODELS)
        .chain(&general::PROGRAMS)
}

/// All models of a collective.
pub fn of(collective: Collective) -> impl Iterator<Item = &'static Model> {
    models().filter(move |model| model.subject == Subject::Collective(collective))
}

/// The strategies of a collective, each its own model: all but the regimes, which describe
/// any algorithm that was measured. An all-to-all has none.
pub fn strategies(collective: Collective) -> impl Iterator<Item = &'static Model> {
    let has_some = collective != Collective::Alltoall;
    of(collective).filter(move |model| has_some && model.name != REGIMES)
}

/// The model of a collective that is called `name`.
///
/// # Errors
/// If there is none; the error names those there are.
pub fn find(collective: Collective, name: &str) -> Result<&'static Model, ModelError> {
    of(collective)
        .find(|model| model.name == name)
        .ok_or_else(|| unknown(name, format!(" of {collective}"), of(collective)))
}

/// All models called `name`: several subjects may use a name.
///
/// # Errors
/// If there is none; the error names those there are.
pub fn named(name: &str) -> Result<Vec<&'static Model>, ModelError> {
    let found: Vec<_> = models().filter(|model| model.name == name).collect();
    if found.is_empty() {
        return Err(unknown(name, String::new(), models()));
    }
    Ok(found)
}

/// `time`, if it is one.
///
/// # Errors
/// If it is negative or not finite.
pub(crate) fn possible(model: &'static str, time: Seconds) -> Result<Seconds, ModelError> {
    if time.0.is_finite() && time.0 >= 0.0 {
        return Ok(time);
    }
    Err(ModelError::Impossible {
        model,
        time: time.0.to_string(),
    })
}

/// A number that is whole and not negative, as such.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the condition leaves only what fits"
)]
fn whole(value: f64) -> Option<u64> {
    (value.fract() == 0.0 && (0.0..18_446_744_073_709_551_616.0).contains(&value))
        .then_some(value as u64)
}

/// A number that is a count from 1 on, as such.
fn count(name: &'static str, value: f64) -> Result<NonZeroU32, ParameterError> {
    let count = whole(value).and_then(|count| u32::try_from(count).ok());
    count
        .and_then(NonZeroU32::new)
        .ok_or_else(|| ParameterError::new(name, value, "a whole number from 1 to 4294967295"))
}

impl Model {
    /// The time of `case` on `network`; zero for a collective of one process.
    ///
    /// # Errors
    /// If n·m is beyond 2^64, the network lacks what the model needs, a parameter has no
    /// value or one that is not allowed, or what comes out is negative or not finite.
    pub fn time(
        &'static self,
        network: &Network,
        values: &Values,
        case: Case,
    ) -> Result<Timed, ModelError> {
        volume(case.procs, case.size)?;
        let timed = (self.time)(&Inputs {
            model: self,
            network,
            values,
            case,
        })?;
        possible(self.name, timed.time)?;
        Ok(timed)
    }

    /// The values of its parameters where all are given or have defaults, by `given`.
    ///
    /// # Errors
    /// Names the parameters that have no value.
    pub fn values(
        &'static self,
        given: impl Fn(&Parameter) -> Option<f64>,
    ) -> Result<Values, ModelError> {
        let mut missing = Vec::new();
        let mut numbers = Vec::new();
        for parameter in self.parameters {
            match given(parameter).or(parameter.default) {
                Some(value) => numbers.push(value),
                None => missing.push(format!("{} ({})", parameter.name, parameter.meaning)),
            }
        }
        if missing.is_empty() {
            return Ok(Values {
                numbers,
                latency: None,
            });
        }
        Err(ModelError::Missing {
            model: self.name,
            what: missing.join(", "),
            remedy: match self.estimator {
                Estimator::None => "give --set NAME=VALUE for each",
                _ => "fit it to data or give --set NAME=VALUE",
            },
        })
    }

    /// Whether a regression finds parameters of it.
    pub fn is_regressed(&self) -> bool {
        let is_linear = |p: &Parameter| matches!(p.role, Role::Linear(_) | Role::Supplement);
        self.estimator != Estimator::None && self.parameters.iter().any(is_linear)
    }

    /// Evaluates the worked example.
    ///
    /// # Errors
    /// As [`Model::time`], where the example's inputs do not suit the model.
    pub fn evaluate_example(&'static self) -> Result<Timed, ModelError> {
        let Example {
            network,
            values,
            case,
            ..
        } = &self.example;
        self.time(&network(), &values(), case())
    }
}

impl Example {
    /// All inputs in words.
    pub fn words(&self) -> String {
        match self.on {
            "" => self.inputs.to_owned(),
            on => format!("{}; {on}", self.inputs),
        }
    }
}

impl Inputs<'_> {
    /// The parameter at `index` of [`Model::parameters`].
    fn value(&self, index: usize) -> f64 {
        self.values.numbers.get(index).copied().unwrap_or(f64::NAN)
    }

    fn missing(&self, what: &str, remedy: &'static str) -> ModelError {
        ModelError::Missing {
            model: self.model.name,
            what: what.to_owned(),
            remedy,
        }
    }
}

impl Case {
    /// A case whose segments, if any, are found by hill climbing on single bytes.
    pub fn new(procs: Procs, size: Bytes) -> Self {
        Self {
            procs,
            size,
            segments: Segments::Best(Search::HillClimbing, Segment::BYTE),
        }
    }
}

/// Models are equal if they are the same entry.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        (self.subject, self.name) == (other.subject, other.name)
    }
}

impl From<Seconds> for Timed {
    fn from(time: Seconds) -> Self {
        Self {
            time,
            segment: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values were computed outside netsig from the printed formulas.
    #[test]
    fn every_worked_example_comes_out() {
        for model in models() {
            let got = model.evaluate_example().unwrap().time.0;
            let expected = model.example.expected;
            assert!(
                (got - expected).abs() <= 1e-12 * expected.abs(),
                "{} {}: {got} is not {expected}",
                model.subject,
                model.name
            );
        }
    }

    /// Predictions take the interval of a model from what it says it needs.
    #[test]
    fn a_model_takes_from_the_network_no_more_than_it_says() {
        let other = networks::gigabit_ethernet();
        for model in models() {
            let known = (model.example.network)();
            let keeps = |need| model.needs.contains(&need);
            let mut network = known.clone();
            if !keeps(Need::Hockney) {
                network.hockney = other.hockney;
            }
            if !keeps(Need::PLogP) {
                network.plogp = other.plogp.clone();
            }
            let values = (model.example.values)();
            let case = (model.example.case)();
            let [before, after] = [&known, &network].map(|on| model.time(on, &values, case));
            assert_eq!(before, after, "{} {}", model.subject, model.name);
        }
    }

    #[test]
    fn names_are_unique_within_a_subject_and_texts_are_there() {
        let mut names: Vec<(String, &str)> = models()
            .map(|model| (model.subject.to_string(), model.name))
            .collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        for model in models() {
            let mended = |name| models().any(|m| m.subject == model.subject && m.name == name);
            assert!(model.mends.is_none_or(mended), "{}", model.name);
            for text in [
                model.formula,
                model.source,
                model.domain,
                model.example.inputs,
            ] {
                assert!(!text.is_empty(), "{} lacks a text", model.name);
            }
        }
    }

    #[test]
    fn unknown_names_say_what_there_is() {
        let error = find(Collective::Scatter, "direct").unwrap_err().to_string();
        assert_eq!(
            error,
            r#""direct" is not a model of scatter; write one of: binomial, binomial_exact, chain, flat, regimes"#
        );
        assert!(named("flat").unwrap().len() == 3);
    }
}
