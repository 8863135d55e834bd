//! Simulation of a case or a program on a network model, by a closed form where one is exact.
//!
//! A new network model needs one variant of [`NetworkModel`] and one arm of each `match` here.
//!
//! ```
//! # use netsig_base::algorithm::{Algorithm, Collective};
//! # use netsig_model::model::message::loggp::LogGP;
//! # use netsig_sim::network::endpoint::PortParameters;
//! # use netsig_sim::setup::{NetworkModel, SimCase, SimMethod, simulate};
//! # use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};
//! // One message of 1001 bytes: L + 2·o + 1000·G.
//! let model = LogGP::new(Seconds(5e-5), Seconds(4e-6), Seconds(1e-5), SecondsPerByte(1e-8))?;
//! let case = SimCase {
//!     algorithm: Algorithm::parse(Collective::Bcast, "flat")?,
//!     procs: Procs::new(2)?,
//!     size: Bytes(1001),
//! };
//! let setup = NetworkModel::Endpoint(PortParameters::LogGP(model)).into();
//! let report = simulate(&setup, case, SimMethod::Auto)?;
//! assert!((report.totals.time.seconds().0 / 68e-6 - 1.0).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
mod error;
mod model;

use netsig_base::algorithm::{Algorithm, ClosedForm, Schedule};
use netsig_base::network::MOST_HOSTS;
use netsig_base::units::{Bytes, Procs};
use netsig_model::model::alltoall::plogpt;
use serde::Deserialize;
use strum::{Display, EnumIter, EnumMessage};

use super::closed::{self, SimTotals};
use super::engine::run_with;
use super::goal::{Goal, GoalRun};
use super::network::PacketLoss;
use super::network::endpoint::Endpoint;
use super::network::fluid::Fluid;
use super::network::plogpt::run_passes;
use super::network::tcp::Tcp;
use super::observer::Observer;
use super::outcome::SimOutcome;
use super::program::SimProgram;
use super::rounds::ScheduleProgram;
use super::time::Time;
use bounds::{refuse_too_many, refuse_too_many_packets, refuse_uncounted};

pub use bounds::most_messages;
pub use error::SimulationError;
pub use model::{NetworkModel, RanksOnNetwork, RanksOnTree, SimSetup};

/// Largest number of ranks, 16 on each host of the largest network; more need too much memory.
const MOST_RANKS: u32 = 16 << MOST_HOSTS.ilog2();

/// A collective to simulate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimCase {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Number of ranks.
    pub procs: Procs,
    /// The length of a piece, or of the whole vector of a reduction.
    pub size: Bytes,
}

/// Requested method of finding a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, EnumIter, EnumMessage)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SimMethod {
    /// By a closed form where one is exact, else event by event.
    #[default]
    Auto,
    /// By a closed form.
    ClosedForm,
    /// Event by event.
    Event,
}

/// Method by which a time was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display)]
#[strum(serialize_all = "kebab-case")]
pub enum UsedMethod {
    /// By a closed form that equals the engine's result.
    ClosedForm,
    /// Event by event.
    Event,
}

/// Summary of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct SimReport {
    /// Time, messages, bytes and losses.
    pub totals: SimTotals,
    /// The first message that lost packets; `None` for a closed form.
    pub first_loss: Option<PacketLoss>,
    /// Method by which the totals were found.
    pub used_method: UsedMethod,
}

impl SimCase {
    /// The rounds of all ranks.
    pub fn schedule(self) -> Schedule {
        self.algorithm.schedule(self.procs, self.size)
    }
}

/// Sentence on the messages of these simulations that lost packets, with the first loss; `None` without losses.
pub fn sentence_on_losses<'a>(reports: impl Iterator<Item = &'a SimReport>) -> Option<String> {
    let lossy: Vec<&SimReport> = reports.filter(|report| report.totals.losses > 0).collect();
    let total: u64 = lossy.iter().map(|report| report.totals.losses).sum();
    let times = match total {
        0 => return None,
        1 => "once".to_owned(),
        total => format!("{total} times"),
    };
    let first_loss = lossy.iter().find_map(|report| report.first_loss.as_ref());
    let first = first_loss.map_or_else(String::new, |loss| {
        let PacketLoss {
            time,
            from,
            to,
            delay,
            cause,
            ..
        } = loss;
        format!("; the first: rank {from} to rank {to} at {time}, {delay} late, since {cause}")
    });
    Some(format!("messages lost packets {times}{first}"))
}

impl SimReport {
    /// Summarises an outcome of the engine.
    pub fn of_events(outcome: &SimOutcome) -> Self {
        Self {
            totals: SimTotals {
                time: outcome.time,
                messages: outcome.messages,
                bytes: outcome.bytes.into(),
                losses: outcome.losses.len() as u64,
            },
            first_loss: outcome.losses.first().cloned(),
            used_method: UsedMethod::Event,
        }
    }
}

/// Simulates `case` on a network by `method`.
///
/// # Errors
/// If a closed form is wanted and there is none, or the case is too large.
pub fn simulate(setup: &SimSetup, case: SimCase, method: SimMethod) -> Result<SimReport, SimulationError> {
    match closed_form_totals(setup, case, method)? {
        Some(totals) => {
            let report = SimReport {
                totals,
                first_loss: None,
                used_method: UsedMethod::ClosedForm,
            };
            refuse_overflow(totals.time, report)
        }
        None => observe(setup, case, &mut ()).map(|outcome| SimReport::of_events(&outcome)),
    }
}

/// Checks `case` without following events: refuses a missing closed form, and too many ranks or
/// messages. Errors that arise only while events are followed, such as an overflow of time, are
/// not found.
///
/// # Errors
/// If a closed form is wanted and there is none, or the case is too large.
pub fn check(setup: &SimSetup, case: SimCase, method: SimMethod) -> Result<(), SimulationError> {
    match closed_form_totals(setup, case, method)? {
        Some(totals) => refuse_overflow(totals.time, ()),
        None => refuse_too_large(setup, case),
    }
}

/// Refuses a case with too many ranks or messages, or under TCP too many bytes, to follow each event.
fn refuse_too_large(setup: &SimSetup, case: SimCase) -> Result<(), SimulationError> {
    refuse_too_many(case)?;
    match &setup.model {
        NetworkModel::Tcp(..) => refuse_too_many_packets(case),
        NetworkModel::Endpoint(_) | NetworkModel::PlogPT(_) | NetworkModel::Fluid(_) => Ok(()),
    }
}

/// Simulates `case` event by event and reports each activity to `observer`.
///
/// # Errors
/// If the case is too large, the model refuses the network, or the time overflows.
pub fn observe(setup: &SimSetup, case: SimCase, observer: &mut impl Observer) -> Result<SimOutcome, SimulationError> {
    refuse_too_large(setup, case)?;
    let program = ScheduleProgram::new(case.schedule()).with_operation_time(setup.operation_time);
    run_events(setup, program, observer)
}

/// Simulates the ranks of `goal` on a network, event by event.
///
/// # Errors
/// If the model refuses the network, or the program names a network interface other than 0,
/// cannot end, or takes too long.
pub fn simulate_goal(
    setup: &SimSetup,
    goal: &Goal,
    observer: &mut impl Observer,
) -> Result<SimOutcome, SimulationError> {
    run_events(setup, GoalRun::new(goal)?, observer)
}

/// Runs a program on a network, event by event.
///
/// # Errors
/// If the program cannot end, or takes too long.
fn run_events(
    setup: &SimSetup,
    mut program: impl SimProgram + Clone,
    observer: &mut impl Observer,
) -> Result<SimOutcome, SimulationError> {
    let limit = setup.eager_limit;
    let outcome = match &setup.model {
        NetworkModel::Endpoint(ports) => {
            let mut network = Endpoint::new(ports.clone(), program.procs());
            run_with(limit, &mut program, &mut network, observer)
        }
        NetworkModel::PlogPT(timeouts) => run_passes(timeouts.mode, limit, program, timeouts.medium()?, observer),
        NetworkModel::Fluid(shared) => {
            let mut network = Fluid::new(&shared.network, shared.hosts.to_vec(), shared.latency);
            run_with(limit, &mut program, &mut network, observer)
        }
        NetworkModel::Tcp(shared, options) => {
            let hosts = shared.hosts.to_vec();
            let mut network = Tcp::new(&shared.network, hosts, shared.latency, *options)?;
            run_with(limit, &mut program, &mut network, observer)
        }
    }?;
    refuse_overflow(outcome.time, outcome)
}

/// Totals by closed form; `None` if events must be followed.
fn closed_form_totals(
    setup: &SimSetup,
    case: SimCase,
    method: SimMethod,
) -> Result<Option<SimTotals>, SimulationError> {
    if case.procs.get() > MOST_RANKS && case.algorithm.closed_form().is_none() {
        return Err(SimulationError::TooManyRanks(case));
    }
    refuse_uncounted(case)?;
    if method == SimMethod::Event {
        return Ok(None);
    }
    let solved = match &setup.model {
        _ if !is_eager(setup, case) => None,
        NetworkModel::Endpoint(ports) => closed::endpoint(case.algorithm, case.procs, case.size, ports),
        NetworkModel::PlogPT(timeouts) => solve_timeouts(timeouts, case),
        NetworkModel::Fluid(_) | NetworkModel::Tcp(..) => None,
    };
    match solved {
        None if method == SimMethod::ClosedForm => Err(SimulationError::NoClosedForm(case)),
        solved => Ok(solved),
    }
}

/// True if all messages are shorter than the eager limit: closed forms assume eager messages.
fn is_eager(setup: &SimSetup, case: SimCase) -> bool {
    let longest = case.size.0.saturating_mul(case.procs.get().into());
    setup.eager_limit.is_none_or(|limit| longest < limit.0)
}

/// Closed forms of the two algorithms of `PlogPT` on its tree.
fn solve_timeouts(timeouts: &RanksOnTree, case: SimCase) -> Option<SimTotals> {
    let algorithm = match case.algorithm.closed_form()? {
        ClosedForm::Pairwise => plogpt::PlogptAlgorithm::A,
        ClosedForm::SendsInTurn => plogpt::PlogptAlgorithm::B,
        ClosedForm::Flat
        | ClosedForm::FlatSegmented
        | ClosedForm::Chain
        | ClosedForm::ChainOfParts
        | ClosedForm::Pipeline
        | ClosedForm::Binary
        | ClosedForm::Binomial
        | ClosedForm::BinomialSegmented
        | ClosedForm::BinomialOfParts
        | ClosedForm::Steps
        | ClosedForm::Direct
        | ClosedForm::DirectUnrotated
        | ClosedForm::Reduction(_) => return None,
    };
    let parameters = timeouts.full_tree(case.procs)?;
    closed::plogpt(algorithm, case.size, &parameters, timeouts.mode)
}

fn refuse_overflow<T>(time: Time, result: T) -> Result<T, SimulationError> {
    if time == Time::MAX {
        return Err(SimulationError::TooLong);
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use netsig_base::algorithm::Collective;
    use netsig_base::network::Network;
    use netsig_base::units::Seconds;
    use netsig_model::model::alltoall::plogpt::RtoMode;

    use super::*;
    use crate::network::plogpt::PlogptOptions;
    use crate::testing::loggp;

    fn case(collective: Collective, algorithm: &str, procs: u32) -> SimCase {
        SimCase {
            algorithm: Algorithm::parse(collective, algorithm).unwrap(),
            procs: Procs::new(procs).unwrap(),
            size: Bytes(1000),
        }
    }

    /// L = 50 µs, and G in nanoseconds per byte.
    fn ports(gap_per_byte: f64) -> SimSetup {
        NetworkModel::Endpoint(loggp([50_000.0, 0.0, 0.0], gap_per_byte)).into()
    }

    /// The first four hosts in a tree of eight.
    fn tree() -> SimSetup {
        let text = "topology = 'binary-tree'\nlatency = '50us'\n[[height]]\nrate = '1Gbit/s'\n\
                    [[height]]\nrate = '1Gbit/s'\ndelay = '36.4us'\n\
                    [[height]]\nrate = '1Gbit/s'\ndelay = '1us'\n";
        let network = Arc::new(Network::parse("t", text).unwrap());
        SimSetup::from(NetworkModel::PlogPT(RanksOnTree {
            hosts: network.all_hosts().take(4).collect(),
            options: PlogptOptions::new(Seconds(5e-5)),
            network,
            mode: RtoMode::Receiver,
        }))
    }

    #[test]
    fn closed_forms_and_events_agree_where_both_answer() {
        let mut direct = case(Collective::Alltoall, "sends-in-turn", 4);
        direct.size = Bytes(10_000);
        for model in [ports(8.0), tree()] {
            let [closed, event] =
                [SimMethod::Auto, SimMethod::Event].map(|method| simulate(&model, direct, method).unwrap());
            let found = [closed.used_method, event.used_method];
            assert_eq!(found, [UsedMethod::ClosedForm, UsedMethod::Event]);
            assert_eq!(closed.totals, event.totals);
        }
        let other = case(Collective::Alltoall, "bruck:2", 4);
        let refused = simulate(&tree(), other, SimMethod::ClosedForm);
        assert_eq!(refused, Err(SimulationError::NoClosedForm(other)));
    }

    /// A request and its answer take L each, 100 µs together. Messages that leave in a row pay this once, since their
    /// bytes pass the port as usual; a pairwise exchange pays it in every round.
    #[test]
    fn long_messages_ask_before_they_are_sent() {
        let [eager, asking] = [None, Some(Bytes(1000))].map(|eager_limit| SimSetup {
            eager_limit,
            ..ports(8.0)
        });
        let time = |setup: &SimSetup, case| {
            let found = simulate(setup, case, SimMethod::Auto).unwrap();
            (found.totals.time.seconds().0 * 1e6, found.used_method)
        };
        for (collective, algorithm, procs, requests) in [
            (Collective::Bcast, "flat", 2, 100.0),
            (Collective::Alltoall, "direct", 8, 100.0),
            (Collective::Alltoall, "pairwise", 8, 700.0),
        ] {
            let mut case = case(collective, algorithm, procs);
            let [(at_once, form), (asked, event)] = [&eager, &asking].map(|s| time(s, case));
            assert!((asked - at_once - requests).abs() < 1e-6, "{algorithm}");
            assert_eq!([form, event], [UsedMethod::ClosedForm, UsedMethod::Event]);
            case.size = Bytes(999);
            let [a, b] = [&eager, &asking].map(|s| simulate(s, case, SimMethod::Event).unwrap());
            assert_eq!(a, b);
        }
    }

    #[test]
    fn what_would_take_days_is_refused_and_what_is_small_is_not() {
        use Collective::{Alltoall, Bcast, Gather};
        let model = ports(8.0);
        for (collective, algorithm, procs, size, is_small) in [
            (Alltoall, "direct", 65_536, 1000, true),
            (Alltoall, "direct", 131_072, 1000, false),
            (Alltoall, "bruck:2", 1 << 14, 1000, true),
            (Bcast, "binomial", 1 << 20, 1000, true),
            (Gather, "flat", 1 << 20, 1000, true),
            (Bcast, "pipeline:1", 1 << 20, 1 << 14, false),
            (Alltoall, "pairwise-segmented:1", 1 << 14, 1 << 16, false),
        ] {
            let mut case = case(collective, algorithm, procs);
            case.size = Bytes(size);
            let found = check(&model, case, SimMethod::Event);
            let is_too_large = matches!(found, Err(SimulationError::TooMany { .. }));
            let expected = (is_small, !is_small);
            assert_eq!((found.is_ok(), is_too_large), expected, "{algorithm}");
        }
        let all = case(Bcast, "binomial", u32::MAX);
        let refused = check(&model, all, SimMethod::Event);
        assert_eq!(refused, Err(SimulationError::TooManyRanks(all)));
        // A closed form answers, unless its messages cannot be counted.
        assert_eq!(check(&model, all, SimMethod::Auto), Ok(()));
        let mut uncounted = case(Bcast, "pipeline:1", 4);
        uncounted.size = Bytes(1 << 50);
        let solved = simulate(&model, uncounted, SimMethod::Auto);
        assert!(matches!(solved, Err(SimulationError::TooMany { .. })));
    }

    /// In a chain the later ranks wait for ever, but are not stuck.
    #[test]
    fn time_ends() {
        for (method, algorithm, procs) in [
            (SimMethod::Auto, "flat", 2),
            (SimMethod::Event, "flat", 2),
            (SimMethod::Event, "chain", 4),
        ] {
            let case = case(Collective::Bcast, algorithm, procs);
            let result = simulate(&ports(1e18), case, method);
            assert_eq!(result, Err(SimulationError::TooLong));
        }
    }
}
