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
    /// How it came out.
    pub outcome: Outcome,
    /// The time that it took to bring the ranks together before it.
    pub barrier: Seconds,
    /// What TCP lost meanwhile, summed over the hosts; unknown where several repetitions
    /// were read together and something was lost.
    pub losses: LossCounters,
    /// By how much the ranks' starts may have differed.
    pub sync_error: Option<Seconds>,
}

/// How a repetition came out.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The times of the operation, one or, by [`Operation`](crate::plan::Operation), several.
    Times(Vec<Seconds>),
    /// It does not count.
    Rejected(Rejection),
}

/// Something that can carry out cells.
pub trait Transport {
    /// Why a cell could not be carried out.
    type Error;

    /// Whether this is the rank that records and decides.
    fn is_recorder(&self) -> bool;

    /// A clock that never goes back, in seconds from any moment.
    fn now(&self) -> Seconds;

    /// Begins a cell with those that take part in it and says whether this rank does. All
    /// ranks enter a cell, in the same order.
    ///
    /// # Errors
    /// If the cell cannot be carried out here.
    fn enter(&mut self, cell: &Cell) -> Result<Role, Self::Error>;

    /// Prepares, on all participants of the entered cell, for repetitions of `step`: the
    /// cell itself, or one of the steps of which it consists.
    ///
    /// # Errors
    /// If the step cannot be carried out here.
    fn prepare(&mut self, step: &Cell) -> Result<(), Self::Error>;

    /// Carries out the repetitions with these numbers of what was prepared, one after the
    /// other. On the recorder appends one observation for each to `seen`.
    ///
    /// # Errors
    /// If they fail. Data that arrive wrong are no error but a rejected repetition.
    fn repeat(
        &mut self,
        step: &Cell,
        numbers: Range<u32>,
        seen: &mut Vec<Observation>,
    ) -> Result<(), Self::Error>;

    /// Makes the recorder's `words` those of all participants of the entered cell.
    ///
    /// # Errors
    /// If they cannot be reached.
    fn agree(&mut self, words: &mut [u64]) -> Result<(), Self::Error>;

    /// Ends a cell; all ranks leave together.
    ///
    /// # Errors
    /// If the ranks cannot be brought together.
    fn leave(&mut self, cell: &Cell) -> Result<(), Self::Error>;
}

/// Whether a rank takes part in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It carries out the repetitions.
    Participant,
    /// It waits, asleep, until the others are done.
    Idle,
}
