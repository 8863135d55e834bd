//! `PlogPT` against closed forms, hand-worked values, and brute force.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::model::alltoall::plogpt as model;
use crate::model::alltoall::plogpt::RtoMode;
use crate::network::tests::graph_of;
use crate::network::{Edge, Port};
use crate::sim::closed;
use crate::sim::engine;
use crate::sim::goal::Goals;
use crate::sim::network::{Cause, Loss};
use crate::sim::outcome::Outcome;
use crate::sim::setup::Report;
use crate::sim::testing::{Begun, Recorder, alltoall, script};
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
    let script = script(procs, messages);
    let mut goals = Goals::new(&script).unwrap();
    engine::run(&mut goals, &mut network.clone(), &mut recorder).unwrap();
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
                prop_assert_eq!(solved, Report::of_events(&outcome).totals);
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

/// One rank's rounds of height h share the edge of their height: Σ 2^(h−1)·2^(h−1)·10 µs, and 19
/// of them cost T_RTO.
#[test]
fn a_million_ranks_are_solved_at_once() {
    let parameters = parameters(&[(1e9, 1e-6); 20]);
    let (algorithm, mode) = (model::Algorithm::B, RtoMode::TwoPass);
    let solved = closed::plogpt(algorithm, Bytes(10_000), &parameters, mode).unwrap();
    assert_eq!(solved.losses, 19 << 20);
    let sends: u64 = (0..20).map(|h| (10 * US) << (2 * h)).sum();
    assert_eq!(solved.time, Time(sends + (50 + 19 * 200_000) * US));
}

/// From, to, begin, end.
type Sent = (u32, u32, u64, u64);

/// All-to-all among six and six hosts of 1 Gbit/s on two switches that are joined by 2 Gbit/s:
/// every rank's sends one after the other, all of a moment at once.
fn brute_force(size: u64) -> Vec<Sent> {
    let mut clocks = [(0u64, 1u32); 12];
    let mut sent = Vec::new();
    while let Some(now) = clocks
        .iter()
        .filter(|clock| clock.1 < 12)
        .map(|clock| clock.0)
        .min()
    {
        let begins = (0..)
            .zip(&clocks)
            .filter(|(_, (time, turn))| *time == now && *turn < 12);
        let pairs = begins.map(|(rank, (_, turn))| (rank, (rank + turn) % 12));
        let pairs: Vec<(u32, u32)> = pairs.collect();
        let count = |shares: &dyn Fn(&(u32, u32)) -> bool| {
            pairs.iter().filter(|pair| shares(pair)).count() as u64
        };
        for &(from, to) in &pairs {
            let at_receiver = count(&|pair| pair.1 == to);
            let is_across = from / 6 != to / 6;
            let crossing =
                count(&|pair| is_across && (pair.0 / 6, pair.1 / 6) == (from / 6, to / 6));
            // A byte takes 8 ns on a host's link and 4 ns between the switches.
            let end = now + size * (8000 * at_receiver).max(4000 * crossing);
            let (time, turn) = &mut clocks[from as usize];
            (*time, *turn) = (end, *turn + 1);
            sent.push((from, to, now, end));
        }
    }
    sent.sort_unstable();
    sent
}

#[test]
fn twelve_ranks_on_two_switches_are_as_by_brute_force() {
    let port = |gbit: u64, buffer| Port::new(BitsPerSecond(gbit * 1_000_000_000), Bytes(buffer));
    let switches = Network::two_switches([6, 6], port(1, 65_536), port(2, 4550)).unwrap();
    let network = on_hosts(switches, &options());
    for (size, is_lossy) in [(10_000, true), (4551, true), (4550, false)] {
        let expected = brute_force(size);
        let crosses = |message: &Sent| message.0 / 6 != message.1 / 6;
        let meets = |c: &Sent, other: &Sent| {
            let is_other = other.1 == c.1 && other.0 != c.0 && crosses(other) != crosses(c);
            is_other && other.2.abs_diff(c.3) <= c.3 / 1_000_000_000 && size > 4550
        };
        let loses = |c: &&Sent| expected.iter().any(|other| meets(c, other));
        let lost: BTreeSet<_> = expected.iter().filter(loses).map(|c| (c.0, c.1)).collect();
        assert_eq!(!lost.is_empty(), is_lossy);
        let received = |c: &Sent| c.3 + 50 * US + if loses(&c) { 200_000 * US } else { 0 };
        let time = expected.iter().map(received).max().unwrap();

        let mut log = Recorder::default();
        let program = alltoall("sends-in-turn", 12, size);
        let mode = (RtoMode::Receiver, None);
        let outcome = run(mode, program, network.clone(), &mut log).unwrap();
        log.sent.sort_unstable();
        assert_eq!(log.sent, expected);
        let found = outcome.losses.iter().map(|loss| (loss.from.0, loss.to.0));
        assert_eq!((outcome.time, lost), (Time(time), found.collect()));
    }
}

/// Host 0 sends two messages over the uplink of its pair, as host 1 does.
#[test]
fn losses_and_links_tell_what_happened() {
    let parameters = parameters(&[(125e6, 0.0), (125e6, 3.64e-5)]);
    let network = binary_tree_of(&parameters, Sharing::Fixed);
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
        let links = outcome
            .links
            .iter()
            .map(|link| (&*link.name, link.bytes, link.busy));
        let links: Vec<_> = links.collect();
        assert_eq!(links.len(), 12);
        let uplink = ("switch0 -> switch2", 40_000, Time(320 * US));
        assert_eq!((links[0].0, links[0].1), ("host0 -> switch0", 30_000));
        assert_eq!(links[8], uplink);
    }
}

#[test]
fn fluid_links_are_shared_by_all_under_way() {
    let messages = [(0, 0, 2, 1000), (250_000, 1, 2, 1000)];
    // Fluid: 250 B alone, 750 B at half the rate; the other then has 250 B left for itself.
    for (sharing, ends) in [
        (Sharing::Fixed, [1050, 1300]),
        (Sharing::Fluid, [1800, 2050]),
    ] {
        let options = Options {
            sharing,
            ..options()
        };
        let received = play(&messages, 3, &on_hosts(star(3), &options));
        let ends = ends.map(|end| end * US);
        assert_eq!(received, [(0, 2, ends[0]), (1, 2, ends[1])]);
    }
}

#[test]
fn ranks_on_one_host_need_the_latency_alone() {
    let hosts = vec![Vertex(0), Vertex(0), Vertex(1)];
    let network = PlogPT::new(star(2), hosts, &options()).unwrap();
    let received = play(&[(0, 0, 1, 1000), (0, 1, 2, 1000)], 3, &network);
    assert_eq!(received, [(0, 1, 50 * US), (1, 2, 1050 * US)]);
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
