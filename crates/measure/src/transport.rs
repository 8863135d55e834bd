//! The interface of a campaign to a network: runs repetitions of a cell and returns their times.
//! Over MPI every rank has a transport and calls it in the same order; the simulated transport has
//! one rank. Rank 0 is the *recorder*: it alone receives the times of a repetition, and it alone
//! decides the next step.

use std::ops::Range;

use netsig_base::data::{LossCounters, RejectionReason};
use netsig_base::units::Seconds;

use crate::plan::PlanCell;

/// One repetition, as the recorder sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRepetition {
    /// The times of the operation, one or several depending on
    /// [`TimedOperation`](crate::plan::TimedOperation), or the reason for rejecting the repetition.
    pub outcome: Result<Vec<Seconds>, RejectionReason>,
    /// Time of the barrier before the repetition.
    pub barrier: Seconds,
    /// TCP losses during the repetition, summed over the hosts; unknown if several repetitions
    /// share one reading and a loss occurred.
    pub losses: LossCounters,
    /// Largest possible difference between the ranks' starts.
    pub sync_error: Option<Seconds>,
}

/// Carries out the cells of a plan.
pub trait Transport {
    /// The reason why a cell could not be carried out.
    type Error;

    /// True on the rank that records and decides.
    fn is_recorder(&self) -> bool;

    /// A monotonic clock, in seconds since an arbitrary time.
    fn now(&self) -> Seconds;

    /// Begins a cell and returns true if this rank takes part in it; otherwise this rank sleeps in `leave` until the
    /// participants are done. All ranks enter all cells in the same order.
    ///
    /// # Errors
    /// If the cell cannot be carried out here.
    fn enter(&mut self, cell: &PlanCell) -> Result<bool, Self::Error>;

    /// Carries out the repetitions `numbers` of `step`, the cell itself or one of its steps, on all
    /// participants of the entered cell. On the recorder, returns one observation for each
    /// repetition.
    ///
    /// # Errors
    /// If the repetitions fail. Wrong data are no error but a rejected repetition.
    fn repeat(&mut self, step: &PlanCell, numbers: Range<u32>) -> Result<Vec<MeasuredRepetition>, Self::Error>;

    /// Broadcasts the recorder's `words` to all participants of the entered cell.
    ///
    /// # Errors
    /// If the participants cannot be reached.
    fn broadcast_words(&mut self, words: &mut [u64]) -> Result<(), Self::Error>;

    /// Ends the entered cell; all ranks leave together.
    ///
    /// # Errors
    /// If the ranks cannot synchronise.
    fn leave(&mut self) -> Result<(), Self::Error>;
}
