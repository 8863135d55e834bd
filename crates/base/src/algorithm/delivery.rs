//! Result that each collective must deliver: number of pieces in the input and output of every
//! rank, and the destination of each piece.
//!
//! A piece is the data of one rank for one rank, or for all ranks alike. In a reduction it is the whole vector.

use std::ops::Range;

use super::Collective;
use crate::units::{Procs, Rank};

/// Number of pieces for which every rank, root or not, has memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceCounts {
    /// Pieces in the input.
    pub input: u32,
    /// Pieces in the output.
    pub output: u32,
}

/// A piece by its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PieceId {
    /// Rank that supplies the piece.
    pub origin: Rank,
    /// Number of the piece among those of the origin.
    pub number: u32,
}

impl Collective {
    /// True if one rank supplies all pieces, or receives all of them.
    pub fn has_root(self) -> bool {
        matches!(self, Self::Bcast | Self::Scatter | Self::Gather | Self::Reduce)
    }

    /// Number of pieces that a rank needs memory for.
    pub fn piece_counts(self, procs: Procs) -> PieceCounts {
        let all = procs.get();
        let (input, output) = match self {
            Self::Barrier => (0, 0),
            Self::Bcast | Self::Reduce | Self::Allreduce | Self::ReduceScatter | Self::ReduceScatterBlock => (1, 1),
            Self::Scatter => (all, 1),
            Self::Gather | Self::Allgather => (1, all),
            Self::Alltoall | Self::Alltoallv | Self::AlltoallvSkewed | Self::AlltoallvSparse => (all, all),
        };
        PieceCounts { input, output }
    }

    /// Number of pieces that `rank` supplies, numbered from 0.
    pub fn supplied_pieces(self, procs: Procs, root: Rank, rank: Rank) -> u32 {
        match self {
            Self::Bcast | Self::Scatter if rank != root => 0,
            _ => self.piece_counts(procs).input,
        }
    }

    /// Pieces that `rank` ends with, in the order of its output. The root of a broadcast keeps its
    /// message in the input and ends with nothing new. A reduction delivers no piece as it was.
    pub fn expected_pieces(self, procs: Procs, root: Rank, rank: Rank) -> impl Iterator<Item = PieceId> {
        let (origins, number) = match self {
            Self::Bcast if rank == root => (0..0, 0),
            Self::Bcast => (root.0..root.0 + 1, 0),
            Self::Scatter => (root.0..root.0 + 1, rank.0),
            Self::Gather if rank != root => (0..0, 0),
            Self::Gather | Self::Allgather => (0..procs.get(), 0),
            Self::Alltoall | Self::Alltoallv | Self::AlltoallvSkewed | Self::AlltoallvSparse => {
                (0..procs.get(), rank.0)
            }
            Self::Reduce | Self::Allreduce | Self::ReduceScatter | Self::ReduceScatterBlock | Self::Barrier => {
                (0..0, 0)
            }
        };
        origins.map(move |origin| PieceId {
            origin: Rank(origin),
            number,
        })
    }

    /// Parts of the combined vector that `rank` ends with, for a vector in `parts` parts. Those of a reduction
    /// that scatters are the parts of the rank's block.
    pub fn reduced_parts(self, procs: Procs, root: Rank, rank: Rank, parts: u32) -> Range<u32> {
        match self {
            Self::Reduce if rank == root => 0..parts,
            Self::Allreduce => 0..parts,
            Self::ReduceScatter | Self::ReduceScatterBlock => {
                let block = parts / procs.get();
                rank.0 * block..(rank.0 + 1) * block
            }
            _ => 0..0,
        }
    }
}
