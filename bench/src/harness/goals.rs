//! Figures with their goals.

use std::ops::RangeInclusive;

use super::summary::middle;

/// The values of a figure that meet its goal, and their unit.
#[derive(Debug, Clone)]
pub struct GoalTarget {
    pub range: RangeInclusive<f64>,
    pub unit: &'static str,
}

/// A figure with its goal; a figure without a value misses the goal.
pub struct BenchGoal {
    pub name: String,
    pub value: Option<f64>,
    /// Measured values whose median is `value`; empty for other figures.
    pub values: Vec<f64>,
    /// Interval of the bootstrap.
    pub interval: Option<[f64; 2]>,
    /// The same figure of the oracle.
    pub oracle: Option<f64>,
    pub target: GoalTarget,
}

/// The goal of at most `most`.
pub fn at_most(most: f64, unit: &'static str) -> GoalTarget {
    within(f64::NEG_INFINITY..=most, unit)
}

/// The goal of at least `least`.
pub fn at_least(least: f64, unit: &'static str) -> GoalTarget {
    within(least..=f64::INFINITY, unit)
}

/// The goal of a range.
pub fn within(range: RangeInclusive<f64>, unit: &'static str) -> GoalTarget {
    GoalTarget { range, unit }
}

impl BenchGoal {
    /// A figure without measured values.
    pub fn new(name: impl Into<String>, value: Option<f64>, target: GoalTarget) -> Self {
        Self {
            name: name.into(),
            value,
            values: Vec::new(),
            interval: None,
            oracle: None,
            target,
        }
    }

    /// The goal that the median of measured values is at most `most`.
    pub fn measured(name: impl Into<String>, values: Vec<f64>, most: f64, unit: &'static str) -> Self {
        let value = (!values.is_empty()).then(|| middle(&values));
        Self {
            values,
            ..Self::new(name, value, at_most(most, unit))
        }
    }

    /// True if the value meets the goal.
    pub fn is_met(&self) -> bool {
        let range = &self.target.range;
        self.value.is_some_and(|value| range.contains(&value))
    }

    /// `name  value  <= most  met|MISSED`.
    pub fn line(&self) -> String {
        let Self { name, target, .. } = self;
        let GoalTarget { range, unit } = target;
        let known_value = self.value.map(|value| format!("{value:.3} {unit}"));
        let value = known_value.unwrap_or_else(|| "no value".to_owned());
        let met = if self.is_met() { "met" } else { "MISSED" };
        format!("{name}  {value}  <= {} {unit}  {met}", bound(*range.end()))
    }

    /// The fields of a row: figure, value, interval, oracle, goal, met or missed.
    pub fn fields(&self) -> [String; 6] {
        let number = |value: f64| format!("{value:.2}");
        let value = self.value.map_or("no value".to_owned(), number);
        let interval = self.interval.map(|ends| ends.map(number).join("–"));
        let oracle = self.oracle.map(number);
        let GoalTarget { range, unit } = &self.target;
        let (least, most) = (*range.start(), *range.end());
        let target = match (least.is_finite(), most.is_finite()) {
            (true, true) => format!("{}–{}", bound(least), bound(most)),
            (true, false) => format!("≥ {}", bound(least)),
            _ => format!("≤ {}", bound(most)),
        };
        let met = if self.is_met() { "met" } else { "**missed**" };
        let comma = if unit.is_empty() { "" } else { ", " };
        [
            format!("{}{comma}{unit}", self.name),
            value,
            interval.unwrap_or_default(),
            oracle.unwrap_or_default(),
            target,
            met.to_owned(),
        ]
    }
}

/// A bound with at most two digits after the point.
fn bound(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_rounded_and_short() {
        let target = |goal: GoalTarget| BenchGoal::new("f", Some(1.0), goal).fields()[4].clone();
        assert_eq!(target(at_most(7.025_436_09, "")), "≤ 7.03");
        assert_eq!(target(at_most(0.0, "")), "≤ 0");
        assert_eq!(target(within(85.0..=100.0, "%")), "85–100");
        assert_eq!(target(at_least(1.5, "×")), "≥ 1.5");
    }
}
