//! Points of a simulation: a case on a network model.

use std::io::{self, Write};

use netsig_base::algorithm::{
    Algorithm, AlgorithmTraffic, Collective, CollectiveCall, LIBRARY, algorithm_entries, split_algorithms,
};
use netsig_base::text::refusal::Refusal;

use crate::goal::write_algorithm;
use crate::observer::Observer;
use crate::outcome::SimOutcome;
use crate::setup::{self, SimCase, SimMethod, SimReport, SimulationError};

use super::sim_model::SimModel;

/// One point: a case on a network model.
#[derive(Debug, Clone, Copy)]
pub struct SimPoint<'a> {
    /// The network model.
    pub sim_model: &'a SimModel,
    /// The collective, algorithm, process count and size.
    pub case: SimCase,
    /// The method of finding the time.
    pub method: SimMethod,
}

impl SimPoint<'_> {
    /// A short title.
    pub fn title(&self) -> String {
        let SimCase { algorithm, procs, size } = self.case;
        let (collective, on) = (algorithm.collective(), self.sim_model.title());
        format!("{collective} {algorithm}, {procs} ranks, {size}, {on}")
    }

    /// Checks that the point can be simulated, without simulating it.
    ///
    /// # Errors
    /// If the network has too few hosts, or the method does not apply.
    pub fn check(&self) -> Result<(), Refusal> {
        self.problem()?.map_or(Ok(()), Err)
    }

    /// The reason why the algorithm cannot be simulated, if there is one.
    ///
    /// # Errors
    /// If the network has too few hosts, or the collective cannot have the size.
    pub fn problem(&self) -> Result<Option<Refusal>, Refusal> {
        check_size(self.case)?;
        let setup = self.sim_model.setup(self.case.procs)?;
        let checked = setup::check(&setup, self.case, self.method);
        let refused = checked.err().map(|error| self.failure(error));
        Ok(self.refuse_layout().err().or(refused))
    }

    /// Refuses algorithms that follow clusters or the links between switches: the simulator gives them neither, so
    /// they would run as in one cluster or on one switch.
    fn refuse_layout(&self) -> Result<(), Refusal> {
        let algorithm = self.case.algorithm;
        let what = match algorithm.traffic() {
            Some(AlgorithmTraffic::Clusters) => "clusters of the ranks",
            Some(AlgorithmTraffic::Phases) if self.sim_model.has_uplinks() => "links between switches",
            _ => return Ok(()),
        };
        let collective = algorithm.collective();
        Err(Refusal::data(format!(
            "{collective} {algorithm} follows the {what}, which simulate cannot give it yet; name \
             another --algorithm, or measure it"
        )))
    }

    /// Finds the time of the point.
    ///
    /// # Errors
    /// If the point cannot be simulated, or far fewer ranks take longer by the profile.
    pub fn report(&self) -> Result<SimReport, Refusal> {
        check_size(self.case)?;
        self.refuse_layout()?;
        let setup = self.sim_model.setup(self.case.procs)?;
        let report = setup::simulate(&setup, self.case, self.method).map_err(|error| self.failure(error))?;
        self.sim_model
            .refuse_impossible(self.case, report.totals.time.seconds())?;
        Ok(report)
    }

    /// Simulates every event of the point for `observer`.
    ///
    /// # Errors
    /// If the point cannot be simulated, or far fewer ranks take longer by the profile.
    pub fn observe(&self, observer: &mut impl Observer) -> Result<SimOutcome, Refusal> {
        check_size(self.case)?;
        self.refuse_layout()?;
        let setup = self.sim_model.setup(self.case.procs)?;
        let outcome = setup::observe(&setup, self.case, observer).map_err(|error| self.failure(error))?;
        self.sim_model.refuse_impossible(self.case, outcome.time.seconds())?;
        Ok(outcome)
    }

    /// Writes the program of the point in GOAL.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_goal(&self, out: &mut impl Write) -> io::Result<()> {
        write_algorithm(&self.case.schedule(), self.sim_model.operation_time(), out)
    }

    /// Converts an error; adds the title of the point if the message does not identify the point.
    fn failure(&self, error: SimulationError) -> Refusal {
        let is_named = !matches!(error, SimulationError::TooLong | SimulationError::Network(_));
        let refusal = Refusal::from(error);
        if is_named {
            return refusal;
        }
        refusal.about(self.title())
    }
}

/// Checks that the collective of a case can have its size. The vectors of reductions consist of doubles.
///
/// # Errors
/// If a vector has no whole number of elements, or a barrier has data.
pub fn check_size(case: SimCase) -> Result<(), Refusal> {
    let call = CollectiveCall::new(case.procs, case.size);
    let checked = call.check_size(case.algorithm.collective());
    checked.map_err(Refusal::request)
}

/// The algorithms in the list `names`; for `None` or `all`, the algorithms of the collective without settings.
///
/// # Errors
/// If the collective has no such algorithm.
pub fn algorithms(collective: Collective, names: Option<&str>) -> Result<Vec<Algorithm>, Refusal> {
    let all = || {
        let plain = algorithm_entries(collective).filter(|entry| entry.settings.is_empty());
        plain.map(|entry| entry.name).collect()
    };
    let names: Vec<&str> = match names {
        None | Some("all") => all(),
        Some(names) => split_algorithms(names),
    };
    let mut algorithms: Vec<Algorithm> = Vec::new();
    for name in names {
        if name.split(':').next() == Some(LIBRARY) {
            return Err(Refusal::request(format!(
                "the MPI library chooses the messages of {name}, so that they cannot be simulated; name an algorithm of netsig"
            )));
        }
        let algorithm = Algorithm::parse(collective, name)?;
        if algorithms.contains(&algorithm) {
            return Err(Refusal::request(format!("{name} is named twice; name it once")));
        }
        algorithms.push(algorithm);
    }
    Ok(algorithms)
}
