//! Predictions for Python: the answers of netsig-model as arrays in the shape of the question.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, RecordBatch};
use netsig_base::algorithm::Collective;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::text::with_range;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::model::segment::Segment;
use netsig_model::predict::answer::{AlgorithmTimes, refuse_single};
use netsig_model::predict::{Interval, Prediction};
use netsig_model::profile::Profile;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arguments::{self, ParameterSettings, parsed};
use crate::clusters::{ClustersArgument, given_grid};
use crate::columns::ArrowColumns;
use crate::error::{refused, usage, warn};
use crate::exchange::given_pairs;
use crate::frame::{ArrowRows, frame_methods};
use crate::grid::CaseGrid;
use crate::interrupt::Interruptible;
use crate::network::{NetworkArgument, given_network};
use crate::numpy_columns::{MissingNumber, ShapedRows};
use crate::pickle::{PickledObject, PickledState, value_methods};
use crate::table::PyResultTable;

/// Arguments of [`predict`] besides the cases.
pub struct PredictArguments<'py> {
    pub collective: Collective,
    pub algorithm: Option<&'py str>,
    pub model: RequestedModel<'py>,
    pub statistic: (&'py str, Option<f64>),
    pub settings: Option<ParameterSettings>,
    pub segment: Option<&'py Bound<'py, PyAny>>,
    pub network: Option<NetworkArgument<'py>>,
    pub clusters: Option<ClustersArgument<'py>>,
    pub exchange: Option<&'py Bound<'py, PyAny>>,
    pub ppn: Option<u32>,
    pub extrapolate: bool,
}

/// The models to predict by.
#[derive(Clone, Copy, PartialEq)]
pub enum RequestedModel<'a> {
    /// The choice of the fit.
    Chosen,
    /// The model of this name.
    Named(&'a str),
    /// Every model that applies.
    Every,
}

/// The models that the arguments `model` and `all_models` ask for.
///
/// # Errors
/// If both are given.
pub fn requested_model<'a>(py: Python<'_>, model: Option<&'a str>, all_models: bool) -> PyResult<RequestedModel<'a>> {
    match (model, all_models) {
        (None, false) => Ok(RequestedModel::Chosen),
        (Some(name), false) => Ok(RequestedModel::Named(name)),
        (None, true) => Ok(RequestedModel::Every),
        (Some(name), true) => Err(usage(
            py,
            format!("model={name:?}: all_models asks for all; leave one out"),
        )),
    }
}

/// Predicted times of one algorithm by one model.
///
/// The attributes are arrays in the shape of the question, or single values for a single case. As a table
/// (see :class:`Table`) it has the columns of ``netsig predict --format csv``, a row for each case in C order:
/// ``predictions["time_s"]`` has one axis. Arrays are read-only. Polars, pandas, PyArrow and others take the
/// table over through the Arrow PyCapsule interface.
#[pyclass(frozen, mapping, module = "netsig", name = "Predictions")]
#[derive(Debug, PartialEq)]
pub struct PyPredictions {
    collective: String,
    algorithm: String,
    model: String,
    cases: ShapedRows,
}

/// Predictions of one algorithm, or of all by name; of every model, by algorithm and model.
#[derive(IntoPyObject)]
pub enum OneOrAllPredictions {
    One(Py<PyPredictions>),
    All(Py<PyDict>),
}

/// A size of at least one byte, if it is given; `argument` names the argument in errors.
///
/// # Errors
/// If it is no such size.
pub fn segment(argument: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Segment>> {
    let Some(given) = given else {
        return Ok(None);
    };
    let (py, text) = (given.py(), given.str()?.to_string());
    let size: Bytes = parsed(py, argument, &text, text.parse())?;
    parsed(py, argument, &text, Segment::new(size)).map(Some)
}

/// Predicts the cases of `procs` and `size`, or of an exchange.
///
/// # Errors
/// If an argument cannot be used, or a time is missing.
pub fn predict(
    py: Python<'_>,
    profile: &Profile,
    name: &str,
    options: PredictArguments<'_>,
    procs: Option<&Bound<'_, PyAny>>,
    size: Option<&Bound<'_, PyAny>>,
) -> PyResult<OneOrAllPredictions> {
    let given_settings = arguments::settings(py, options.settings)?;
    let network = given_network(options.network)?;
    let collective = options.collective;
    let pairs = given_pairs(options.exchange, collective)?;
    let grid = CaseGrid::requested(py, procs, size, pairs.as_ref())?;
    let checked = profile.operands().refuse_cut_elements(collective, &grid.sizes);
    checked.map_err(|error| refused(py, error))?;
    let common_request = profile
        .predict(collective)
        .named(name)
        .per_host(options.ppn)
        .map_err(|error| refused(py, error))?
        .network(network.as_ref())
        .clusters(given_grid(py, options.clusters, &grid.procs)?)
        .pairs(pairs.as_ref())
        .statistic(arguments::requested_statistic(
            py,
            options.statistic.0,
            options.statistic.1,
        )?)
        .too_far(arguments::too_far(options.extrapolate))
        .algorithm(options.algorithm)
        .with_parameters(&given_settings)
        .segment(segment("segment", options.segment)?);
    let is_every_model = options.model == RequestedModel::Every;
    let request = match options.model {
        RequestedModel::Chosen => common_request,
        RequestedModel::Named(name) => common_request.model(name),
        RequestedModel::Every => common_request.all_models(),
    };
    refuse_single(&grid.procs).map_err(|error| refused(py, error))?;
    let interrupted = Interruptible::default();
    let answered = py.detach(|| request.answer(interrupted.take_until_interrupt(grid.cases())));
    interrupted.check()?;
    let mut answer = answered.map_err(|error| refused(py, error))?;
    if let Some(refusal) = Refusal::joined(&answer.missing) {
        return Err(refused(py, refusal));
    }
    warn(py, answer.notes.iter().chain(&answer.limits))?;
    let of = |found: AlgorithmTimes| {
        let shape = grid.shape.clone();
        let collective = collective.to_string();
        let predictions = PyPredictions {
            algorithm: found.algorithm().to_owned(),
            model: found.model().name.to_owned(),
            cases: ShapedRows {
                shape,
                rows: py.detach(|| rows(&collective, Some(&found))),
            },
            collective,
        };
        Py::new(py, predictions)
    };
    if options.algorithm.is_some() && !is_every_model && answer.found.len() == 1 {
        return Ok(OneOrAllPredictions::One(of(answer.found.remove(0))?));
    }
    let all = PyDict::new(py);
    let case_count = grid.procs.len();
    for found in answer.found {
        if found.times.len() < case_count {
            warn(py, &Vec::from_iter(partial_answer(&found, case_count)))?;
            continue;
        }
        let (algorithm, model) = (found.algorithm().to_owned(), found.model().name);
        let predictions = of(found)?;
        if is_every_model {
            all.set_item((algorithm, model), predictions)?;
        } else {
            all.set_item(algorithm, predictions)?;
        }
    }
    Ok(OneOrAllPredictions::All(all.unbind()))
}

/// A note on an algorithm that is left out of a dict because it answers some of the cases alone.
fn partial_answer(found: &AlgorithmTimes, cases: usize) -> Option<Note> {
    let (algorithm, model, answered) = (found.algorithm(), found.model().name, found.times.len());
    (answered > 0).then(|| {
        Note::remark(format!(
            "{algorithm} by {model} is left out, as it answers {answered} of {cases} cases; ask for it alone"
        ))
    })
}

/// An end of the interval in seconds, if there is one.
pub fn interval_end(prediction: &Prediction, end: fn(Interval) -> Seconds) -> Option<f64> {
    prediction.interval.map(|interval| end(interval).0)
}

/// The segment size in bytes, if there is one.
pub fn segment_bytes(prediction: &Prediction) -> Option<u64> {
    prediction.segment.map(|segment| segment.bytes().0)
}

/// The rows of the times; without times none.
fn rows(collective: &str, found: Option<&AlgorithmTimes>) -> RecordBatch {
    let each = || {
        found
            .into_iter()
            .flat_map(|found| found.times.iter().map(move |row| (found, row)))
    };
    let predicted = || each().map(|(_, row)| &row.prediction);
    let columns = ArrowColumns::default()
        .texts("collective", each().map(|_| Some(collective)))
        .texts(
            "algorithm",
            each().map(|(found, row)| Some(found.name(row.prediction.segment))),
        )
        .counts("procs", each().map(|(_, row)| Some(row.procs.get())))
        .sizes("size_bytes", each().map(|(_, row)| Some(row.size.0)))
        .floats("time_s", predicted().map(|prediction| Some(prediction.time.0)))
        .floats(
            "lower_s",
            predicted().map(|prediction| interval_end(prediction, |ends| ends.lower)),
        )
        .floats(
            "upper_s",
            predicted().map(|prediction| interval_end(prediction, |ends| ends.upper)),
        )
        .texts("model", each().map(|(found, _)| Some(found.model().name)))
        .words("standing", predicted().map(|prediction| prediction.standing))
        .sizes("segment_bytes", predicted().map(segment_bytes));
    columns.batch()
}

impl ArrowRows for PyPredictions {
    fn batch(&self) -> RecordBatch {
        self.cases.rows.clone()
    }
}

impl PickledObject for PyPredictions {
    const KIND: &'static str = "Predictions";

    fn state(&self) -> PickledState {
        let facts = [
            ("collective", self.collective.as_str()),
            ("algorithm", &self.algorithm),
            ("model", &self.model),
        ];
        PickledState::of_shaped(facts, &self.cases)
    }

    fn of_state(state: &PickledState) -> Result<Self, String> {
        Ok(Self {
            collective: state.fact("collective")?,
            algorithm: state.fact("algorithm")?,
            model: state.fact("model")?,
            cases: state.shaped(&rows("", None), RecordBatch::num_rows)?,
        })
    }
}

frame_methods!(PyPredictions);
value_methods!(PyPredictions);

#[pymethods]
impl PyPredictions {
    /// The collective.
    #[getter]
    fn collective(&self) -> &str {
        &self.collective
    }

    /// The algorithm, without a segment size that was searched for each case.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// Name of the model.
    #[getter]
    fn model(&self) -> &str {
        &self.model
    }

    /// The shape of the arrays.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.cases.shape)
    }

    /// Numbers of processes.
    #[getter]
    fn procs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cases.array(py, "procs")
    }

    /// Sizes in bytes.
    #[getter]
    fn size_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cases.array(py, "size_bytes")
    }

    /// Times in seconds.
    #[getter]
    fn time_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cases.array(py, "time_s")
    }

    /// Lower ends of the intervals in seconds, NaN where there is none.
    #[getter]
    fn lower_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cases.array(py, "lower_s")
    }

    /// Upper ends of the intervals in seconds, NaN where there is none.
    #[getter]
    fn upper_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cases.array(py, "upper_s")
    }

    /// Positions of the cases relative to the data, in words.
    #[getter]
    fn standing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cases.array(py, "standing")
    }

    /// Segment sizes in bytes, 0 where there is none.
    #[getter]
    fn segment_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cases.array_with(py, "segment_bytes", MissingNumber::Zero)
    }

    /// All cases as a table, in C order.
    fn table(&self) -> PyResultTable {
        self.batch().into()
    }

    fn __repr__(&self) -> String {
        let of = format!("{} {} by {}", self.collective, self.algorithm, self.model);
        match &self.cases.shape[..] {
            [] => {
                let rows = &self.cases.rows;
                let integer = |name| rows[name].as_primitive::<Int64Type>().value(0);
                let time = |name| Seconds(rows[name].as_primitive::<Float64Type>().value(0));
                let size = Bytes(u64::try_from(integer("size_bytes")).unwrap_or_default());
                let shown = if rows["lower_s"].is_null(0) {
                    time("time_s").to_string()
                } else {
                    with_range(time("time_s"), time("lower_s"), time("upper_s"))
                };
                format!("Predictions({of}, {} processes, {size}: {shown})", integer("procs"))
            }
            shape => format!("Predictions({of}, shape {shape:?})"),
        }
    }
}
