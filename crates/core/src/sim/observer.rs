//! Who wants to know what happens in a simulation: recorders of timelines, or nobody.

use super::network::{Flight, Loss};
use super::program::{FlightId, Op};
use super::time::Time;
use crate::units::Rank;

/// What a rank was busy with.
#[derive(Debug, Clone, Copy)]
pub enum Activity<'a> {
    /// A send, from its first overhead until it is complete at the sender. The number of
    /// the message is its own until its receive is complete as well.
    Send(FlightId, &'a Flight),
    /// A receive, from when its processor began with it, with its operation.
    Receive(FlightId, &'a Flight, Op),
    /// A computation.
    Compute(Rank, Op),
    /// A wait for lost packets.
    Loss(&'a Loss),
}

/// Is told of every activity when it ends, and of a loss when it is decided.
pub trait Observer {
    /// An activity lasted from `start` to `end`.
    fn observe(&mut self, activity: Activity<'_>, start: Time, end: Time);
}

/// Nobody.
impl Observer for () {
    fn observe(&mut self, _: Activity<'_>, _: Time, _: Time) {}
}
