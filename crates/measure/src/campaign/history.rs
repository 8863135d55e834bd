//! The repetitions of a step so far: from an interrupted run, and from the batches of this one.

use std::collections::HashMap;

use netsig_base::data::{Dataset, LaunchCell};
use netsig_base::units::Seconds;

use super::rows::values;

/// The repetitions of an interrupted run, for all steps of one launch.
#[derive(Default)]
pub(super) struct PastRepetitions(HashMap<LaunchCell, PastCell>);

#[derive(Default)]
struct PastCell {
    /// Repetitions with their numbers; the slowest time of simultaneous transfers.
    times: Vec<(u32, f64)>,
    /// The number after the last repetition.
    next: u32,
    rejected: u32,
    is_done: bool,
}

/// The repetitions of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct StepHistory {
    /// The times of valid repetitions, one list for each quantity that the step measures.
    pub series: Vec<Vec<f64>>,
    /// Number of the next repetition.
    pub next: u32,
    /// Number of rejected repetitions.
    pub rejected: u32,
    /// True if the step was completed.
    pub is_done: bool,
}

impl PastRepetitions {
    /// The repetitions of `launch` in `data`.
    pub fn of(data: &Dataset, launch: u32) -> Self {
        let mut past = Self::default();
        for sample in data.samples.iter().filter(|s| s.cell.launch == launch) {
            past.cell_mut(sample.cell.clone()).add(sample.repetition, sample.time.0);
        }
        for rejected in data.rejected.iter().filter(|r| r.cell.launch == launch) {
            let left = past.cell_mut(rejected.cell.clone());
            left.rejected += 1;
            left.next = left.next.max(rejected.repetition + 1);
        }
        for cell in data.completed.iter().filter(|p| p.launch == launch) {
            past.cell_mut(cell.clone()).is_done = true;
        }
        past
    }

    fn cell_mut(&mut self, cell: LaunchCell) -> &mut PastCell {
        self.0.entry(cell).or_default()
    }

    /// True if the measurement of `cell` was completed.
    pub fn is_done(&self, cell: &LaunchCell) -> bool {
        self.0.get(cell).is_some_and(|left| left.is_done)
    }

    /// The repetitions of an interrupted run for a step that measures `cells`.
    pub fn history(&self, cells: &[LaunchCell]) -> StepHistory {
        let none = PastCell::default();
        let left: Vec<&PastCell> = cells.iter().map(|cell| self.0.get(cell).unwrap_or(&none)).collect();
        let times = |left: &&PastCell| left.times.iter().map(|(_, time)| *time).collect();
        StepHistory {
            series: left.iter().map(times).collect(),
            next: left.iter().map(|left| left.next).max().unwrap_or(0),
            rejected: left.iter().map(|left| left.rejected).sum(),
            is_done: left.iter().all(|left| left.is_done),
        }
    }
}

impl PastCell {
    fn add(&mut self, repetition: u32, time: f64) {
        self.next = self.next.max(repetition + 1);
        match self.times.last_mut() {
            Some((last, slowest)) if *last == repetition => *slowest = slowest.max(time),
            _ => self.times.push((repetition, time)),
        }
    }
}

impl StepHistory {
    /// Number of valid repetitions, without one whose rows are incomplete.
    pub fn accepted(&self) -> u32 {
        let least = self.series.iter().map(Vec::len).min().unwrap_or(0);
        u32::try_from(least).unwrap_or(u32::MAX)
    }

    /// Adds a valid repetition.
    pub fn add(&mut self, cells: &[LaunchCell], times: &[Seconds]) {
        for (series, value) in self.series.iter_mut().zip(values(cells, times)) {
            series.push(value);
        }
    }
}
