//! The interface of a step that a rank repeats.

use mpi::topology::SimpleCommunicator;
use netsig_base::units::Seconds;

use crate::pattern::DataFault;

/// A step, ready to be repeated.
pub trait StepTask {
    /// True if the time counts from a common start of all ranks; otherwise only rank 0 measures.
    fn has_common_start(&self) -> bool;

    /// Number of times of a repetition.
    fn time_count(&self) -> usize;

    /// Fills the data that this rank sends.
    fn fill(&mut self, repetition: u32);

    /// Carries out one repetition on `comm`, which has the ranks of the cell.
    fn run(&mut self, comm: &SimpleCommunicator);

    /// Checks the data that this rank received.
    ///
    /// # Errors
    /// The first byte that differs from the data sent in this repetition.
    fn verify(&self, repetition: u32) -> Result<(), DataFault>;

    /// Writes this rank's times of a repetition of duration `elapsed`. The result is the maximum
    /// over all ranks: a rank without a time leaves the zero.
    fn times(&self, elapsed: Seconds, times: &mut [f64]);
}
