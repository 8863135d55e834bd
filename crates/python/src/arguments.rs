//! Arguments that several functions take: names, parameters, networks and treatments.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::Statistic;
use netsig_base::units::{Seconds, duration};
use netsig_model::model::setting;
use netsig_model::predict::outside_domain::ExtrapolationRule;
use netsig_model::predict::{PredictedStatistic, parse_quantile};
use pyo3::prelude::*;
use pyo3::types::PyMapping;
use strum::{EnumMessage, IntoEnumIterator};

use crate::error::{of_type, refused, usage};

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

/// Values of parameters, as numbers or as text with a unit, from any mapping.
pub struct ParameterSettings(BTreeMap<String, PyNumberOrText>);

impl<'py> FromPyObject<'_, 'py> for ParameterSettings {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(mapping) = object.cast::<PyMapping>() else {
            return Err(of_type(
                &object,
                "a dict of parameters",
                "give such as {\"delta\": \"1ms\"}",
            ));
        };
        let setting = |item: Bound<'py, PyAny>| {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let name_text = name.extract::<String>();
            let name = name_text.map_err(|_| of_type(&name, "the name of a parameter", "give a str"))?;
            Ok((name, value.extract::<PyNumberOrText>()?))
        };
        let settings: PyResult<_> = mapping.items()?.into_iter().map(setting).collect();
        settings.map(Self)
    }
}

/// A number, or a text with a unit.
pub enum PyNumberOrText {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl<'py> FromPyObject<'_, 'py> for PyNumberOrText {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(number) = object.extract() {
            return Ok(Self::Number(number));
        }
        let text = object.extract().map(Self::Text);
        text.map_err(|_| of_type(&object, "a number or a text", "give such as 0.001 or \"1ms\""))
    }
}

/// A size in bytes, or a text with a unit or a word.
pub enum SizeOrText {
    /// A size in bytes.
    Size(u64),
    /// A text.
    Text(String),
}

impl Display for SizeOrText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(size) => size.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for SizeOrText {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(size) = object.extract() {
            return Ok(Self::Size(size));
        }
        let text = object.extract().map(Self::Text);
        text.map_err(|_| of_type(&object, "a size", "give bytes from 0, or text such as \"64KiB\""))
    }
}

impl PyNumberOrText {
    /// The number as text, or the text.
    pub fn into_text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
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
    let all = given.map(|ParameterSettings(all)| all).unwrap_or_default();
    all.into_iter().map(value).collect()
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

/// A duration in seconds, or as text with a unit; `argument` names the argument in errors.
///
/// # Errors
/// If the text is no duration.
pub fn given_duration(py: Python<'_>, argument: &str, given: PyNumberOrText) -> PyResult<Seconds> {
    let text = given.into_text();
    parsed(py, argument, &text, duration(&text))
}

/// Treatment of cases far outside the measured range.
pub fn too_far(extrapolate: bool) -> ExtrapolationRule {
    if extrapolate {
        ExtrapolationRule::Extrapolated
    } else {
        ExtrapolationRule::Refused
    }
}
