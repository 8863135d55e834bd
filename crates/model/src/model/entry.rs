//! The entry of a model: name, formula, source and domain in words, parameters, a worked example,
//! and the function that computes its time.

use std::num::NonZeroU32;

use netsig_base::units::parameter::{ParameterError, finite, non_negative, volume};
use netsig_base::units::{Bytes, Procs, Seconds};

use super::case::{Case, Known, Timed, Values};
use super::error::{ModelError, possible};
use super::examples::{Example, ROUND};
use super::hockney::Hockney;
use super::plogp::PLogP;
use super::words::{Estimator, Kind, Need, Parameter, Role, Subject};
use super::{FIELD, SHARED_LINK};

/// A model.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// Name, unique among the models of its subject.
    pub name: &'static str,
    /// Subject: message, collective, exchange or program.
    pub subject: Subject,
    /// Meaning of the time: a bound, or a prediction with or without contention.
    pub kind: Kind,
    /// Formula in Unicode.
    pub formula: &'static str,
    /// Publication of the formula.
    pub source: &'static str,
    /// Conditions of validity, and deviations of netsig from the print.
    pub domain: &'static str,
    /// Name of the printed model, in the same subject, whose misprint this model corrects.
    pub mends: Option<&'static str>,
    /// Inputs from a profile.
    pub needs: &'static [Need],
    /// Parameters of the model's own.
    pub parameters: &'static [Parameter],
    /// Estimator of the parameters.
    pub estimator: Estimator,
    /// What a threshold is compared with, if not the size.
    pub(super) compared: Option<Compared>,
    /// A worked example.
    pub example: Example,
    /// Function that computes the time.
    pub(super) time: fn(&Inputs) -> Result<Timed, ModelError>,
}

/// A function that gives what a threshold is compared with.
pub(super) type Compared = fn(&Inputs) -> Result<Bytes, ModelError>;

/// Arguments of a formula.
pub(super) struct Inputs<'a> {
    pub(super) model: &'static Model,
    pub(super) known: &'a Known,
    pub(super) values: &'a Values,
    pub(super) case: Case,
}

impl Model {
    /// Base of the entries of a subject: contention-free, from α and β, without parameters.
    pub(super) const fn about(subject: Subject) -> Self {
        Self {
            name: "",
            subject,
            kind: Kind::ContentionFree,
            formula: "",
            source: "",
            domain: "",
            mends: None,
            needs: &[Need::Hockney],
            parameters: &[],
            estimator: Estimator::None,
            compared: None,
            example: Example::on(ROUND, "", 0.0, (1, 0)),
            time: |_| Ok(Seconds(0.0).into()),
        }
    }

    /// Time of `case` on the network `known`; zero for a collective of one process.
    ///
    /// # Errors
    /// If n·m is beyond 2^64, the network lacks an input of the model, a parameter has no value or
    /// one that is not allowed, or the result is negative or not finite.
    pub fn time(&'static self, known: &Known, values: &Values, case: Case) -> Result<Timed, ModelError> {
        volume(case.procs, case.size)?;
        let mut timed = self.formula(known, values, case)?;
        if case.procs.get() == 1 && matches!(self.subject, Subject::Collective(_)) {
            timed.time = Seconds(0.0);
        }
        possible(self.name, timed.time)?;
        Ok(timed)
    }

    /// Result of the formula for a case that [`Model::time`] accepts, not checked to be a time.
    pub(crate) fn formula(&'static self, known: &Known, values: &Values, case: Case) -> Result<Timed, ModelError> {
        (self.time)(&Inputs {
            model: self,
            known,
            values,
            case,
        })
    }

    /// What the threshold is compared with in a case.
    ///
    /// # Errors
    /// If the network lacks an input of the model.
    pub(crate) fn compared(&'static self, known: &Known, case: Case) -> Result<Bytes, ModelError> {
        let Some(compared) = self.compared else {
            return Ok(case.size);
        };
        compared(&Inputs {
            model: self,
            known,
            values: &self.values(|_| None)?,
            case,
        })
    }

    /// True if a threshold is compared with the size.
    pub(crate) fn compares_sizes(&self) -> bool {
        self.compared.is_none()
    }

    /// Values of the parameters from `given`, else their defaults.
    ///
    /// # Errors
    /// Names the parameters without a value.
    pub fn values(&'static self, given: impl Fn(&Parameter) -> Option<f64>) -> Result<Values, ModelError> {
        let mut missing = Vec::new();
        let mut numbers = Vec::new();
        for parameter in self.parameters {
            match given(parameter).or(parameter.default) {
                Some(value) => numbers.push(value),
                None => missing.push(format!("{} ({})", parameter.name, parameter.meaning)),
            }
        }
        if missing.is_empty() {
            return Ok(Values { numbers, latency: None });
        }
        Err(ModelError::Missing {
            model: self.name,
            what: missing.join(", "),
            remedy: match self.estimator {
                Estimator::None | Estimator::Repetitions => "give --set NAME=VALUE for each",
                _ => "fit it to data or give --set NAME=VALUE",
            },
        })
    }

    /// Index of the first parameter with a role.
    pub(crate) fn place(&self, role: Role) -> Option<usize> {
        self.parameters.iter().position(|own| own.role == role)
    }

    /// True if the fit to an algorithm's cells estimates a parameter by regression.
    pub fn is_regressed(&self) -> bool {
        let mut parameters = self.parameters.iter();
        self.is_fitted_to_cells() && parameters.any(|own| own.role.is_estimated())
    }

    /// True if the parameters are fitted to the cells of one algorithm.
    pub fn is_fitted_to_cells(&self) -> bool {
        !matches!(self.estimator, Estimator::None | Estimator::Repetitions)
    }

    /// True for a form of the contention signature.
    pub fn is_form_of_signature(&self) -> bool {
        matches!(self.estimator, Estimator::Signature(_))
    }

    /// True for a model of algorithms that follow the clusters of the ranks.
    pub fn is_of_clusters(&self) -> bool {
        self.needs.contains(&Need::Clusters) && !self.is_of_shared_link()
    }

    /// True for the model of an all-to-all between clusters whose pieces go straight to their receivers.
    pub fn is_of_shared_link(&self) -> bool {
        self.name == SHARED_LINK
    }

    /// True for a model that the choice for an algorithm judges beside the regimes, by its times at process
    /// counts left out of its fit.
    pub fn competes(&self) -> bool {
        self.is_of_shared_link()
    }

    /// True for a model that a profile has in a section of its own, and that describes any measured algorithm.
    pub fn is_stored(&self) -> bool {
        self.has_distribution() || self.name == FIELD
    }

    /// True if a threshold divides the cases in two: those from it on have the supplement once.
    pub(crate) fn has_sides(&self) -> bool {
        self.is_form_of_signature() || self.is_of_shared_link()
    }

    /// True for a model that predicts a distribution of repetitions; others give a single time.
    pub fn has_distribution(&self) -> bool {
        self.estimator == Estimator::Repetitions
    }

    /// True for netsig's own contention signature, the one with a second γ.
    pub fn is_signature(&self) -> bool {
        let mut parameters = self.parameters.iter();
        parameters.any(|own| matches!(own.role, Role::Below(_)))
    }

    /// Evaluates the worked example.
    ///
    /// # Errors
    /// As [`Model::time`], if the example's inputs do not suit the model.
    pub fn evaluate_example(&'static self) -> Result<Timed, ModelError> {
        let (known, values, case) = self.example.inputs();
        self.time(&known, &values, case)
    }
}

/// Two models are equal if subject and name are.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        (self.subject, self.name) == (other.subject, other.name)
    }
}

impl Inputs<'_> {
    /// Evaluates a formula of α and β.
    #[expect(clippy::unnecessary_wraps, reason = "an entry's time may be an error")]
    pub(super) fn by_hockney(&self, formula: impl Fn(&Hockney, Procs, Bytes) -> Seconds) -> Result<Timed, ModelError> {
        Ok(formula(&self.known.hockney, self.case.procs, self.case.size).into())
    }

    /// Evaluates a formula of pLogP.
    #[expect(clippy::unnecessary_wraps, reason = "an entry's time may be an error")]
    pub(super) fn by_plogp(&self, formula: impl Fn(&PLogP, Procs, Bytes) -> Seconds) -> Result<Timed, ModelError> {
        Ok(formula(&self.known.plogp, self.case.procs, self.case.size).into())
    }

    /// Name and value of the parameter at `index` of [`Model::parameters`]; NaN if it has no value.
    fn parameter(&self, index: usize) -> (&'static str, f64) {
        let name = self.model.parameters.get(index).map_or("", |p| p.name);
        let value = self.values.numbers.get(index).copied();
        (name, value.unwrap_or(f64::NAN))
    }

    /// Value of a parameter, unchecked; NaN if it has none.
    pub(super) fn value(&self, index: usize) -> f64 {
        self.parameter(index).1
    }

    /// Value of an optional parameter; NaN stands for none.
    pub(super) fn optional(&self, index: usize) -> Option<f64> {
        Some(self.value(index)).filter(|value| !value.is_nan())
    }

    pub(super) fn finite(&self, index: usize) -> Result<f64, ParameterError> {
        let (name, value) = self.parameter(index);
        finite(name, value)
    }

    pub(super) fn non_negative(&self, index: usize) -> Result<f64, ParameterError> {
        let (name, value) = self.parameter(index);
        non_negative(name, value)
    }

    /// Value of a parameter that satisfies `holds`; `rule` words the condition in the error.
    pub(super) fn ruled(
        &self,
        index: usize,
        rule: &'static str,
        holds: impl Fn(&f64) -> bool,
    ) -> Result<f64, ParameterError> {
        let (name, value) = self.parameter(index);
        let found = Some(value).filter(holds);
        found.ok_or_else(|| ParameterError::new(name, value, rule))
    }

    /// Value of a parameter that counts from 1.
    pub(super) fn count(&self, index: usize) -> Result<NonZeroU32, ParameterError> {
        let (name, value) = self.parameter(index);
        let count = whole(value).and_then(|count| u32::try_from(count).ok());
        let rule = "a whole number from 1 to 4294967295";
        count
            .and_then(NonZeroU32::new)
            .ok_or_else(|| ParameterError::new(name, value, rule))
    }

    /// Threshold in bytes; infinity stands for none.
    pub(super) fn threshold(&self, index: usize) -> Result<Option<Bytes>, ParameterError> {
        let (name, value) = self.parameter(index);
        threshold(name, value)
    }

    /// Error of a model without the input `what`.
    pub(super) fn missing(&self, what: &str, remedy: &'static str) -> ModelError {
        ModelError::Missing {
            model: self.model.name,
            what: what.to_owned(),
            remedy,
        }
    }
}

/// Converts a number that is whole, not negative and below 2^63. The conversion goes through `i64`,
/// which takes one instruction; a conversion to `u64` takes many.
#[expect(
    clippy::cast_possible_truncation,
    reason = "what does not fit differs from the value"
)]
pub(super) fn whole(value: f64) -> Option<u64> {
    let whole = value as i64;
    let is_exact = (whole as f64).to_bits() == value.to_bits();
    let whole = u64::try_from(whole).ok();
    whole.filter(|&whole| is_exact && whole != i64::MAX.unsigned_abs())
}

/// Threshold in bytes; infinity stands for none.
pub(super) fn threshold(name: &'static str, value: f64) -> Result<Option<Bytes>, ParameterError> {
    if value == f64::INFINITY {
        return Ok(None);
    }
    let rule = "a whole number of bytes, or inf for none";
    let bytes = whole(value).ok_or_else(|| ParameterError::new(name, value, rule))?;
    Ok(Some(Bytes(bytes)))
}
