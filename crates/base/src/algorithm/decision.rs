//! Which of its algorithms an MPI library takes by its own rules.
//!
//! Of an all-to-all, Open MPI 4.1 and later decide by a table of process counts and of bytes per
//! destination; MPICH 4 by two sizes. Of an all-to-all whose sizes differ, Open MPI decides by the
//! process count, and MPICH always takes one algorithm. Of a broadcast, both decide by process counts
//! and sizes, MPICH also by whether the count is a power of two. Where the rules take an algorithm
//! without a known traffic, or are not known here, the library's usual traffic stands.
//!
//! # Source
//! The fixed decisions of Open MPI's component `tuned` from 4.1 on; the control variables
//! `ALLTOALL_SHORT_MSG_SIZE` and `ALLTOALL_MEDIUM_MSG_SIZE` and the generic selection tree of MPICH 4.0.
//! Of broadcasts among up to 127 processes, Open MPI 4.1.4 called these functions, but for `chain`,
//! which stands here as `pipeline`: it is called with a fan-out of 0, which makes one chain.

use itertools::Itertools as _;

use super::offer::{MpiFlavour, offers};
use super::{Collective, Traffic};
use crate::units::{Bytes, Procs};

/// Below a process count: the algorithms, each below a size. The last of either has no bound.
type Rules = &'static [(u32, &'static [(u64, &'static str)])];

const ANY: u64 = u64::MAX;
const ALL: u32 = u32::MAX;

const OPEN_MPI: Rules = &[
    (3, &[(ANY, "linear")]),
    (8, &[(1 << 19, "linear_sync"), (1 << 20, "pairwise"), (ANY, "linear")]),
    (16, &[(1 << 18, "linear_sync"), (ANY, "linear")]),
    (32, &[(4, "linear_sync"), (512, "modified_bruck"), (ANY, "linear_sync")]),
    (64, &[(512, "modified_bruck"), (ANY, "linear")]),
    (256, &[(1024, "modified_bruck"), (1 << 18, "linear"), (ANY, "pairwise")]),
    (512, &[(1024, "modified_bruck"), (1 << 15, "linear"), (ANY, "pairwise")]),
    (1024, &[(512, "modified_bruck"), (1 << 18, "linear"), (ANY, "pairwise")]),
    (2048, &[(512, "modified_bruck"), (ANY, "linear")]),
    (4096, &[(1024, "modified_bruck"), (ANY, "linear")]),
    (ALL, &[(2048, "modified_bruck"), (ANY, "linear")]),
];

const MPICH: Rules = &[
    (8, &[(32769, "scattered"), (ANY, "pairwise")]),
    (ALL, &[(257, "brucks"), (32769, "scattered"), (ANY, "pairwise")]),
];

/// By the number of processes alone: the sizes of the pieces are not the same at all ranks.
const OPEN_MPI_BY_PAIR: Rules = &[
    (4, &[(ANY, "pairwise")]),
    (64, &[(ANY, "basic_linear")]),
    (128, &[(ANY, "pairwise")]),
    (256, &[(ANY, "basic_linear")]),
    (1024, &[(ANY, "pairwise")]),
    (ALL, &[(ANY, "basic_linear")]),
];

const MPICH_BY_PAIR: Rules = &[(ALL, &[(ANY, "scattered")])];

/// Without segments: `pipeline` hands on the whole message, and so does `chain`, which the rules take
/// with one chain.
const OPEN_MPI_BCAST: Rules = &[
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
            (ANY, "binary_tree"),
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
            (ANY, "pipeline"),
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
            (ANY, "basic_linear"),
        ],
    ),
    (
        32,
        &[(4096, "knomial"), (1 << 20, "binomial"), (ANY, "scatter_allgather")],
    ),
    (64, &[(2048, "binomial"), (ANY, "knomial")]),
    (128, &[(ANY, "knomial")]),
    (
        256,
        &[
            (2, "binomial"),
            (16 << 10, "binary_tree"),
            (32 << 10, "basic_linear"),
            (64 << 10, "binary_tree"),
            (ANY, "knomial"),
        ],
    ),
    (
        1024,
        &[(16 << 10, "knomial"), (32 << 10, "split_binary_tree"), (ANY, "knomial")],
    ),
    (2048, &[(512 << 10, "knomial"), (ANY, "scatter_allgather")]),
    (4096, &[(256 << 10, "knomial"), (ANY, "scatter_allgather")]),
    (
        ALL,
        &[
            (8 << 10, "knomial"),
            (16 << 10, "binary_tree"),
            (256 << 10, "knomial"),
            (ANY, "scatter_allgather"),
        ],
    ),
];

const MPICH_BCAST: Rules = &[
    (8, &[(ANY, "binomial")]),
    (ALL, &[(12289, "binomial"), (ANY, "scatter_ring_allgather")]),
];

/// At powers of two.
const MPICH_BCAST_OF_POWERS: Rules = &[
    (8, &[(ANY, "binomial")]),
    (
        ALL,
        &[
            (12289, "binomial"),
            ((512 << 10) + 1, "scatter_recursive_doubling_allgather"),
            (ANY, "scatter_ring_allgather"),
        ],
    ),
];

/// Traffics, each below a size.
type BySize = Vec<(u64, Option<Traffic>)>;

/// The rules of a library for one collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// At powers of two, if they differ.
    powers: Option<ByCount>,
    others: ByCount,
}

/// Traffics by size, each below a process count.
type ByCount = Vec<(u32, BySize)>;

impl Decision {
    /// The rules of a library; `None` if they are not known here.
    pub fn of(flavour: MpiFlavour, collective: Collective) -> Option<Self> {
        let rules = match (flavour, collective.operation()) {
            (MpiFlavour::OpenMpi, Collective::Alltoall) => OPEN_MPI,
            (MpiFlavour::Mpich, Collective::Alltoall) => MPICH,
            (MpiFlavour::OpenMpi, Collective::Alltoallv) => OPEN_MPI_BY_PAIR,
            (MpiFlavour::Mpich, Collective::Alltoallv) => MPICH_BY_PAIR,
            (MpiFlavour::OpenMpi, Collective::Bcast) => OPEN_MPI_BCAST,
            (MpiFlavour::Mpich, Collective::Bcast) => MPICH_BCAST,
            _ => return None,
        };
        let powers = (flavour, collective) == (MpiFlavour::Mpich, Collective::Bcast);
        let offers = offers(collective);
        let traffic = |name: &str| {
            let mut own = offers.iter();
            let own = own.find(|offer| offer.flavour == flavour && offer.name == name);
            own.and_then(|offer| offer.traffic())
        };
        let with_traffic = |(below, by_size): &(u32, &[(u64, &str)])| {
            let by_size = by_size.iter().map(|(below, name)| (*below, traffic(name)));
            (*below, by_size.collect())
        };
        let by_count = |rules: Rules| rules.iter().map(with_traffic).collect();
        Some(Self {
            powers: powers.then(|| by_count(MPICH_BCAST_OF_POWERS)),
            others: by_count(rules),
        })
    }

    /// Traffic of the algorithm that the library takes in a case, if known.
    pub fn traffic(&self, procs: Procs, size: Bytes) -> Option<Traffic> {
        let powers = self.powers.as_ref();
        let of_powers = powers.filter(|_| procs.get().is_power_of_two());
        let mut by_count = of_powers.unwrap_or(&self.others).iter();
        let (_, by_size) = by_count.find(|(below, _)| procs.get() < *below)?;
        by_size.iter().find(|(below, _)| size.0 < *below)?.1
    }

    /// Every traffic that the rules take.
    pub fn traffics(&self) -> impl Iterator<Item = Traffic> {
        let all = self.powers.iter().chain([&self.others]).flatten();
        let all = all.flat_map(|(_, by_size)| by_size);
        all.filter_map(|(_, traffic)| *traffic).unique()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Load;

    fn alltoall(mpi: &str, procs: u32, size: u64) -> Option<Traffic> {
        let decision = Decision::of(MpiFlavour::of(mpi)?, Collective::Alltoall)?;
        decision.traffic(Procs::new(procs).unwrap(), Bytes(size))
    }

    #[test]
    fn the_rules_name_algorithms_that_the_libraries_have() {
        use Collective::{Alltoall, Alltoallv, Bcast};
        let of = |flavour, collective| offers(collective).into_iter().filter(move |own| own.flavour == flavour);
        for (flavour, collective, rules) in [
            (MpiFlavour::OpenMpi, Alltoall, OPEN_MPI),
            (MpiFlavour::Mpich, Alltoall, MPICH),
            (MpiFlavour::OpenMpi, Alltoallv, OPEN_MPI_BY_PAIR),
            (MpiFlavour::Mpich, Alltoallv, MPICH_BY_PAIR),
            (MpiFlavour::OpenMpi, Bcast, OPEN_MPI_BCAST),
            (MpiFlavour::Mpich, Bcast, MPICH_BCAST),
            (MpiFlavour::Mpich, Bcast, MPICH_BCAST_OF_POWERS),
        ] {
            for (_, name) in rules.iter().flat_map(|(_, by_size)| *by_size) {
                let mut all = of(flavour, collective);
                assert!(all.any(|own| own.name == *name), "{flavour} {name}");
            }
        }
    }

    /// MPICH scatters and gathers from 8 processes on, among powers of two in rounds that double; Open
    /// MPI 4.1.4 called `bcast_intra_basic_linear` for 64 KiB among 8 and `bcast_intra_binomial` among 16.
    #[test]
    fn broadcasts_take_another_tree_among_more_processes() {
        let whole = Some(Traffic::Tree(Load::Whole));
        for (flavour, expected) in [
            (
                MpiFlavour::Mpich,
                [whole, Some(Traffic::ScatterDoubling), Some(Traffic::ScatterRing)],
            ),
            (MpiFlavour::OpenMpi, [Some(Traffic::Port), Some(Traffic::Port), whole]),
        ] {
            let decision = Decision::of(flavour, Collective::Bcast).unwrap();
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
        let decision = Decision::of(MpiFlavour::OpenMpi, Collective::Bcast).unwrap();
        let taken = |count, size| decision.traffic(Procs::new(count).unwrap(), Bytes(size));
        assert_eq!(taken(7, 1 << 20), Some(Traffic::Pipeline));
        assert_eq!(taken(128, 16 << 10), Some(Traffic::Port));
        assert_eq!(taken(1000, 1024), Some(Traffic::Knomial));
        assert_eq!(taken(100_000, 8 << 10), Some(Traffic::BinaryInTurn));
    }

    #[test]
    fn mpich_exchanges_large_messages_in_pairs() {
        let mpich = "MPICH Version:\t4.0.2";
        assert_eq!(alltoall(mpich, 8, 32 << 10), Some(Traffic::AtOnce));
        assert_eq!(alltoall(mpich, 8, 33 << 10), Some(Traffic::Powers));
        assert_eq!(alltoall("Open MPI v4.1.4", 8, 33 << 10), Some(Traffic::AtOnce));
        assert_eq!(alltoall("another", 8, 1), None);
    }
}
