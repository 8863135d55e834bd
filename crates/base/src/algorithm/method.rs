//! The two ways to run a collective: the MPI library's call or one of netsig's schedules.

use super::library::{LIBRARY, LibraryChoice};
use super::offer::NON_COMMUTATIVE;
use super::traffic::AlgorithmTraffic;
use super::{Algorithm, Collective, UnknownAlgorithm};
use crate::units::{Bytes, Procs};

/// Way to run a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, derive_more::Display)]
pub enum CollectiveMethod {
    /// The MPI library's own call.
    Library(LibraryChoice),
    /// netsig's schedule.
    Schedule(Algorithm),
}

impl CollectiveMethod {
    /// The method of `collective` written as `text`: `library`, `library:NAME`,
    /// `library:NAME:SEGMENT` or an algorithm.
    ///
    /// # Errors
    /// The errors of [`Algorithm::parse`]. Also, if no library has an algorithm of that name, or none of that name
    /// accepts the segment size.
    pub fn parse(collective: Collective, text: &str) -> Result<Self, UnknownAlgorithm> {
        match LibraryChoice::parse(collective, text)? {
            Some(choice) => Ok(Self::Library(choice)),
            None => Algorithm::parse(collective, text)
                .map(Self::Schedule)
                .map_err(or_library),
        }
    }

    /// `text` in the form that measurements write, if it is a method: `bruck:radix=2` becomes
    /// `bruck:2`, and `pipeline:8KiB` becomes `pipeline:8192`.
    pub fn canonical(collective: Collective, text: &str) -> String {
        let method = Self::parse(collective, text);
        method.map_or_else(|_| text.to_owned(), |method| method.to_string())
    }

    /// Traffic of the messages; `None` where the contention regimes do not describe it. A choice of
    /// the MPI library counts as its usual one.
    pub fn traffic(&self) -> Option<AlgorithmTraffic> {
        match self {
            Self::Library(choice) => choice.traffic(),
            Self::Schedule(algorithm) => algorithm.traffic(),
        }
    }

    /// True if its schedule depends on the links between the switches.
    pub fn follows_links(&self) -> bool {
        self.traffic() == Some(AlgorithmTraffic::Phases)
    }

    /// True if its schedule depends on the clusters of the ranks.
    pub fn follows_clusters(&self) -> bool {
        self.traffic() == Some(AlgorithmTraffic::Clusters)
    }

    /// netsig's algorithm, if the method is a schedule.
    pub fn algorithm(&self) -> Option<&Algorithm> {
        match self {
            Self::Library(_) => None,
            Self::Schedule(algorithm) => Some(algorithm),
        }
    }

    /// Base of the numbers that order the ranks, if it has one.
    pub fn radix(&self) -> Option<u32> {
        match self {
            Self::Library(choice) => choice.radix(),
            Self::Schedule(algorithm) => algorithm.radix(),
        }
    }

    /// The length of which its sizes are multiples among `procs` ([`Collective::size_unit`]). The algorithm of MPICH that
    /// keeps the order of operands ends the job unless all blocks have one length.
    pub fn size_unit(&self, collective: Collective, procs: Procs, element: Bytes) -> Bytes {
        let has_equal_blocks =
            matches!(self, Self::Library(choice) if choice.forced_name() == Some(NON_COMMUTATIVE.name));
        let of_blocks = has_equal_blocks && collective == Collective::ReduceScatter;
        let stricter = if of_blocks {
            Collective::ReduceScatterBlock
        } else {
            collective
        };
        stricter.size_unit(procs, element)
    }

    /// Segment size, if set.
    pub fn segment(&self) -> Option<Bytes> {
        match self {
            Self::Library(choice) => choice.segment(),
            Self::Schedule(algorithm) => algorithm.segment(),
        }
    }
}

/// Adds `library` to the names that an error lists.
fn or_library(mut error: UnknownAlgorithm) -> UnknownAlgorithm {
    if let UnknownAlgorithm::Name { known, .. } = &mut error {
        *known = format!("{LIBRARY}, {known}");
    }
    error
}
