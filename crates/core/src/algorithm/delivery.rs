//! What each collective promises: how many pieces every rank hands in and gets back, and
//! which piece of which rank arrives where.
//!
//! A piece is what one rank has for one rank, or for all alike.

use super::Collective;
use crate::units::{Procs, Rank};

/// How many pieces every rank has memory for, be it the root or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pieces {
    /// Handed in.
    pub input: u32,
    /// Got back.
    pub output: u32,
}

/// A piece by its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Piece {
    /// The rank that hands it in.
    pub origin: Rank,
    /// Its number among the pieces of that rank.
    pub number: u32,
}

impl Collective {
    /// Whether one rank hands all pieces in, or gets them all back.
    pub fn has_root(self) -> bool {
        match self {
            Self::Bcast | Self::Scatter | Self::Gather => true,
            Self::Alltoall | Self::Allgather => false,
        }
    }

    /// The memory that it needs.
    pub fn pieces(self, procs: Procs) -> Pieces {
        let all = procs.get();
        let (input, output) = match self {
            Self::Bcast => (1, 1),
            Self::Scatter => (all, 1),
            Self::Gather | Self::Allgather => (1, all),
            Self::Alltoall => (all, all),
        };
        Pieces { input, output }
    }

    /// The pieces that `rank` has to hand in, as many as their numbers from 0.
    pub fn handed_in(self, procs: Procs, root: Rank, rank: Rank) -> u32 {
        match self {
            Self::Bcast | Self::Scatter if rank != root => 0,
            _ => self.pieces(procs).input,
        }
    }

    /// The pieces that `rank` ends with, in the order of its output. The root of a broadcast
    /// keeps its message where it was and ends with nothing new.
    pub fn expected(self, procs: Procs, root: Rank, rank: Rank) -> impl Iterator<Item = Piece> {
        let (origins, number) = match self {
            Self::Bcast if rank == root => (0..0, 0),
            Self::Bcast => (root.0..root.0 + 1, 0),
            Self::Scatter => (root.0..root.0 + 1, rank.0),
            Self::Gather if rank != root => (0..0, 0),
            Self::Gather | Self::Allgather => (0..procs.get(), 0),
            Self::Alltoall => (0..procs.get(), rank.0),
        };
        origins.map(move |origin| Piece {
            origin: Rank(origin),
            number,
        })
    }
}
