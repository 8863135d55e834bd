//! Arguments that several functions take: names, parameters, networks and treatments.

use std::collections::BTreeMap;
use std::fmt::Display;

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::Statistic;
use netsig_model::model::setting;
use netsig_model::predict::outside_domain::ExtrapolationRule;
use netsig_model::predict::{PredictedStatistic, parse_quantile};
use pyo3::prelude::*;
use strum::{EnumMessage, IntoEnumIterator};

use crate::error::{refused, usage};

/// The collective with a name.
///
/// # Errors
/// If no collective has the name.
pub fn collective(py: Python<'_>, name: &str) -> PyResult<Collective> {
    let collective: Result<Collective, _> = name.parse();
    collective.map_err(|error| refused(py, error))
}

/// The variant with a name; `argument` names the argument in errors.
///
/// # Errors
/// If no variant has the name.
pub fn variant<T: IntoEnumIterator + EnumMessage>(py: Python<'_>, argument: &str, name: &str) -> PyResult<T> {
    let is_named = |one: &T| one.get_serializations().first() == Some(&name);
    T::iter().find(is_named).ok_or_else(|| {
        let known_names = T::iter().map(|one| one.get_serializations()[0]);
        let known = known_names.collect::<Vec<_>>().join(", ");
        usage(py, format!("{argument}={name:?}: write one of: {known}"))
    })
}

/// The result of parsing the value of an argument.
///
/// # Errors
/// If the argument cannot be used.
pub fn parsed<T>(py: Python<'_>, argument: &str, value: impl Display, result: Result<T, impl Display>) -> PyResult<T> {
    result.map_err(|error| usage(py, format!("{argument}={value}: {error}")))
}

/// Values of parameters, as numbers or as text with a unit.
pub type ParameterSettings = BTreeMap<String, PyNumberOrText>;

/// A number, or a text with a unit.
#[derive(FromPyObject)]
pub enum PyNumberOrText {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// Parameters by name.
///
/// # Errors
/// If a text is no value.
pub fn settings(py: Python<'_>, given: Option<ParameterSettings>) -> PyResult<Vec<(String, f64)>> {
    let value = |(name, value): (String, PyNumberOrText)| match value {
        PyNumberOrText::Number(number) => Ok((name, number)),
        PyNumberOrText::Text(text) => {
            let value = setting::parse_value(&name, &text).map_err(|error| refused(py, error))?;
            Ok((name, value))
        }
    };
    given.unwrap_or_default().into_iter().map(value).collect()
}

/// The statistic of the predicted times.
///
/// # Errors
/// If the name or the share cannot be used.
pub fn requested_statistic(py: Python<'_>, statistic: &str, quantile: Option<f64>) -> PyResult<PredictedStatistic> {
    let statistic: Statistic = variant(py, "statistic", statistic)?;
    let Some(quantile) = quantile else {
        return Ok(statistic.into());
    };
    let share = parse_quantile(&quantile.to_string());
    parsed(py, "quantile", quantile, share).map(PredictedStatistic::Quantile)
}

/// Treatment of cases far outside the measured range.
pub fn too_far(extrapolate: bool) -> ExtrapolationRule {
    if extrapolate {
        ExtrapolationRule::Extrapolated
    } else {
        ExtrapolationRule::Refused
    }
}
