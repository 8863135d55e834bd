//! Comparison of models for Python.

use netsig_base::data::cells::Statistic;
use netsig_base::data::processors::BusyCells;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::Procs;
use netsig_model::fit::network::NetworkFitOptions;
use netsig_model::fit::notes::without_tables;
use netsig_model::fit::parse_options;
use netsig_model::predict::compare::{ModelScore, ScoreGrouping, compare as compare_models};
use netsig_model::predict::split::{CellFilter, DataSplit};
use pyo3::prelude::*;

use crate::arguments::{parsed, variant};
use crate::columns::ArrowColumns;
use crate::dataset::PyDataset;
use crate::dataset::given::GivenDataset;
use crate::error::{refused, warn};
use crate::fit::given_tables;
use crate::given_profile::GivenProfile;
use crate::network::{NetworkArgument, given_network};
use crate::table::PyResultTable;

/// Fits every model to one part of the data and judges it on the rest.
///
/// Parameters
/// ----------
/// data : Dataset
///     Repetitions of collectives among several process counts.
/// train : str, optional
///     The cells that models are fitted to, such as ``"procs<=16"`` or ``"procs<16,size>=1KiB"``. By
///     default the cells of all process counts but the largest.
/// by_procs : bool
///     Separate errors for each process count, with a further column ``procs``.
/// covariance, statistic, plogp, network
///     As in :func:`fit`.
///
/// Returns
/// -------
/// Table
///     Columns ``collective``, ``algorithm``, ``model``, ``median_error``, ``p90_error``,
///     ``worst_error``, ``bias``, ``coverage``, ``points`` and ``refused``. Errors are predicted over measured
///     time - 1; ``refused`` is the number of cells that the model refuses. The best model is first within
///     each algorithm.
///
/// Raises
/// ------
/// DataError
///     If one of the parts is empty, or no model can be fitted.
/// UsageError
///     If an argument cannot be used.
#[pyfunction]
#[pyo3(signature = (data, *, train=None, by_procs=false, covariance="auto", statistic="mean", plogp=None, network=None))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn compare(
    py: Python<'_>,
    data: GivenDataset<'_>,
    train: Option<&str>,
    by_procs: bool,
    covariance: &str,
    statistic: &str,
    plogp: Option<GivenProfile<'_>>,
    network: Option<NetworkArgument<'_>>,
) -> PyResult<PyResultTable> {
    let dataset = data.into_bound();
    let PyDataset { data, name } = dataset.get();
    let parsed_filter = train.map(|text| parsed(py, "train", format!("{text:?}"), text.parse::<CellFilter>()));
    let filter = parsed_filter.transpose()?;
    let split = DataSplit::of(data, name, filter.as_ref()).map_err(|error| refused(py, error))?;
    let network = given_network(network)?;
    if let Some(network) = &network {
        let enough = network.refuse_more_than_hosts(split.largest);
        enough.map_err(|error| refused(py, Refusal::request(error)))?;
    }
    let statistic: Statistic = variant(py, "statistic", statistic)?;
    let options = NetworkFitOptions {
        covariance: parsed(
            py,
            "covariance",
            format!("{covariance:?}"),
            parse_options::parse_covariance(covariance),
        )?,
        statistic,
        plogp: plogp
            .map(|given| given_tables(py, given.into_bound().get()))
            .transpose()?,
        network,
        ..NetworkFitOptions::default()
    };
    let trains = |procs, size| split.is_training(procs, size);
    let grouping = if by_procs {
        ScoreGrouping::ByProcs
    } else {
        ScoreGrouping::Together
    };
    let comparison = py.detach(|| compare_models(data, trains, &options, grouping));
    let compared = comparison.map_err(|error| refused(py, Refusal::data(error).about(name)))?;
    let model_notes = compared.notes.iter();
    let mut notes = BusyCells::of(data).notes();
    notes.extend(model_notes.map(|note| Note::remark(format!("not compared: {note}"))));
    let refusals = compared.refusals.iter();
    notes.extend(refusals.map(|refusal| Note::remark(format!("refused: {refusal}"))));
    if !compared.has_tables {
        notes.push(without_tables());
    }
    warn(py, &notes)?;
    Ok(table(&compared.scores, grouping))
}

fn table(scores: &[ModelScore], grouping: ScoreGrouping) -> PyResultTable {
    let error = |value: fn(&ModelScore) -> f64| scores.iter().map(move |score| Some(value(score)));
    let points = scores.iter().map(|score| u64::try_from(score.errors.points).ok());
    let refused = scores.iter().map(|score| u64::try_from(score.refused).ok());
    let procs = scores.iter().map(|score| score.procs.map(Procs::get));
    let mut first_columns = ArrowColumns::default()
        .words("collective", scores.iter().map(|score| score.collective))
        .words("algorithm", scores.iter().map(|score| &score.algorithm))
        .words("model", scores.iter().map(|score| score.model));
    if grouping == ScoreGrouping::ByProcs {
        first_columns = first_columns.counts("procs", procs);
    }
    let columns = first_columns
        .floats("median_error", error(|score| score.errors.median))
        .floats("p90_error", error(|score| score.errors.p90))
        .floats("worst_error", error(|score| score.errors.worst))
        .floats("bias", error(|score| score.errors.bias))
        .floats("coverage", scores.iter().map(|score| score.errors.coverage))
        .sizes("points", points)
        .sizes("refused", refused);
    columns.batch().into()
}
