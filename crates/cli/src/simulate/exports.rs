//! The files that a single simulation can write in addition to its row.

use std::io::Write;
use std::path::{Path, PathBuf};

use netsig_base::units::Bytes;
use netsig_sim::Time;
use netsig_sim::outcome::Outcome;
use netsig_sim::setup::{Case, Method, most_messages};
use netsig_sim::simulate::Point;

use crate::input::failure::Failure;
use crate::input::kind::Kind;
use crate::input::output::Output;
use crate::print::rows::{Cell, Format, Rows};

/// The most messages of a written program; larger ones would take gigabytes.
const MOST_WRITTEN: u64 = 100_000_000;

/// The files to write.
#[derive(Debug, clap::Args)]
pub struct Exports {
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
pub struct Files {
    /// The trace of all ranks' activities.
    pub timeline: Option<Output>,
    /// The Gantt chart of all ranks.
    pub gantt: Option<Output>,
    links: Option<Output>,
    losses: Option<Output>,
    program: Option<Output>,
}

/// The columns of [`Exports::links`].
const LINKS: [&str; 4] = ["link", "bytes", "busy_s", "utilisation"];

/// The columns of [`Exports::losses`].
const LOSSES: [&str; 6] = ["time_s", "from", "to", "operation", "delay_s", "cause"];

impl Exports {
    /// Checks the files to write; none may be among the files that the command `reads`.
    ///
    /// # Errors
    /// If a file cannot be written, has other content or is named twice, or needs events that a
    /// closed form does not simulate.
    pub fn files(&self, method: Method, reads: &[&Path]) -> Result<Files, Failure> {
        let output = |option, path: &Option<PathBuf>, kind| {
            let path = path.as_deref();
            path.map(|path| Output::replacing(option, path, kind, reads))
                .transpose()
        };
        let files = Files {
            timeline: output("--timeline", &self.timeline, Kind::Trace)?,
            gantt: output("--gantt", &self.gantt, Kind::Svg)?,
            links: output("--links", &self.links, Kind::Table(&LINKS))?,
            losses: output("--losses", &self.losses, Kind::Table(&LOSSES))?,
            program: output("--write-goal", &self.write_goal, Kind::Goal)?,
        };
        if let (Method::ClosedForm, Some(file)) = (method, files.of_events().next()) {
            return Err(Failure::usage(format!(
                "a closed form follows no events, which {} needs; use --method event",
                file.option()
            )));
        }
        Output::refuse_same(files.all())?;
        Ok(files)
    }
}

impl Files {
    /// The files that need every event.
    fn of_events(&self) -> impl Iterator<Item = &Output> {
        let all = [&self.timeline, &self.gantt, &self.links, &self.losses];
        all.into_iter().flatten()
    }

    /// All files.
    fn all(&self) -> impl Iterator<Item = &Output> {
        self.of_events().chain(&self.program)
    }

    /// True if events must be simulated.
    pub fn need_events(&self) -> bool {
        self.of_events().next().is_some()
    }

    /// Refuses to write the program of `case` if it is too long.
    ///
    /// # Errors
    /// If the program is too long and is to be written.
    pub fn check_case(&self, case: Case) -> Result<(), Failure> {
        if self.program.is_none() {
            return Ok(());
        }
        let messages = most_messages(case);
        if messages <= MOST_WRITTEN {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "{} {} among {} has up to {messages} messages, too many for --write-goal; choose fewer \
             processes or longer segments",
            case.algorithm.collective(),
            case.algorithm,
            case.procs
        )))
    }

    /// The single point of the files; `None` if no files are requested or there are no points.
    ///
    /// # Errors
    /// If there are several points.
    pub fn only<'p, 's>(&self, points: &'p [Point<'s>]) -> Result<Option<&'p Point<'s>>, Failure> {
        match (self.all().next(), points) {
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
    pub fn write_tables(&self, outcome: &Outcome) -> Result<(), Failure> {
        if let Some(file) = &self.links {
            file.write(|out| links(outcome).write(Format::Csv, out))?;
        }
        if let Some(file) = &self.losses {
            file.write(|out| losses(outcome).write(Format::Csv, out))?;
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

fn links(outcome: &Outcome) -> Rows {
    let share = |busy: Time| match outcome.time {
        Time::ZERO => 0.0,
        time => busy.seconds() / time.seconds(),
    };
    Rows::of(&outcome.links)
        .column(LINKS[0], |link| Cell::text(&link.name))
        .column(LINKS[1], |link| Cell::size(Bytes(link.bytes)))
        .column(LINKS[2], |link| Cell::time(link.busy.seconds()))
        .column(LINKS[3], |link| Cell::share(share(link.busy)))
        .rows
}

fn losses(outcome: &Outcome) -> Rows {
    Rows::of(&outcome.losses)
        .column(LOSSES[0], |loss| Cell::time(loss.time.seconds()))
        .column(LOSSES[1], |loss| Cell::number(loss.from.0))
        .column(LOSSES[2], |loss| Cell::number(loss.to.0))
        .column(LOSSES[3], |loss| Cell::number(loss.send))
        .column(LOSSES[4], |loss| Cell::time(loss.delay.seconds()))
        .column(LOSSES[5], |loss| Cell::text(&loss.cause))
        .rows
}
