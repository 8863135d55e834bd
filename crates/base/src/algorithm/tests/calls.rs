//! Tests of calls with another root, with a layout, and with sizes that differ.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::network::testing::graph_of;

/// Ranks are only numbered from the root on, so that the schedule of rank v with root 0 is that
/// of rank v + r with root r, and must deliver.
#[test]
fn every_rooted_algorithm_delivers_from_every_root() {
    let counts = [1, 2, 3, 5, 8, 12].map(procs);
    for ((algorithm, size), procs) in cases().cartesian_product(counts) {
        let collective = algorithm.collective();
        let from_0 = algorithm.schedule(procs, size);
        for root in procs.ranks() {
            let call = Call {
                root,
                ..Call::new(procs, size)
            };
            let served = algorithm.serve(&call);
            if !collective.has_root() && root != Rank(0) {
                assert_eq!(served, Err(Unsupported::Rootless { collective }));
                continue;
            }
            let case = format!("{collective} {algorithm} from {root} among {procs}, {size}");
            let schedule = served.unwrap();
            assert_eq!(schedule.check(), Ok(()), "{case}");
            assert_eq!(schedule.extent(), from_0.extent(), "{case}");
            let is_turned = |rank: Rank| schedule.active(rank.ahead(root.0, procs)) == from_0.active(rank);
            assert!(procs.ranks().all(is_turned), "{case}");
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

/// In phases of a tree of switches, whose last segments are short and whose ranks idle at times.
#[test]
fn phases_of_a_tree_deliver() {
    let network = crate::network::testing::graph_of(&[4, 5], &[(0, 1)]).unwrap();
    for (count, size) in (2..=9).cartesian_product([0, 1, 20]) {
        let phases = Phases::of(&network, procs(count)).map(Arc::new);
        assert!(phases.is_some() || count == 2, "{count}");
        let call = Call {
            phases,
            ..Call::new(procs(count), Bytes(size))
        };
        let schedule = parse(Collective::Alltoall, "phased:7").serve(&call).unwrap();
        assert_eq!(schedule.check(), Ok(()), "{count} {size}");
    }
}

#[test]
fn a_layout_is_of_the_ranks_of_the_call_and_others_than_algorithms_of_clusters_ignore_it() {
    let call = Call {
        layout: Some(Layout::new([0, 1, 0])),
        ..Call::new(procs(3), Bytes(1))
    };
    let direct = parse(Collective::Alltoall, "direct");
    assert_eq!(direct.serve(&call), Ok(direct.schedule(procs(3), Bytes(1))));
    let four = Call {
        procs: procs(4),
        ..call
    };
    let refused = direct.serve(&four).unwrap_err().to_string();
    let message = "the layout of 3 ranks cannot be used among 4; give one for each rank";
    assert_eq!(refused, message);
}

/// Blocks that one rank sends to another, or awaits from it, with their bytes, in order.
type Sent = BTreeMap<(Rank, Rank), Vec<(u32, u64)>>;

/// Every sent block by its number and length, by the lists of the senders and of the receivers.
fn sent_blocks(schedule: &Schedule) -> [Sent; 2] {
    let mut sent = [Sent::new(), Sent::new()];
    let parts = schedule.extent().division.parts();
    let rounds = 0..schedule.extent().rounds;
    for (rank, index) in schedule.procs().ranks().cartesian_product(rounds) {
        let round = schedule.round(rank, index);
        let sends = round.sends.iter().map(|own| (0, (rank, own.partner), own));
        let receives = round.receives.iter().map(|own| (1, (own.partner, rank), own));
        for (end, pair, message) in sends.chain(receives) {
            if let [slot] = message.slots[..]
                && schedule.is_sent(pair, &message.slots)
            {
                let bytes = schedule.bytes(pair, &message.slots);
                let blocks = sent[end].entry(pair).or_default();
                blocks.push((slot.index() % parts, bytes));
            }
        }
    }
    sent
}

/// Both ends leave out the same blocks, and what is left makes up each piece once.
#[track_caller]
fn assert_delivers_pieces(schedule: &Schedule, pairs: &PairSizes) {
    let case = format!("{} among {}", schedule.algorithm(), schedule.procs());
    assert_eq!(schedule.check(), Ok(()), "{case}");
    let [sent, awaited] = sent_blocks(schedule);
    assert_eq!(sent, awaited, "{case}");
    let unit = schedule.extent().division.bytes(0);
    let whole = |bytes: Bytes| {
        let starts = (0..).map(|part| (part, u64::from(part) * unit));
        let filled = starts.take_while(|(_, start)| *start < bytes.0);
        let block = |(part, start)| (part, unit.min(bytes.0 - start));
        filled.map(block).collect()
    };
    let expected = pairs.messages().map(|(from, to, bytes)| ((from, to), whole(bytes)));
    assert_eq!(sent, expected.collect::<Sent>(), "{case}");
}

/// Algorithms that serve pieces of different sizes, with a setting.
fn straight(setting: u32) -> impl Iterator<Item = Algorithm> {
    let all = entries(Collective::AlltoallvSkewed);
    all.map(move |entry| parse(Collective::AlltoallvSkewed, &entry.text(|_| setting)))
}

proptest! {
    #[test]
    fn pieces_of_any_sizes_reach_their_receivers(
        count in 1u32..12,
        setting in 1u32..20,
        sizes in prop::collection::vec(prop_oneof![Just(0), 1u64..40], 144),
    ) {
        let pairs = PairSizes::new(procs(count), |from, to| {
            Bytes(sizes[(from.0 * count + to.0) as usize])
        });
        for algorithm in straight(setting) {
            let schedule = algorithm.serve(&Call::of_pairs(pairs.clone())).unwrap();
            assert_delivers_pieces(&schedule, &pairs);
        }
    }
}

#[test]
fn every_pattern_of_sizes_is_delivered_for_every_process_count() {
    let collectives = [Collective::AlltoallvSkewed, Collective::AlltoallvSparse];
    for (collective, count) in collectives.into_iter().cartesian_product(1..=33) {
        let (procs, mean) = (procs(count), Bytes(20));
        let pairs = PairSizes::of(collective.sizes(), procs, mean).unwrap();
        for entry in entries(collective) {
            let algorithm = parse(collective, &entry.text(|_| 7));
            assert_delivers_pieces(&algorithm.schedule(procs, mean), &pairs);
        }
    }
}

/// Phases of two switches of three ranks each, whose signals are sent although they are empty.
#[test]
fn phases_keep_their_signals() {
    let network = graph_of(&[3, 3], &[(0, 1)]).unwrap();
    let (collective, procs) = (Collective::AlltoallvSparse, procs(6));
    let phases = Phases::of(&network, procs).map(Arc::new);
    let call = Call {
        phases,
        ..Call::new(procs, Bytes(20))
    };
    let schedule = parse(collective, "phased:7").serve(&call).unwrap();
    let pairs = schedule.pairs().unwrap().clone();
    assert_delivers_pieces(&schedule, &pairs);
    assert!(schedule.is_sent((Rank(0), Rank(1)), &[]));
}

#[test]
fn what_relays_or_cuts_pieces_otherwise_needs_one_size() {
    let table = entries(Collective::Alltoall);
    let refused = table.filter_map(|entry| {
        let own = parse(Collective::Alltoall, &entry.example());
        let pairs = PairSizes::new(procs(4), |from, to| Bytes(u64::from(from.0 + to.0)));
        own.serve(&Call::of_pairs(pairs)).err()
    });
    let other = Call {
        pairs: Some(Arc::new(PairSizes::new(procs(4), |_, _| Bytes(1)))),
        ..Call::new(procs(3), Bytes(1))
    };
    let other = parse(Collective::Alltoall, "direct").serve(&other).err();
    let absent = Algorithm::parse(Collective::Alltoallv, "bruck:2").unwrap_err();
    let told = refused.chain(other).map(|refusal| format!("{refusal}\n"));
    insta::assert_snapshot!(format!("{}{absent}", told.collect::<String>()));
}
