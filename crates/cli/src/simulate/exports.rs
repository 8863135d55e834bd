//! The files that one simulation can write besides its row.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use netsig_core::sim::Time;
use netsig_core::sim::outcome::Outcome;
use netsig_core::sim::setup::{Case, Method, most_messages};
use netsig_core::units::Bytes;

use super::points::Point;
use crate::input::failure::Failure;
use crate::input::files;
use crate::print::rows::{Cell, Format, Rows};

/// A program of more messages would take gigabytes.
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

impl Exports {
    /// The files that need every event, by their options.
    fn of_events(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let all = [
            ("--timeline", &self.timeline),
            ("--gantt", &self.gantt),
            ("--links", &self.links),
            ("--losses", &self.losses),
        ];
        all.into_iter()
            .filter_map(|(option, path)| Some((option, path.as_deref()?)))
    }

    /// All files.
    fn all(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let goal = self
            .write_goal
            .as_deref()
            .map(|path| ("--write-goal", path));
        self.of_events().chain(goal)
    }

    /// Whether events must be followed.
    pub fn need_events(&self) -> bool {
        self.of_events().next().is_some()
    }

    /// Refuses files that cannot be written, that a closed form does not fill, or that are
    /// named twice; `goal` is the program that is read.
    ///
    /// # Errors
    /// If there is one.
    pub fn check(&self, method: Method, goal: Option<&Path>) -> Result<(), Failure> {
        if let (Method::ClosedForm, Some((option, _))) = (method, self.of_events().next()) {
            return Err(Failure::usage(format!(
                "a closed form follows no events, which {option} needs; use --method event"
            )));
        }
        self.all()
            .try_for_each(|(_, path)| files::refuse_unwritable(path))?;
        let read = goal.map(|path| ("--goal", path));
        refuse_same(read.into_iter().chain(self.all()))
    }

    /// Refuses to write the program of `case` if it is too long.
    ///
    /// # Errors
    /// If it is and is to be written.
    pub fn check_case(&self, case: Case) -> Result<(), Failure> {
        if self.write_goal.is_none() {
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

    /// The one point that the files are of, if any are wanted.
    ///
    /// # Errors
    /// If there are several points.
    pub fn only<'p, 's>(&self, points: &'p [Point<'s>]) -> Result<Option<&'p Point<'s>>, Failure> {
        match (self.all().next(), points) {
            (None, _) => Ok(None),
            (Some(_), [point]) => Ok(Some(point)),
            (Some((option, _)), points) => Err(Failure::usage(format!(
                "{option} tells of one simulation, and these are {}; give one algorithm, process \
                 count and size",
                points.len()
            ))),
        }
    }

    /// Writes the tables of what happened.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write_tables(&self, outcome: &Outcome) -> Result<(), Failure> {
        if let Some(path) = &self.links {
            files::write(path, |out| links(outcome).write(Format::Csv, out))?;
        }
        if let Some(path) = &self.losses {
            files::write(path, |out| losses(outcome).write(Format::Csv, out))?;
        }
        Ok(())
    }

    /// Writes the program in GOAL, as `write` does.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_goal(
        &self,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        if let Some(path) = &self.write_goal {
            files::write(path, write)?;
        }
        Ok(())
    }
}

/// Refuses two options that name one file.
fn refuse_same<'a>(files: impl Iterator<Item = (&'static str, &'a Path)>) -> Result<(), Failure> {
    let mut named: BTreeMap<PathBuf, &str> = BTreeMap::new();
    for (option, path) in files {
        if let Some(other) = named.insert(resolved(path), option) {
            return Err(Failure::usage(format!(
                "{}: is named by {other} and {option}; give each its own file",
                path.display()
            )));
        }
    }
    Ok(())
}

/// The path without links, of a file that need not exist.
fn resolved(path: &Path) -> PathBuf {
    let in_parent = || {
        let parent = files::parent(path).canonicalize().ok()?;
        Some(parent.join(path.file_name()?))
    };
    let found = path.canonicalize().ok().or_else(in_parent);
    found.unwrap_or_else(|| path.to_owned())
}

fn links(outcome: &Outcome) -> Rows {
    let share = |busy: Time| match outcome.time {
        Time::ZERO => 0.0,
        time => busy.seconds() / time.seconds(),
    };
    Rows::of(&outcome.links)
        .column("link", |link| Cell::text(&link.name))
        .column("bytes", |link| Cell::size(Bytes(link.bytes)))
        .column("busy_s", |link| Cell::time(link.busy.seconds()))
        .column("utilisation", |link| Cell::share(share(link.busy)))
        .rows
}

fn losses(outcome: &Outcome) -> Rows {
    Rows::of(&outcome.losses)
        .column("time_s", |loss| Cell::time(loss.time.seconds()))
        .column("from", |loss| Cell::number(loss.from.0))
        .column("to", |loss| Cell::number(loss.to.0))
        .column("operation", |loss| Cell::number(loss.send))
        .column("delay_s", |loss| Cell::time(loss.delay.seconds()))
        .column("cause", |loss| Cell::text(&loss.cause))
        .rows
}
