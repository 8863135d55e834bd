//! Protocol changes of a ping-pong: t(m) as straight lines, with jumps between them.
//!
//! # Formula
//! t(m) = αᵢ + βᵢ·m in seconds for the sizes m of piece i, in bytes. Between two pieces lies a break: an interval from
//! the last size of one to the first size of the next. The *jump* is the height of the line after the break above the
//! line before it:
//! - If the slopes are the same (within 10 %, or within their errors), parallel lines are fitted to both pieces.
//! - Otherwise the jump is taken at the upper end of the interval; it is 0 if the lines cross within the interval.
//!
//! A jump at equal slopes is one more message (the rendezvous beyond the eager limit). A different slope is a different
//! bandwidth, or the end of a burst that the network let pass.
//!
//! # Method
//! A point has the weight 1/((0.1 %·t)² + v), where v is the variance of t from repetitions and launches
//! ([`medians`](super::medians)).
//! 1. Every run of 6 to 32 neighbouring sizes is cut in two at each place that leaves two sizes on either side.
//! 2. An F test with 2 and N − 4 degrees of freedom decides whether two lines are better than one. If several launches
//!    determine v with ν degrees of freedom, the test has N − 4 + ν. Its scale then includes the residuals and ν more
//!    of size 1, but is never smaller than that of the residuals alone. The noise of a line is at least 0.02 %.
//! 3. The shortest run with a significant cut is taken, because it has a single break and the noise of its own sizes.
//!    Among equally short runs the least p decides.
//! 4. Both sides are searched again. Finally each break moves to the best place for the lines of its whole pieces.
//!
//! # Domain
//! Six sizes or more. Among N sizes a run is significant at the level 0.05/N², which was found by trials. Of ping-pongs
//! with 12 to 38 sizes on straight lines, at most about 1 in 20 then shows a break. The errors in these trials were 1
//! to 3 %, or 20 µs and 0.3 % between launches. If a few sizes scatter ten times as much as their neighbours and there
//! are only two launches, up to two in five do. A single outlying size is no break; a jump below three times the noise
//! is not found.
//!
//! # Source
//! The statistic is Chow's (1960). The search is that of Baranowski, Chen and Fryzlewicz 2019
//! (narrowest-over-threshold) over all short runs. The application is netsig's.

mod eager;
mod line;

use netsig_base::stats::interval::{IntervalEstimate, Variance};
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};

pub use self::eager::{EagerLimit, SendOverheadStep, eager_limit};

use std::ops::Range;

use self::line::WeightedLine;
use super::medians::SizeMedian;
use super::{FitError, refuse_too_few};

/// Level of one test among N sizes, times N².
const LEVEL: f64 = 0.05;

/// Least and largest number of sizes of a tested run, and least number on a side.
const SHORTEST_RUN: usize = 6;
const LONGEST_RUN: usize = 32;
const LEAST_SIDE: usize = 2;

/// Number of sizes by which a run grows on either side to place its cut.
const MARGIN: usize = 4;

/// Slopes that differ by less than this share of the greater one count as equal.
const SAME_SLOPE: f64 = 0.1;

/// The pieces of a ping-pong.
#[derive(Debug, Clone, PartialEq)]
pub struct PiecewisePingPong {
    /// The pieces, ascending; at least one.
    pub pieces: Vec<PingPongLine>,
    /// The breaks between neighbouring pieces.
    pub breaks: Vec<PingPongBreak>,
}

/// A straight line through neighbouring sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PingPongLine {
    /// The smallest size.
    pub first: Bytes,
    /// The largest size.
    pub last: Bytes,
    /// α in seconds; where the line does not reach down to m = 0 it may be negative.
    pub alpha: IntervalEstimate,
    /// β in seconds per byte.
    pub beta: IntervalEstimate,
}

/// A break between two sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PingPongBreak {
    /// The last size before the break.
    pub below: Bytes,
    /// The first size after the break.
    pub from: Bytes,
    /// The jump in seconds.
    pub jump: IntervalEstimate,
    /// Kind of change.
    pub change: BreakChange,
    /// Jump of os between about the same sizes, if os has a break there.
    pub send_overhead: Option<IntervalEstimate>,
}

/// Kind of change at a break.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BreakChange {
    /// Only the intercept changes.
    Intercept,
    /// The slope changes.
    Slope {
        /// β before the break.
        before: SecondsPerByte,
        /// β after the break.
        after: SecondsPerByte,
    },
}

/// Finds the pieces of one-way times, ascending in size; intervals have the level
/// `confidence`.
///
/// # Errors
/// If there are fewer than six sizes.
pub fn find(medians: &[SizeMedian], confidence: f64) -> Result<PiecewisePingPong, FitError> {
    refuse_too_few("protocol changes of the ping-pong", medians.len(), SHORTEST_RUN)?;
    let mut cuts = Vec::new();
    search_cuts(medians, 0, &mut cuts);
    cuts.sort_unstable();
    refine_cuts(medians, &mut cuts);
    let ends = [vec![0], cuts, vec![medians.len()]].concat();
    let parts: Vec<&[SizeMedian]> = ends.windows(2).map(|pair| &medians[pair[0]..pair[1]]).collect();
    let lines: Vec<WeightedLine> = parts.iter().map(|part| WeightedLine::through(part)).collect();
    let pooled = WeightedLine::pooled_scale(&lines);
    let around = |value, variance: &[Variance]| IntervalEstimate::around(value, variance, confidence);
    let piece = |(part, line): (&&[SizeMedian], &WeightedLine)| PingPongLine {
        first: part[0].size,
        last: part[part.len() - 1].size,
        alpha: around(line.at(Bytes(0)), &[line.variance_at(Bytes(0), pooled)]),
        beta: around(line.slope, &[line.slope_variance(pooled)]),
    };
    let between = |(parts, lines): (&[&[SizeMedian]], &[WeightedLine])| {
        let [before, after] = [parts[0], parts[1]];
        let sizes = [before[before.len() - 1].size, after[0].size];
        break_between(sizes, [lines[0], lines[1]], pooled, confidence)
    };
    Ok(PiecewisePingPong {
        pieces: parts.iter().zip(&lines).map(piece).collect(),
        breaks: parts.windows(2).zip(lines.windows(2)).map(between).collect(),
    })
}

/// Adds the cuts of `medians`; the first of these has the index `offset` among all sizes.
fn search_cuts(medians: &[SizeMedian], offset: usize, cuts: &mut Vec<usize>) {
    let Some(run) = narrowest(medians) else {
        return;
    };
    let wide = run.start.saturating_sub(MARGIN)..(run.end + MARGIN).min(medians.len());
    let cut = wide.start + best_split(&medians[wide]).1;
    cuts.push(offset + cut);
    search_cuts(&medians[..cut], offset, cuts);
    search_cuts(&medians[cut..], offset + cut, cuts);
}

/// Shortest run with a significant cut; among equally short ones the one with the least p.
fn narrowest(medians: &[SizeMedian]) -> Option<Range<usize>> {
    let level = LEVEL / (medians.len() as f64).powi(2);
    (SHORTEST_RUN..=LONGEST_RUN.min(medians.len())).find_map(|length| {
        let runs = medians.windows(length).map(least_p).enumerate();
        let best = runs.min_by(|a, b| a.1.total_cmp(&b.1));
        let (start, _) = best.filter(|(_, p)| *p < level)?;
        Some(start..start + length)
    })
}

/// p of the best cut of a run.
fn least_p(run: &[SizeMedian]) -> f64 {
    let (rss, _) = best_split(run);
    let residual_dof = (run.len() - 4) as f64;
    let known_dof = line::known_dof(run);
    let noise = line::LINE_NOISE.powi(2) * run.len() as f64;
    // The known errors count as residuals of size 1, but never reduce the scale of the run's own.
    let scale = ((rss + known_dof) / (residual_dof + known_dof)).max((rss + noise) / residual_dof);
    let dof = residual_dof + known_dof;
    let gain = (WeightedLine::through(run).rss - rss).max(0.0) / (scale * dof);
    // F = gain·dof/2; with two degrees of freedom in the numerator the tail has a closed form.
    (1.0 + gain).powf(-dof / 2.0)
}

/// Least sum of squares of two lines, and the index at which the second begins.
fn best_split(run: &[SizeMedian]) -> (f64, usize) {
    let places = LEAST_SIDE..=run.len() - LEAST_SIDE;
    let sums = places.map(|place| {
        let (before, after) = run.split_at(place);
        (
            WeightedLine::through(before).rss + WeightedLine::through(after).rss,
            place,
        )
    });
    sums.min_by(|a, b| a.0.total_cmp(&b.0))
        .expect("a run has a place to cut it")
}

/// Moves each cut to the best place between its neighbours.
fn refine_cuts(medians: &[SizeMedian], cuts: &mut [usize]) {
    for index in 0..cuts.len() {
        let start = if index == 0 { 0 } else { cuts[index - 1] };
        let end = cuts.get(index + 1).copied().unwrap_or(medians.len());
        cuts[index] = start + best_split(&medians[start..end]).1;
    }
}

/// Break between two sizes, from the lines on either side.
fn break_between(
    [below, from]: [Bytes; 2],
    lines: [WeightedLine; 2],
    pooled: Variance,
    confidence: f64,
) -> PingPongBreak {
    let [before, after] = lines;
    let slopes = lines.map(|line| line.slope_variance(pooled));
    let bend = IntervalEstimate::around(after.slope - before.slope, &slopes, confidence);
    let greater = after.slope.abs().max(before.slope.abs());
    let is_uncertain = bend.lower <= 0.0 && bend.upper >= 0.0;
    let (change, jump) = if is_uncertain || bend.value.abs() < SAME_SLOPE * greater {
        let (step, variance) = before.step_to(&after);
        let jump = IntervalEstimate::around(step, &[variance], confidence);
        (BreakChange::Intercept, jump)
    } else {
        let [before, after] = lines.map(|line| SecondsPerByte(line.slope));
        let jump = jump_between([below, from], lines, pooled, confidence);
        (BreakChange::Slope { before, after }, jump)
    };
    PingPongBreak {
        below,
        from,
        jump,
        change,
        send_overhead: None,
    }
}

/// Height of the second line above the first where the second begins; 0 if they cross before.
fn jump_between(
    [below, from]: [Bytes; 2],
    lines: [WeightedLine; 2],
    pooled: Variance,
    confidence: f64,
) -> IntervalEstimate {
    let [before, after] = lines;
    let difference = |size: Bytes| after.at(size) - before.at(size);
    let crosses = difference(below) * difference(from) <= 0.0;
    let value = if crosses { 0.0 } else { difference(from) };
    let parts = lines.map(|line| line.variance_at(from, pooled));
    IntervalEstimate::around(value, &parts, confidence)
}

impl PiecewisePingPong {
    /// Confirms breaks by those of os(m): an overlapping break of os narrows the interval to the common part.
    #[must_use]
    pub fn with_send_overhead(mut self, medians: &[SizeMedian], confidence: f64) -> Self {
        let Ok(sends) = find(medians, confidence) else {
            return self;
        };
        for ping_pong_break in &mut self.breaks {
            let common =
                |send: &&PingPongBreak| send.below.max(ping_pong_break.below) < send.from.min(ping_pong_break.from);
            if let Some(send) = sends.breaks.iter().find(common) {
                ping_pong_break.below = ping_pong_break.below.max(send.below);
                ping_pong_break.from = ping_pong_break.from.min(send.from);
                ping_pong_break.send_overhead = Some(send.jump);
            }
        }
        self
    }
}

impl PingPongBreak {
    /// True if the break looks like the rendezvous beyond an eager limit: a constant, positive
    /// jump.
    pub fn is_rendezvous(&self) -> bool {
        self.change == BreakChange::Intercept && self.jump.lower > 0.0
    }

    /// The jump; `None` if it is not significant.
    pub fn certain_jump(&self) -> Option<Seconds> {
        let is_certain = self.jump.lower > 0.0 || self.jump.upper < 0.0;
        is_certain.then_some(Seconds(self.jump.value))
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::data::Experiment;
    use netsig_base::data::cells::MeasuredCells;

    use super::*;
    use crate::fit::medians::size_medians;
    use crate::fit::testing::{self, doubling, noisy_medians};

    /// With the middles between the powers of two.
    fn dense(last: u32) -> Vec<u64> {
        let mut sizes: Vec<u64> = doubling(last);
        sizes.extend((4..last).map(|i| 3 << (i - 1)));
        sizes.sort_unstable();
        sizes
    }

    /// 50 us + 10 ns/B, and 180 us more from 64 KiB on.
    fn eager(m: u64) -> f64 {
        line(m) + if m >= 65536 { 1.8e-4 } else { 0.0 }
    }

    fn line(m: u64) -> f64 {
        5e-5 + 1e-8 * m as f64
    }

    /// At least `least` of 100 measurements have the `wanted` breaks.
    #[track_caller]
    fn assert_most(
        least: usize,
        measured: impl Fn(u64) -> Vec<SizeMedian>,
        wanted: impl Fn(&PiecewisePingPong) -> bool,
    ) {
        let is_wanted = |seed: &u64| wanted(&find(&measured(*seed), 0.95).unwrap());
        let count = (0..100).filter(is_wanted).count();
        assert!(count >= least, "{count} of 100");
    }

    fn noisy_medians_of(sizes: &[u64], truth: fn(u64) -> f64, noise: f64, seed: u64) -> Vec<SizeMedian> {
        noisy_medians(sizes.iter().map(|&m| (m, truth(m))), noise, seed)
    }

    fn is_straight(found: &PiecewisePingPong) -> bool {
        found.breaks.is_empty()
    }

    #[test]
    fn straight_lines_have_no_break() {
        for (sizes, noise) in [
            (doubling(10), 0.03),
            (doubling(20), 0.01),
            (doubling(20), 0.03),
            (dense(20), 0.02),
        ] {
            assert_most(95, |seed| noisy_medians_of(&sizes, line, noise, seed), is_straight);
        }
        let exact = noisy_medians_of(&doubling(20), line, 0.0, 0);
        assert!(is_straight(&find(&exact, 0.95).unwrap()));
        let five = find(&exact[..5], 0.95).unwrap_err().to_string();
        assert!(five.contains("too few points (5, at least 6"), "{five}");
    }

    #[test]
    fn an_eager_limit_is_found_between_its_sizes_with_its_cost() {
        for (sizes, below) in [(doubling(20), 32768), (dense(20), 49152)] {
            let is_it = |one: &PingPongBreak| {
                let is_near = (one.jump.value / 1.8e-4 - 1.0).abs() < 0.5;
                (one.below.0, one.from.0) == (below, 65536) && one.is_rendezvous() && is_near
            };
            for noise in [0.01, 0.03] {
                let measured = |seed| noisy_medians_of(&sizes, eager, noise, seed);
                assert_most(90, measured, |found| found.breaks.iter().any(is_it));
            }
        }
    }

    /// The medians of two launches that differ by 20 µs and 0.3 %, of 10 repetitions that scatter
    /// by half of that.
    fn launched(sizes: &[u64], truth: fn(u64) -> f64, seed: u64) -> Vec<SizeMedian> {
        let mut error = testing::normal(seed);
        let mut noisy = |time: f64, share: f64| time + share * error() * (2e-5f64).hypot(3e-3 * time);
        let mut rows = Vec::new();
        for (&size, launch) in sizes.iter().flat_map(|m| [(m, 0), (m, 1)]) {
            let middle = noisy(truth(size), 1.0);
            let repeated = (0..10).map(|_| noisy(middle, 0.5));
            rows.extend(repeated.map(|time| (Experiment::PingPong, size, launch, time)));
        }
        let data = testing::data(rows);
        size_medians(&MeasuredCells::of(&data), Experiment::PingPong)
    }

    /// Small sizes scatter by a quarter, large ones by a few tenths of a percent. One relative noise for all sizes
    /// would find breaks among the small ones and hide the jump among the large ones.
    #[test]
    fn noise_that_launches_tell_neither_shows_nor_hides_a_break() {
        for sizes in [doubling(18), dense(17)] {
            assert_most(95, |seed| launched(&sizes, line, 500 + seed), is_straight);
            let is_it = |one: &PingPongBreak| one.from == Bytes(65536) && one.is_rendezvous();
            let measured = |seed| launched(&sizes, eager, 500 + seed);
            assert_most(90, measured, |found| found.breaks.iter().any(is_it));
        }
    }

    /// 3200 bytes pass at once, the rest at 209 ns a byte.
    #[test]
    fn the_end_of_a_burst_is_a_change_of_slope() {
        let burst = |m: u64| 1e-4 + 2.09e-7 * m.saturating_sub(3200) as f64;
        let is_near = |slope: f64| (slope / 2.09e-7 - 1.0).abs() < 0.05;
        let is_it = |first: &PingPongBreak| {
            (first.below.0..=first.from.0).contains(&3200)
                && matches!(first.change, BreakChange::Slope { after, .. } if is_near(after.0))
        };
        let measured = |seed| noisy_medians_of(&doubling(20), burst, 0.02, seed);
        assert_most(90, measured, |found| found.breaks.first().is_some_and(is_it));
    }

    /// The pieces of times in microseconds without repetitions, and the sizes on either side of each break.
    fn real_pieces(sizes: impl IntoIterator<Item = u64>, micros: &[f64]) -> (PiecewisePingPong, Vec<(u64, u64)>) {
        let times = sizes.into_iter().zip(micros.iter().map(|t| t * 1e-6));
        let found = find(&noisy_medians(times, 0.0, 0), 0.95).unwrap();
        let break_sizes = found.breaks.iter().map(|one| (one.below.0, one.from.0));
        let intervals = break_sizes.collect();
        (found, intervals)
    }

    /// `osu_latency` over emulated links of 40 Mbit/s that let bursts of 3200 bytes pass; eager
    /// limit 64 KiB with the header. IMB over the same links has two sizes beyond the eager limit:
    /// too few to show it.
    #[test]
    fn a_real_ping_pong_shows_its_burst_and_its_eager_limit() {
        let osu = [
            164.33, 174.84, 169.01, 177.21, 173.31, 173.65, 160.97, 165.61, 168.00, 154.91, 117.56, 111.42, 227.20,
            451.12, 1276.54, 3018.92, 6441.97, 13470.47, 27193.25, 54626.43, 109_442.39, 219_169.51,
        ];
        let (found, intervals) = real_pieces(doubling(20), &osu);
        assert_eq!(intervals[1..], [(4096, 8192), (32768, 65536)], "{found:?}");
        let (eager, last) = (found.breaks[2], found.pieces[3]);
        assert!(eager.is_rendezvous(), "{eager:?}");
        assert!((1.5e-4..2.5e-4).contains(&eager.jump.value), "{eager:?}");
        assert!((last.beta.value / 2.09e-7 - 1.0).abs() < 0.01, "{last:?}");

        let imb = [
            124.60, 146.02, 179.99, 150.85, 221.15, 559.55, 1264.69, 3022.06, 6440.78, 13423.88, 27163.72,
        ];
        let sizes = [0].into_iter().chain((8..18).map(|i| 1 << i));
        let (found, intervals) = real_pieces(sizes, &imb);
        assert_eq!(intervals, [(2048, 4096)]);
        assert!(matches!(found.breaks[0].change, BreakChange::Slope { .. }));
    }

    #[test]
    fn the_send_overhead_bears_witness_and_narrows_the_interval() {
        let ping_pong = find(&noisy_medians_of(&doubling(20), eager, 0.01, 1), 0.95).unwrap();
        let os = |m: u64| 5e-6 + 1e-9 * m as f64 + if m > 65500 { 3e-4 } else { 0.0 };
        let both = ping_pong.with_send_overhead(&noisy_medians_of(&dense(20), os, 0.01, 2), 0.95);
        let witness = |one: &PingPongBreak| Some((one.below.0, one.from.0, one.send_overhead?.value));
        let (below, from, jump) = both.breaks.iter().find_map(witness).unwrap();
        assert_eq!((below, from), (49152, 65536));
        assert!((jump / 3e-4 - 1.0).abs() < 0.2, "{jump}");
    }
}
