//! Simulation of a case or a program on a network model, by a closed form where one is exact.
//!
//! A new network model needs one variant of [`NetworkModel`] and one arm of each `match` here.
//!
//! ```
//! # use netsig_base::algorithm::{Algorithm, Collective};
//! # use netsig_model::model::message::loggp::LogGP;
//! # use netsig_sim::network::endpoint::Ports;
//! # use netsig_sim::setup::{Case, Method, NetworkModel, simulate};
//! # use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};
//! // One message of 1001 bytes: L + 2·o + 1000·G.
//! let model = LogGP::new(Seconds(5e-5), Seconds(4e-6), Seconds(1e-5), SecondsPerByte(1e-8))?;
//! let case = Case {
//!     algorithm: Algorithm::parse(Collective::Bcast, "flat")?,
//!     procs: Procs::new(2)?,
//!     size: Bytes(1001),
//! };
//! let report = simulate(&NetworkModel::Endpoint(Ports::LogGP(model)).into(), case, Method::Auto)?;
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

use super::closed::{self, Totals};
use super::engine::run_with;
use super::goal::{Goal, Goals};
use super::network::Loss;
use super::network::endpoint::Endpoint;
use super::network::fluid::Fluid;
use super::network::plogpt::run as run_plogpt;
use super::network::tcp::Tcp;
use super::observer::Observer;
use super::outcome::Outcome;
use super::program::Program;
use super::rounds::Rounds;
use super::time::Time;
use bounds::{refuse_too_many, refuse_too_many_packets, refuse_uncounted};

pub use bounds::most_messages;
pub use error::SimulationError;
pub use model::{NetworkModel, Setup, Shared, Timeouts};

/// Largest number of ranks, 16 on each host of the largest network; more need too much memory.
const MOST_RANKS: u32 = 16 << MOST_HOSTS.ilog2();

/// A collective to simulate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Number of ranks.
    pub procs: Procs,
    /// The length of a piece.
    pub size: Bytes,
}

/// Requested method of finding a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, EnumIter, EnumMessage)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Method {
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
pub enum Found {
    /// By a closed form that equals the engine's result.
    ClosedForm,
    /// Event by event.
    Event,
}

/// Summary of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Time, messages, bytes and losses.
    pub totals: Totals,
    /// The first message that lost packets; `None` for a closed form.
    pub first_loss: Option<Loss>,
    /// Method by which the totals were found.
    pub found: Found,
}

impl Case {
    /// The rounds of all ranks.
    pub fn schedule(self) -> Schedule {
        self.algorithm.schedule(self.procs, self.size)
    }
}

impl Report {
    /// Summarises an outcome of the engine.
    pub fn of_events(outcome: &Outcome) -> Self {
        Self {
            totals: Totals {
                time: outcome.time,
                messages: outcome.messages,
                bytes: outcome.bytes.into(),
                losses: outcome.losses.len() as u64,
            },
            first_loss: outcome.losses.first().cloned(),
            found: Found::Event,
        }
    }
}

/// Simulates `case` on a network by `method`.
///
/// # Errors
/// If a closed form is wanted and there is none, or the case is too large.
pub fn simulate(setup: &Setup, case: Case, method: Method) -> Result<Report, SimulationError> {
    match solution(setup, case, method)? {
        Some(totals) => {
            let report = Report {
                totals,
                first_loss: None,
                found: Found::ClosedForm,
            };
            checked(totals.time, report)
        }
        None => observe(setup, case, &mut ()).map(|outcome| Report::of_events(&outcome)),
    }
}

/// Checks `case` without following events: refuses a missing closed form, and too many ranks or
/// messages. Errors that arise only while events are followed, such as an overflow of time, are
/// not found.
///
/// # Errors
/// If a closed form is wanted and there is none, or the case is too large.
pub fn check(setup: &Setup, case: Case, method: Method) -> Result<(), SimulationError> {
    match solution(setup, case, method)? {
        Some(totals) => checked(totals.time, ()),
        None => refuse_too_large(setup, case),
    }
}

/// Refuses a case with too many ranks or messages, or under TCP too many bytes, to follow each event.
fn refuse_too_large(setup: &Setup, case: Case) -> Result<(), SimulationError> {
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
pub fn observe(setup: &Setup, case: Case, observer: &mut impl Observer) -> Result<Outcome, SimulationError> {
    refuse_too_large(setup, case)?;
    follow(setup, Rounds::new(case.schedule()), observer)
}

/// Simulates the ranks of `goal` on a network, event by event.
///
/// # Errors
/// If the model refuses the network, or the program names a network interface other than 0,
/// cannot end, or takes too long.
pub fn simulate_goal(setup: &Setup, goal: &Goal, observer: &mut impl Observer) -> Result<Outcome, SimulationError> {
    follow(setup, Goals::new(goal)?, observer)
}

/// Runs a program on a network, event by event.
///
/// # Errors
/// If the program cannot end, or takes too long.
fn follow(
    setup: &Setup,
    mut program: impl Program + Clone,
    observer: &mut impl Observer,
) -> Result<Outcome, SimulationError> {
    let limit = setup.eager_limit;
    let outcome = match &setup.model {
        NetworkModel::Endpoint(ports) => {
            let mut network = Endpoint::new(ports.clone(), program.procs());
            run_with(limit, &mut program, &mut network, observer)
        }
        NetworkModel::PlogPT(timeouts) => run_plogpt((timeouts.mode, limit), program, timeouts.medium()?, observer),
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
    checked(outcome.time, outcome)
}

/// Totals by closed form; `None` if events must be followed.
fn solution(setup: &Setup, case: Case, method: Method) -> Result<Option<Totals>, SimulationError> {
    if case.procs.get() > MOST_RANKS && case.algorithm.closed_form().is_none() {
        return Err(SimulationError::TooManyRanks(case));
    }
    refuse_uncounted(case)?;
    if method == Method::Event {
        return Ok(None);
    }
    let solved = match &setup.model {
        _ if !is_eager(setup, case) => None,
        NetworkModel::Endpoint(ports) => closed::endpoint(case.algorithm, case.procs, case.size, ports),
        NetworkModel::PlogPT(timeouts) => solve_timeouts(timeouts, case),
        NetworkModel::Fluid(_) | NetworkModel::Tcp(..) => None,
    };
    match solved {
        None if method == Method::ClosedForm => Err(SimulationError::NoClosedForm(case)),
        solved => Ok(solved),
    }
}

/// True if all messages are shorter than the eager limit: closed forms assume eager messages.
fn is_eager(setup: &Setup, case: Case) -> bool {
    let longest = case.size.0.saturating_mul(case.procs.get().into());
    setup.eager_limit.is_none_or(|limit| longest < limit.0)
}

/// Closed forms of the two algorithms of `PlogPT` on its tree.
fn solve_timeouts(timeouts: &Timeouts, case: Case) -> Option<Totals> {
    let algorithm = match case.algorithm.closed_form()? {
        ClosedForm::Pairwise => plogpt::Algorithm::A,
        ClosedForm::SendsInTurn => plogpt::Algorithm::B,
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
        | ClosedForm::DirectUnrotated => return None,
    };
    let parameters = timeouts.full_tree(case.procs)?;
    closed::plogpt(algorithm, case.size, &parameters, timeouts.mode)
}

fn checked<T>(time: Time, result: T) -> Result<T, SimulationError> {
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
    use crate::network::plogpt::Options;
    use crate::testing::loggp;

    fn case(collective: Collective, algorithm: &str, procs: u32) -> Case {
        Case {
            algorithm: Algorithm::parse(collective, algorithm).unwrap(),
            procs: Procs::new(procs).unwrap(),
            size: Bytes(1000),
        }
    }

    /// L = 50 µs, and G in nanoseconds per byte.
    fn ports(gap_per_byte: f64) -> Setup {
        NetworkModel::Endpoint(loggp([50_000.0, 0.0, 0.0], gap_per_byte)).into()
    }

    /// The first four hosts in a tree of eight.
    fn tree() -> Setup {
        let text = "topology = 'binary-tree'\nlatency = '50us'\n[[height]]\nrate = '1Gbit/s'\n\
                    [[height]]\nrate = '1Gbit/s'\ndelay = '36.4us'\n\
                    [[height]]\nrate = '1Gbit/s'\ndelay = '1us'\n";
        let network = Arc::new(Network::parse("t", text).unwrap());
        Setup::from(NetworkModel::PlogPT(Timeouts {
            hosts: network.all_hosts().take(4).collect(),
            options: Options::new(Seconds(5e-5)),
            network,
            mode: RtoMode::Receiver,
        }))
    }

    #[test]
    fn closed_forms_and_events_agree_where_both_answer() {
        let mut direct = case(Collective::Alltoall, "sends-in-turn", 4);
        direct.size = Bytes(10_000);
        for model in [ports(8.0), tree()] {
            let [closed, event] = [Method::Auto, Method::Event].map(|method| simulate(&model, direct, method).unwrap());
            let found = [closed.found, event.found];
            assert_eq!(found, [Found::ClosedForm, Found::Event]);
            assert_eq!(closed.totals, event.totals);
        }
        let other = case(Collective::Alltoall, "bruck:2", 4);
        let refused = simulate(&tree(), other, Method::ClosedForm);
        assert_eq!(refused, Err(SimulationError::NoClosedForm(other)));
    }

    /// A request and its answer take L each, so 100 µs: once for messages that leave in a row,
    /// whose bytes then pass the port as ever, and in every round of a pairwise exchange.
    #[test]
    fn long_messages_ask_before_they_are_sent() {
        let [eager, asking] = [None, Some(Bytes(1000))].map(|eager_limit| Setup {
            eager_limit,
            ..ports(8.0)
        });
        let time = |setup: &Setup, case| {
            let found = simulate(setup, case, Method::Auto).unwrap();
            (found.totals.time.seconds().0 * 1e6, found.found)
        };
        for (collective, algorithm, procs, requests) in [
            (Collective::Bcast, "flat", 2, 100.0),
            (Collective::Alltoall, "direct", 8, 100.0),
            (Collective::Alltoall, "pairwise", 8, 700.0),
        ] {
            let mut case = case(collective, algorithm, procs);
            let [(at_once, form), (asked, event)] = [&eager, &asking].map(|s| time(s, case));
            assert!((asked - at_once - requests).abs() < 1e-6, "{algorithm}");
            assert_eq!([form, event], [Found::ClosedForm, Found::Event]);
            case.size = Bytes(999);
            let [a, b] = [&eager, &asking].map(|s| simulate(s, case, Method::Event).unwrap());
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
            let found = check(&model, case, Method::Event);
            let is_too_large = matches!(found, Err(SimulationError::TooMany { .. }));
            let expected = (is_small, !is_small);
            assert_eq!((found.is_ok(), is_too_large), expected, "{algorithm}");
        }
        let all = case(Bcast, "binomial", u32::MAX);
        let refused = check(&model, all, Method::Event);
        assert_eq!(refused, Err(SimulationError::TooManyRanks(all)));
        // A closed form answers, unless its messages cannot be counted.
        assert_eq!(check(&model, all, Method::Auto), Ok(()));
        let mut uncounted = case(Bcast, "pipeline:1", 4);
        uncounted.size = Bytes(1 << 50);
        let solved = simulate(&model, uncounted, Method::Auto);
        assert!(matches!(solved, Err(SimulationError::TooMany { .. })));
    }

    /// In a chain the others wait for ever, but are not stuck.
    #[test]
    fn time_ends() {
        for (method, algorithm, procs) in [
            (Method::Auto, "flat", 2),
            (Method::Event, "flat", 2),
            (Method::Event, "chain", 4),
        ] {
            let case = case(Collective::Bcast, algorithm, procs);
            let result = simulate(&ports(1e18), case, method);
            assert_eq!(result, Err(SimulationError::TooLong));
        }
    }
}
