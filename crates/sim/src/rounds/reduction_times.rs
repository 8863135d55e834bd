//! Simulated times of reductions and barriers against the critical paths of their forms, on ports with a latency.

use netsig_base::algorithm::{Algorithm, AlgorithmTraffic, Collective, ReducedVector};
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};

use super::ScheduleProgram;
use crate::network::endpoint::{Endpoint, PortParameters};
use crate::run;
use crate::testing::plogp;

/// α = L + g(0) = 50 µs, β = 10 ns/B, ω = 3 ns/B.
const LATENCY: f64 = 4e-5;
const GAP: f64 = 1e-5;
const BETA: f64 = 1e-8;
const OMEGA: f64 = 3e-9;

/// Process counts for which a path is the simulated one.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ExactCounts {
    All,
    /// Elsewhere messages of later rounds are under way at once: latencies overlap, and ports are busy.
    PowersOfTwo,
}

/// Simulated time in seconds.
fn simulated(algorithm: Algorithm, procs: Procs, size: Bytes) -> f64 {
    let far = 1 << 24;
    let gap = [(0, GAP), (far, GAP + BETA * far as f64)];
    let ports = PortParameters::PLogP(plogp(LATENCY, &gap));
    let program = ScheduleProgram::new(algorithm.schedule(procs, size));
    let mut timed_program = program.with_operation_time(SecondsPerByte(OMEGA));
    let outcome = run(&mut timed_program, &mut Endpoint::new(ports, procs), &mut ());
    outcome.unwrap().time.seconds().0
}

/// startups·α + bytes·β + combined·ω of the path, in seconds.
fn of_path(algorithm: Algorithm, procs: Procs, size: Bytes) -> f64 {
    let Some(AlgorithmTraffic::Reduction(form)) = algorithm.traffic() else {
        panic!("{algorithm} has no form of a reduction");
    };
    let element = Bytes(8);
    let path = form.path(ReducedVector { procs, size, element }, None);
    path.startups() * (LATENCY + GAP) + path.bytes() * BETA + path.combined() * OMEGA
}

#[test]
fn simulated_times_are_those_of_the_critical_path() {
    use Collective::{Allreduce, Barrier, Reduce, ReduceScatter, ReduceScatterBlock};
    use ExactCounts::{All, PowersOfTwo};
    let mut wrong = Vec::new();
    for (collective, name, exact) in [
        (Allreduce, "recursive-doubling", PowersOfTwo),
        (Allreduce, "rabenseifner", PowersOfTwo),
        (Allreduce, "rabenseifner-blocks", PowersOfTwo),
        (Allreduce, "ring", All),
        (Reduce, "chain", All),
        (Reduce, "binomial", PowersOfTwo),
        (ReduceScatter, "ring", All),
        (ReduceScatter, "pairwise", All),
        (ReduceScatter, "recursive-halving", PowersOfTwo),
        (ReduceScatter, "butterfly", PowersOfTwo),
        (ReduceScatterBlock, "recursive-halving", PowersOfTwo),
        (Barrier, "dissemination", All),
        (Barrier, "recursive-doubling", PowersOfTwo),
        (Barrier, "tree", PowersOfTwo),
    ] {
        for count in (2..20).filter(|count: &u32| exact == All || count.is_power_of_two()) {
            // 840 elements a rank are halved until one is left for 8 ranks, and cut evenly by most counts.
            let elements = 840 * u64::from(count);
            let size = if collective == Barrier { 0 } else { 8 * elements };
            let procs = Procs::new(count).unwrap();
            let algorithm = Algorithm::parse(collective, name).unwrap();
            let [found, expected] = [simulated, of_path].map(|time| time(algorithm, procs, Bytes(size)));
            if (found / expected - 1.0).abs() > 1e-9 {
                wrong.push(format!(
                    "{collective} {name} {count}: {} not {}",
                    Seconds(found),
                    Seconds(expected)
                ));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The root of a flat reduction combines the vector of the last rank first. All vectors leave at once, and its port takes
/// that one last: L and n − 1 gaps pass, then n − 1 combinations.
#[test]
fn a_flat_reduction_combines_in_rank_order_when_the_last_vector_is_there() {
    let flat = Algorithm::parse(Collective::Reduce, "flat").unwrap();
    let (procs, size) = (Procs::new(5).unwrap(), Bytes(8000));
    let gap = GAP + BETA * 8000.0;
    let expected = LATENCY + 4.0 * (gap + OMEGA * 8000.0);
    let found = simulated(flat, procs, size);
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
}
