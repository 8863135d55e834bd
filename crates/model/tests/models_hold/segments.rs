//! The search for the segments of a message: it ends, and a wider one finds no worse.

use netsig_base::algorithm::Collective;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::model::segment::{SEGMENT_SEARCHES, Segment, SegmentSearch, find_best_segment};
use netsig_model::model::{self, Case, KnownNetwork, ParameterValues, SegmentChoice};
use proptest::prelude::*;
use proptest::sample::select;

use crate::arbitrary::{plogp, procs, table, toy};
use crate::seeded;

fn segment(size: u64) -> Segment {
    Segment::new(Bytes(size)).unwrap()
}

#[test]
fn no_search_by_another_name() {
    let error = "pow3".parse::<SegmentSearch>().unwrap_err();
    let expected =
        "\"pow3\" is not a search for the segment; did you mean pow2? If not, write one of: pow2, hill, exhaustive";
    assert_eq!(error, expected);
}

/// A gap that rises and falls within a message.
fn any_jagged() -> impl Strategy<Value = KnownNetwork> {
    let rows = prop::collection::btree_map(0u64..20_000, 0.0..1e-3f64, 1..12);
    (0.0..1e-3f64, rows).prop_map(|(latency, rows)| {
        let gap = table(rows);
        KnownNetwork {
            plogp: plogp(latency, [gap.clone(), gap.clone(), gap]),
            ..toy()
        }
    })
}

proptest! {
    #![proptest_config(seeded::cases(256))]

    /// An empty message is one segment.
    #[test]
    fn a_wider_search_is_never_worse(
        network in any_jagged(),
        (count, datatype) in (1u32..60, 1u64..40),
        size in prop_oneof![1 => Just(0), 9 => 0u64..20_000],
        name in select(vec!["flat_seg", "chain_seg", "binomial_seg", "binomial_seg_exact"]),
    ) {
        let model = model::find(Collective::Bcast, name).unwrap();
        let time = |segments| {
            let case = Case { segments, ..Case::new(procs(count), Bytes(size)) };
            model.time(&network, &ParameterValues::default(), case).unwrap()
        };
        let best = SEGMENT_SEARCHES.map(|(search, _)| time(SegmentChoice::Best(search, segment(datatype))));
        let [pow2, hill, exhaustive] = best;
        prop_assert!(exhaustive.time <= hill.time && hill.time <= pow2.time);
        for best in best {
            let found = best.segment.unwrap();
            prop_assert_eq!(time(SegmentChoice::Fixed(found)), best);
            prop_assert!(size > 0 || found == segment(datatype));
        }
    }

    /// Whatever the numbers, a search ends, and within the message.
    #[test]
    fn a_search_ends_in_any_landscape(size: u64, datatype in 1u64.., seed: u64) {
        let noise = |s: Segment| Seconds((s.bytes().0 ^ seed).wrapping_mul(seed | 1) as f64);
        for search in [SegmentSearch::PowersOfTwo, SegmentSearch::HillClimbing] {
            let best = find_best_segment(search, Bytes(size), segment(datatype), noise);
            prop_assert!(best.segment.bytes().0 <= size.max(datatype));
            prop_assert_eq!(best.segment.bytes().0 % datatype, 0);
        }
    }
}

/// A gap as a ping-pong over a shaper measures it. For short messages it is near zero, below the overheads. For
/// messages within the shaper's burst it is below the 200 ns/B of the wire.
#[test]
fn segments_take_no_less_than_overheads_and_wire() {
    let gap = table([(0, 0.0), (1024, 1e-6), (2048, 4.096e-4), (65_536, 0.013_107_2)]);
    let overhead = table([(0, 2e-5), (65_536, 1e-4)]);
    let network = KnownNetwork {
        plogp: plogp(0.0, [gap, overhead.clone(), overhead]),
        ..toy()
    };
    let time = |name: &str, segments| {
        let case = Case {
            segments,
            ..Case::new(procs(8), Bytes(65_536))
        };
        let model = model::find(Collective::Bcast, name).unwrap();
        model.time(&network, &ParameterValues::default(), case).unwrap().time.0
    };
    // 2048 segments, each at least os(32 B) = 20.0390625 us: (7 + 2047) times.
    let short = time("chain_seg", SegmentChoice::Fixed(segment(32)));
    assert!((short / (2054.0 * 2.003_906_25e-5) - 1.0).abs() < 1e-9, "{short}");
    // 64 segments of 1 KiB, each at least 204.8 us of the wire: (7 + 63) times.
    let longer = time("chain_seg", SegmentChoice::Fixed(segment(1024)));
    assert!((longer / (70.0 * 2.048e-4) - 1.0).abs() < 1e-9, "{longer}");
    for name in ["chain_seg", "flat_seg", "binomial_seg", "binomial_seg_exact"] {
        for (search, _) in SEGMENT_SEARCHES {
            assert!(
                time(name, SegmentChoice::Best(search, segment(8))) >= 0.013_107_2,
                "{name}"
            );
        }
    }
}
