//! The repetitions of a step so far: from an interrupted run, and from the batches of this one.

use std::collections::HashMap;

use netsig_base::data::{Dataset, Place};
use netsig_base::units::Seconds;

use super::rows::values;

/// The repetitions of an interrupted run, for all steps of one launch.
#[derive(Default)]
pub(super) struct Past(HashMap<Place, Left>);

#[derive(Default)]
struct Left {
    /// Repetitions with their numbers; of simultaneous transfers the slowest time.
    times: Vec<(u32, f64)>,
    /// The number after the last repetition.
    next: u32,
    rejected: u32,
    is_done: bool,
}

/// The repetitions of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct History {
    /// The times of valid repetitions, one list for each quantity that the step measures.
    pub series: Vec<Vec<f64>>,
    /// Number of the next repetition.
    pub next: u32,
    /// Number of rejected repetitions.
    pub rejected: u32,
    /// True if the step was completed.
    pub is_done: bool,
}

impl Past {
    /// The repetitions of `launch` in `data`.
    pub fn of(data: &Dataset, launch: u32) -> Self {
        let mut past = Self::default();
        for sample in data.samples.iter().filter(|s| s.place.launch == launch) {
            past.left(sample.place.clone()).add(sample.repetition, sample.time.0);
        }
        for rejected in data.rejected.iter().filter(|r| r.place.launch == launch) {
            let left = past.left(rejected.place.clone());
            left.rejected += 1;
            left.next = left.next.max(rejected.repetition + 1);
        }
        for place in data.completed.iter().filter(|p| p.launch == launch) {
            past.left(place.clone()).is_done = true;
        }
        past
    }

    fn left(&mut self, place: Place) -> &mut Left {
        self.0.entry(place).or_default()
    }

    /// True if the measurement of `place` was completed.
    pub fn is_done(&self, place: &Place) -> bool {
        self.0.get(place).is_some_and(|left| left.is_done)
    }

    /// The repetitions of an interrupted run for a step that measures `places`.
    pub fn history(&self, places: &[Place]) -> History {
        let none = Left::default();
        let left: Vec<&Left> = places.iter().map(|place| self.0.get(place).unwrap_or(&none)).collect();
        let times = |left: &&Left| left.times.iter().map(|(_, time)| *time).collect();
        History {
            series: left.iter().map(times).collect(),
            next: left.iter().map(|left| left.next).max().unwrap_or(0),
            rejected: left.iter().map(|left| left.rejected).sum(),
            is_done: left.iter().all(|left| left.is_done),
        }
    }
}

impl Left {
    fn add(&mut self, repetition: u32, time: f64) {
        self.next = self.next.max(repetition + 1);
        match self.times.last_mut() {
            Some((last, slowest)) if *last == repetition => *slowest = slowest.max(time),
            _ => self.times.push((repetition, time)),
        }
    }
}

impl History {
    /// Number of valid repetitions, without one whose rows are incomplete.
    pub fn accepted(&self) -> u32 {
        let least = self.series.iter().map(Vec::len).min().unwrap_or(0);
        u32::try_from(least).unwrap_or(u32::MAX)
    }

    /// Adds a valid repetition.
    pub fn add(&mut self, places: &[Place], times: &[Seconds]) {
        for (series, value) in self.series.iter_mut().zip(values(places, times)) {
            series.push(value);
        }
    }
}
