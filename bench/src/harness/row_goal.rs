//! Goals for figures over rows. The interval of a figure comes from a bootstrap over networks: these are drawn with
//! replacement, and the interval holds 90 % of the figures.

use std::collections::BTreeMap;

use netsig_base::stats::bootstrap::Bootstrap;
use rand::RngExt as _;

use super::goals::{BenchGoal, GoalTarget};
use super::summary::GoalSummary;

/// The bootstrap over networks.
const NETWORK_BOOTSTRAP: Bootstrap = Bootstrap {
    draws: 500,
    seed: 1,
    confidence: 0.9,
};

/// A row of results.
pub trait ResultRow {
    /// Name of the network.
    fn network(&self) -> &str;

    /// False for a row that no goal judges.
    fn is_judged(&self) -> bool {
        true
    }
}

/// A filter of rows.
pub type RowFilter<R> = fn(&R) -> bool;

/// A figure over rows; `None` if no row has it.
type RowFigure<R> = Box<dyn Fn(&[&R]) -> Option<f64>>;

/// The goal of a figure over rows.
pub struct RowGoal<R> {
    name: String,
    figure: RowFigure<R>,
    oracle: Option<RowFigure<R>>,
    target: GoalTarget,
}

impl<R: ResultRow + 'static> RowGoal<R> {
    /// The goal of a summary of the values of rows; rows without a value are left out.
    pub fn of_values(
        name: impl Into<String>,
        value: impl Fn(&R) -> Option<f64> + 'static,
        summary: GoalSummary,
        target: GoalTarget,
    ) -> Self {
        Self::of_figure(name, summarised(value, summary), target)
    }

    /// The goal of any figure over rows.
    pub fn of_figure(
        name: impl Into<String>,
        figure: impl Fn(&[&R]) -> Option<f64> + 'static,
        target: GoalTarget,
    ) -> Self {
        Self {
            name: name.into(),
            figure: Box::new(figure),
            oracle: None,
            target,
        }
    }

    /// Adds the summary of the oracle's values.
    pub fn with_oracle(mut self, value: impl Fn(&R) -> Option<f64> + 'static, summary: GoalSummary) -> Self {
        self.oracle = Some(Box::new(summarised(value, summary)));
        self
    }

    /// True if the rows have the figure, including rows that are not judged.
    fn has_rows(&self, rows: &[R]) -> bool {
        (self.figure)(&rows.iter().collect::<Vec<_>>()).is_some()
    }

    /// The figure of the judged rows.
    pub fn judge(&self, rows: &[R]) -> BenchGoal {
        let judged: Vec<&R> = rows.iter().filter(|row| row.is_judged()).collect();
        BenchGoal {
            interval: self.interval(&judged),
            oracle: self.oracle.as_ref().and_then(|oracle| oracle(&judged)),
            ..BenchGoal::new(&*self.name, (self.figure)(&judged), self.target.clone())
        }
    }

    fn interval(&self, rows: &[&R]) -> Option<[f64; 2]> {
        let mut by_network: BTreeMap<&str, Vec<&R>> = BTreeMap::new();
        for row in rows {
            by_network.entry(row.network()).or_default().push(row);
        }
        let networks: Vec<Vec<&R>> = by_network.into_values().collect();
        NETWORK_BOOTSTRAP.interval(|rng| {
            let drawn = (0..networks.len()).map(|_| &networks[rng.random_range(0..networks.len())]);
            (self.figure)(&drawn.flatten().copied().collect::<Vec<_>>())
        })
    }
}

/// Judges the goals that have rows; returns the names of the other goals, too.
pub fn judge_goals<R: ResultRow + 'static>(goals: &[RowGoal<R>], rows: &[R]) -> (Vec<BenchGoal>, Vec<String>) {
    let (with_rows, without_rows): (Vec<_>, Vec<_>) = goals.iter().partition(|goal| goal.has_rows(rows));
    let names = without_rows.into_iter().map(|goal| goal.name.clone());
    (
        with_rows.into_iter().map(|goal| goal.judge(rows)).collect(),
        names.collect(),
    )
}

fn summarised<R>(value: impl Fn(&R) -> Option<f64>, summary: GoalSummary) -> impl Fn(&[&R]) -> Option<f64> {
    move |rows| {
        let values: Vec<f64> = rows.iter().filter_map(|row| value(row)).collect();
        (!values.is_empty()).then(|| summary(&values))
    }
}
