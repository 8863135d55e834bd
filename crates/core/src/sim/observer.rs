//! Who wants to know what happens in a simulation: recorders of timelines, or nobody.

use super::network::Flight;
use super::program::Op;
use super::time::Time;
use crate::units::Rank;

/// What a rank was busy with.
#[derive(Debug, Clone, Copy)]
pub enum Activity<'a> {
    /// A send, from its first overhead until it is complete at the sender.
    Send(&'a Flight),
    /// A receive, from when its message was there, with its operation.
    Receive(&'a Flight, Op),
    /// A computation.
    Compute(Rank, Op),
}

/// Is told of every activity when it ends.
pub trait Observer {
    /// An activity lasted from `start` to `end`.
    fn observe(&mut self, activity: Activity<'_>, start: Time, end: Time);
}

/// Nobody.
impl Observer for () {
    fn observe(&mut self, _: Activity<'_>, _: Time, _: Time) {}
}
