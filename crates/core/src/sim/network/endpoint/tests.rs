//! The engine on the network of ports, against models, values by hand and invariants.

use proptest::prelude::*;

use super::*;
use crate::algorithm::tests::sent_bytes;
use crate::algorithm::{ALGORITHMS, Algorithm, Collective};
use crate::model::hockney::Hockney;
use crate::model::segment::Segment;
use crate::model::testing::{affine, procs, table};
use crate::model::{self, Case, Known, Segments, Values, plogp};
use crate::sim::engine::run_with;
use crate::sim::rounds::Rounds;
use crate::sim::testing::{Recorder, loggp};
use crate::sim::{Outcome, run};
use crate::units::{Seconds, SecondsPerByte};

use Collective::{Alltoall, Bcast, Gather, Scatter};

type Named<'a> = (Collective, &'a str);

fn logged(
    (collective, text): Named,
    procs: Procs,
    size: u64,
    ports: &Ports,
) -> (Outcome, Recorder) {
    let algorithm = Algorithm::parse(collective, text).unwrap();
    let mut recorder = Recorder::default();
    let mut program = Rounds::new(algorithm.schedule(procs, Bytes(size)));
    let mut network = Endpoint::new(ports.clone(), procs);
    let outcome = run(&mut program, &mut network, &mut recorder).unwrap();
    (outcome, recorder)
}

fn time(what: Named, procs: Procs, size: u64, ports: &Ports) -> Time {
    logged(what, procs, size, ports).0.time
}

#[track_caller]
fn assert_time(time: Time, expected: Seconds) {
    let error = (time.seconds() - expected).0.abs();
    assert!(error <= 1e-9 * expected.0, "{time} is not {expected}");
}

#[test]
fn one_message_takes_what_its_model_says() {
    let ports = loggp([5e4, 4e3, 1e4], 10.0);
    let Ports::LogGP(model) = ports else {
        panic!("{ports:?}")
    };
    for size in [0, 1, 101, 1 << 20] {
        let time = time((Bcast, "flat"), procs(2), size, &ports);
        assert_time(time, model.message(Bytes(size)));
    }
    let ports = Ports::PLogP(affine());
    for size in [0, 1000, 1 << 20] {
        let time = time((Bcast, "flat"), procs(2), size, &ports);
        assert_time(time, affine().message(Bytes(size)));
    }
}

/// L = 50, o = 4, g = 10 and 1 for the further bytes (µs): three messages come in at once, at
/// 54, 65 and 76; the last is in at 77 and received at 81. Scattered, they leave at 0, 11
/// and 22.
#[test]
fn messages_to_one_receiver_wait_for_its_port() {
    let ports = loggp([5e4, 4e3, 1e4], 10.0);
    for collective in [Gather, Scatter] {
        let time = time((collective, "flat"), procs(4), 101, &ports);
        assert_eq!(time, Time(81_000_000));
    }
}

/// L = 2, o = 3, g = 4 (µs): a rank sends until 3 and from 4 to 7. The messages to it are there
/// at 5 and 9, but received from 7 and from 10 on: a processor does one thing at a time.
#[test]
fn overheads_of_sends_and_receives_follow_each_other() {
    let ports = loggp([2e3, 3e3, 4e3], 0.0);
    let (outcome, log) = logged((Alltoall, "direct"), procs(3), 1, &ports);
    let sends = log.sent.iter().filter(|sent| sent.0 == 0);
    let receives = log.received.iter().filter(|received| received.1 == 0);
    let ends = sends.map(|it| it.3).chain(receives.map(|it| it.2));
    let ends: Vec<u64> = ends.map(|end| end / 1_000_000).collect();
    assert_eq!(ends, [3, 7, 10, 13]);
    assert_eq!(outcome.time, Time(13_000_000));
}

/// What a model says of 7000 bytes in segments of 1000.
fn modelled((collective, name): Named, procs: Procs, network: &PLogP) -> Seconds {
    let known = Known {
        hockney: Hockney::new(Seconds(0.0), SecondsPerByte(0.0)).unwrap(),
        plogp: network.clone(),
        signature: None,
        network: None,
    };
    let case = Case {
        procs,
        size: Bytes(7000),
        segments: Segments::Of(Segment::new(Bytes(1000)).unwrap()),
    };
    let model = model::find(collective, name).unwrap();
    model.time(&known, &Values::default(), case).unwrap().time
}

/// Where gaps and where L dominate, and where g jumps and even falls.
#[test]
fn collectives_take_what_their_models_say() {
    let steady = [(0, 1e-5), (1, 1.001e-5)];
    let jagged = [
        (0, 3e-5),
        (2000, 1e-5),
        (7000, 9e-5),
        (27_000, 1.1e-4),
        (67_000, 9e-5),
    ];
    let networks = [
        affine(),
        plogp(0.0, &steady),
        plogp(1e-2, &steady),
        plogp(2e-5, &jagged),
    ];
    for (collective, text, model) in [
        (Bcast, "flat", "flat"),
        (Bcast, "chain", "chain"),
        (Bcast, "binomial", "binomial_exact"),
        (Bcast, "pipeline:1000", "chain_seg"),
        (Bcast, "flat-segmented:1000", "flat_seg"),
        (Scatter, "flat", "flat"),
        (Scatter, "chain", "chain"),
        (Scatter, "binomial", "binomial_exact"),
        (Gather, "flat", "flat"),
        (Gather, "chain", "chain"),
        (Alltoall, "pairwise", "plogp_a"),
        (Alltoall, "direct", "free"),
        (Alltoall, "throttled:1", "free"),
        (Alltoall, "throttled:3", "free"),
    ] {
        for (network, count) in networks.iter().flat_map(|it| (1..40).map(move |n| (it, n))) {
            let procs = procs(count);
            let expected = modelled((collective, model), procs, network);
            let ports = Ports::PLogP(network.clone());
            let found = time((collective, text), procs, 7000, &ports);
            assert_time(found, expected);
            if (collective, text) == (Scatter, "binomial") && count.is_power_of_two() {
                assert_time(found, modelled((Scatter, "binomial"), procs, network));
            }
        }
    }
}

/// A program that ends has all of its messages. Two runs do the same in the same order, and
/// the same messages arrive where every sender asks first.
#[test]
fn every_message_of_every_algorithm_is_delivered() {
    let networks = [
        Ports::PLogP(affine()),
        loggp([5e3, 2e3, 1e3], 1.0),
        loggp([0.0; 3], 0.0),
    ];
    for (entry, ports) in ALGORITHMS
        .iter()
        .flat_map(|entry| networks.each_ref().map(|ports| (entry, ports)))
    {
        let text = entry.example();
        let algorithm = Algorithm::parse(entry.collective, &text).unwrap();
        let sizes = [0, 1, 20_000].into_iter().cycle();
        for (procs, size) in (1..14).map(procs).zip(sizes) {
            let once = || logged((entry.collective, &text), procs, size, ports);
            let (outcome, log) = once();
            let bytes: u64 = sent_bytes(algorithm, procs, Bytes(size)).iter().sum();
            assert_eq!(outcome.bytes, bytes, "{text} among {procs}");
            assert_eq!(log.received.len() as u64, outcome.messages, "{text}");
            assert_eq!(log.sent.len(), log.received.len(), "{text}");
            let mut program = Rounds::new(algorithm.schedule(procs, Bytes(size)));
            let mut network = Endpoint::new(ports.clone(), procs);
            let asking = run_with(Some(Bytes(0)), &mut program, &mut network, &mut ()).unwrap();
            assert_eq!((asking.messages, asking.bytes), (outcome.messages, bytes));
            assert_eq!(once(), (outcome, log));
        }
    }
}

fn plogp(latency: f64, gap: &[(u64, f64)]) -> PLogP {
    let parameters = plogp::Parameters {
        latency: Seconds(latency),
        gap: table(gap),
        send_overhead: table(&[(0, 0.0)]),
        receive_overhead: table(&[(0, 0.0)]),
    };
    PLogP::new(parameters).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn more_bytes_and_more_ranks_take_no_less_time(
        [latency, gap, further] in [0u32..100, 0u32..100, 0u32..100],
        count in 2u32..16,
        size in 0u64..100_000,
    ) {
        let [latency, gap, end] = [latency, gap, gap + further].map(|us| f64::from(us) * 1e-6);
        for ports in [
            Ports::PLogP(plogp(latency, &[(0, gap), (1 << 16, end)])),
            loggp([latency, 0.0, gap].map(|time| 1e9 * time), end / 65.536e-6),
        ] {
            for what in [(Bcast, "flat"), (Gather, "flat"), (Alltoall, "direct")] {
                let base = time(what, procs(count), size, &ports);
                prop_assert!(base <= time(what, procs(count), size + 1000, &ports));
                prop_assert!(base <= time(what, procs(count + 1), size, &ports));
            }
        }
    }
}
