//! Simulations for Python.

use arrow_array::RecordBatch;
use netsig_base::algorithm::Algorithm;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_model::model::alltoall::plogpt::{Negligible, RtoMode};
use netsig_sim::network::plogpt::Sharing;
use netsig_sim::setup::{Case, Found, Method, Report};
use netsig_sim::simulate::placement::{Hosts, Placement};
use netsig_sim::simulate::point::algorithms;
use netsig_sim::simulate::source::Wishes;
use netsig_sim::simulate::{ModelChoice, Point, Source};
use numpy::{Element, IntoPyArray as _, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{self, Settings, collective, variant};
use crate::columns::Columns;
use crate::error::{refused, usage, warn};
use crate::files::Disk;
use crate::frame::{Frame, frame_methods};
use crate::grid::Grid;
use crate::interrupt::Interruptible;
use crate::network::{Named, given};
use crate::predict::shown;
use crate::profile::Profile;
use crate::table::Table;

/// Simulated times of one algorithm on one network model.
///
/// The attributes are arrays in the shape of the question, or single values for a single case.
/// Polars, pandas, PyArrow and others take them over as a table with the columns of ``netsig simulate
/// --format csv`` through the Arrow PyCapsule interface.
#[pyclass(frozen, module = "netsig")]
pub struct Simulations {
    algorithm: Algorithm,
    model: ModelChoice,
    network: Option<String>,
    shape: Vec<usize>,
    rows: Vec<(Case, Report)>,
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
///     Process counts and sizes, as of :meth:`Profile.predict`.
/// model : str, optional
///     The network model: ``"loggp"``, ``"plogp"``, ``"plogpt"``, ``"fluid"`` or ``"tcp"``; else
///     plogpt on a binary tree, fluid on other networks, and without a network plogp or loggp.
/// profile : Profile, optional
///     Parameters of loggp and plogp, and L of the others.
/// settings : dict, optional
///     Parameters of the model by name (``L``, ``o``, ``g``, ``G``, ``S``, ``RTO``), as numbers in SI
///     units or as text with a unit.
/// method : str
///     ``"auto"``, ``"closed-form"`` or ``"event"``.
/// seed : int, optional
///     Seed of tcp's random numbers; 0 if it is not given.
/// nodes, placement : str, optional
///     The hosts to use, such as ``"n[0-15]"``, and the host of each rank: ``"block"``, ``"cyclic"`` or
///     a file with one host a line.
/// ppn : int, optional
///     Number of ranks on a host.
/// rto_mode, sharing, negligible : str, optional
///     Variants of plogpt, as of ``netsig simulate``.
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
///     If no closed form is exact and one is asked for.
#[pyfunction]
#[pyo3(signature = (
    network, collective, algorithm, procs, size, *, model=None, profile=None, settings=None,
    method="auto", seed=None, nodes=None, placement=None, ppn=None, rto_mode=None, sharing=None,
    negligible=None
))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn simulate(
    py: Python<'_>,
    network: Option<Named<'_>>,
    collective: &str,
    algorithm: &str,
    procs: &Bound<'_, PyAny>,
    size: &Bound<'_, PyAny>,
    model: Option<&str>,
    profile: Option<PyRef<'_, Profile>>,
    settings: Option<Settings>,
    method: &str,
    seed: Option<u64>,
    nodes: Option<&str>,
    placement: Option<&str>,
    ppn: Option<u32>,
    rto_mode: Option<&str>,
    sharing: Option<&str>,
    negligible: Option<&str>,
) -> PyResult<Simulations> {
    let settings = arguments::settings(py, settings)?;
    if ppn == Some(0) {
        return Err(usage(py, "ppn=0: give 1 or more"));
    }
    let hosts = Hosts {
        nodes,
        placement,
        per_host: ppn,
    };
    let placed = |network| Placement::of(network, &hosts, &Disk).map_err(|error| refused(py, error));
    let profile = profile.map(|own| (own.name.clone(), own.profile.as_ref().clone()));
    let wishes = Wishes {
        model: named::<ModelChoice>(py, ("model", model))?,
        profile,
        settings: &settings,
        hosts: given(network)?.map(placed).transpose()?,
        rto_mode: named::<RtoMode>(py, ("rto_mode", rto_mode))?,
        sharing: named::<Sharing>(py, ("sharing", sharing))?,
        negligible: named::<Negligible>(py, ("negligible", negligible))?,
        seed,
    };
    let method: Method = variant(py, "method", method)?;
    let collective = self::collective(py, collective)?;
    let algorithms = algorithms(collective, Some(algorithm)).map_err(|error| refused(py, error))?;
    let [algorithm] = algorithms[..] else {
        let problem = format!("algorithm={algorithm:?}: several algorithms; simulate each on its own");
        return Err(usage(py, problem));
    };
    let grid = Grid::of(procs, size)?;
    let source = Source::new(wishes).map_err(|error| refused(py, error))?;
    let interrupted = Interruptible::default();
    let simulated = py.detach(|| {
        let case = |(procs, size)| Case { algorithm, procs, size };
        let point = |case| Point {
            source: &source,
            case,
            method,
        };
        let cases = interrupted.over_each(grid.cases()).map(case);
        let rows = cases.map(|case| Ok((case, point(case).report()?)));
        rows.collect::<Result<Vec<_>, Refusal>>()
    });
    interrupted.check()?;
    let rows = simulated.map_err(|error| refused(py, error))?;
    warn(py, &source.note.as_ref().map(Note::remark))?;
    Ok(Simulations {
        algorithm,
        model: source.choice,
        network: source.network_name().map(str::to_owned),
        shape: grid.shape,
        rows,
    })
}

/// The variant of a name, if it is given.
fn named<T: strum::IntoEnumIterator + strum::EnumMessage>(
    py: Python<'_>,
    (argument, name): (&str, Option<&str>),
) -> PyResult<Option<T>> {
    name.map(|name| variant(py, argument, name)).transpose()
}

impl Simulations {
    fn array<'py, T: Element>(&self, py: Python<'py>, value: impl Fn(&Report) -> T) -> PyResult<Bound<'py, PyAny>> {
        let values = self.rows.iter().map(|(_, report)| value(report));
        let values: Vec<T> = values.collect();
        let array = values.into_pyarray(py).reshape(self.shape.clone())?;
        shown(array.into_any(), &self.shape)
    }
}

/// A sum of bytes, which ends at the largest number of 64 bits.
fn sent(report: &Report) -> u64 {
    u64::try_from(report.totals.bytes).unwrap_or(u64::MAX)
}

impl Frame for Simulations {
    fn batch(&self) -> RecordBatch {
        self.table().batch()
    }
}

frame_methods!(Simulations);

#[pymethods]
impl Simulations {
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

    /// Bytes of all messages; more than 64 bits hold are their largest number.
    #[getter]
    fn sent_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, sent)
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
    fn table(&self) -> Table {
        let rows = || self.rows.iter();
        let total = |value: fn(&Report) -> u64| rows().map(move |(_, own)| Some(value(own)));
        let case = |(case, _): &(Case, Report)| *case;
        let found = |(_, report): &(Case, Report)| -> Found { report.found };
        let columns = Columns::default()
            .words("collective", rows().map(|_| self.algorithm.collective()))
            .words("algorithm", rows().map(|_| self.algorithm))
            .counts("procs", rows().map(|row| Some(case(row).procs.get())))
            .sizes("size_bytes", rows().map(|row| Some(case(row).size.0)))
            .floats("time_s", rows().map(|(_, own)| Some(own.totals.time.seconds().0)))
            .words("model", rows().map(|_| self.model))
            .words("method", rows().map(found))
            .sizes("messages", total(|own| own.totals.messages))
            .sizes("sent_bytes", total(sent))
            .sizes("losses", total(|own| own.totals.losses))
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
