//! Measurement plans for Python.

use netsig_base::algorithm::ReductionOperands;
use netsig_base::units::Procs;
use netsig_measure::prediction_scope::PredictionScope;
use netsig_measure::proposal::PlanRequest;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments::{PyNumberOrText, given_duration, parsed};
use crate::error::{refused, usage, warn};
use crate::files;
use crate::given_profile::GivenProfile;
use crate::grid::ascending_sizes;

/// Sizes to predict by default.
const USUAL_SIZES: &str = "256..256KiB";

/// Proposes a measurement plan for a prediction within a time, as ``netsig plan``.
///
/// Parameters
/// ----------
/// prediction : str
///     ``"COLLECTIVE [ALGORITHM,...] up to N"``, such as ``"alltoall library,pairwise up to 64"``; without
///     algorithms the library's own choice.
/// budget : str or float
///     The time for measuring, such as ``"10m"``, or in seconds; at least a second.
/// path : str or os.PathLike, optional
///     The file to write; it is replaced completely or not at all.
/// size : int, array of int, or str, optional
///     The sizes to predict; by default 256 bytes to 256 KiB.
/// max_procs : int, optional
///     The most processes to measure; by default half of N.
/// hosts : int, optional
///     The number of hosts: as ``max_procs``, but at most half of N.
/// reduction : str, optional
///     Operation and type of the elements of a reduction, such as ``"max:int"``; by default sums of doubles.
/// profile : Profile, optional
///     A preliminary profile of the same network, for the duration of measurements. By default
///     1 Gbit/s and 50 us.
///
/// Returns
/// -------
/// str
///     The plan as the text of a file for ``netsig measure``; its first lines state the expected duration.
///
/// Raises
/// ------
/// UsageError
///     If the prediction cannot be read, or the budget is too small.
/// FileError
///     If the file cannot be written.
#[pyfunction]
#[pyo3(signature = (
    prediction, budget, *, path=None, size=None, max_procs=None, hosts=None, reduction="sum:double", profile=None
))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn plan(
    py: Python<'_>,
    prediction: &str,
    budget: PyNumberOrText,
    path: Option<&Bound<'_, PyAny>>,
    size: Option<&Bound<'_, PyAny>>,
    max_procs: Option<u32>,
    hosts: Option<u32>,
    reduction: &str,
    profile: Option<GivenProfile<'_>>,
) -> PyResult<String> {
    let quoted = format!("{prediction:?}");
    let predicted = parsed(py, "prediction", quoted, PredictionScope::parse(prediction))?;
    let budget_time = given_duration(py, "budget", budget)?;
    if !(budget_time.0 >= 1.0 && budget_time.0.is_finite()) {
        let problem = format!(
            "budget={}: write a duration from 1 s, such as \"90s\", \"10m\" or \"2h\"",
            budget_time.0
        );
        return Err(usage(py, problem));
    }
    let usual_sizes = PyString::new(py, USUAL_SIZES);
    let sizes = ascending_sizes(size.unwrap_or(usual_sizes.as_any()))?;
    let count = |name: &str, number: Option<u32>| {
        let procs = number.map(Procs::new).transpose();
        procs.map_err(|error| usage(py, format!("{name}: {error}")))
    };
    let request = PlanRequest {
        predicted: &predicted,
        sizes: &sizes,
        operands: parsed(
            py,
            "reduction",
            format!("{reduction:?}"),
            reduction.parse::<ReductionOperands>(),
        )?,
        most: count("max_procs", max_procs)?,
        hosts: count("hosts", hosts)?,
        hockney: profile.map(|given| given.into_bound().get().profile.hockney.model()),
        budget: budget_time,
    };
    let proposed = py.detach(|| request.propose()).map_err(|error| refused(py, error))?;
    if let Some(path) = path {
        files::replace(py, path, |out| out.write_all(proposed.text.as_bytes()))?;
    }
    warn(py, &proposed.notes)?;
    Ok(proposed.text)
}
