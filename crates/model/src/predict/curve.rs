//! Curves of predicted times over sizes, from which others interpolate without knowing a model.
//!
//! # Method
//! A curve of a process count is a list of knots. Between two of them ln T, the ends of the interval and
//! the time of the ranking are linear in ln m within [`TOLERANCE`], which is checked at five
//! sizes of every section; a section that misses it is halved, down to neighbouring bytes at a
//! threshold. Sections begin half an octave wide, so a spike that is narrower and falls between the checked
//! sizes is missed. Knots that their neighbours tell within the tolerance are left out again, so that an
//! interpolated time is within twice the tolerance.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use netsig_base::units::{Bytes, Procs, Seconds};

use super::select::{CandidateRanker, Ranked};
use super::{Interval, Prediction};
use crate::model::ModelError;

/// Largest error of a section at the sizes that are checked, in ln T.
pub const TOLERANCE: f64 = 2e-3;

/// Where a section is checked, as shares of the way in ln m. Several, lest they all lie on the line through the steps of
/// an algorithm with segments.
const CHECKED: [f64; 5] = [0.5, 0.29, 0.71, 0.11, 0.87];

/// Largest number of sizes at which a curve is predicted, for algorithms that step at every segment: ten halvings find
/// a step, and from the 250th on a step is below twice the tolerance.
const MOST: usize = 5000;

/// Most knots in a row that are left out again where their neighbours tell them.
const SKIPPED: usize = 16;

/// Predicted times of one algorithm for one process count.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Name of the algorithm, without settings that the prediction chooses.
    pub family: String,
    /// Knots, ascending in size.
    pub knots: Vec<Knot>,
}

/// A point of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Knot {
    /// Bytes per destination or message.
    pub size: Bytes,
    /// Name of the algorithm with the settings that are the best here, but for a segment size that varies
    /// from byte to byte.
    pub algorithm: String,
    /// The prediction.
    pub prediction: Prediction,
    /// Time by which the ranking goes.
    pub cautious: Seconds,
    /// True if the curve goes on to the next knot: with the same algorithm and standing, and without sizes in
    /// between that have no prediction.
    pub goes_on: bool,
}

impl Knot {
    fn of(one: &Ranked, size: Bytes) -> Self {
        Self {
            size,
            algorithm: if one.has_chosen_segment() {
                one.family().to_owned()
            } else {
                one.algorithm()
            },
            prediction: one.prediction,
            cautious: one.cautious,
            goes_on: false,
        }
    }

    /// True if this knot and `next` are of one algorithm and standing.
    fn continues_to(&self, next: &Self) -> bool {
        let of = |knot: &Self| (knot.prediction.standing, knot.prediction.interval.is_some());
        self.algorithm == next.algorithm && of(self) == of(next)
    }

    /// The times that are interpolated.
    fn times(&self) -> [f64; 4] {
        let Prediction { time, interval, .. } = self.prediction;
        let Interval { lower, upper } = interval.unwrap_or(Interval {
            lower: time,
            upper: time,
        });
        [time, lower, upper, self.cautious].map(|time| time.0.ln())
    }

    /// True if the section between two knots tells this one within the tolerance.
    fn lies_between(&self, before: &Self, after: &Self) -> bool {
        let place = |knot: &Self| knot.size.as_f64().ln();
        let share = (place(self) - place(before)) / (place(after) - place(before));
        let ends = before.times().into_iter().zip(after.times());
        let told = ends.map(|(low, high)| low + share * (high - low));
        before.continues_to(self)
            && self.continues_to(after)
            && told
                .zip(self.times())
                .all(|(told, own)| told.total_cmp(&own).is_eq() || (told - own).abs() <= TOLERANCE)
    }
}

impl CandidateRanker<'_> {
    /// Curves of all candidates that [`CandidateRanker::rank`] may put first, from the first size to the last,
    /// among at least two processes. A candidate has no knots at sizes too far from the measurements.
    ///
    /// # Errors
    /// As [`CandidateRanker::rank`].
    pub fn curves(&self, procs: Procs, range: [Bytes; 2]) -> Result<Vec<Curve>, ModelError> {
        let grid = grid(range);
        let mut families = BTreeSet::new();
        for &size in &grid {
            let ranked = self.rank(procs, Bytes(size))?;
            let standing = ranked.iter().filter(|one| one.stands());
            families.extend(standing.map(Ranked::family));
        }
        let curve = |family| {
            let draft = Draft {
                selector: self,
                procs,
                family,
                known: BTreeMap::new(),
            };
            draft.curve(&grid)
        };
        Ok(families.into_iter().map(curve).collect())
    }
}

/// Sizes half an octave apart, with both ends.
fn grid([least, most]: [Bytes; 2]) -> Vec<u64> {
    let first = least.0.max(1);
    let steps = (0..).map(|step| first as f64 * 2f64.powf(f64::from(step) / 2.0));
    let steps = steps.map(|size| Bytes::rounded(size).0);
    let inner = steps.take_while(|size| *size < most.0);
    let all: BTreeSet<u64> = inner.chain([most.0.max(first)]).collect();
    all.into_iter().collect()
}

/// The knots of a family at the sizes that were asked for so far; `None` at a size without a time.
struct Draft<'a> {
    selector: &'a CandidateRanker<'a>,
    procs: Procs,
    family: &'a str,
    known: BTreeMap<u64, Option<Knot>>,
}

impl Draft<'_> {
    fn knot(&mut self, size: u64) -> Option<Knot> {
        let (selector, procs, family) = (self.selector, self.procs, self.family);
        let known = self.known.entry(size).or_insert_with(|| {
            let best = selector.best_setting(family, procs, Bytes(size));
            let best = best.filter(Ranked::stands);
            best.map(|best| Knot::of(&best, Bytes(size)))
        });
        known.clone()
    }

    fn curve(mut self, grid: &[u64]) -> Curve {
        let mut sizes: BTreeSet<u64> = grid.iter().copied().collect();
        // The widest sections first, so that a curve at its limit is equally good everywhere.
        let mut open = BTreeSet::new();
        let width = |low: u64, high: u64| u128::from(high - low) * 4096 / u128::from(low);
        let key = |low: u64, high: u64| (Reverse(width(low, high)), low);
        let mut ends: BTreeMap<u64, u64> = grid.windows(2).map(|pair| (pair[0], pair[1])).collect();
        open.extend(ends.iter().map(|(&low, &high)| key(low, high)));
        while let Some((_, low)) = open.pop_first() {
            let high = ends[&low];
            if high - low < 2 || sizes.len() >= MOST {
                continue;
            }
            if self.is_told([low, high]) {
                continue;
            }
            let middle = between(low, high, 0.5);
            sizes.insert(middle);
            ends.extend([(low, middle), (middle, high)]);
            open.extend([key(low, middle), key(middle, high)]);
        }
        let knots = sizes.into_iter().map(|size| self.knot(size));
        let mut knots: Vec<Option<Knot>> = knots.collect();
        for index in 1..knots.len() {
            if let [Some(knot), Some(next)] = &mut knots[index - 1..=index] {
                knot.goes_on = knot.continues_to(next);
            }
        }
        Curve {
            family: self.family.to_owned(),
            knots: needed(knots.into_iter().flatten().collect()),
        }
    }

    /// True if the ends of a section tell what is checked inside it.
    fn is_told(&mut self, [low, high]: [u64; 2]) -> bool {
        let ends = (self.knot(low), self.knot(high));
        CHECKED
            .into_iter()
            .all(|share| match (&ends, self.knot(between(low, high, share))) {
                ((None, None), None) => true,
                ((Some(before), Some(after)), Some(inside)) => inside.lies_between(before, after),
                _ => false,
            })
    }
}

/// The knots without those that a section over at most [`SKIPPED`] of them tells.
fn needed(knots: Vec<Knot>) -> Vec<Knot> {
    let mut kept: Vec<Knot> = Vec::new();
    let mut skipped: Vec<Knot> = Vec::new();
    for knot in knots {
        let is_told =
            |before: &Knot| skipped.len() <= SKIPPED && skipped.iter().all(|own| own.lies_between(before, &knot));
        if let (Some(before), Some(last)) = (kept.last(), skipped.last())
            && !(before.goes_on && last.goes_on && is_told(before))
        {
            kept.push(last.clone());
            skipped.clear();
        }
        if kept.is_empty() {
            kept.push(knot);
        } else {
            skipped.push(knot);
        }
    }
    kept.extend(skipped.pop());
    kept
}

/// A size between two others, at a share of the way in ln m.
fn between(low: u64, high: u64, share: f64) -> u64 {
    let middle = low as f64 * (high as f64 / low as f64).powf(share);
    Bytes::rounded(middle).0.clamp(low + 1, high - 1)
}
