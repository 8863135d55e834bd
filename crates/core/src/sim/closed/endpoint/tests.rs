//! Closed forms against the simulation that they stand for.

use proptest::prelude::*;

use super::*;
use crate::algorithm::{ALGORITHMS, Collective, Kind};
use crate::model::plogp::{PLogP, Parameters};
use crate::model::testing::table;
use crate::sim::network::endpoint::Endpoint;
use crate::sim::rounds::Rounds;
use crate::sim::{Outcome, run, testing};
use crate::units::Seconds;

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
        bytes: bytes.into(),
        losses: 0,
    }
}

fn loggp(nanoseconds: [u32; 3], per_byte: f64) -> Ports {
    testing::loggp(nanoseconds.map(f64::from), per_byte)
}

/// L in nanoseconds and g with such values at 0, 1000 and 100 000 bytes, which may fall.
fn plogp(latency: u32, gaps: [u32; 3]) -> Ports {
    let seconds = |nanoseconds: u32| f64::from(nanoseconds) * 1e-9;
    let gaps = gaps.map(seconds);
    let parameters = Parameters {
        latency: Seconds(seconds(latency)),
        gap: table(&[(0, gaps[0]), (1000, gaps[1]), (100_000, gaps[2])]),
        send_overhead: table(&[(0, 0.0)]),
        receive_overhead: table(&[(0, 0.0)]),
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

/// Networks with an overhead, and those where the processor is always free.
fn any_ports() -> impl Strategy<Value = (Ports, bool)> {
    let per_byte = prop_oneof![Just(0.0), (0u32..4).prop_map(f64::from), 0.0..10.0];
    let overhead = prop_oneof![few(), Just(0)];
    let any_loggp = (few(), overhead, few(), per_byte)
        .prop_map(|(l, o, g, per_byte)| (loggp([l, o, g], per_byte), o == 0));
    let any_plogp =
        (few(), [few(), few(), few()]).prop_map(|(latency, gaps)| (plogp(latency, gaps), true));
    prop_oneof![2 => any_loggp, 1 => any_plogp]
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

/// Whether a closed form answers on a network, at least where the processor is always free.
fn is_solved(form: ClosedForm, is_free: bool) -> bool {
    match form {
        ClosedForm::ChainOfParts
        | ClosedForm::Binary
        | ClosedForm::BinomialSegmented
        | ClosedForm::BinomialOfParts => false,
        ClosedForm::Pipeline
        | ClosedForm::Direct
        | ClosedForm::SendsInTurn
        | ClosedForm::DirectUnrotated => is_free,
        _ => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_closed_form_is_what_the_simulation_finds(
        (ports, is_free) in any_ports(),
        procs in any_procs(),
        size in any_size(),
        entry in 0..ALGORITHMS.len(),
        setting in 1u64..9,
    ) {
        let algorithm = set(entry, size, setting);
        let solved = endpoint(algorithm, procs, size, &ports);
        let must = algorithm.closed_form().is_some_and(|form| is_solved(form, is_free));
        prop_assert!(solved.is_some() || !must);
        if let Some(solved) = solved {
            prop_assert_eq!(solved, simulated(algorithm, procs, size, &ports));
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
