//! Predictions for Python: the answers of netsig-model as arrays in the shape of the question.

use arrow_array::RecordBatch;
use netsig_base::algorithm::Collective;
use netsig_base::text::refusal::Refusal;
use netsig_base::text::with_range;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::model::segment::Segment;
use netsig_model::predict::answer::{AlgorithmTimes, CaseTime, refuse_single};
use netsig_model::predict::{Interval, Prediction};
use netsig_model::profile::Profile;
use numpy::{IntoPyArray as _, PyArrayDyn, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{self, ParameterSettings, collective, parsed};
use crate::columns::ArrowColumns;
use crate::error::{refused, warn};
use crate::frame::{ArrowRows, frame_methods};
use crate::grid::CaseGrid;
use crate::interrupt::Interruptible;
use crate::network::{NetworkArgument, given_network};
use crate::table::PyResultTable;

/// Arguments of [`predict`] besides the cases.
pub struct PredictArguments<'py> {
    pub collective: &'py str,
    pub algorithm: Option<&'py str>,
    pub model: Option<&'py str>,
    pub statistic: (&'py str, Option<f64>),
    pub settings: Option<ParameterSettings>,
    pub segment: Option<&'py Bound<'py, PyAny>>,
    pub network: Option<NetworkArgument<'py>>,
    pub ppn: Option<u32>,
    pub extrapolate: bool,
}

/// Predicted times of one algorithm by one model.
///
/// The attributes are arrays in the shape of the question, or single values for a single case.
/// Polars, pandas, PyArrow and others take them over as a table with the columns of ``netsig predict
/// --format csv`` through the Arrow PyCapsule interface.
#[pyclass(frozen, module = "netsig", name = "Predictions")]
pub struct PyPredictions {
    collective: Collective,
    shape: Vec<usize>,
    found: AlgorithmTimes,
}

/// Predictions of one algorithm, or of all by name.
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

/// Predicts the cases of `procs` and `size`.
///
/// # Errors
/// If an argument cannot be used, or a time is missing.
pub fn predict(
    profile: &Profile,
    name: &str,
    options: PredictArguments<'_>,
    procs: &Bound<'_, PyAny>,
    size: &Bound<'_, PyAny>,
) -> PyResult<OneOrAllPredictions> {
    let py = procs.py();
    let given_settings = arguments::settings(py, options.settings)?;
    let network = given_network(options.network)?;
    let collective = collective(py, options.collective)?;
    let request = profile
        .predict(collective)
        .named(name)
        .per_host(options.ppn)
        .map_err(|error| refused(py, error))?
        .network(network.as_ref())
        .statistic(arguments::requested_statistic(
            py,
            options.statistic.0,
            options.statistic.1,
        )?)
        .too_far(arguments::too_far(options.extrapolate))
        .algorithm(options.algorithm)
        .model(options.model)
        .with_parameters(&given_settings)
        .segment(segment("segment", options.segment)?);
    let grid = CaseGrid::of(procs, size)?;
    refuse_single(&grid.procs).map_err(|error| refused(py, error))?;
    let interrupted = Interruptible::default();
    let answered = py.detach(|| request.answer(interrupted.take_until_interrupt(grid.cases())));
    interrupted.check()?;
    let mut answer = answered.map_err(|error| refused(py, error))?;
    if let Some(refusal) = Refusal::joined(&answer.missing) {
        return Err(refused(py, refusal));
    }
    warn(py, answer.notes.iter().chain(&answer.limits))?;
    let of = |found| {
        let predictions = PyPredictions {
            collective,
            shape: grid.shape.clone(),
            found,
        };
        Py::new(py, predictions)
    };
    if options.algorithm.is_some() && answer.found.len() == 1 {
        return Ok(OneOrAllPredictions::One(of(answer.found.remove(0))?));
    }
    let all = PyDict::new(py);
    for found in answer.found {
        all.set_item(found.algorithm().to_owned(), of(found)?)?;
    }
    Ok(OneOrAllPredictions::All(all.unbind()))
}

/// An end of the interval in seconds, if there is one.
pub fn interval_end(prediction: &Prediction, end: fn(Interval) -> Seconds) -> Option<f64> {
    prediction.interval.map(|interval| end(interval).0)
}

impl PyPredictions {
    /// A value of each case as an array, or the value of a single case.
    fn array<'py, T: numpy::Element + Copy>(
        &self,
        py: Python<'py>,
        value: impl Fn(&CaseTime) -> T,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values: Vec<T> = self.found.times.iter().map(value).collect();
        let array: Bound<'py, PyArrayDyn<T>> = values.into_pyarray(py).reshape(self.shape.clone())?;
        array_or_value(array.into_any(), &self.shape)
    }
}

/// The segment size in bytes, if there is one.
pub fn segment_bytes(prediction: &Prediction) -> Option<u64> {
    prediction.segment.map(|segment| segment.bytes().0)
}

/// The array, or its single value if it has no axes.
///
/// # Errors
/// If NumPy fails.
pub fn array_or_value<'py>(array: Bound<'py, PyAny>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    if shape.is_empty() {
        return array.call_method0("item");
    }
    Ok(array)
}

/// Texts as an array of a shape, or the text of a single case.
///
/// # Errors
/// If NumPy fails.
pub fn text_array<'py>(py: Python<'py>, texts: Vec<String>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    let kind = PyDict::new(py);
    kind.set_item("dtype", "str")?;
    let flat_array = numpy.call_method("array", (texts,), Some(&kind))?;
    let array = flat_array.call_method1("reshape", (shape.to_vec(),))?;
    array_or_value(array, shape)
}

impl ArrowRows for PyPredictions {
    fn batch(&self) -> RecordBatch {
        self.table().batch()
    }
}

frame_methods!(PyPredictions);

#[pymethods]
impl PyPredictions {
    /// The collective.
    #[getter]
    fn collective(&self) -> String {
        self.collective.to_string()
    }

    /// The algorithm, without a segment size that was searched for each case.
    #[getter]
    fn algorithm(&self) -> &str {
        self.found.algorithm()
    }

    /// Name of the model.
    #[getter]
    fn model(&self) -> &'static str {
        self.found.model().name
    }

    /// The shape of the arrays.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        pyo3::types::PyTuple::new(py, &self.shape)
    }

    /// Numbers of processes.
    #[getter]
    fn procs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, |row| row.procs.get())
    }

    /// Sizes in bytes.
    #[getter]
    fn size_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, |row| row.size.0)
    }

    /// Times in seconds.
    #[getter]
    fn time_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, |row| row.prediction.time.0)
    }

    /// Lower ends of the intervals in seconds, NaN where there is none.
    #[getter]
    fn lower_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let lower = |row: &CaseTime| interval_end(&row.prediction, |interval| interval.lower);
        self.array(py, |row| lower(row).unwrap_or(f64::NAN))
    }

    /// Upper ends of the intervals in seconds, NaN where there is none.
    #[getter]
    fn upper_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let upper = |row: &CaseTime| interval_end(&row.prediction, |interval| interval.upper);
        self.array(py, |row| upper(row).unwrap_or(f64::NAN))
    }

    /// Positions of the cases relative to the data, in words.
    #[getter]
    fn standing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.found.times.iter();
        let standings = rows.map(|row| row.prediction.standing.to_string());
        text_array(py, standings.collect(), &self.shape)
    }

    /// Segment sizes in bytes, 0 where there is none.
    #[getter]
    fn segment_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, |row| segment_bytes(&row.prediction).unwrap_or(0))
    }

    fn __len__(&self) -> usize {
        self.found.times.len()
    }

    /// All cases as a table, in C order.
    fn table(&self) -> PyResultTable {
        let rows = || self.found.times.iter();
        let fixed = |text: String| rows().map(move |_| Some(text.clone()));
        let name = |row: &CaseTime| self.found.name(row.prediction.segment);
        let columns = ArrowColumns::default()
            .texts("collective", fixed(self.collective.to_string()))
            .words("algorithm", rows().map(name))
            .counts("procs", rows().map(|row| Some(row.procs.get())))
            .sizes("size_bytes", rows().map(|row| Some(row.size.0)))
            .floats("time_s", rows().map(|row| Some(row.prediction.time.0)))
            .floats(
                "lower_s",
                rows().map(|row| interval_end(&row.prediction, |interval| interval.lower)),
            )
            .floats(
                "upper_s",
                rows().map(|row| interval_end(&row.prediction, |interval| interval.upper)),
            )
            .texts("model", fixed(self.found.model().name.to_owned()))
            .words("standing", rows().map(|row| row.prediction.standing))
            .sizes("segment_bytes", rows().map(|row| segment_bytes(&row.prediction)));
        columns.batch().into()
    }

    fn __repr__(&self) -> String {
        let Self {
            collective,
            shape,
            found,
        } = self;
        let (algorithm, model) = (found.algorithm(), found.model().name);
        let of = format!("{collective} {algorithm} by {model}");
        match (&shape[..], &found.times[..]) {
            (
                [],
                [
                    CaseTime {
                        procs,
                        size,
                        prediction,
                    },
                ],
            ) => {
                let time = prediction.time;
                let shown = prediction
                    .interval
                    .map_or(time.to_string(), |ends| with_range(time, ends.lower, ends.upper));
                format!("Predictions({of}, {procs} processes, {size}: {shown})")
            }
            (shape, _) => format!("Predictions({of}, shape {shape:?})"),
        }
    }
}
