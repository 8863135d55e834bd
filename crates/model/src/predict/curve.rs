//! Curves of predicted times over sizes, for interpolation without a model.
//!
//! # Method
//! A curve of a process count is a list of knots. Between two knots ln T, the ends of the interval and the
//! cautious time are linear in ln m within [`TOLERANCE`], which is checked at five sizes of every section. A
//! section that misses the tolerance is halved, down to neighbouring bytes at a threshold. Sections begin half an
//! octave wide, so a narrower spike between the checked sizes is missed. Knots within the tolerance of the line
//! between their neighbours are left out again, so that an interpolated time is within twice the tolerance.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use netsig_base::units::{Bytes, Procs, Seconds};

use super::select::{CandidateRanker, RankedCandidate};
use super::{Interval, Prediction};
use crate::model::ModelError;

/// Largest error of a section at the sizes that are checked, in ln T.
pub const TOLERANCE: f64 = 2e-3;

/// Checked places of a section, as shares of its width in ln m. There are several, because the steps of an
/// algorithm with segments may meet the line at one of them.
const CHECKED_SHARES: [f64; 5] = [0.5, 0.29, 0.71, 0.11, 0.87];

/// Largest number of sizes at which a curve is predicted, for algorithms that step at every segment. Ten halvings
/// find a step, and from the 250th on a step is below twice the tolerance.
const MOST_SIZES: usize = 5000;

/// Most knots in a row that are left out again.
const SKIPPED: usize = 16;

/// Predicted times of one algorithm for one process count.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeCurve {
    /// Name of the algorithm, without settings that the prediction chooses.
    pub family: String,
    /// Knots, ascending in size.
    pub knots: Vec<CurveKnot>,
}

/// A point of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveKnot {
    /// Bytes per destination or message.
    pub size: Bytes,
    /// Name of the algorithm with the best settings here, but without a segment size that varies from byte to byte.
    pub algorithm: String,
    /// The prediction.
    pub prediction: Prediction,
    /// Time by which candidates are ranked.
    pub cautious_time: Seconds,
    /// True if the cautious time is that of the library's own choice: both are equal, not only within the tolerance.
    pub is_held_to_library: bool,
    /// True if the curve continues to the next knot. Both then have one algorithm and standing, both or none are held
    /// to the library's time, and every size between them has a prediction.
    pub is_continued: bool,
}

impl CurveKnot {
    fn of(one: &RankedCandidate, size: Bytes) -> Self {
        Self {
            size,
            algorithm: if one.has_chosen_segment() {
                one.family().to_owned()
            } else {
                one.algorithm()
            },
            prediction: one.prediction,
            cautious_time: one.cautious_time,
            is_held_to_library: one.is_held_to_library,
            is_continued: false,
        }
    }

    /// True if this knot and `next` are of one algorithm, standing and kind of cautious time.
    fn continues_to(&self, next: &Self) -> bool {
        let of = |knot: &Self| {
            let Prediction { standing, interval, .. } = knot.prediction;
            (standing, interval.is_some(), knot.is_held_to_library)
        };
        self.algorithm == next.algorithm && of(self) == of(next)
    }

    /// The times that are interpolated.
    fn times(&self) -> [f64; 4] {
        let Prediction { time, interval, .. } = self.prediction;
        let Interval { lower, upper } = interval.unwrap_or(Interval {
            lower: time,
            upper: time,
        });
        [time, lower, upper, self.cautious_time].map(|time| time.0.ln())
    }

    /// True if this knot is within the tolerance of the line between two knots.
    fn lies_between(&self, before: &Self, after: &Self) -> bool {
        let place = |knot: &Self| knot.size.as_f64().ln();
        let share = (place(self) - place(before)) / (place(after) - place(before));
        let ends = before.times().into_iter().zip(after.times());
        let interpolated = ends.map(|(low, high)| low + share * (high - low));
        before.continues_to(self)
            && self.continues_to(after)
            && interpolated
                .zip(self.times())
                .all(|(expected, actual)| expected.total_cmp(&actual).is_eq() || (expected - actual).abs() <= TOLERANCE)
    }
}

impl CandidateRanker<'_> {
    /// Curves of all candidates that [`CandidateRanker::rank`] may put first, from the first size to the last,
    /// among at least two processes, in the order that equal times keep. A candidate has no knots at sizes too far from
    /// the measurements.
    ///
    /// # Errors
    /// The errors of [`CandidateRanker::rank`].
    pub fn curves(&self, procs: Procs, range: [Bytes; 2]) -> Result<Vec<TimeCurve>, ModelError> {
        let grid = grid(range);
        let mut families = BTreeSet::new();
        for &size in &grid {
            let ranked = self.rank(procs, Bytes(size))?;
            let standing = ranked.iter().filter(|one| one.is_eligible());
            families.extend(standing.map(RankedCandidate::family));
        }
        let curve = |family| {
            let draft = CurveDraft {
                ranker: self,
                procs,
                family,
                known: BTreeMap::new(),
            };
            draft.curve(&grid)
        };
        Ok(self
            .families()
            .filter(|family| families.contains(family))
            .map(curve)
            .collect())
    }
}

/// Sizes half an octave apart, with both ends.
fn grid([least, most]: [Bytes; 2]) -> Vec<u64> {
    let first = least.0.max(1);
    let exact_sizes = (0..).map(|step| first as f64 * 2f64.powf(f64::from(step) / 2.0));
    let rounded_sizes = exact_sizes.map(|size| Bytes::rounded(size).0);
    let inner = rounded_sizes.take_while(|size| *size < most.0);
    let all: BTreeSet<u64> = inner.chain([most.0.max(first)]).collect();
    all.into_iter().collect()
}

/// The knots of a family at the sizes predicted so far; `None` at a size without a time.
struct CurveDraft<'a> {
    ranker: &'a CandidateRanker<'a>,
    procs: Procs,
    family: &'a str,
    known: BTreeMap<u64, Option<CurveKnot>>,
}

impl CurveDraft<'_> {
    fn knot(&mut self, size: u64) -> Option<CurveKnot> {
        let (ranker, procs, family) = (self.ranker, self.procs, self.family);
        let known = self.known.entry(size).or_insert_with(|| {
            let best_setting = ranker.best_setting(family, procs, Bytes(size));
            let eligible = best_setting.filter(RankedCandidate::is_eligible);
            eligible.map(|best| CurveKnot::of(&best, Bytes(size)))
        });
        known.clone()
    }

    fn curve(mut self, grid: &[u64]) -> TimeCurve {
        let mut sizes: BTreeSet<u64> = grid.iter().copied().collect();
        // The widest sections first, so that a curve at its limit is equally good everywhere.
        let mut open = BTreeSet::new();
        let width = |low: u64, high: u64| u128::from(high - low) * 4096 / u128::from(low);
        let key = |low: u64, high: u64| (Reverse(width(low, high)), low);
        let mut ends: BTreeMap<u64, u64> = grid.windows(2).map(|pair| (pair[0], pair[1])).collect();
        open.extend(ends.iter().map(|(&low, &high)| key(low, high)));
        while let Some((_, low)) = open.pop_first() {
            let high = ends[&low];
            if high - low < 2 || sizes.len() >= MOST_SIZES {
                continue;
            }
            if self.is_interpolated([low, high]) {
                continue;
            }
            let middle = size_between(low, high, 0.5);
            sizes.insert(middle);
            ends.extend([(low, middle), (middle, high)]);
            open.extend([key(low, middle), key(middle, high)]);
        }
        let found_knots = sizes.into_iter().map(|size| self.knot(size));
        let mut knots: Vec<Option<CurveKnot>> = found_knots.collect();
        for index in 1..knots.len() {
            if let [Some(knot), Some(next)] = &mut knots[index - 1..=index] {
                knot.is_continued = knot.continues_to(next);
            }
        }
        TimeCurve {
            family: self.family.to_owned(),
            knots: needed_knots(knots.into_iter().flatten().collect()),
        }
    }

    /// True if all checked knots of a section lie between its ends, or neither they nor the ends have times.
    fn is_interpolated(&mut self, [low, high]: [u64; 2]) -> bool {
        let ends = (self.knot(low), self.knot(high));
        CHECKED_SHARES
            .into_iter()
            .all(|share| match (&ends, self.knot(size_between(low, high, share))) {
                ((None, None), None) => true,
                ((Some(before), Some(after)), Some(inside)) => inside.lies_between(before, after),
                _ => false,
            })
    }
}

/// The knots without those that lie between two others, at most [`SKIPPED`] in a row.
fn needed_knots(knots: Vec<CurveKnot>) -> Vec<CurveKnot> {
    let mut kept: Vec<CurveKnot> = Vec::new();
    let mut skipped: Vec<CurveKnot> = Vec::new();
    for knot in knots {
        let is_interpolated = |before: &CurveKnot| {
            skipped.len() <= SKIPPED
                && skipped
                    .iter()
                    .all(|skipped_knot| skipped_knot.lies_between(before, &knot))
        };
        if let (Some(before), Some(last)) = (kept.last(), skipped.last())
            && !(before.is_continued && last.is_continued && is_interpolated(before))
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
fn size_between(low: u64, high: u64, share: f64) -> u64 {
    let middle = low as f64 * (high as f64 / low as f64).powf(share);
    Bytes::rounded(middle).0.clamp(low + 1, high - 1)
}
