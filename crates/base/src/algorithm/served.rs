//! The calls that an algorithm of an MPI library serves.

/// Process counts that an algorithm of a library serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ServedCounts {
    /// All.
    Every,
    /// Some: for other counts the library runs another algorithm, or fails.
    Restricted,
}

/// Operations of reductions for which an algorithm of a library gives the right result. The greater value has fewer
/// operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ServedOperations {
    /// All. The algorithm keeps the order of the ranks, hands other operations on to one that does, or calls the reduce of
    /// the communicator.
    #[default]
    Every,
    /// Those that commute. If the algorithm is named, the library runs it for others without asking, or nothing is known of
    /// that.
    Commutative,
    /// Those that MPI defines.
    Predefined,
}
