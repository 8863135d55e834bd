//! Segments of a message, and the search for the best segment size.
//!
//! # Formula
//! A message of m bytes in segments of s bytes has k = ⌈m/s⌉ of them, at least one. The
//! last, partial segment costs as much as a whole one. s is a multiple of the datatype.
//!
//! # Search
//! The papers name two steps and leave their details open; netsig fixes them:
//!
//! 1. `pow2`: s = m/2ⁱ for i = 0 … ⌊log2 m⌋, rounded down to a multiple of the datatype, at
//!    least one datatype. The least cost wins; among equal costs, the larger s.
//! 2. `hill`: starts from that s with a step of s/2. The better of s − step and s + step within
//!    [datatype, m] replaces s if its cost is less, among equal costs the smaller; if neither
//!    cost is less, the step is halved, down to one datatype. Steps are multiples of the
//!    datatype, at least one datatype.
//! 3. `exhaustive`: every multiple of the datatype up to m; among equal costs, the larger. It
//!    takes m/datatype evaluations.
//!
//! The cost jumps with k, so that hill climbing may end in a local optimum; the least costs
//! satisfy exhaustive ≤ hill ≤ pow2.
//!
//! # Domain
//! m ≥ 0. A datatype larger than m makes one segment of one datatype.
//!
//! # Source
//! Barchet-Steffenel and Mounié 2005 (`RenPar`) §3, after Kielmann, Bal, Gorlatch, Verstoep,
//! Hofman 2001.

use std::num::NonZeroU64;
use std::str::FromStr;

use netsig_base::algorithm::LONGEST_SEGMENT;
use netsig_base::text::names::variant_of;
use netsig_base::units::parameter::ParameterError;
use netsig_base::units::{Bytes, Seconds};

/// The size of a segment, or of a datatype, which is the smallest segment: at least one byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment(NonZeroU64);

impl Segment {
    /// One byte: the datatype that any segment is a multiple of.
    pub const BYTE: Self = Self(NonZeroU64::MIN);

    /// A segment of `size` bytes.
    ///
    /// # Errors
    /// If it is empty.
    pub fn new(size: Bytes) -> Result<Self, ParameterError> {
        NonZeroU64::new(size.0)
            .map(Self)
            .ok_or_else(|| ParameterError::new("segment", 0, "at least one byte"))
    }

    /// Segment size s.
    pub fn bytes(self) -> Bytes {
        Bytes(self.0.get())
    }

    /// k = ⌈m/s⌉, the number of segments of a message of `size` bytes; at least one.
    pub fn count(self, size: Bytes) -> u64 {
        size.0.div_ceil(self.0.get()).max(1)
    }
}

/// Method of the search for the best segment size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SegmentSearch {
    /// The message halved again and again.
    PowersOfTwo,
    /// The neighbourhood of the best power of two (the default).
    #[default]
    HillClimbing,
    /// Every multiple of the datatype.
    Exhaustive,
}

/// All searches with their names.
pub const SEGMENT_SEARCHES: [(SegmentSearch, &str); 3] = [
    (SegmentSearch::PowersOfTwo, "pow2"),
    (SegmentSearch::HillClimbing, "hill"),
    (SegmentSearch::Exhaustive, "exhaustive"),
];

/// Result of a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestSegment {
    /// Best segment size s.
    pub segment: Segment,
    /// Cost of the whole message with this segment size.
    pub time: Seconds,
}

/// Finds the segment size with the least `cost` for a message of `size` bytes, among the multiples of `datatype`. The
/// search begins with the whole message, or with the greatest of its halves, quarters, … that MPI can count.
pub fn find_best_segment(
    search: SegmentSearch,
    size: Bytes,
    datatype: Segment,
    cost: impl Fn(Segment) -> Seconds,
) -> BestSegment {
    let mut parts = std::iter::successors(Some(size.0), |bytes| Some(bytes / 2));
    let longest = parts.find(|&bytes| bytes <= LONGEST_SEGMENT.into());
    let cost_function = SegmentCostFunction {
        datatype,
        most_units: (longest.unwrap_or_default() / datatype.0).max(1),
        cost,
    };
    let best = match search {
        SegmentSearch::PowersOfTwo => cost_function.best_half(),
        SegmentSearch::HillClimbing => cost_function.climb(cost_function.best_half()),
        SegmentSearch::Exhaustive => cost_function.best_of((1..=cost_function.most_units).rev()),
    };
    BestSegment {
        segment: cost_function.segment(best.units),
        time: best.time,
    }
}

/// Cost of a message as a function of its segment size, counted in datatypes.
struct SegmentCostFunction<F> {
    datatype: Segment,
    /// Number of datatypes in the message, at least one.
    most_units: u64,
    cost: F,
}

/// A segment size and its cost.
#[derive(Clone, Copy)]
struct CostedSegment {
    units: u64,
    time: Seconds,
}

impl<F: Fn(Segment) -> Seconds> SegmentCostFunction<F> {
    fn segment(&self, units: u64) -> Segment {
        let bytes = NonZeroU64::new(units * self.datatype.0.get());
        Segment(bytes.expect("1 ≤ units ≤ most, which are no more bytes than the message"))
    }

    fn cost_at(&self, units: u64) -> CostedSegment {
        let time = (self.cost)(self.segment(units));
        CostedSegment { units, time }
    }

    /// The best of m/2ⁱ. Halving the number of datatypes rounds m/2ⁱ down to whole datatypes.
    fn best_half(&self) -> CostedSegment {
        self.best_of((0..=self.most_units.ilog2()).map(|i| self.most_units >> i))
    }

    /// The first of the least costs among `all`, which begins with the whole message.
    fn best_of(&self, all: impl Iterator<Item = u64>) -> CostedSegment {
        let start = self.cost_at(self.most_units);
        all.skip(1).fold(start, |best, units| self.better(best, units))
    }

    /// The local optimum near `here`.
    fn climb(&self, mut here: CostedSegment) -> CostedSegment {
        let mut step = (here.units / 2).max(1);
        while step > 0 {
            let mut best = here;
            if step < here.units {
                best = self.better(best, here.units - step);
            }
            if step <= self.most_units - here.units {
                best = self.better(best, here.units + step);
            }
            if best.units == here.units {
                step /= 2;
            }
            here = best;
        }
        here
    }

    /// `best`, unless the cost at `units` is less.
    fn better(&self, best: CostedSegment, units: u64) -> CostedSegment {
        let candidate = self.cost_at(units);
        if candidate.time < best.time { candidate } else { best }
    }
}

impl FromStr for SegmentSearch {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        variant_of(text, "a search for the segment", &SEGMENT_SEARCHES)
    }
}
