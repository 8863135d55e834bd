//! The cells that are asked for, and finding their times on all processors, in order.

use anyhow::anyhow;
use netsig_core::sim::observer::Observer;
use netsig_core::sim::outcome::Outcome;
use netsig_core::sim::setup::{self, Case, Method, Report, SimulationError};
use rayon::prelude::*;

use super::answers::Answer;
use super::source::Source;
use crate::input::failure::Failure;

/// One cell: a case on a network model.
#[derive(Debug, Clone, Copy)]
pub struct Point<'a> {
    /// On what.
    pub source: &'a Source,
    /// What.
    pub case: Case,
    /// How its time is to be found.
    pub method: Method,
}

impl Point<'_> {
    /// A title in a few words.
    pub fn title(&self) -> String {
        let Case {
            algorithm,
            procs,
            size,
        } = self.case;
        let (collective, on) = (algorithm.collective(), self.source.title());
        format!("{collective} {algorithm}, {procs} ranks, {size}, {on}")
    }

    /// Refuses what cannot be simulated, before any time is spent on it.
    ///
    /// # Errors
    /// If the network has no place for the ranks, or the method does not answer.
    pub fn check(&self) -> Result<(), Failure> {
        self.problem()?.map_or(Ok(()), Err)
    }

    /// Why its algorithm cannot be simulated, if that is so.
    ///
    /// # Errors
    /// If the network has no place for the ranks.
    pub fn problem(&self) -> Result<Option<Failure>, Failure> {
        let setup = self.source.setup(self.case.procs)?;
        let checked = setup::check(&setup, self.case, self.method);
        Ok(checked.err().map(|error| self.failure(error)))
    }

    /// Its time.
    ///
    /// # Errors
    /// If it cannot be simulated.
    pub fn simulate(&self) -> Result<Answer, Failure> {
        let setup = self.source.setup(self.case.procs)?;
        let report = setup::simulate(&setup, self.case, self.method);
        let report = report.map_err(|error| self.failure(error))?;
        Ok(Answer::of_case(self.case, self.source, &report))
    }

    /// Which of the points failed, where the error does not say so itself, and why.
    fn failure(&self, error: SimulationError) -> Failure {
        let named = match &error {
            SimulationError::TooLong | SimulationError::Network(_) => {
                anyhow!("{}: {error}", self.title())
            }
            _ => anyhow!("{error}"),
        };
        Failure::from(error).told_by(named)
    }

    /// All that happens in it.
    ///
    /// # Errors
    /// If it cannot be simulated.
    pub fn observe(&self, observer: &mut impl Observer) -> Result<(Answer, Outcome), Failure> {
        let setup = self.source.setup(self.case.procs)?;
        let outcome = setup::observe(&setup, self.case, observer);
        let outcome = outcome.map_err(|error| self.failure(error))?;
        let answer = Answer::of_case(self.case, self.source, &Report::of_events(&outcome));
        Ok((answer, outcome))
    }
}

/// The answers of all points in their order, or why one cannot be simulated.
pub fn simulate_all(points: &[Point]) -> Vec<Result<Answer, Failure>> {
    points.par_iter().map(Point::simulate).collect()
}
