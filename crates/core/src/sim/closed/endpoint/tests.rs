//! Closed forms against the simulation that they stand for.

use proptest::prelude::*;

use super::*;
use crate::algorithm::{ALGORITHMS, Collective, Kind};
use crate::model::message::loggp::LogGP;
use crate::model::plogp::{PLogP, Parameters};
use crate::sim::network::endpoint::Endpoint;
use crate::sim::rounds::Rounds;
use crate::sim::{Outcome, run};
use crate::units::table::Table;
use crate::units::{Seconds, SecondsPerByte};

fn simulated(algorithm: Algorithm, procs: Procs, size: Bytes, ports: &Ports) -> Totals {
    let mut program = Rounds::new(algorithm.schedule(procs, size));
    let mut network = Endpoint::new(ports.clone(), procs);
    let Outcome {
        time,
        messages,
        bytes,
        ..
    } = run(&mut program, &mut network, &mut ()).unwrap();
    Totals {
        time,
        messages,
        bytes,
        losses: 0,
    }
}

/// L, o, g in nanoseconds and G in nanoseconds per byte.
fn loggp([latency, overhead, gap]: [u32; 3], gap_per_byte: f64) -> Ports {
    let [latency, overhead, gap] = [latency, overhead, gap].map(|ns| Seconds(f64::from(ns) * 1e-9));
    let gap_per_byte = SecondsPerByte(gap_per_byte * 1e-9);
    Ports::LogGP(LogGP::new(latency, overhead, gap, gap_per_byte).unwrap())
}

/// L in nanoseconds and g with such values at 0, 1000 and 100 000 bytes, which may fall.
fn plogp(latency: u32, gaps: [u32; 3]) -> Ports {
    let table = |values: [u32; 3]| {
        let rows = [0, 1000, 100_000].into_iter().zip(values);
        let rows = rows.map(|(size, ns)| (Bytes(size), Seconds(f64::from(ns) * 1e-9)));
        Table::new("g", rows.collect()).unwrap()
    };
    let parameters = Parameters {
        latency: Seconds(f64::from(latency) * 1e-9),
        gap: table(gaps),
        send_overhead: table([0; 3]),
        receive_overhead: table([0; 3]),
    };
    Ports::PLogP(PLogP::new(parameters).unwrap())
}

fn algorithm(collective: Collective, text: &str) -> Algorithm {
    Algorithm::parse(collective, text).unwrap()
}

/// Times of which many are equal, or sums of others.
fn few() -> impl Strategy<Value = u32> {
    prop_oneof![
        Just(0u32),
        0u32..12,
        (0u32..12).prop_map(|time| 1000 * time)
    ]
}

fn any_loggp() -> impl Strategy<Value = Ports> {
    let per_byte = prop_oneof![Just(0.0), (0u32..4).prop_map(f64::from), 0.0..10.0];
    ([few(), few(), few()], per_byte).prop_map(|(times, per_byte)| loggp(times, per_byte))
}

fn any_plogp() -> impl Strategy<Value = Ports> {
    (few(), [few(), few(), few()]).prop_map(|(latency, gaps)| plogp(latency, gaps))
}

fn any_procs() -> impl Strategy<Value = Procs> {
    let counts = prop_oneof![15 => 1u32..=17, 1 => 18u32..=80];
    counts.prop_map(|count| Procs::new(count).unwrap())
}

fn any_size() -> impl Strategy<Value = Bytes> {
    prop_oneof![0u64..20, 0u64..200_000].prop_map(Bytes)
}

/// `entry` with a setting that cuts `size` into a few segments.
fn set(entry: usize, size: Bytes, setting: u64) -> Algorithm {
    let entry = &ALGORITHMS[entry];
    let text = entry.text(|of| match of.kind {
        Kind::Size => size.0 / setting + 1,
        Kind::Number | Kind::FirstCluster => 1 + setting,
    });
    algorithm(entry.collective, &text)
}

/// Whether every network has a closed form of the algorithm.
fn is_always_solved(algorithm: Algorithm) -> bool {
    match algorithm.closed_form() {
        None
        | Some(
            ClosedForm::Pipeline
            | ClosedForm::Direct
            | ClosedForm::SendsInTurn
            | ClosedForm::DirectUnrotated,
        ) => false,
        Some(form) => is_exact(form),
    }
}

/// Whether a closed form is exact on some network of ports.
fn is_exact(form: ClosedForm) -> bool {
    !matches!(
        form,
        ClosedForm::ChainOfParts
            | ClosedForm::Binary
            | ClosedForm::BinomialSegmented
            | ClosedForm::BinomialOfParts
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_closed_form_is_what_the_simulation_finds(
        ports in prop_oneof![any_loggp(), any_plogp()],
        procs in any_procs(),
        size in any_size(),
        entry in 0..ALGORITHMS.len(),
        setting in 1u64..9,
    ) {
        let algorithm = set(entry, size, setting);
        let solved = endpoint(algorithm, procs, size, &ports);
        prop_assert!(solved.is_some() || !is_always_solved(algorithm));
        if let Some(solved) = solved {
            prop_assert_eq!(solved, simulated(algorithm, procs, size, &ports));
        }
    }

    /// Where the processor is free to send and to receive.
    #[test]
    fn every_form_holds_without_overheads(
        ports in prop_oneof![
            any_plogp(),
            ([few(), few()], 0.0..10.0).prop_map(|([l, g], per_byte)| loggp([l, 0, g], per_byte)),
        ],
        procs in any_procs(),
        size in any_size(),
        entry in 0..ALGORITHMS.len(),
        setting in 1u64..9,
    ) {
        let algorithm = set(entry, size, setting);
        if algorithm.closed_form().is_some_and(is_exact) {
            let solved = endpoint(algorithm, procs, size, &ports);
            prop_assert_eq!(solved, Some(simulated(algorithm, procs, size, &ports)));
        }
    }

    /// Small numbers, so that sends and receives meet at a processor in all ways.
    #[test]
    fn overheads_of_direct_exchange_and_of_pipelines(
        times in [0u32..30, 0u32..4, 0u32..10],
        per_byte in 0u32..3,
        procs in 2u32..14,
        size in 0u64..8,
        segment in 1u64..8,
    ) {
        let (ports, size) = (loggp(times, per_byte.into()), Bytes(size));
        let procs = Procs::new(procs).unwrap();
        let pipeline = format!("pipeline:{segment}");
        for algorithm in [
            algorithm(Collective::Alltoall, "direct"),
            algorithm(Collective::Alltoall, "throttled:1"),
            algorithm(Collective::Bcast, &pipeline),
        ] {
            if let Some(solved) = endpoint(algorithm, procs, size, &ports) {
                prop_assert_eq!(solved, simulated(algorithm, procs, size, &ports), "{}", algorithm);
            }
        }
    }
}

/// o = 2, I = 5, D = 14 (ns): the receives of the first messages begin at 14 and 19, one
/// before the sends that are due at 15 and 20. The sends go at 16 and 21, 26 after them; the
/// message sent at 16 is received from 30 on, when one is due at 31: delayed again, to 32.
#[test]
fn a_receive_that_puts_off_sends() {
    let ports = loggp([12, 2, 5], 0.0);
    let direct = algorithm(Collective::Alltoall, "direct");
    let time = |procs| {
        let solved = endpoint(direct, Procs::new(procs).unwrap(), Bytes(1), &ports);
        solved.unwrap().time
    };
    let alone = 2 + 12 + 2;
    for (procs, last) in [(2, 0), (4, 10), (5, 16), (7, 26), (8, 32)] {
        assert_eq!(time(procs), Time((last + alone) * 1000), "{procs} ranks");
    }
}

#[test]
fn a_million_ranks() {
    let procs = Procs::new(1 << 20).unwrap();
    let ports = loggp([5000, 0, 2000], 0.0);
    for (collective, text, microseconds) in [
        (Collective::Bcast, "binomial", 20 * 5),
        (Collective::Bcast, "pipeline:1", 3 * 2 + ((1 << 20) - 1) * 5),
        (Collective::Alltoall, "pairwise", ((1 << 20) - 1) * 5),
        (Collective::Alltoall, "direct", ((1 << 20) - 2) * 2 + 5),
    ] {
        let solved = endpoint(algorithm(collective, text), procs, Bytes(4), &ports);
        assert_eq!(
            solved.unwrap().time,
            Time(microseconds * 1_000_000),
            "{text}"
        );
    }
}
