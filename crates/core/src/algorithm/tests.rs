//! Tests of all algorithms: what the table promises of each of its entries.

mod calls;

use std::borrow::Cow;

use super::*;
use crate::schedule::{Message, Messages};

fn procs(count: u32) -> Procs {
    Procs::new(count).unwrap()
}

fn parse(collective: Collective, text: &str) -> Algorithm {
    Algorithm::parse(collective, text).unwrap()
}

/// The messages themselves.
pub(super) fn listed(messages: &Messages) -> Vec<Message> {
    messages.iter().map(Cow::into_owned).collect()
}

/// The bytes that each rank sends in all its rounds.
pub(crate) fn sent_bytes(algorithm: Algorithm, procs: Procs, size: Bytes) -> Vec<u64> {
    let extent = algorithm.schedule(procs, size).extent();
    let of = |rank| {
        let rounds =
            (0..extent.rounds).map(|index| algorithm.schedule(procs, size).round(rank, index));
        let sends = rounds.flat_map(|round| listed(&round.sends));
        let slots = sends.flat_map(|send| send.slots);
        slots.map(|slot| extent.division.bytes(slot.index())).sum()
    };
    procs.ranks().map(of).collect()
}

/// Every entry with settings that suit few and many ranks, and sizes below and beyond the
/// number of parts, whole multiples of the segment and not.
fn cases() -> impl Iterator<Item = (Algorithm, Bytes)> {
    ALGORITHMS.iter().flat_map(|entry| {
        let values: &[u32] = match entry.settings {
            [] => &[0],
            [setting, ..] if setting.kind == Kind::Size => &[1, 7, 8192],
            [setting, ..] if *setting == setting::RADIX => &[2, 3, 5, 16, 64],
            _ => &[1, 2, 3, 7, 16, 21, 64],
        };
        let sizes: &[u64] = match entry.cut {
            Cut::Straight | Cut::Whole => &[3],
            Cut::Ranks | Cut::PowerOfTwo => &[1, 5, 64, 1001],
            Cut::Segments => &[1, 7, 20],
        };
        let algorithms = values
            .iter()
            .map(|&value| parse(entry.collective, &entry.text(|_| value)));
        algorithms.flat_map(|algorithm| sizes.iter().map(move |&size| (algorithm, Bytes(size))))
    })
}

/// Also, the longest message that is stated occurs.
#[test]
fn every_algorithm_delivers_for_every_process_count() {
    for (algorithm, size) in cases() {
        for count in (1..=33).chain([47, 64, 70]) {
            let case = format!(
                "{} {algorithm} among {count}, {size}",
                algorithm.collective()
            );
            let schedule = algorithm.schedule(procs(count), size);
            assert_eq!(schedule.check(), Ok(()), "{case}");
            let extent = schedule.extent();
            let rounds = (0..extent.rounds).flat_map(|index| {
                let schedule = &schedule;
                procs(count)
                    .ranks()
                    .map(move |rank| schedule.round(rank, index))
            });
            let sends = rounds.flat_map(|round| listed(&round.sends));
            let longest = sends.map(|send| send.slots.len()).max();
            if count > 1 {
                assert_eq!(longest, Some(extent.longest_message as usize), "{case}");
            }
        }
    }
}

#[test]
fn an_algorithm_may_have_several_settings() {
    static KNOMIAL_SEGMENTED: Entry = Entry {
        name: "knomial-segmented",
        settings: &[setting::RADIX, setting::SEGMENT],
        cut: Cut::Segments,
        ..bcast::BINOMIAL_SEGMENTED
    };
    let set = |text| Algorithm::set(&KNOMIAL_SEGMENTED, text);
    let algorithm = set("knomial-segmented:segment=1KiB,radix=4").unwrap();
    assert_eq!(
        algorithm.to_string(),
        "knomial-segmented:radix=4,segment=1024"
    );
    let schedule = algorithm.schedule(procs(5), Bytes(5000));
    assert_eq!(schedule.extent().division.parts(), 5);
    assert_eq!(schedule.check(), Ok(()));
    let refused = set("knomial-segmented:4").unwrap_err().to_string();
    let usage = "write knomial-segmented:radix=RADIX,segment=SEGMENT";
    assert!(refused.contains(usage), "{refused}");
}

fn is_idle(round: &Round) -> bool {
    round.sends.is_empty() && round.receives.is_empty() && round.copies.is_empty()
}

/// Compares with the first and last round that give a rank something to do. Some algorithms
/// have ranks that wait at either end and promise no more than all rounds.
#[test]
fn ranks_are_idle_outside_of_their_active_rounds() {
    let loose = [
        "scatter-allgather",
        "scatter-allgather-ring",
        "recursive-doubling",
        "two-phase",
        "two-phase-balanced",
    ];
    for (algorithm, size) in cases() {
        for procs in (1..=33).map(procs) {
            let extent = algorithm.schedule(procs, size).extent();
            for rank in procs.ranks() {
                let mut busy = (0..extent.rounds)
                    .filter(|&index| !is_idle(&algorithm.schedule(procs, size).round(rank, index)));
                let first = busy.next();
                let last = busy.next_back().or(first);
                let found = first
                    .zip(last)
                    .map_or(0..0, |(first, last)| first..last + 1);
                let active = algorithm.schedule(procs, size).active(rank);
                let collective = algorithm.collective();
                let case = format!("{collective} {algorithm}, rank {rank} of {procs}, {size}");
                assert!(active.end <= extent.rounds, "{case}");
                if loose.contains(&algorithm.entry.name) {
                    assert!(
                        active.start <= found.start && found.end <= active.end,
                        "{case}"
                    );
                } else if !(found.is_empty() && active.is_empty()) {
                    assert_eq!(active, found, "{case}");
                }
            }
        }
    }
}

#[test]
fn a_proof_is_for_one_algorithm_root_and_number_of_processes_and_parts() {
    let schedule = |text, count, size, root| {
        let call = Call {
            root: Rank(root),
            ..Call::new(procs(count), Bytes(size))
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
        ("pipeline:100", 4, 250, 2, false),
    ] {
        let other = schedule(text, count, size, root);
        assert_eq!(
            proven.is_for(&other),
            is_proven,
            "{text} {count} {size} {root}"
        );
    }
    // A name that two collectives have.
    let flat = schedule("flat", 4, 1, 0).prove().unwrap();
    let other = parse(Collective::Scatter, "flat").schedule(procs(4), Bytes(1));
    assert!(!flat.is_for(&other));
    let turned = schedule("chain", 4, 9, 2).prove().unwrap();
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
    let examples = ALGORITHMS
        .iter()
        .map(|entry| (entry.collective, entry.example()));
    for (collective, text) in examples {
        assert_eq!(parse(collective, &text).to_string(), text);
    }
    for (collective, text, canonical) in [
        (Collective::Bcast, "pipeline:8KiB", "pipeline:8192"),
        (Collective::Bcast, "pipeline:1kB", "pipeline:1000"),
        (
            Collective::Bcast,
            "pipeline:2147483647",
            "pipeline:2147483647",
        ),
        (Collective::Alltoall, "throttled:window=4", "throttled:4"),
    ] {
        assert_eq!(parse(collective, text).to_string(), canonical);
    }
}

#[test]
fn wrong_names_say_what_there_is() {
    let told = [
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
    .map(|(collective, text)| format!("{}\n", Method::parse(collective, text).unwrap_err()));
    insta::assert_snapshot!(told.concat());
}

/// What MPI says of each call, written out for three ranks.
#[test]
fn collectives_promise_what_mpi_says() {
    use Collective::{Allgather, Alltoall, Bcast, Gather, Scatter};
    type Promise = [&'static [(u32, u32)]; 3];
    let promises: [(Collective, Promise); 5] = [
        (Bcast, [&[], &[(0, 0)], &[(0, 0)]]),
        (Scatter, [&[(0, 0)], &[(0, 1)], &[(0, 2)]]),
        (Gather, [&[(0, 0), (1, 0), (2, 0)], &[], &[]]),
        (
            Alltoall,
            [
                &[(0, 0), (1, 0), (2, 0)],
                &[(0, 1), (1, 1), (2, 1)],
                &[(0, 2), (1, 2), (2, 2)],
            ],
        ),
        (Allgather, [&[(0, 0), (1, 0), (2, 0)]; 3]),
    ];
    for (collective, promise) in promises {
        for (rank, expected) in procs(3).ranks().zip(promise) {
            let pieces = collective.expected(procs(3), Rank(0), rank);
            let pieces: Vec<_> = pieces.map(|piece| (piece.origin.0, piece.number)).collect();
            assert_eq!(pieces, expected, "{collective}");
        }
    }
}
