//! Predictions for Python: the answers of netsig-model as arrays in the shape of the question.

use arrow_array::RecordBatch;
use netsig_base::algorithm::Collective;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::model::segment::Segment;
use netsig_model::predict::answer::{AlgorithmTimes, CaseTime, refuse_single};
use netsig_model::predict::{Interval, Prediction};
use netsig_model::profile::Profile;
use numpy::{IntoPyArray as _, PyArrayDyn, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{self, Settings, collective, parsed};
use crate::columns::Columns;
use crate::error::{refused, warn};
use crate::frame::{Frame, frame_methods};
use crate::grid::Grid;
use crate::interrupt::Interruptible;
use crate::network::{Named, given};
use crate::table::Table;

/// What to predict, as Python states it.
pub struct Wishes<'py> {
    pub collective: &'py str,
    pub algorithm: Option<&'py str>,
    pub model: Option<&'py str>,
    pub asked: (&'py str, Option<f64>),
    pub settings: Option<Settings>,
    pub segment: Option<&'py Bound<'py, PyAny>>,
    pub network: Option<Named<'py>>,
    pub ppn: Option<u32>,
    pub extrapolate: bool,
}

/// Predicted times of one algorithm by one model.
///
/// The attributes are arrays in the shape of the question, or single values for a single case.
/// Polars, pandas, PyArrow and others take them over as a table with the columns of ``netsig predict
/// --format csv`` through the Arrow PyCapsule interface.
#[pyclass(frozen, module = "netsig")]
pub struct Predictions {
    collective: Collective,
    shape: Vec<usize>,
    found: AlgorithmTimes,
}

/// One algorithm, or all by name.
#[derive(IntoPyObject)]
pub enum Answers {
    One(Py<Predictions>),
    All(Py<PyDict>),
}

/// A size of at least one byte, if it is given.
///
/// # Errors
/// If it is no such size.
pub fn segment((name, given): (&str, Option<&Bound<'_, PyAny>>)) -> PyResult<Option<Segment>> {
    let Some(given) = given else {
        return Ok(None);
    };
    let (py, text) = (given.py(), given.str()?.to_string());
    let size: Bytes = parsed(py, (name, &text), text.parse())?;
    parsed(py, (name, &text), Segment::new(size)).map(Some)
}

/// Predicts the cases of `grid`.
///
/// # Errors
/// If an argument cannot be used, or a time is missing.
pub fn predict(
    (profile, name): (&Profile, &str),
    wishes: Wishes<'_>,
    (procs, size): (&Bound<'_, PyAny>, &Bound<'_, PyAny>),
) -> PyResult<Answers> {
    let py = procs.py();
    let given_settings = arguments::settings(py, wishes.settings)?;
    let network = given(wishes.network)?;
    let collective = collective(py, wishes.collective)?;
    let request = profile
        .predict(collective)
        .named(name)
        .per_host(wishes.ppn)
        .map_err(|error| refused(py, error))?
        .network(network.as_ref())
        .statistic(arguments::asked(py, wishes.asked.0, wishes.asked.1)?)
        .too_far(arguments::too_far(wishes.extrapolate))
        .algorithm(wishes.algorithm)
        .model(wishes.model)
        .given(&given_settings)
        .segment(segment(("segment", wishes.segment))?);
    let grid = Grid::of(procs, size)?;
    refuse_single(&grid.procs).map_err(|error| refused(py, error))?;
    let interrupted = Interruptible::default();
    let answer = py.detach(|| request.answer(interrupted.over(grid.cases())));
    interrupted.check()?;
    let mut answer = answer.map_err(|error| refused(py, error))?;
    if let Some(refusal) = Refusal::joined(&answer.missing) {
        return Err(refused(py, refusal));
    }
    warn(py, answer.notes.iter().chain(&answer.limits))?;
    let of = |found| {
        let predictions = Predictions {
            collective,
            shape: grid.shape.clone(),
            found,
        };
        Py::new(py, predictions)
    };
    if wishes.algorithm.is_some() && answer.found.len() == 1 {
        return Ok(Answers::One(of(answer.found.remove(0))?));
    }
    let all = PyDict::new(py);
    for found in answer.found {
        all.set_item(found.algorithm().to_owned(), of(found)?)?;
    }
    Ok(Answers::All(all.unbind()))
}

/// An end of the interval in seconds, if there is one.
pub fn end(prediction: &Prediction, end: fn(Interval) -> Seconds) -> Option<f64> {
    prediction.interval.map(|interval| end(interval).0)
}

impl Predictions {
    /// A value of each row as an array, or of a single case the value.
    fn array<'py, T: numpy::Element + Copy>(
        &self,
        py: Python<'py>,
        value: impl Fn(&CaseTime) -> T,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values: Vec<T> = self.found.times.iter().map(value).collect();
        let array: Bound<'py, PyArrayDyn<T>> = values.into_pyarray(py).reshape(self.shape.clone())?;
        shown(array.into_any(), &self.shape)
    }
}

/// The segment size in bytes, if there is one.
pub fn segment_bytes(prediction: &Prediction) -> Option<u64> {
    prediction.segment.map(|own| own.bytes().0)
}

/// The array, or the single value of one without axes.
///
/// # Errors
/// If NumPy fails.
pub fn shown<'py>(array: Bound<'py, PyAny>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    if shape.is_empty() {
        return array.call_method0("item");
    }
    Ok(array)
}

/// Texts as an array in a shape, or of a single case the text.
///
/// # Errors
/// If NumPy fails.
pub fn texts<'py>(py: Python<'py>, texts: Vec<String>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    let kind = PyDict::new(py);
    kind.set_item("dtype", "str")?;
    let array = numpy.call_method("array", (texts,), Some(&kind))?;
    let array = array.call_method1("reshape", (shape.to_vec(),))?;
    shown(array, shape)
}

impl Frame for Predictions {
    fn batch(&self) -> RecordBatch {
        self.table().batch()
    }
}

frame_methods!(Predictions);

#[pymethods]
impl Predictions {
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
        let lower = |row: &CaseTime| end(&row.prediction, |own| own.lower);
        self.array(py, |row| lower(row).unwrap_or(f64::NAN))
    }

    /// Upper ends of the intervals in seconds, NaN where there is none.
    #[getter]
    fn upper_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let upper = |row: &CaseTime| end(&row.prediction, |own| own.upper);
        self.array(py, |row| upper(row).unwrap_or(f64::NAN))
    }

    /// Positions of the cases relative to the data, in words.
    #[getter]
    fn standing<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.found.times.iter();
        let standings = rows.map(|row| row.prediction.standing.to_string());
        texts(py, standings.collect(), &self.shape)
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
    fn table(&self) -> Table {
        let rows = || self.found.times.iter();
        let fixed = |text: String| rows().map(move |_| Some(text.clone()));
        let name = |row: &CaseTime| self.found.name(row.prediction.segment);
        let columns = Columns::default()
            .texts("collective", fixed(self.collective.to_string()))
            .words("algorithm", rows().map(name))
            .counts("procs", rows().map(|row| Some(row.procs.get())))
            .sizes("size_bytes", rows().map(|row| Some(row.size.0)))
            .floats("time_s", rows().map(|row| Some(row.prediction.time.0)))
            .floats("lower_s", rows().map(|row| end(&row.prediction, |own| own.lower)))
            .floats("upper_s", rows().map(|row| end(&row.prediction, |own| own.upper)))
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
                let interval = prediction
                    .interval
                    .map_or(String::new(), |own| format!(" ({} to {})", own.lower, own.upper));
                format!("Predictions({of}, {procs} processes, {size}: {time}{interval})")
            }
            (shape, _) => format!("Predictions({of}, shape {shape:?})"),
        }
    }
}
