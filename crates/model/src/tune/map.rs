//! Predicted times of a collective under each choice of a library, and the choices that rules may take.
//!
//! # Allowed choices
//! A choice is the library's own decision, always the first, or an algorithm that a rule can name. At a point
//! (process count and size) with a time of the library's own decision, a choice is allowed if its time is within
//! [`TOLERANCE`] of the best. Where the library's own decision has no time although it was measured elsewhere, it alone is
//! allowed. If it was not measured at all, choices are compared with each other, from two on.
//!
//! An algorithm that the library would replace by another one at a point has no time there ([`TuningMap::only_where`]).

use std::ops::RangeInclusive;

use netsig_base::units::{Bytes, Procs};

/// Largest ratio of a rule's time to the best.
pub const TOLERANCE: f64 = 1.01;

/// Place of the library's own decision among the choices.
pub const OWN_DECISION: usize = 0;

/// Times at the points of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct TuningMap {
    /// Process counts, ascending.
    pub counts: Vec<Procs>,
    /// Sizes, ascending.
    pub sizes: Vec<Bytes>,
    choices: usize,
    /// Seconds by choice, count and size.
    times: Vec<Option<f64>>,
    /// By choice and count, true if a rule may take the choice below the first size.
    holds_below: Vec<bool>,
}

/// Limit on the time of an allowed choice, beside [`TOLERANCE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceLimit {
    /// No other limit.
    Best,
    /// At most the time of the library's own decision.
    OwnDecision,
}

/// A point of a map: places of its process count and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapPoint {
    /// Place among the counts.
    pub count: usize,
    /// Place among the sizes.
    pub size: usize,
}

impl TuningMap {
    /// The map of `choices` at all `counts` and `sizes`, both ascending; a time is in seconds.
    pub fn new(
        counts: Vec<Procs>,
        sizes: Vec<Bytes>,
        choices: usize,
        time: impl Fn(usize, Procs, Bytes) -> Option<f64>,
    ) -> Self {
        let mut times = Vec::with_capacity(choices * counts.len() * sizes.len());
        for choice in 0..choices {
            for &count in &counts {
                times.extend(sizes.iter().map(|&size| time(choice, count, size)));
            }
        }
        Self {
            holds_below: vec![true; choices * counts.len()],
            counts,
            sizes,
            choices,
            times,
        }
    }

    /// The map without the times of choices where `holds` is false. It is asked for each point, with the largest process
    /// count before the next one of the map, and with the sizes up to the next one; also for the sizes below the first.
    #[must_use]
    pub fn only_where(mut self, holds: impl Fn(usize, Procs, RangeInclusive<Bytes>) -> bool) -> Self {
        let first = self.sizes.first().map_or(0, |size| size.0);
        for choice in 0..self.choices {
            for count in 0..self.counts.len() {
                let row = choice * self.counts.len() + count;
                let procs = self.last_count(count);
                self.holds_below[row] = first <= 1 || holds(choice, procs, Bytes(1)..=Bytes(first - 1));
                for size in 0..self.sizes.len() {
                    let from = self.sizes[size];
                    let last = self.sizes.get(size + 1).map_or(from, |next| Bytes(next.0 - 1));
                    let time = &mut self.times[row * self.sizes.len() + size];
                    *time = time.filter(|_| holds(choice, procs, from..=last));
                }
            }
        }
        self
    }

    /// The largest process count from a place on that is below the count at the next place.
    pub fn last_count(&self, place: usize) -> Procs {
        let count = self.counts[place];
        let next = self.counts.get(place + 1);
        next.and_then(|next| Procs::new(next.get() - 1).ok()).unwrap_or(count)
    }

    /// Number of choices.
    pub fn choices(&self) -> usize {
        self.choices
    }

    /// Time of a choice at a point in seconds, if it has one.
    pub fn time(&self, choice: usize, at: MapPoint) -> Option<f64> {
        let row = choice * self.counts.len() + at.count;
        self.times[row * self.sizes.len() + at.size]
    }

    /// True if the library's own decision has a time somewhere.
    pub fn has_own_decision(&self) -> bool {
        let own_count = self.counts.len() * self.sizes.len();
        self.times[..own_count].iter().any(Option::is_some)
    }

    /// True if a choice has a time among the process count at a place.
    pub fn answers_count(&self, count: usize) -> bool {
        let mut sizes = 0..self.sizes.len();
        sizes.any(|size| self.best(MapPoint { count, size }).is_some())
    }

    /// True if a choice has a time for the size at a place.
    pub fn answers_size(&self, size: usize) -> bool {
        let mut counts = 0..self.counts.len();
        counts.any(|count| self.best(MapPoint { count, size }).is_some())
    }

    /// Shortest time at a point.
    pub fn best(&self, at: MapPoint) -> Option<f64> {
        let times = (0..self.choices).filter_map(|choice| self.time(choice, at));
        times.min_by(f64::total_cmp)
    }

    /// For each choice, true if a rule may take it at the first size and below it; the library's own decision is
    /// allowed if no other choice is.
    pub fn choices_below(&self, count: usize, limit: ChoiceLimit) -> Vec<bool> {
        let mut allowed = self.allowed_choices(MapPoint { count, size: 0 }, limit);
        for (choice, is_allowed) in allowed.iter_mut().enumerate() {
            *is_allowed = *is_allowed && self.holds_below[choice * self.counts.len() + count];
        }
        allowed[OWN_DECISION] |= !allowed.contains(&true);
        allowed
    }

    /// For each choice, true if a rule may take it at a point.
    pub fn allowed_choices(&self, at: MapPoint, limit: ChoiceLimit) -> Vec<bool> {
        let own_alone = || (0..self.choices).map(|choice| choice == OWN_DECISION).collect();
        let Some(best) = self.best(at) else {
            return own_alone();
        };
        let timed = (0..self.choices).filter(|&choice| self.time(choice, at).is_some());
        let longest = match (self.time(OWN_DECISION, at), limit) {
            (Some(own_time), ChoiceLimit::OwnDecision) => own_time,
            (None, _) if self.has_own_decision() || timed.count() < 2 => return own_alone(),
            _ => f64::INFINITY,
        };
        let stands = |time: f64| time <= best * TOLERANCE && time <= longest;
        let all = (0..self.choices).map(|choice| self.time(choice, at).is_some_and(stands));
        all.collect()
    }

    /// The map with 0 as the only size, for collectives whose rules must not look at the size. A time is the
    /// geometric mean over the sizes at which the library's own decision has a time, or any choice if the library's own decision has
    /// none. A choice that has no time at one of them, or is slower there than the library's own decision, has no mean.
    #[must_use]
    pub fn over_sizes(&self) -> Self {
        let mean = |choice: usize, count: usize| {
            let points = (0..self.sizes.len()).map(|size| MapPoint { count, size });
            let has_own = self.has_own_decision();
            let judge = |at: MapPoint| {
                if has_own {
                    self.time(OWN_DECISION, at)
                } else {
                    self.best(at)
                }
            };
            let mut sum = (0.0, 0.0);
            for at in points.filter(|at| judge(*at).is_some()) {
                let limit = self.time(OWN_DECISION, at).unwrap_or(f64::INFINITY);
                let time = self.time(choice, at).filter(|time| *time <= limit)?;
                sum = (sum.0 + time.ln(), sum.1 + 1.0);
            }
            let (logarithms, points) = sum;
            (points > 0.0).then(|| (logarithms / points).exp())
        };
        let place = |wanted: Procs| self.counts.iter().position(|procs| *procs == wanted);
        Self::new(self.counts.clone(), vec![Bytes(0)], self.choices, |choice, procs, _| {
            mean(choice, place(procs)?)
        })
    }
}
