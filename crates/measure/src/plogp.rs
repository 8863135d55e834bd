//! Measures pLogP between ranks 0 and 1: os(m), or(m), g(m) and what gives L.
//!
//! # Procedure
//! 1. RTT(0) and os(0), then g(0) by saturation, see [`saturation`].
//! 2. For each size RTT(m) and os(m) in the same repetitions, then or(m): an answer of m
//!    bytes that has arrived is received after a wait of 1.2·RTT(m).
//! 3. g(m) = RTT(m) − RTT(0) + g(0), or by saturation if the plan says so for all sizes.
//! 4. More sizes where the tables need them, see [`sizes`].
//!
//! All times in seconds. Only what was measured is recorded: g(m) from round trips and
//! L = RTT(0)/2 − g(0) are left to whoever reads the data.
//!
//! # Choices
//! As in the original, repetitions end when the means are known to 2·ε. Decisions about sizes
//! rest on medians, which a stalled message does not move. The original stops at the flood
//! that saturates, a single one; here that flood is repeated, so that g(0) has an
//! interval.
//!
//! # Source
//! Kielmann, Bal, Verstoep 2000, and their MPI `LogP` benchmark (1999–2003).

mod saturation;
mod sizes;

use netsig_core::fit::plogp::gap_from_round_trips;
use netsig_core::stats::sample::{Sorted, mean};
use netsig_core::units::{Bytes, Seconds};

use self::saturation::{FIRST_FLOOD, Search};
use self::sizes::{Point, Points, Value};
use crate::plan::{Flood, Operation, PLogPSettings};
use crate::stopping::{MeansKnown, Rule};

/// How many round trips one waits for a message to have arrived.
const PATIENCE: f64 = 1.2;

/// The least wait: a hundred times what reading a clock takes.
const SHORTEST_WAIT: Seconds = Seconds(1e-5);

/// What pLogP needs of whoever leads a cell.
pub(crate) trait Measure {
    /// Why it failed.
    type Error;

    /// Repeats a step of the cell until there is enough, and records it. Gives the times of
    /// each quantity, those of an interrupted run first.
    fn measure(&mut self, step: &Step, repeat: &mut Repeat) -> Result<Vec<Vec<f64>>, Self::Error>;

    /// What [`Measure::measure`] would give, if an interrupted run has measured the step to
    /// its end.
    fn completed(&self, step: &Step) -> Option<Vec<Vec<f64>>>;

    /// The times of one repetition that is not recorded, if it counts.
    fn once(&mut self, step: &Step) -> Result<Option<Vec<Seconds>>, Self::Error>;

    /// Whether the cell's share of the budget is used up.
    fn is_time_up(&self) -> bool;
}

/// How to repeat a step.
pub(crate) struct Repeat<'r> {
    /// Repetitions come in rounds of so many,
    pub round: u32,
    /// and are at most so many,
    pub most: u32,
    /// but fewer when this is met.
    pub rule: &'r mut dyn Rule,
}

/// A step of a cell of several.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    /// What is timed.
    pub operation: Operation,
    /// With which size.
    pub size: Bytes,
}

/// Measures everything that the settings want and is not yet measured.
pub(crate) fn measure<M: Measure>(
    measure: &mut M,
    settings: &PLogPSettings,
) -> Result<(), M::Error> {
    let mut driver = Driver {
        measure,
        settings,
        empty: None,
    };
    driver.empty = driver.empty()?;
    if driver.empty.is_some() {
        sizes::explore(settings, &mut driver)?;
    }
    Ok(())
}

struct Driver<'a, M> {
    measure: &'a mut M,
    settings: &'a PLogPSettings,
    /// What is known of empty messages.
    empty: Option<Empty>,
}

/// Times of empty messages.
struct Empty {
    round_trips: RoundTrips,
    gap: Value,
}

/// RTT(m) and os(m) of all repetitions, at least one.
#[derive(Clone)]
struct RoundTrips {
    times: Sorted,
    mean: f64,
    send_overheads: Sorted,
}

impl<M: Measure> Driver<'_, M> {
    /// What is known of empty messages; nothing if no repetition counts.
    fn empty(&mut self) -> Result<Option<Empty>, M::Error> {
        let Some(round_trips) = self.round_trips(Bytes(0))? else {
            return Ok(None);
        };
        let gap = self.flood(Bytes(0), &round_trips)?;
        Ok(gap.map(|gap| Empty { round_trips, gap }))
    }

    fn round_trips(&mut self, size: Bytes) -> Result<Option<RoundTrips>, M::Error> {
        let series = self.repeat(Operation::RoundTrip, size, self.settings.most_of(size))?;
        let [times, send_overheads] = &series[..] else {
            return Ok(None);
        };
        if times.is_empty() || send_overheads.is_empty() {
            return Ok(None);
        }
        Ok(Some(RoundTrips {
            times: Sorted::new(times.clone()),
            mean: mean(times),
            send_overheads: Sorted::new(send_overheads.clone()),
        }))
    }

    fn receive_overhead(
        &mut self,
        size: Bytes,
        round_trip: f64,
    ) -> Result<Option<Value>, M::Error> {
        let wait = (PATIENCE * round_trip).max(SHORTEST_WAIT.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive time well below five centuries"
        )]
        let delay_ns = (wait * 1e9) as u64;
        let operation = Operation::ReceiveOverhead { delay_ns };
        let series = self.repeat(operation, size, self.settings.most_of(size))?;
        Ok(series.first().and_then(|times| Value::of(times)))
    }

    /// g(m) by saturation.
    fn flood(&mut self, size: Bytes, round_trips: &RoundTrips) -> Result<Option<Value>, M::Error> {
        let flood = |messages| Operation::Flood { messages };
        let first = flood(FIRST_FLOOD);
        let step = Step {
            operation: first,
            size,
        };
        if let Some(series) = self.measure.completed(&step) {
            return Ok(series.first().and_then(|times| Value::of(times)));
        }
        let mut search = Search::new(size, Seconds(round_trips.mean), self.settings.epsilon);
        loop {
            let step = Step {
                operation: flood(search.messages()),
                size,
            };
            let seen = self.measure.once(&step)?;
            let is_enough = search.ends_with(seen.as_deref());
            if is_enough || (size.0 > 0 && self.measure.is_time_up()) {
                break;
            }
        }
        let series = self.repeat(flood(search.messages()), size, self.settings.most)?;
        Ok(series.first().and_then(|times| Value::of(times)))
    }

    fn repeat(
        &mut self,
        operation: Operation,
        size: Bytes,
        most: u32,
    ) -> Result<Vec<Vec<f64>>, M::Error> {
        let mut rule = MeansKnown {
            confidence: self.settings.confidence,
            epsilon: self.settings.epsilon,
        };
        let mut repeat = Repeat {
            round: self.settings.round,
            most,
            rule: &mut rule,
        };
        self.measure.measure(&Step { operation, size }, &mut repeat)
    }

    /// g(m) from the round trips. Where RTT(m) is not above RTT(0) the least RTT(0) stands
    /// for it.
    fn gap(round_trips: &RoundTrips, empty: &Empty) -> Value {
        let time = round_trips.times.median();
        let mut nothing = empty.round_trips.times.median();
        if time <= nothing {
            nothing = empty.round_trips.times.quantile(0.0);
        }
        let [time, nothing] = [time, nothing].map(Seconds);
        Value {
            time: gap_from_round_trips(time, nothing, empty.gap.time),
            error: round_trips.times.median_error(),
        }
    }
}

impl<M: Measure> Points for Driver<'_, M> {
    type Error = M::Error;

    fn point(&mut self, size: Bytes) -> Result<Option<Point>, M::Error> {
        let known = self.empty.as_ref().filter(|_| size.0 == 0);
        let round_trips = match known {
            Some(empty) => Some(empty.round_trips.clone()),
            None => self.round_trips(size)?,
        };
        let Some(round_trips) = round_trips else {
            return Ok(None);
        };
        let overhead = self.receive_overhead(size, round_trips.mean)?;
        let gap = match (&self.empty, self.settings.flood) {
            (Some(empty), _) if size.0 == 0 => Some(empty.gap),
            (Some(empty), Flood::Empty) => Some(Self::gap(&round_trips, empty)),
            _ => self.flood(size, &round_trips)?,
        };
        let send_overhead = Value {
            time: Seconds(round_trips.send_overheads.median()),
            error: round_trips.send_overheads.median_error(),
        };
        let both = overhead.zip(gap);
        Ok(both.map(|(receive_overhead, gap)| Point {
            size,
            send_overhead,
            receive_overhead,
            gap,
        }))
    }

    fn may_add(&self) -> bool {
        !self.measure.is_time_up()
    }
}
