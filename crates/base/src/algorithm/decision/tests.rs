//! The rules name algorithms that the libraries have; what runs in calls that were observed in the libraries.

use super::*;
use crate::algorithm::{ReductionForm, TreeLoad};

fn alltoall(mpi: &str, procs: u32, size: u64) -> Option<AlgorithmTraffic> {
    let decision = LibraryDecision::of(MpiFlavour::from_version(mpi)?, Collective::Alltoall)?;
    decision.traffic(Procs::new(procs).unwrap(), Bytes(size))
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

#[test]
fn the_rules_name_algorithms_that_the_libraries_have() {
    for decision in DECISIONS.iter() {
        let offers = offered_algorithms(decision.collective);
        for (name, _) in &decision.traffics {
            let mut flavour_offers = offers.iter().filter(|offer| offer.flavour == decision.flavour);
            // MPICH refuses to be forced to this one, which calls others.
            let is_offered = *name == "smp" || flavour_offers.any(|offer| offer.name == *name);
            assert!(is_offered, "{} {} {name}", decision.flavour, decision.collective);
        }
    }
    assert_eq!(DECISIONS.len(), 20);
}

/// A call with doubles.
fn case(count: u32, elements: u64, operator: OperatorKind) -> DecisionCase {
    let procs = Procs::new(count).unwrap();
    DecisionCase {
        operator,
        ..DecisionCase::new(procs, Bytes(8 * elements))
    }
}

/// `chosen > runs (reduce)` of a call with doubles.
fn decided(flavour: MpiFlavour, collective: Collective, call: DecisionCase) -> String {
    let decision = LibraryDecision::of(flavour, collective).unwrap();
    let chosen = decision.chosen(call).unwrap();
    match decision.runs(call) {
        None => format!("{chosen} > nothing"),
        Some(RunAlgorithm { name, reduce: None }) => format!("{chosen} > {name}"),
        Some(RunAlgorithm {
            name,
            reduce: Some(reduce),
        }) => format!("{chosen} > {name} ({reduce})"),
    }
}

/// Functions that Open MPI 4.1.4 called.
#[test]
fn open_mpi_runs_another_algorithm_where_the_chosen_one_refuses() {
    use Collective::{Allreduce, Barrier, Reduce, ReduceScatter, ReduceScatterBlock};
    use OperatorKind::{Commutative, InOrder, Predefined};
    for (collective, count, elements, operator, expected) in [
        (Allreduce, 48, 16, Predefined, "rabenseifner > basic_linear"),
        (Allreduce, 48, 32, Commutative, "rabenseifner > rabenseifner"),
        (Allreduce, 48, 15, Predefined, "segmented_ring > recursive_doubling"),
        (Allreduce, 3, 8192, Predefined, "segmented_ring > ring"),
        (Allreduce, 6, 1, Predefined, "ring > recursive_doubling"),
        (
            Allreduce,
            12,
            131_072,
            InOrder,
            "nonoverlapping > nonoverlapping (in-order_binary)",
        ),
        (Allreduce, 8, 0, Predefined, "recursive_doubling > nothing"),
        (Reduce, 3, 0, Predefined, "rabenseifner > nothing"),
        (Reduce, 4, 1024, Predefined, "chain > chain"),
        (Reduce, 12, 1024, InOrder, "in-order_binary > in-order_binary"),
        (
            ReduceScatter,
            40,
            4,
            Predefined,
            "non-overlapping > non-overlapping (binomial)",
        ),
        (
            ReduceScatter,
            6,
            6,
            InOrder,
            "non-overlapping > non-overlapping (linear)",
        ),
        (
            ReduceScatterBlock,
            6,
            6,
            Predefined,
            "recursive_doubling > recursive_doubling",
        ),
        (
            ReduceScatterBlock,
            12,
            12 * 65_536,
            Predefined,
            "basic_linear > basic_linear (binomial)",
        ),
        (Barrier, 6, 0, Predefined, "linear > linear"),
        (Barrier, 256, 0, Predefined, "tree > tree"),
    ] {
        let found = decided(MpiFlavour::OpenMpi, collective, case(count, elements, operator));
        assert_eq!(found, expected, "{collective} {count} {elements}");
    }
}

/// A forced segmented ring needs a segment for every rank: 64 doubles have 8 segments of 8.
#[test]
fn a_forced_segmented_ring_needs_a_segment_for_every_rank() {
    let decision = LibraryDecision::of(MpiFlavour::OpenMpi, Collective::Allreduce).unwrap();
    let forced = |count, segment| {
        let call = DecisionCase {
            segment,
            ..case(count, 64, OperatorKind::Predefined)
        };
        decision.runs_for("segmented_ring", call).unwrap().name
    };
    assert_eq!(forced(8, Some(Bytes(64))), "segmented_ring");
    assert_eq!(forced(9, Some(Bytes(64))), "ring");
    assert_eq!(forced(8, None), "ring");
    assert_eq!(forced(65, None), "recursive_doubling");
}

/// Functions that MPICH 4.0.2 called.
#[test]
fn mpich_decides_by_bytes_elements_and_operation() {
    use Collective::{Allreduce, Barrier, Reduce, ReduceScatter, ReduceScatterBlock};
    use OperatorKind::{Commutative, InOrder, Predefined};
    for (collective, count, elements, operator, expected) in [
        (Allreduce, 8, 0, Predefined, "smp > smp"),
        (Allreduce, 8, 0, InOrder, "recursive_doubling > recursive_doubling"),
        (Allreduce, 8, 7, Predefined, "recursive_doubling > recursive_doubling"),
        (
            Allreduce,
            8,
            8,
            Predefined,
            "reduce_scatter_allgather > reduce_scatter_allgather",
        ),
        (Allreduce, 8, 8, Commutative, "recursive_doubling > recursive_doubling"),
        (Reduce, 12, 256, Predefined, "binomial > binomial"),
        (
            Reduce,
            12,
            257,
            Predefined,
            "reduce_scatter_gather > reduce_scatter_gather",
        ),
        (Reduce, 12, 0, Predefined, "smp > nothing"),
        (
            ReduceScatter,
            8,
            65_535,
            Commutative,
            "recursive_halving > recursive_halving",
        ),
        (ReduceScatter, 8, 65_536, Predefined, "pairwise > pairwise"),
        (ReduceScatter, 8, 64, InOrder, "noncommutative > noncommutative"),
        (ReduceScatter, 8, 65, InOrder, "recursive_doubling > recursive_doubling"),
        (
            ReduceScatterBlock,
            6,
            60,
            InOrder,
            "recursive_doubling > recursive_doubling",
        ),
        (Barrier, 6, 0, Predefined, "dissemination > dissemination"),
    ] {
        let found = decided(MpiFlavour::Mpich, collective, case(count, elements, operator));
        assert_eq!(found, expected, "{collective} {count} {elements}");
    }
}

/// MPICH's rules decide on the calls that a forced algorithm cannot serve, and are known to do so.
#[test]
fn a_forced_algorithm_of_mpich_leaves_calls_to_the_rules() {
    use Collective::{Allreduce, Reduce, ReduceScatter, ReduceScatterBlock};
    for (collective, forced, count, elements, expected) in [
        (Allreduce, "reduce_scatter_allgather", 12, 8, "reduce_scatter_allgather"),
        (Allreduce, "reduce_scatter_allgather", 12, 7, "recursive_doubling"),
        (Reduce, "reduce_scatter_gather", 8, 7, "binomial"),
        (ReduceScatter, "noncommutative", 8, 64, "noncommutative"),
        (ReduceScatterBlock, "noncommutative", 8, 64, "noncommutative"),
        (ReduceScatterBlock, "noncommutative", 6, 60, "recursive_halving"),
        (ReduceScatterBlock, "noncommutative", 6, 60_000_000, "pairwise"),
        (ReduceScatter, "pairwise", 6, 60, "pairwise"),
    ] {
        let decision = LibraryDecision::of(MpiFlavour::Mpich, collective).unwrap();
        let run = decision.runs_for(forced, case(count, elements, OperatorKind::Predefined));
        assert_eq!(run.unwrap().name, expected, "{forced} {count} {elements}");
    }
    for &collective in COLLECTIVES {
        for offer in offered_algorithms(collective) {
            let variables = offer.variables(collective, None);
            let leaves = variables.iter().any(|(_, value)| value == "silent");
            let mut known = fallbacks(MpiFlavour::Mpich, collective);
            let is_known = offer.flavour == MpiFlavour::Mpich && known.any(|fallback| fallback.chosen == offer.name);
            assert_eq!(leaves, is_known, "{collective} {}", offer.name);
        }
    }
}

/// A linear reduce and broadcast where a vector has too few elements to be halved.
#[test]
fn the_traffic_is_that_of_what_runs() {
    let traffic = |collective, count, size| {
        let decision = LibraryDecision::of(MpiFlavour::OpenMpi, collective).unwrap();
        decision.traffic(Procs::new(count).unwrap(), Bytes(size))
    };
    let steps = |form| Some(AlgorithmTraffic::Reduction(form));
    assert_eq!(
        traffic(Collective::Allreduce, 48, 128),
        steps(ReductionForm::FlatReduceBcast)
    );
    assert_eq!(traffic(Collective::Reduce, 4, 8192), steps(ReductionForm::ReduceChain));
    assert_eq!(traffic(Collective::Allreduce, 48, 0), None);
}

/// Open MPI 5 reduces by another component, but does not reduce and scatter by it.
#[test]
fn a_version_decides_by_its_component() {
    let is_known = |mpi, collective| LibraryDecision::of_version(mpi, collective).is_some();
    for collective in [Collective::Allreduce, Collective::Barrier, Collective::Bcast] {
        assert!(is_known("Open MPI v4.1.4", collective));
        assert!(!is_known("Open MPI v5.0.7", collective));
        assert!(is_known("MPICH Version:\t4.0.2", collective));
    }
    assert!(is_known("Open MPI v5.0.7", Collective::ReduceScatterBlock));
    assert!(!is_known("Intel(R) MPI Library 2021.18", Collective::Allreduce));
}

/// An algorithm that combines operands in any order is right for every operation only if Open MPI hands others on, or
/// if it calls the reduce of the communicator.
#[test]
fn an_algorithm_serves_every_operation_only_in_order() {
    use crate::algorithm::{ALGORITHMS, ServedOperations};
    use crate::schedule::OperandOrder;
    for entry in ALGORITHMS.iter().filter(|entry| entry.collective.is_reduction()) {
        for offer in entry.offered {
            let decision = LibraryDecision::of(offer.flavour, entry.collective);
            let hands_on = fallbacks(offer.flavour, entry.collective)
                .any(|fallback| fallback.chosen == offer.name && fallback.condition == RuleCondition::KeepsOrder);
            let called = decision.map_or(&[][..], |rules| rules.called_collectives(offer.name));
            let keeps_order = entry.rounds.operand_order() == Some(OperandOrder::Ranks);
            let is_right = keeps_order || hands_on || called.contains(&Collective::Reduce);
            let expected = is_right && offer.flavour != MpiFlavour::IntelMpi;
            let is_stated = offer.served_operations() == ServedOperations::Every;
            // The tree that MPICH takes for other operations keeps their order, netsig's does not.
            let is_binomial = (offer.flavour, offer.name) == (MpiFlavour::Mpich, "binomial");
            assert_eq!(
                is_stated,
                expected || is_binomial,
                "{} {} {}",
                offer.flavour,
                entry.collective,
                offer.name
            );
        }
    }
}
