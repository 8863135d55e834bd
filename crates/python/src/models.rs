//! The models for Python.

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::Seconds;
use netsig_model::model::evaluation::{EvaluationRequest, find_models};
use netsig_model::model::{self, Model};
use pyo3::prelude::*;

use crate::arguments::{self, ParameterSettings};
use crate::columns::ArrowColumns;
use crate::error::{refused, usage};
use crate::given_profile::GivenProfile;
use crate::given_values::GivenCollective;
use crate::grid::ascending_sizes;
use crate::table::PyResultTable;

/// Lists the models.
///
/// Parameters
/// ----------
/// name : str, optional
///     Only the models of this name, or the model ``"subject/name"``.
/// collective : str, optional
///     Only the models of this collective.
///
/// Returns
/// -------
/// Table
///     Columns ``subject``, ``model``, ``kind``, ``formula``, ``source``, ``domain``, ``needs``,
///     ``parameters``, ``example``, ``example_value`` and ``example_unit``, as ``netsig models --format csv``.
///
/// Raises
/// ------
/// UsageError
///     If there is no such model.
#[pyfunction]
#[pyo3(signature = (name=None, *, collective=None))]
pub fn models(py: Python<'_>, name: Option<&str>, collective: Option<GivenCollective>) -> PyResult<PyResultTable> {
    let found = selected(name, collective.map(|given| given.0)).map_err(|error| refused(py, error))?;
    let evaluated = found.iter().map(|model| Ok(model.evaluate_example()?.time));
    let examples: Result<Vec<Seconds>, Refusal> = evaluated.collect();
    let values = examples.map_err(|error| refused(py, error))?;
    let all = || found.iter();
    let columns = ArrowColumns::default()
        .words("subject", all().map(|model| model.subject))
        .words("model", all().map(|model| model.name))
        .words("kind", all().map(|model| model.kind))
        .words("formula", all().map(|model| model.formula))
        .words("source", all().map(|model| model.source))
        .words("domain", all().map(|model| model.domain))
        .words("needs", all().map(|model| model.needs.iter().join("; ")))
        .words(
            "parameters",
            all().map(|model| model.parameters.iter().map(|one| one.name).join(", ")),
        )
        .words("example", all().map(|model| model.example.inputs_in_words()))
        .floats("example_value", values.iter().map(|value| Some(value.0)))
        .words("example_unit", all().map(|model| model.example.unit));
    Ok(columns.batch().into())
}

fn selected(name: Option<&str>, collective: Option<Collective>) -> Result<Vec<&'static Model>, Refusal> {
    Ok(match (name, collective) {
        (None, None) => model::models().collect(),
        (None, Some(collective)) => model::of_collective(collective).collect(),
        (Some(name), None) => find_models(name)?,
        (Some(name), Some(collective)) => vec![model::find(collective, name)?],
    })
}

/// Evaluates a model of one message or of a program, as ``netsig models NAME --set``; :meth:`Profile.predict`
/// evaluates those of collectives, :func:`bounds` those of exchanges.
///
/// Parameters
/// ----------
/// model : str
///     Name of the model, or ``"subject/name"``.
/// profile : Profile, optional
///     The network, for a model of a message.
/// size : int, array of int, or str, optional
///     Sizes of the message.
/// settings : dict, optional
///     Parameters of the model by name, as numbers in SI units or as text with a unit.
///
/// Returns
/// -------
/// Table
///     Columns ``model``, ``size_bytes``, ``value`` and ``unit``.
///
/// Raises
/// ------
/// UsageError
///     If there is no such model, or an argument does not suit it.
#[pyfunction]
#[pyo3(signature = (model, *, profile=None, size=None, settings=None))]
pub fn evaluate(
    py: Python<'_>,
    model: &str,
    profile: Option<GivenProfile<'_>>,
    size: Option<&Bound<'_, PyAny>>,
    settings: Option<ParameterSettings>,
) -> PyResult<PyResultTable> {
    let found = find_models(model).map_err(|error| refused(py, error))?;
    let [model] = found[..] else {
        let subjects = found.iter().map(|model| model.subject).join(", ");
        let problem = format!(
            "model={model:?}: several subjects have it; write one before it, as in \"subject/name\": {subjects}"
        );
        return Err(usage(py, problem));
    };
    let sizes = size.map(ascending_sizes).transpose()?;
    let settings = arguments::settings(py, settings)?;
    let request = EvaluationRequest {
        model,
        settings: &settings,
        network: profile.map(|given| given.into_bound().get().profile.network()),
        sizes: sizes.as_deref(),
    };
    if !request.suits() {
        let problem = format!(
            "model={:?} takes other arguments: a model of a message takes profile and size, one of a program settings alone; \
             Profile.predict evaluates models of collectives, bounds those of exchanges",
            model.name
        );
        return Err(usage(py, problem));
    }
    let rows = request.values().map_err(|error| refused(py, error))?;
    let columns = ArrowColumns::default()
        .words("model", rows.iter().map(|_| model.name))
        .sizes("size_bytes", rows.iter().map(|row| Some(row.size?.0)))
        .floats("value", rows.iter().map(|row| Some(row.value)))
        .words("unit", rows.iter().map(|_| model.example.unit));
    Ok(columns.batch().into())
}
