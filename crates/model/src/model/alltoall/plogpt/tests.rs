//! `PlogPT` against a simulation of each rank's primitives.

use netsig_base::network::TreeEdge;
use netsig_base::units::Rank;

use crate::testing::assert_close;
use proptest::prelude::*;

use super::*;

fn parameters(list: &[(f64, f64)]) -> PlogptParameters {
    let edge = |&(bandwidth, delay): &(f64, f64)| TreeEdge {
        bandwidth: BytesPerSecond(bandwidth),
        delay: Seconds(delay),
    };
    PlogptParameters::new(list.iter().map(edge).collect(), Seconds(5e-5))
}

#[test]
fn trees_of_one_rank_of_a_million_and_of_too_many() {
    let lone = PlogPT::new(&parameters(&[])).unwrap();
    assert_eq!(lone.procs().get(), 1);
    let outcome: PlogptOutcome = lone.alltoall(Bytes(10_000), PlogptAlgorithm::B, RtoMode::Receiver);
    assert_eq!(outcome.time, Seconds(0.0));
    assert_eq!(lone.rounds(Bytes(1), PlogptAlgorithm::A).count(), 0);
    // Full bisection: PlogP's (P − 1)·g + L.
    let rates = (0..20).map(|height| (125e6 * 2f64.powi(height), 0.0));
    let large = PlogPT::new(&parameters(&rates.collect::<Vec<_>>())).unwrap();
    let outcome = large.alltoall(Bytes(12_500), PlogptAlgorithm::B, RtoMode::Receiver);
    assert_close(outcome.time, 1_048_575.0 * 1e-4 + 5e-5);
    let most = PlogPT::new(&parameters(&[(1e9, 1e-6); 31])).unwrap();
    assert_eq!(most.procs().get(), 1 << 31);
    let outcome: PlogptOutcome = most.alltoall(Bytes(u64::MAX), PlogptAlgorithm::B, RtoMode::TwoPass);
    assert_eq!(outcome.rto_rounds.last(), Some(&((1 << 30) - 1)));
    let error = PlogPT::new(&parameters(&[(1.0, 0.0); 32])).unwrap_err();
    assert!(error.to_string().starts_with("number of heights = 32"));
}

/// The effective height of a message, by the rule on edges.
fn effective(edges: &[TreeEdge], from: u32, to: u32) -> usize {
    let mut height = (1..32).find(|h| from >> h == to >> h).unwrap();
    while height > 1
        && edges[height - 1].delay.0 == 0.0
        && edges[height - 1].bandwidth.0 >= 2.0 * edges[height - 2].bandwidth.0
    {
        height -= 1;
    }
    height
}

/// Every rank's sends, receives and waits one by one; any two messages to the same receiver
/// are held against the three conditions. Returns T and the rounds with a timeout.
fn simulate(parameters: &PlogptParameters, size: u64, algorithm: PlogptAlgorithm) -> (f64, Vec<u32>) {
    let (edges, latency) = (&parameters.edges, parameters.latency.0);
    let procs = 1u32 << edges.len();
    let mut clocks = vec![0.0f64; procs as usize];
    // The round, the ranks, when it begins and when it ends.
    let mut messages: Vec<(u32, (u32, u32), f64, f64)> = Vec::new();
    for round in 1..procs {
        let pairs: Vec<_> = (0..procs).map(|r| (Rank(r), Rank(r ^ round))).collect();
        let end = |r| clocks[r] + size as f64 / throughput(edges, &pairs, r).unwrap().0;
        let ended: Vec<f64> = (0..procs as usize).map(end).collect();
        for (rank, (&clock, &end)) in (0..procs).zip(clocks.iter().zip(&ended)) {
            messages.push((round, (rank, rank ^ round), clock, end));
        }
        for rank in 0..procs {
            let received = ended[(rank ^ round) as usize] + latency;
            let sent = ended[rank as usize];
            clocks[rank as usize] = match algorithm {
                PlogptAlgorithm::A => received.max(sent),
                PlogptAlgorithm::B => sent,
            };
        }
    }
    let loses = |&(_, (from, to), _, finish): &(u32, (u32, u32), f64, f64)| {
        let mut others = messages
            .iter()
            .filter(|(_, other, ..)| other.1 == to && other.0 != from);
        others.any(|&(_, other, enter, _)| {
            let heights = [(from, to), other].map(|(from, to)| effective(edges, from, to));
            let TreeEdge { bandwidth, delay } = edges[heights[0].max(heights[1]) - 1];
            (enter - finish).abs() <= 1e-9 * finish
                && size as f64 > bandwidth.0 * delay.0 + 1e-9
                && heights[0] != heights[1]
        })
    };
    let (mut time, mut rounds) = (0.0f64, Vec::new());
    for message in &messages {
        let lost = loses(message);
        let timeout = if lost { parameters.rto.0 } else { 0.0 };
        time = time.max(message.3 + timeout + latency);
        if lost && rounds.last() != Some(&message.0) {
            rounds.push(message.0);
        }
    }
    (time, rounds)
}

fn any_edges() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let rate = prop::sample::select(vec![100e6, 125e6, 200e6, 250e6, 400e6, 500e6]);
    let delay = prop::sample::select(vec![0.0, 0.0, 1e-5, 3.64e-5]);
    prop::collection::vec((rate, delay), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn closed_forms_agree_with_the_simulation(tree in any_edges(), size in 1u64..20_000) {
        let parameters = parameters(&tree);
        let network = PlogPT::new(&parameters).unwrap();
        for algorithm in [PlogptAlgorithm::A, PlogptAlgorithm::B] {
            let (time, rounds) = simulate(&parameters, size, algorithm);
            let outcome: PlogptOutcome = network.alltoall(Bytes(size), algorithm, RtoMode::Receiver);
            prop_assert!((outcome.time.0 / time - 1.0).abs() < 1e-9, "{outcome:?} not {time}");
            prop_assert_eq!(outcome.rto_rounds, rounds);
        }
    }
}
