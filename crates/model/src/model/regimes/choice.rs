//! Patterns of an algorithm: one, or for the library's own choice those of its rules.

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, Decision, LIBRARY, MpiFlavour};
use netsig_base::units::{Bytes, Procs};

use super::Pattern;

/// Patterns of an algorithm by case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patterns {
    /// Usual pattern; `None` if the regimes do not describe it.
    usual: Option<Pattern>,
    /// Rules of the library, if it decides between patterns with parameters of their own.
    decision: Option<Decision>,
}

impl Patterns {
    /// Patterns of an algorithm of the library called `mpi` in the provenance of data.
    pub fn of(collective: Collective, algorithm: &str, mpi: Option<&str>) -> Self {
        let mpi = mpi.filter(|_| algorithm == LIBRARY);
        let flavour = mpi.and_then(MpiFlavour::of);
        let decided = mpi.and_then(|own| Pattern::decided(collective, own));
        // The trees of a broadcast share their parameters; rules not known here have one pattern.
        let apart = flavour.filter(|_| collective != Collective::Bcast);
        Self {
            usual: decided.or_else(|| Pattern::of(collective, algorithm)),
            decision: apart.and_then(|own| Decision::of(own, collective)),
        }
    }

    /// Pattern of a case: the one that the rules take, else the usual one.
    pub fn at(&self, procs: Procs, size: Bytes) -> Option<Pattern> {
        let decision = self.decision.as_ref();
        let decided = decision.and_then(|own| own.traffic(procs, size));
        let decided = decided.and_then(|traffic| Pattern::of_traffic(traffic, None));
        decided.or(self.usual)
    }

    /// Every pattern.
    pub fn all(&self) -> Vec<Pattern> {
        let decided = self.decision.iter().flat_map(Decision::traffics);
        let decided = decided.filter_map(|traffic| Pattern::of_traffic(traffic, None));
        self.usual.into_iter().chain(decided).unique().collect()
    }
}
