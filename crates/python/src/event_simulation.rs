//! A followed simulation for Python: its time, links, losses, program and pictures.

use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};
use netsig_render::gantt::Gantt;
use netsig_render::timeline::Timeline;
use netsig_sim::goal::Goal;
use netsig_sim::observer::Observer;
use netsig_sim::outcome::SimOutcome;
use netsig_sim::setup::{SimCase, SimMethod, SimReport};
use netsig_sim::simulate::{SimModel, SimPoint, refuse_long_program};
use pyo3::prelude::*;

use crate::columns::ArrowColumns;
use crate::error::{of_class, refused};
use crate::files;
use crate::frame::notebook_table;
use crate::pickle::immutable_methods;
use crate::simulate::bytes_sent;
use crate::table::PyResultTable;

/// The simulated program.
#[derive(PartialEq)]
pub enum SimulatedSource {
    /// A case of a collective.
    Case(SimCase),
    /// A program, with its name in messages.
    Goal { name: String, goal: Goal },
}

/// One simulation in which every event was followed, with the traffic of the links and the losses.
///
/// :func:`simulate_events` makes one of a collective, :func:`simulate_goal` of a program in GOAL. Notebooks show its
/// chart, with more than 64 ranks its row. It cannot be pickled; its tables can.
#[pyclass(frozen, module = "netsig", name = "EventSimulation")]
pub struct PyEventSimulation {
    /// The simulated program.
    pub source: SimulatedSource,
    /// The network model.
    pub sim_model: SimModel,
    /// The result.
    pub outcome: SimOutcome,
}

impl PartialEq for PyEventSimulation {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
            && self.sim_model.title() == other.sim_model.title()
            && self.outcome == other.outcome
    }
}

immutable_methods!(PyEventSimulation);

impl PyEventSimulation {
    fn procs_of_source(&self) -> Procs {
        match &self.source {
            SimulatedSource::Case(case) => case.procs,
            SimulatedSource::Goal { goal, .. } => goal.procs(),
        }
    }

    fn case(&self) -> Option<SimCase> {
        match self.source {
            SimulatedSource::Case(case) => Some(case),
            SimulatedSource::Goal { .. } => None,
        }
    }

    /// Simulates again, with the same events, for `observer`.
    fn observe(&self, observer: &mut impl Observer) -> Result<(), Refusal> {
        let observed = match &self.source {
            SimulatedSource::Case(case) => self.point(*case).observe(observer),
            SimulatedSource::Goal { name, goal } => self.sim_model.observe_goal(name, goal, observer),
        };
        observed.map(|_| ())
    }

    fn point(&self, case: SimCase) -> SimPoint<'_> {
        SimPoint {
            sim_model: &self.sim_model,
            case,
            method: SimMethod::Event,
        }
    }

    /// The chart as SVG.
    fn chart(&self) -> Result<String, Refusal> {
        let mut gantt = Gantt::new(self.procs_of_source())?;
        self.observe(&mut gantt)?;
        let title = match &self.source {
            SimulatedSource::Case(case) => self.point(*case).title(),
            SimulatedSource::Goal { name, goal } => {
                format!("{name}, {} ranks, {}", goal.procs(), self.sim_model.title())
            }
        };
        gantt.svg(&title).map_err(Refusal::request)
    }

    /// Writes a text to a file, if one is named.
    fn write(py: Python<'_>, path: Option<&Bound<'_, PyAny>>, text: String) -> PyResult<String> {
        if let Some(path) = path {
            files::replace(py, path, |out| out.write_all(text.as_bytes()))?;
        }
        Ok(text)
    }
}

#[pymethods]
impl PyEventSimulation {
    /// The algorithm, or the file of the program.
    #[getter]
    fn algorithm(&self) -> String {
        match &self.source {
            SimulatedSource::Case(case) => case.algorithm.to_string(),
            SimulatedSource::Goal { name, .. } => name.clone(),
        }
    }

    /// The network model.
    #[getter]
    fn model(&self) -> String {
        self.sim_model.choice.to_string()
    }

    /// Number of ranks.
    #[getter]
    fn procs(&self) -> u32 {
        self.procs_of_source().get()
    }

    /// Time in seconds.
    #[getter]
    fn time_s(&self) -> f64 {
        self.outcome.time.seconds().0
    }

    /// Number of messages.
    #[getter]
    fn messages(&self) -> u64 {
        self.outcome.messages
    }

    /// The simulation as a table of one row, with the columns of ``netsig simulate --format csv``.
    fn table(&self) -> PyResultTable {
        let report = SimReport::of_events(&self.outcome);
        let case = self.case();
        let columns = ArrowColumns::default()
            .texts("collective", [case.map(|case| case.algorithm.collective().to_string())])
            .texts("algorithm", [Some(self.algorithm())])
            .counts("procs", [Some(self.procs())])
            .sizes("size_bytes", [case.map(|case| case.size.0)])
            .floats("time_s", [Some(self.time_s())])
            .words("model", [self.sim_model.choice])
            .words("method", [report.used_method])
            .sizes("messages", [Some(report.totals.messages)])
            .sizes("sent_bytes", [Some(bytes_sent(&report))])
            .sizes("losses", [Some(report.totals.losses)])
            .texts("network", [self.sim_model.network_name()]);
        columns.batch().into()
    }

    /// The bytes that each link carried, as ``netsig simulate --links``.
    ///
    /// Returns
    /// -------
    /// Table
    ///     Columns ``link``, ``bytes``, ``busy_s`` (the time that the bytes take at the full rate) and
    ///     ``utilisation``, the share of the simulated time.
    fn links(&self) -> PyResultTable {
        let links = || self.outcome.links.iter();
        let columns = ArrowColumns::default()
            .words("link", links().map(|link| &link.name))
            .sizes("bytes", links().map(|link| Some(Bytes(link.bytes).0)))
            .floats("busy_s", links().map(|link| Some(link.busy.seconds().0)))
            .floats("utilisation", links().map(|link| Some(self.outcome.utilisation(link))));
        columns.batch().into()
    }

    /// The messages that lost packets and had to wait, as ``netsig simulate --losses``.
    ///
    /// Returns
    /// -------
    /// Table
    ///     Columns ``time_s``, ``from``, ``to``, ``operation``, ``delay_s`` and ``cause``.
    fn losses(&self) -> PyResultTable {
        let losses = || self.outcome.losses.iter();
        let columns = ArrowColumns::default()
            .floats("time_s", losses().map(|loss| Some(loss.time.seconds().0)))
            .counts("from", losses().map(|loss| Some(loss.from.0)))
            .counts("to", losses().map(|loss| Some(loss.to.0)))
            .counts("operation", losses().map(|loss| Some(loss.send)))
            .floats("delay_s", losses().map(|loss| Some(loss.delay.seconds().0)))
            .words("cause", losses().map(|loss| &loss.cause));
        columns.batch().into()
    }

    /// The program as text in GOAL, for other simulators, as ``netsig simulate --write-goal``.
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     If the program has more than 100 million messages.
    fn to_goal(&self, py: Python<'_>) -> PyResult<String> {
        if let Some(case) = self.case() {
            refuse_long_program(case).map_err(|error| refused(py, error))?;
        }
        let mut text = Vec::new();
        py.detach(|| match &self.source {
            SimulatedSource::Case(case) => self.point(*case).write_goal(&mut text),
            SimulatedSource::Goal { goal, .. } => goal.write(&mut text),
        })?;
        Ok(String::from_utf8(text)?)
    }

    /// The chart of what each rank does over time, as ``netsig simulate --gantt``.
    ///
    /// Parameters
    /// ----------
    /// path : str or os.PathLike, optional
    ///     The file to write; it is replaced completely or not at all.
    ///
    /// Returns
    /// -------
    /// str
    ///     The picture as SVG.
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     With more than 64 ranks.
    /// FileError
    ///     If the file cannot be written.
    #[pyo3(signature = (path=None))]
    fn gantt(&self, py: Python<'_>, path: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let chart = py.detach(|| self.chart()).map_err(|error| refused(py, error))?;
        Self::write(py, path, chart)
    }

    /// The events for Perfetto (ui.perfetto.dev) and ``chrome://tracing``, as ``netsig simulate --timeline``.
    ///
    /// Parameters
    /// ----------
    /// path : str or os.PathLike, optional
    ///     The file to write; it is replaced completely or not at all.
    ///
    /// Returns
    /// -------
    /// str
    ///     The events as JSON, in Chrome's trace event format.
    ///
    /// Raises
    /// ------
    /// FileError
    ///     If the file cannot be written.
    #[pyo3(signature = (path=None))]
    fn timeline(&self, py: Python<'_>, path: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        let traced = py.detach(|| {
            let mut timeline = Timeline::new(Vec::new(), self.procs_of_source());
            self.observe(&mut timeline)?;
            let (text, written) = timeline.finish();
            written.map_err(Refusal::request)?;
            Ok(text)
        });
        let events = traced.map_err(|error: Refusal| refused(py, error))?;
        Self::write(py, path, String::from_utf8(events)?)
    }

    fn _repr_svg_(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.chart()).ok()
    }

    /// The row, where no chart is shown: notebooks take HTML before a picture.
    fn _repr_html_(&self) -> Option<String> {
        let has_chart = Gantt::new(self.procs_of_source()).is_ok();
        (!has_chart).then(|| notebook_table(&self.table(), &self.__repr__()))
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<()> {
        Err(of_class(
            py,
            &format!(
                "{} cannot be pickled; pickle its table(), links() and losses(), or simulate again",
                self.__repr__()
            ),
        ))
    }

    fn __repr__(&self) -> String {
        let (what, model) = (self.algorithm(), self.sim_model.title());
        let (procs, time) = (self.procs(), self.outcome.time.seconds());
        format!("EventSimulation({what} among {procs} by {model}: {time})")
    }
}
