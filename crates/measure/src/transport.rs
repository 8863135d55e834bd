//! What a campaign needs of a network: run one repetition of a cell and say how long it
//! took. Over MPI every rank has one and they move in step; the simulated one is alone.

use netsig_core::dataset::LossCounters;
use netsig_core::units::Seconds;

use crate::plan::Cell;

/// One repetition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The time of the operation: for a collective the maximum over the ranks.
    pub time: Seconds,
    /// The time spent in the barrier before it.
    pub barrier: Seconds,
    /// What TCP lost meanwhile, summed over the hosts.
    pub losses: LossCounters,
}

/// Something that can carry out cells.
pub trait Transport {
    /// Why a repetition could not be carried out, or delivered wrong data.
    type Error;

    /// Prepares for the repetitions of a cell and says whether this rank takes part.
    ///
    /// # Errors
    /// If the cell cannot be carried out here.
    fn enter(&mut self, cell: &Cell) -> Result<Role, Self::Error>;

    /// Carries out one repetition. `number` counts warm-ups too.
    ///
    /// # Errors
    /// If it fails or the received data are wrong.
    fn repeat(&mut self, cell: &Cell, number: u32) -> Result<Observation, Self::Error>;

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
