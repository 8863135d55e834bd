//! The collective operations of MPI.

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

use super::Sizes;

/// A collective operation of MPI. `MPI_Alltoallv` is three, by the sizes of its pieces.
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
    /// `MPI_Alltoallv` with the pieces of [`Sizes::Skewed`].
    AlltoallvSkewed,
    /// `MPI_Alltoallv` with the pieces of [`Sizes::Sparse`].
    AlltoallvSparse,
}

/// All collectives.
pub const COLLECTIVES: &[Collective] = Collective::VARIANTS;

impl Collective {
    /// The operation of MPI: `Alltoallv` whatever the sizes are.
    #[must_use]
    pub fn operation(self) -> Self {
        match self {
            Self::AlltoallvSkewed | Self::AlltoallvSparse => Self::Alltoallv,
            other => other,
        }
    }

    /// The collective whose algorithms it takes, those that suit its sizes.
    #[must_use]
    pub fn table(self) -> Self {
        match self.operation() {
            Self::Alltoallv => Self::Alltoall,
            other => other,
        }
    }

    /// Sizes of the pieces.
    pub fn sizes(self) -> Sizes {
        match self {
            Self::AlltoallvSkewed => Sizes::Skewed,
            Self::AlltoallvSparse => Sizes::Sparse,
            _ => Sizes::Equal,
        }
    }
}
