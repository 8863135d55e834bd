//! Arguments of a schedule: number of ranks, size of the pieces, root, and location of the ranks.

use std::sync::Arc;

use super::{AlltoallPhases, ClusterLayout, Collective, PairSizes};
use crate::units::{Bytes, Procs, Rank};

/// A call of a collective.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectiveCall {
    /// Number of ranks.
    pub procs: Procs,
    /// Length of a piece, of the whole vector of a reduction, or the mean length of pieces that differ by the
    /// collective's own formula.
    pub size: Bytes,
    /// Root of a collective that has one.
    pub root: Rank,
    /// Clusters of the ranks, if known.
    pub layout: Option<ClusterLayout>,
    /// Lengths of pieces that differ; they replace `size`.
    pub pair_sizes: Option<Arc<PairSizes>>,
    /// Phases that fit the links between the switches, if these are known.
    pub phases: Option<Arc<AlltoallPhases>>,
    /// Length of an element of a vector that is reduced; blocks consist of whole elements.
    pub element: Bytes,
}

/// Length of an element if nothing else is said: a double.
pub const DOUBLE: Bytes = Bytes(8);

/// Reason why an algorithm cannot serve a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedCall {
    /// The root is not among the ranks.
    #[error("root {root} is not a rank; write 0 to {}", procs.get() - 1)]
    NoSuchRoot {
        /// The given root.
        root: Rank,
        /// Number of ranks.
        procs: Procs,
    },
    /// The collective has no root.
    #[error("{collective} has no root; leave it out")]
    Rootless {
        /// The collective.
        collective: Collective,
    },
    /// The layout or the sizes are for another number of ranks.
    #[error("the {of} of {given} ranks cannot be used among {procs}; give one for each rank")]
    OtherCount {
        /// Name of the argument.
        of: &'static str,
        /// Number of ranks in the argument.
        given: usize,
        /// Number of ranks in the call.
        procs: Procs,
    },
    /// The algorithm cuts or relays pieces and needs them all of one size.
    #[error(
        "{algorithm} needs all pieces of one size; choose an algorithm that sends each straight to its destination, such as {example}"
    )]
    SizesDiffer {
        /// The algorithm.
        algorithm: String,
        /// An algorithm that serves pieces of different sizes.
        example: &'static str,
    },
    /// The vector of a reduction does not consist of whole elements, or not of n equal blocks of them.
    #[error(
        "{collective} of {size} among {procs} has no whole number of elements of {element}{}; give a multiple of {} bytes",
        if element == unit { "" } else { " in each block" }, unit.0
    )]
    BrokenElements {
        /// The collective.
        collective: Collective,
        /// Size of the whole vector.
        size: Bytes,
        /// Number of ranks.
        procs: Procs,
        /// Length of an element.
        element: Bytes,
        /// Length of which the size must be a multiple.
        unit: Bytes,
    },
    /// A barrier was given data.
    #[error("a barrier has no data, and the size is {size}; leave the size out, or give 0")]
    BarrierWithData {
        /// The given size.
        size: Bytes,
    },
}

impl CollectiveCall {
    /// A call among `procs` for pieces of `size`, with root 0.
    pub fn new(procs: Procs, size: Bytes) -> Self {
        Self {
            procs,
            size,
            root: Rank(0),
            layout: None,
            pair_sizes: None,
            phases: None,
            element: DOUBLE,
        }
    }

    /// Checks the size for `collective`. The vector of a reduction consists of whole elements; for blocks of one length
    /// their number is a multiple of n. A barrier has no data.
    ///
    /// # Errors
    /// If the size is another.
    pub fn check_size(&self, collective: Collective) -> Result<(), UnsupportedCall> {
        let Self {
            procs, size, element, ..
        } = *self;
        if collective == Collective::Barrier && size > Bytes(0) {
            return Err(UnsupportedCall::BarrierWithData { size });
        }
        let unit = collective.size_unit(procs, element);
        if size.0.is_multiple_of(unit.0) {
            return Ok(());
        }
        Err(UnsupportedCall::BrokenElements {
            collective,
            size,
            procs,
            element,
            unit,
        })
    }

    /// A call for pieces that differ in size; `size` is the largest.
    pub fn of_pairs(pairs: PairSizes) -> Self {
        let equal = Self::new(pairs.procs(), pairs.largest());
        Self {
            pair_sizes: Some(Arc::new(pairs)),
            ..equal
        }
    }
}
