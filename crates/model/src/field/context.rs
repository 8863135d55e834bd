//! Inputs of a fit of the field beside the measured times.

use netsig_base::network::Network;
use netsig_base::units::{Bytes, Seconds};

use super::contention_free::{FieldLibrary, FieldWire};
use super::kernel::FieldPrior;

/// Library, hosts, links and prior for a fit of the field.
#[derive(Debug, Clone)]
pub struct FieldContext<'a> {
    /// Name of the MPI library; its rules determine the algorithm that it takes by default.
    pub mpi: Option<&'a str>,
    /// Length of an element of a vector that is reduced.
    pub element: Bytes,
    /// Ranks on a host.
    pub per_host: u32,
    /// Network with its links, if known.
    pub network: Option<&'a Network>,
    /// Prior of the hyperparameters.
    pub prior: FieldPrior,
    /// Confidence level of the intervals.
    pub confidence: f64,
    /// Times between two processes, if measured; γ is then relative to them.
    pub point_to_point: Option<FieldPointToPoint>,
}

impl FieldContext<'_> {
    /// The library that ran the algorithm.
    pub(super) fn library(&self) -> FieldLibrary<'_> {
        FieldLibrary {
            mpi: self.mpi,
            element: self.element,
        }
    }
}

/// Times between two processes.
#[derive(Debug, Clone)]
pub struct FieldPointToPoint {
    /// α.
    pub startup: Seconds,
    /// Times of bytes.
    pub wire: FieldWire,
}

impl FieldPointToPoint {
    /// Bytes that take as long as a start-up.
    pub(super) fn balance(&self) -> f64 {
        (self.startup.0 / self.wire.wire.beta().0).max(1.0)
    }
}
