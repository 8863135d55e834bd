//! Estimates the duration of a plan before its execution, from the rates of a network that a small
//! probe measures.
//!
//! # Formula
//! In seconds, with α and β of Hockney's model, m bytes, n processes and c, the ratio of the time
//! of an all-to-all to its contention-free bound:
//!
//! - Ping-pong: 2·(α + βm). All-to-all and allgather: c·(n−1)·(α + βm). Collectives with a root: (n−1)·(α + βm).
//!   Flows: c·(α + βm), a single flow without c. Reductions and barriers: the messages of their critical path. A local
//!   reduction: 1 ns for each byte.
//! - Before each repetition: ⌈log₂ n⌉·α for a barrier and 5 µs for bookkeeping.
//! - pLogP: 2.5·RTT for each size and repetition, RTT = 2α + βm, and floods of 2·RTT/ε to twice that; the search for
//!   their length takes as long as two floods.
//!
//! # Domain
//! Accurate to a factor of about two. This suffices for a budget: c is the largest ratio in the probe, at the most
//! processes, and a campaign keeps its budget by itself. The range from `low` to `high` covers the effects of the
//! data. With a precision the repetitions are between six and the planned number; pLogP stops by its own rule and may
//! double its sizes.

use std::ops::Add as _;

use derive_more::{Add, Mul};
use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, CellSummary, summarise};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};
use netsig_model::model::hockney::Hockney;

use crate::plan::{FloodedSizes, MeasurementPlan, PLogPSettings, PlanCell, TimedOperation};
use crate::work::CollectiveWork;

/// Fewest repetitions for which the median has a confidence interval.
const FEWEST_REPETITIONS: u32 = 6;

/// Time of a repetition outside the timed operation and the barrier.
const BOOKKEEPING: Seconds = Seconds(5e-6);

/// Time of a local reduction for each byte.
const LOCAL_REDUCTION: SecondsPerByte = SecondsPerByte(1e-9);

/// Time of one repetition of all pLogP steps of a size, in round trips.
const ROUND_TRIPS: f64 = 2.5;

/// Ratio of the largest number of sizes that pLogP may measure to the planned number.
const MOST_ADDED_RATIO: f64 = 2.0;

/// Speed of a network and of a launcher.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkRates {
    /// Parameters of a message between two ranks.
    pub hockney: Hockney,
    /// Ratio of the time of an all-to-all to its contention-free bound.
    pub contention: f64,
    /// Time to start and end an MPI job.
    pub launch_overhead: Seconds,
}

/// Range of a duration.
#[derive(Debug, Clone, Copy, PartialEq, Add, Mul)]
pub struct DurationRange {
    /// The duration in the best case.
    pub low: Seconds,
    /// The duration with all repetitions and sizes that may be needed.
    pub high: Seconds,
}

/// Estimates the duration of the whole plan.
pub fn estimate(plan: &MeasurementPlan, rates: &NetworkRates) -> DurationRange {
    let jobs = plan.variants().len() as f64;
    let launch = DurationRange::exactly(rates.launch_overhead * jobs);
    let cells = plan.cells().iter().map(|cell| rates.cell(plan, cell));
    cells.fold(launch, DurationRange::add) * f64::from(plan.launches)
}

impl MeasurementPlan {
    /// A short plan that measures the rates of a network among `procs`, at least 2: a ping-pong and
    /// a direct all-to-all with two sizes each.
    pub fn probe(procs: Procs) -> Self {
        let text = format!(
            "[pingpong]\nsizes = [1, 65536]\nrepetitions = 10\n\
             [[collective]]\nname = \"alltoall\"\nalgorithms = [\"direct\"]\nprocs = {procs}\n\
             sizes = [1024, 65536]\nrepetitions = 3\n"
        );
        Self::parse("probe", &text).expect("the probe is a plan")
    }
}

impl NetworkRates {
    /// Estimates the rates from the data of a [`MeasurementPlan::probe`] and the duration `wall` of its launch.
    /// `None` without a ping-pong of two sizes; without an all-to-all the contention is 1.
    pub fn from_probe(data: &Dataset, wall: Seconds) -> Option<Self> {
        let cells = summarise(data);
        let of = |experiment| {
            let its = move |(key, _): &(&CellKey, &CellSummary)| key.experiment == experiment;
            cells.iter().filter(its)
        };
        let (small, fast) = of(Experiment::PingPong).next()?;
        let (large, slow) = of(Experiment::PingPong).next_back()?;
        if small.size == large.size {
            return None;
        }
        let bytes = large.size.as_f64() - small.size.as_f64();
        let slope = ((slow.median - fast.median).0 / bytes).max(0.0);
        let start_up = (fast.median.0 - slope * small.size.as_f64()).max(0.0);
        let hockney = Hockney::new(Seconds(start_up), SecondsPerByte(slope)).ok()?;
        let times_the_bound = |(key, seen): (&CellKey, &CellSummary)| seen.mean / hockney.alltoall(key.procs, key.size);
        let alltoall = of(Experiment::Collective(Collective::Alltoall));
        let contention = alltoall.map(times_the_bound).fold(1.0, f64::max);
        let measured_time = |(key, seen): (&CellKey, &CellSummary)| {
            let both_ways = if key.experiment == Experiment::PingPong {
                2.0
            } else {
                1.0
            };
            seen.mean.0 * seen.repetitions as f64 * both_ways
        };
        let timed: f64 = cells.iter().map(measured_time).sum();
        contention.is_finite().then_some(Self {
            hockney,
            contention,
            launch_overhead: Seconds((wall.0 - timed).max(0.0)),
        })
    }

    /// Assumed rates of an unknown network: 1 Gbit/s, 50 µs.
    pub fn assumed() -> Self {
        Self {
            hockney: Hockney::new(Seconds(5e-5), SecondsPerByte(8e-9)).expect("both are positive"),
            contention: 1.0,
            launch_overhead: Seconds(1.0),
        }
    }

    /// Duration of one repetition of a cell, with barrier and bookkeeping.
    pub(crate) fn repetition(&self, cell: &PlanCell) -> Seconds {
        let message = self.hockney.time(cell.size);
        let operation = match cell.operation {
            TimedOperation::PingPong => message * 2.0,
            TimedOperation::Flows if cell.procs.get() > 2 => message * self.contention,
            TimedOperation::Flows => message,
            TimedOperation::LocalReduction => LOCAL_REDUCTION * cell.size,
            TimedOperation::Collective(collective, method)
                if collective.is_reduction() || collective == Collective::Barrier =>
            {
                CollectiveWork::of(collective, &method, cell.procs, cell.size).time(&self.hockney)
            }
            TimedOperation::Collective(collective, _) if collective.has_root() => message * cell.procs.partners(),
            TimedOperation::Collective(..) => message * (cell.procs.partners() * self.contention),
            _ => self.round_trip(cell.size),
        };
        operation + self.overhead(cell.procs)
    }

    /// Duration of a cell in one launch.
    pub(crate) fn cell(&self, plan: &MeasurementPlan, cell: &PlanCell) -> DurationRange {
        if let (TimedOperation::PLogP, Some(settings)) = (cell.operation, &plan.plogp) {
            return self.plogp(settings);
        }
        let fewest = match plan.precision {
            Some(_) => cell.repetitions.min(FEWEST_REPETITIONS),
            None => cell.repetitions,
        };
        let once = self.repetition(cell);
        let all = |repetitions| once * f64::from(cell.warmup + repetitions);
        DurationRange {
            low: all(fewest),
            high: all(cell.repetitions),
        }
    }

    /// Duration of pLogP in one launch.
    pub(crate) fn plogp(&self, settings: &PLogPSettings) -> DurationRange {
        let overhead = self.overhead(PlanCell::of_plogp(settings).procs);
        let of_size = |size: Bytes| {
            let once = self.round_trip(size) * ROUND_TRIPS + overhead * 2.0;
            let steps = DurationRange {
                low: once * f64::from(settings.round),
                high: once * (MOST_ADDED_RATIO * f64::from(settings.most_of(size))),
            };
            if size.0 == 0 || settings.flood == FloodedSizes::Every {
                steps + self.floods(settings, size)
            } else {
                steps
            }
        };
        let sizes = settings.initial_sizes().into_iter().map(of_size);
        sizes.fold(DurationRange::exactly(Seconds(0.0)), DurationRange::add)
    }

    fn floods(&self, settings: &PLogPSettings, size: Bytes) -> DurationRange {
        const SEARCH: u32 = 2;
        let shortest = self.round_trip(size) * (2.0 / settings.epsilon);
        DurationRange {
            low: shortest * f64::from(SEARCH + settings.round),
            high: shortest * (2.0 * f64::from(SEARCH + settings.most)),
        }
    }

    fn round_trip(&self, size: Bytes) -> Seconds {
        self.hockney.time(size) + self.hockney.alpha()
    }

    /// Duration of the barrier and the bookkeeping of a repetition.
    pub(crate) fn overhead(&self, procs: Procs) -> Seconds {
        self.hockney.alpha() * f64::from(procs.ceil_log2()) + BOOKKEEPING
    }
}

impl DurationRange {
    fn exactly(time: Seconds) -> Self {
        Self { low: time, high: time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// α = 0.1 ms, β = 10 ns/B, an all-to-all of twice the bound, launches of 2 s.
    fn rates() -> NetworkRates {
        NetworkRates {
            hockney: Hockney::new(Seconds(1e-4), SecondsPerByte(1e-8)).unwrap(),
            contention: 2.0,
            launch_overhead: Seconds(2.0),
        }
    }

    fn seconds(text: &str) -> [f64; 2] {
        let estimate = estimate(&MeasurementPlan::parse("p", text).unwrap(), &rates());
        [estimate.low.0, estimate.high.0]
    }

    fn close(found: f64, expected: f64) -> bool {
        (found / expected - 1.0).abs() < 1e-9
    }

    #[test]
    fn durations_by_hand() {
        // A message of 10 kB takes 0.2 ms; 11 of both ways, each after 0.105 ms.
        let [low, high] = seconds("[pingpong]\nsizes = \"10kB\"\nrepetitions = 10");
        assert!(close(low, 2.0 + 11.0 * 0.505e-3) && close(high, low));
        // Among 5: 4 · 0.2 ms · 2 after 3 · 0.1 ms and 5 us, twice 101 or 7 times.
        let text = "launches = 2\nprecision = 0.1\n[[collective]]\nname = \"alltoall\"\n\
            algorithms = [\"direct\"]\nprocs = 5\nsizes = \"10kB\"\nrepetitions = 100";
        let [low, high] = seconds(text);
        assert!(close(low, 4.0 + 14.0 * 1.905e-3));
        assert!(close(high, 4.0 + 202.0 * 1.905e-3));
        // Among 8: 14 messages of 1 kB, or 3 of 4, 2 and 1 kB there and back, twice each after 3 · 0.1 ms and 5 us.
        let text = "[[collective]]\nname = \"allreduce\"\nalgorithms = [\"ring\", \"library\"]\nprocs = 8\n\
            sizes = \"8kB\"\nrepetitions = 1";
        let [low, _] = seconds(text);
        assert!(close(low, 2.0 + 2.0 * (14.0 * 0.11e-3 + 0.74e-3 + 2.0 * 0.305e-3)));
        // 10.1 ms alone; among two pairs twice as long.
        let [low, _] = seconds("[flows]\npairs = [1, 2]\nsize = \"1MB\"\nrepetitions = 1");
        let expected = 2.0 + 10.1e-3 + 20.2e-3 + 0.1e-3 + 0.2e-3 + 0.01e-3;
        assert!(close(low, expected));
    }

    #[test]
    fn plogp_takes_between_its_least_and_its_most() {
        let [low, high] = seconds("[plogp]\nsizes = \"1..1MiB\"");
        assert!(2.0 < low && 4.0 * (low - 2.0) < high - 2.0, "{low} {high}");
        let [every, _] = seconds("[plogp]\nsizes = \"1..1MiB\"\nflood = \"every\"");
        assert!(every > 2.0 * low);
    }
}
