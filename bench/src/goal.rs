//! A figure of several networks with its goal, and its interval by the bootstrap over networks:
//! these are drawn with replacement, and the interval holds 90 % of the figures.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use netsig_base::stats::bootstrap::Bootstrap;
use rand::RngExt as _;

/// The draws of networks.
const NETWORKS: Bootstrap = Bootstrap {
    draws: 500,
    seed: 1,
    confidence: 0.9,
};

/// A figure with its goal.
pub struct Goal {
    pub name: String,
    /// `None` without cells.
    pub value: Option<f64>,
    /// Interval of the bootstrap.
    pub interval: Option<[f64; 2]>,
    /// The same figure of the oracle.
    pub oracle: Option<f64>,
    pub target: RangeInclusive<f64>,
    pub unit: &'static str,
}

/// A figure of rows.
pub type Figure<'a, R> = Box<dyn Fn(&[&R]) -> Option<f64> + 'a>;

/// A result on one network.
pub trait OfNetwork {
    /// Name of the network.
    fn network(&self) -> &str;
}

/// The goal of a figure, with the bootstrap and the oracle's figure.
pub fn goal<R: OfNetwork>(
    rows: &[R],
    name: String,
    [figure, oracle]: [Figure<R>; 2],
    target: RangeInclusive<f64>,
    unit: &'static str,
) -> Goal {
    let all: Vec<&R> = rows.iter().collect();
    Goal {
        name,
        value: figure(&all),
        interval: interval(&all, &figure),
        oracle: oracle(&all),
        target,
        unit,
    }
}

fn interval<R: OfNetwork>(rows: &[&R], figure: &Figure<R>) -> Option<[f64; 2]> {
    let mut networks: BTreeMap<&str, Vec<&R>> = BTreeMap::new();
    for row in rows {
        networks.entry(row.network()).or_default().push(row);
    }
    let networks: Vec<Vec<&R>> = networks.into_values().collect();
    NETWORKS.interval(|rng| {
        let drawn = (0..networks.len()).map(|_| &networks[rng.random_range(0..networks.len())]);
        figure(&drawn.flatten().copied().collect::<Vec<_>>())
    })
}

impl Goal {
    /// A figure without cells.
    pub fn new(
        name: &str,
        value: Option<f64>,
        target: RangeInclusive<f64>,
        unit: &'static str,
    ) -> Self {
        Self {
            name: name.to_owned(),
            value,
            interval: None,
            oracle: None,
            target,
            unit,
        }
    }

    /// False also without a value.
    pub fn is_met(&self) -> bool {
        self.value.is_some_and(|value| self.target.contains(&value))
    }
}

/// A row of a Markdown table: figure, value, interval, oracle, goal, met or missed.
impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: f64| format!("{value:.2}");
        let value = self.value.map_or("no value".to_owned(), number);
        let interval = self.interval.map(|ends| ends.map(number).join("–"));
        let oracle = self.oracle.map(number).unwrap_or_default();
        let (least, most) = (self.target.start(), self.target.end());
        let target = match (least.is_finite(), most.is_finite()) {
            (true, true) => format!("{least}–{most}"),
            (true, false) => format!("≥ {least}"),
            _ => format!("≤ {most}"),
        };
        let met = if self.is_met() { "met" } else { "**missed**" };
        let interval = interval.unwrap_or_default();
        let Self { name, unit, .. } = self;
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(", {unit}")
        };
        write!(
            f,
            "| {name}{unit} | {value} | {interval} | {oracle} | {target} | {met} |"
        )
    }
}
