//! Observers of a simulation, such as recorders of timelines.

use netsig_base::units::Rank;

use super::network::{Flight, PacketLoss};
use super::program::{FlightId, OperationId};
use super::time::Time;

/// Activity of a rank.
#[derive(Debug, Clone, Copy)]
pub enum Activity<'a> {
    /// A send, from the start of its overhead until it is complete at the sender. The number of
    /// the message is not reused before its receive is complete.
    Send(FlightId, &'a Flight),
    /// A receive, from the start of its overhead, with its operation.
    Receive(FlightId, &'a Flight, OperationId),
    /// A computation.
    Compute(Rank, OperationId),
    /// The delay of a message that lost packets.
    Loss(&'a PacketLoss),
}

/// Receives every activity when it ends, and every loss when it is decided.
pub trait Observer {
    /// Handles an activity that lasts from `start` to `end`.
    fn observe(&mut self, activity: Activity<'_>, start: Time, end: Time);
}

/// Ignores all activities.
impl Observer for () {
    fn observe(&mut self, _: Activity<'_>, _: Time, _: Time) {}
}
