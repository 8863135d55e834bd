//! Errors of simulations.

use netsig_base::text::refusal::Refusal;
use netsig_base::units::Seconds;
use netsig_base::units::parameter::ParameterError;

use super::{MOST_RANKS, SimCase};
use crate::goal::UnknownInterface;
use crate::outcome::StuckProgram;

/// Processor time to simulate a packet that losses make different from others.
const PACKET_TIME: Seconds = Seconds(1e-7);

/// Error of a simulation; the message ends with a remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// No closed form gives the engine's result.
    #[error(
        "{collective} {algorithm} among {procs} has no exact closed form on this network; use --method event",
        collective = .0.algorithm.collective(), algorithm = .0.algorithm, procs = .0.procs
    )]
    NoClosedForm(SimCase),
    /// The case has too many messages or rounds to follow each.
    #[error(
        "{collective} {algorithm} among {procs} has up to {messages:.1e} messages, too many to follow each; choose fewer processes or longer segments",
        collective = .case.algorithm.collective(), algorithm = .case.algorithm,
        procs = .case.procs, messages = *.messages as f64
    )]
    TooMany {
        /// The refused case.
        case: SimCase,
        /// Upper bound on the number of messages.
        messages: u64,
    },
    /// The case has too many packets for the windows of TCP.
    #[error(
        "{collective} {algorithm} among {procs} with {size} has up to {packets:.1e} packets, which tcp follows for about {time}; choose smaller messages, or --model fluid",
        collective = .case.algorithm.collective(), algorithm = .case.algorithm,
        procs = .case.procs, size = .case.size, time = Seconds(PACKET_TIME.0 * packets)
    )]
    TooManyPackets {
        /// The refused case.
        case: SimCase,
        /// Number of packets.
        packets: f64,
    },
    /// The case would need too much memory.
    #[error(
        "{procs} processes are too many to follow each, at most {MOST_RANKS}; choose fewer or a network with a closed form",
        procs = .0.procs
    )]
    TooManyRanks(SimCase),
    /// The simulated time overflows.
    #[error("the simulated time passes 213 days, where it ends; choose smaller messages or a faster network")]
    TooLong,
    /// The model does not support the network.
    #[error("{0}; use another model")]
    Network(#[from] ParameterError),
    /// The program names a network interface that hosts do not have.
    #[error(transparent)]
    Interface(#[from] UnknownInterface),
    /// The program cannot end.
    #[error(transparent)]
    Stuck(#[from] StuckProgram),
}

/// A missing closed form and too many packets are faults of the data, other errors faults of the request.
impl From<SimulationError> for Refusal {
    fn from(error: SimulationError) -> Self {
        match error {
            SimulationError::NoClosedForm(_) | SimulationError::TooManyPackets { .. } => Self::data(error),
            _ => Self::request(error),
        }
    }
}
