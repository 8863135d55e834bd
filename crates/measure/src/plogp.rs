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
use self::sizes::{Point, Value};
use crate::plan::{Cell, Flood, Operation, PLogPSettings};
use crate::stopping::{Rule, means_known};

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
    fn measure(&mut self, step: &Cell, repeat: &mut Repeat) -> Result<Vec<Vec<f64>>, Self::Error>;

    /// What [`Measure::measure`] would give, if an interrupted run has measured the step to
    /// its end.
    fn completed(&self, step: &Cell) -> Option<Vec<Vec<f64>>>;

    /// The times of one repetition that is not recorded, if it counts.
    fn once(&mut self, step: &Cell) -> Result<Option<Vec<Seconds>>, Self::Error>;

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
    pub rule: &'r mut Rule<'r>,
}

/// Measures everything of a cell that the settings want and is not yet measured.
pub(crate) fn measure<M: Measure>(
    measure: &mut M,
    cell: &Cell,
    settings: &PLogPSettings,
) -> Result<(), M::Error> {
    let mut driver = Driver {
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
    let empty = Empty { round_trips, gap };
    sizes::explore(settings, |size| driver.point(size, &empty)).map(|_| ())
}

struct Driver<'a, M> {
    measure: &'a mut M,
    cell: &'a Cell,
    settings: &'a PLogPSettings,
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
    send_overhead: Value,
}

impl<M: Measure> Driver<'_, M> {
    /// What is measured at `size`; nothing if no repetition counts, or if there is no time for
    /// a size that is not planned.
    fn point(&mut self, size: Bytes, empty: &Empty) -> Result<Option<Point>, M::Error> {
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
            Flood::Empty => Some(gap(&round_trips, empty)),
            Flood::Every => self.flood(size, &round_trips)?,
        };
        let both = overhead.zip(gap);
        Ok(both.map(|(receive_overhead, gap)| Point {
            size,
            send_overhead: round_trips.send_overhead,
            receive_overhead,
            gap,
        }))
    }

    fn round_trips(&mut self, size: Bytes) -> Result<Option<RoundTrips>, M::Error> {
        let most = self.settings.most_of(size);
        let series = self.repeat(&self.cell.step(Operation::RoundTrip, size), most)?;
        let [times, send_overheads] = &series[..] else {
            return Ok(None);
        };
        let send_overhead = Value::of(send_overheads).filter(|_| !times.is_empty());
        Ok(send_overhead.map(|send_overhead| RoundTrips {
            times: Sorted::new(times.clone()),
            mean: mean(times),
            send_overhead,
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
        let step = self
            .cell
            .step(Operation::ReceiveOverhead { delay_ns }, size);
        let series = self.repeat(&step, self.settings.most_of(size))?;
        Ok(first_value(&series))
    }

    /// g(m) by saturation.
    fn flood(&mut self, size: Bytes, round_trips: &RoundTrips) -> Result<Option<Value>, M::Error> {
        let cell = self.cell;
        let flood = |messages| cell.step(Operation::Flood { messages }, size);
        if let Some(series) = self.measure.completed(&flood(FIRST_FLOOD)) {
            return Ok(first_value(&series));
        }
        let mut search = Search::new(size, Seconds(round_trips.mean), self.settings.epsilon);
        loop {
            let seen = self.measure.once(&flood(search.messages()))?;
            let is_enough = search.ends_with(seen.as_deref());
            if is_enough || (size.0 > 0 && self.measure.is_time_up()) {
                break;
            }
        }
        let series = self.repeat(&flood(search.messages()), self.settings.most)?;
        Ok(first_value(&series))
    }

    fn repeat(&mut self, step: &Cell, most: u32) -> Result<Vec<Vec<f64>>, M::Error> {
        let mut repeat = Repeat {
            round: self.settings.round,
            most,
            rule: &mut means_known(self.settings.confidence, self.settings.epsilon),
        };
        self.measure.measure(step, &mut repeat)
    }
}

fn first_value(series: &[Vec<f64>]) -> Option<Value> {
    series.first().and_then(|times| Value::of(times))
}

/// g(m) from the round trips. Where RTT(m) is not above RTT(0) the least RTT(0) stands for it.
fn gap(round_trips: &RoundTrips, empty: &Empty) -> Value {
    let time = round_trips.times.median();
    let mut nothing = empty.round_trips.times.median();
    if time <= nothing {
        nothing = empty.round_trips.times.quantile(0.0);
    }
    Value {
        time: gap_from_round_trips(Seconds(time), Seconds(nothing), empty.gap.time),
        error: round_trips.times.median_error(),
    }
}
