//! The table of algorithms: one entry each, one function that gives a rank's rounds.
//!
//! Help, documents, the executor, the tests and the benchmarks walk [`ALGORITHMS`];
//! adding an algorithm is one function and one line here. The root is rank 0 throughout.
//!
//! Reductions are not among them: a block of a schedule is some rank's data and stays what
//! it is, while a reduction makes new data of two blocks. They would need a further
//! operation of a round that combines, proofs over sets of data, and a check of results.

mod allgather;
mod alltoall;
mod bcast;
mod bruck;
mod delivery;
mod gather;
pub mod library;
mod method;
mod parameter;
mod scatter;
mod scatter_allgather;
mod tree;
mod two_phase;
mod unknown;

use std::fmt;
use std::num::NonZeroU32;
use std::ops::Range;
use std::str::FromStr;

use crate::schedule::{self, BlockCounts, Datum, Division, Extent, Round, ScheduleError};
use serde::{Deserialize, Serialize};

use crate::text::names::{name_of, variant_of};
use crate::units::{Bytes, Procs, Rank};

pub use delivery::{Piece, Pieces};
pub use library::{LibraryChoice, MpiFlavour, NotOffered};
pub use method::Method;
pub use parameter::Parameter;
pub use unknown::UnknownAlgorithm;

/// A collective operation of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
}

/// All collectives with their names in files and options.
pub const COLLECTIVES: [(Collective, &str); 5] = [
    (Collective::Bcast, "bcast"),
    (Collective::Scatter, "scatter"),
    (Collective::Gather, "gather"),
    (Collective::Alltoall, "alltoall"),
    (Collective::Allgather, "allgather"),
];

/// An entry of the table.
#[derive(Debug)]
pub struct Entry {
    /// The name in plans, data and options.
    pub name: &'static str,
    /// What it computes.
    pub collective: Collective,
    /// One line for people.
    pub summary: &'static str,
    /// What `name:VALUE` sets, for algorithms that have such a setting.
    pub parameter: Option<Parameter>,
    cut: Cut,
    outline: fn(Shape) -> Outline,
    round: fn(Shape, Rank, usize) -> Round,
    /// The rounds outside of which a rank has nothing to do.
    active: fn(Shape, Rank) -> Range<usize>,
}

/// What an algorithm divides a piece into.
#[derive(Debug, Clone, Copy)]
enum Cut {
    /// Nothing smaller.
    Whole,
    /// Segments of the size that is set.
    Segments,
    /// A part for each rank.
    Ranks,
    /// A part for each rank of the largest power of two.
    PowerOfTwo,
}

/// What a schedule depends on: all of a round but the rank and its number. The size of the
/// message matters by the number of parts alone.
#[derive(Debug, Clone, Copy)]
struct Shape {
    procs: Procs,
    parts: u32,
    parameter: Option<NonZeroU32>,
}

/// What an algorithm says of its schedule; its collective and cut tell the rest.
#[derive(Debug, Clone, Copy)]
struct Outline {
    rounds: usize,
    /// Blocks for data on their way to other ranks.
    scratch: u32,
    /// No message has more blocks.
    longest_message: u32,
}

/// Every algorithm, in the order in which help and reports list them.
pub static ALGORITHMS: [Entry; 30] = [
    bcast::FLAT,
    bcast::CHAIN,
    bcast::BINARY,
    bcast::BINOMIAL,
    bcast::KNOMIAL,
    bcast::FLAT_SEGMENTED,
    bcast::PIPELINE,
    bcast::BINARY_SEGMENTED,
    bcast::BINOMIAL_SEGMENTED,
    scatter_allgather::SCATTER_ALLGATHER,
    scatter_allgather::SCATTER_ALLGATHER_RING,
    scatter::FLAT,
    scatter::BINOMIAL,
    scatter::CHAIN,
    gather::FLAT,
    gather::BINOMIAL,
    gather::CHAIN,
    alltoall::DIRECT,
    alltoall::DIRECT_UNROTATED,
    alltoall::PAIRWISE,
    alltoall::PAIRWISE_SEGMENTED,
    alltoall::THROTTLED,
    alltoall::SENDS_IN_TURN,
    bruck::BRUCK,
    two_phase::TWO_PHASE,
    two_phase::TWO_PHASE_BALANCED,
    allgather::RING,
    allgather::RECURSIVE_DOUBLING,
    allgather::BRUCK,
    allgather::NEIGHBOUR,
];

/// An algorithm with its setting, such as `direct` or `throttled:4`.
#[derive(Debug, Clone, Copy)]
pub struct Algorithm {
    entry: &'static Entry,
    parameter: Option<NonZeroU32>,
}

/// An algorithm that was proved for a number of processes and of parts of a piece: the
/// right to run it.
#[derive(Debug, Clone, Copy)]
pub struct Proven {
    algorithm: Algorithm,
    shape: Shape,
}

impl Entry {
    /// How the algorithm is written: `direct`, or `throttled:WINDOW`.
    pub fn usage(&self) -> String {
        match self.parameter {
            None => self.name.to_owned(),
            Some(parameter) => format!("{}:{}", self.name, parameter.name),
        }
    }

    /// The algorithm with an ordinary setting, ready for a plan: `direct`, `throttled:2`.
    pub fn example(&self) -> String {
        match self.parameter {
            None => self.name.to_owned(),
            Some(parameter) => format!("{}:{}", self.name, parameter.example),
        }
    }
}

impl Shape {
    /// The value that is set, of an algorithm that has a parameter.
    fn setting(&self) -> u32 {
        let value = self.parameter.map(NonZeroU32::get);
        value.expect("an algorithm with a parameter is only read with its value")
    }
}

impl Outline {
    /// So many rounds of messages of one block, from and into the caller's arrays.
    fn without_relays(rounds: usize) -> Self {
        Self {
            rounds,
            scratch: 0,
            longest_message: 1,
        }
    }
}

impl Algorithm {
    /// The algorithm of `collective` written as `text`.
    ///
    /// # Errors
    /// If there is none of that name or its setting is not as [`Entry::usage`] says.
    pub fn parse(collective: Collective, text: &str) -> Result<Self, UnknownAlgorithm> {
        let (name, setting) = match text.split_once(':') {
            Some((name, setting)) => (name, Some(setting)),
            None => (text, None),
        };
        let entry = entries(collective)
            .find(|entry| entry.name == name)
            .ok_or_else(|| UnknownAlgorithm::name(collective, text))?;
        let wrong = || UnknownAlgorithm::Parameter {
            text: text.to_owned(),
            usage: entry.usage(),
        };
        let parameter = match (entry.parameter, setting) {
            (None, None) => None,
            (Some(parameter), Some(setting)) => Some(parameter.read(setting).ok_or_else(wrong)?),
            _ => return Err(wrong()),
        };
        Ok(Self { entry, parameter })
    }

    /// The collective it computes.
    pub fn collective(&self) -> Collective {
        self.entry.collective
    }

    /// Rounds, division, memory and longest message among `procs` for pieces of `size`.
    /// Counts beyond 2³² − 1 are given as that.
    pub fn extent(&self, procs: Procs, size: Bytes) -> Extent {
        let division = self.division(procs, size);
        self.extent_of(self.shape(procs, division), division)
    }

    /// What `rank` does in round `index` among `procs` for pieces of `size`.
    pub fn round(&self, procs: Procs, size: Bytes, rank: Rank, index: usize) -> Round {
        let shape = self.shape(procs, self.division(procs, size));
        (self.entry.round)(shape, rank, index)
    }

    /// The rounds outside of which `rank` has nothing to do. In a tree it is busy in the first
    /// and the last of them.
    pub fn active(&self, procs: Procs, size: Bytes, rank: Rank) -> Range<usize> {
        let shape = self.shape(procs, self.division(procs, size));
        (self.entry.active)(shape, rank)
    }

    fn division(&self, procs: Procs, size: Bytes) -> Division {
        match self.entry.cut {
            Cut::Whole => Division::whole(size),
            Cut::Ranks => Division::equal(size, procs.get()),
            Cut::PowerOfTwo => Division::equal(size, 1 << procs.floor_log2()),
            Cut::Segments => {
                let segment = self.parameter.map_or(0, NonZeroU32::get);
                Division::segments(size, Bytes(segment.into()))
            }
        }
    }

    fn shape(&self, procs: Procs, division: Division) -> Shape {
        Shape {
            procs,
            parts: division.parts(),
            parameter: self.parameter,
        }
    }

    fn extent_of(&self, shape: Shape, division: Division) -> Extent {
        let Outline {
            rounds,
            scratch,
            longest_message,
        } = (self.entry.outline)(shape);
        let Pieces { input, output } = self.collective().pieces(shape.procs);
        Extent {
            procs: shape.procs,
            rounds,
            division,
            blocks: BlockCounts {
                input: input.saturating_mul(shape.parts),
                output: output.saturating_mul(shape.parts),
                scratch,
            },
            longest_message,
        }
    }

    /// Proves the schedule for `procs` and pieces of `size`: every datum arrives, every rule
    /// is kept. Of the size, only the number of parts matters.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check(&self, procs: Procs, size: Bytes) -> Result<(), ScheduleError> {
        let extent = self.extent(procs, size);
        let parts = extent.division.parts();
        let blocks = |piece: Piece| {
            let first = piece.number * parts;
            (first..first + parts).map(move |block| Datum {
                origin: piece.origin,
                block,
            })
        };
        let pieces = |rank| self.collective().expected(procs, rank);
        let expected = |rank| pieces(rank).flat_map(blocks).collect();
        let round = |rank, index| self.round(procs, size, rank, index);
        schedule::check_delivery(extent, round, expected)
    }

    /// [`Algorithm::check`] with its success in hand. Takes time and memory that grow
    /// with the blocks of all ranks, for an all-to-all with the square of `procs`: well below
    /// a second and 100 MB among 1024.
    ///
    /// # Errors
    /// As there.
    pub fn prove(&self, procs: Procs, size: Bytes) -> Result<Proven, ScheduleError> {
        self.check(procs, size)?;
        Ok(Proven {
            algorithm: *self,
            shape: self.shape(procs, self.division(procs, size)),
        })
    }
}

impl Proven {
    /// Whether it is `algorithm` that was proved, for `procs` and for as many parts as
    /// pieces of `size` have.
    pub fn is_for(&self, algorithm: Algorithm, procs: Procs, size: Bytes) -> bool {
        (self.algorithm, self.shape.procs) == (algorithm, procs)
            && self.shape.parts == algorithm.division(procs, size).parts()
    }

    /// The number of rounds.
    pub fn rounds(&self) -> usize {
        (self.algorithm.entry.outline)(self.shape).rounds
    }

    /// What `rank` does in round `index`.
    pub fn round(&self, rank: Rank, index: usize) -> Round {
        (self.algorithm.entry.round)(self.shape, rank, index)
    }
}

fn entries(collective: Collective) -> impl Iterator<Item = &'static Entry> {
    ALGORITHMS
        .iter()
        .filter(move |entry| entry.collective == collective)
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        let names =
            (self.entry.collective, self.entry.name) == (other.entry.collective, other.entry.name);
        names && self.parameter == other.parameter
    }
}

impl Eq for Algorithm {}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        match self.parameter {
            Some(value) => write!(f, ":{value}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(self, &COLLECTIVES))
    }
}

impl FromStr for Collective {
    type Err = UnknownAlgorithm;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = variant_of(text, "a collective that netsig knows", &COLLECTIVES);
        found.map_err(UnknownAlgorithm::Collective)
    }
}

#[cfg(test)]
mod tests;
