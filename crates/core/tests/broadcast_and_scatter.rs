//! Broadcast, scatter and the search for segments against values computed outside netsig
//! and against a simulation, message by message, of what their formulas describe.

mod seeded;

use netsig_core::model::broadcast::{self, Broadcast, Levels};
use netsig_core::model::plogp::{PLogP, Parameters};
use netsig_core::model::scatter::{
    self,
    Strategy::{Binomial, BinomialExact, Chain, Flat},
};
use netsig_core::model::segment::{SEARCHES, Search, Segment, optimise};
use netsig_core::units::table::Table;
use netsig_core::units::{Bytes, Procs, Seconds};
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

fn by_name<'a>(network: &'a PLogP, strategy: &str, levels: Levels) -> Broadcast<'a> {
    Broadcast {
        network,
        strategy: strategy.parse().unwrap(),
        levels,
    }
}

#[track_caller]
fn assert_close(value: Seconds, expected: f64) {
    let value = value.0;
    assert!(
        (value - expected).abs() <= 1e-12 * expected,
        "{value} is not {expected}"
    );
}

/// The printed formulas, evaluated outside netsig: strategy, P, m, s, time.
#[test]
fn worked_values_of_broadcast() {
    let none = None;
    let cases = [
        ("flat", 8, 4096, none, 4.0672e-4),
        ("flat", 24, 65_536, none, 0.015_353_28),
        ("flat_rdv", 8, 4096, none, 5.2674e-4),
        ("flat_seg", 24, 65_536, Some(8192), 0.016_963_28),
        ("chain_rdv", 8, 4096, none, 1.546_86e-3),
        ("chain_seg", 8, 4096, Some(1024), 5.524e-4),
        ("chain_seg", 24, 65_536, Some(8192), 3.9076e-3),
        ("binary", 8, 4096, none, 4.5576e-4),
        ("binomial", 8, 4096, none, 3.0288e-4),
        ("binomial_rdv", 24, 65_536, none, 3.511_54e-3),
        ("binomial", 24, 1 << 20, none, 0.042_233_04),
        ("binomial", 3, 1 << 20, none, 0.010_595_76),
    ];
    for (strategy, count, size, pieces, expected) in cases {
        let network = toy();
        let broadcast = by_name(&network, strategy, Levels::Printed);
        let time = broadcast.time(procs(count), Bytes(size), pieces.map(segment));
        assert_close(time, expected);
    }
    let network = toy();
    let exact = by_name(&network, "binomial", Levels::Exact);
    assert_close(exact.time(procs(3), Bytes(1 << 20), None), 0.021_041_52);
}

#[test]
fn worked_values_of_scatter() {
    let cases = [
        ("flat", 8, 1000, 1.9e-4),
        ("chain", 24, 4096, 0.012_684_96),
        ("binomial", 8, 1000, 2.5e-4),
        ("binomial_exact", 8, 1000, 2.5e-4),
        ("binomial", 24, 4096, 1.569_76e-3),
        ("binomial_exact", 24, 4096, 1.192_08e-3),
    ];
    for (strategy, count, size, expected) in cases {
        let strategy = strategy.parse().unwrap();
        let time = scatter::time(&toy(), strategy, procs(count), Bytes(size)).unwrap();
        assert_close(time, expected);
    }
}

/// The best segments of a pipeline in multiples of 8 bytes, the exhaustive ones by brute
/// force outside netsig: network, P, m, search, s, time.
#[test]
fn worked_segments_of_a_pipeline() {
    let hill = Search::HillClimbing;
    let cases = [
        (toy(), 18, 1 << 20, Search::PowersOfTwo, 8192, 0.014_086_48),
        (
            toy(),
            24,
            1_000_000,
            Search::PowersOfTwo,
            7808,
            0.014_450_08,
        ),
        (
            stepped(),
            24,
            1 << 20,
            hill,
            3520,
            0.012_797_142_857_142_858,
        ),
        (toy(), 24, 1_000_000, hill, 6584, 0.014_346_16),
        (
            stepped(),
            24,
            1 << 20,
            Search::Exhaustive,
            3416,
            0.012_793_656_25,
        ),
        (toy(), 24, 1_000_000, Search::Exhaustive, 6712, 0.014_337_52),
    ];
    for (network, count, size, search, expected, time) in cases {
        let pipeline = by_name(&network, "chain_seg", Levels::Printed);
        let best = pipeline.optimal_segment(procs(count), Bytes(size), search, segment(8));
        assert_eq!(best.segment, segment(expected), "{search}");
        assert_close(best.time, time);
    }
}

/// The first of the fastest strategies, with its segment and its time.
fn fastest_broadcast(size: u64) -> (&'static str, u64, Seconds) {
    let network = toy();
    let of = |name| {
        let broadcast = by_name(&network, name, Levels::Printed);
        let search = Search::PowersOfTwo;
        let best = broadcast.optimal_segment(procs(24), Bytes(size), search, segment(1));
        (name, best.segment.bytes().0, best.time)
    };
    let all = broadcast::STRATEGIES.map(|(_, name)| of(name));
    let first = all[0];
    all.into_iter().fold(
        first,
        |best, next| if next.2 < best.2 { next } else { best },
    )
}

#[test]
fn the_fastest_strategy_depends_on_size_and_process_count() {
    let (strategy, _, time) = fastest_broadcast(1);
    assert_eq!(strategy, "flat");
    assert_close(time, 2.8023e-4);
    let (strategy, pieces, time) = fastest_broadcast(1 << 20);
    assert_eq!((strategy, pieces), ("chain_seg", 8192));
    assert_close(time, 0.014_938);
    let scatter =
        |count, strategy| scatter::time(&toy(), strategy, procs(count), Bytes(64)).unwrap();
    assert_close(scatter(24, Flat), 2.9472e-4);
    assert!(scatter(24, Binomial) > scatter(24, Flat));
    assert_close(scatter(31, Binomial), 3.1984e-4);
    assert!(scatter(31, Flat) > scatter(31, Binomial));
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
        let time = |name, pieces| {
            let broadcast = by_name(network, name, Levels::Exact);
            broadcast.time(procs(count), Bytes(size), pieces)
        };
        let binomial = simulate(network, &binomial_tree(ranks, |_| size), 1);
        assert_close(time("binomial", None), binomial.0);
        assert_close(
            time("chain", None),
            simulate(network, &chain(ranks, |_| size), 1).0,
        );
        assert_close(
            time("flat", None),
            simulate(network, &flat(ranks, size), 1).0,
        );
        let pieces = segment(100);
        let pipeline = chain(ranks, |_| 100);
        let count = usize::try_from(pieces.count(Bytes(size))).unwrap();
        assert_close(
            time("chain_seg", Some(pieces)),
            simulate(network, &pipeline, count).0,
        );
    });
}

#[test]
fn scatter_formulas_agree_with_simulated_trees() {
    everywhere(|network, count, size| {
        let ranks = count as usize;
        let blocks = |subtree| subtree as u64 * size;
        let time = |strategy| scatter::time(network, strategy, procs(count), Bytes(size)).unwrap();
        let binomial = simulate(network, &binomial_tree(ranks, blocks), 1);
        assert_close(time(BinomialExact), binomial.0);
        assert_close(time(Chain), simulate(network, &chain(ranks, blocks), 1).0);
        assert_close(time(Flat), simulate(network, &flat(ranks, size), 1).0);
        if count.is_power_of_two() {
            assert_close(time(Binomial), binomial.0);
        }
    });
}

#[test]
fn a_lone_process_needs_no_time_and_an_empty_message_is_one_segment() {
    let network = stepped();
    for (strategy, _) in broadcast::STRATEGIES {
        let levels = Levels::Printed;
        let broadcast = Broadcast {
            network: &network,
            strategy,
            levels,
        };
        let time = |count, size, pieces| broadcast.time(procs(count), Bytes(size), pieces);
        assert_eq!(time(1, 4096, Some(segment(64))), Seconds(0.0));
        assert!(time(2, 0, None) >= network.message(Bytes(0)));
        for (_, name) in SEARCHES {
            let search = name.parse().unwrap();
            let best = broadcast.optimal_segment(procs(5), Bytes(0), search, segment(8));
            assert_eq!(best.segment, segment(8), "{strategy} {search}");
        }
        assert_eq!(strategy.to_string().parse(), Ok(strategy));
    }
    for (strategy, _) in scatter::STRATEGIES {
        let time = |count, size| scatter::time(&network, strategy, procs(count), Bytes(size));
        assert_eq!(time(1, u64::MAX), Ok(Seconds(0.0)));
        let error = time(3, u64::MAX / 2).unwrap_err().to_string();
        assert!(error.ends_with("it must be less than 2^64 bytes over all processes"));
        assert!(time(5, u64::MAX / 5).unwrap().0.is_finite());
    }
}

#[test]
fn what_is_no_name_is_told_the_names() {
    let error = "pow3".parse::<Search>().unwrap_err();
    let expected = "\"pow3\" is not a search for the segment; write one of: pow2, hill, exhaustive";
    assert_eq!(error, expected);
    assert!(
        "tree"
            .parse::<broadcast::Strategy>()
            .unwrap_err()
            .contains("binomial_seg")
    );
    assert!(
        "tree"
            .parse::<scatter::Strategy>()
            .unwrap_err()
            .contains("binomial_exact")
    );
    assert!(Segment::new(Bytes(0)).is_err());
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
        (strategy, _) in proptest::sample::select(&broadcast::STRATEGIES[..]),
    ) {
        let broadcast = Broadcast { network: &network, strategy, levels: Levels::Printed };
        let [pow2, hill, exhaustive] = SEARCHES.map(|(search, _)| {
            broadcast.optimal_segment(procs(count), Bytes(size), search, segment(datatype))
        });
        prop_assert!(exhaustive.time <= hill.time && hill.time <= pow2.time);
        for best in [pow2, hill, exhaustive] {
            let time = broadcast.time(procs(count), Bytes(size), Some(best.segment));
            prop_assert_eq!(time, best.time);
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
