//! Which of its algorithms an MPI library takes by its own rules.
//!
//! Of an all-to-all, Open MPI 4.1 and later decide by a table of process counts and of bytes per
//! destination; MPICH 4 by two sizes. Of an all-to-all whose sizes differ, Open MPI decides by the
//! process count, and MPICH always takes one algorithm. Where the rules take an algorithm without a known traffic, or
//! are not known here, the library's usual traffic stands.
//!
//! # Source
//! The fixed decisions of Open MPI's component `tuned` from 4.1 on; the control variables
//! `ALLTOALL_SHORT_MSG_SIZE` and `ALLTOALL_MEDIUM_MSG_SIZE` of MPICH 4.0.

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
    (
        8,
        &[
            (1 << 19, "linear_sync"),
            (1 << 20, "pairwise"),
            (ANY, "linear"),
        ],
    ),
    (16, &[(1 << 18, "linear_sync"), (ANY, "linear")]),
    (
        32,
        &[
            (4, "linear_sync"),
            (512, "modified_bruck"),
            (ANY, "linear_sync"),
        ],
    ),
    (64, &[(512, "modified_bruck"), (ANY, "linear")]),
    (
        256,
        &[
            (1024, "modified_bruck"),
            (1 << 18, "linear"),
            (ANY, "pairwise"),
        ],
    ),
    (
        512,
        &[
            (1024, "modified_bruck"),
            (1 << 15, "linear"),
            (ANY, "pairwise"),
        ],
    ),
    (
        1024,
        &[
            (512, "modified_bruck"),
            (1 << 18, "linear"),
            (ANY, "pairwise"),
        ],
    ),
    (2048, &[(512, "modified_bruck"), (ANY, "linear")]),
    (4096, &[(1024, "modified_bruck"), (ANY, "linear")]),
    (ALL, &[(2048, "modified_bruck"), (ANY, "linear")]),
];

const MPICH: Rules = &[
    (8, &[(32769, "scattered"), (ANY, "pairwise")]),
    (
        ALL,
        &[(257, "brucks"), (32769, "scattered"), (ANY, "pairwise")],
    ),
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

/// Traffics, each below a size.
type BySize = Vec<(u64, Option<Traffic>)>;

/// The rules of a library for one collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision(Vec<(u32, BySize)>);

impl Decision {
    /// The rules of the library called `mpi` in the provenance of data; `None` if they are not known
    /// here.
    pub fn of(mpi: &str, collective: Collective) -> Option<Self> {
        let flavour = MpiFlavour::of(mpi)?;
        let rules = match (flavour, collective.operation()) {
            (MpiFlavour::OpenMpi, Collective::Alltoall) => OPEN_MPI,
            (MpiFlavour::Mpich, Collective::Alltoall) => MPICH,
            (MpiFlavour::OpenMpi, Collective::Alltoallv) => OPEN_MPI_BY_PAIR,
            (MpiFlavour::Mpich, Collective::Alltoallv) => MPICH_BY_PAIR,
            _ => return None,
        };
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
        Some(Self(rules.iter().map(with_traffic).collect()))
    }

    /// Traffic of the algorithm that the library takes in a case, if known.
    pub fn traffic(&self, procs: Procs, size: Bytes) -> Option<Traffic> {
        let (_, by_size) = self.0.iter().find(|(below, _)| procs.get() < *below)?;
        by_size.iter().find(|(below, _)| size.0 < *below)?.1
    }

    /// Every traffic that the rules take.
    pub fn traffics(&self) -> impl Iterator<Item = Traffic> {
        let all = self.0.iter().flat_map(|(_, by_size)| by_size);
        all.filter_map(|(_, traffic)| *traffic).unique()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alltoall(mpi: &str, procs: u32, size: u64) -> Option<Traffic> {
        let decision = Decision::of(mpi, Collective::Alltoall)?;
        decision.traffic(Procs::new(procs).unwrap(), Bytes(size))
    }

    #[test]
    fn the_rules_name_algorithms_that_the_libraries_have() {
        use Collective::{Alltoall, Alltoallv};
        let of = |flavour, collective| {
            offers(collective)
                .into_iter()
                .filter(move |own| own.flavour == flavour)
        };
        for (flavour, collective, rules) in [
            (MpiFlavour::OpenMpi, Alltoall, OPEN_MPI),
            (MpiFlavour::Mpich, Alltoall, MPICH),
            (MpiFlavour::OpenMpi, Alltoallv, OPEN_MPI_BY_PAIR),
            (MpiFlavour::Mpich, Alltoallv, MPICH_BY_PAIR),
        ] {
            for (_, name) in rules.iter().flat_map(|(_, by_size)| *by_size) {
                let mut all = of(flavour, collective);
                assert!(all.any(|own| own.name == *name), "{flavour} {name}");
            }
        }
    }

    #[test]
    fn mpich_exchanges_large_messages_in_pairs() {
        let mpich = "MPICH Version:\t4.0.2";
        assert_eq!(alltoall(mpich, 8, 32 << 10), Some(Traffic::AtOnce));
        assert_eq!(alltoall(mpich, 8, 33 << 10), Some(Traffic::Powers));
        assert_eq!(
            alltoall("Open MPI v4.1.4", 8, 33 << 10),
            Some(Traffic::AtOnce)
        );
        assert_eq!(alltoall("another", 8, 1), None);
    }
}
