//! The recorder's part of a launch: it chooses batches, records them and decides when a
//! step has enough repetitions.

use std::ops::Range;

use netsig_base::data::{DataRecord, LaunchCell};
use netsig_base::units::Seconds;

use super::history::{PastRepetitions, StepHistory};
use super::rows::{launch_cells, records};
use super::shares::BudgetShares;
use super::{LaunchInput, SpentTime, orders};
use crate::plan::{PlanCell, TimedOperation};
use crate::plogp::{self, RepetitionRule, StepMeasurer};
use crate::stopping::stop_at_known_median;
use crate::transport::{MeasuredRepetition, Transport};

/// Desired duration of a batch, which makes the cost of the reduction after it negligible.
const DESIRED_BATCH_TIME: Seconds = Seconds(5e-3);

/// Largest number of repetitions in a batch.
const LARGEST_BATCH: u32 = 1000;

/// Fewest repetitions of a step, however little time is left.
const FEWEST_REPETITIONS: u32 = 3;

/// The receiver of records.
type RecordSink<'s, E> = dyn FnMut(&[DataRecord]) -> Result<(), E> + 's;

struct LaunchLeader<'a, T: Transport> {
    launch: &'a LaunchInput<'a>,
    transport: &'a mut T,
    record: &'a mut RecordSink<'a, T::Error>,
    past: PastRepetitions,
    spent: SpentTime,
    /// End of the budget share of the current cell.
    cell_deadline: Option<Seconds>,
    /// Number of repetitions carried out in the current cell.
    carried_out: u32,
}

/// Leads a launch.
pub(super) fn lead<T: Transport>(
    launch: &LaunchInput,
    transport: &mut T,
    record: &mut RecordSink<T::Error>,
) -> Result<SpentTime, T::Error> {
    let order = launch.plan.order(launch.job);
    let mut shares = BudgetShares::new(launch.plan, launch.budget, transport.now());
    let mut leader = LaunchLeader {
        launch,
        transport,
        record,
        past: PastRepetitions::of(launch.past, launch.job.launch),
        spent: SpentTime::default(),
        cell_deadline: None,
        carried_out: 0,
    };
    for (index, cell) in order.iter().enumerate() {
        let began = leader.transport.now();
        leader.cell_deadline = shares.cell_deadline(began, &order[index..]);
        leader.carried_out = 0;
        if leader.transport.enter(cell)? {
            leader.measure_all(cell)?;
            leader.transport.broadcast_words(&mut { orders::END })?;
        }
        leader.transport.leave()?;
        shares.record_duration(cell, leader.carried_out, leader.transport.now() - began);
    }
    Ok(leader.spent)
}

impl<T: Transport> LaunchLeader<'_, T> {
    fn measure_all(&mut self, cell: &PlanCell) -> Result<(), T::Error> {
        let plan = self.launch.plan;
        if let (TimedOperation::PLogP, Some(settings)) = (cell.operation, &plan.plogp) {
            return plogp::measure(self, cell, settings);
        }
        let mut repeat = RepetitionRule {
            round: 1,
            most: cell.repetitions,
            rule: &mut stop_at_known_median(plan.precision),
        };
        self.measure(cell, &mut repeat).map(|_| ())
    }

    fn is_enough(&self, history: &StepHistory, repeat: &mut RepetitionRule) -> bool {
        let accepted = history.accepted();
        accepted >= repeat.most
            || history.rejected >= repeat.most
            || (repeat.rule)(&history.series)
            || (accepted >= FEWEST_REPETITIONS && self.is_time_up())
    }

    /// Number of repetitions in the next batch, given the duration `once` of one.
    fn batch(&self, history: &StepHistory, repeat: &RepetitionRule, once: Option<Seconds>) -> u32 {
        let missing = repeat.most - history.accepted();
        let Some(once) = once else {
            return repeat.round.min(missing);
        };
        let rounds = how_many(DESIRED_BATCH_TIME, once).min(LARGEST_BATCH);
        let wanted = rounds.next_multiple_of(repeat.round).min(missing);
        let Some(until) = self.cell_deadline else {
            return wanted;
        };
        let least = FEWEST_REPETITIONS.saturating_sub(history.accepted()).max(1);
        let left = how_many(until - self.transport.now(), once);
        wanted.min(left.max(least))
    }

    /// Lets all participants carry out repetitions; also returns the mean duration of one.
    fn carry_out(
        &mut self,
        step: &PlanCell,
        numbers: Range<u32>,
    ) -> Result<(Vec<MeasuredRepetition>, Seconds), T::Error> {
        let count = numbers.end - numbers.start;
        let began = self.transport.now();
        self.transport
            .broadcast_words(&mut orders::repeat_order(step, &numbers))?;
        let seen = self.transport.repeat(step, numbers)?;
        self.carried_out += count;
        let took = self.transport.now() - began;
        Ok((seen, took * (1.0 / f64::from(count))))
    }

    fn history(&self, step: &PlanCell) -> (Vec<LaunchCell>, StepHistory) {
        let cells = launch_cells(self.launch.job.launch, step, self.launch.plan.operands);
        let history = self.past.history(&cells);
        (cells, history)
    }
}

impl<T: Transport> StepMeasurer for LaunchLeader<'_, T> {
    type Error = T::Error;

    fn measure(&mut self, step: &PlanCell, repeat: &mut RepetitionRule) -> Result<Vec<Vec<f64>>, T::Error> {
        let (cells, mut history) = self.history(step);
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
            let (observations, took) = self.carry_out(step, first..first + count)?;
            once = Some(took);
            let mut rows = Vec::new();
            for seen in &observations {
                rows.extend(records(&cells, history.next, seen));
                self.spent.barriers = self.spent.barriers + seen.barrier;
                history.next += 1;
                if let Ok(times) = &seen.outcome {
                    self.spent.timed = self.spent.timed + step.operation.duration(times);
                    history.add(&cells, times);
                } else {
                    history.rejected += 1;
                }
            }
            (self.record)(&rows)?;
        }
        let is_new = |cell: &LaunchCell| !self.past.is_done(cell);
        let completions = cells.into_iter().filter(is_new).map(DataRecord::Done);
        let done: Vec<DataRecord> = completions.collect();
        (self.record)(&done)?;
        Ok(history.series)
    }

    fn completed(&self, step: &PlanCell) -> Option<Vec<Vec<f64>>> {
        let (_, history) = self.history(step);
        history.is_done.then_some(history.series)
    }

    fn time_once(&mut self, step: &PlanCell) -> Result<Option<Vec<Seconds>>, T::Error> {
        let (seen, _) = self.carry_out(step, 0..1)?;
        Ok(seen.into_iter().find_map(|seen| seen.outcome.ok()))
    }

    fn is_time_up(&self) -> bool {
        self.cell_deadline.is_some_and(|until| self.transport.now() >= until)
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
