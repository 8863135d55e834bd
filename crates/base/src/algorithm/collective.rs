//! The collective operations of MPI.

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

use super::SizePattern;
use crate::units::{Bytes, Procs};

/// A collective operation of MPI. `MPI_Alltoallv` counts as three, one for each pattern of sizes.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Collective {
    /// `MPI_Bcast`: the root's piece reaches every rank.
    Bcast,
    /// `MPI_Scatter`: piece `i` of the root reaches rank `i`.
    Scatter,
    /// `MPI_Gather`: the piece of rank `i` becomes piece `i` of the root.
    Gather,
    /// `MPI_Alltoall`: piece `j` of rank `i` becomes piece `i` of rank `j`.
    Alltoall,
    /// `MPI_Allgather`: the piece of rank `i` becomes piece `i` of every rank.
    Allgather,
    /// `MPI_Alltoallv` with pieces of one size.
    Alltoallv,
    /// `MPI_Alltoallv` with the pieces of [`SizePattern::Skewed`].
    AlltoallvSkewed,
    /// `MPI_Alltoallv` with the pieces of [`SizePattern::Sparse`].
    AlltoallvSparse,
    /// `MPI_Reduce`: the vectors of all ranks, combined element by element, reach the root.
    Reduce,
    /// `MPI_Allreduce`: the combined vector reaches every rank.
    Allreduce,
    /// `MPI_Reduce_scatter`: block `i` of the combined vector reaches rank `i`. Of c elements the first c mod n blocks
    /// have one more than the others.
    #[serde(alias = "reduce_scatter")]
    ReduceScatter,
    /// `MPI_Reduce_scatter_block`: as `ReduceScatter`, with blocks of one length.
    #[serde(alias = "reduce_scatter_block")]
    ReduceScatterBlock,
    /// `MPI_Barrier`: no rank leaves before all have come.
    Barrier,
}

/// All collectives.
pub const COLLECTIVES: &[Collective] = Collective::VARIANTS;

impl Collective {
    /// The operation of MPI: `Alltoallv` for all patterns of sizes.
    #[must_use]
    pub fn operation(self) -> Self {
        match self {
            Self::AlltoallvSkewed | Self::AlltoallvSparse => Self::Alltoallv,
            other => other,
        }
    }

    /// The collective whose table entries it uses: `Alltoall` for `Alltoallv`, if they serve pieces of different
    /// sizes.
    #[must_use]
    pub fn table_collective(self) -> Self {
        match self.operation() {
            Self::Alltoallv => Self::Alltoall,
            other => other,
        }
    }

    /// True if it combines the vectors of all ranks. Its size is that of the whole vector.
    pub fn is_reduction(self) -> bool {
        matches!(
            self,
            Self::Reduce | Self::Allreduce | Self::ReduceScatter | Self::ReduceScatterBlock
        )
    }

    /// True if it moves or combines data; the size of a barrier is 0.
    pub fn has_data(self) -> bool {
        self != Self::Barrier
    }

    /// The length of which its sizes are multiples: an element of a vector that is reduced, for equal blocks one in
    /// each block.
    pub fn size_unit(self, procs: Procs, element: Bytes) -> Bytes {
        match self {
            Self::ReduceScatterBlock => Bytes(element.0 * u64::from(procs.get())),
            _ if self.is_reduction() => element,
            _ => Bytes(1),
        }
    }

    /// Pattern of the sizes of its pieces.
    pub fn size_pattern(self) -> SizePattern {
        match self {
            Self::AlltoallvSkewed => SizePattern::Skewed,
            Self::AlltoallvSparse => SizePattern::Sparse,
            _ => SizePattern::Equal,
        }
    }
}
