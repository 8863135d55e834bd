//! `PlogPT` against closed forms, hand-worked values, and brute force.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::model::alltoall::plogpt as model;
use crate::model::alltoall::plogpt::RtoMode;
use crate::network::tests::graph_of;
use crate::network::{Edge, Port};
use crate::sim::closed::{self, Totals};
use crate::sim::engine;
use crate::sim::network::{Cause, Loss};
use crate::sim::outcome::Outcome;
use crate::sim::testing::{Begun, Recorder, Script, alltoall};
use crate::units::{BitsPerSecond, Bytes, BytesPerSecond, Rank, Seconds};

const US: u64 = 1_000_000;

fn parameters(list: &[(f64, f64)]) -> model::Parameters {
    let edge = |&(bandwidth, delay): &(f64, f64)| Edge {
        bandwidth: BytesPerSecond(bandwidth),
        delay: Seconds(delay),
    };
    model::Parameters::new(list.iter().map(edge).collect(), Seconds(5e-5))
}

fn binary_tree_of(parameters: &model::Parameters, sharing: Sharing) -> PlogPT {
    let network = Network::binary_tree(parameters.edges.clone()).unwrap();
    let options = Options {
        latency: parameters.latency,
        rto: parameters.rto,
        negligible: parameters.negligible,
        sharing,
    };
    on_hosts(network, &options)
}

/// A rank on each host.
fn on_hosts(network: Network, options: &Options) -> PlogPT {
    let hosts = network.all_hosts().collect();
    PlogPT::new(network, hosts, options).unwrap()
}

/// L of 50 µs and the default choices.
fn options() -> Options {
    Options::new(Seconds(5e-5))
}

/// Hosts of 10⁶ B/s on one switch.
fn star(hosts: u32) -> Network {
    Network::star(hosts, Port::new(BitsPerSecond(8_000_000), Bytes(0))).unwrap()
}

/// Who received what from whom and when, in that order of time.
fn play(messages: &[Begun], procs: u32, network: &PlogPT) -> Vec<(u32, u32, u64)> {
    let mut recorder = Recorder::default();
    let mut script = Script::new(procs, messages.to_vec());
    engine::run(&mut script, &mut network.clone(), &mut recorder).unwrap();
    recorder.received
}

/// What the engine finds, in the words of the closed form.
fn simulate(algorithm: model::Algorithm, size: u64, network: &PlogPT, mode: RtoMode) -> Outcome {
    let algorithm = match algorithm {
        model::Algorithm::A => "pairwise",
        model::Algorithm::B => "sends-in-turn",
    };
    let procs = u32::try_from(network.links.hosts.len()).unwrap();
    let program = alltoall(algorithm, procs, size);
    run((mode, None), program, network.clone(), &mut ()).unwrap()
}

fn assert_same(solved: &Totals, outcome: &Outcome) {
    assert_eq!(solved.time, outcome.time);
    assert_eq!(solved.messages, outcome.messages);
    assert_eq!(solved.bytes, u128::from(outcome.bytes));
    assert_eq!(solved.losses, outcome.losses.len() as u64);
}

fn any_parameters() -> impl Strategy<Value = model::Parameters> {
    let rate = prop::sample::select(vec![100e6, 125e6, 200e6, 250e6, 3e8, 500e6, 1e9 / 3.0]);
    let delay = prop::sample::select(vec![0.0, 0.0, 0.0, 1e-5, 3.64e-5]);
    let edges = prop::collection::vec((rate, delay), 1..=6);
    let latency = prop::sample::select(vec![0.0, 1e-12, 3.3e-6, 5e-5]);
    let rule = prop::sample::select(vec![Negligible::AtLeast, Negligible::Above]);
    (edges, latency, rule).prop_map(|(edges, latency, negligible)| model::Parameters {
        latency: Seconds(latency),
        negligible,
        ..parameters(&edges)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn closed_forms_are_what_the_engine_finds(
        parameters in any_parameters(),
        size in prop_oneof![Just(0), Just(1), 1u64..20_000],
        sharing in prop::sample::select(vec![Sharing::Fixed, Sharing::Fluid]),
    ) {
        let network = binary_tree_of(&parameters, sharing);
        for algorithm in [model::Algorithm::A, model::Algorithm::B] {
            for mode in [RtoMode::Receiver, RtoMode::TwoPass] {
                let solved = closed::plogpt(algorithm, Bytes(size), &parameters, mode).unwrap();
                let outcome = simulate(algorithm, size, &network, mode);
                assert_same(&solved, &outcome);
                let tree = model::PlogPT::new(&parameters).unwrap();
                let modelled = tree.alltoall(Bytes(size), algorithm, mode);
                prop_assert!((solved.time.seconds() - modelled.time).0.abs() < 1e-9);
                let xor = |loss: &Loss| loss.from.0 ^ loss.to.0;
                let losing: BTreeSet<u32> = outcome.losses.iter().map(xor).collect();
                prop_assert_eq!(losing, modelled.rto_steps.into_iter().collect());
            }
        }
    }

    #[test]
    fn heights_are_those_of_the_lower_side(parents in prop::collection::vec(any::<u32>(), 0..12)) {
        let above = (1..).zip(&parents);
        let cables: Vec<_> = above.map(|(at, parent)| (at, *parent as usize % at)).collect();
        let tree = graph_of(&vec![1; parents.len() + 1], &cables).unwrap();
        let wires = wires::wires(&tree, Negligible::AtLeast);
        for (number, link) in tree.links().iter().enumerate() {
            let sides = [depth(&tree, link.from, link.to), depth(&tree, link.to, link.from)];
            prop_assert_eq!(wires[number].height, 1 + sides[0].min(sides[1]));
        }
    }
}

/// How many cables the farthest vertex is from `at`, away from `from`.
fn depth(network: &Network, at: Vertex, from: Vertex) -> u32 {
    let out = network
        .links()
        .iter()
        .filter(|link| link.from == at && link.to != from);
    out.map(|link| 1 + depth(network, link.to, at))
        .max()
        .unwrap_or(0)
}

#[test]
fn a_million_ranks_are_solved_at_once() {
    let edges = [(1e9, 1e-6); 20];
    let b = closed::plogpt(
        model::Algorithm::B,
        Bytes(10_000),
        &parameters(&edges),
        RtoMode::TwoPass,
    );
    let b = b.unwrap();
    assert_eq!(b.losses, 19 << 20);
    // One rank's rounds of height h share the edge of their height: Σ 2^(h−1)·2^(h−1)·10 µs,
    // and 19 of them cost T_RTO.
    let sends: u64 = (0..20).map(|h| (10 * US) << (2 * h)).sum();
    assert_eq!(b.time, Time(sends + (50 + 19 * 200_000) * US));
}

/// Twelve hosts of 1 Gbit/s on two switches that are joined by 2 Gbit/s.
fn two_switches() -> PlogPT {
    let port = |gbit: u64, buffer| Port::new(BitsPerSecond(gbit * 1_000_000_000), Bytes(buffer));
    let network = Network::two_switches([6, 6], port(1, 65_536), port(2, 4550)).unwrap();
    on_hosts(network, &options())
}

/// From, to, begin, end.
type Sent = (u32, u32, u64, u64);

/// Every rank's sends one after the other, all of a moment at once.
fn brute_force(size: u64) -> Vec<Sent> {
    let mut clocks = [(0u64, 1u32); 12];
    let mut sent = Vec::new();
    while let Some(now) = clocks
        .iter()
        .filter(|(_, turn)| *turn < 12)
        .map(|(time, _)| *time)
        .min()
    {
        let begins = |rank: &u32| {
            let (time, turn) = clocks[*rank as usize];
            time == now && turn < 12
        };
        let pairs: Vec<(u32, u32)> = (0..12)
            .filter(begins)
            .map(|rank| (rank, (rank + clocks[rank as usize].1) % 12))
            .collect();
        for &(from, to) in &pairs {
            let direction = |(a, b): (u32, u32)| (a / 6, b / 6);
            let across = pairs
                .iter()
                .filter(|pair| direction(**pair) == direction((from, to)));
            let at_receiver = pairs.iter().filter(|pair| pair.1 == to).count() as u64;
            let crossing = if from / 6 == to / 6 {
                0
            } else {
                across.count() as u64
            };
            // A byte takes 8 ns on a host's link and 4 ns between the switches.
            let end = now + size * (8000 * at_receiver).max(4000 * crossing);
            clocks[from as usize] = (end, clocks[from as usize].1 + 1);
            sent.push((from, to, now, end));
        }
    }
    sent
}

#[test]
fn twelve_ranks_on_two_switches_are_as_by_brute_force() {
    for (size, is_lossy) in [(10_000, true), (4551, true), (4550, false)] {
        let expected = brute_force(size);
        let crosses = |message: &Sent| message.0 / 6 != message.1 / 6;
        let meets = |c: &Sent, other: &Sent| {
            let (from, to, _, end) = *c;
            let is_other = other.1 == to && other.0 != from && crosses(other) != crosses(c);
            is_other && other.2.abs_diff(end) <= end / 1_000_000_000 && size > 4550
        };
        let loses = |c: &&Sent| expected.iter().any(|other| meets(c, other));
        let lost: BTreeSet<(u32, u32)> =
            expected.iter().filter(loses).map(|c| (c.0, c.1)).collect();
        assert_eq!(!lost.is_empty(), is_lossy);
        let received = |c: &Sent| c.3 + 50 * US + if loses(&c) { 200_000 * US } else { 0 };
        let time = expected.iter().map(received).max().unwrap();

        let mut recorder = Recorder::default();
        let program = alltoall("sends-in-turn", 12, size);
        let outcome = run(
            (RtoMode::Receiver, None),
            program,
            two_switches(),
            &mut recorder,
        )
        .unwrap();
        let sorted = |mut sent: Vec<Sent>| {
            sent.sort_unstable();
            sent
        };
        assert_eq!(sorted(recorder.sent), sorted(expected.clone()));
        let found = outcome
            .losses
            .iter()
            .map(|loss| (loss.from.0, loss.to.0))
            .collect();
        assert_eq!((outcome.time, lost), (Time(time), found));
    }
}

#[test]
fn a_loss_names_what_was_met() {
    let network = binary_tree_of(
        &parameters(&[(125e6, 0.0), (125e6, 3.64e-5)]),
        Sharing::Fixed,
    );
    for (mode, seconds) in [(RtoMode::Receiver, 0.200_13), (RtoMode::TwoPass, 0.200_45)] {
        let outcome = simulate(model::Algorithm::B, 10_000, &network, mode);
        assert_eq!(outcome.time, Time::of(Seconds(seconds)));
        let loss = outcome.losses.iter().find(|loss| loss.from == Rank(0));
        let expected = Loss {
            time: Time(80 * US),
            from: Rank(0),
            to: Rank(1),
            send: 0,
            delay: Time(200_000 * US),
            cause: Cause::LastPacket {
                other: Rank(3),
                height: 1,
                other_height: 2,
            },
        };
        assert_eq!(loss, Some(&expected));
    }
}

#[test]
fn fluid_links_are_shared_by_all_under_way() {
    let [fixed, fluid] = [Sharing::Fixed, Sharing::Fluid].map(|sharing| {
        let options = Options {
            sharing,
            ..options()
        };
        on_hosts(star(3), &options)
    });
    let messages = [(0, 0, 2, 1000), (250 * US, 1, 2, 1000)];
    let received = play(&messages, 3, &fixed);
    assert_eq!(received, [(0, 2, 1050 * US), (1, 2, 1300 * US)]);
    // 250 B alone, 750 B at half the rate; the other then has 250 B left for itself.
    let received = play(&messages, 3, &fluid);
    assert_eq!(received, [(0, 2, 1800 * US), (1, 2, 2050 * US)]);
}

#[test]
fn ranks_on_one_host_need_the_latency_alone() {
    let hosts = vec![Vertex(0), Vertex(0), Vertex(1)];
    let network = PlogPT::new(star(2), hosts, &options()).unwrap();
    let received = play(&[(0, 0, 1, 1000), (0, 1, 2, 1000)], 3, &network);
    assert_eq!(received, [(0, 1, 50 * US), (1, 2, 1050 * US)]);
}

#[test]
fn links_tell_what_passed() {
    let network = binary_tree_of(&parameters(&[(125e6, 0.0), (125e6, 0.0)]), Sharing::Fixed);
    let links = simulate(model::Algorithm::B, 1000, &network, RtoMode::TwoPass).links;
    assert_eq!(links.len(), 12);
    let (host, uplink) = (&links[0], &links[8]);
    assert_eq!((host.name.as_str(), host.bytes), ("host0 -> switch0", 3000));
    assert_eq!(
        (uplink.name.as_str(), uplink.bytes),
        ("switch0 -> switch2", 4000)
    );
    assert_eq!(uplink.busy, Time(32 * US));
}

#[test]
fn what_is_no_tree_is_refused() {
    let triangle = graph_of(&[1, 0, 0], &[(0, 1), (1, 2), (2, 0)]).unwrap();
    let refusals = [
        (triangle, 0, "number of cables = 4 is not"),
        (star(2), 2, "host of a rank = 2"),
    ];
    for (network, host, expected) in refusals {
        let error = PlogPT::new(network, vec![Vertex(host)], &options()).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
