//! Single simulations for Python, in which every event is followed: of a collective, or of a program in GOAL.

use netsig_base::text::note::Note;
use netsig_sim::goal::Goal;
use netsig_sim::outcome::SimOutcome;
use netsig_sim::setup::{SimCase, SimMethod, SimReport, sentence_on_losses};
use netsig_sim::simulate::SimPoint;
use pyo3::prelude::*;

use crate::arguments::ParameterSettings;
use crate::error::{refused, usage, warn};
use crate::event_simulation::{PyEventSimulation, SimulatedSource};
use crate::files;
use crate::given_profile::GivenProfile;
use crate::given_values::{GivenAlgorithm, GivenCollective, GivenPpn, GivenSeed};
use crate::grid::CaseGrid;
use crate::network::NetworkArgument;
use crate::simulate::{SimModelArguments, single_algorithm};

/// Simulates one case of a collective event by event, with the traffic of all links, the losses and
/// the program in GOAL.
///
/// Parameters
/// ----------
/// network, collective, algorithm
///     As in :func:`simulate`.
/// procs : int
///     Number of processes.
/// size : int or str
///     Size in bytes, or as text with a unit.
/// model, profile, settings, seed, nodes, placement, ppn, rto_mode, sharing, negligible, extrapolate
///     As in :func:`simulate`.
///
/// Returns
/// -------
/// EventSimulation
///
/// Raises
/// ------
/// UsageError
///     If an argument cannot be used, or the case is too large.
/// DataError
///     If far fewer ranks take longer by the ``profile``.
#[pyfunction]
#[pyo3(signature = (
    network, collective, algorithm, procs, size, *, model=None, profile=None, settings=None, seed=None,
    nodes=None, placement=None, ppn=None, rto_mode=None, sharing=None, negligible=None, extrapolate=false
))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn simulate_events(
    py: Python<'_>,
    network: Option<NetworkArgument<'_>>,
    collective: GivenCollective,
    algorithm: GivenAlgorithm,
    procs: &Bound<'_, PyAny>,
    size: &Bound<'_, PyAny>,
    model: Option<&str>,
    profile: Option<GivenProfile<'_>>,
    settings: Option<ParameterSettings>,
    seed: Option<GivenSeed>,
    nodes: Option<&str>,
    placement: Option<&str>,
    ppn: Option<GivenPpn>,
    rto_mode: Option<&str>,
    sharing: Option<&str>,
    negligible: Option<&str>,
    extrapolate: bool,
) -> PyResult<PyEventSimulation> {
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
    let GivenAlgorithm(name) = algorithm;
    let algorithm = single_algorithm(py, collective.0, &name)?;
    let grid = CaseGrid::of(procs, size)?;
    let ([procs], [size]) = (&grid.procs[..], &grid.sizes[..]) else {
        let problem = format!(
            "procs and size make {} cases, but only the events of one can be followed; give one number to each",
            grid.procs.len()
        );
        return Err(usage(py, problem));
    };
    let case = SimCase {
        algorithm,
        procs: *procs,
        size: *size,
    };
    let sim_model = arguments.sim_model(py)?;
    let point = SimPoint {
        sim_model: &sim_model,
        case,
        method: SimMethod::Event,
    };
    let observed = py.detach(|| point.observe(&mut ()));
    let outcome = observed.map_err(|error| refused(py, error))?;
    let doubt = sim_model.doubt(case, outcome.time.seconds());
    let warning = doubt.map(|doubt| Note::warning(doubt.what));
    warn(
        py,
        &warning
            .into_iter()
            .chain(sim_model.note_on_operations(collective.0))
            .chain(note_on_losses(&outcome))
            .collect::<Vec<_>>(),
    )?;
    Ok(PyEventSimulation {
        source: SimulatedSource::Case(case),
        sim_model,
        outcome,
    })
}

/// Simulates a program in GOAL on a network, as ``netsig simulate --goal``.
///
/// Parameters
/// ----------
/// program : str or os.PathLike
///     The text of the program, which begins with ``num_ranks``, or the path of its file.
/// network : Network, str or None
///     The network; ``None`` for ports alone, or with a ``profile`` for hosts on one switch.
/// model, profile, settings, seed, nodes, placement, ppn, rto_mode, sharing, negligible, extrapolate
///     As in :func:`simulate`.
///
/// Returns
/// -------
/// EventSimulation
///
/// Raises
/// ------
/// FileError
///     If the file cannot be read.
/// UsageError
///     If the text is no program, the program cannot end, or an argument cannot be used.
#[pyfunction]
#[pyo3(signature = (
    program, network=None, *, model=None, profile=None, settings=None, seed=None, nodes=None,
    placement=None, ppn=None, rto_mode=None, sharing=None, negligible=None, extrapolate=false
))]
#[expect(clippy::too_many_arguments, reason = "Python's keywords")]
pub fn simulate_goal(
    py: Python<'_>,
    program: &Bound<'_, PyAny>,
    network: Option<NetworkArgument<'_>>,
    model: Option<&str>,
    profile: Option<GivenProfile<'_>>,
    settings: Option<ParameterSettings>,
    seed: Option<GivenSeed>,
    nodes: Option<&str>,
    placement: Option<&str>,
    ppn: Option<GivenPpn>,
    rto_mode: Option<&str>,
    sharing: Option<&str>,
    negligible: Option<&str>,
    extrapolate: bool,
) -> PyResult<PyEventSimulation> {
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
    let (name, text) = program_text(program)?;
    let goal = Goal::parse(&name, &text).map_err(|error| refused(py, error))?;
    let sim_model = arguments.sim_model(py)?;
    let observed = py.detach(|| sim_model.observe_goal(&name, &goal, &mut ()));
    let outcome = observed.map_err(|error| refused(py, error))?;
    warn(py, &Vec::from_iter(note_on_losses(&outcome)))?;
    Ok(PyEventSimulation {
        source: SimulatedSource::Goal { name, goal },
        sim_model,
        outcome,
    })
}

/// A note on the messages that lost packets.
fn note_on_losses(outcome: &SimOutcome) -> Option<Note> {
    let report = SimReport::of_events(outcome);
    sentence_on_losses([&report].into_iter()).map(Note::remark)
}

/// Name and text of a program: a text of several lines, or the file of a path.
fn program_text(program: &Bound<'_, PyAny>) -> PyResult<(String, String)> {
    if let Ok(text) = program.extract::<String>()
        && text.contains('\n')
    {
        return Ok(("program".to_owned(), text));
    }
    let (path, name) = files::path(program)?;
    let text = files::text(program.py(), &path, &name)?;
    Ok((name, text))
}
