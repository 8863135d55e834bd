//! A measured figure with its target.

use std::fmt;
use std::ops::RangeInclusive;

use netsig_base::stats::sample::median;

/// A measured value with its target range.
pub struct Figure {
    pub name: String,
    /// Measured values, whose median is compared with the target; without values the target is
    /// missed.
    pub values: Vec<f64>,
    pub target: RangeInclusive<f64>,
    pub unit: &'static str,
}

impl Figure {
    /// A figure whose target is at most `most`.
    pub fn new(name: impl Into<String>, values: Vec<f64>, most: f64, unit: &'static str) -> Self {
        Self {
            name: name.into(),
            values,
            target: f64::NEG_INFINITY..=most,
            unit,
        }
    }

    fn median(&self) -> Option<f64> {
        (!self.values.is_empty()).then(|| median(self.values.iter().copied()))
    }

    pub fn is_met(&self) -> bool {
        let median = self.median();
        median.is_some_and(|median| self.target.contains(&median))
    }
}

/// Format: `name  value  target  met|MISSED`.
impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, unit, .. } = self;
        let (least, most) = (self.target.start(), self.target.end());
        match self.median() {
            Some(median) => write!(f, "{name}  {median:.3} {unit}  ")?,
            None => write!(f, "{name}  no value  ")?,
        }
        if least.is_finite() {
            write!(f, "{least}..{most} {unit}  ")?;
        } else {
            write!(f, "<= {most} {unit}  ")?;
        }
        f.write_str(if self.is_met() { "met" } else { "MISSED" })
    }
}
