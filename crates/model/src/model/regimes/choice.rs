//! Patterns of an algorithm: one, or for a library's own choice the patterns that its rules choose.

use itertools::Itertools as _;
use netsig_base::algorithm::{
    Collective, CollectiveMethod, DOUBLE, DecisionCase, LIBRARY, LibraryDecision, MpiFlavour,
};
use netsig_base::units::{Bytes, Procs};

use super::TrafficPattern;

/// Patterns of an algorithm by case.
#[derive(Debug, Clone, PartialEq)]
pub struct AlgorithmPatterns {
    collective: Collective,
    /// Length of an element of a vector that is reduced.
    element: Bytes,
    /// Usual pattern; `None` if the regimes do not describe it.
    usual: Option<TrafficPattern>,
    /// Rules of the library, if it decides between patterns with parameters of their own.
    decision: Option<&'static LibraryDecision>,
    /// The algorithm of a reduction that the library is told to run.
    forced: Option<ForcedReduction>,
}

/// An algorithm of a library that hands some cases on to others.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ForcedReduction {
    rules: &'static LibraryDecision,
    name: &'static str,
    segment: Option<Bytes>,
}

impl ForcedReduction {
    /// The algorithm of the library called `mpi`, else of Open MPI; `None` for other collectives and methods.
    fn of(collective: Collective, algorithm: &str, mpi: Option<&str>) -> Option<Self> {
        let method = CollectiveMethod::parse(collective, algorithm).ok()?;
        let CollectiveMethod::Library(choice) = method else {
            return None;
        };
        let flavour = mpi.map_or(Some(MpiFlavour::OpenMpi), MpiFlavour::from_version)?;
        let rules = LibraryDecision::of(flavour, collective).filter(|_| collective.is_reduction())?;
        Some(Self {
            rules,
            name: choice.forced_name()?,
            segment: method.segment(),
        })
    }

    /// The algorithm that runs instead in a case.
    fn replacing_algorithm(self, case: DecisionCase) -> Option<&'static str> {
        let segment = self.segment;
        let run = self.rules.runs_for(self.name, DecisionCase { segment, ..case })?;
        (run.name != self.name).then_some(run.name)
    }

    /// Pattern of another algorithm of the library.
    fn pattern_of(self, name: &str) -> Option<TrafficPattern> {
        let traffic = self.rules.traffic_of(name).filter(|_| name != self.name)?;
        TrafficPattern::of_traffic(traffic, None)
    }
}

impl AlgorithmPatterns {
    /// Patterns of an algorithm of the library called `mpi` in the provenance of data.
    pub fn of(collective: Collective, algorithm: &str, mpi: Option<&str>) -> Self {
        let library_mpi = mpi.filter(|_| algorithm == LIBRARY);
        let decided = library_mpi.and_then(|library| TrafficPattern::of_library(collective, library));
        // The trees of a broadcast and the steps of a reduction share their parameters: they have one pattern.
        let library_of_patterns = library_mpi.filter(|_| decided.is_none());
        Self {
            collective,
            element: DOUBLE,
            usual: decided.or_else(|| TrafficPattern::of(collective, algorithm)),
            decision: library_of_patterns.and_then(|library| LibraryDecision::of_version(library, collective)),
            forced: ForcedReduction::of(collective, algorithm, mpi),
        }
    }

    /// The patterns for vectors with elements of this length.
    #[must_use]
    pub(crate) fn with_element(self, element: Bytes) -> Self {
        Self { element, ..self }
    }

    /// The steps that a library takes instead of those that it is told to take, if they do not suit a case.
    pub(crate) fn replacement(&self, procs: Procs, size: Bytes) -> Option<TrafficPattern> {
        let forced = self.forced?;
        forced.pattern_of(forced.replacing_algorithm(self.case(procs, size))?)
    }

    fn case(&self, procs: Procs, size: Bytes) -> DecisionCase {
        DecisionCase {
            element: self.element,
            ..DecisionCase::new(procs, size)
        }
    }

    /// The algorithm of the library that runs in a reduction or barrier, by its rules or instead of another one that does
    /// not suit the case. `None` if the named algorithm itself runs.
    pub(crate) fn running_algorithm(&self, procs: Procs, size: Bytes) -> Option<&'static str> {
        let case = self.case(procs, size);
        match self.forced {
            Some(forced) => forced.replacing_algorithm(case),
            None => Some(self.usual?.rules_of_steps()?.runs(case)?.name),
        }
    }

    /// All algorithms that may be the one that runs.
    pub(crate) fn running_algorithms(&self) -> Vec<&'static str> {
        let forced = self.forced.into_iter();
        let instead = forced.flat_map(|forced| forced.rules.possible_runs(forced.name).into_iter().skip(1));
        let rules = self.usual.and_then(TrafficPattern::rules_of_steps).into_iter();
        let decided = rules.flat_map(|rules| rules.names().into_iter().flat_map(|name| rules.possible_runs(name)));
        instead.chain(decided).unique().collect()
    }

    /// Pattern of a case: the one that the rules take, else the usual one.
    pub fn at(&self, procs: Procs, size: Bytes) -> Option<TrafficPattern> {
        let decided_traffic = self.decision.and_then(|rules| rules.traffic(procs, size));
        let decided = decided_traffic.and_then(|traffic| TrafficPattern::of_traffic(traffic, None));
        decided.or_else(|| self.replacement(procs, size)).or(self.usual)
    }

    /// Every pattern, of whatever library.
    pub fn all(&self) -> Vec<TrafficPattern> {
        let traffics = self.decision.into_iter().flat_map(LibraryDecision::traffics);
        let decided = traffics.filter_map(|traffic| TrafficPattern::of_traffic(traffic, None));
        let forced = self.forced.into_iter();
        let instead = forced.flat_map(|forced| LibraryDecision::traffics_instead_of(self.collective, forced.name));
        let replaced = instead.filter_map(|traffic| TrafficPattern::of_traffic(traffic, None));
        self.usual.into_iter().chain(replaced).chain(decided).unique().collect()
    }
}

#[cfg(test)]
mod tests {
    use itertools::iproduct;
    use netsig_base::algorithm::{COLLECTIVES, offered_algorithms};

    use super::*;

    /// A profile is read back only if the pattern of each of its fits is one of all.
    #[test]
    fn the_pattern_of_every_case_is_one_of_all() {
        let counts = [2, 3, 8, 12, 40, 4096].map(|count| Procs::new(count).unwrap());
        let sizes = [8, 64, 1 << 10, 1 << 14, 1 << 20, 1 << 28].map(Bytes);
        for &collective in COLLECTIVES {
            let offered = offered_algorithms(collective).into_iter();
            let forced_names = offered.map(|offer| format!("{LIBRARY}:{}", offer.name));
            let names = [LIBRARY.to_owned()].into_iter().chain(forced_names).unique();
            for (name, mpi) in iproduct!(names, [None, Some("Open MPI v4.1.4"), Some("MPICH Version:\t4.0.2")]) {
                let patterns = AlgorithmPatterns::of(collective, &name, mpi).with_element(Bytes(4));
                // A profile does not ask for the library, and lets its own decision have any pattern.
                let reader = if name == LIBRARY { mpi } else { None };
                let all = AlgorithmPatterns::of(collective, &name, reader).all();
                for (procs, size) in iproduct!(counts, sizes) {
                    let pattern = patterns.at(procs, size);
                    assert!(
                        pattern.is_none_or(|pattern| all.contains(&pattern)),
                        "{collective} {name} {procs} {size:?}: {pattern:?}"
                    );
                }
            }
        }
    }
}
