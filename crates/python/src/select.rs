//! Selections for Python: rankings of algorithms in the shape of the question.

use arrow_array::RecordBatch;
use itertools::{Itertools as _, iproduct};
use netsig_base::algorithm::{Collective, MpiFlavour};
use netsig_base::data::cells::Statistic;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};
use netsig_model::model::segment::{Search, Segment};
use netsig_model::predict::Prediction;
use netsig_model::predict::answer::refuse_single;
use netsig_model::predict::ranking::{CaseRanking, flavour, setting};
use netsig_model::predict::request::{Binomial, RankingRequest};
use netsig_model::profile::Profile;
use numpy::{IntoPyArray as _, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{self, collective, parsed, variant};
use crate::columns::Columns;
use crate::error::{refused, usage, warn};
use crate::frame::{Frame, frame_methods};
use crate::grid::Grid;
use crate::interrupt::Interruptible;
use crate::network::{Named, given};
use crate::predict::{end, segment, segment_bytes, shown, texts};
use crate::table::Table;

/// What to rank, as Python states it.
pub struct Wishes<'py> {
    pub collective: &'py str,
    pub statistic: &'py str,
    pub binomial: &'py str,
    pub segments: &'py str,
    pub datatype: Option<&'py Bound<'py, PyAny>>,
    pub mpi: Option<&'py str>,
    pub network: Option<Named<'py>>,
    pub ppn: Option<u32>,
    pub extrapolate: bool,
}

/// Rankings of the algorithms of a collective.
///
/// The attributes are of the best algorithms, as arrays in the shape of the question or single values
/// for a single case. Polars, pandas, PyArrow and others take over all ranks as a table with the
/// columns of ``netsig select --format csv`` through the Arrow PyCapsule interface.
#[pyclass(frozen, module = "netsig")]
pub struct Selection {
    collective: Collective,
    shape: Vec<usize>,
    /// The candidates of all cases, the best of each case first.
    rows: Vec<Row>,
}

/// An algorithm with its rank for a case.
struct Row {
    procs: Procs,
    size: Bytes,
    rank: u32,
    algorithm: String,
    prediction: Prediction,
    model: &'static str,
    gain: Option<f64>,
    setting: Option<String>,
}

/// The request of these wishes, still without a network.
fn request<'a>(
    py: Python<'_>,
    (profile, name): (&'a Profile, &'a str),
    wishes: &Wishes<'_>,
) -> PyResult<RankingRequest<'a>> {
    let binomial: Binomial = variant(py, "binomial", wishes.binomial)?;
    let search = wishes.segments.parse::<Search>();
    let datatype = segment(("datatype", wishes.datatype))?;
    let request = profile.rank(collective(py, wishes.collective)?).named(name);
    let statistic: Statistic = variant(py, "statistic", wishes.statistic)?;
    let request = request.per_host(wishes.ppn);
    let request = request.map_err(|error| refused(py, error))?;
    Ok(request
        .statistic(statistic)
        .too_far(arguments::too_far(wishes.extrapolate))
        .binomial(binomial)
        .segments(
            parsed(py, ("segments", format!("{:?}", wishes.segments)), search)?,
            datatype.unwrap_or(Segment::BYTE),
        ))
}

/// Ranks the algorithms for the cases of a grid.
///
/// # Errors
/// If an argument cannot be used, or a case has no ranking.
pub fn select(
    (profile, name): (&Profile, &str),
    wishes: Wishes<'_>,
    (procs, size): (&Bound<'_, PyAny>, &Bound<'_, PyAny>),
) -> PyResult<Selection> {
    let py = procs.py();
    let mpi = match wishes.mpi {
        None => flavour(profile),
        Some("openmpi") => Some(MpiFlavour::OpenMpi),
        Some("mpich") => Some(MpiFlavour::Mpich),
        Some(other) => {
            let problem = format!("mpi={other:?}: write openmpi or mpich");
            return Err(usage(py, problem));
        }
    };
    let request = request(py, (profile, name), &wishes)?;
    let network = given(wishes.network)?;
    let grid = Grid::of(procs, size)?;
    refuse_single(&grid.procs).map_err(|error| refused(py, error))?;
    let ranker = request.network(network.as_ref()).ranker();
    let ranker = ranker.map_err(|error| refused(py, error))?;
    let interrupted = Interruptible::default();
    let collective = ranker.collective();
    let (rows, answer) = py.detach(|| {
        let answer = ranker.answer(interrupted.over(grid.cases()));
        let rows = answer.found.iter();
        let rows = rows.flat_map(|ranking| Row::all(collective, mpi, ranking));
        (rows.collect(), answer)
    });
    interrupted.check()?;
    if let Some(refusal) = Refusal::joined(&answer.missing) {
        return Err(refused(py, refusal));
    }
    warn(py, &answer.limits)?;
    Ok(Selection {
        collective,
        shape: grid.shape,
        rows,
    })
}

/// Finds the sizes at which the best algorithm changes.
///
/// # Errors
/// If an argument cannot be used, or a case has no ranking.
pub fn cross_overs(
    (profile, name): (&Profile, &str),
    wishes: Wishes<'_>,
    (procs, size): (&Bound<'_, PyAny>, &Bound<'_, PyAny>),
) -> PyResult<Table> {
    let py = procs.py();
    let request = request(py, (profile, name), &wishes)?;
    let network = given(wishes.network)?;
    let Grid { procs, sizes, .. } = Grid::product(procs, size)?;
    let ranker = request.network(network.as_ref()).ranker();
    let ranker = ranker.map_err(|error| refused(py, error))?;
    let found = py.detach(|| {
        let mut all = Vec::new();
        for &procs in &procs {
            all.extend(ranker.cross_overs(procs, &sizes)?);
        }
        Ok(all)
    });
    let found = found.map_err(|error: Refusal| refused(py, error))?;
    let mut limits = ranker.limits(iproduct!(procs, sizes));
    limits.extend(ranker.on_segments(found.iter().flat_map(|own| [&own.from, &own.to])));
    warn(py, &limits)?;
    let all = || found.iter();
    let columns = Columns::default()
        .words("collective", all().map(|_| ranker.collective()))
        .counts("procs", all().map(|own| Some(own.procs.get())))
        .sizes("from_bytes", all().map(|own| Some(own.size.0)))
        .words("before", all().map(|own| own.from.algorithm()))
        .words("algorithm", all().map(|own| own.to.algorithm()));
    Ok(columns.batch().into())
}

impl Row {
    fn all(collective: Collective, mpi: Option<MpiFlavour>, ranking: &CaseRanking) -> impl Iterator<Item = Self> {
        (1..).zip(&ranking.ranked).map(move |(rank, one)| {
            let algorithm = one.algorithm();
            Self {
                procs: ranking.procs,
                size: ranking.size,
                rank,
                setting: mpi.and_then(|mpi| Some(setting(collective, &algorithm, mpi)?.to_string())),
                algorithm,
                prediction: one.prediction,
                model: one.model().name,
                gain: ranking.gain(one),
            }
        })
    }
}

impl Selection {
    /// The best of each case.
    fn best_rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.rank == 1)
    }

    fn floats<'py>(&self, py: Python<'py>, value: impl Fn(&Row) -> Option<f64>) -> PyResult<Bound<'py, PyAny>> {
        let values = self.best_rows().map(|row| value(row).unwrap_or(f64::NAN));
        let values = values.collect_vec().into_pyarray(py);
        shown(values.reshape(self.shape.clone())?.into_any(), &self.shape)
    }

    fn words<'py>(&self, py: Python<'py>, value: impl Fn(&Row) -> String) -> PyResult<Bound<'py, PyAny>> {
        texts(py, self.best_rows().map(value).collect(), &self.shape)
    }
}

impl Frame for Selection {
    fn batch(&self) -> RecordBatch {
        self.table().batch()
    }
}

frame_methods!(Selection);

#[pymethods]
impl Selection {
    /// The collective.
    #[getter]
    fn collective(&self) -> String {
        self.collective.to_string()
    }

    /// The shape of the arrays.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The best algorithms, as ``netsig measure`` takes them.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.words(py, |row| row.algorithm.clone())
    }

    /// Times of the best algorithms in seconds.
    #[getter]
    fn time_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.floats(py, |row| Some(row.prediction.time.0))
    }

    /// Times of the library's own choice over those of the best, NaN where they cannot be compared.
    #[getter]
    fn gain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.floats(py, |row| row.gain)
    }

    /// The settings that make the MPI library run the best algorithms, empty where there is none.
    #[getter]
    fn setting<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.words(py, |row| row.setting.clone().unwrap_or_default())
    }

    /// All ranks of all cases as a table, the best of each case first.
    fn table(&self) -> Table {
        let rows = || self.rows.iter();
        let columns = Columns::default()
            .words("collective", rows().map(|_| self.collective))
            .counts("procs", rows().map(|row| Some(row.procs.get())))
            .sizes("size_bytes", rows().map(|row| Some(row.size.0)))
            .counts("rank", rows().map(|row| Some(row.rank)))
            .words("algorithm", rows().map(|row| &row.algorithm))
            .sizes("segment_bytes", rows().map(|row| segment_bytes(&row.prediction)))
            .floats("time_s", rows().map(|row| Some(row.prediction.time.0)))
            .floats("lower_s", rows().map(|row| end(&row.prediction, |own| own.lower)))
            .floats("upper_s", rows().map(|row| end(&row.prediction, |own| own.upper)))
            .words("model", rows().map(|row| row.model))
            .words("standing", rows().map(|row| row.prediction.standing))
            .floats("gain", rows().map(|row| row.gain))
            .texts("setting", rows().map(|row| row.setting.as_ref()));
        columns.batch().into()
    }

    fn __repr__(&self) -> String {
        match (&self.shape[..], self.best_rows().next()) {
            ([], Some(best)) => format!("Selection({} {})", self.collective, best.algorithm),
            (shape, _) => format!("Selection({}, shape {shape:?})", self.collective),
        }
    }
}
