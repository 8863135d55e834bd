//! Comparison of pLogP with the ping-pong of a network, and the form of their difference.
//!
//! # Formula
//! A message of m bytes takes t(m) one way in a ping-pong, and L + g(m) = RTT(m) − RTT(0)/2 by pLogP. Their difference
//! Δ(m) = L + g(m) − t(m), in seconds, is within its error if |Δ| ≤ t·√(v₁ + v₂), with the variances of both times.
//! Student's t is that of intervals which hold at all N sizes together, each at the level 1 − (1 − confidence)/N.
//! If neither variance is known, the error is 3 % of t(m). The two agree if all sizes are within their errors.
//!
//! # Method
//! Otherwise these forms are tried in turn, with a and b by least squares weighted with the errors:
//! - Δ = a;
//! - Δ = b·m;
//! - Δ = a from a size on, 0 below;
//! - Δ = a + b·m.
//!
//! The verdict is the first form that brings all sizes within their errors; if none does, Δ is scattered.
//!
//! # Domain
//! At least four sizes that are in both measurements.
//!
//! # Source
//! The identity is that of the MPI `LogP` benchmark (Kielmann, Bal, Verstoep 2000); the
//! comparison is netsig's.

use netsig_base::stats::interval::{Variance, t_quantile};
use netsig_base::stats::line::{self, FittedLine, slope_from_origin};
use netsig_base::units::{Bytes, Seconds, SecondsPerByte};

use super::medians::SizeMedian;
use super::plogp::{EPSILON, MeasuredPLogP, PLogPRow};
use super::{FitError, refuse_too_few};

/// Least number of common sizes.
const LEAST_SIZES: usize = 4;

/// Comparison of pLogP with the ping-pong.
#[derive(Debug, Clone, PartialEq)]
pub struct PLogPAgreement {
    /// The common sizes.
    pub sizes: Vec<PLogPDifference>,
    /// Verdict over all sizes.
    pub verdict: PLogPVerdict,
}

/// Δ at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PLogPDifference {
    /// Size m.
    pub size: Bytes,
    /// Difference Δ(m).
    pub difference: Seconds,
    /// The largest |Δ| that the errors explain.
    pub error: Seconds,
}

/// Form of Δ(m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PLogPVerdict {
    /// Δ is within its error.
    Agree,
    /// Δ is constant.
    Offset(Seconds),
    /// Δ is proportional to m.
    Slope(SecondsPerByte),
    /// Δ is constant from a size on.
    OffsetFrom(Bytes, Seconds),
    /// Δ is a constant and a slope.
    Line(Seconds, SecondsPerByte),
    /// Δ has none of these forms.
    Scattered,
}

/// Compares a ping-pong with measured pLogP tables.
///
/// # Errors
/// If fewer than four sizes are common.
pub fn compare(ping_pong: &[SizeMedian], plogp: &MeasuredPLogP, confidence: f64) -> Result<PLogPAgreement, FitError> {
    let pairs: Vec<(&SizeMedian, &PLogPRow)> = ping_pong
        .iter()
        .filter_map(|level| {
            let mut rows = plogp.message.iter();
            Some((level, rows.find(|row| row.size == level.size)?))
        })
        .collect();
    refuse_too_few("sizes that both measured", pairs.len(), LEAST_SIZES)?;
    let level_of_each = 1.0 - (1.0 - confidence) / pairs.len() as f64;
    let sizes: Vec<PLogPDifference> = pairs
        .iter()
        .map(|(level, row)| difference(level, row, level_of_each))
        .collect();
    Ok(PLogPAgreement {
        verdict: judge(&sizes),
        sizes,
    })
}

fn difference(level: &SizeMedian, row: &PLogPRow, confidence: f64) -> PLogPDifference {
    let both = Variance::sum(&[level.variance, row.variance]);
    let error = if both.value > 0.0 {
        t_quantile(confidence, both.dof) * both.value.sqrt()
    } else {
        EPSILON * level.time.0
    };
    PLogPDifference {
        size: level.size,
        difference: Seconds(row.estimate.value - level.time.0),
        error: Seconds(error),
    }
}

impl PLogPAgreement {
    /// Number of sizes whose Δ is within its error.
    pub fn count_of_agreeing(&self) -> usize {
        self.sizes.iter().filter(|one| one.is_within_error()).count()
    }
}

impl PLogPDifference {
    /// True if Δ is within its error.
    pub fn is_within_error(&self) -> bool {
        self.is_within(0.0)
    }

    /// True if Δ − `expected`, in seconds, is within the error.
    fn is_within(&self, expected: f64) -> bool {
        (self.difference.0 - expected).abs() <= self.error.0
    }
}

fn judge(sizes: &[PLogPDifference]) -> PLogPVerdict {
    let explains = |verdict: &PLogPVerdict| {
        let mut all = sizes.iter();
        all.all(|one| one.is_within(verdict.expected(one.size)))
    };
    let offset = |sizes| Seconds(slope_from_origin(&points(sizes, |_| 1.0)));
    let in_size = points(sizes, Bytes::as_f64);
    let line = FittedLine::through(&in_size);
    let mut candidates = vec![
        PLogPVerdict::Agree,
        PLogPVerdict::Offset(offset(sizes)),
        PLogPVerdict::Slope(SecondsPerByte(slope_from_origin(&in_size))),
    ];
    let from = |first: usize| PLogPVerdict::OffsetFrom(sizes[first].size, offset(&sizes[first..]));
    candidates.extend((1..sizes.len()).map(from));
    if line.slope.is_finite() {
        let slope = SecondsPerByte(line.slope);
        candidates.push(PLogPVerdict::Line(Seconds(line.at(0.0)), slope));
    }
    let found = candidates.into_iter().find(explains);
    found.unwrap_or(PLogPVerdict::Scattered)
}

impl PLogPVerdict {
    /// Δ at a size by this verdict, in seconds.
    fn expected(&self, size: Bytes) -> f64 {
        match *self {
            Self::Offset(offset) => offset.0,
            Self::Slope(slope) => (slope * size).0,
            Self::OffsetFrom(from, offset) if size >= from => offset.0,
            Self::Agree | Self::Scattered | Self::OffsetFrom(..) => 0.0,
            Self::Line(offset, slope) => (offset + slope * size).0,
        }
    }
}

/// Points (column(m), Δ) with the weights 1/error².
fn points(sizes: &[PLogPDifference], column: fn(Bytes) -> f64) -> Vec<line::WeightedPoint> {
    let point = |one: &PLogPDifference| {
        let weight = one.error.0.powi(2).recip();
        (column(one.size), one.difference.0, weight)
    };
    sizes.iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use netsig_base::data::Experiment;
    use netsig_base::data::cells::MeasuredCells;

    use super::*;
    use crate::fit::medians::size_medians;
    use crate::fit::plogp;
    use crate::fit::testing::{self, is_close};

    /// L = 50 µs and g(m) = 10 µs + 10 ns·m, with the ping-pong later by `extra`.
    fn compared(extra: fn(f64) -> f64, seed: u64) -> PLogPAgreement {
        let mut error = testing::normal(seed);
        let message_cells = testing::doubling(20).into_iter().flat_map(|m| {
            let bytes = m as f64;
            let round_trip = 120e-6 + 1e-8 * bytes;
            [
                (Experiment::PingPong, m, 60e-6 + 1e-8 * bytes + extra(bytes)),
                (Experiment::RoundTrip, m, round_trip),
                (Experiment::SendOverhead, m, 5e-6),
                (Experiment::ReceiveOverhead, m, 6e-6),
            ]
        });
        let planned_cells: Vec<_> = message_cells.chain([(Experiment::Gap, 0, 1e-5)]).collect();
        let mut noisy = |time: f64| time * (1.0 + 0.01 * error());
        let repeated_cells = planned_cells.into_iter().flat_map(|cell| [cell; 20]);
        let noisy_rows = repeated_cells.map(|(experiment, size, time)| (experiment, size, 0, noisy(time)));
        let data = testing::data(noisy_rows);
        let measured_cells = MeasuredCells::of(&data);
        let measured = plogp::measured_tables(&measured_cells, 0.95).unwrap();
        compare(&size_medians(&measured_cells, Experiment::PingPong), &measured, 0.95).unwrap()
    }

    /// Of twenty pairs of measurements of one network with 1 % noise nearly all agree.
    #[test]
    fn one_network_measured_twice_agrees() {
        let agree = |seed: &u64| compared(|_| 0.0, *seed).verdict == PLogPVerdict::Agree;
        assert!((0..20).filter(agree).count() >= 18);
    }

    /// A rendezvous of the answer, which pLogP does not meet, is an offset from one size on.
    #[test]
    fn what_makes_the_difference_is_told_with_its_figure() {
        let offset = compared(|_| 20e-6, 1);
        let slope = compared(|m| 2e-9 * m, 1);
        let late = compared(|m| if m >= 65536.0 { 9e-4 } else { 0.0 }, 1);
        let line = compared(|m| 20e-6 + 2e-9 * m, 1);
        let verdicts = [offset, slope, late, line].map(|found| found.verdict);
        let [
            PLogPVerdict::Offset(Seconds(offset)),
            PLogPVerdict::Slope(SecondsPerByte(slope)),
            PLogPVerdict::OffsetFrom(Bytes(65536), Seconds(late)),
            PLogPVerdict::Line(..),
        ] = verdicts
        else {
            panic!("{verdicts:?}");
        };
        for (value, expected) in [(offset, -20e-6), (slope, -2e-9), (late, -9e-4)] {
            assert!(is_close(value, expected, 0.1), "{verdicts:?}");
        }

        let scattered = compared(|m| 1e-4 * f64::from((64.0..600.0).contains(&m)), 1);
        assert_eq!(scattered.verdict, PLogPVerdict::Scattered);
        let outside_error = scattered.sizes.iter().filter(|one| !one.is_within_error());
        let differing_sizes: Vec<u64> = outside_error.map(|one| one.size.0).collect();
        assert_eq!(differing_sizes, [64, 128, 256, 512]);
        assert_eq!((scattered.sizes.len(), scattered.count_of_agreeing()), (22, 18));
    }
}
