//! The entry of a model: name, formula, source and domain in words, parameters, a worked example,
//! and the function that computes its time.

use std::num::NonZeroU32;

use netsig_base::units::parameter::{ParameterError, finite, non_negative, volume};
use netsig_base::units::{Bytes, Procs, Seconds};

use super::case::{Case, KnownNetwork, ModelTime, ParameterValues};
use super::error::{ModelError, check_time};
use super::examples::{ROUND_NUMBERS, WorkedExample};
use super::hockney::Hockney;
use super::plogp::PLogP;
use super::properties::{ModelEstimator, ModelInput, ModelKind, ModelParameter, ModelSubject, ParameterRole};
use super::{FIELD, SHARED_LINK};

/// A model.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// Name, unique among the models of its subject.
    pub name: &'static str,
    /// Subject: message, collective, exchange or program.
    pub subject: ModelSubject,
    /// Meaning of the time: a bound, or a prediction with or without contention.
    pub kind: ModelKind,
    /// Formula in Unicode.
    pub formula: &'static str,
    /// Publication of the formula.
    pub source: &'static str,
    /// Conditions of validity, and deviations of netsig from the print.
    pub domain: &'static str,
    /// Name of the printed model, in the same subject, whose misprint this model corrects.
    pub corrects: Option<&'static str>,
    /// Inputs from a profile.
    pub needs: &'static [ModelInput],
    /// Parameters of the model's own.
    pub parameters: &'static [ModelParameter],
    /// Estimator of the parameters.
    pub estimator: ModelEstimator,
    /// Quantity that a threshold is compared with, if not the size.
    pub(super) threshold_quantity: Option<ThresholdQuantity>,
    /// A worked example.
    pub example: WorkedExample,
    /// Function that computes the time.
    pub(super) time: fn(&FormulaInputs) -> Result<ModelTime, ModelError>,
}

/// Function that computes the quantity to compare with a threshold.
pub(super) type ThresholdQuantity = fn(&FormulaInputs) -> Result<Bytes, ModelError>;

/// Arguments of a formula.
pub(super) struct FormulaInputs<'a> {
    pub(super) model: &'static Model,
    pub(super) known: &'a KnownNetwork,
    pub(super) values: &'a ParameterValues,
    pub(super) case: Case,
}

impl Model {
    /// Base of the entries of a subject: contention-free, from α and β, without parameters.
    pub(super) const fn of_subject(subject: ModelSubject) -> Self {
        Self {
            name: "",
            subject,
            kind: ModelKind::ContentionFree,
            formula: "",
            source: "",
            domain: "",
            corrects: None,
            needs: &[ModelInput::Hockney],
            parameters: &[],
            estimator: ModelEstimator::None,
            threshold_quantity: None,
            example: WorkedExample::on_network(ROUND_NUMBERS, "", 0.0, (1, 0)),
            time: |_| Ok(Seconds(0.0).into()),
        }
    }

    /// Time of `case` on the network `known`; zero for a collective of one process.
    ///
    /// # Errors
    /// If n·m is beyond 2^64, the network lacks an input of the model, a parameter lacks an allowed value, or the
    /// result is negative or not finite.
    pub fn time(
        &'static self,
        known: &KnownNetwork,
        values: &ParameterValues,
        case: Case,
    ) -> Result<ModelTime, ModelError> {
        volume(case.procs, case.size)?;
        let mut timed = self.formula(known, values, case)?;
        if case.procs.get() == 1 && matches!(self.subject, ModelSubject::Collective(_)) {
            timed.time = Seconds(0.0);
        }
        check_time(self.name, timed.time)?;
        Ok(timed)
    }

    /// Unchecked result of the formula, for a case that [`Model::time`] accepts.
    pub(crate) fn formula(
        &'static self,
        known: &KnownNetwork,
        values: &ParameterValues,
        case: Case,
    ) -> Result<ModelTime, ModelError> {
        (self.time)(&FormulaInputs {
            model: self,
            known,
            values,
            case,
        })
    }

    /// Quantity of a case that the threshold is compared with.
    ///
    /// # Errors
    /// If the network lacks an input of the model.
    pub(crate) fn threshold_quantity(&'static self, known: &KnownNetwork, case: Case) -> Result<Bytes, ModelError> {
        let Some(quantity) = self.threshold_quantity else {
            return Ok(case.size);
        };
        quantity(&FormulaInputs {
            model: self,
            known,
            values: &self.values(|_| None)?,
            case,
        })
    }

    /// True if a threshold is compared with the size.
    pub(crate) fn compares_sizes(&self) -> bool {
        self.threshold_quantity.is_none()
    }

    /// Values of the parameters from `given`, else their defaults.
    ///
    /// # Errors
    /// Names the parameters without a value.
    pub fn values(
        &'static self,
        given: impl Fn(&ModelParameter) -> Option<f64>,
    ) -> Result<ParameterValues, ModelError> {
        let mut missing = Vec::new();
        let mut numbers = Vec::new();
        for parameter in self.parameters {
            match given(parameter).or(parameter.default) {
                Some(value) => numbers.push(value),
                None => missing.push(format!("{} ({})", parameter.name, parameter.meaning)),
            }
        }
        if missing.is_empty() {
            return Ok(ParameterValues { numbers, latency: None });
        }
        Err(ModelError::Missing {
            model: self.name,
            what: missing.join(", "),
            remedy: match self.estimator {
                ModelEstimator::None | ModelEstimator::Repetitions => "give --set NAME=VALUE for each",
                _ => "fit it to data or give --set NAME=VALUE",
            },
        })
    }

    /// Index of the first parameter with a role.
    pub(crate) fn role_index(&self, role: ParameterRole) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.role == role)
    }

    /// True if the fit to an algorithm's cells estimates a parameter by regression.
    pub fn is_regressed(&self) -> bool {
        let mut parameters = self.parameters.iter();
        self.is_fitted_to_cells() && parameters.any(|parameter| parameter.role.is_estimated())
    }

    /// True if the parameters are fitted to the cells of one algorithm.
    pub fn is_fitted_to_cells(&self) -> bool {
        !matches!(self.estimator, ModelEstimator::None | ModelEstimator::Repetitions)
    }

    /// True for a form of the contention signature.
    pub fn is_form_of_signature(&self) -> bool {
        matches!(self.estimator, ModelEstimator::Signature(_))
    }

    /// True for a model of algorithms that follow the clusters of the ranks.
    pub fn is_of_clusters(&self) -> bool {
        self.needs.contains(&ModelInput::Clusters) && !self.is_of_shared_link()
    }

    /// True for the model of an all-to-all between clusters whose pieces go straight to their receivers.
    pub fn is_of_shared_link(&self) -> bool {
        self.name == SHARED_LINK
    }

    /// True for a model that competes with the regimes: the choice compares their errors at process counts left out
    /// of the fits.
    pub fn competes(&self) -> bool {
        self.is_of_shared_link()
    }

    /// True for a model that describes any measured algorithm and has its own section in a profile.
    pub fn is_stored(&self) -> bool {
        self.has_distribution() || self.name == FIELD
    }

    /// True if a threshold divides the cases in two: from the threshold on, the time has the supplement once.
    pub(crate) fn has_sides(&self) -> bool {
        self.is_form_of_signature() || self.is_of_shared_link()
    }

    /// True for a model that predicts a distribution of repetitions; others give a single time.
    pub fn has_distribution(&self) -> bool {
        self.estimator == ModelEstimator::Repetitions
    }

    /// True for netsig's own contention signature, the one with a second γ.
    pub fn is_signature(&self) -> bool {
        let mut parameters = self.parameters.iter();
        parameters.any(|parameter| matches!(parameter.role, ParameterRole::Below(_)))
    }

    /// Evaluates the worked example.
    ///
    /// # Errors
    /// The errors of [`Model::time`].
    pub fn evaluate_example(&'static self) -> Result<ModelTime, ModelError> {
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

impl FormulaInputs<'_> {
    /// Evaluates a formula of α and β.
    #[expect(clippy::unnecessary_wraps, reason = "an entry's time may be an error")]
    pub(super) fn evaluate_hockney(
        &self,
        formula: impl Fn(&Hockney, Procs, Bytes) -> Seconds,
    ) -> Result<ModelTime, ModelError> {
        Ok(formula(&self.known.hockney, self.case.procs, self.case.size).into())
    }

    /// Evaluates a formula of pLogP.
    #[expect(clippy::unnecessary_wraps, reason = "an entry's time may be an error")]
    pub(super) fn evaluate_plogp(
        &self,
        formula: impl Fn(&PLogP, Procs, Bytes) -> Seconds,
    ) -> Result<ModelTime, ModelError> {
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
    pub(super) fn checked_value(
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
        let count = whole_number(value).and_then(|count| u32::try_from(count).ok());
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
    reason = "a value that does not fit changes and is refused"
)]
pub(super) fn whole_number(value: f64) -> Option<u64> {
    let truncated = value as i64;
    let is_exact = (truncated as f64).to_bits() == value.to_bits();
    let unsigned = u64::try_from(truncated).ok();
    unsigned.filter(|&whole| is_exact && whole != i64::MAX.unsigned_abs())
}

/// Threshold in bytes; infinity stands for none.
pub(super) fn threshold(name: &'static str, value: f64) -> Result<Option<Bytes>, ParameterError> {
    if value == f64::INFINITY {
        return Ok(None);
    }
    let rule = "a whole number of bytes, or inf for none";
    let bytes = whole_number(value).ok_or_else(|| ParameterError::new(name, value, rule))?;
    Ok(Some(Bytes(bytes)))
}
