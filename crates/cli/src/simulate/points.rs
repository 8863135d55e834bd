//! The requested points, simulated in parallel with results in order.

use anyhow::anyhow;
use netsig_core::sim::observer::Observer;
use netsig_core::sim::outcome::Outcome;
use netsig_core::sim::setup::{self, Case, Method, Report, SimulationError};
use rayon::prelude::*;

use super::answers::Answer;
use super::source::Source;
use crate::input::failure::Failure;
use crate::print::bar::Bar;

/// One point: a case on a network model.
#[derive(Debug, Clone, Copy)]
pub struct Point<'a> {
    /// The network model.
    pub source: &'a Source,
    /// The collective, algorithm, process count and size.
    pub case: Case,
    /// The method of finding the time.
    pub method: Method,
}

impl Point<'_> {
    /// A short title.
    pub fn title(&self) -> String {
        let Case {
            algorithm,
            procs,
            size,
        } = self.case;
        let (collective, on) = (algorithm.collective(), self.source.title());
        format!("{collective} {algorithm}, {procs} ranks, {size}, {on}")
    }

    /// Checks that the point can be simulated, without simulating it.
    ///
    /// # Errors
    /// If the network has too few hosts, or the method does not apply.
    pub fn check(&self) -> Result<(), Failure> {
        self.problem()?.map_or(Ok(()), Err)
    }

    /// The reason why the algorithm cannot be simulated, if there is one.
    ///
    /// # Errors
    /// If the network has too few hosts.
    pub fn problem(&self) -> Result<Option<Failure>, Failure> {
        let setup = self.source.setup(self.case.procs)?;
        let checked = setup::check(&setup, self.case, self.method);
        Ok(checked.err().map(|error| self.failure(error)))
    }

    /// Finds the time of the point.
    ///
    /// # Errors
    /// If the point cannot be simulated.
    pub fn simulate(&self) -> Result<Answer, Failure> {
        let setup = self.source.setup(self.case.procs)?;
        let report = setup::simulate(&setup, self.case, self.method);
        let report = report.map_err(|error| self.failure(error))?;
        Ok(Answer::of_case(self.case, self.source, &report))
    }

    /// Converts an error; adds the title of the point if the message does not identify the point.
    fn failure(&self, error: SimulationError) -> Failure {
        let named = match &error {
            SimulationError::TooLong | SimulationError::Network(_) => {
                anyhow!("{}: {error}", self.title())
            }
            _ => anyhow!("{error}"),
        };
        Failure::from(error).told_by(named)
    }

    /// Simulates every event of the point for `observer`.
    ///
    /// # Errors
    /// If the point cannot be simulated.
    pub fn observe(&self, observer: &mut impl Observer) -> Result<(Answer, Outcome), Failure> {
        let setup = self.source.setup(self.case.procs)?;
        let outcome = setup::observe(&setup, self.case, observer);
        let outcome = outcome.map_err(|error| self.failure(error))?;
        let answer = Answer::of_case(self.case, self.source, &Report::of_events(&outcome));
        Ok((answer, outcome))
    }
}

/// A bar for the simulation of `points`.
pub fn bar(points: &[Point]) -> Bar {
    Bar::new(points.len() as u64, "simulating")
}

/// The results of all points in their order; an error for each that cannot be simulated. Each
/// advances the `bar`.
pub fn simulate_all(points: &[Point], bar: &Bar) -> Vec<Result<Answer, Failure>> {
    let simulate = |point: &Point| {
        let answer = point.simulate();
        bar.advance();
        answer
    };
    points.par_iter().map(simulate).collect()
}
