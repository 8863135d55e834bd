//! Chooses the sizes of the pLogP tables. It adds larger sizes to the planned ones while the gap falls short of the
//! line through two smaller sizes, and intermediate sizes wherever a value misses that line.
//!
//! # Choices
//! The limits come from the MPI `LogP` benchmark, see [`netsig_model::fit::plogp`]. In addition, a miss must be
//! significant: a size is only added if the deviation exceeds three times its standard error. The original adds sizes
//! without end if times scatter.

use netsig_base::stats::sample::SortedValues;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::fit::plogp::discontinuity;

use crate::plan::{LARGEST_MESSAGE, PLogPSettings};

/// Ratio of the largest size that may be added to the planned largest size.
const MOST_GROWTH: u64 = 8;

/// Significant deviation, in standard errors.
const SIGNIFICANT: f64 = 3.0;

/// For sizes above `CHEAP_ABOVE`, an overhead below `CHEAP` seconds per byte may miss by twice as
/// much.
const CHEAP_ABOVE: Bytes = Bytes(1024);
const CHEAP: f64 = 1e-8;

/// A median with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MedianValue {
    /// The median.
    pub time: Seconds,
    /// Its standard error in seconds.
    pub error: f64,
}

/// The measured quantities at a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PLogPPoint {
    pub size: Bytes,
    pub send_overhead: MedianValue,
    pub receive_overhead: MedianValue,
    pub gap: MedianValue,
}

impl MedianValue {
    /// The median of repetitions; `None` if there are none.
    pub fn of(times: &[f64]) -> Option<Self> {
        if times.is_empty() {
            return None;
        }
        let sorted = SortedValues::new(times.to_vec());
        Some(Self {
            time: Seconds(sorted.median()),
            error: sorted.median_error(),
        })
    }
}

/// Measures all needed sizes and returns them in ascending order. `point` measures a size; it
/// returns `None` if no repetition is valid or no time is left.
pub(super) fn measure_sizes<E>(
    settings: &PLogPSettings,
    mut point: impl FnMut(Bytes) -> Result<Option<PLogPPoint>, E>,
) -> Result<Vec<PLogPPoint>, E> {
    let mut table = Vec::new();
    for size in settings.initial_sizes() {
        table.extend(point(size)?);
    }
    while let Some(size) = larger_size(&table, settings) {
        match point(size)? {
            Some(point) => table.push(point),
            None => break,
        }
    }
    let mut last = 2;
    while last < table.len() {
        let added = size_between(&table[..=last], settings).map(&mut point);
        match added.transpose()?.flatten() {
            Some(point) => table.insert(last, point),
            None => last += 1,
        }
    }
    Ok(table)
}

/// Twice the largest size, if its gap falls short of the line through the two sizes before.
fn larger_size(table: &[PLogPPoint], settings: &PLogPSettings) -> Option<Bytes> {
    let [.., a, b, c] = table else { return None };
    let miss = LineDeviation::of([a, b, c], |point| point.gap, settings.epsilon);
    let size = Bytes(c.size.0 * 2);
    let most = (settings.sizes.largest.0 * MOST_GROWTH).min(LARGEST_MESSAGE);
    let falls_short = c.gap.time < miss.expected && miss.is_real && miss.error > settings.epsilon;
    (falls_short && size.0 <= most).then_some(size)
}

/// A size between the last two, if the last deviates from the line through the two before it.
fn size_between(table: &[PLogPPoint], settings: &PLogPSettings) -> Option<Bytes> {
    let [.., a, b, c] = table else { return None };
    let gap = LineDeviation::of([a, b, c], |point| point.gap, settings.difference);
    let of_overhead = |of: fn(&PLogPPoint) -> MedianValue| {
        let miss = LineDeviation::of([a, b, c], of, settings.difference);
        let is_cheap = c.size > CHEAP_ABOVE && miss.expected.0 / c.size.as_f64() < CHEAP;
        if is_cheap {
            LineDeviation::of([a, b, c], of, 2.0 * settings.difference)
        } else {
            miss
        }
    };
    let overheads = [
        of_overhead(|point| point.send_overhead),
        of_overhead(|point| point.receive_overhead),
    ];
    let all = overheads.into_iter().chain([gap]);
    all.filter(|miss| miss.is_real).find_map(|miss| miss.insert)
}

/// The deviation of a value from the line through the two values before it.
struct LineDeviation {
    expected: Seconds,
    /// Relative deviation.
    error: f64,
    /// True if the deviation is significant.
    is_real: bool,
    /// The size to measure, if the deviation exceeds the allowed one.
    insert: Option<Bytes>,
}

impl LineDeviation {
    fn of(points: [&PLogPPoint; 3], of: impl Fn(&PLogPPoint) -> MedianValue, allowed: f64) -> Self {
        let found = discontinuity(points.map(|point| (point.size, of(point).time)), allowed);
        let [a, b, c] = points.map(|point| point.size.as_f64());
        let steps = (c - b) / (b - a);
        let [error_a, error_b, error_c] = points.map(|point| of(point).error);
        let noise = (error_c.powi(2) + ((1.0 + steps) * error_b).powi(2) + (steps * error_a).powi(2)).sqrt();
        let deviation = (of(points[2]).time - found.expected).0.abs();
        Self {
            expected: found.expected,
            error: found.relative_error,
            is_real: deviation > SIGNIFICANT * noise,
            insert: found.insert,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// The sizes that are measured for a given g(m) without noise, a standard error `error`, and time for `most`
    /// sizes.
    fn sizes(error: f64, most: usize, gap: impl Fn(f64) -> f64) -> Vec<u64> {
        let mut settings = PLogPSettings::default();
        settings.sizes.largest = Bytes(65536);
        let mut measured = 0;
        let value = |time| MedianValue {
            time: Seconds(time),
            error,
        };
        let point = |size: Bytes| {
            measured += 1;
            Ok::<_, Infallible>((measured <= most).then(|| PLogPPoint {
                size,
                send_overhead: value(1e-6),
                receive_overhead: value(1e-6),
                gap: value(gap(size.as_f64())),
            }))
        };
        let Ok(table) = measure_sizes(&settings, point);
        table.iter().map(|point| point.size.0).collect()
    }

    const PLANNED: usize = 18;

    /// From 10 000 bytes on messages take half a millisecond more.
    #[test]
    fn a_jump_is_closed_in_on() {
        let jump = |m: f64| 1e-5 + m * 1e-8 + if m > 1e4 { 5e-4 } else { 0.0 };
        let found = sizes(0.0, usize::MAX, jump);
        assert!(found.is_sorted() && found.len() < 40, "{found:?}");
        let after = found.partition_point(|&size| size <= 10_000);
        assert!(found[after] - found[after - 1] <= 310, "{found:?}");
        // With errors of a millisecond it is noise, and without time it is left.
        assert_eq!(sizes(1e-3, usize::MAX, jump).len(), PLANNED);
        assert_eq!(sizes(0.0, PLANNED + 2, jump).len(), PLANNED + 2);
    }

    /// A line needs no more sizes than planned; a gap per byte that keeps falling is followed to
    /// eight times the planned size.
    #[test]
    fn larger_sizes_follow_a_falling_gap() {
        let line = sizes(0.0, usize::MAX, |m| 1e-5 + m * 1e-8);
        assert_eq!(line.len(), PLANNED);
        assert_eq!((line[0], line[1], line[17]), (0, 1, 65536));
        let falling = sizes(0.0, usize::MAX, |m| 1e-5 + 1e-7 * m.powf(0.8));
        assert_eq!(falling.last(), Some(&(8 * 65536)));
    }
}
