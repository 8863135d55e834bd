//! Simulations for Python.

use arrow_array::RecordBatch;
use netsig_base::algorithm::Algorithm;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_model::model::alltoall::plogpt::{PlogptEdgeRule, RtoMode};
use netsig_sim::network::plogpt::PlogptSharing;
use netsig_sim::setup::{SimCase, SimMethod, SimReport, UsedMethod};
use netsig_sim::simulate::placement::{HostSelection, RankPlacer};
use netsig_sim::simulate::point::algorithms;
use netsig_sim::simulate::sim_model::SimModelRequest;
use netsig_sim::simulate::{SimModel, SimModelKind, SimPoint};
use numpy::{Element, IntoPyArray as _, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{self, ParameterSettings, collective, too_far, variant};
use crate::columns::ArrowColumns;
use crate::error::{refused, usage, warn};
use crate::files::PyLocalFiles;
use crate::frame::{ArrowRows, frame_methods};
use crate::grid::CaseGrid;
use crate::interrupt::Interruptible;
use crate::network::{NetworkArgument, given_network};
use crate::predict::array_or_value;
use crate::profile::PyProfile;
use crate::table::PyResultTable;

/// Simulated times of one algorithm on one network model.
///
/// The attributes are arrays in the shape of the question, or single values for a single case.
/// Polars, pandas, PyArrow and others take them over as a table with the columns of ``netsig simulate
/// --format csv`` through the Arrow PyCapsule interface.
#[pyclass(frozen, module = "netsig", name = "Simulations")]
pub struct PySimulations {
    algorithm: Algorithm,
    model: SimModelKind,
    network: Option<String>,
    shape: Vec<usize>,
    rows: Vec<(SimCase, SimReport)>,
}

/// Simulates an algorithm of a collective on a network, as ``netsig simulate``.
///
/// Parameters
/// ----------
/// network : Network, str or None
///     The network; ``None`` for ports alone, or with a ``profile`` for hosts on one switch.
/// collective : str
///     ``"alltoall"``, ``"bcast"``, ``"scatter"``, ``"gather"`` or ``"allgather"``.
/// algorithm : str
///     An algorithm of netsig, such as ``"pairwise"``; the MPI library's own choice cannot be simulated.
/// procs, size
///     Process counts and sizes, as in :meth:`Profile.predict`.
/// model : str, optional
///     The network model: ``"loggp"``, ``"plogp"``, ``"plogpt"``, ``"fluid"`` or ``"tcp"``. By default
///     plogpt on a binary tree, fluid on other networks, and without a network plogp or loggp.
/// profile : Profile, optional
///     Parameters of loggp and plogp, and L of the others.
/// settings : dict, optional
///     Parameters of the model by name (``L``, ``o``, ``g``, ``G``, ``S``, ``RTO``), as numbers in SI
///     units or as text with a unit.
/// method : str
///     ``"auto"``, ``"closed-form"`` or ``"event"``.
/// seed : int, optional
///     Seed of tcp's random numbers; by default 0.
/// nodes, placement : str, optional
///     The hosts to use, such as ``"n[0-15]"``, and the host of each rank: ``"block"``, ``"cyclic"`` or
///     a file with one host a line.
/// ppn : int, optional
///     Number of ranks on a host.
/// rto_mode, sharing, negligible : str, optional
///     Variants of plogpt, as in ``netsig simulate``.
/// extrapolate : bool
///     Whether to return times below those that far fewer ranks take by the ``profile``.
///
/// Returns
/// -------
/// Simulations
///
/// Raises
/// ------
/// UsageError
///     If an argument cannot be used, or the case is too large.
/// DataError
///     If a closed form is requested and none is exact, or if far fewer ranks take longer by the ``profile``.
#[pyfunction]
#[pyo3(signature = (
    network, collective, algorithm, procs, size, *, model=None, profile=None, settings=None,
    method="auto", seed=None, nodes=None, placement=None, ppn=None, rto_mode=None, sharing=None,
    negligible=None, extrapolate=false
))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn simulate(
    py: Python<'_>,
    network: Option<NetworkArgument<'_>>,
    collective: &str,
    algorithm: &str,
    procs: &Bound<'_, PyAny>,
    size: &Bound<'_, PyAny>,
    model: Option<&str>,
    profile: Option<PyRef<'_, PyProfile>>,
    settings: Option<ParameterSettings>,
    method: &str,
    seed: Option<u64>,
    nodes: Option<&str>,
    placement: Option<&str>,
    ppn: Option<u32>,
    rto_mode: Option<&str>,
    sharing: Option<&str>,
    negligible: Option<&str>,
    extrapolate: bool,
) -> PyResult<PySimulations> {
    let settings = arguments::settings(py, settings)?;
    if ppn == Some(0) {
        return Err(usage(py, "ppn=0: give 1 or more"));
    }
    let hosts = HostSelection {
        nodes,
        placement,
        per_host: ppn,
    };
    let placed = |network| RankPlacer::of(network, &hosts, &PyLocalFiles).map_err(|error| refused(py, error));
    let profile = profile.map(|fitted| (fitted.name.clone(), fitted.profile.as_ref().clone()));
    let request = SimModelRequest {
        model: optional_variant::<SimModelKind>(py, "model", model)?,
        profile,
        settings: &settings,
        hosts: given_network(network)?.map(placed).transpose()?,
        rto_mode: optional_variant::<RtoMode>(py, "rto_mode", rto_mode)?,
        sharing: optional_variant::<PlogptSharing>(py, "sharing", sharing)?,
        negligible: optional_variant::<PlogptEdgeRule>(py, "negligible", negligible)?,
        seed,
        too_far: too_far(extrapolate),
    };
    let method: SimMethod = variant(py, "method", method)?;
    let collective = self::collective(py, collective)?;
    let algorithms = algorithms(collective, Some(algorithm)).map_err(|error| refused(py, error))?;
    let [algorithm] = algorithms[..] else {
        let problem = format!("algorithm={algorithm:?}: several algorithms; simulate each on its own");
        return Err(usage(py, problem));
    };
    let grid = CaseGrid::of(procs, size)?;
    let sim_model = SimModel::new(request).map_err(|error| refused(py, error))?;
    let interrupted = Interruptible::default();
    let simulated = py.detach(|| {
        let case = |(procs, size)| SimCase { algorithm, procs, size };
        let point = |case| SimPoint {
            sim_model: &sim_model,
            case,
            method,
        };
        let cases = interrupted.take_slow_until_interrupt(grid.cases()).map(case);
        let rows = cases.map(|case| Ok((case, point(case).report()?)));
        rows.collect::<Result<Vec<_>, Refusal>>()
    });
    interrupted.check()?;
    let rows = simulated.map_err(|error| refused(py, error))?;
    let doubts = rows
        .iter()
        .filter_map(|(case, report)| sim_model.doubt(*case, report.totals.time.seconds()));
    let doubt = doubts.take(1).map(|doubt| Note::warning(doubt.what));
    let notes: Vec<Note> = sim_model.note.iter().map(Note::remark).chain(doubt).collect();
    warn(py, &notes)?;
    Ok(PySimulations {
        algorithm,
        model: sim_model.choice,
        network: sim_model.network_name().map(str::to_owned),
        shape: grid.shape,
        rows,
    })
}

/// The variant with a name, if a name is given; `argument` names the argument in errors.
fn optional_variant<T: strum::IntoEnumIterator + strum::EnumMessage>(
    py: Python<'_>,
    argument: &str,
    name: Option<&str>,
) -> PyResult<Option<T>> {
    name.map(|name| variant(py, argument, name)).transpose()
}

impl PySimulations {
    fn array<'py, T: Element>(&self, py: Python<'py>, value: impl Fn(&SimReport) -> T) -> PyResult<Bound<'py, PyAny>> {
        let report_values = self.rows.iter().map(|(_, report)| value(report));
        let values: Vec<T> = report_values.collect();
        let array = values.into_pyarray(py).reshape(self.shape.clone())?;
        array_or_value(array.into_any(), &self.shape)
    }
}

/// The bytes of all messages, at most the largest number of 64 bits.
fn bytes_sent(report: &SimReport) -> u64 {
    u64::try_from(report.totals.bytes).unwrap_or(u64::MAX)
}

impl ArrowRows for PySimulations {
    fn batch(&self) -> RecordBatch {
        self.table().batch()
    }
}

frame_methods!(PySimulations);

#[pymethods]
impl PySimulations {
    /// The algorithm.
    #[getter]
    fn algorithm(&self) -> String {
        self.algorithm.to_string()
    }

    /// The network model.
    #[getter]
    fn model(&self) -> String {
        self.model.to_string()
    }

    /// The shape of the arrays.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// Times in seconds.
    #[getter]
    fn time_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, |report| report.totals.time.seconds().0)
    }

    /// Numbers of messages.
    #[getter]
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, |report| report.totals.messages)
    }

    /// Bytes of all messages, at most the largest number of 64 bits.
    #[getter]
    fn sent_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, bytes_sent)
    }

    /// Numbers of messages that lost packets.
    #[getter]
    fn losses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, |report| report.totals.losses)
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// All cases as a table, in C order.
    fn table(&self) -> PyResultTable {
        let rows = || self.rows.iter();
        let total = |value: fn(&SimReport) -> u64| rows().map(move |(_, report)| Some(value(report)));
        let case = |(case, _): &(SimCase, SimReport)| *case;
        let found = |(_, report): &(SimCase, SimReport)| -> UsedMethod { report.used_method };
        let columns = ArrowColumns::default()
            .words("collective", rows().map(|_| self.algorithm.collective()))
            .words("algorithm", rows().map(|_| self.algorithm))
            .counts("procs", rows().map(|row| Some(case(row).procs.get())))
            .sizes("size_bytes", rows().map(|row| Some(case(row).size.0)))
            .floats("time_s", rows().map(|(_, report)| Some(report.totals.time.seconds().0)))
            .words("model", rows().map(|_| self.model))
            .words("method", rows().map(found))
            .sizes("messages", total(|report| report.totals.messages))
            .sizes("sent_bytes", total(bytes_sent))
            .sizes("losses", total(|report| report.totals.losses))
            .texts("network", rows().map(|_| self.network.as_ref()));
        columns.batch().into()
    }

    fn __repr__(&self) -> String {
        let Self {
            algorithm,
            model,
            shape,
            ..
        } = self;
        let collective = algorithm.collective();
        format!("Simulations({collective} {algorithm} by {model}, shape {shape:?})")
    }
}
