//! Runs repetitions one after the other: this rank's part of each, and on rank 0 the combined
//! result of all ranks.
//!
//! Every repetition is a row of numbers. The result is the maximum of each number over all ranks,
//! so a whole batch takes one reduction. Between the reductions no memory is allocated and no file
//! is written; before and after each repetition a rank reads how long it has waited for a processor.

use std::ops::Range;
use std::time::Duration;

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use netsig_base::data::{LossCounters, RejectionReason};
use netsig_base::units::Seconds;
use netsig_measure::clock::ClockConversion;
use netsig_measure::plan::PlanCell;
use netsig_measure::transport::MeasuredRepetition;

use crate::barrier::barrier;
use crate::complain;
use crate::group::RankGroup;
use crate::pattern::DataFault;
use crate::provoked::ProvokedFailure;
use crate::run_queue::RunQueue;
use crate::stopwatch::Stopwatch;
use crate::task::StepTask;
use crate::watchdog::Watchdog;
use crate::window::BatchWindows;

/// Indices of the numbers after the times of a row. The sum of the first two is the largest difference between the
/// starts. Then follow flags for a late start and for wrong data on this rank, and its wait for a processor.
const LATEST: usize = 0;
const EARLIEST: usize = 1;
const LATE: usize = 2;
const WRONG: usize = 3;
const WAITED: usize = 4;
const EXTRA_NUMBERS: usize = 5;

/// Count of the numbers after the last row: the longest duration of a repetition without the wait for its start, and
/// the longest preparation before the start.
const SPANS: usize = 2;

/// The value of a set flag.
const FLAG_SET: f64 = 1.0;

/// Method of the common start of the repetitions.
pub enum StartMethod<'a> {
    /// A barrier; the ranks' clocks give the difference between their starts.
    Barrier(&'a ClockConversion),
    /// Agreed start times.
    Windows(BatchWindows),
}

/// Objects of a rank that all its steps share.
pub struct RankTools {
    /// This rank's clock.
    pub watch: Stopwatch,
    /// This rank's watchdog.
    pub watchdog: Watchdog,
    /// The failure to provoke.
    pub provoked: ProvokedFailure,
    /// This rank's waits for a processor.
    pub run_queue: RunQueue,
}

/// The step to repeat, with its participants.
pub struct StepRun<'a> {
    /// The step, for texts of messages.
    pub cell: &'a PlanCell,
    /// This rank's part of the step.
    pub task: &'a mut dyn StepTask,
    /// The participating ranks.
    pub group: &'a RankGroup,
    /// This rank's tools.
    pub tools: &'a mut RankTools,
}

/// The rows of a batch; all batches use the same memory.
#[derive(Default)]
pub struct BatchRows {
    width: usize,
    /// This rank's rows, followed by its longest spans.
    mine: Vec<f64>,
    /// On rank 0, the maximum over all ranks.
    all: Vec<f64>,
    /// This rank's wait for each start.
    waits: Vec<Seconds>,
}

/// A start on this rank's clock.
struct RepetitionStart {
    /// Time of the start.
    at: Seconds,
    /// Time from which the duration counts.
    due: Seconds,
    is_late: bool,
    /// The wait for a processor up to this start.
    waited: Option<Seconds>,
}

impl RankTools {
    /// Announces this rank's next step.
    pub fn announce_step(&self) {
        self.provoked.fail_before(self.watchdog.steps() + 1);
        self.watchdog.step();
    }

    /// Announces a repetition of `cell`; returns the number for the label of its data.
    fn announce_repetition(&mut self, number: u32, cell: &PlanCell) -> u32 {
        let step = self.watchdog.steps() + 1;
        self.provoked.fail_before(step);
        self.watchdog.repetition(number.saturating_sub(cell.warmup));
        self.provoked.label(step, number)
    }
}

impl BatchRows {
    /// Carries out this rank's part of the repetitions `numbers`.
    pub fn run(&mut self, step_run: &mut StepRun, numbers: Range<u32>, starts: &StartMethod) {
        self.width = step_run.task.time_count();
        let row = self.width + EXTRA_NUMBERS;
        self.mine.clear();
        self.mine.resize(numbers.len() * row + SPANS, 0.0);
        self.all.resize(self.mine.len(), 0.0);
        self.waits.clear();
        self.waits.reserve(numbers.len());
        let mut longest = [0.0f64; SPANS];
        let rows = self.mine.chunks_exact_mut(row);
        for ((index, number), row) in numbers.enumerate().zip(rows) {
            let (times, behind) = row.split_at_mut(self.width);
            let label = step_run.tools.announce_repetition(number, step_run.cell);
            let tools = &*step_run.tools;
            let watch = tools.watch;
            let began = watch.now();
            step_run.task.fill(label);
            let ready = watch.now();
            let start = starts.wait(index, step_run.group.comm(), tools);
            step_run.task.run(step_run.group.comm());
            let end = watch.now();
            step_run.task.times(end - start.due, times);
            behind[WAITED] = wait_between(start.waited, tools.run_queue.waiting_time());
            starts.record_start(&start, behind);
            if let Err(fault) = step_run.task.verify(number) {
                behind[WRONG] = FLAG_SET;
                report_fault(&fault, step_run.cell, number);
            }
            self.waits.push(start.at - ready);
            let before = ready - began;
            let all = before + (watch.now() - start.at);
            longest = [longest[0].max(all.0), longest[1].max(before.0)];
        }
        let spans = self.mine.len() - SPANS;
        self.mine[spans..].copy_from_slice(&longest);
    }

    /// Reduces the rows of all ranks of `group` to rank 0.
    pub fn reduce(&mut self, group: &RankGroup) {
        group.reduce(&self.mine, &mut self.all, SystemOperation::max());
    }

    /// On rank 0, the longest duration of a repetition on any rank without the wait for its start,
    /// and the longest preparation before the start.
    pub fn longest(&self) -> [Seconds; SPANS] {
        let spans = &self.all[self.all.len() - SPANS..];
        [Seconds(spans[0]), Seconds(spans[1])]
    }

    /// On rank 0, for each repetition, true if it started late on any rank.
    pub fn late(&self) -> Vec<bool> {
        self.rows().map(|(_, behind)| behind[LATE] > 0.0).collect()
    }

    /// On rank 0, the observation of each repetition; `losses` applies to every one.
    pub fn observations(&self, losses: LossCounters) -> impl Iterator<Item = MeasuredRepetition> {
        let rows = self.rows().zip(&self.waits);
        rows.map(move |((times, behind), &barrier)| MeasuredRepetition {
            outcome: outcome(times, behind),
            barrier,
            losses: LossCounters {
                longest_processor_wait_us: microseconds(behind[WAITED]),
                ..losses
            },
            sync_error: Some(rounded(behind[LATEST] + behind[EARLIEST])),
        })
    }

    fn rows(&self) -> impl Iterator<Item = (&[f64], &[f64])> {
        let rows = self.all[..self.all.len() - SPANS].chunks_exact(self.width + EXTRA_NUMBERS);
        rows.map(|row| row.split_at(self.width))
    }
}

impl StartMethod<'_> {
    /// Waits for the start of the repetition at `index` of the batch.
    fn wait(&self, index: usize, comm: &SimpleCommunicator, tools: &RankTools) -> RepetitionStart {
        let watch = tools.watch;
        let due = match self {
            Self::Barrier(_) => {
                barrier(comm);
                None
            }
            Self::Windows(windows) => Some(windows.start(index)),
        };
        let is_late = due.is_some_and(|due| watch.now() > due);
        if let Some(due) = due {
            watch.wait_until(due);
        }
        let waited = tools.run_queue.waiting_time();
        let at = watch.now();
        RepetitionStart {
            at,
            due: due.unwrap_or(at),
            is_late,
            waited,
        }
    }

    /// Writes the data of the start after a row's times.
    fn record_start(&self, start: &RepetitionStart, behind: &mut [f64]) {
        match self {
            Self::Barrier(clock) => {
                let common = clock.to_common(start.at).0;
                behind[LATEST] = common;
                behind[EARLIEST] = -common;
            }
            Self::Windows(windows) => behind[LATEST] = windows.error(start.due, start.at).0,
        }
        if start.is_late {
            behind[LATE] = FLAG_SET;
        }
    }
}

fn outcome(times: &[f64], behind: &[f64]) -> Result<Vec<Seconds>, RejectionReason> {
    if behind[WRONG] > 0.0 {
        Err(RejectionReason::WrongData)
    } else if behind[LATE] > 0.0 {
        Err(RejectionReason::Late)
    } else {
        Ok(times.iter().copied().map(rounded).collect())
    }
}

/// The wait for a processor from one reading to another; infinite if one is missing.
fn wait_between(before: Option<Seconds>, after: Option<Seconds>) -> f64 {
    let waited = after.zip(before).map(|(after, before)| (after - before).0);
    waited.unwrap_or(f64::INFINITY)
}

/// Whole microseconds of a finite time.
fn microseconds(seconds: f64) -> Option<u32> {
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    u32::try_from(time.as_micros()).ok()
}

/// Rounds to picoseconds, a thousandth of a clock's resolution: further digits of differences are
/// noise.
pub fn rounded(seconds: f64) -> Seconds {
    const PICOSECONDS: f64 = 1e12;
    Seconds((seconds * PICOSECONDS).round() / PICOSECONDS)
}

/// Reports wrong data on standard error.
fn report_fault(fault: &DataFault, cell: &PlanCell, repetition: u32) {
    let which = match repetition.checked_sub(cell.warmup) {
        Some(number) => format!("repetition {number}"),
        None => format!("warm-up {repetition}"),
    };
    complain(&format!(
        "{cell}, {which}: {fault}; the repetition does not count, check the network and the MPI library"
    ));
}
