//! Selections for Python: rankings of algorithms in the shape of the question.

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use itertools::{Itertools as _, iproduct};
use netsig_base::algorithm::{Collective, MpiFlavour};
use netsig_base::data::cells::Statistic;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};
use netsig_model::model::segment::{Segment, SegmentSearch};
use netsig_model::predict::answer::refuse_single;
use netsig_model::predict::ranking::{CaseRanking, flavour, setting};
use netsig_model::predict::request::{BinomialForm, RankingRequest};
use netsig_model::predict::{HeldBack, Prediction};
use netsig_model::profile::Profile;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{self, parsed, variant};
use crate::clusters::{ClustersArgument, given_grid};
use crate::columns::ArrowColumns;
use crate::error::{refused, usage, warn};
use crate::exchange::given_pairs;
use crate::frame::{ArrowRows, frame_methods};
use crate::grid::CaseGrid;
use crate::interrupt::Interruptible;
use crate::network::{NetworkArgument, given_network};
use crate::numpy_columns::ShapedRows;
use crate::pickle::{PickledObject, PickledState, value_methods};
use crate::predict::{interval_end, segment, segment_bytes};
use crate::table::PyResultTable;

/// Arguments of [`select`] and [`cross_overs`] besides the cases.
pub struct SelectArguments<'py> {
    pub collective: Collective,
    pub statistic: &'py str,
    pub binomial: &'py str,
    pub segments: &'py str,
    pub datatype: Option<&'py Bound<'py, PyAny>>,
    pub mpi: Option<&'py str>,
    pub network: Option<NetworkArgument<'py>>,
    pub clusters: Option<ClustersArgument<'py>>,
    pub exchange: Option<&'py Bound<'py, PyAny>>,
    pub ppn: Option<u32>,
    pub extrapolate: bool,
}

/// Rankings of the algorithms of a collective.
///
/// The attributes describe the best algorithms, as arrays in the shape of the question or single values
/// for a single case. As a table (see :class:`Table`) it has the columns of ``netsig select --format csv``, a
/// row for each rank of each case: ``selection["algorithm"]`` has one axis. Arrays are read-only. Polars, pandas,
/// PyArrow and others take the table over through the Arrow PyCapsule interface.
#[pyclass(frozen, mapping, module = "netsig", name = "Selection")]
#[derive(Debug, PartialEq)]
pub struct PySelection {
    collective: String,
    /// The best candidates.
    best: ShapedRows,
    /// The candidates of all cases, the best of each case first.
    rows: RecordBatch,
}

/// An algorithm with its rank for a case.
struct RankedRow {
    procs: Procs,
    size: Bytes,
    rank: u32,
    algorithm: String,
    prediction: Prediction,
    model: &'static str,
    gain: Option<f64>,
    setting: Option<String>,
    is_measured: bool,
    held_back: Option<HeldBack>,
}

/// The request with these options, still without a network.
fn request<'a>(
    py: Python<'_>,
    profile: &'a Profile,
    name: &'a str,
    options: &SelectArguments<'_>,
) -> PyResult<RankingRequest<'a>> {
    let binomial: BinomialForm = variant(py, "binomial", options.binomial)?;
    let search = options.segments.parse::<SegmentSearch>();
    let datatype = segment("datatype", options.datatype)?;
    let named_request = profile.rank(options.collective).named(name);
    let statistic: Statistic = variant(py, "statistic", options.statistic)?;
    let hosted_request = named_request.per_host(options.ppn);
    let request = hosted_request.map_err(|error| refused(py, error))?;
    Ok(request
        .statistic(statistic)
        .too_far(arguments::too_far(options.extrapolate))
        .binomial(binomial)
        .segments(
            parsed(py, "segments", format!("{:?}", options.segments), search)?,
            datatype.unwrap_or(Segment::BYTE),
        ))
}

/// Ranks the algorithms for the cases of `procs` and `size`, or of an exchange.
///
/// # Errors
/// If an argument cannot be used, or a case has no ranking.
pub fn select(
    py: Python<'_>,
    profile: &Profile,
    name: &str,
    options: SelectArguments<'_>,
    procs: Option<&Bound<'_, PyAny>>,
    size: Option<&Bound<'_, PyAny>>,
) -> PyResult<PySelection> {
    let mpi = match options.mpi {
        None => flavour(profile),
        Some("openmpi") => Some(MpiFlavour::OpenMpi),
        Some("mpich") => Some(MpiFlavour::Mpich),
        Some(other) => {
            let problem = format!("mpi={other:?}: write openmpi or mpich");
            return Err(usage(py, problem));
        }
    };
    let request = request(py, profile, name, &options)?;
    let network = given_network(options.network)?;
    let pairs = given_pairs(options.exchange, options.collective)?;
    let grid = CaseGrid::requested(py, procs, size, pairs.as_ref())?;
    let checked = profile.operands().refuse_cut_elements(options.collective, &grid.sizes);
    checked.map_err(|error| refused(py, error))?;
    refuse_single(&grid.procs).map_err(|error| refused(py, error))?;
    let clusters = given_grid(py, options.clusters, &grid.procs)?;
    let whole_request = request
        .network(network.as_ref())
        .clusters(clusters)
        .pairs(pairs.as_ref());
    let built_ranker = whole_request.ranker();
    let ranker = built_ranker.map_err(|error| refused(py, error))?;
    let interrupted = Interruptible::default();
    let collective = ranker.collective();
    let (rows, answer) = py.detach(|| {
        let answer = ranker.answer(interrupted.take_until_interrupt(grid.cases()));
        let rankings = answer.found.iter();
        let ranked = rankings.flat_map(|ranking| RankedRow::all(collective, mpi, ranking));
        (table(&collective.to_string(), &ranked.collect_vec()), answer)
    });
    interrupted.check()?;
    if let Some(refusal) = Refusal::joined(&answer.missing) {
        return Err(refused(py, refusal));
    }
    warn(py, &answer.limits)?;
    Ok(PySelection {
        collective: collective.to_string(),
        best: ShapedRows {
            shape: grid.shape,
            rows: best_rows(&rows),
        },
        rows,
    })
}

/// Finds the sizes at which the best algorithm changes.
///
/// # Errors
/// If an argument cannot be used, or a case has no ranking.
pub fn cross_overs(
    profile: &Profile,
    name: &str,
    options: SelectArguments<'_>,
    procs: &Bound<'_, PyAny>,
    size: &Bound<'_, PyAny>,
) -> PyResult<PyResultTable> {
    let py = procs.py();
    let request = request(py, profile, name, &options)?;
    let network = given_network(options.network)?;
    let CaseGrid { procs, sizes, .. } = CaseGrid::product(procs, size)?;
    let clusters = given_grid(py, options.clusters, &procs)?;
    let built_ranker = request.network(network.as_ref()).clusters(clusters).ranker();
    let ranker = built_ranker.map_err(|error| refused(py, error))?;
    let searched = py.detach(|| {
        let mut all = Vec::new();
        for &procs in &procs {
            all.extend(ranker.cross_overs(procs, &sizes)?);
        }
        Ok(all)
    });
    let found = searched.map_err(|error: Refusal| refused(py, error))?;
    let mut limits = ranker.limits(iproduct!(procs, sizes));
    limits.extend(ranker.note_on_segments(found.iter().flat_map(|cross_over| [&cross_over.from, &cross_over.to])));
    warn(py, &limits)?;
    let all = || found.iter();
    let columns = ArrowColumns::default()
        .words("collective", all().map(|_| ranker.collective()))
        .counts("procs", all().map(|cross_over| Some(cross_over.procs.get())))
        .sizes("from_bytes", all().map(|cross_over| Some(cross_over.size.0)))
        .words("before", all().map(|cross_over| cross_over.from.algorithm()))
        .words("algorithm", all().map(|cross_over| cross_over.to.algorithm()));
    Ok(columns.batch().into())
}

impl RankedRow {
    fn all(collective: Collective, mpi: Option<MpiFlavour>, ranking: &CaseRanking) -> impl Iterator<Item = Self> {
        ranking.places().map(move |row| {
            let one = row.candidate;
            let algorithm = one.algorithm();
            Self {
                procs: ranking.procs,
                size: ranking.size,
                rank: row.rank,
                setting: mpi.and_then(|mpi| Some(setting(collective, &algorithm, mpi)?.to_string())),
                algorithm,
                prediction: one.prediction,
                model: one.model().name,
                gain: ranking.gain(one),
                is_measured: one.is_measured(),
                held_back: row.held_back,
            }
        })
    }
}

/// The rows of all candidates.
fn table(collective: &str, ranked: &[RankedRow]) -> RecordBatch {
    let rows = || ranked.iter();
    let columns = ArrowColumns::default()
        .texts("collective", rows().map(|_| Some(collective)))
        .counts("procs", rows().map(|row| Some(row.procs.get())))
        .sizes("size_bytes", rows().map(|row| Some(row.size.0)))
        .counts("rank", rows().map(|row| Some(row.rank)))
        .texts("algorithm", rows().map(|row| Some(&row.algorithm)))
        .sizes("segment_bytes", rows().map(|row| segment_bytes(&row.prediction)))
        .floats("time_s", rows().map(|row| Some(row.prediction.time.0)))
        .floats(
            "lower_s",
            rows().map(|row| interval_end(&row.prediction, |interval| interval.lower)),
        )
        .floats(
            "upper_s",
            rows().map(|row| interval_end(&row.prediction, |interval| interval.upper)),
        )
        .texts("model", rows().map(|row| Some(row.model)))
        .words("standing", rows().map(|row| row.prediction.standing))
        .floats("gain", rows().map(|row| row.gain))
        .texts("setting", rows().map(|row| row.setting.as_ref()))
        .flags("measured", rows().map(|row| row.is_measured))
        .texts("held_back", rows().map(|row| Some(row.held_back?.to_string())));
    columns.batch()
}

/// The rows of the best of each case.
fn best_rows(rows: &RecordBatch) -> RecordBatch {
    let ranks = rows["rank"].as_primitive::<Int64Type>();
    let is_best: BooleanArray = ranks.iter().map(|rank| Some(rank == Some(1))).collect();
    filter_record_batch(rows, &is_best).expect("a flag for each row")
}

impl ArrowRows for PySelection {
    fn batch(&self) -> RecordBatch {
        self.rows.clone()
    }
}

impl PickledObject for PySelection {
    const KIND: &'static str = "Selection";

    fn state(&self) -> PickledState {
        let all = ShapedRows {
            shape: self.best.shape.clone(),
            rows: self.rows.clone(),
        };
        PickledState::of_shaped([("collective", &self.collective)], &all)
    }

    fn of_state(state: &PickledState) -> Result<Self, String> {
        let count = |rows: &RecordBatch| best_rows(rows).num_rows();
        let ShapedRows { shape, rows } = state.shaped(&table("", &[]), count)?;
        Ok(Self {
            collective: state.fact("collective")?,
            best: ShapedRows {
                shape,
                rows: best_rows(&rows),
            },
            rows,
        })
    }
}

frame_methods!(PySelection);
value_methods!(PySelection);

#[pymethods]
impl PySelection {
    /// The collective.
    #[getter]
    fn collective(&self) -> &str {
        &self.collective
    }

    /// The shape of the arrays.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.best.shape)
    }

    /// The best algorithms, as ``netsig measure`` takes them.
    #[getter]
    fn best<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.best.array(py, "algorithm")
    }

    /// Times of the best algorithms in seconds.
    #[getter]
    fn time_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.best.array(py, "time_s")
    }

    /// Times of the library's own choice over those of the best, NaN where they cannot be compared.
    #[getter]
    fn gain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.best.array(py, "gain")
    }

    /// The settings that make the MPI library run the best algorithms, empty where there is none.
    #[getter]
    fn setting<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.best.array(py, "setting")
    }

    /// All ranks of all cases as a table, the best of each case first.
    fn table(&self) -> PyResultTable {
        self.batch().into()
    }

    fn __repr__(&self) -> String {
        match &self.best.shape[..] {
            [] => {
                let best = self.best.rows["algorithm"].as_string::<i32>().value(0);
                format!("Selection({} {best})", self.collective)
            }
            shape => format!("Selection({}, shape {shape:?})", self.collective),
        }
    }
}
