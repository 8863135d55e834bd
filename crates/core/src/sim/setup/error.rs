//! Why a simulation gives no result.

use super::{Case, MOST_RANKS};
use crate::sim::goal::OtherInterface;
use crate::sim::outcome::Stuck;
use crate::units::parameter::ParameterError;

/// Why there is no result; the message ends in what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SimulationError {
    /// No formula gives what the engine would.
    #[error(
        "{collective} {algorithm} among {procs} has no exact closed form on this network; use --method event",
        collective = .0.algorithm.collective(), algorithm = .0.algorithm, procs = .0.procs
    )]
    NoClosedForm(Case),
    /// It would take too long, or have too many rounds to number.
    #[error(
        "{collective} {algorithm} among {procs} has up to {messages:.1e} messages, too many to follow each; choose fewer processes or longer segments",
        collective = .case.algorithm.collective(), algorithm = .case.algorithm,
        procs = .case.procs, messages = *.messages as f64
    )]
    TooMany {
        /// What was asked.
        case: Case,
        /// How many messages it has at most.
        messages: u64,
    },
    /// It would need too much memory.
    #[error(
        "{procs} processes are too many to follow each, at most {MOST_RANKS}; choose fewer or a network with a closed form",
        procs = .0.procs
    )]
    TooManyRanks(Case),
    /// Simulated time has an end.
    #[error(
        "the simulated time passes 213 days, where it ends; choose smaller messages or a faster network"
    )]
    TooLong,
    /// A network that the model does not know.
    #[error("{0}; use another model")]
    Network(#[from] ParameterError),
    /// A program for hosts of another kind.
    #[error(transparent)]
    Interface(#[from] OtherInterface),
    /// The program cannot end.
    #[error(transparent)]
    Stuck(#[from] Stuck),
}
