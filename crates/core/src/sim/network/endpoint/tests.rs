//! The engine on the network of ports, against models, values by hand and invariants.

use proptest::prelude::*;

use super::*;
use crate::algorithm::{ALGORITHMS, Algorithm, Collective};
use crate::model::hockney::Hockney;
use crate::model::segment::Segment;
use crate::model::testing::{affine, procs, table};
use crate::model::{self, Case, Known, Segments, Values, plogp};
use crate::sim::engine::run_with;
use crate::sim::observer::{Activity, Observer};
use crate::sim::rounds::Rounds;
use crate::sim::{Outcome, run};
use crate::units::{Seconds, SecondsPerByte};

use Collective::{Alltoall, Bcast, Gather, Scatter};

/// All activities in the order in which the engine told of them.
#[derive(Debug, Default, PartialEq)]
struct Log(Vec<(String, Time, Time)>);

impl Observer for Log {
    fn observe(&mut self, activity: Activity<'_>, start: Time, end: Time) {
        self.0.push((format!("{activity:?}"), start, end));
    }
}

fn logged(algorithm: Algorithm, procs: Procs, size: Bytes, ports: &Ports) -> (Outcome, Log) {
    let mut log = Log::default();
    let mut program = Rounds::new(algorithm.schedule(procs, size));
    let mut network = Endpoint::new(ports.clone(), procs);
    let outcome = run(&mut program, &mut network, &mut log).unwrap();
    (outcome, log)
}

fn algorithm(collective: Collective, text: &str) -> Algorithm {
    Algorithm::parse(collective, text).unwrap()
}

fn time((collective, text): (Collective, &str), procs: Procs, size: u64, ports: &Ports) -> Time {
    let mut program = Rounds::new(algorithm(collective, text).schedule(procs, Bytes(size)));
    let mut network = Endpoint::new(ports.clone(), procs);
    run(&mut program, &mut network, &mut ()).unwrap().time
}

fn loggp(times: [f64; 3], gap_per_byte: f64) -> LogGP {
    let [latency, overhead, gap] = times.map(Seconds);
    LogGP::new(latency, overhead, gap, SecondsPerByte(gap_per_byte)).unwrap()
}

#[track_caller]
fn assert_time(time: Time, expected: Seconds) {
    let error = (time.seconds() - expected).0.abs();
    assert!(error <= 1e-9 * expected.0, "{time} is not {expected}");
}

#[test]
fn one_message_takes_what_its_model_says() {
    let model = loggp([5e-5, 4e-6, 1e-5], 1e-8);
    let ports = Ports::LogGP(model);
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
    let ports = Ports::LogGP(loggp([5e-5, 4e-6, 1e-5], 1e-8));
    for collective in [Gather, Scatter] {
        let time = time((collective, "flat"), procs(4), 101, &ports);
        assert_eq!(time, Time(81_000_000));
    }
}

/// L = 2, o = 3, g = 4 (µs): a rank sends until 3 and from 4 to 7. The messages to it are there
/// at 5 and 9, but received from 7 and from 10 on: a processor does one thing at a time.
#[test]
fn overheads_of_sends_and_receives_follow_each_other() {
    let ports = Ports::LogGP(loggp([2e-6, 3e-6, 4e-6], 0.0));
    let (outcome, log) = logged(algorithm(Alltoall, "direct"), procs(3), Bytes(1), &ports);
    let of_rank_0 = |(what, ..): &&(String, Time, Time)| {
        let end = if what.starts_with("Send") {
            "from"
        } else {
            "to"
        };
        what.contains(&format!("{end}: Rank(0)"))
    };
    let ends: Vec<u64> = log
        .0
        .iter()
        .filter(of_rank_0)
        .map(|(.., end)| end.0 / 1_000_000)
        .collect();
    assert_eq!(ends, [3, 7, 10, 13]);
    assert_eq!(outcome.time, Time(13_000_000));
}

/// The time of a model of 7000 bytes in segments of 1000.
fn modelled((collective, name): (Collective, &str), procs: Procs) -> Seconds {
    let known = Known {
        hockney: Hockney::new(Seconds(0.0), SecondsPerByte(0.0)).unwrap(),
        plogp: affine(),
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

#[test]
fn collectives_take_what_their_models_say() {
    let ports = Ports::PLogP(affine());
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
        for procs in (1..40).map(procs) {
            let expected = modelled((collective, model), procs);
            assert_time(time((collective, text), procs, 7000, &ports), expected);
        }
    }
}

/// Also, two runs of anything do the same in the same order.
#[test]
fn every_message_of_every_algorithm_is_delivered() {
    let networks = [
        Ports::PLogP(affine()),
        Ports::LogGP(loggp([5e-6, 2e-6, 1e-6], 1e-9)),
        Ports::LogGP(loggp([0.0; 3], 0.0)),
    ];
    for (entry, ports) in ALGORITHMS
        .iter()
        .flat_map(|entry| networks.each_ref().map(|ports| (entry, ports)))
    {
        let algorithm = algorithm(entry.collective, &entry.example());
        for (procs, size) in (1..14)
            .map(procs)
            .zip([0, 1, 20_000].map(Bytes).into_iter().cycle())
        {
            let extent = algorithm.schedule(procs, size).extent();
            let rounds = procs.ranks().flat_map(|rank| {
                (0..extent.rounds)
                    .map(move |index| algorithm.schedule(procs, size).round(rank, index))
            });
            let (mut messages, mut bytes) = (0, 0);
            for round in rounds {
                for send in round.sends.iter() {
                    let blocks = send.slots.iter();
                    let blocks = blocks.map(|slot| extent.division.bytes(slot.index()));
                    messages += 1;
                    bytes += blocks.sum::<u64>();
                }
            }
            let (outcome, log) = logged(algorithm, procs, size, ports);
            assert_eq!(
                (outcome.messages, outcome.bytes),
                (messages, bytes),
                "{algorithm}"
            );
            assert_eq!(
                log.0.len() as u64,
                2 * messages,
                "{algorithm} among {procs}"
            );
            // The same messages arrive where every sender asks first.
            let mut program = Rounds::new(algorithm.schedule(procs, size));
            let mut network = Endpoint::new(ports.clone(), procs);
            let asking = run_with(Some(Bytes(0)), &mut program, &mut network, &mut ()).unwrap();
            assert_eq!((asking.messages, asking.bytes), (messages, bytes));
            assert_eq!(logged(algorithm, procs, size, ports), (outcome, log));
        }
    }
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
        let model = PLogP::new(plogp::Parameters {
            latency: Seconds(latency),
            gap: table(&[(0, gap), (1 << 16, end)]),
            send_overhead: table(&[(0, 0.0)]),
            receive_overhead: table(&[(0, 0.0)]),
        });
        for ports in [
            Ports::PLogP(model.unwrap()),
            Ports::LogGP(loggp([latency, 0.0, gap], end / 65536.0)),
        ] {
            for what in [(Bcast, "flat"), (Gather, "flat"), (Alltoall, "direct")] {
                let base = time(what, procs(count), size, &ports);
                prop_assert!(base <= time(what, procs(count), size + 1000, &ports));
                prop_assert!(base <= time(what, procs(count + 1), size, &ports));
            }
        }
    }
}
