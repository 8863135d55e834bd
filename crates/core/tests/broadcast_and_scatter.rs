//! Broadcast, scatter and the search for segments against a simulation, message by message, of
//! what their formulas describe.

mod seeded;

use netsig_core::algorithm::Collective::{self, Bcast, Scatter};
use netsig_core::model::hockney::Hockney;
use netsig_core::model::plogp::{PLogP, Parameters};
use netsig_core::model::segment::{SEARCHES, Search, Segment, optimise};
use netsig_core::model::{self, Case, Known, ModelError, Segments, Timed, Values};
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

/// g = 10 µs + 10 ns·m and L = 50 µs, so that values can be worked out by hand.
fn toy() -> PLogP {
    let gap = [(0, 1e-5), (1, 1.001e-5), (16_777_216, 0.167_782_16)];
    network(5e-5, &gap)
}

/// g jumps between 8192 and 8193 bytes.
fn stepped() -> PLogP {
    let gap = [
        (0, 1e-5),
        (1024, 1.2e-5),
        (8192, 8e-5),
        (8193, 1.6e-4),
        (65_536, 6.2e-4),
        (1_048_576, 9e-3),
    ];
    network(6e-5, &gap)
}

fn procs(count: u32) -> Procs {
    Procs::new(count).unwrap()
}

fn segment(size: u64) -> Segment {
    Segment::new(Bytes(size)).unwrap()
}

/// What a model makes of a case on a network.
fn timed(
    network: &PLogP,
    (collective, name): (Collective, &str),
    case: Case,
) -> Result<Timed, ModelError> {
    let known = Known {
        hockney: Hockney::new(Seconds(0.0), SecondsPerByte(0.0)).unwrap(),
        plogp: network.clone(),
        signature: None,
        network: None,
    };
    model::find(collective, name)?.time(&known, &Values::default(), case)
}

/// The time of P processes, m bytes and segments of 100 bytes.
fn time(network: &PLogP, what: (Collective, &str), (count, size): (u32, u64)) -> Seconds {
    let case = Case {
        segments: Segments::Of(segment(100)),
        ..Case::new(procs(count), Bytes(size))
    };
    timed(network, what, case).unwrap().time
}

/// The names of the segmented broadcasts.
const SEGMENTED: [&str; 4] = [
    "flat_seg",
    "chain_seg",
    "binomial_seg",
    "binomial_seg_exact",
];

#[track_caller]
fn assert_close(value: Seconds, expected: f64) {
    let value = value.0;
    assert!(
        (value - expected).abs() <= 1e-12 * expected,
        "{value} is not {expected}"
    );
}

/// A message of a simulated collective: to whom, and how many bytes.
type Send = (usize, u64);

/// The last arrival of `segments` equal messages down a tree in which `sends[rank]` are what
/// a rank sends of each segment, in its order, once it has that segment. The sender is busy
/// for g; the message arrives L after that. Parents come before children.
fn simulate(network: &PLogP, sends: &[Vec<Send>], segments: usize) -> Seconds {
    let mut arrivals = vec![vec![Seconds(0.0); segments]; sends.len()];
    for (rank, sends) in sends.iter().enumerate() {
        let mut free = Seconds(0.0);
        for (segment, arrived) in arrivals[rank].clone().into_iter().enumerate() {
            free = if arrived > free { arrived } else { free };
            for &(child, size) in sends {
                free = free + network.g(Bytes(size));
                arrivals[child][segment] = free + network.latency();
            }
        }
    }
    let last = arrivals.into_iter().flatten().map(|time| time.0);
    Seconds(last.fold(0.0, f64::max))
}

/// The binomial tree as MPI libraries build it: a rank sends to the rank farthest away first,
/// and `size` is what a subtree of so many processes is sent.
fn binomial_tree(count: usize, size: impl Fn(usize) -> u64) -> Vec<Vec<Send>> {
    let sends = |rank: usize| {
        let span = if rank == 0 {
            count.next_power_of_two()
        } else {
            1 << rank.trailing_zeros()
        };
        let distances = std::iter::successors(Some(span / 2), |distance| Some(distance / 2));
        distances
            .take_while(|&distance| distance > 0)
            .filter(|distance| rank + distance < count)
            .map(|distance| (rank + distance, size(distance.min(count - rank - distance))))
            .collect()
    };
    (0..count).map(sends).collect()
}

fn chain(count: usize, size: impl Fn(usize) -> u64) -> Vec<Vec<Send>> {
    let next = |rank: usize| (rank + 1..count).take(1).map(|to| (to, size(count - to)));
    (0..count).map(|rank| next(rank).collect()).collect()
}

fn flat(count: usize, size: u64) -> Vec<Vec<Send>> {
    let mut sends = vec![Vec::new(); count];
    sends[0] = (1..count).map(|to| (to, size)).collect();
    sends
}

/// Networks where gaps dominate, where L does, and where g jumps and even falls.
fn networks() -> [PLogP; 5] {
    let jagged = [
        (0, 3e-5),
        (2000, 1e-5),
        (2001, 9e-5),
        (30_000, 1e-4),
        (60_000, 8e-5),
    ];
    [
        toy(),
        stepped(),
        network(0.0, &[(0, 1e-5), (1, 1.001e-5)]),
        network(1e-2, &[(0, 1e-5), (1, 1.001e-5)]),
        network(2e-5, &jagged),
    ]
}

/// Calls `check` with each network, P, and m.
fn everywhere(check: impl Fn(&PLogP, u32, u64)) {
    for network in networks() {
        for count in 2..=40 {
            for size in [0, 1, 700, 4096] {
                check(&network, count, size);
            }
        }
    }
}

#[test]
fn broadcast_formulas_agree_with_simulated_trees() {
    everywhere(|network, count, size| {
        let ranks = count as usize;
        let agrees = |name, simulated: Seconds| {
            assert_close(time(network, (Bcast, name), (count, size)), simulated.0);
        };
        let binomial = simulate(network, &binomial_tree(ranks, |_| size), 1);
        agrees("binomial_exact", binomial);
        agrees("chain", simulate(network, &chain(ranks, |_| size), 1));
        agrees("flat", simulate(network, &flat(ranks, size), 1));
        let pieces = usize::try_from(segment(100).count(Bytes(size))).unwrap();
        let pipeline = chain(ranks, |_| 100);
        agrees("chain_seg", simulate(network, &pipeline, pieces));
    });
}

#[test]
fn scatter_formulas_agree_with_simulated_trees() {
    everywhere(|network, count, size| {
        let ranks = count as usize;
        let blocks = |subtree| subtree as u64 * size;
        let agrees = |name, simulated: Seconds| {
            assert_close(time(network, (Scatter, name), (count, size)), simulated.0);
        };
        let binomial = simulate(network, &binomial_tree(ranks, blocks), 1);
        agrees("binomial_exact", binomial);
        agrees("chain", simulate(network, &chain(ranks, blocks), 1));
        agrees("flat", simulate(network, &flat(ranks, size), 1));
        if count.is_power_of_two() {
            agrees("binomial", binomial);
        }
    });
}

#[test]
fn an_empty_message_is_one_segment() {
    for name in SEGMENTED {
        for (search, _) in SEARCHES {
            let case = Case {
                segments: Segments::Best(search, segment(8)),
                ..Case::new(procs(5), Bytes(0))
            };
            let best = timed(&stepped(), (Bcast, name), case).unwrap();
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
        let time = |segments| {
            let case = Case { segments, ..Case::new(procs(count), Bytes(size)) };
            timed(&network, (Bcast, name), case).unwrap()
        };
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
