//! Tests of reductions: known orders, and faults that the proof must find.

mod closed_forms;
mod pairs;

use crate::algorithm::{Algorithm, Collective, CollectiveCall};
use crate::schedule::{BlockResult, OperandOrder, Round, ScheduleError, check_delivery, check_synchronisation};
use crate::units::{Bytes, Procs, Rank};

/// Changes a part of a round.
type RoundChange = fn(Rank, usize, &mut Round);

/// The proof of an all-reduce of five ranks with a changed round.
fn check_changed(name: &str, order: OperandOrder, change: RoundChange) -> Result<(), ScheduleError> {
    let procs = Procs::new(5).unwrap();
    let schedule = Algorithm::parse(Collective::Allreduce, name)
        .unwrap()
        .serve(&CollectiveCall::new(procs, Bytes(800)))
        .unwrap();
    let extent = schedule.extent();
    let round = |rank, index| {
        let mut round = schedule.round(rank, index);
        change(rank, index, &mut round);
        round
    };
    let expected = |_| {
        let parts = 0..extent.division.parts();
        parts.map(|part| (part, BlockResult::Combined(part, order))).collect()
    };
    check_delivery(extent, round, expected)
}

#[test]
fn wrong_combinations_are_found() {
    use OperandOrder::{Any, Ranks};
    let swap: RoundChange = |rank, index, round| {
        if (rank, index) == (Rank(4), 1) {
            for one in &mut round.combinations {
                (one.left, one.right) = (one.right, one.left);
            }
        }
    };
    let faults = [
        ("recursive-doubling", Ranks, (|_, _, _| ()) as RoundChange),
        ("ring", Any, |_, _, _| ()),
        ("ring", Ranks, |_, _, _| ()),
        ("recursive-doubling", Ranks, |rank, index, round| {
            if (rank, index) == (Rank(1), 0) {
                round.combinations.clear();
            }
        }),
        ("recursive-doubling", Ranks, |rank, _, round| {
            if rank == Rank(3) {
                round.combinations.extend(round.combinations.first().copied());
            }
        }),
        ("recursive-doubling", Ranks, swap),
        ("direct", Ranks, |rank, _, round| {
            if rank == Rank(2) {
                round.combinations.reverse();
            }
        }),
        ("rabenseifner", Any, |rank, index, round| {
            if (rank, index) == (Rank(0), 0) {
                let first = round.combinations[0];
                round.combinations[0].left = first.right;
            }
        }),
    ]
    .map(|(name, order, change)| match check_changed(name, order, change) {
        Ok(()) => format!("{name} {order:?}: complete\n"),
        Err(fault) => format!("{name} {order:?}: {fault}\n"),
    });
    insta::assert_snapshot!(faults.concat());
}

/// A dissemination without its last round.
#[test]
fn a_barrier_that_is_left_too_early_is_found() {
    let procs = Procs::new(6).unwrap();
    let schedule = Algorithm::parse(Collective::Barrier, "dissemination")
        .unwrap()
        .schedule(procs, Bytes(0));
    let mut extent = schedule.extent();
    let round = |rank, index| schedule.round(rank, index);
    assert_eq!(check_synchronisation(extent, round), Ok(()));
    extent.rounds -= 1;
    let fault = check_synchronisation(extent, round).unwrap_err().to_string();
    assert_eq!(fault, "rank 0 leaves the barrier without a sign of rank 1");
}

/// 536 B are 67 doubles: two phases of 6·67, and a third for the other 396 elements of 1200.
#[test]
fn vectors_are_cut_between_elements() {
    let parts = |name: &str, count, size, element| {
        let call = CollectiveCall {
            element: Bytes(element),
            ..CollectiveCall::new(Procs::new(count).unwrap(), Bytes(size))
        };
        let collective = if name.starts_with("pipeline") {
            Collective::Reduce
        } else {
            Collective::Allreduce
        };
        let schedule = Algorithm::parse(collective, name).unwrap().serve(&call).unwrap();
        let division = schedule.extent().division;
        (0..division.parts())
            .map(|part| division.bytes(part))
            .collect::<Vec<_>>()
    };
    assert_eq!(parts("ring-segmented:536", 6, 9600, 8).len(), 18);
    assert_eq!(parts("ring-segmented:4", 6, 9600, 8).len(), 6);
    assert_eq!(parts("ring", 3, 80, 16), [32, 32, 16]);
    assert_eq!(parts("pipeline:20", 3, 56, 8), [16, 16, 16, 8]);
    assert_eq!(parts("pipeline:21", 3, 56, 8), [24, 24, 8]);
    assert_eq!(parts("pipeline:7", 3, 56, 8), [56]);
}
