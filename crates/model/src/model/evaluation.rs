//! Models by themselves: those with a name, and the values of models of a message or of a program, which describe no
//! collective.

use itertools::Itertools as _;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};

use super::all_named;
use super::case::{Case, KnownNetwork};
use super::entry::Model;
use super::error::ModelError;
use super::properties::ModelSubject;

/// Processes of a message.
const MESSAGE_PROCS: u32 = 2;

/// The models with the name `name`, or the model `subject/name`.
///
/// # Errors
/// If there is none.
pub fn find_models(name: &str) -> Result<Vec<&'static Model>, Refusal> {
    let Some((subject, name)) = name.split_once('/') else {
        return Ok(all_named(name)?);
    };
    let mut found = all_named(name)?;
    let subjects = found.iter().map(|model| model.subject).join(", ");
    found.retain(|model| model.subject.to_string() == subject);
    if found.is_empty() {
        return Err(Refusal::request(format!(
            "{name} is not a model of {subject:?}; write one of these before it: {subjects}"
        )));
    }
    Ok(found)
}

/// A request for the values of a model of one message or of a program.
pub struct EvaluationRequest<'a> {
    /// The model.
    pub model: &'static Model,
    /// Values of its parameters by name.
    pub settings: &'a [(String, f64)],
    /// Parameters of the network, for a model of a message.
    pub network: Option<KnownNetwork>,
    /// Sizes of the message.
    pub sizes: Option<&'a [Bytes]>,
}

/// A value of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvaluatedSize {
    /// The size of the message; `None` for a program.
    pub size: Option<Bytes>,
    /// The value, in the unit of the model's example.
    pub value: f64,
}

impl EvaluationRequest<'_> {
    /// True if network and sizes are given as the model needs them: both for a model of a message, none for others.
    pub fn suits(&self) -> bool {
        let is_evaluated_here = matches!(self.model.subject, ModelSubject::Message | ModelSubject::Program);
        let needs_network = !self.model.needs.is_empty();
        is_evaluated_here && self.network.is_some() == needs_network && self.sizes.is_some() == needs_network
    }

    /// The value for each size, or the one of a program.
    ///
    /// # Errors
    /// If a parameter is not the model's or has no value, or the formula does not hold for the values.
    pub fn values(&self) -> Result<Vec<EvaluatedSize>, Refusal> {
        let model = self.model;
        let is_parameter = |name: &str| model.parameters.iter().any(|parameter| parameter.name == name);
        if let Some((name, _)) = self.settings.iter().find(|(name, _)| !is_parameter(name)) {
            return Err(Refusal::request(format!(
                "{} has no parameter {name:?}; see netsig models {0}",
                model.name
            )));
        }
        let given = |name: &str| Some(self.settings.iter().find(|setting| setting.0 == name)?.1);
        let parameters = model.values(|parameter| given(parameter.name))?;
        let known = self.network.clone().unwrap_or_else(|| model.example.known_network());
        let two = Procs::new(MESSAGE_PROCS).expect("not zero");
        let value = |&size: &Bytes| {
            let timed = model.time(&known, &parameters, Case::new(two, size))?;
            Ok(EvaluatedSize {
                size: self.sizes.map(|_| size),
                value: timed.time.0,
            })
        };
        let sizes = self.sizes.unwrap_or(&[Bytes(0)]);
        let evaluated: Result<Vec<EvaluatedSize>, ModelError> = sizes.iter().map(value).collect();
        Ok(evaluated?)
    }
}
