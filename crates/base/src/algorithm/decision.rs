//! Decisions of MPI libraries: the algorithm that a library runs by its own rules.
//!
//! For an all-to-all, Open MPI 4.1 and later decide by a table of process counts and of bytes per destination; MPICH
//! 4 by two sizes. For an all-to-all whose sizes differ, Open MPI decides by the process count, and MPICH always runs
//! one algorithm. For a broadcast, both decide by process counts and sizes, MPICH also by whether the count is a
//! power of two. If the rules are not known here, or their algorithm has no known traffic, the library's usual
//! traffic stands.
//!
//! # Source
//! The fixed decisions of Open MPI's component `tuned` from 4.1 on; the control variables `ALLTOALL_SHORT_MSG_SIZE`
//! and `ALLTOALL_MEDIUM_MSG_SIZE` and the generic selection tree of MPICH 4.0. In broadcasts among up to 127
//! processes, Open MPI 4.1.4 called these functions. Its `chain` stands here as `pipeline`: it is called with a
//! fan-out of 0, which makes one chain.

use itertools::Itertools as _;

use super::offer::{MpiFlavour, offered_algorithms};
use super::{AlgorithmTraffic, Collective};
use crate::units::{Bytes, Procs};

/// Algorithms by process count and size: an entry holds below its count or size. The last count and the last size
/// have no bound.
type DecisionRules = &'static [(u32, &'static [(u64, &'static str)])];

const ANY_SIZE: u64 = u64::MAX;
const ANY_COUNT: u32 = u32::MAX;

const OPEN_MPI_ALLTOALL: DecisionRules = &[
    (3, &[(ANY_SIZE, "linear")]),
    (
        8,
        &[(1 << 19, "linear_sync"), (1 << 20, "pairwise"), (ANY_SIZE, "linear")],
    ),
    (16, &[(1 << 18, "linear_sync"), (ANY_SIZE, "linear")]),
    (
        32,
        &[(4, "linear_sync"), (512, "modified_bruck"), (ANY_SIZE, "linear_sync")],
    ),
    (64, &[(512, "modified_bruck"), (ANY_SIZE, "linear")]),
    (
        256,
        &[(1024, "modified_bruck"), (1 << 18, "linear"), (ANY_SIZE, "pairwise")],
    ),
    (
        512,
        &[(1024, "modified_bruck"), (1 << 15, "linear"), (ANY_SIZE, "pairwise")],
    ),
    (
        1024,
        &[(512, "modified_bruck"), (1 << 18, "linear"), (ANY_SIZE, "pairwise")],
    ),
    (2048, &[(512, "modified_bruck"), (ANY_SIZE, "linear")]),
    (4096, &[(1024, "modified_bruck"), (ANY_SIZE, "linear")]),
    (ANY_COUNT, &[(2048, "modified_bruck"), (ANY_SIZE, "linear")]),
];

const MPICH_ALLTOALL: DecisionRules = &[
    (8, &[(32769, "scattered"), (ANY_SIZE, "pairwise")]),
    (
        ANY_COUNT,
        &[(257, "brucks"), (32769, "scattered"), (ANY_SIZE, "pairwise")],
    ),
];

/// By the number of processes alone: the sizes of the pieces are not the same at all ranks.
const OPEN_MPI_ALLTOALLV: DecisionRules = &[
    (4, &[(ANY_SIZE, "pairwise")]),
    (64, &[(ANY_SIZE, "basic_linear")]),
    (128, &[(ANY_SIZE, "pairwise")]),
    (256, &[(ANY_SIZE, "basic_linear")]),
    (1024, &[(ANY_SIZE, "pairwise")]),
    (ANY_COUNT, &[(ANY_SIZE, "basic_linear")]),
];

const MPICH_ALLTOALLV: DecisionRules = &[(ANY_COUNT, &[(ANY_SIZE, "scattered")])];

/// Without segments: `pipeline` passes on the whole message, and so does `chain`, which the rules call with one
/// chain.
const OPEN_MPI_BCAST: DecisionRules = &[
    (
        4,
        &[
            (32, "pipeline"),
            (256, "binary_tree"),
            (512, "pipeline"),
            (1024, "knomial"),
            (32 << 10, "basic_linear"),
            (128 << 10, "binary_tree"),
            (256 << 10, "pipeline"),
            (512 << 10, "basic_linear"),
            (1 << 20, "binomial"),
            (ANY_SIZE, "binary_tree"),
        ],
    ),
    (
        8,
        &[
            (64, "binary_tree"),
            (128, "binomial"),
            (2048, "binary_tree"),
            (8192, "binomial"),
            (1 << 20, "basic_linear"),
            (ANY_SIZE, "pipeline"),
        ],
    ),
    (
        16,
        &[
            (8, "knomial"),
            (64, "binary_tree"),
            (4096, "knomial"),
            (16 << 10, "binary_tree"),
            (32 << 10, "binomial"),
            (ANY_SIZE, "basic_linear"),
        ],
    ),
    (
        32,
        &[
            (4096, "knomial"),
            (1 << 20, "binomial"),
            (ANY_SIZE, "scatter_allgather"),
        ],
    ),
    (64, &[(2048, "binomial"), (ANY_SIZE, "knomial")]),
    (128, &[(ANY_SIZE, "knomial")]),
    (
        256,
        &[
            (2, "binomial"),
            (16 << 10, "binary_tree"),
            (32 << 10, "basic_linear"),
            (64 << 10, "binary_tree"),
            (ANY_SIZE, "knomial"),
        ],
    ),
    (
        1024,
        &[
            (16 << 10, "knomial"),
            (32 << 10, "split_binary_tree"),
            (ANY_SIZE, "knomial"),
        ],
    ),
    (2048, &[(512 << 10, "knomial"), (ANY_SIZE, "scatter_allgather")]),
    (4096, &[(256 << 10, "knomial"), (ANY_SIZE, "scatter_allgather")]),
    (
        ANY_COUNT,
        &[
            (8 << 10, "knomial"),
            (16 << 10, "binary_tree"),
            (256 << 10, "knomial"),
            (ANY_SIZE, "scatter_allgather"),
        ],
    ),
];

const MPICH_BCAST: DecisionRules = &[
    (8, &[(ANY_SIZE, "binomial")]),
    (ANY_COUNT, &[(12289, "binomial"), (ANY_SIZE, "scatter_ring_allgather")]),
];

/// Rules for powers of two.
const MPICH_BCAST_POWERS_OF_TWO: DecisionRules = &[
    (8, &[(ANY_SIZE, "binomial")]),
    (
        ANY_COUNT,
        &[
            (12289, "binomial"),
            ((512 << 10) + 1, "scatter_recursive_doubling_allgather"),
            (ANY_SIZE, "scatter_ring_allgather"),
        ],
    ),
];

/// Traffic by size; an entry holds below its size.
type TrafficBySize = Vec<(u64, Option<AlgorithmTraffic>)>;

/// The rules of a library for one collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryDecision {
    /// Rules for powers of two, if they differ.
    powers_of_two: Option<TrafficByCount>,
    other_counts: TrafficByCount,
}

/// Traffic by process count and size; an entry holds below its count.
type TrafficByCount = Vec<(u32, TrafficBySize)>;

impl LibraryDecision {
    /// The rules of a library; `None` if they are not known here.
    pub fn of(flavour: MpiFlavour, collective: Collective) -> Option<Self> {
        let rules = match (flavour, collective.operation()) {
            (MpiFlavour::OpenMpi, Collective::Alltoall) => OPEN_MPI_ALLTOALL,
            (MpiFlavour::Mpich, Collective::Alltoall) => MPICH_ALLTOALL,
            (MpiFlavour::OpenMpi, Collective::Alltoallv) => OPEN_MPI_ALLTOALLV,
            (MpiFlavour::Mpich, Collective::Alltoallv) => MPICH_ALLTOALLV,
            (MpiFlavour::OpenMpi, Collective::Bcast) => OPEN_MPI_BCAST,
            (MpiFlavour::Mpich, Collective::Bcast) => MPICH_BCAST,
            _ => return None,
        };
        let has_power_rules = (flavour, collective) == (MpiFlavour::Mpich, Collective::Bcast);
        let offers = offered_algorithms(collective);
        let traffic = |name: &str| {
            let mut all_offers = offers.iter();
            let named_offer = all_offers.find(|offer| offer.flavour == flavour && offer.name == name);
            named_offer.and_then(|offer| offer.traffic())
        };
        let with_traffic = |(below, by_size): &(u32, &[(u64, &str)])| {
            let traffics = by_size.iter().map(|(below, name)| (*below, traffic(name)));
            (*below, traffics.collect())
        };
        let by_count = |rules: DecisionRules| rules.iter().map(with_traffic).collect();
        Some(Self {
            powers_of_two: has_power_rules.then(|| by_count(MPICH_BCAST_POWERS_OF_TWO)),
            other_counts: by_count(rules),
        })
    }

    /// Traffic of the algorithm that the library takes in a case, if known.
    pub fn traffic(&self, procs: Procs, size: Bytes) -> Option<AlgorithmTraffic> {
        let powers = self.powers_of_two.as_ref();
        let of_powers = powers.filter(|_| procs.get().is_power_of_two());
        let mut by_count = of_powers.unwrap_or(&self.other_counts).iter();
        let (_, by_size) = by_count.find(|(below, _)| procs.get() < *below)?;
        by_size.iter().find(|(below, _)| size.0 < *below)?.1
    }

    /// Traffics of all algorithms in the rules.
    pub fn traffics(&self) -> impl Iterator<Item = AlgorithmTraffic> {
        let count_rules = self.powers_of_two.iter().chain([&self.other_counts]).flatten();
        let size_rules = count_rules.flat_map(|(_, by_size)| by_size);
        size_rules.filter_map(|(_, traffic)| *traffic).unique()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::TreeLoad;

    fn alltoall(mpi: &str, procs: u32, size: u64) -> Option<AlgorithmTraffic> {
        let decision = LibraryDecision::of(MpiFlavour::from_version(mpi)?, Collective::Alltoall)?;
        decision.traffic(Procs::new(procs).unwrap(), Bytes(size))
    }

    #[test]
    fn the_rules_name_algorithms_that_the_libraries_have() {
        use Collective::{Alltoall, Alltoallv, Bcast};
        let offers_of = |flavour, collective| {
            offered_algorithms(collective)
                .into_iter()
                .filter(move |offer| offer.flavour == flavour)
        };
        for (flavour, collective, rules) in [
            (MpiFlavour::OpenMpi, Alltoall, OPEN_MPI_ALLTOALL),
            (MpiFlavour::Mpich, Alltoall, MPICH_ALLTOALL),
            (MpiFlavour::OpenMpi, Alltoallv, OPEN_MPI_ALLTOALLV),
            (MpiFlavour::Mpich, Alltoallv, MPICH_ALLTOALLV),
            (MpiFlavour::OpenMpi, Bcast, OPEN_MPI_BCAST),
            (MpiFlavour::Mpich, Bcast, MPICH_BCAST),
            (MpiFlavour::Mpich, Bcast, MPICH_BCAST_POWERS_OF_TWO),
        ] {
            for (_, name) in rules.iter().flat_map(|(_, by_size)| *by_size) {
                let mut flavour_offers = offers_of(flavour, collective);
                assert!(flavour_offers.any(|offer| offer.name == *name), "{flavour} {name}");
            }
        }
    }

    /// MPICH scatters and gathers from 8 processes on, among powers of two in rounds that double; Open
    /// MPI 4.1.4 called `bcast_intra_basic_linear` for 64 KiB among 8 and `bcast_intra_binomial` among 16.
    #[test]
    fn broadcasts_take_another_tree_among_more_processes() {
        let whole = Some(AlgorithmTraffic::Tree(TreeLoad::Whole));
        for (flavour, expected) in [
            (
                MpiFlavour::Mpich,
                [
                    whole,
                    Some(AlgorithmTraffic::ScatterDoubling),
                    Some(AlgorithmTraffic::ScatterRing),
                ],
            ),
            (
                MpiFlavour::OpenMpi,
                [Some(AlgorithmTraffic::Port), Some(AlgorithmTraffic::Port), whole],
            ),
        ] {
            let decision = LibraryDecision::of(flavour, Collective::Bcast).unwrap();
            let counts = match flavour {
                MpiFlavour::Mpich => [7, 8, 12],
                _ => [7, 8, 16],
            };
            let taken = counts.map(|count| decision.traffic(Procs::new(count).unwrap(), Bytes(64 << 10)));
            assert_eq!(taken, expected);
        }
    }

    /// Open MPI's `chain` hands on the whole message; from 128 processes on it takes other trees again.
    #[test]
    fn open_mpi_broadcasts_by_rules_for_every_count() {
        let decision = LibraryDecision::of(MpiFlavour::OpenMpi, Collective::Bcast).unwrap();
        let taken = |count, size| decision.traffic(Procs::new(count).unwrap(), Bytes(size));
        assert_eq!(taken(7, 1 << 20), Some(AlgorithmTraffic::Pipeline));
        assert_eq!(taken(128, 16 << 10), Some(AlgorithmTraffic::Port));
        assert_eq!(taken(1000, 1024), Some(AlgorithmTraffic::Knomial));
        assert_eq!(taken(100_000, 8 << 10), Some(AlgorithmTraffic::BinaryInTurn));
    }

    #[test]
    fn mpich_exchanges_large_messages_in_pairs() {
        let mpich = "MPICH Version:\t4.0.2";
        assert_eq!(alltoall(mpich, 8, 32 << 10), Some(AlgorithmTraffic::AtOnce));
        assert_eq!(alltoall(mpich, 8, 33 << 10), Some(AlgorithmTraffic::Powers));
        assert_eq!(alltoall("Open MPI v4.1.4", 8, 33 << 10), Some(AlgorithmTraffic::AtOnce));
        assert_eq!(alltoall("another", 8, 1), None);
    }
}
