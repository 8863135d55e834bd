//! `PlogPT` against closed forms, hand-worked values, and brute force.

use std::collections::BTreeSet;

use netsig_base::network::{LinkSpec, TreeEdge};
use netsig_base::units::{BitsPerSecond, Bytes, BytesPerSecond, Rank, Seconds};
use netsig_model::model::alltoall::plogpt as model;
use netsig_model::model::alltoall::plogpt::RtoMode;
use proptest::prelude::*;

use super::*;
use crate::closed;
use crate::engine;
use crate::goal::GoalRun;
use crate::network::{LinkUse, LossCause, PacketLoss};
use crate::outcome::SimOutcome;
use crate::setup::SimReport;
use crate::testing::graph_of;
use crate::testing::{ActivityRecorder, alltoall, script};

const US: u64 = 1_000_000;

fn parameters(list: &[(f64, f64)]) -> model::PlogptParameters {
    let edge = |&(bandwidth, delay): &(f64, f64)| TreeEdge {
        bandwidth: BytesPerSecond(bandwidth),
        delay: Seconds(delay),
    };
    model::PlogptParameters::new(list.iter().map(edge).collect(), Seconds(5e-5))
}

fn binary_tree_of(parameters: &model::PlogptParameters, sharing: PlogptSharing) -> PlogptNetwork {
    let network = Network::binary_tree(parameters.edges.clone()).unwrap();
    let options = PlogptOptions {
        latency: parameters.latency,
        rto: parameters.rto,
        negligible: parameters.edge_rule,
        sharing,
    };
    on_hosts(network, &options)
}

/// A rank on each host.
fn on_hosts(network: Network, options: &PlogptOptions) -> PlogptNetwork {
    let hosts = network.all_hosts().collect();
    PlogptNetwork::new(network, hosts, options).unwrap()
}

/// L of 50 µs and the default choices.
fn options() -> PlogptOptions {
    PlogptOptions::new(Seconds(5e-5))
}

/// A port of 10⁶ B/s.
fn port() -> LinkSpec {
    LinkSpec::new(BitsPerSecond(8_000_000), Bytes(0))
}

/// Hosts on one switch.
fn star(hosts: u32) -> Network {
    Network::star(hosts, port()).unwrap()
}

/// Result of the engine, in the form of the closed form.
fn simulate(algorithm: model::PlogptAlgorithm, size: u64, network: &PlogptNetwork, mode: RtoMode) -> SimOutcome {
    let algorithm = match algorithm {
        model::PlogptAlgorithm::A => "pairwise",
        model::PlogptAlgorithm::B => "sends-in-turn",
    };
    let procs = u32::try_from(network.links.hosts.len()).unwrap();
    let program = alltoall(algorithm, procs, size);
    run_passes(mode, None, program, network.clone(), &mut ()).unwrap()
}

fn any_parameters() -> impl Strategy<Value = model::PlogptParameters> {
    let rate = prop::sample::select(vec![100e6, 125e6, 200e6, 250e6, 3e8, 500e6, 1e9 / 3.0]);
    let delay = prop::sample::select(vec![0.0, 0.0, 0.0, 1e-5, 3.64e-5]);
    let edges = prop::collection::vec((rate, delay), 1..=6);
    let latency = prop::sample::select(vec![0.0, 1e-12, 3.3e-6, 5e-5]);
    let rule = prop::sample::select(vec![PlogptEdgeRule::AtLeast, PlogptEdgeRule::Above]);
    (edges, latency, rule).prop_map(|(edges, latency, negligible)| model::PlogptParameters {
        latency: Seconds(latency),
        edge_rule: negligible,
        ..parameters(&edges)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn closed_forms_are_what_the_engine_finds(
        parameters in any_parameters(),
        size in prop_oneof![Just(0), Just(1), 1u64..20_000],
        sharing in prop::sample::select(vec![PlogptSharing::Fixed, PlogptSharing::Fluid]),
    ) {
        let network = binary_tree_of(&parameters, sharing);
        for algorithm in [model::PlogptAlgorithm::A, model::PlogptAlgorithm::B] {
            for mode in [RtoMode::Receiver, RtoMode::TwoPass] {
                let solved = closed::plogpt(algorithm, Bytes(size), &parameters, mode).unwrap();
                let outcome = simulate(algorithm, size, &network, mode);
                prop_assert_eq!(solved, SimReport::of_events(&outcome).totals);
                let tree = model::PlogPT::new(&parameters).unwrap();
                let modelled = tree.alltoall(Bytes(size), algorithm, mode);
                prop_assert!((solved.time.seconds() - modelled.time).0.abs() < 1e-9);
                let xor = |loss: &PacketLoss| loss.from.0 ^ loss.to.0;
                let losing: BTreeSet<u32> = outcome.losses.iter().map(xor).collect();
                prop_assert_eq!(losing, modelled.rto_rounds.into_iter().collect());
            }
        }
    }

    #[test]
    fn heights_are_those_of_the_lower_side(parents in prop::collection::vec(any::<u32>(), 0..12)) {
        let above = (1..).zip(&parents);
        let cables: Vec<_> = above.map(|(at, parent)| (at, *parent as usize % at)).collect();
        let tree = graph_of(&vec![1; parents.len() + 1], &cables).unwrap();
        let wires = wires::wires(&tree, PlogptEdgeRule::AtLeast);
        for (number, link) in tree.links().iter().enumerate() {
            let sides = [depth(&tree, link.from, link.to), depth(&tree, link.to, link.from)];
            prop_assert_eq!(wires[number].height, 1 + sides[0].min(sides[1]));
        }
    }
}

/// Number of cables from `at` to the farthest vertex, away from `from`.
fn depth(network: &Network, at: Vertex, from: Vertex) -> u32 {
    let links = network.links().iter();
    let out = links.filter(|link| link.from == at && link.to != from);
    let depths = out.map(|link| 1 + depth(network, link.to, at));
    depths.max().unwrap_or(0)
}

/// A rank's rounds of height h share the edge of their height: Σ 2^(h−1)·2^(h−1)·10 µs. The last rounds of 19 heights
/// cost a time-out each.
#[test]
fn a_million_ranks_are_solved_at_once() {
    let parameters = parameters(&[(1e9, 1e-6); 20]);
    let (algorithm, mode) = (model::PlogptAlgorithm::B, RtoMode::TwoPass);
    let solved = closed::plogpt(algorithm, Bytes(10_000), &parameters, mode).unwrap();
    assert_eq!(solved.losses, 19 << 20);
    let sends: u64 = (0..20).map(|h| (10 * US) << (2 * h)).sum();
    assert_eq!(solved.time, Time(sends + (50 + 19 * 200_000) * US));
}

/// Hosts 0 and 1 send two messages each over the uplink of their pair.
#[test]
fn losses_and_links_tell_what_happened() {
    let parameters = parameters(&[(125e6, 0.0), (125e6, 3.64e-5)]);
    let network = binary_tree_of(&parameters, PlogptSharing::Fixed);
    for (mode, seconds) in [(RtoMode::Receiver, 0.200_13), (RtoMode::TwoPass, 0.200_45)] {
        let outcome = simulate(model::PlogptAlgorithm::B, 10_000, &network, mode);
        assert_eq!(outcome.time, Time::of(Seconds(seconds)));
        let loss = outcome.losses.iter().find(|loss| loss.from == Rank(0));
        let expected = PacketLoss {
            time: Time(80 * US),
            from: Rank(0),
            to: Rank(1),
            send: 0,
            delay: Time(200_000 * US),
            cause: LossCause::LastPacket {
                other: Rank(3),
                height: 1,
                other_height: 2,
            },
        };
        assert_eq!(loss, Some(&expected));
        let link = |link: &LinkUse| (link.name.clone(), link.bytes, link.busy);
        let links: Vec<_> = outcome.links.iter().map(link).collect();
        assert_eq!(links.len(), 12);
        let host = ("host0 -> switch0".to_owned(), 30_000, Time(240 * US));
        let uplink = ("switch0 -> switch2".to_owned(), 40_000, Time(320 * US));
        assert_eq!([&links[0], &links[8]], [&host, &uplink]);
    }
}

/// A message alone takes 1 ms and L, within a host only L. Messages that begin at once share a receiver's port, or
/// the link between two switches. Fluid: the first message sends 250 B alone and 750 B at half the rate; the second
/// then sends its last 250 B alone.
#[test]
fn messages_share_links_with_those_that_begin_at_once_or_with_all_under_way() {
    let fluid = PlogptOptions {
        sharing: PlogptSharing::Fluid,
        ..options()
    };
    let hosts = [0, 0, 1].map(Vertex).to_vec();
    let on_one_host = PlogptNetwork::new(star(2), hosts, &options()).unwrap();
    let joined = Network::two_switches([2, 2], port(), port()).unwrap();
    let apart = [(0, 0, 2, 1000), (250_000, 1, 2, 1000)];
    let at_once = [(0, 0, 2, 1000), (0, 1, 2, 1000)];
    let across = [(0, 0, 2, 1000), (0, 1, 3, 1000)];
    for (network, messages, ends) in [
        (on_hosts(star(3), &options()), apart, [1050, 1300]),
        (on_hosts(star(3), &fluid), apart, [1800, 2050]),
        (on_hosts(star(3), &options()), at_once, [2050; 2]),
        (on_hosts(star(4), &options()), across, [1050; 2]),
        (on_hosts(joined, &options()), across, [2050; 2]),
        (on_one_host, [(0, 0, 1, 1000), (0, 1, 2, 1000)], [50, 1050]),
    ] {
        let mut log = ActivityRecorder::default();
        let procs = u32::try_from(network.links.hosts.len()).unwrap();
        let script = script(procs, &messages);
        engine::run(&mut GoalRun::new(&script).unwrap(), &mut network.clone(), &mut log).unwrap();
        let found: Vec<u64> = log.received.iter().map(|it| it.2 / US).collect();
        assert_eq!(found, ends, "{messages:?}");
    }
}

#[test]
fn what_is_no_tree_is_refused() {
    let triangle = graph_of(&[1, 0, 0], &[(0, 1), (1, 2), (2, 0)]).unwrap();
    let refusals = [
        (triangle, 0, "number of cables = 4 is not"),
        (star(2), 2, "host of a rank = 2"),
    ];
    for (network, host, expected) in refusals {
        let error = PlogptNetwork::new(network, vec![Vertex(host)], &options()).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
