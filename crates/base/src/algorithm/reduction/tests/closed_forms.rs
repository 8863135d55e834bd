//! Closed forms of reductions and barriers, compared with their schedules, message by message.

use super::*;
use crate::algorithm::{ALGORITHMS, AlgorithmEntry, ClosedForm, ReducedVector};
use crate::schedule::{PortRun, RunCosts};
use crate::units::{Seconds, SecondsPerByte};

const COSTS: RunCosts = RunCosts {
    startup: Seconds(50e-6),
    per_byte: SecondsPerByte(10e-9),
    operation: SecondsPerByte(1e-9),
};

/// Numbers of elements, below and above the number of ranks, and their length.
const VECTORS: [(u64, u64); 10] = [
    (0, 8),
    (1, 8),
    (3, 4),
    (5, 16),
    (13, 8),
    (16, 4),
    (60, 8),
    (1000, 8),
    (1201, 4),
    (5040, 16),
];

fn run(algorithm: Algorithm, call: &CollectiveCall) -> PortRun {
    let schedule = algorithm.serve(call).unwrap();
    PortRun::of(schedule.extent(), |rank, index| schedule.round(rank, index), COSTS).unwrap()
}

/// Entries with a closed form, with all their settings.
fn reductions() -> impl Iterator<Item = (&'static AlgorithmEntry, Algorithm)> {
    let all = ALGORITHMS.iter().filter(|entry| entry.collective.is_reduction());
    let closed = all.filter(|entry| entry.closed_form().is_some());
    closed.flat_map(|entry| entry.candidates().map(move |algorithm| (entry, algorithm)))
}

fn calls() -> impl Iterator<Item = CollectiveCall> {
    let of_count = |count| {
        VECTORS.map(move |(elements, bytes)| CollectiveCall {
            element: Bytes(bytes),
            ..CollectiveCall::new(Procs::new(count).unwrap(), Bytes(bytes * elements))
        })
    };
    (2..=17).flat_map(of_count)
}

/// Largest relative errors of the closed forms: time over that of the schedule, less 1.
#[test]
fn closed_forms_equal_the_schedules() {
    let mut inexact = Vec::new();
    for (entry, algorithm) in reductions() {
        let Some(ClosedForm::Reduction(form)) = entry.closed_form() else {
            panic!("{algorithm} has another closed form");
        };
        let errors: Vec<f64> = calls()
            .map(|call| {
                let CollectiveCall {
                    procs, size, element, ..
                } = call;
                let path = form.path(ReducedVector { procs, size, element }, algorithm.segment());
                let time = COSTS.startup * path.startups()
                    + Seconds(COSTS.per_byte.0 * path.bytes() + COSTS.operation.0 * path.combined());
                time / run(algorithm, &call).time - 1.0
            })
            .collect();
        let (least, most) = errors.iter().fold((0.0f64, 0.0f64), |(least, most), &error| {
            (least.min(error), most.max(error))
        });
        if most - least > 1e-12 {
            inexact.push(format!("{} {algorithm}: {least:.4} to {most:.4}", entry.collective));
        }
    }
    insta::assert_snapshot!(inexact.join("\n"), @r"
    reduce-scatter butterfly: -0.0000 to 0.0012
    reduce-scatter recursive-doubling: -0.0000 to 0.4305
    reduce-scatter-block butterfly: -0.0000 to 0.0012
    reduce-scatter-block recursive-doubling: -0.0000 to 0.4305
    ");
}

/// A rank of an all-reduce sends at least 2(n−1)m/n bytes, of a reduce-scatter (n−1)m/n (Patarasuk and Yuan 2009).
/// All ranks combine at least (n−1)m bytes, and exactly that many without redundant steps.
#[test]
fn no_schedule_does_less_than_it_must() {
    for (entry, algorithm) in reductions() {
        for call in calls() {
            let run = run(algorithm, &call);
            let (others, m) = (u64::from(call.procs.get()) - 1, call.size.0);
            let rank_must_send = match entry.collective {
                Collective::Allreduce => 2 * others * m / (others + 1),
                Collective::ReduceScatter | Collective::ReduceScatterBlock => others * m / (others + 1),
                _ => 0,
            };
            assert!(run.most_sent() >= rank_must_send, "{algorithm} {call:?}");
            let combined: u64 = run.combined.iter().sum();
            let doubles = algorithm.to_string() == "recursive-doubling" && entry.collective != Collective::Barrier;
            assert!(
                combined >= others * m || entry.collective == Collective::Barrier,
                "{algorithm} {call:?}"
            );
            if !doubles {
                assert_eq!(
                    combined,
                    if entry.collective == Collective::Barrier {
                        0
                    } else {
                        others * m
                    },
                    "{algorithm} {call:?}"
                );
            }
        }
    }
}

/// Bytes that the busiest rank sends and combines, as derived in the literature and for other n from the schedules.
/// c = 5040 doubles, which all powers of two up to 16 and most numbers of ranks divide.
#[test]
fn the_busiest_rank_sends_and_combines_what_was_derived() {
    const DOUBLES: u64 = 5040;
    let m = 8 * DOUBLES;
    for n in 2..=17u64 {
        let levels = n.ilog2();
        let power = 1 << levels;
        let f = u64::from(n > power);
        let s = m - m / power;
        let shortest = DOUBLES / n * 8;
        let longest = DOUBLES.div_ceil(n) * 8;
        let doublings = u64::from(levels) + f;
        let ceil = u64::from(n.next_power_of_two().ilog2());
        let expected = [
            (
                Collective::Allreduce,
                "recursive-doubling",
                (doublings * m, doublings * m),
            ),
            (Collective::Allreduce, "rabenseifner-blocks", (2 * s + f * m, s + f * m)),
            (
                Collective::Allreduce,
                "rabenseifner",
                (2 * s + f * (m / 2 + m), s + f * m / 2),
            ),
            (Collective::Allreduce, "ring", (2 * (m - shortest), m - shortest)),
            (Collective::ReduceScatter, "ring", (m - shortest, m - shortest)),
            (Collective::ReduceScatter, "pairwise", (m - shortest, (n - 1) * longest)),
            (Collective::Reduce, "binomial", (m, ceil * m)),
        ];
        for (collective, name, (sent, combined)) in expected {
            let algorithm = Algorithm::parse(collective, name).unwrap();
            let procs = Procs::new(u32::try_from(n).unwrap()).unwrap();
            let run = run(algorithm, &CollectiveCall::new(procs, Bytes(m)));
            assert_eq!(
                (run.most_sent(), run.most_combined()),
                (sent, combined),
                "{collective} {name} {n}"
            );
        }
    }
}
