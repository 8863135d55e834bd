//! Comparison of models for Python.

use netsig_base::data::cells::Statistic;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::Procs;
use netsig_model::fit::choices;
use netsig_model::fit::network::Options;
use netsig_model::fit::notes::without_tables;
use netsig_model::predict::compare::{Grouping, Score, compare as compare_models};
use netsig_model::predict::split::{Filter, Split};
use pyo3::prelude::*;

use crate::arguments::{parsed, variant};
use crate::columns::Columns;
use crate::dataset::Dataset;
use crate::error::{refused, warn};
use crate::network::{Named, given};
use crate::table::Table;

/// Fits every model to one part of the data and judges it on the rest.
///
/// Parameters
/// ----------
/// data : Dataset
///     Repetitions of collectives among several process counts.
/// train : str, optional
///     The cells that models are fitted to, such as ``"procs<=16"`` or ``"procs<16,size>=1KiB"``;
///     all but the largest process count if it is not given.
/// by_procs : bool
///     Errors of each process count apart, in a further column ``procs``.
/// covariance, statistic, network
///     As of :func:`fit`.
///
/// Returns
/// -------
/// Table
///     Columns ``collective``, ``algorithm``, ``model``, ``median_error``, ``p90_error``,
///     ``worst_error``, ``bias``, ``coverage``, ``points`` and ``refused``: relative errors, predicted over
///     measured time - 1, the best model first within each algorithm, and the number of cells that the
///     model refuses.
///
/// Raises
/// ------
/// DataError
///     If one of the parts is empty, or no model can be fitted.
/// UsageError
///     If an argument cannot be used.
#[pyfunction]
#[pyo3(signature = (data, *, train=None, by_procs=false, covariance="auto", statistic="mean", network=None))]
pub fn compare(
    py: Python<'_>,
    data: &Bound<'_, Dataset>,
    train: Option<&str>,
    by_procs: bool,
    covariance: &str,
    statistic: &str,
    network: Option<Named<'_>>,
) -> PyResult<Table> {
    let Dataset { data, name } = data.get();
    let filter = train.map(|text| parsed(py, ("train", format!("{text:?}")), text.parse::<Filter>()));
    let filter = filter.transpose()?;
    let split = Split::of(data, name, filter.as_ref()).map_err(|error| refused(py, error))?;
    let network = given(network)?;
    if let Some(network) = &network {
        let enough = network.refuse_more_than_hosts(split.largest);
        enough.map_err(|error| refused(py, Refusal::request(error)))?;
    }
    let statistic: Statistic = variant(py, "statistic", statistic)?;
    let options = Options {
        covariance: parsed(
            py,
            ("covariance", format!("{covariance:?}")),
            choices::covariance(covariance),
        )?,
        statistic,
        network,
        ..Options::default()
    };
    let trains = |procs, size| split.trains(procs, size);
    let grouping = if by_procs {
        Grouping::ByProcs
    } else {
        Grouping::Together
    };
    let compared = py.detach(|| compare_models(data, trains, &options, grouping));
    let compared = compared.map_err(|error| refused(py, Refusal::data(error).about(name)))?;
    let notes = compared.notes.iter();
    let mut notes: Vec<Note> = notes
        .map(|note| Note::remark(format!("not compared: {note}")))
        .collect();
    let refusals = compared.refusals.iter();
    notes.extend(refusals.map(|own| Note::remark(format!("refused: {own}"))));
    if !compared.has_tables {
        notes.push(without_tables());
    }
    warn(py, &notes)?;
    Ok(table(&compared.scores, grouping))
}

fn table(scores: &[Score], grouping: Grouping) -> Table {
    let error = |value: fn(&Score) -> f64| scores.iter().map(move |own| Some(value(own)));
    let points = scores.iter().map(|own| u64::try_from(own.errors.points).ok());
    let refused = scores.iter().map(|own| u64::try_from(own.refused).ok());
    let procs = scores.iter().map(|own| own.procs.map(Procs::get));
    let mut columns = Columns::default()
        .words("collective", scores.iter().map(|own| own.collective))
        .words("algorithm", scores.iter().map(|own| &own.algorithm))
        .words("model", scores.iter().map(|own| own.model));
    if grouping == Grouping::ByProcs {
        columns = columns.counts("procs", procs);
    }
    let columns = columns
        .floats("median_error", error(|own| own.errors.median))
        .floats("p90_error", error(|own| own.errors.p90))
        .floats("worst_error", error(|own| own.errors.worst))
        .floats("bias", error(|own| own.errors.bias))
        .floats("coverage", scores.iter().map(|own| own.errors.coverage))
        .sizes("points", points)
        .sizes("refused", refused);
    columns.batch().into()
}
