//! Tests of all algorithms: what the table promises of each of its entries.

use super::*;
use crate::schedule::Slot;

fn procs(count: u32) -> Procs {
    Procs::new(count).unwrap()
}

fn parse(collective: Collective, text: &str) -> Algorithm {
    Algorithm::parse(collective, text).unwrap()
}

/// The bytes that each rank sends in all its rounds.
pub(super) fn sent_bytes(algorithm: Algorithm, procs: Procs, size: Bytes) -> Vec<u64> {
    let extent = algorithm.schedule(procs, size).extent();
    let of = |rank| {
        let rounds =
            (0..extent.rounds).map(|index| algorithm.schedule(procs, size).round(rank, index));
        let sends = rounds.flat_map(|round| round.sends);
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

#[test]
fn every_algorithm_delivers_for_every_process_count() {
    for (algorithm, size) in cases() {
        for count in 1..=33 {
            let checked = algorithm.schedule(procs(count), size).check();
            let collective = algorithm.collective();
            assert_eq!(
                checked,
                Ok(()),
                "{collective} {algorithm} among {count}, {size}"
            );
        }
    }
}

/// Ranks are only numbered from the root on, so that the schedule of rank v with root 0 is that
/// of rank v + r with root r, and must deliver.
#[test]
fn every_rooted_algorithm_delivers_from_every_root() {
    for (algorithm, size) in cases() {
        for procs in [1, 2, 3, 5, 8, 12].map(procs) {
            for root in procs.ranks() {
                let call = Call {
                    root,
                    ..Call::new(procs, size)
                };
                let collective = algorithm.collective();
                let served = algorithm.serve(&call);
                if !collective.has_root() && root != Rank(0) {
                    assert_eq!(served, Err(Unsupported::Rootless { collective }));
                    continue;
                }
                let case = format!("{collective} {algorithm} from {root} among {procs}, {size}");
                let schedule = served.unwrap();
                assert_eq!(schedule.check(), Ok(()), "{case}");
                let from_0 = algorithm.schedule(procs, size);
                assert_eq!(schedule.extent(), from_0.extent(), "{case}");
                for rank in procs.ranks() {
                    let own = schedule.active(rank.ahead(root.0, procs));
                    assert_eq!(own, from_0.active(rank), "{case}");
                }
            }
        }
    }
    let beyond = Call {
        root: Rank(4),
        ..Call::new(procs(4), Bytes(1))
    };
    let refused = parse(Collective::Bcast, "flat").serve(&beyond);
    let message = "root 4 is not a rank; write 0 to 3";
    assert_eq!(refused.unwrap_err().to_string(), message);
}

#[test]
fn a_proof_is_for_one_root() {
    let chain = parse(Collective::Bcast, "chain");
    let from = |root| {
        let call = Call {
            root: Rank(root),
            ..Call::new(procs(4), Bytes(9))
        };
        chain.serve(&call).unwrap()
    };
    let proven = from(2).prove().unwrap();
    assert!(proven.is_for(&from(2)));
    assert!(!proven.is_for(&from(0)));
    let last = proven.round(Rank(1), 2);
    assert_eq!(last.receives.get(0).unwrap().from, Rank(0));
}

#[test]
fn a_layout_of_two_clusters_takes_the_place_of_the_setting() {
    let algorithm = parse(Collective::Alltoall, "two-phase:2");
    let serve = |layout: &[u32]| {
        let call = Call {
            layout: Some(Layout::new(layout.iter().copied())),
            ..Call::new(procs(5), Bytes(1))
        };
        algorithm.serve(&call).map_err(|e| e.to_string())
    };
    let schedule = serve(&[7, 7, 7, 1, 1]).unwrap();
    assert_eq!(schedule.algorithm().to_string(), "two-phase:3");
    assert_eq!(schedule.check(), Ok(()));
    let two =
        "two-phase:2 serves two clusters with the ranks of each in a row; choose another algorithm";
    for layout in [[0; 5], [0, 0, 1, 2, 2], [0, 1, 0, 1, 1]] {
        assert_eq!(serve(&layout).unwrap_err(), two);
    }
    let count = "the layout of 2 ranks cannot be used among 5; give one for each rank";
    assert_eq!(serve(&[0, 1]).unwrap_err(), count);
    // Others run anywhere.
    let direct = parse(Collective::Alltoall, "direct");
    let call = Call {
        layout: Some(Layout::new([0, 1, 0])),
        ..Call::new(procs(3), Bytes(1))
    };
    assert_eq!(direct.serve(&call), Ok(direct.schedule(procs(3), Bytes(1))));
}

/// What an entry promises that serves pieces of different sizes: no message has another piece
/// than that of its sender for its receiver.
#[test]
fn pieces_of_different_sizes_go_straight_to_their_receivers() {
    let skewed = |count| {
        let bytes = |from: Rank, to: Rank| Bytes(u64::from(1 + from.0 * from.0 + 10 * to.0));
        Call::of_pairs(PairSizes::new(procs(count), bytes))
    };
    let mut straight = 0;
    for (algorithm, _) in cases() {
        for count in [1, 4, 7] {
            let call = skewed(count);
            let schedule = match algorithm.serve(&call) {
                Ok(schedule) => schedule,
                Err(refusal) => {
                    let reason = "needs all pieces of one size; choose an algorithm that sends each whole and straight, such as direct";
                    assert_eq!(refusal.to_string(), format!("{algorithm} {reason}"));
                    continue;
                }
            };
            straight += 1;
            assert_eq!(schedule.check(), Ok(()));
            let rounds = schedule.extent().rounds;
            for (rank, index) in procs(count)
                .ranks()
                .flat_map(|rank| (0..rounds).map(move |index| (rank, index)))
            {
                let round = schedule.round(rank, index);
                for send in round.sends {
                    assert_eq!(send.slots[..], [Slot::Input(send.to.0)]);
                    let expected = 1 + rank.0 * rank.0 + 10 * send.to.0;
                    let bytes = schedule.bytes((rank, send.to), &send.slots);
                    assert_eq!(bytes, u64::from(expected));
                }
                for receive in round.receives {
                    assert_eq!(receive.slots[..], [Slot::Output(receive.from.0)]);
                }
            }
        }
    }
    // Four without a setting and throttled with seven.
    assert_eq!(straight, 3 * (4 + 7));
    let other = Call {
        procs: procs(3),
        ..skewed(4)
    };
    let refused = parse(Collective::Alltoall, "direct").serve(&other);
    let message = "the sizes of 4 ranks cannot be used among 3; give one for each rank";
    assert_eq!(refused.unwrap_err().to_string(), message);
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
    let canonical = "knomial-segmented:radix=4,segment=1024";
    assert_eq!(algorithm.to_string(), canonical);
    assert_eq!(set(canonical).unwrap(), algorithm);
    let schedule = algorithm.schedule(procs(5), Bytes(5000));
    assert_eq!(schedule.extent().division.parts(), 5);
    assert_eq!(schedule.check(), Ok(()));
    let refused = set("knomial-segmented:4").unwrap_err().to_string();
    let usage = "write knomial-segmented:radix=RADIX,segment=SEGMENT";
    assert!(refused.ends_with(usage), "{refused}");
    let throttled = parse(Collective::Alltoall, "throttled:window=4");
    assert_eq!(throttled.to_string(), "throttled:4");
}

#[test]
fn the_stated_longest_message_occurs() {
    for (algorithm, size) in cases() {
        for procs in (2..=33).map(procs) {
            let extent = algorithm.schedule(procs, size).extent();
            let all = (0..extent.rounds).flat_map(|index| {
                let of = move |rank| algorithm.schedule(procs, size).round(rank, index).sends;
                procs.ranks().flat_map(of)
            });
            let longest = all.map(|send| send.slots.len()).max();
            let stated = Some(extent.longest_message as usize);
            let collective = algorithm.collective();
            assert_eq!(longest, stated, "{collective} {algorithm} among {procs}");
        }
    }
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
fn a_proof_is_for_one_algorithm_and_number_of_processes_and_parts() {
    let of = |text| parse(Collective::Bcast, text);
    let [four, five] = [4, 5].map(procs);
    let proven = of("pipeline:100")
        .schedule(four, Bytes(250))
        .prove()
        .unwrap();
    // Three parts each.
    assert!(proven.is_for(&of("pipeline:100").schedule(four, Bytes(250))));
    assert!(proven.is_for(&of("pipeline:100").schedule(four, Bytes(201))));
    assert_eq!(proven.rounds(), 4 - 2 + 3);
    for (text, procs, size) in [
        ("pipeline:100", four, 200),
        ("pipeline:100", five, 250),
        ("pipeline:99", four, 250),
        ("binary-segmented:100", four, 250),
    ] {
        assert!(
            !proven.is_for(&of(text).schedule(procs, Bytes(size))),
            "{text}"
        );
    }
    // A name that two collectives have.
    let flat = of("flat").schedule(four, Bytes(1)).prove().unwrap();
    let other = parse(Collective::Scatter, "flat").schedule(four, Bytes(1));
    assert!(!flat.is_for(&other));
}

#[test]
fn absurd_numbers_of_segments_are_told() {
    let algorithm = parse(Collective::Alltoall, "pairwise-segmented:1");
    let extent = algorithm.schedule(procs(100_000), Bytes(u64::MAX)).extent();
    assert_eq!(extent.blocks.input, u32::MAX);
}

#[test]
fn names_are_unique_and_survive_a_round_trip() {
    for entry in &ALGORITHMS {
        let text = entry.example();
        let algorithm = parse(entry.collective, &text);
        assert_eq!(algorithm.to_string(), text);
        assert_eq!(algorithm.entry.name, entry.name);
        assert_eq!(algorithm.entry.summary, entry.summary);
    }
}

#[test]
fn sizes_may_have_units() {
    let segmented = |text| parse(Collective::Bcast, text).to_string();
    assert_eq!(segmented("pipeline:8KiB"), "pipeline:8192");
    assert_eq!(segmented("pipeline:1kB"), "pipeline:1000");
    assert_eq!(segmented("pipeline:2147483647"), "pipeline:2147483647");
}

#[test]
fn wrong_names_say_what_there_is() {
    let message = |collective, text| Method::parse(collective, text).unwrap_err().to_string();
    assert_eq!(
        message(Collective::Alltoall, "ring"),
        r#""ring" is not an algorithm of alltoall; write library or one of: direct, direct-unrotated, pairwise, pairwise-segmented:SEGMENT, throttled:WINDOW, sends-in-turn, bruck:RADIX, two-phase:N1, two-phase-balanced:N1"#
    );
    for (collective, texts, usage) in [
        (
            Collective::Alltoall,
            &[
                "throttled",
                "throttled:0",
                "throttled:x",
                "throttled:-1",
                "throttled:1KiB",
            ][..],
            "throttled:WINDOW",
        ),
        (Collective::Alltoall, &["direct:3"], "direct"),
        (
            Collective::Alltoall,
            &["bruck", "bruck:0", "bruck:1"],
            "bruck:RADIX",
        ),
        (
            Collective::Bcast,
            &[
                "pipeline",
                "pipeline:",
                "pipeline:0",
                "pipeline:4k",
                "pipeline:2GiB",
            ],
            "pipeline:SEGMENT",
        ),
    ] {
        for text in texts {
            let message = message(collective, text);
            assert!(message.ends_with(&format!("write {usage}")), "{message}");
        }
    }
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
