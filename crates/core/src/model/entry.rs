//! The entry of a model: its name, its formula and its source in words, its parameters, a
//! worked example, and the function that computes its time.

use std::num::NonZeroU32;

use super::case::{Case, Known, Timed, Values};
use super::error::{ModelError, possible};
use super::examples::{Example, ROUND};
use super::hockney::Hockney;
use super::plogp::PLogP;
use super::words::{Estimator, Kind, Need, Parameter, Role, Subject};
use crate::units::parameter::{ParameterError, finite, non_negative, volume};
use crate::units::{Bytes, Procs, Seconds};

/// A model.
#[derive(Debug, Clone, Copy)]
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
    /// Computes its time.
    pub(super) time: fn(&Inputs) -> Result<Timed, ModelError>,
}

/// What a formula sees.
pub(super) struct Inputs<'a> {
    pub(super) model: &'static Model,
    pub(super) known: &'a Known,
    pub(super) values: &'a Values,
    pub(super) case: Case,
}

impl Model {
    /// What models of a subject have in common: a contention-free time of α and β, without
    /// parameters.
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
            example: Example::on(ROUND, "", 0.0, (1, 0)),
            time: |_| Ok(Seconds(0.0).into()),
        }
    }

    /// The time of `case` on the network `known`; zero for a collective of one process.
    ///
    /// # Errors
    /// If n·m is beyond 2^64, the network lacks what the model needs, a parameter has no
    /// value or one that is not allowed, or what comes out is negative or not finite.
    pub fn time(
        &'static self,
        known: &Known,
        values: &Values,
        case: Case,
    ) -> Result<Timed, ModelError> {
        volume(case.procs, case.size)?;
        let mut timed = self.formula(known, values, case)?;
        if case.procs.get() == 1 && matches!(self.subject, Subject::Collective(_)) {
            timed.time = Seconds(0.0);
        }
        possible(self.name, timed.time)?;
        Ok(timed)
    }

    /// What its formula gives for a case that [`Model::time`] takes, be it a time or not.
    pub(crate) fn formula(
        &'static self,
        known: &Known,
        values: &Values,
        case: Case,
    ) -> Result<Timed, ModelError> {
        (self.time)(&Inputs {
            model: self,
            known,
            values,
            case,
        })
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
                Estimator::None | Estimator::Regimes => "give --set NAME=VALUE for each",
                _ => "fit it to data or give --set NAME=VALUE",
            },
        })
    }

    /// The place of its first parameter with a role.
    pub(crate) fn place(&self, role: Role) -> Option<usize> {
        self.parameters.iter().position(|own| own.role == role)
    }

    /// Whether a regression finds parameters of it.
    pub fn is_regressed(&self) -> bool {
        let mut parameters = self.parameters.iter();
        self.is_fitted_to_cells() && parameters.any(|own| own.role.is_estimated())
    }

    /// Whether its parameters are fitted to the cells of one algorithm.
    pub fn is_fitted_to_cells(&self) -> bool {
        !matches!(self.estimator, Estimator::None | Estimator::Regimes)
    }

    /// Whether it is the contention regimes.
    pub fn is_regimes(&self) -> bool {
        self.estimator == Estimator::Regimes
    }

    /// Whether it is netsig's own contention signature, the one with a second γ.
    pub fn is_signature(&self) -> bool {
        let mut parameters = self.parameters.iter();
        parameters.any(|own| matches!(own.role, Role::Below(_)))
    }

    /// Evaluates the worked example.
    ///
    /// # Errors
    /// As [`Model::time`], where the example's inputs do not suit the model.
    pub fn evaluate_example(&'static self) -> Result<Timed, ModelError> {
        let (known, values, case) = self.example.inputs();
        self.time(&known, &values, case)
    }
}

/// Models are equal if they are the same entry.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        (self.subject, self.name) == (other.subject, other.name)
    }
}

impl Inputs<'_> {
    /// A formula of α and β.
    #[expect(clippy::unnecessary_wraps, reason = "an entry's time may be an error")]
    pub(super) fn by_hockney(
        &self,
        formula: impl Fn(&Hockney, Procs, Bytes) -> Seconds,
    ) -> Result<Timed, ModelError> {
        Ok(formula(&self.known.hockney, self.case.procs, self.case.size).into())
    }

    /// A formula of pLogP.
    #[expect(clippy::unnecessary_wraps, reason = "an entry's time may be an error")]
    pub(super) fn by_plogp(
        &self,
        formula: impl Fn(&PLogP, Procs, Bytes) -> Seconds,
    ) -> Result<Timed, ModelError> {
        Ok(formula(&self.known.plogp, self.case.procs, self.case.size).into())
    }

    /// The name and the value of the parameter at `index` of [`Model::parameters`]; NaN where
    /// it has none.
    fn parameter(&self, index: usize) -> (&'static str, f64) {
        let name = self.model.parameters.get(index).map_or("", |p| p.name);
        let value = self.values.numbers.get(index).copied();
        (name, value.unwrap_or(f64::NAN))
    }

    /// The value of a parameter, whatever it is.
    pub(super) fn value(&self, index: usize) -> f64 {
        self.parameter(index).1
    }

    /// The value of a parameter whose absence is NaN.
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

    /// A parameter for which `rule` holds.
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

    /// A count from 1 on.
    pub(super) fn count(&self, index: usize) -> Result<NonZeroU32, ParameterError> {
        let (name, value) = self.parameter(index);
        let count = whole(value).and_then(|count| u32::try_from(count).ok());
        let rule = "a whole number from 1 to 4294967295";
        count
            .and_then(NonZeroU32::new)
            .ok_or_else(|| ParameterError::new(name, value, rule))
    }

    /// The bytes of a threshold; infinity stands for none.
    pub(super) fn threshold(&self, index: usize) -> Result<Option<Bytes>, ParameterError> {
        let (name, value) = self.parameter(index);
        threshold(name, value)
    }

    /// The error of a model that needs `what`.
    pub(super) fn missing(&self, what: &str, remedy: &'static str) -> ModelError {
        ModelError::Missing {
            model: self.model.name,
            what: what.to_owned(),
            remedy,
        }
    }
}

/// A number that is whole, not negative and below 2^63, as such. A processor converts numbers with
/// a sign in one instruction, those without in many.
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

/// The bytes of a threshold; infinity stands for none.
pub(super) fn threshold(name: &'static str, value: f64) -> Result<Option<Bytes>, ParameterError> {
    if value == f64::INFINITY {
        return Ok(None);
    }
    let rule = "a whole number of bytes, or inf for none";
    let bytes = whole(value).ok_or_else(|| ParameterError::new(name, value, rule))?;
    Ok(Some(Bytes(bytes)))
}
