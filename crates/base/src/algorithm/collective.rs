//! The collective operations of MPI.

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

use super::SizePattern;

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

    /// Pattern of the sizes of its pieces.
    pub fn size_pattern(self) -> SizePattern {
        match self {
            Self::AlltoallvSkewed => SizePattern::Skewed,
            Self::AlltoallvSparse => SizePattern::Sparse,
            _ => SizePattern::Equal,
        }
    }
}
