//! Patterns of an algorithm: one, or for a library's own choice the patterns that its rules choose.

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY, LibraryDecision};
use netsig_base::units::{Bytes, Procs};

use super::TrafficPattern;

/// Patterns of an algorithm by case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlgorithmPatterns {
    /// Usual pattern; `None` if the regimes do not describe it.
    usual: Option<TrafficPattern>,
    /// Rules of the library, if it decides between patterns with parameters of their own.
    decision: Option<&'static LibraryDecision>,
}

impl AlgorithmPatterns {
    /// Patterns of an algorithm of the library called `mpi` in the provenance of data.
    pub fn of(collective: Collective, algorithm: &str, mpi: Option<&str>) -> Self {
        let library_mpi = mpi.filter(|_| algorithm == LIBRARY);
        let decided = library_mpi.and_then(|library| TrafficPattern::of_library(collective, library));
        // The trees of a broadcast and the steps of a reduction share their parameters: they have one pattern.
        let library_of_patterns = library_mpi.filter(|_| decided.is_none());
        Self {
            usual: decided.or_else(|| TrafficPattern::of(collective, algorithm)),
            decision: library_of_patterns.and_then(|library| LibraryDecision::of_version(library, collective)),
        }
    }

    /// Pattern of a case: the one that the rules take, else the usual one.
    pub fn at(&self, procs: Procs, size: Bytes) -> Option<TrafficPattern> {
        let decided_traffic = self.decision.and_then(|rules| rules.traffic(procs, size));
        let decided = decided_traffic.and_then(|traffic| TrafficPattern::of_traffic(traffic, None));
        decided.or(self.usual)
    }

    /// Every pattern.
    pub fn all(&self) -> Vec<TrafficPattern> {
        let traffics = self.decision.into_iter().flat_map(LibraryDecision::traffics);
        let decided = traffics.filter_map(|traffic| TrafficPattern::of_traffic(traffic, None));
        self.usual.into_iter().chain(decided).unique().collect()
    }
}
