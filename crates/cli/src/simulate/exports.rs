//! The files that a single simulation can write in addition to its row.

use std::io::Write;
use std::path::{Path, PathBuf};

use netsig_base::units::Bytes;
use netsig_sim::outcome::SimOutcome;
use netsig_sim::setup::{SimCase, SimMethod};
use netsig_sim::simulate::{SimPoint, refuse_long_program};

use crate::input::failure::Failure;
use crate::input::file_kind::FileKind;
use crate::input::output::OutputPath;
use netsig_render::rows::{PrintedCell, PrintedRows};

/// The files to write.
#[derive(Debug, clap::Args)]
pub struct SimulationExports {
    /// Writes the activities of all ranks over time, as a trace for Perfetto and Chrome (JSON).
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    pub timeline: Option<PathBuf>,
    /// Draws the activities of up to 64 ranks over time (SVG).
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    pub gantt: Option<PathBuf>,
    /// Writes the bytes that each link carried (CSV).
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    pub links: Option<PathBuf>,
    /// Writes the messages that lost packets and had to wait, with the cause (CSV).
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    pub losses: Option<PathBuf>,
    /// Writes the program in GOAL, for other simulators.
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    pub write_goal: Option<PathBuf>,
}

/// The output files of a simulation.
#[derive(Debug)]
pub struct SimulationFiles {
    /// The trace of all ranks' activities.
    pub timeline: Option<OutputPath>,
    /// The Gantt chart of all ranks.
    pub gantt: Option<OutputPath>,
    links: Option<OutputPath>,
    losses: Option<OutputPath>,
    program: Option<OutputPath>,
}

/// The columns of [`SimulationExports::links`].
const LINK_COLUMNS: [&str; 4] = ["link", "bytes", "busy_s", "utilisation"];

/// The columns of [`SimulationExports::losses`].
const LOSS_COLUMNS: [&str; 6] = ["time_s", "from", "to", "operation", "delay_s", "cause"];

impl SimulationExports {
    /// Checks the files to write; none may be among the files that the command `reads`.
    ///
    /// # Errors
    /// If a file cannot be written, has other content or is named twice, or needs events that a
    /// closed form does not simulate.
    pub fn output_files(&self, method: SimMethod, reads: &[&Path]) -> Result<SimulationFiles, Failure> {
        let output = |option, path: &Option<PathBuf>, kind| {
            let path = path.as_deref();
            path.map(|path| OutputPath::replacing(option, path, kind, reads))
                .transpose()
        };
        let files = SimulationFiles {
            timeline: output("--timeline", &self.timeline, FileKind::Trace)?,
            gantt: output("--gantt", &self.gantt, FileKind::Svg)?,
            links: output("--links", &self.links, FileKind::Table(&LINK_COLUMNS))?,
            losses: output("--losses", &self.losses, FileKind::Table(&LOSS_COLUMNS))?,
            program: output("--write-goal", &self.write_goal, FileKind::Goal)?,
        };
        if let (SimMethod::ClosedForm, Some(file)) = (method, files.event_files().next()) {
            return Err(Failure::usage(format!(
                "a closed form follows no events, which {} needs; use --method event",
                file.option()
            )));
        }
        OutputPath::refuse_same(files.all_files())?;
        Ok(files)
    }
}

impl SimulationFiles {
    /// The files that need every event.
    fn event_files(&self) -> impl Iterator<Item = &OutputPath> {
        let all = [&self.timeline, &self.gantt, &self.links, &self.losses];
        all.into_iter().flatten()
    }

    /// All files.
    fn all_files(&self) -> impl Iterator<Item = &OutputPath> {
        self.event_files().chain(&self.program)
    }

    /// True if events must be simulated.
    pub fn need_events(&self) -> bool {
        self.event_files().next().is_some()
    }

    /// Refuses to write the program of `case` if it is too long.
    ///
    /// # Errors
    /// If the program is too long and is to be written.
    pub fn check_case(&self, case: SimCase) -> Result<(), Failure> {
        if self.program.is_none() {
            return Ok(());
        }
        Ok(refuse_long_program(case)?)
    }

    /// The single point of the files; `None` if no files are requested or there are no points.
    ///
    /// # Errors
    /// If there are several points.
    pub fn single_point<'p, 's>(&self, points: &'p [SimPoint<'s>]) -> Result<Option<&'p SimPoint<'s>>, Failure> {
        match (self.all_files().next(), points) {
            (None, _) | (_, []) => Ok(None),
            (Some(_), [point]) => Ok(Some(point)),
            (Some(file), points) => Err(Failure::usage(format!(
                "{} is for one simulation, and these options ask for {}; give one algorithm, \
                 process count and size",
                file.option(),
                points.len()
            ))),
        }
    }

    /// Writes the tables of links and losses.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_tables(&self, outcome: &SimOutcome) -> Result<(), Failure> {
        if let Some(file) = &self.links {
            file.replace(links(outcome).csv_text().as_bytes())?;
        }
        if let Some(file) = &self.losses {
            file.replace(losses(outcome).csv_text().as_bytes())?;
        }
        Ok(())
    }

    /// Writes the program in GOAL by calling `write`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_goal(&self, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Failure> {
        if let Some(file) = &self.program {
            file.write(write)?;
        }
        Ok(())
    }
}

fn links(outcome: &SimOutcome) -> PrintedRows {
    PrintedRows::of(&outcome.links)
        .column(LINK_COLUMNS[0], |link| PrintedCell::text(&link.name))
        .column(LINK_COLUMNS[1], |link| PrintedCell::size(Bytes(link.bytes)))
        .column(LINK_COLUMNS[2], |link| PrintedCell::time(link.busy.seconds()))
        .column(LINK_COLUMNS[3], |link| PrintedCell::share(outcome.utilisation(link)))
        .rows
}

fn losses(outcome: &SimOutcome) -> PrintedRows {
    PrintedRows::of(&outcome.losses)
        .column(LOSS_COLUMNS[0], |loss| PrintedCell::time(loss.time.seconds()))
        .column(LOSS_COLUMNS[1], |loss| PrintedCell::number(loss.from.0))
        .column(LOSS_COLUMNS[2], |loss| PrintedCell::number(loss.to.0))
        .column(LOSS_COLUMNS[3], |loss| PrintedCell::number(loss.send))
        .column(LOSS_COLUMNS[4], |loss| PrintedCell::time(loss.delay.seconds()))
        .column(LOSS_COLUMNS[5], |loss| PrintedCell::text(&loss.cause))
        .rows
}
