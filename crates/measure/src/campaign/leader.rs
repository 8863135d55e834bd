//! The recorder's part of a launch: it chooses batches, records them and decides when a
//! step has enough repetitions.

use std::ops::Range;

use netsig_base::data::{Place, Record};
use netsig_base::units::Seconds;

use super::history::{History, Past};
use super::rows::{places, records};
use super::shares::Shares;
use super::{Launch, Spent, orders};
use crate::plan::{Cell, Operation};
use crate::plogp::{self, Measure, Repeat};
use crate::stopping::median_known;
use crate::transport::{Observation, Transport};

/// Desired duration of a batch, which makes the cost of the reduction after it negligible.
const BATCH: Seconds = Seconds(5e-3);

/// Largest number of repetitions in a batch.
const LARGEST_BATCH: u32 = 1000;

/// Fewest repetitions of a step, however little time is left.
const LEAST: u32 = 3;

/// The receiver of records.
type Sink<'s, E> = dyn FnMut(&[Record]) -> Result<(), E> + 's;

struct Leader<'a, T: Transport> {
    launch: &'a Launch<'a>,
    transport: &'a mut T,
    record: &'a mut Sink<'a, T::Error>,
    past: Past,
    spent: Spent,
    /// End of the budget share of the current cell.
    until: Option<Seconds>,
    /// Number of repetitions carried out in the current cell.
    carried_out: u32,
}

/// Leads a launch.
pub(super) fn lead<T: Transport>(
    launch: &Launch,
    transport: &mut T,
    record: &mut Sink<T::Error>,
) -> Result<Spent, T::Error> {
    let order = launch.plan.order(launch.job);
    let mut shares = Shares::new(launch.plan, launch.budget, transport.now());
    let mut leader = Leader {
        launch,
        transport,
        record,
        past: Past::of(launch.past, launch.job.launch),
        spent: Spent::default(),
        until: None,
        carried_out: 0,
    };
    for (index, cell) in order.iter().enumerate() {
        let began = leader.transport.now();
        leader.until = shares.until(began, &order[index..]);
        leader.carried_out = 0;
        if leader.transport.enter(cell)? {
            leader.measure_all(cell)?;
            leader.transport.agree(&mut { orders::END })?;
        }
        leader.transport.leave()?;
        shares.learn(cell, leader.carried_out, leader.transport.now() - began);
    }
    Ok(leader.spent)
}

impl<T: Transport> Leader<'_, T> {
    fn measure_all(&mut self, cell: &Cell) -> Result<(), T::Error> {
        let plan = self.launch.plan;
        if let (Operation::PLogP, Some(settings)) = (cell.operation, &plan.plogp) {
            return plogp::measure(self, cell, settings);
        }
        let mut repeat = Repeat {
            round: 1,
            most: cell.repetitions,
            rule: &mut median_known(plan.precision),
        };
        self.measure(cell, &mut repeat).map(|_| ())
    }

    fn is_enough(&self, history: &History, repeat: &mut Repeat) -> bool {
        let accepted = history.accepted();
        accepted >= repeat.most
            || history.rejected >= repeat.most
            || (repeat.rule)(&history.series)
            || (accepted >= LEAST && self.is_time_up())
    }

    /// Number of repetitions in the next batch, given the duration `once` of one.
    fn batch(&self, history: &History, repeat: &Repeat, once: Option<Seconds>) -> u32 {
        let missing = repeat.most - history.accepted();
        let Some(once) = once else {
            return repeat.round.min(missing);
        };
        let rounds = how_many(BATCH, once).min(LARGEST_BATCH);
        let wanted = rounds.next_multiple_of(repeat.round).min(missing);
        let Some(until) = self.until else {
            return wanted;
        };
        let least = LEAST.saturating_sub(history.accepted()).max(1);
        let left = how_many(until - self.transport.now(), once);
        wanted.min(left.max(least))
    }

    /// Has all participants carry out repetitions; also returns the mean duration of one.
    fn carry_out(&mut self, step: &Cell, numbers: Range<u32>) -> Result<(Vec<Observation>, Seconds), T::Error> {
        let count = numbers.end - numbers.start;
        let began = self.transport.now();
        self.transport.agree(&mut orders::repeat(step, &numbers))?;
        let seen = self.transport.repeat(step, numbers)?;
        self.carried_out += count;
        let took = self.transport.now() - began;
        Ok((seen, took * (1.0 / f64::from(count))))
    }

    fn history(&self, step: &Cell) -> (Vec<Place>, History) {
        let places = places(self.launch.job.launch, step);
        let history = self.past.history(&places);
        (places, history)
    }
}

impl<T: Transport> Measure for Leader<'_, T> {
    type Error = T::Error;

    fn measure(&mut self, step: &Cell, repeat: &mut Repeat) -> Result<Vec<Vec<f64>>, T::Error> {
        let (places, mut history) = self.history(step);
        if history.is_done {
            return Ok(history.series);
        }
        // None until a batch has run.
        let mut once = None;
        while !self.is_enough(&history, repeat) {
            if once.is_none() && step.warmup > 0 {
                once = Some(self.carry_out(step, 0..step.warmup)?.1);
            }
            let count = self.batch(&history, repeat, once);
            let first = step.warmup + history.next;
            let (seen, took) = self.carry_out(step, first..first + count)?;
            once = Some(took);
            let mut rows = Vec::new();
            for seen in &seen {
                rows.extend(records(&places, history.next, seen));
                self.spent.barriers = self.spent.barriers + seen.barrier;
                history.next += 1;
                if let Ok(times) = &seen.outcome {
                    self.spent.timed = self.spent.timed + step.operation.duration(times);
                    history.add(&places, times);
                } else {
                    history.rejected += 1;
                }
            }
            (self.record)(&rows)?;
        }
        let is_new = |place: &Place| !self.past.is_done(place);
        let done = places.into_iter().filter(is_new).map(Record::Done);
        let done: Vec<Record> = done.collect();
        (self.record)(&done)?;
        Ok(history.series)
    }

    fn completed(&self, step: &Cell) -> Option<Vec<Vec<f64>>> {
        let (_, history) = self.history(step);
        history.is_done.then_some(history.series)
    }

    fn once(&mut self, step: &Cell) -> Result<Option<Vec<Seconds>>, T::Error> {
        let (seen, _) = self.carry_out(step, 0..1)?;
        Ok(seen.into_iter().find_map(|seen| seen.outcome.ok()))
    }

    fn is_time_up(&self) -> bool {
        self.until.is_some_and(|until| self.transport.now() >= until)
    }
}

/// Number of repetitions of duration `once` that fit into `time`, at least one.
fn how_many(time: Seconds, once: Seconds) -> u32 {
    let count = (time / once).clamp(1.0, f64::from(u32::MAX));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped on the line above, and NaN becomes 0"
    )]
    (count as u32).max(1)
}
