//! Simulations for Python.

use arrow_array::RecordBatch;
use netsig_base::algorithm::{Algorithm, Collective};
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_model::model::alltoall::plogpt::{PlogptEdgeRule, RtoMode};
use netsig_sim::network::plogpt::PlogptSharing;
use netsig_sim::setup::{SimCase, SimMethod, SimReport, sentence_on_losses};
use netsig_sim::simulate::placement::{HostSelection, RankPlacer};
use netsig_sim::simulate::point::algorithms;
use netsig_sim::simulate::sim_model::SimModelRequest;
use netsig_sim::simulate::{SimModel, SimModelKind, SimPoint};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{self, ParameterSettings, too_far, variant};
use crate::columns::ArrowColumns;
use crate::error::{refused, usage, warn};
use crate::files::PyLocalFiles;
use crate::frame::{ArrowRows, frame_methods};
use crate::given_profile::GivenProfile;
use crate::given_values::{GivenAlgorithm, GivenCollective, GivenPpn, GivenSeed};
use crate::grid::CaseGrid;
use crate::interrupt::Interruptible;
use crate::network::{NetworkArgument, given_network};
use crate::numpy_columns::ShapedRows;
use crate::pickle::{PickledObject, PickledState, value_methods};
use crate::table::PyResultTable;

/// Simulated times of one algorithm on one network model.
///
/// The attributes are arrays in the shape of the question, or single values for a single case. As a table
/// (see :class:`Table`) it has the columns of ``netsig simulate --format csv``, a row for each case in C order:
/// ``simulations["time_s"]`` has one axis. Arrays are read-only. Polars, pandas, PyArrow and others take the
/// table over through the Arrow PyCapsule interface.
#[pyclass(frozen, mapping, module = "netsig", name = "Simulations")]
#[derive(Debug, PartialEq)]
pub struct PySimulations {
    collective: String,
    algorithm: String,
    model: String,
    cases: ShapedRows,
}

/// Simulates an algorithm of a collective on a network, as ``netsig simulate``.
///
/// Parameters
/// ----------
/// network : Network, str or None
///     The network; ``None`` for ports alone, or with a ``profile`` for hosts on one switch.
/// collective : str
///     ``"alltoall"``, ``"allgather"``, ``"bcast"``, ``"scatter"``, ``"gather"``, ``"allreduce"``, ``"reduce"``,
///     ``"reduce-scatter"``, ``"reduce-scatter-block"`` or ``"barrier"``.
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
///     Parameters of the model by name (``L``, ``o``, ``g``, ``G``, ``S``, ``RTO``, ``omega``), as numbers in SI
///     units or as text with a unit. ``omega`` is the time in which a rank combines a byte, by default 0.
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
    collective: GivenCollective,
    algorithm: GivenAlgorithm,
    procs: &Bound<'_, PyAny>,
    size: &Bound<'_, PyAny>,
    model: Option<&str>,
    profile: Option<GivenProfile<'_>>,
    settings: Option<ParameterSettings>,
    method: &str,
    seed: Option<GivenSeed>,
    nodes: Option<&str>,
    placement: Option<&str>,
    ppn: Option<GivenPpn>,
    rto_mode: Option<&str>,
    sharing: Option<&str>,
    negligible: Option<&str>,
    extrapolate: bool,
) -> PyResult<PySimulations> {
    let arguments = SimModelArguments {
        network,
        model,
        profile,
        settings,
        seed: seed.map(|given| given.0),
        nodes,
        placement,
        ppn: ppn.map(|given| given.0),
        rto_mode,
        sharing,
        negligible,
        extrapolate,
    };
    let method: SimMethod = variant(py, "method", method)?;
    let (GivenCollective(collective), GivenAlgorithm(algorithm_name)) = (collective, algorithm);
    let algorithm = single_algorithm(py, collective, &algorithm_name)?;
    let grid = CaseGrid::of(procs, size)?;
    let sim_model = arguments.sim_model(py)?;
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
    let losses = sentence_on_losses(rows.iter().map(|(_, report)| report)).map(Note::remark);
    let operations = sim_model.note_on_operations(collective);
    warn(py, &doubt.chain(operations).chain(losses).collect::<Vec<_>>())?;
    let model = sim_model.choice.to_string();
    Ok(PySimulations {
        collective: collective.to_string(),
        algorithm: algorithm.to_string(),
        cases: ShapedRows {
            shape: grid.shape,
            rows: table(&model, sim_model.network_name(), &rows),
        },
        model,
    })
}

/// Arguments of a network model.
pub struct SimModelArguments<'a, 'py> {
    pub network: Option<NetworkArgument<'py>>,
    pub model: Option<&'a str>,
    pub profile: Option<GivenProfile<'py>>,
    pub settings: Option<ParameterSettings>,
    pub seed: Option<u64>,
    pub nodes: Option<&'a str>,
    pub placement: Option<&'a str>,
    pub ppn: Option<u32>,
    pub rto_mode: Option<&'a str>,
    pub sharing: Option<&'a str>,
    pub negligible: Option<&'a str>,
    pub extrapolate: bool,
}

impl SimModelArguments<'_, '_> {
    /// The network model, with its doubt and note as warnings.
    ///
    /// # Errors
    /// If an argument cannot be used, or the model lacks a parameter.
    pub fn sim_model(self, py: Python<'_>) -> PyResult<SimModel> {
        let settings = arguments::settings(py, self.settings)?;
        if self.ppn == Some(0) {
            return Err(usage(py, "ppn=0: give 1 or more"));
        }
        let hosts = HostSelection {
            nodes: self.nodes,
            placement: self.placement,
            per_host: self.ppn,
        };
        let placed = |network| RankPlacer::of(network, &hosts, &PyLocalFiles).map_err(|error| refused(py, error));
        let named = |given: GivenProfile<'_>| {
            let bound_profile = given.into_bound();
            let fitted = bound_profile.get();
            (fitted.name.clone(), fitted.profile.as_ref().clone())
        };
        let request = SimModelRequest {
            model: optional_variant::<SimModelKind>(py, "model", self.model)?,
            profile: self.profile.map(named),
            settings: &settings,
            hosts: given_network(self.network)?.map(placed).transpose()?,
            rto_mode: optional_variant::<RtoMode>(py, "rto_mode", self.rto_mode)?,
            sharing: optional_variant::<PlogptSharing>(py, "sharing", self.sharing)?,
            negligible: optional_variant::<PlogptEdgeRule>(py, "negligible", self.negligible)?,
            seed: self.seed,
            too_far: too_far(self.extrapolate),
        };
        let sim_model = SimModel::new(request).map_err(|error| refused(py, error))?;
        let doubts = sim_model.rate_doubt.iter().map(Note::warning);
        let notes: Vec<Note> = doubts.chain(sim_model.note.iter().map(Note::remark)).collect();
        warn(py, &notes)?;
        Ok(sim_model)
    }
}

/// The one algorithm with a name.
///
/// # Errors
/// If there is none, or the text names several.
pub fn single_algorithm(py: Python<'_>, collective: Collective, name: &str) -> PyResult<Algorithm> {
    let found = algorithms(collective, Some(name)).map_err(|error| refused(py, error))?;
    let [algorithm] = found[..] else {
        let problem = format!("algorithm={name:?}: several algorithms; simulate each on its own");
        return Err(usage(py, problem));
    };
    Ok(algorithm)
}

/// The variant with a name, if a name is given; `argument` names the argument in errors.
fn optional_variant<T: strum::IntoEnumIterator + strum::EnumMessage>(
    py: Python<'_>,
    argument: &str,
    name: Option<&str>,
) -> PyResult<Option<T>> {
    name.map(|name| variant(py, argument, name)).transpose()
}

/// The bytes of all messages, at most the largest number of 64 bits.
pub fn bytes_sent(report: &SimReport) -> u64 {
    u64::try_from(report.totals.bytes).unwrap_or(u64::MAX)
}

/// The rows of the simulated cases.
fn table(model: &str, network: Option<&str>, simulated: &[(SimCase, SimReport)]) -> RecordBatch {
    let cases = || simulated.iter().map(|(case, _)| case);
    let reports = || simulated.iter().map(|(_, report)| report);
    let total = |value: fn(&SimReport) -> u64| reports().map(move |report| Some(value(report)));
    let columns = ArrowColumns::default()
        .words("collective", cases().map(|case| case.algorithm.collective()))
        .words("algorithm", cases().map(|case| case.algorithm))
        .counts("procs", cases().map(|case| Some(case.procs.get())))
        .sizes("size_bytes", cases().map(|case| Some(case.size.0)))
        .floats("time_s", reports().map(|report| Some(report.totals.time.seconds().0)))
        .texts("model", cases().map(|_| Some(model)))
        .words("method", reports().map(|report| report.used_method))
        .sizes("messages", total(|report| report.totals.messages))
        .sizes("sent_bytes", total(bytes_sent))
        .sizes("losses", total(|report| report.totals.losses))
        .texts("network", cases().map(|_| network));
    columns.batch()
}

impl ArrowRows for PySimulations {
    fn batch(&self) -> RecordBatch {
        self.cases.rows.clone()
    }
}

impl PickledObject for PySimulations {
    const KIND: &'static str = "Simulations";

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
            cases: state.shaped(&table("", None, &[]), RecordBatch::num_rows)?,
        })
    }
}

frame_methods!(PySimulations);
value_methods!(PySimulations);

#[pymethods]
impl PySimulations {
    /// The algorithm.
    #[getter]
    fn algorithm(&self) -> &str {
        &self.algorithm
    }

    /// The network model.
    #[getter]
    fn model(&self) -> &str {
        &self.model
    }

    /// The shape of the arrays.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.cases.shape)
    }

    /// Times in seconds.
    #[getter]
    fn time_s<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cases.array(py, "time_s")
    }

    /// Numbers of messages.
    #[getter]
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cases.array(py, "messages")
    }

    /// Bytes of all messages, at most the largest number of int64.
    #[getter]
    fn sent_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cases.array(py, "sent_bytes")
    }

    /// Numbers of messages that lost packets.
    #[getter]
    fn losses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.cases.array(py, "losses")
    }

    /// All cases as a table, in C order.
    fn table(&self) -> PyResultTable {
        self.batch().into()
    }

    fn __repr__(&self) -> String {
        let Self {
            collective,
            algorithm,
            model,
            cases,
        } = self;
        format!(
            "Simulations({collective} {algorithm} by {model}, shape {:?})",
            cases.shape
        )
    }
}
