//! Tests that every entry of the table keeps its promises.

mod calls;
#[path = "../../tests/long_form/mod.rs"]
mod long_form;

use std::borrow::Cow;
use std::ops::Range;

use itertools::Itertools;

use self::long_form::is_long_form;
use super::testing::sent_bytes;
use super::*;
use crate::schedule::{Round, RoundMessages, ScheduleMessage};
use crate::units::{Procs, Rank};

fn procs(count: u32) -> Procs {
    Procs::new(count).unwrap()
}

fn parse(collective: Collective, text: &str) -> Algorithm {
    Algorithm::parse(collective, text).unwrap()
}

/// The messages themselves.
pub(super) fn listed(messages: &RoundMessages) -> Vec<ScheduleMessage> {
    messages.iter().map(Cow::into_owned).collect()
}

/// Layouts of two clusters of up to 12 ranks and of three of up to 5, with consecutive ranks; some also with the
/// ranks of the clusters in turn.
pub(super) fn layouts() -> impl Iterator<Item = ClusterLayout> {
    let two = (1..=12).cartesian_product(1..=12).map(|(a, b)| vec![a, b]);
    let three = (1..=5).map(|_| 1..=5u32).take(3).multi_cartesian_product();
    let in_a_row = two.chain(three).map(|sizes| ClusterLayout::of_sizes(&sizes));
    let in_turn = [[2, 5, 3], [4, 4, 1], [7, 3, 0], [6, 6, 6]].map(|sizes| {
        let turns = (0..7).cartesian_product([2, 0, 1usize]);
        ClusterLayout::new(turns.filter_map(|(turn, cluster)| (turn < sizes[cluster]).then_some(cluster)))
    });
    in_a_row.chain(in_turn)
}

/// The schedule of an algorithm for pieces of 10 bytes among the ranks of a layout.
#[track_caller]
pub(super) fn clustered(collective: Collective, text: &str, layout: &ClusterLayout, root: Rank) -> Schedule {
    let call = CollectiveCall {
        root,
        layout: Some(layout.clone()),
        ..CollectiveCall::new(procs(u32::try_from(layout.ranks()).unwrap()), Bytes(10))
    };
    parse(collective, text).serve(&call).unwrap()
}

/// Every entry with settings that suit few and many ranks, and sizes below and beyond the
/// number of parts, whole multiples of the segment and not.
fn cases() -> impl Iterator<Item = (Algorithm, Bytes)> {
    ALGORITHMS.iter().flat_map(|entry| {
        let values: &[u32] = match entry.settings {
            [] => &[0],
            [setting, ..] if setting.kind == SettingKind::Size => &[1, 7, 24, 8192],
            [setting, ..] if *setting == setting::RADIX => &[2, 3, 5, 16, 64],
            _ => &[1, 2, 3, 7, 16, 21, 64],
        };
        let sizes: &[u64] = match entry.cut {
            PieceCut::Straight | PieceCut::Whole => &[3],
            PieceCut::Ranks | PieceCut::PowerOfTwo => &[1, 5, 64, 1001],
            PieceCut::Segments | PieceCut::StraightSegments => &[1, 7, 20],
            PieceCut::RankElements | PieceCut::PowerOfTwoElements | PieceCut::Halves | PieceCut::ClusterHalves => {
                &[8, 40, 512, 8008]
            }
            PieceCut::SegmentElements | PieceCut::RingSegments => &[8, 56, 800],
        };
        let algorithms = values
            .iter()
            .map(|&value| parse(entry.collective, &entry.text(|_| value)));
        algorithms.flat_map(|algorithm| sizes.iter().map(move |&size| (algorithm, Bytes(size))))
    })
}

/// The rounds from the first to the last that give a rank something to do.
fn busy_rounds(rounds: &[Round]) -> Range<usize> {
    let is_busy = |round: &Round| !(round.sends.is_empty() && round.receives.is_empty() && round.copies.is_empty());
    let first = rounds.iter().position(is_busy).unwrap_or(0);
    first..rounds.iter().rposition(is_busy).map_or(0, |last| last + 1)
}

/// Also, a message of the stated largest length occurs, and ranks are idle outside of their active rounds. Algorithms
/// whose ranks wait at either end may state all rounds as active.
#[test]
fn every_algorithm_delivers_for_every_process_count() {
    let loose = [
        "scatter-allgather",
        "scatter-allgather-ring",
        "recursive-doubling",
        "two-level",
    ];
    let counts = if is_long_form() {
        (1..=33).chain([47, 64, 70]).collect_vec()
    } else {
        (1..=17).chain([24, 31, 33, 64]).collect()
    };
    for ((algorithm, size), count) in cases().cartesian_product(counts) {
        let collective = algorithm.collective();
        let case = format!("{collective} {algorithm} among {count}, {size}");
        let schedule = algorithm.schedule(procs(count), size);
        assert_eq!(schedule.check(), Ok(()), "{case}");
        let extent = schedule.extent();
        let mut longest = None;
        for rank in procs(count).ranks() {
            let all_rounds = (0..extent.rounds).map(|index| schedule.round(rank, index));
            let rounds: Vec<Round> = all_rounds.collect();
            let sends = rounds.iter().flat_map(|round| round.sends.iter());
            longest = longest.max(sends.map(|send| send.slots.len()).max());
            let (active, found) = (schedule.active_rounds(rank), busy_rounds(&rounds));
            assert!(active.end <= extent.rounds, "{case}");
            let is_loose = loose.contains(&algorithm.entry.name) || algorithm.operand_order().is_some();
            if is_loose || collective == Collective::Barrier {
                let is_inside = active.start <= found.start && found.end <= active.end;
                assert!(is_inside, "{case}, rank {rank}");
            } else if !(found.is_empty() && active.is_empty()) {
                assert_eq!(active, found, "{case}, rank {rank}");
            }
        }
        if count > 1 && extent.rounds > 0 {
            assert_eq!(longest, Some(extent.longest_message as usize), "{case}");
        }
    }
}

/// Ten segments, if any; the last is short.
#[test]
fn rounds_are_those_of_the_literature() {
    use Collective::{Allgather, Bcast};
    for count in 2..40u32 {
        let [ceil, floor] = [count.next_power_of_two().ilog2(), count.ilog2()];
        let folds = if count.is_power_of_two() { 0 } else { 2 };
        let is_even = count.is_multiple_of(2);
        for (collective, text, expected) in [
            (Bcast, "flat", 1),
            (Bcast, "chain", count - 1),
            (Bcast, "binary", floor),
            (Bcast, "binomial", ceil),
            (Bcast, "knomial:2", ceil),
            (Bcast, "knomial:4", ceil.div_ceil(2)),
            (Bcast, "flat-segmented:101", 10),
            (Bcast, "pipeline:101", count - 2 + 10),
            (Bcast, "binary-segmented:101", floor - 1 + 10),
            (Bcast, "binomial-segmented:101", floor - 1 + 10),
            (Allgather, "ring", count - 1),
            (Allgather, "recursive-doubling", floor + folds),
            (Allgather, "bruck", ceil),
            (Allgather, "neighbour", if is_even { count / 2 } else { count - 1 }),
        ] {
            let schedule = parse(collective, text).schedule(procs(count), Bytes(1000));
            let rounds = schedule.extent().rounds;
            assert_eq!(rounds, expected as usize, "{text} among {count}");
        }
    }
}

/// In a tree a piece is sent as many times as its rank is deep, in an all-gather once to every other rank. The
/// scatter of a broadcast sends (P/2)·log₂P equal parts, its second phase as many as an all-gather.
#[test]
fn ranks_send_no_more_bytes_than_the_literature_says() {
    use Collective::{Allgather, Bcast, Gather, Scatter};
    let check = |collective, text: &str, count, size: u64, expected: u64| {
        let sent_by_rank = sent_bytes(parse(collective, text), procs(count), Bytes(size));
        let sent: u64 = sent_by_rank.into_iter().sum();
        assert_eq!(sent, expected, "{collective} {text} among {count}");
    };
    for count in 1..40 {
        let all = u64::from(count);
        let rank_depths = (0..count).map(|rank: u32| u64::from(rank.count_ones()));
        let (pairs, depths) = (all * (all - 1), rank_depths.sum::<u64>());
        for collective in [Scatter, Gather] {
            check(collective, "flat", count, 7, 7 * (all - 1));
            check(collective, "binomial", count, 7, 7 * depths);
            check(collective, "chain", count, 7, 7 * pairs / 2);
        }
        for entry in algorithm_entries(Allgather) {
            check(Allgather, &entry.example(), count, 7, 7 * pairs);
        }
        if count.is_power_of_two() {
            let parts = all / 2 * u64::from(count.ilog2()) + pairs;
            for text in ["scatter-allgather", "scatter-allgather-ring"] {
                check(Bcast, text, count, 7 * all, 7 * parts);
            }
        }
    }
}

#[test]
fn sends_go_out_in_the_order_of_their_algorithm() {
    for (text, count, rank, expected) in [
        ("direct", 5, 2, &[3, 4, 0, 1][..]),
        ("direct-unrotated", 5, 2, &[0, 1, 3, 4]),
        ("pairwise", 8, 5, &[4, 7, 6, 1, 0, 3, 2]),
        ("pairwise", 6, 5, &[0, 1, 2, 3, 4]),
        ("sends-in-turn", 8, 5, &[4, 7, 6, 1, 0, 3, 2]),
        ("sends-in-turn", 6, 5, &[0, 1, 2, 3, 4]),
        ("pairwise-segmented:10", 3, 2, &[0, 0, 0, 1, 1, 1]),
    ] {
        let schedule = parse(Collective::Alltoall, text).schedule(procs(count), Bytes(25));
        let rounds = (0..schedule.extent().rounds).map(|index| schedule.round(Rank(rank), index));
        let sends = rounds.flat_map(|round| listed(&round.sends));
        let partners: Vec<u32> = sends.map(|send| send.partner.0).collect();
        assert_eq!(partners, expected, "{text}");
    }
}

#[test]
fn an_algorithm_may_have_several_settings_by_name_in_any_order() {
    static KNOMIAL_SEGMENTED: AlgorithmEntry = AlgorithmEntry {
        name: "both",
        settings: &[setting::RADIX, setting::SEGMENT],
        cut: PieceCut::Segments,
        ..bcast::BINOMIAL_SEGMENTED
    };
    let set = |settings| Algorithm::with_settings(&KNOMIAL_SEGMENTED, &format!("both:{settings}"));
    let canonical = "both:radix=4,segment=1024";
    for text in ["segment=1KiB,radix=4", "radix=4, segment=1024"] {
        assert_eq!(set(text).unwrap().to_string(), canonical);
    }
    let schedule = set("radix=4,segment=1KiB").unwrap().schedule(procs(5), Bytes(5000));
    assert_eq!(schedule.extent().division.parts(), 5);
    assert_eq!(schedule.check(), Ok(()));
    for wrong in [
        "4",
        "radix=4",
        "radix=4,radix=4",
        "radix=1,segment=1",
        "radix=4,window=1",
        "radix=4,segment=1,",
    ] {
        let refused = set(wrong).unwrap_err().to_string();
        let usage = "write both:radix=RADIX,segment=SEGMENT";
        assert!(refused.contains(usage), "{refused}");
    }
    assert!(Algorithm::parse(Collective::Alltoall, "direct:radix=4").is_err());
}

#[test]
fn a_proof_is_for_one_algorithm_and_number_of_processes_and_parts() {
    let schedule = |text, count, size, root| {
        let call = CollectiveCall {
            root: Rank(root),
            ..CollectiveCall::new(procs(count), Bytes(size))
        };
        parse(Collective::Bcast, text).serve(&call).unwrap()
    };
    let proven = schedule("pipeline:100", 4, 250, 0).prove().unwrap();
    assert_eq!(proven.rounds(), 4 - 2 + 3);
    for (text, count, size, root, is_proven) in [
        ("pipeline:100", 4, 250, 0, true),
        ("pipeline:100", 4, 201, 0, true),
        ("pipeline:100", 4, 200, 0, false),
        ("pipeline:100", 5, 250, 0, false),
        ("pipeline:99", 4, 250, 0, false),
        ("binary-segmented:100", 4, 250, 0, false),
        ("pipeline:100", 4, 250, 2, true),
    ] {
        let is_transferred = proven.for_schedule(schedule(text, count, size, root)).is_some();
        assert_eq!(is_transferred, is_proven, "{text} {count} {size} {root}");
    }
    // A name that two collectives have.
    let flat = schedule("flat", 4, 1, 0).prove().unwrap();
    let other = parse(Collective::Scatter, "flat").schedule(procs(4), Bytes(1));
    assert!(flat.for_schedule(other).is_none());
    let chain = schedule("chain", 4, 9, 0).prove().unwrap();
    let turned = chain.for_schedule(schedule("chain", 4, 9, 2)).unwrap();
    let last = turned.round(Rank(1), 2);
    assert_eq!(last.receives.get(0).unwrap().partner, Rank(0));
}

#[test]
fn absurd_numbers_of_segments_are_told() {
    let algorithm = parse(Collective::Alltoall, "pairwise-segmented:1");
    let extent = algorithm.schedule(procs(100_000), Bytes(u64::MAX)).extent();
    assert_eq!(extent.blocks.input, u32::MAX);
}

#[test]
fn texts_survive_a_round_trip_and_sizes_may_have_units() {
    for entry in ALGORITHMS {
        let text = entry.example();
        assert_eq!(parse(entry.collective, &text).to_string(), text);
    }
    for (collective, text, canonical) in [
        (Collective::Bcast, "pipeline:8KiB", "pipeline:8192"),
        (Collective::Bcast, "pipeline:2147483647", "pipeline:2147483647"),
        (Collective::Alltoall, "throttled:window=4", "throttled:4"),
    ] {
        assert_eq!(parse(collective, text).to_string(), canonical);
    }
}

#[test]
fn wrong_names_say_what_there_is() {
    let errors = [
        (Collective::Scatter, "ring"),
        (Collective::Alltoall, "throttled"),
        (Collective::Alltoall, "throttled:0"),
        (Collective::Alltoall, "throttled:x"),
        (Collective::Alltoall, "throttled:1KiB"),
        (Collective::Alltoall, "direct:3"),
        (Collective::Alltoall, "bruck"),
        (Collective::Alltoall, "bruck:1"),
        (Collective::Bcast, "pipeline:"),
        (Collective::Bcast, "pipeline:0"),
        (Collective::Bcast, "pipeline:4k"),
        (Collective::Bcast, "pipeline:2GiB"),
    ]
    .map(|(collective, text)| format!("{}\n", CollectiveMethod::parse(collective, text).unwrap_err()));
    insta::assert_snapshot!(errors.concat());
}

/// The result that MPI defines for each call: pieces, by origin and number, or parts of six of a combined vector, at each
/// of three ranks.
#[test]
fn collectives_promise_what_mpi_says() {
    let promises = COLLECTIVES.iter().map(|collective| {
        let pieces_of = |rank| collective.expected_pieces(procs(3), Rank(0), rank);
        let pieces = |rank| pieces_of(rank).map(|piece| (piece.origin.0, piece.number)).collect();
        let ranks: Vec<Vec<(u32, u32)>> = procs(3).ranks().map(pieces).collect();
        let parts_of = |rank| collective.reduced_parts(procs(3), Rank(0), rank, 6);
        let reduced: Vec<Range<u32>> = procs(3).ranks().map(parts_of).collect();
        format!("{collective}: {ranks:?} {reduced:?}\n")
    });
    insta::assert_snapshot!(promises.collect::<String>());
}
