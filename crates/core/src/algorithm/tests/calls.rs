//! Tests of calls with another root, with a layout, and with sizes that differ.

use std::sync::Arc;

use super::*;
use crate::schedule::Slot;

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
            let is_turned =
                |rank: Rank| schedule.active(rank.ahead(root.0, procs)) == from_0.active(rank);
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
    let network = crate::network::tests::graph_of(&[4, 5], &[(0, 1)]).unwrap();
    for (count, size) in (2..=9).cartesian_product([0, 1, 20]) {
        let phases = Phases::of(&network, procs(count)).map(Arc::new);
        assert!(phases.is_some() || count == 2, "{count}");
        let call = Call {
            phases,
            ..Call::new(procs(count), Bytes(size))
        };
        let schedule = parse(Collective::Alltoall, "phased:7")
            .serve(&call)
            .unwrap();
        assert_eq!(schedule.check(), Ok(()), "{count} {size}");
    }
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
    let refused = [&[0; 5][..], &[0, 0, 1, 2, 2], &[0, 1, 0, 1, 1], &[0, 1]]
        .map(|layout| format!("{}\n", serve(layout).unwrap_err()));
    insta::assert_snapshot!(refused.concat());
    // Others run anywhere.
    let direct = parse(Collective::Alltoall, "direct");
    let call = Call {
        layout: Some(Layout::new([0, 1, 0])),
        ..Call::new(procs(3), Bytes(1))
    };
    assert_eq!(direct.serve(&call), Ok(direct.schedule(procs(3), Bytes(1))));
}

/// Promise of an entry that serves pieces of different sizes: no message has another piece
/// than that of its sender for its receiver.
#[test]
fn pieces_of_different_sizes_go_straight_to_their_receivers() {
    let skewed = |count| {
        let bytes = |from: Rank, to: Rank| Bytes(u64::from(1 + from.0 * from.0 + 10 * to.0));
        Call::of_pairs(PairSizes::new(procs(count), bytes))
    };
    let mut straight = 0;
    for ((algorithm, _), count) in cases().cartesian_product([1, 4, 7]) {
        let schedule = match algorithm.serve(&skewed(count)) {
            Ok(schedule) => schedule,
            Err(refusal) => {
                let reason = "needs all pieces of one size; choose an algorithm that sends each whole and straight, such as direct";
                assert_eq!(refusal.to_string(), format!("{algorithm} {reason}"));
                continue;
            }
        };
        straight += 1;
        assert_eq!(schedule.check(), Ok(()));
        let rounds = 0..schedule.extent().rounds;
        for (rank, index) in procs(count).ranks().cartesian_product(rounds) {
            let round = schedule.round(rank, index);
            for send in round.sends.iter() {
                assert_eq!(send.slots[..], [Slot::Input(send.partner.0)]);
                let expected = 1 + rank.0 * rank.0 + 10 * send.partner.0;
                let bytes = schedule.bytes((rank, send.partner), &send.slots);
                assert_eq!(bytes, u64::from(expected));
            }
            for receive in round.receives.iter() {
                assert_eq!(receive.slots[..], [Slot::Output(receive.partner.0)]);
            }
        }
    }
    assert!(straight > 0, "direct sends straight");
    let other = Call {
        procs: procs(3),
        ..skewed(4)
    };
    let refused = parse(Collective::Alltoall, "direct").serve(&other);
    let message = "the sizes of 4 ranks cannot be used among 3; give one for each rank";
    assert_eq!(refused.unwrap_err().to_string(), message);
}
