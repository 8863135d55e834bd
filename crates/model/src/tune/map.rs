//! Predicted times of a collective under each choice of a library, and the choices that rules may take.
//!
//! # Allowed choices
//! A choice is the library's own decision, always the first, or an algorithm that a rule can name. At a point
//! (process count and size) with a time of the library's own decision, a choice is allowed if its time is within
//! [`TOLERANCE`] of the best. Where the library's own decision has no time although it was measured elsewhere, it alone is
//! allowed. If it was not measured at all, choices are compared with each other, from two on.

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
            counts,
            sizes,
            choices,
            times,
        }
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
