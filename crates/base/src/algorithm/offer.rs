//! The algorithms inside MPI libraries that correspond to entries of the table: number, name, and the settings with
//! which the library runs them.
//!
//! # Source
//! `ompi_info --param coll tuned --level 9` of Open MPI 4.1.4; the priorities of the other components of Open MPI
//! 5.0.9 and 5.0.11; the control variables of MPICH 4.0.2; the reference of Intel MPI's `I_MPI_ADJUST` family, whose
//! algorithms have numbers there and names here. Two names of MPICH are left out: `pairwise_sendrecv_replace` works in
//! place only, and `smp` calls other algorithms, which is impossible when one is forced.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::served::{ServedCounts, ServedOperations};
use super::traffic::{AlgorithmTraffic, ReductionForm};
use super::{ALGORITHMS, Collective};

/// MPI library, distinguished by its way of choosing algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, derive_more::Display)]
#[serde(rename_all = "kebab-case")]
pub enum MpiFlavour {
    /// Open MPI 4.1 and 5.0.
    #[display("Open MPI")]
    OpenMpi,
    /// MPICH 4.
    #[display("MPICH")]
    Mpich,
    /// Intel MPI.
    #[display("Intel(R) MPI")]
    IntelMpi,
}

impl MpiFlavour {
    /// The library that calls itself `mpi`, as in the provenance of data; `None` for others.
    pub fn from_version(mpi: &str) -> Option<Self> {
        let flavours = [Self::OpenMpi, Self::Mpich, Self::IntelMpi];
        flavours
            .into_iter()
            .find(|flavour| mpi.starts_with(&flavour.to_string()))
    }
}

/// An algorithm inside an MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfferedAlgorithm {
    /// Library that has the algorithm.
    pub flavour: MpiFlavour,
    /// Number of the algorithm in the library; MPICH has names only.
    number: u32,
    /// Name of the algorithm in the library.
    pub name: &'static str,
    /// True if the library accepts a segment size for it.
    has_segments: bool,
    /// Bound of the number of messages in progress.
    window: WindowBound,
    /// Radix of its tree or digits, where it has one.
    radix: Option<u32>,
    /// Variable of its window or radix.
    variable: Option<&'static str>,
    /// Number of chains or children that the library takes by default, where a rule must say it.
    fanout: u32,
    /// Process counts that it serves.
    served_counts: ServedCounts,
    /// Operations for which it is right, if it reduces.
    served_operations: ServedOperations,
    /// True if the library's rules decide on the calls that it cannot serve.
    leaves_calls: bool,
    traffic: Option<AlgorithmTraffic>,
}

/// How a library bounds the number of messages in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WindowBound {
    /// Not at all.
    None,
    /// A rule can say the number.
    Settable,
    /// Always this number.
    Fixed(u32),
}

/// Algorithms of libraries without a corresponding entry in the table.
static OFFERED_WITHOUT_ENTRY: &[(Collective, OfferedAlgorithm)] = {
    use Collective::{
        Allgather, Allreduce, Alltoall, Alltoallv, Barrier, Bcast, Gather, Reduce, ReduceScatter, ReduceScatterBlock,
        Scatter,
    };
    &[
        (Bcast, tuned(2, "chain", None).with_segments().with_fanout(4)),
        (Bcast, tuned(4, "split_binary_tree", None).with_segments()),
        (Bcast, mpich("nb", None)),
        (Scatter, mpich("nb", None)),
        (
            Gather,
            tuned(3, "linear_sync", Some(AlgorithmTraffic::Port)).with_segments(),
        ),
        (Gather, mpich("nb", None)),
        (Alltoall, tuned(5, "two_proc", None).for_some_counts()),
        (Alltoall, mpich("nb", None)),
        (Alltoallv, tuned(1, "basic_linear", Some(AlgorithmTraffic::AtOnce))),
        (Alltoallv, tuned(2, "pairwise", Some(AlgorithmTraffic::Rounds))),
        (Alltoallv, mpich("scattered", Some(AlgorithmTraffic::AtOnce))),
        (Alltoallv, mpich("nb", None)),
        (Allgather, tuned(1, "linear", Some(AlgorithmTraffic::Port))),
        (Allgather, tuned(6, "two_proc", None).for_some_counts()),
        (Allgather, mpich("nb", None)),
        (
            Reduce,
            tuned(2, "chain", None)
                .with_segments()
                .with_fanout(4)
                .for_operations(ServedOperations::Commutative),
        ),
        (Reduce, mpich("nb", None)),
        (Reduce, intel_reduction(1, "shumilin", None)),
        (
            Allreduce,
            tuned(
                1,
                "basic_linear",
                Some(AlgorithmTraffic::Reduction(ReductionForm::FlatReduceBcast)),
            ),
        ),
        (Allreduce, mpich("nb", None)),
        (Allreduce, intel_reduction(4, "topology_aware_reduce_bcast", None)),
        (Allreduce, intel_reduction(5, "binomial_gather_scatter", None)),
        (
            Allreduce,
            intel_reduction(6, "topology_aware_binomial_gather_scatter", None),
        ),
        (Allreduce, intel_reduction(7, "shumilin_ring", None)),
        (Allreduce, intel_reduction(9, "knomial", None)),
        (ReduceScatter, NON_COMMUTATIVE),
        (ReduceScatter, mpich("nb", None)),
        (ReduceScatterBlock, NON_COMMUTATIVE.leaving_calls()),
        (ReduceScatterBlock, mpich("nb", None)),
        (Barrier, tuned(5, "two_proc", None).for_some_counts()),
        (Barrier, mpich("nb", None)),
    ]
};

/// Halves of the vector with near partners first, as a halving by the number of bytes. It needs a power of two.
pub(super) const NON_COMMUTATIVE: OfferedAlgorithm = mpich(
    "noncommutative",
    Some(AlgorithmTraffic::Reduction(ReductionForm::Halving)),
)
.for_some_counts();

/// An algorithm of Open MPI's component `tuned`.
pub(super) const fn tuned(number: u32, name: &'static str, traffic: Option<AlgorithmTraffic>) -> OfferedAlgorithm {
    OfferedAlgorithm {
        flavour: MpiFlavour::OpenMpi,
        number,
        name,
        has_segments: false,
        window: WindowBound::None,
        radix: None,
        variable: None,
        fanout: 0,
        served_counts: ServedCounts::Every,
        served_operations: ServedOperations::Every,
        leaves_calls: false,
        traffic,
    }
}

/// An algorithm of MPICH.
pub(super) const fn mpich(name: &'static str, traffic: Option<AlgorithmTraffic>) -> OfferedAlgorithm {
    OfferedAlgorithm {
        flavour: MpiFlavour::Mpich,
        ..tuned(0, name, traffic)
    }
}

/// An algorithm of Intel MPI.
pub(super) const fn intel(number: u32, name: &'static str, traffic: Option<AlgorithmTraffic>) -> OfferedAlgorithm {
    OfferedAlgorithm {
        flavour: MpiFlavour::IntelMpi,
        ..tuned(number, name, traffic)
    }
}

/// An algorithm of Intel MPI for a reduction. How it treats operations that do not commute is not known.
pub(super) const fn intel_reduction(
    number: u32,
    name: &'static str,
    traffic: Option<AlgorithmTraffic>,
) -> OfferedAlgorithm {
    intel(number, name, traffic).for_operations(ServedOperations::Commutative)
}

impl OfferedAlgorithm {
    /// Number of the algorithm in rules of the library; MPICH has names only.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Number of chains that a rule must say for the algorithm to run as it does by default; 0 if
    /// it has no such setting.
    pub fn fanout(&self) -> u32 {
        self.fanout
    }

    /// True if the library accepts a segment size for it.
    pub(super) fn has_segments(&self) -> bool {
        self.has_segments
    }

    pub(super) fn window(&self) -> WindowBound {
        self.window
    }

    pub(super) fn radix(&self) -> Option<u32> {
        self.radix
    }

    /// Variable of its window or radix, if there is one.
    pub(super) fn variable(&self) -> Option<&'static str> {
        self.variable
    }

    /// True if it serves every process count.
    pub(super) fn serves_every_count(&self) -> bool {
        self.served_counts == ServedCounts::Every
    }

    /// Operations for which it is right in a reduction.
    pub fn served_operations(&self) -> ServedOperations {
        self.served_operations
    }

    /// Traffic of the messages, if known.
    pub(super) fn traffic(&self) -> Option<AlgorithmTraffic> {
        self.traffic
    }

    /// The same algorithm with a segment size that can be set.
    pub(super) const fn with_segments(self) -> Self {
        Self {
            has_segments: true,
            ..self
        }
    }

    /// The same algorithm with a bound on the messages in progress.
    pub(super) const fn with_window(self, window: WindowBound) -> Self {
        Self { window, ..self }
    }

    /// The same algorithm with this radix.
    pub(super) const fn with_radix(self, radix: u32) -> Self {
        Self {
            radix: Some(radix),
            ..self
        }
    }

    /// The same algorithm, whose window or radix is in a variable of the environment.
    pub(super) const fn with_variable(self, variable: &'static str) -> Self {
        Self {
            variable: Some(variable),
            ..self
        }
    }

    /// The same algorithm with a number of chains that rules must say.
    pub(super) const fn with_fanout(self, fanout: u32) -> Self {
        Self { fanout, ..self }
    }

    /// The same algorithm, if the library's rules decide on the calls that it cannot serve. They are known here
    /// (`MPICH_FALLBACKS`), so that a user of the algorithm need not avoid those calls.
    pub(super) const fn leaving_calls(self) -> Self {
        Self {
            leaves_calls: true,
            ..self
        }
    }

    /// The same algorithm, which is right for these operations only.
    pub(super) const fn for_operations(self, served_operations: ServedOperations) -> Self {
        Self {
            served_operations,
            ..self
        }
    }

    /// The same algorithm, which serves some process counts only.
    pub(super) const fn for_some_counts(self) -> Self {
        Self {
            served_counts: ServedCounts::Restricted,
            ..self
        }
    }
}

/// All algorithms that the libraries have for `collective`, each once, sorted by library, number
/// and name.
pub fn offered_algorithms(collective: Collective) -> Vec<&'static OfferedAlgorithm> {
    let operation = collective.operation();
    let entries = ALGORITHMS.iter();
    let collective_entries = entries.filter(|entry| entry.collective == operation);
    let others_of_operation = OFFERED_WITHOUT_ENTRY.iter().filter(|(of, _)| *of == operation);
    let others = others_of_operation.map(|(_, offer)| offer);
    let mut all: Vec<&OfferedAlgorithm> = collective_entries
        .flat_map(|entry| entry.offered)
        .chain(others)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl OfferedAlgorithm {
    /// Variables with their values, which override every related setting of the user.
    pub(super) fn variables(&self, collective: Collective, segment: Option<NonZeroU32>) -> Vec<(String, String)> {
        let mut variables = self.essential_variables(collective, segment);
        match self.flavour {
            MpiFlavour::OpenMpi if segment.is_none() && collective != Collective::Barrier => {
                variables.push(segment_size(collective, 0));
            }
            MpiFlavour::Mpich => {
                let fallback = if self.leaves_calls { "silent" } else { "error" };
                variables.push(variable("MPIR_CVAR_COLLECTIVE_FALLBACK", fallback));
            }
            MpiFlavour::OpenMpi | MpiFlavour::IntelMpi => {}
        }
        variables
    }

    /// The variables that suffice if the user sets no related ones.
    pub(super) fn essential_variables(
        &self,
        collective: Collective,
        segment: Option<NonZeroU32>,
    ) -> Vec<(String, String)> {
        let lower = name_in_variables(collective);
        let upper = lower.to_uppercase();
        let number = self.number.to_string();
        match self.flavour {
            MpiFlavour::OpenMpi => {
                let algorithm = format!("OMPI_MCA_coll_tuned_{lower}_algorithm");
                let segment_variable = segment.map(|bytes| segment_size(collective, bytes.get()));
                tuned_variables([variable(&algorithm, &number)].into_iter().chain(segment_variable))
            }
            MpiFlavour::Mpich => vec![
                variable(&format!("MPIR_CVAR_{upper}_INTRA_ALGORITHM"), self.name),
                variable("MPIR_CVAR_DEVICE_COLLECTIVES", "percoll"),
                variable(&format!("MPIR_CVAR_{upper}_DEVICE_COLLECTIVE"), "0"),
            ],
            MpiFlavour::IntelMpi => vec![variable(&format!("I_MPI_ADJUST_{upper}"), &number)],
        }
    }
}

/// The name of an operation in variables: `reduce_scatter_block`.
fn name_in_variables(collective: Collective) -> String {
    collective.operation().to_string().replace('-', "_")
}

/// Components of Open MPI that take calls before `tuned` does, as the variables that switch them off:
/// `han` from 5.0 on, `hcoll` in HPC-X, `ucc` where it is enabled. Open MPI ignores the variables of
/// components that it lacks.
const BEFORE_TUNED: [(&str, &str); 3] = [
    ("OMPI_MCA_coll_han_priority", "0"),
    ("OMPI_MCA_coll_hcoll_enable", "0"),
    ("OMPI_MCA_coll_ucc_enable", "0"),
];

/// The variables by which Open MPI's component `tuned` takes all calls and obeys `choices`.
pub(super) fn tuned_variables(choices: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let obeys = variable("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
    let others = BEFORE_TUNED.map(|(name, value)| variable(name, value));
    [obeys].into_iter().chain(choices).chain(others).collect()
}

/// Open MPI's variable of a segment size, 0 for none.
fn segment_size(collective: Collective, bytes: u32) -> (String, String) {
    let operation = name_in_variables(collective);
    let name = format!("OMPI_MCA_coll_tuned_{operation}_algorithm_segmentsize");
    (name, bytes.to_string())
}

/// A variable with its value.
pub(super) fn variable(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
