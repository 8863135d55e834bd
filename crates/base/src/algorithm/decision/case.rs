//! Calls for which a library decides, and the conditions of its rules on them.

use super::super::DOUBLE;
use super::super::reduction::elements_of_segment;
use crate::units::{Bytes, Procs};

/// Condition of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleCondition {
    PowerOfTwo,
    /// The operation commutes.
    Commutes,
    /// The operation does not commute.
    KeepsOrder,
    /// The operation is not predefined.
    UserDefined,
    Empty,
    /// At most so many bytes.
    AtMost(u64),
    /// Fewer bytes.
    Below(u64),
    /// Fewer elements than the largest power of two ≤ n.
    FewerElementsThanPower,
    FewerElementsThanRanks,
    /// Fewer elements than a segment for every rank has. Without segments the whole vector is one.
    FewerElementsThanSegments,
    /// More elements than a C integer counts.
    TooManyElements,
    /// The blocks of all ranks have the same length.
    EqualBlocks,
    /// The number of ranks is not a power of two.
    OtherCount,
}

/// Operation of a reduction, as libraries distinguish them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OperatorKind {
    /// Predefined in MPI, such as `MPI_SUM`. It commutes.
    #[default]
    Predefined,
    /// Made by the program; it commutes.
    Commutative,
    /// Made by the program; operands stay in the order of the ranks.
    InOrder,
}

/// A call for which a library decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionCase {
    /// Number of processes.
    pub procs: Procs,
    /// Size of the collective; of a reduction that of the whole vector.
    pub size: Bytes,
    /// Length of an element of a vector that is reduced.
    pub element: Bytes,
    /// Operation of a reduction.
    pub operator: OperatorKind,
    /// Segment size, if the library is told one; its rules set none.
    pub segment: Option<Bytes>,
}

impl DecisionCase {
    /// A call with a predefined operation on doubles, if it is a reduction.
    pub fn new(procs: Procs, size: Bytes) -> Self {
        Self {
            procs,
            size,
            element: DOUBLE,
            operator: OperatorKind::Predefined,
            segment: None,
        }
    }

    /// Number of elements of the vector.
    fn elements(self) -> u64 {
        self.size.0 / self.element.0.max(1)
    }

    /// Number of elements of a segment.
    fn segment_elements(self) -> u64 {
        let cut = self
            .segment
            .filter(|segment| (self.element..self.size).contains(segment));
        cut.map_or(self.elements(), |segment| elements_of_segment(self.element, segment))
    }
}

impl RuleCondition {
    pub(super) fn holds(self, case: DecisionCase) -> bool {
        let ranks = u64::from(case.procs.get());
        match self {
            Self::PowerOfTwo => ranks.is_power_of_two(),
            Self::Commutes => case.operator != OperatorKind::InOrder,
            Self::KeepsOrder => case.operator == OperatorKind::InOrder,
            Self::UserDefined => case.operator != OperatorKind::Predefined,
            Self::Empty => case.size == Bytes(0),
            Self::AtMost(size) => case.size.0 <= size,
            Self::Below(size) => case.size.0 < size,
            Self::FewerElementsThanPower => case.elements() < 1 << case.procs.floor_log2(),
            Self::FewerElementsThanRanks => case.elements() < ranks,
            Self::FewerElementsThanSegments => case.elements() < case.segment_elements().saturating_mul(ranks),
            Self::TooManyElements => i32::try_from(case.elements()).is_err(),
            Self::EqualBlocks => case.elements().is_multiple_of(ranks),
            Self::OtherCount => !Self::PowerOfTwo.holds(case),
        }
    }
}
