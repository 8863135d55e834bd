//! The recorder's part of a launch: it chooses batches, records them and decides when a
//! step has enough repetitions.

use std::ops::Range;

use netsig_core::data::{Place, Record};
use netsig_core::units::Seconds;

use super::history::{History, Past};
use super::orders::{Order, Prepared, step};
use super::rows::{duration, places, records};
use super::shares::Shares;
use super::{Launch, Spent};
use crate::plan::{Cell, Operation};
use crate::plogp::{self, Measure, Repeat, Step};
use crate::stopping::{MedianKnown, Rule};
use crate::transport::{Observation, Outcome, Role, Transport};

/// A batch should take so long: then what is done once a batch counts for little.
const BATCH: Seconds = Seconds(5e-3);

/// The most repetitions of a batch.
const LARGEST_BATCH: u32 = 1000;

/// So many repetitions a step has however little time there is.
const LEAST: u32 = 3;

struct Leader<'a, T, R> {
    launch: &'a Launch<'a>,
    transport: &'a mut T,
    record: R,
    past: Past,
    spent: Spent,
}

/// A cell that was entered.
struct Entered<'l, 'a, T, R> {
    leader: &'l mut Leader<'a, T, R>,
    cell: Cell,
    prepared: Prepared,
    /// When its share of the budget is used up.
    until: Option<Seconds>,
    /// How many repetitions were carried out.
    carried_out: u32,
}

/// Leads a launch.
pub(super) fn lead<T: Transport>(
    launch: &Launch,
    transport: &mut T,
    record: impl FnMut(&[Record]) -> Result<(), T::Error>,
) -> Result<Spent, T::Error> {
    let order = launch.plan.order(launch.job);
    let mut shares = Shares::new(launch.plan, launch.budget, transport.now());
    let mut leader = Leader {
        launch,
        transport,
        record,
        past: Past::of(launch.past, launch.job.launch),
        spent: Spent::default(),
    };
    for (index, cell) in order.iter().enumerate() {
        let began = leader.transport.now();
        let until = shares.until(began, &order[index..]);
        let repetitions = leader.cell(cell, until)?;
        shares.learn(cell, repetitions, leader.transport.now() - began);
    }
    Ok(leader.spent)
}

impl<T, R> Leader<'_, T, R>
where
    T: Transport,
    R: FnMut(&[Record]) -> Result<(), T::Error>,
{
    /// Measures a cell and says how many repetitions that took.
    fn cell(&mut self, cell: &Cell, until: Option<Seconds>) -> Result<u32, T::Error> {
        let mut carried_out = 0;
        if self.transport.enter(cell)? == Role::Participant {
            let mut entered = Entered {
                leader: self,
                cell: *cell,
                prepared: Prepared::default(),
                until,
                carried_out: 0,
            };
            entered.measure_all()?;
            carried_out = entered.carried_out;
            self.transport.agree(&mut Order::End.words())?;
        }
        self.transport.leave(cell)?;
        Ok(carried_out)
    }
}

impl<T, R> Entered<'_, '_, T, R>
where
    T: Transport,
    R: FnMut(&[Record]) -> Result<(), T::Error>,
{
    fn measure_all(&mut self) -> Result<(), T::Error> {
        let plan = self.leader.launch.plan;
        if let (Operation::PLogP, Some(settings)) = (self.cell.operation, &plan.plogp) {
            return plogp::measure(self, settings);
        }
        let mut repeat = Repeat {
            round: 1,
            most: self.cell.repetitions,
            rule: &mut MedianKnown::new(plan.precision),
        };
        let cell = self.cell;
        self.repeat_step(&cell, &mut repeat).map(|_| ())
    }

    fn repeat_step(&mut self, step: &Cell, repeat: &mut Repeat) -> Result<Vec<Vec<f64>>, T::Error> {
        let places = places(self.leader.launch.job.launch, step);
        let mut history = self.leader.past.history(&places);
        if history.is_done {
            return Ok(history.series);
        }
        // Unknown at first.
        let mut once = None;
        while !self.is_enough(&history, &mut *repeat.rule, repeat.most) {
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
                self.note(step.operation, seen);
                history.next += 1;
                match &seen.outcome {
                    Outcome::Times(times) => history.add(&places, times),
                    Outcome::Rejected(_) => history.rejected += 1,
                }
            }
            (self.leader.record)(&rows)?;
        }
        let is_new = |place: &Place| !self.leader.past.is_done(place);
        let done = places.into_iter().filter(is_new).map(Record::Done);
        let done: Vec<Record> = done.collect();
        (self.leader.record)(&done)?;
        Ok(history.series)
    }

    fn is_enough(&self, history: &History, rule: &mut dyn Rule, most: u32) -> bool {
        let accepted = history.accepted();
        accepted >= most
            || history.rejected >= most
            || rule.is_met(&history.series)
            || (accepted >= LEAST && self.is_time_up())
    }

    /// How many repetitions are next, if one takes `once`.
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
        let left = how_many(until - self.leader.transport.now(), once);
        wanted.min(left.max(least))
    }

    /// Has all participants carry out repetitions; also gives how long one took.
    fn carry_out(
        &mut self,
        step: &Cell,
        numbers: Range<u32>,
    ) -> Result<(Vec<Observation>, Seconds), T::Error> {
        let count = numbers.end - numbers.start;
        let transport = &mut *self.leader.transport;
        let began = transport.now();
        transport.agree(&mut Order::Repeat(*step, numbers.clone()).words())?;
        let seen = self.prepared.repeat(step, numbers, transport)?;
        self.carried_out += count;
        Ok((seen, (transport.now() - began) * (1.0 / f64::from(count))))
    }

    fn note(&mut self, operation: Operation, seen: &Observation) {
        let spent = &mut self.leader.spent;
        spent.barriers = spent.barriers + seen.barrier;
        if let Outcome::Times(times) = &seen.outcome {
            spent.timed = spent.timed + duration(operation, times);
        }
    }

    fn step(&self, wanted: &Step) -> Cell {
        step(&self.cell, wanted.operation, wanted.size)
    }
}

impl<T, R> Measure for Entered<'_, '_, T, R>
where
    T: Transport,
    R: FnMut(&[Record]) -> Result<(), T::Error>,
{
    type Error = T::Error;

    fn measure(&mut self, step: &Step, repeat: &mut Repeat) -> Result<Vec<Vec<f64>>, T::Error> {
        let step = self.step(step);
        self.repeat_step(&step, repeat)
    }

    fn completed(&self, step: &Step) -> Option<Vec<Vec<f64>>> {
        let places = places(self.leader.launch.job.launch, &self.step(step));
        let history = self.leader.past.history(&places);
        history.is_done.then_some(history.series)
    }

    fn once(&mut self, step: &Step) -> Result<Option<Vec<Seconds>>, T::Error> {
        let step = self.step(step);
        let (seen, _) = self.carry_out(&step, 0..1)?;
        Ok(seen.into_iter().find_map(|seen| match seen.outcome {
            Outcome::Times(times) => Some(times),
            Outcome::Rejected(_) => None,
        }))
    }

    fn is_time_up(&self) -> bool {
        self.until
            .is_some_and(|until| self.leader.transport.now() >= until)
    }
}

/// How many repetitions of `once` fit into `time`, at least one.
fn how_many(time: Seconds, once: Seconds) -> u32 {
    let count = (time / once).clamp(1.0, f64::from(u32::MAX));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped on the line above, and NaN becomes 0"
    )]
    (count as u32).max(1)
}
