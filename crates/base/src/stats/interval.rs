//! Intervals of estimates: Student's t and Fisher's F, variances with degrees of freedom.
//!
//! # Source
//! Student 1908; Welch 1947 and Satterthwaite 1946 for sums of variances; Abramowitz and Stegun 1964,
//! 26.7.5, for t of many degrees of freedom.

use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, FisherSnedecor, Normal, StudentsT};

/// An estimated parameter with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct IntervalEstimate {
    /// Best value.
    pub value: f64,
    /// Lower end of the interval.
    pub lower: f64,
    /// Upper end of the interval.
    pub upper: f64,
}

/// Confidence level and degrees of freedom of an interval, with their quantile. The quantile is
/// computed once, since it costs more than the rest of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredStudentQuantile", into = "StoredStudentQuantile")]
pub struct StudentQuantile {
    confidence: f64,
    dof: usize,
    quantile: f64,
}

/// [`StudentQuantile`] as stored in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredStudentQuantile {
    confidence: f64,
    dof: usize,
}

/// Levels of intervals that are neither empty nor unbounded in floating point.
const CONFIDENCES: std::ops::RangeInclusive<f64> = 1e-6..=0.999_999;

/// Refuses an impossible level of confidence.
///
/// # Errors
/// If it lies outside of 1e-6 to 0.999999.
pub fn check_confidence(confidence: f64) -> Result<(), String> {
    if CONFIDENCES.contains(&confidence) {
        return Ok(());
    }
    Err(format!("confidence = {confidence} is not between 0 and 1"))
}

impl TryFrom<StoredStudentQuantile> for StudentQuantile {
    type Error = String;
    fn try_from(level: StoredStudentQuantile) -> Result<Self, String> {
        check_confidence(level.confidence)?;
        if level.dof == 0 {
            return Err("dof = 0 leaves no interval".to_owned());
        }
        Ok(Self::new(level.confidence, level.dof))
    }
}

impl From<StudentQuantile> for StoredStudentQuantile {
    fn from(student: StudentQuantile) -> Self {
        Self {
            confidence: student.confidence,
            dof: student.dof,
        }
    }
}

/// A variance with the degrees of freedom of its estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variance {
    /// Square of a standard error.
    pub value: f64,
    /// Degrees of freedom.
    pub dof: f64,
}

impl StudentQuantile {
    /// Student's t for intervals of level `confidence` from `dof` degrees of freedom.
    pub fn new(confidence: f64, dof: usize) -> Self {
        Self {
            confidence,
            dof,
            quantile: t_quantile(confidence, dof as f64),
        }
    }

    /// Degrees of freedom.
    pub fn dof(&self) -> usize {
        self.dof
    }

    /// [`t_quantile`] of level and degrees of freedom.
    pub fn quantile(&self) -> f64 {
        self.quantile
    }
}

impl Variance {
    /// The variance of a sum of independent parts, with the degrees of freedom of Welch and
    /// Satterthwaite: (Σv)²/Σ(v²/νᵢ).
    pub fn sum(parts: &[Self]) -> Self {
        let value: f64 = parts.iter().map(|part| part.value).sum();
        let weighted: f64 = parts.iter().map(|part| part.value.powi(2) / part.dof).sum();
        Self {
            value,
            dof: if value > 0.0 { value * value / weighted } else { 1.0 },
        }
    }

    /// The variance multiplied by `factor`, the square of the factor of its value.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            ..self
        }
    }
}

impl IntervalEstimate {
    /// Checks the interval; `key` is its name in the error.
    ///
    /// # Errors
    /// If it excludes its value or is unbounded.
    pub fn check(&self, key: &str) -> Result<(), String> {
        let Self { value, lower, upper } = self;
        if lower.is_finite() && upper.is_finite() && lower <= value && value <= upper {
            return Ok(());
        }
        Err(format!(
            "{key} = {{ value = {value:?}, lower = {lower:?}, upper = {upper:?} }} is not finite with lower <= value <= upper"
        ))
    }

    /// The interval of level `confidence` around a value whose error is the sum of independent
    /// parts: ± t(ν)·√v with v and ν of [`Variance::sum`].
    pub fn around(value: f64, parts: &[Variance], confidence: f64) -> Self {
        let total = Variance::sum(parts);
        let half = if total.value > 0.0 {
            t_quantile(confidence, total.dof) * total.value.sqrt()
        } else {
            0.0
        };
        Self {
            value,
            lower: value - half,
            upper: value + half,
        }
    }
}

/// Degrees of freedom from which on the expansion about the normal distribution has all digits of t.
const MANY_DEGREES: f64 = 1000.0;

/// Quantile of Student's t for a two-sided interval of level `confidence`: t(0.975) for 0.95. Less
/// than one degree of freedom counts as one. NaN for a level outside \[0, 1).
pub fn t_quantile(confidence: f64, dof: f64) -> f64 {
    thread_local! {
        /// Quantiles by the bits of level and degrees of freedom: predictions ask for few, often.
        static KNOWN: RefCell<BTreeMap<(u64, u64), f64>> = const { RefCell::new(BTreeMap::new()) };
    }
    if !(0.0..1.0).contains(&confidence) {
        return f64::NAN;
    }
    let find = || {
        let level = f64::midpoint(1.0, confidence);
        if dof >= MANY_DEGREES {
            return nearly_normal(level, dof);
        }
        let t = StudentsT::new(0.0, 1.0, dof.max(1.0)).expect("positive degrees of freedom");
        t.inverse_cdf(level)
    };
    let key = (confidence.to_bits(), dof.to_bits());
    KNOWN.with_borrow_mut(|known| *known.entry(key).or_insert_with(find))
}

/// t = z + (z³ + z)/4ν + (5z⁵ + 16z³ + 3z)/96ν² + (3z⁷ + 19z⁵ + 17z³ − 15z)/384ν³, z the quantile of the normal
/// distribution. The search for the exact quantile takes a time in proportion to ν.
fn nearly_normal(level: f64, dof: f64) -> f64 {
    let z = Normal::standard().inverse_cdf(level);
    let square = z * z;
    let first = z * (square + 1.0) / (4.0 * dof);
    let second = z * ((5.0 * square + 16.0) * square + 3.0) / (96.0 * dof * dof);
    let third = z * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / (384.0 * dof.powi(3));
    z + first + second + third
}

/// Quantile of F with `numerator` and `dof` degrees of freedom; NaN for a level outside \[0, 1).
pub fn f_quantile(confidence: f64, numerator: usize, dof: usize) -> f64 {
    if !(0.0..1.0).contains(&confidence) {
        return f64::NAN;
    }
    let [numerator, dof] = [numerator, dof].map(|count| count.max(1) as f64);
    let f = FisherSnedecor::new(numerator, dof).expect("positive degrees of freedom");
    f.inverse_cdf(confidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_agree_with_printed_tables() {
        assert!((t_quantile(0.95, 11.0) - 2.200_985).abs() < 1e-6);
        assert!((f_quantile(0.95, 1, 10) - 4.964_603).abs() < 1e-5);
    }

    /// With more degrees of freedom t falls to the normal quantile, 1.959 963 984 540 of 0.95, without a step
    /// where the expansion begins, and at once.
    #[test]
    fn many_degrees_of_freedom_are_nearly_normal() {
        for confidence in [0.5, 0.95, 0.999_999] {
            let dof = [
                MANY_DEGREES / 2.0,
                MANY_DEGREES,
                1e6,
                4_294_967_296.0,
                1.8e19,
                f64::INFINITY,
            ];
            let falling = dof.map(|dof| t_quantile(confidence, dof));
            assert!(falling.is_sorted_by(|a, b| a >= b), "{falling:?}");
            let before = t_quantile(confidence, MANY_DEGREES * (1.0 - 1e-9));
            assert!((before / falling[1] - 1.0).abs() < 1e-7, "{before}");
        }
        assert!((t_quantile(0.95, 1000.0) - 1.962_339_081).abs() < 1e-8);
        assert!((t_quantile(0.95, f64::INFINITY) - 1.959_963_984_540).abs() < 1e-9);
    }
}
