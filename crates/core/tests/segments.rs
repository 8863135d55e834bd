//! The search for the segments of a message: it ends, and a wider one finds no worse.

mod seeded;

use netsig_core::algorithm::Collective::Bcast;
use netsig_core::model::hockney::Hockney;
use netsig_core::model::plogp::{PLogP, Parameters};
use netsig_core::model::segment::{SEARCHES, Search, Segment, optimise};
use netsig_core::model::{self, Case, Known, Segments, Timed, Values};
use netsig_core::units::table::Table;
use netsig_core::units::{Bytes, Procs, Seconds, SecondsPerByte};
use proptest::prelude::*;

fn network(latency: f64, gap: &[(u64, f64)]) -> PLogP {
    let rows = gap.iter().map(|&(size, time)| (Bytes(size), Seconds(time)));
    let gap = Table::new("g", rows.collect()).unwrap();
    PLogP::new(Parameters {
        latency: Seconds(latency),
        send_overhead: gap.clone(),
        receive_overhead: gap.clone(),
        gap,
    })
    .unwrap()
}

fn segment(size: u64) -> Segment {
    Segment::new(Bytes(size)).unwrap()
}

/// What a broadcast of P processes and m bytes takes.
fn timed(network: &PLogP, name: &str, (count, size): (u32, u64), segments: Segments) -> Timed {
    let known = Known {
        hockney: Hockney::new(Seconds(0.0), SecondsPerByte(0.0)).unwrap(),
        plogp: network.clone(),
        signature: None,
        network: None,
    };
    let case = Case {
        segments,
        ..Case::new(Procs::new(count).unwrap(), Bytes(size))
    };
    let model = model::find(Bcast, name).unwrap();
    model.time(&known, &Values::default(), case).unwrap()
}

/// The names of the segmented broadcasts.
const SEGMENTED: [&str; 4] = [
    "flat_seg",
    "chain_seg",
    "binomial_seg",
    "binomial_seg_exact",
];

#[test]
fn an_empty_message_is_one_segment() {
    for name in SEGMENTED {
        for (search, _) in SEARCHES {
            let network = network(6e-5, &[(0, 1e-5), (1024, 1.2e-5)]);
            let segments = Segments::Best(search, segment(8));
            let best = timed(&network, name, (5, 0), segments);
            assert_eq!(best.segment, Some(segment(8)), "{name} {search:?}");
        }
    }
}

#[test]
fn what_is_no_search_is_told_the_names() {
    let error = "pow3".parse::<Search>().unwrap_err();
    let expected = "\"pow3\" is not a search for the segment; write one of: pow2, hill, exhaustive";
    assert_eq!(error, expected);
}

fn random_network() -> impl Strategy<Value = PLogP> {
    let rows = proptest::collection::btree_map(0u64..20_000, 0.0..1e-3f64, 1..12);
    (0.0..1e-3f64, rows)
        .prop_map(|(latency, rows)| network(latency, &rows.into_iter().collect::<Vec<_>>()))
}

proptest! {
    #![proptest_config(seeded::cases(256))]

    #[test]
    fn a_wider_search_is_never_worse(
        network in random_network(),
        (count, size, datatype) in (1u32..60, 0u64..20_000, 1u64..40),
        name in proptest::sample::select(&SEGMENTED[..]),
    ) {
        let time = |segments| timed(&network, name, (count, size), segments);
        let best = SEARCHES.map(|(search, _)| time(Segments::Best(search, segment(datatype))));
        let [pow2, hill, exhaustive] = best;
        prop_assert!(exhaustive.time <= hill.time && hill.time <= pow2.time);
        for best in best {
            prop_assert_eq!(time(Segments::Of(best.segment.unwrap())), best);
        }
    }

    /// Whatever the numbers, a search ends, and within the message.
    #[test]
    fn a_search_ends_in_any_landscape(size: u64, datatype in 1u64.., seed: u64) {
        let noise = |s: Segment| Seconds((s.bytes().0 ^ seed).wrapping_mul(seed | 1) as f64);
        for search in [Search::PowersOfTwo, Search::HillClimbing] {
            let best = optimise(search, Bytes(size), segment(datatype), noise);
            prop_assert!(best.segment.bytes().0 <= size.max(datatype));
            prop_assert_eq!(best.segment.bytes().0 % datatype, 0);
        }
    }
}
