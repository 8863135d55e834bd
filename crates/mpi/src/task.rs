//! What a rank repeats, whatever it is, and which times it contributes.

use mpi::topology::SimpleCommunicator;
use netsig_core::units::Seconds;

use crate::pattern::Fault;

/// A step that is ready to be repeated.
pub trait Task {
    /// Whether the time counts from a start that all ranks have in common; else rank 0 alone
    /// times it.
    fn has_common_start(&self) -> bool;

    /// How many times a repetition gives.
    fn width(&self) -> usize;

    /// Writes what this rank sends.
    fn fill(&mut self, repetition: u32);

    /// Carries it out on `comm`, whose ranks are those of the cell.
    fn run(&mut self, comm: &SimpleCommunicator);

    /// Checks what this rank received.
    ///
    /// # Errors
    /// The first byte that is not what was sent in this repetition.
    fn verify(&self, repetition: u32) -> Result<(), Fault>;

    /// Writes this rank's times of a repetition that took it `elapsed`. The greatest of all
    /// ranks' stand for the repetition: where this rank has none, it writes nothing over the
    /// zeros.
    fn times(&self, elapsed: Seconds, times: &mut [f64]);
}
