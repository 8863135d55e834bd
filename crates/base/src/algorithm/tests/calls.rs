//! Tests of calls with another root, with a layout, and with sizes that differ.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::network::testing::graph_of;

/// Another root only renumbers the ranks: rank v + r with root r has the schedule of rank v with root 0, and the
/// schedule delivers.
#[test]
fn every_rooted_algorithm_delivers_from_every_root() {
    let counts = [1, 2, 3, 5, 8, 12].map(procs);
    for ((algorithm, size), procs) in cases().cartesian_product(counts) {
        let collective = algorithm.collective();
        let from_0 = algorithm.schedule(procs, size);
        for root in procs.ranks() {
            let call = CollectiveCall {
                root,
                ..CollectiveCall::new(procs, size)
            };
            let served = algorithm.serve(&call);
            if !collective.has_root() && root != Rank(0) {
                assert_eq!(served, Err(UnsupportedCall::Rootless { collective }));
                continue;
            }
            let case = format!("{collective} {algorithm} from {root} among {procs}, {size}");
            let schedule = served.unwrap();
            assert_eq!(schedule.check(), Ok(()), "{case}");
            if algorithm.operand_order() == Some(OperandOrder::Ranks) {
                continue;
            }
            assert_eq!(schedule.extent(), from_0.extent(), "{case}");
            let is_turned =
                |rank: Rank| schedule.active_rounds(rank.successor(root.0, procs)) == from_0.active_rounds(rank);
            assert!(procs.ranks().all(is_turned), "{case}");
        }
    }
    let beyond = CollectiveCall {
        root: Rank(4),
        ..CollectiveCall::new(procs(4), Bytes(1))
    };
    let refused = parse(Collective::Bcast, "flat").serve(&beyond);
    let message = "root 4 is not a rank; write 0 to 3";
    assert_eq!(refused.unwrap_err().to_string(), message);
}

/// Phases of a tree of switches, with short last segments and ranks that idle at times.
#[test]
fn phases_of_a_tree_deliver() {
    let network = crate::network::testing::graph_of(&[4, 5], &[(0, 1)]).unwrap();
    for (count, size) in (2..=9).cartesian_product([0, 1, 20]) {
        let phases = AlltoallPhases::of(&network, procs(count)).map(Arc::new);
        assert!(phases.is_some() || count == 2, "{count}");
        let call = CollectiveCall {
            phases,
            ..CollectiveCall::new(procs(count), Bytes(size))
        };
        let schedule = parse(Collective::Alltoall, "phased:7").serve(&call).unwrap();
        assert_eq!(schedule.check(), Ok(()), "{count} {size}");
    }
}

#[test]
fn a_layout_is_of_the_ranks_of_the_call_and_others_than_algorithms_of_clusters_ignore_it() {
    let call = CollectiveCall {
        layout: Some(ClusterLayout::new([0, 1, 0])),
        ..CollectiveCall::new(procs(3), Bytes(1))
    };
    let direct = parse(Collective::Alltoall, "direct");
    assert_eq!(direct.serve(&call), Ok(direct.schedule(procs(3), Bytes(1))));
    let four = CollectiveCall {
        procs: procs(4),
        ..call
    };
    let refused = direct.serve(&four).unwrap_err().to_string();
    let message = "the layout of 3 ranks cannot be used among 4; give one for each rank";
    assert_eq!(refused, message);
}

/// Blocks that one rank sends to another, or awaits from it, with their bytes, in order.
type SentBlocks = BTreeMap<(Rank, Rank), Vec<(u32, u64)>>;

/// Every sent block with its number and length, according to the senders and to the receivers.
fn sent_blocks(schedule: &Schedule) -> [SentBlocks; 2] {
    let mut sent = [SentBlocks::new(), SentBlocks::new()];
    let parts = schedule.extent().division.parts();
    let rounds = 0..schedule.extent().rounds;
    for (rank, index) in schedule.procs().ranks().cartesian_product(rounds) {
        let round = schedule.round(rank, index);
        let sends = round.sends.iter().map(|message| (0, (rank, message.partner), message));
        let receives = round
            .receives
            .iter()
            .map(|message| (1, (message.partner, rank), message));
        for (end, pair, message) in sends.chain(receives) {
            if let [slot] = message.slots[..]
                && schedule.is_sent(pair, &message.slots)
            {
                let bytes = schedule.message_bytes(pair, &message.slots);
                let blocks = sent[end].entry(pair).or_default();
                blocks.push((slot.index() % parts, bytes));
            }
        }
    }
    sent
}

/// Both ends leave out the same blocks, and the blocks that are sent make up each piece once.
#[track_caller]
fn assert_delivers_pieces(schedule: &Schedule, pairs: &PairSizes) {
    let case = format!("{} among {}", schedule.algorithm(), schedule.procs());
    assert_eq!(schedule.check(), Ok(()), "{case}");
    let [sent, awaited] = sent_blocks(schedule);
    assert_eq!(sent, awaited, "{case}");
    let unit = schedule.extent().division.bytes(0);
    let filled_parts = |bytes: Bytes| {
        let starts = (0..).map(|part| (part, u64::from(part) * unit));
        let filled = starts.take_while(|(_, start)| *start < bytes.0);
        let block = |(part, start)| (part, unit.min(bytes.0 - start));
        filled.map(block).collect()
    };
    let expected = pairs
        .messages()
        .map(|(from, to, bytes)| ((from, to), filled_parts(bytes)));
    assert_eq!(sent, expected.collect::<SentBlocks>(), "{case}");
}

/// Algorithms that serve pieces of different sizes, with a setting.
fn algorithms_of_unequal_pieces(setting: u32) -> impl Iterator<Item = Algorithm> {
    let all = algorithm_entries(Collective::AlltoallvSkewed);
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
        for algorithm in algorithms_of_unequal_pieces(setting) {
            let schedule = algorithm.serve(&CollectiveCall::of_pairs(pairs.clone())).unwrap();
            assert_delivers_pieces(&schedule, &pairs);
        }
    }
}

#[test]
fn every_pattern_of_sizes_is_delivered_for_every_process_count() {
    let collectives = [Collective::AlltoallvSkewed, Collective::AlltoallvSparse];
    for (collective, count) in collectives.into_iter().cartesian_product(1..=33) {
        let (procs, mean) = (procs(count), Bytes(20));
        let pairs = PairSizes::of_pattern(collective.size_pattern(), procs, mean).unwrap();
        for entry in algorithm_entries(collective) {
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
    let phases = AlltoallPhases::of(&network, procs).map(Arc::new);
    let call = CollectiveCall {
        phases,
        ..CollectiveCall::new(procs, Bytes(20))
    };
    let schedule = parse(collective, "phased:7").serve(&call).unwrap();
    let pairs = schedule.pair_sizes().unwrap().clone();
    assert_delivers_pieces(&schedule, &pairs);
    assert!(schedule.is_sent((Rank(0), Rank(1)), &[]));
}

#[test]
fn what_relays_or_cuts_pieces_otherwise_needs_one_size() {
    let table = algorithm_entries(Collective::Alltoall);
    let refused = table.filter_map(|entry| {
        let algorithm = parse(Collective::Alltoall, &entry.example());
        let pairs = PairSizes::new(procs(4), |from, to| Bytes(u64::from(from.0 + to.0)));
        algorithm.serve(&CollectiveCall::of_pairs(pairs)).err()
    });
    let other_call = CollectiveCall {
        pair_sizes: Some(Arc::new(PairSizes::new(procs(4), |_, _| Bytes(1)))),
        ..CollectiveCall::new(procs(3), Bytes(1))
    };
    let other = parse(Collective::Alltoall, "direct").serve(&other_call).err();
    let absent = Algorithm::parse(Collective::Alltoallv, "bruck:2").unwrap_err();
    let refusals = refused.chain(other).map(|refusal| format!("{refusal}\n"));
    insta::assert_snapshot!(format!("{}{absent}", refusals.collect::<String>()));
}
