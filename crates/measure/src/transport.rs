//! What a campaign needs of a network: run repetitions of a cell and say how long they
//! took. Over MPI every rank has a transport and they move in step; the simulated one is
//! alone. Rank 0 is the *recorder*: it alone sees what a repetition took as a whole, and it
//! alone decides how to go on.

use std::ops::Range;

use netsig_core::data::{LossCounters, Rejection};
use netsig_core::units::Seconds;

use crate::plan::Cell;

/// One repetition, as the recorder sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The times of the operation, one or, by [`Operation`](crate::plan::Operation), several;
    /// or why it does not count.
    pub outcome: Result<Vec<Seconds>, Rejection>,
    /// The time that it took to bring the ranks together before it.
    pub barrier: Seconds,
    /// What TCP lost meanwhile, summed over the hosts; unknown where several repetitions
    /// were read together and something was lost.
    pub losses: LossCounters,
    /// By how much the ranks' starts may have differed.
    pub sync_error: Option<Seconds>,
}

/// Something that can carry out cells.
pub trait Transport {
    /// Why a cell could not be carried out.
    type Error;

    /// Whether this is the rank that records and decides.
    fn is_recorder(&self) -> bool;

    /// A clock that never goes back, in seconds from any moment.
    fn now(&self) -> Seconds;

    /// Begins a cell and says whether this rank takes part in it; else it waits, asleep, until
    /// the others are done. All ranks enter a cell, in the same order.
    ///
    /// # Errors
    /// If the cell cannot be carried out here.
    fn enter(&mut self, cell: &Cell) -> Result<bool, Self::Error>;

    /// Carries out, on all participants of the entered cell, the repetitions with these
    /// numbers of `step`, one after the other: of the cell itself, or of one of the steps of
    /// which it consists. On the recorder gives one observation for each.
    ///
    /// # Errors
    /// If they fail. Data that arrive wrong are no error but a rejected repetition.
    fn repeat(&mut self, step: &Cell, numbers: Range<u32>)
    -> Result<Vec<Observation>, Self::Error>;

    /// Makes the recorder's `words` those of all participants of the entered cell.
    ///
    /// # Errors
    /// If they cannot be reached.
    fn agree(&mut self, words: &mut [u64]) -> Result<(), Self::Error>;

    /// Ends the cell that was entered; all ranks leave together.
    ///
    /// # Errors
    /// If the ranks cannot be brought together.
    fn leave(&mut self) -> Result<(), Self::Error>;
}
