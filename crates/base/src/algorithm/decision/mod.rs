//! Decisions of MPI libraries: the algorithm that a library runs by its own rules.
//!
//! For an all-to-all, Open MPI 4.1 and later decide by a table of process counts and of bytes per destination; MPICH
//! 4 by two sizes. For an all-to-all whose sizes differ, Open MPI decides by the process count, and MPICH always runs
//! one algorithm. For a broadcast, both decide by process counts and sizes, MPICH also by whether the count is a
//! power of two. For a reduction, both also decide by the operation, and MPICH by the number of elements. If the rules are
//! not known here, or their algorithm has no known traffic, the library's usual traffic stands.
//!
//! An algorithm may refuse a call, such as one with few elements, and call another one. So the algorithm that rules choose
//! ([`LibraryDecision::chosen`]) is not always the one that runs ([`LibraryDecision::runs`]).
//!
//! # Source
//! The fixed decisions of Open MPI's component `tuned` from 4.1 on; the control variables `ALLTOALL_SHORT_MSG_SIZE`
//! and `ALLTOALL_MEDIUM_MSG_SIZE` and the generic selection tree of MPICH 4.0. In broadcasts among up to 127
//! processes, Open MPI 4.1.4 called these functions.

mod bcast;
mod case;
mod exchange;
mod mpich_reduction;
mod open_mpi_fallback;
mod open_mpi_reduction;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use itertools::Itertools as _;

use self::bcast::{MPICH_BCAST, MPICH_BCAST_POWERS_OF_TWO, OPEN_MPI_BCAST};
use self::case::RuleCondition;
use self::exchange::{MPICH_ALLTOALL, MPICH_ALLTOALLV, OPEN_MPI_ALLTOALL, OPEN_MPI_ALLTOALLV};
use self::mpich_reduction::{
    MPICH_ALLREDUCE, MPICH_BARRIER, MPICH_FALLBACKS, MPICH_REDUCE, MPICH_REDUCE_SCATTER, MPICH_REDUCE_SCATTER_BLOCK,
};
use self::open_mpi_fallback::{OPEN_MPI_CALLS, OPEN_MPI_FALLBACKS, OPEN_MPI_ONE_CHAIN};
use self::open_mpi_reduction::{
    OPEN_MPI_ALLREDUCE, OPEN_MPI_ALLREDUCE_IN_ORDER, OPEN_MPI_BARRIER, OPEN_MPI_REDUCE, OPEN_MPI_REDUCE_IN_ORDER,
    OPEN_MPI_REDUCE_SCATTER, OPEN_MPI_REDUCE_SCATTER_BLOCK, OPEN_MPI_REDUCE_SCATTER_BLOCK_IN_ORDER,
    OPEN_MPI_REDUCE_SCATTER_IN_ORDER,
};
use super::offer::{MpiFlavour, offered_algorithms};
use super::{AlgorithmTraffic, COLLECTIVES, Collective};
use crate::units::{Bytes, Procs};

pub use self::case::{DecisionCase, OperatorKind};

/// Algorithms by process count and size: an entry holds below its count or size. The last count and the last size
/// have no bound.
type DecisionTable = &'static [(u32, &'static [(u64, &'static str)])];

const ANY_SIZE: u64 = u64::MAX;
const ANY_COUNT: u32 = u32::MAX;

/// The algorithm that is chosen where all conditions hold.
type ConditionalRule = (&'static [RuleCondition], &'static str);

/// An algorithm that hands a call on to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AlgorithmFallback {
    collective: Collective,
    chosen: &'static str,
    condition: RuleCondition,
    /// `None` for the one that the rules name.
    instead: Option<&'static str>,
}

impl AlgorithmFallback {
    /// `chosen` hands calls for which `condition` holds on to the algorithm that the rules name.
    const fn new(collective: Collective, chosen: &'static str, condition: RuleCondition) -> Self {
        Self {
            collective,
            chosen,
            condition,
            instead: None,
        }
    }

    /// The same, which hands them on to this algorithm.
    const fn to(self, instead: &'static str) -> Self {
        Self {
            instead: Some(instead),
            ..self
        }
    }
}

/// Rules of a library for a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RuleSet {
    Table(DecisionTable),
    /// The first table where the condition holds, else the second one.
    Tables(RuleCondition, DecisionTable, DecisionTable),
    /// The first rule whose conditions hold.
    Conditions(&'static [ConditionalRule]),
}

/// The algorithm that runs in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunAlgorithm {
    /// Name in the library.
    pub name: &'static str,
    /// The algorithm of the reduce that it calls first, if it calls one. A broadcast or a scatter follows.
    pub reduce: Option<&'static str>,
}

/// The rules of a library for one collective.
#[derive(Debug, PartialEq, Eq)]
pub struct LibraryDecision {
    flavour: MpiFlavour,
    collective: Collective,
    rules: RuleSet,
    /// Traffic of every algorithm in the rules, and of those that run instead.
    traffics: Vec<(&'static str, Option<AlgorithmTraffic>)>,
}

/// All rules that are known here.
static DECISIONS: LazyLock<Vec<LibraryDecision>> = LazyLock::new(|| {
    let all = [MpiFlavour::OpenMpi, MpiFlavour::Mpich, MpiFlavour::IntelMpi].into_iter();
    all.cartesian_product(COLLECTIVES)
        .filter_map(|(flavour, &collective)| LibraryDecision::new(flavour, collective))
        .collect()
});

/// Collectives that return at once if there are no data.
const RETURNING_WITHOUT_DATA: &[(MpiFlavour, Collective)] = &[
    (MpiFlavour::OpenMpi, Collective::Allreduce),
    (MpiFlavour::OpenMpi, Collective::Reduce),
    (MpiFlavour::OpenMpi, Collective::ReduceScatter),
    (MpiFlavour::OpenMpi, Collective::ReduceScatterBlock),
    (MpiFlavour::Mpich, Collective::Reduce),
    (MpiFlavour::Mpich, Collective::ReduceScatterBlock),
];

/// Collectives that Open MPI 5 leaves to its component `han` where ranks share nodes; its rules are not known here.
const BY_OTHER_COMPONENT: &[Collective] = &[
    Collective::Bcast,
    Collective::Reduce,
    Collective::Allreduce,
    Collective::Barrier,
];

impl RuleSet {
    fn of(flavour: MpiFlavour, collective: Collective) -> Option<Self> {
        let by_operator = |commutative, in_order| Self::Tables(RuleCondition::Commutes, commutative, in_order);
        Some(match (flavour, collective.operation()) {
            (MpiFlavour::OpenMpi, Collective::Alltoall) => Self::Table(OPEN_MPI_ALLTOALL),
            (MpiFlavour::OpenMpi, Collective::Alltoallv) => Self::Table(OPEN_MPI_ALLTOALLV),
            (MpiFlavour::OpenMpi, Collective::Bcast) => Self::Table(OPEN_MPI_BCAST),
            (MpiFlavour::OpenMpi, Collective::Allreduce) => {
                by_operator(OPEN_MPI_ALLREDUCE, OPEN_MPI_ALLREDUCE_IN_ORDER)
            }
            (MpiFlavour::OpenMpi, Collective::Reduce) => by_operator(OPEN_MPI_REDUCE, OPEN_MPI_REDUCE_IN_ORDER),
            (MpiFlavour::OpenMpi, Collective::ReduceScatter) => {
                by_operator(OPEN_MPI_REDUCE_SCATTER, OPEN_MPI_REDUCE_SCATTER_IN_ORDER)
            }
            (MpiFlavour::OpenMpi, Collective::ReduceScatterBlock) => {
                by_operator(OPEN_MPI_REDUCE_SCATTER_BLOCK, OPEN_MPI_REDUCE_SCATTER_BLOCK_IN_ORDER)
            }
            (MpiFlavour::OpenMpi, Collective::Barrier) => Self::Table(OPEN_MPI_BARRIER),
            (MpiFlavour::Mpich, Collective::Alltoall) => Self::Table(MPICH_ALLTOALL),
            (MpiFlavour::Mpich, Collective::Alltoallv) => Self::Table(MPICH_ALLTOALLV),
            (MpiFlavour::Mpich, Collective::Bcast) => {
                Self::Tables(RuleCondition::PowerOfTwo, MPICH_BCAST_POWERS_OF_TWO, MPICH_BCAST)
            }
            (MpiFlavour::Mpich, Collective::Allreduce) => Self::Conditions(MPICH_ALLREDUCE),
            (MpiFlavour::Mpich, Collective::Reduce) => Self::Conditions(MPICH_REDUCE),
            (MpiFlavour::Mpich, Collective::ReduceScatter) => Self::Conditions(MPICH_REDUCE_SCATTER),
            (MpiFlavour::Mpich, Collective::ReduceScatterBlock) => Self::Conditions(MPICH_REDUCE_SCATTER_BLOCK),
            (MpiFlavour::Mpich, Collective::Barrier) => Self::Conditions(MPICH_BARRIER),
            _ => return None,
        })
    }

    /// The algorithm for a case; tables compare `size`.
    fn chosen(self, case: DecisionCase, size: Bytes) -> Option<&'static str> {
        let table = match self {
            Self::Table(table) => table,
            Self::Tables(condition, where_it_holds, elsewhere) => {
                if condition.holds(case) {
                    where_it_holds
                } else {
                    elsewhere
                }
            }
            Self::Conditions(rules) => {
                let mut all = rules.iter();
                let rule = all.find(|(conditions, _)| conditions.iter().all(|condition| condition.holds(case)));
                return rule.map(|(_, name)| *name);
            }
        };
        let (_, by_size) = table.iter().find(|(below, _)| case.procs.get() < *below)?;
        by_size.iter().find(|(below, _)| size.0 < *below).map(|(_, name)| *name)
    }

    /// Names of all algorithms in the rules.
    fn names(self) -> Vec<&'static str> {
        let of_table = |table: DecisionTable| table.iter().flat_map(|(_, by_size)| *by_size).map(|(_, name)| *name);
        match self {
            Self::Table(table) => of_table(table).unique().collect(),
            Self::Tables(_, first, second) => of_table(first).chain(of_table(second)).unique().collect(),
            Self::Conditions(rules) => rules.iter().map(|(_, name)| *name).unique().collect(),
        }
    }
}

impl LibraryDecision {
    fn new(flavour: MpiFlavour, collective: Collective) -> Option<Self> {
        let rules = RuleSet::of(flavour, collective)?;
        let offers = offered_algorithms(collective);
        let traffic = |name| {
            let mut chains = OPEN_MPI_ONE_CHAIN.iter();
            let one_chain =
                chains.find(|(of, called, _)| flavour == MpiFlavour::OpenMpi && (*of, *called) == (collective, name));
            let mut all_offers = offers.iter();
            let offer = all_offers.find(|offer| offer.flavour == flavour && offer.name == name);
            let offered = || offer.and_then(|offer| offer.traffic());
            one_chain.map(|(_, _, traffic)| *traffic).or_else(offered)
        };
        let fallbacks = fallbacks(flavour, collective).filter_map(|fallback| fallback.instead);
        let names = rules.names().into_iter().chain(fallbacks).unique();
        Some(Self {
            flavour,
            collective,
            rules,
            traffics: names.map(|name| (name, traffic(name))).collect(),
        })
    }

    /// The rules of a library; `None` if they are not known here.
    pub fn of(flavour: MpiFlavour, collective: Collective) -> Option<&'static Self> {
        let mut all = DECISIONS.iter();
        all.find(|decision| (decision.flavour, decision.collective) == (flavour, collective))
    }

    /// The rules of the library that calls itself `mpi`, as in the provenance of data; `None` if they are not known here.
    /// Open MPI 5 leaves some collectives to its component `han`.
    pub fn of_version(mpi: &str, collective: Collective) -> Option<&'static Self> {
        let flavour = MpiFlavour::from_version(mpi)?;
        let is_of_tuned = !BY_OTHER_COMPONENT.contains(&collective) || mpi.starts_with("Open MPI v4.1");
        Self::of(flavour, collective).filter(|_| is_of_tuned || flavour != MpiFlavour::OpenMpi)
    }

    /// The library.
    pub fn flavour(&self) -> MpiFlavour {
        self.flavour
    }

    /// The algorithm that the rules name.
    pub fn chosen(&self, case: DecisionCase) -> Option<&'static str> {
        let is_of_block = (self.flavour, self.collective) == (MpiFlavour::OpenMpi, Collective::ReduceScatterBlock);
        let size = if is_of_block {
            Bytes(case.size.0 / u64::from(case.procs.get()))
        } else {
            case.size
        };
        self.rules.chosen(case, size)
    }

    /// The algorithm that runs by the rules; `None` if the call returns at once.
    pub fn runs(&self, case: DecisionCase) -> Option<RunAlgorithm> {
        self.runs_for(self.chosen(case)?, case)
    }

    /// The algorithm that runs where `chosen` is chosen, by the rules or by a user; `None` if the call returns at once.
    pub fn runs_for(&self, chosen: &'static str, case: DecisionCase) -> Option<RunAlgorithm> {
        let returns_at_once = RETURNING_WITHOUT_DATA.contains(&(self.flavour, self.collective));
        if returns_at_once && case.size == Bytes(0) {
            return None;
        }
        let mut name = chosen;
        for fallback in fallbacks(self.flavour, self.collective) {
            if fallback.chosen == name && fallback.condition.holds(case) {
                name = fallback.instead.or_else(|| self.chosen(case))?;
            }
        }
        let calls_reduce = self.called_collectives(name).contains(&Collective::Reduce);
        let reduce_rules = Self::of(self.flavour, Collective::Reduce).filter(|_| calls_reduce);
        let reduce = reduce_rules.and_then(|rules| rules.runs(case));
        Some(RunAlgorithm {
            name,
            reduce: reduce.map(|run| run.name),
        })
    }

    /// The collectives of the communicator that an algorithm calls, by their rules.
    pub fn called_collectives(&self, name: &str) -> &'static [Collective] {
        let mut of_open_mpi = OPEN_MPI_CALLS.iter().filter(|_| self.flavour == MpiFlavour::OpenMpi);
        let found = of_open_mpi.find(|(collective, caller, _)| (*collective, *caller) == (self.collective, name));
        found.map_or(&[], |(_, _, called)| called)
    }

    /// True if an algorithm serves no vector that has fewer elements than the largest power of two of ranks.
    pub fn needs_power_of_elements(&self, name: &str) -> bool {
        let mut all = fallbacks(self.flavour, self.collective).filter(|fallback| fallback.chosen == name);
        all.any(|fallback| fallback.condition == RuleCondition::FewerElementsThanPower)
    }

    /// Names of all algorithms in the rules.
    pub fn names(&self) -> Vec<&'static str> {
        self.rules.names()
    }

    /// Traffics of all algorithms that some library may run instead of `chosen`.
    pub fn traffics_instead_of(collective: Collective, chosen: &'static str) -> Vec<AlgorithmTraffic> {
        let of_collective = DECISIONS.iter().filter(|decision| decision.collective == collective);
        let traffics = of_collective.flat_map(|decision| {
            let others = decision
                .possible_runs(chosen)
                .into_iter()
                .filter(|name| *name != chosen);
            others.filter_map(|name| decision.traffic_of(name))
        });
        traffics.unique().collect()
    }

    /// `chosen` and every algorithm that runs instead of it in some case.
    pub fn possible_runs(&self, chosen: &'static str) -> Vec<&'static str> {
        let mut names = vec![chosen];
        for fallback in fallbacks(self.flavour, self.collective) {
            if names.contains(&fallback.chosen) {
                let of_rules = || self.names();
                names.extend(fallback.instead.map_or_else(of_rules, |instead| vec![instead]));
            }
        }
        names
    }

    /// Traffic of the algorithm that runs in a case, if known. One that calls other collectives has that of the composed
    /// algorithm, whatever the rules choose for its parts. A reduction is one of doubles by a predefined operation.
    pub fn traffic(&self, procs: Procs, size: Bytes) -> Option<AlgorithmTraffic> {
        self.traffic_of(self.runs(DecisionCase::new(procs, size))?.name)
    }

    /// Traffic of an algorithm that the rules name, or that runs instead of one, if known.
    pub fn traffic_of(&self, name: &str) -> Option<AlgorithmTraffic> {
        let (_, traffic) = self.traffics.iter().find(|(known, _)| *known == name)?;
        *traffic
    }

    /// Traffics of all algorithms in the rules.
    pub fn traffics(&self) -> impl Iterator<Item = AlgorithmTraffic> {
        self.traffics.iter().filter_map(|(_, traffic)| *traffic).unique()
    }
}

/// Algorithms of a collective that hand calls on to others.
fn fallbacks(flavour: MpiFlavour, collective: Collective) -> impl Iterator<Item = &'static AlgorithmFallback> {
    let all = match flavour {
        MpiFlavour::OpenMpi => OPEN_MPI_FALLBACKS,
        MpiFlavour::Mpich => MPICH_FALLBACKS,
        MpiFlavour::IntelMpi => &[],
    };
    all.iter().filter(move |fallback| fallback.collective == collective)
}
