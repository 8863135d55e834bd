//! Measures pLogP between ranks 0 and 1: os(m), or(m), g(m) and the round trips that determine L.
//!
//! # Procedure
//! 1. RTT(0) and os(0), then g(0) by saturation, see [`saturation`].
//! 2. For each size, RTT(m) and os(m) in the same repetitions. Then or(m): the time to receive an answer of m bytes
//!    that has arrived during a wait of 1.2·RTT(m).
//! 3. The gap g(m) = RTT(m) − RTT(0) + g(0), or by saturation if the plan demands it for all sizes.
//! 4. Additional sizes where the tables need them, see [`sizes`].
//!
//! All times are in seconds. Only measured times are recorded: the fit computes g(m) from round
//! trips and L = RTT(0)/2 − g(0).
//!
//! # Choices
//! As in the original benchmark, repetitions end when the one-sided confidence interval of the mean
//! is within 2·ε. Decisions about sizes use medians, which are robust against a stalled message.
//! The original stops at the first flood that saturates; here that flood is repeated, so that g(0)
//! has a confidence interval.
//!
//! # Source
//! Kielmann, Bal, Verstoep 2000, and their MPI `LogP` benchmark (1999–2003).

mod saturation;
mod sizes;

use netsig_base::stats::sample::{SortedValues, mean};
use netsig_base::units::{Bytes, Seconds};
use netsig_model::fit::plogp::gap_from_round_trips;

use self::saturation::{FIRST_FLOOD, FloodSearch};
use self::sizes::{MedianValue, PLogPPoint};
use crate::plan::{FloodedSizes, PLogPSettings, PlanCell, TimedOperation};
use crate::stopping::{StoppingRule, stop_at_known_means};

/// Wait for the arrival of a message, in round trips.
const WAIT_ROUND_TRIPS: f64 = 1.2;

/// The shortest wait: a hundred times the duration of reading a clock.
const SHORTEST_WAIT: Seconds = Seconds(1e-5);

/// The operations of the leader of a cell that the pLogP measurement uses.
pub(crate) trait StepMeasurer {
    /// The error of a failed measurement.
    type Error;

    /// Repeats a step of the cell until `repeat` ends it, and records the times. Returns the times of each quantity,
    /// first the times of an interrupted run.
    fn measure(&mut self, step: &PlanCell, repeat: &mut RepetitionRule) -> Result<Vec<Vec<f64>>, Self::Error>;

    /// The result of [`StepMeasurer::measure`] without measuring, if an interrupted run completed the
    /// step.
    fn completed(&self, step: &PlanCell) -> Option<Vec<Vec<f64>>>;

    /// The times of one repetition that is not recorded; `None` if it was rejected.
    fn time_once(&mut self, step: &PlanCell) -> Result<Option<Vec<Seconds>>, Self::Error>;

    /// True if the cell's share of the budget is used up.
    fn is_time_up(&self) -> bool;
}

/// The rule for the number of repetitions of a step.
pub(crate) struct RepetitionRule<'r> {
    /// Number of repetitions that are added at a time.
    pub round: u32,
    /// The most repetitions.
    pub most: u32,
    /// The condition that ends the repetitions earlier.
    pub rule: &'r mut StoppingRule<'r>,
}

/// Measures all steps of a pLogP cell that an interrupted run has not completed.
pub(crate) fn measure<M: StepMeasurer>(
    measure: &mut M,
    cell: &PlanCell,
    settings: &PLogPSettings,
) -> Result<(), M::Error> {
    let mut driver = PLogPDriver {
        measure,
        cell,
        settings,
    };
    let Some(round_trips) = driver.round_trips(Bytes(0))? else {
        return Ok(());
    };
    let Some(gap) = driver.flood(Bytes(0), &round_trips)? else {
        return Ok(());
    };
    let empty = EmptyMessages { round_trips, gap };
    sizes::measure_sizes(settings, |size| driver.point(size, &empty)).map(|_| ())
}

struct PLogPDriver<'a, M> {
    measure: &'a mut M,
    cell: &'a PlanCell,
    settings: &'a PLogPSettings,
}

/// Measurements of empty messages.
struct EmptyMessages {
    round_trips: RoundTrips,
    gap: MedianValue,
}

/// RTT(m) and os(m) of all repetitions, at least one.
#[derive(Clone)]
struct RoundTrips {
    times: SortedValues,
    mean: f64,
    send_overhead: MedianValue,
}

impl<M: StepMeasurer> PLogPDriver<'_, M> {
    /// Measures all quantities at `size`. `None` if no repetition is valid, or if the time is up
    /// and `size` is not an initial size.
    fn point(&mut self, size: Bytes, empty: &EmptyMessages) -> Result<Option<PLogPPoint>, M::Error> {
        if self.measure.is_time_up() && !self.settings.initial_sizes().contains(&size) {
            return Ok(None);
        }
        let round_trips = if size.0 == 0 {
            empty.round_trips.clone()
        } else {
            match self.round_trips(size)? {
                Some(round_trips) => round_trips,
                None => return Ok(None),
            }
        };
        let overhead = self.receive_overhead(size, round_trips.mean)?;
        let gap = match self.settings.flood {
            _ if size.0 == 0 => Some(empty.gap),
            FloodedSizes::Empty => Some(gap(&round_trips, empty)),
            FloodedSizes::Every => self.flood(size, &round_trips)?,
        };
        let both = overhead.zip(gap);
        Ok(both.map(|(receive_overhead, gap)| PLogPPoint {
            size,
            send_overhead: round_trips.send_overhead,
            receive_overhead,
            gap,
        }))
    }

    fn round_trips(&mut self, size: Bytes) -> Result<Option<RoundTrips>, M::Error> {
        let most = self.settings.most_of(size);
        let series = self.repeat(&self.cell.step(TimedOperation::RoundTrip, size), most)?;
        let [times, send_overheads] = &series[..] else {
            return Ok(None);
        };
        let send_overhead = MedianValue::of(send_overheads).filter(|_| !times.is_empty());
        Ok(send_overhead.map(|send_overhead| RoundTrips {
            times: SortedValues::new(times.clone()),
            mean: mean(times),
            send_overhead,
        }))
    }

    fn receive_overhead(&mut self, size: Bytes, round_trip: f64) -> Result<Option<MedianValue>, M::Error> {
        let wait = (WAIT_ROUND_TRIPS * round_trip).max(SHORTEST_WAIT.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive time well below five centuries"
        )]
        let delay_ns = (wait * 1e9) as u64;
        let step = self.cell.step(TimedOperation::ReceiveOverhead { delay_ns }, size);
        let series = self.repeat(&step, self.settings.most_of(size))?;
        Ok(first_value(&series))
    }

    /// Measures g(m) by saturation.
    fn flood(&mut self, size: Bytes, round_trips: &RoundTrips) -> Result<Option<MedianValue>, M::Error> {
        let cell = self.cell;
        let flood = |messages| cell.step(TimedOperation::Flood { messages }, size);
        if let Some(series) = self.measure.completed(&flood(FIRST_FLOOD)) {
            return Ok(first_value(&series));
        }
        let mut search = FloodSearch::new(size, Seconds(round_trips.mean), self.settings.epsilon);
        loop {
            let seen = self.measure.time_once(&flood(search.messages()))?;
            let is_enough = search.ends_with(seen.as_deref());
            if is_enough || (size.0 > 0 && self.measure.is_time_up()) {
                break;
            }
        }
        let series = self.repeat(&flood(search.messages()), self.settings.most)?;
        Ok(first_value(&series))
    }

    fn repeat(&mut self, step: &PlanCell, most: u32) -> Result<Vec<Vec<f64>>, M::Error> {
        let mut repeat = RepetitionRule {
            round: self.settings.round,
            most,
            rule: &mut stop_at_known_means(self.settings.confidence, self.settings.epsilon),
        };
        self.measure.measure(step, &mut repeat)
    }
}

fn first_value(series: &[Vec<f64>]) -> Option<MedianValue> {
    series.first().and_then(|times| MedianValue::of(times))
}

/// Computes g(m) from the round trips. If the median of RTT(m) is not above the median of RTT(0), the minimum of
/// RTT(0) replaces its median.
fn gap(round_trips: &RoundTrips, empty: &EmptyMessages) -> MedianValue {
    let time = round_trips.times.median();
    let mut nothing = empty.round_trips.times.median();
    if time <= nothing {
        nothing = empty.round_trips.times.quantile(0.0);
    }
    MedianValue {
        time: gap_from_round_trips(Seconds(time), Seconds(nothing), empty.gap.time),
        error: round_trips.times.median_error(),
    }
}
