//! The figures of the benchmark with their goals. Cells with busy processors are left out.

use itertools::Itertools as _;
use netsig_base::units::Seconds;

use super::GridOutcome;
use super::exchange::ExchangeRow;
use super::learn::FIXED_SIZE;
use crate::harness::choice::{ChoiceRow, no_loss_goal};
use crate::harness::goals::{BenchGoal, at_least, at_most, within};
use crate::harness::row_goal::RowGoal;
use crate::harness::summary::{GoalSummary, geometric, p90, quantile, share};

/// Delay from which the gain of a two-phase exchange has a goal.
const LONG_DELAY: Seconds = Seconds(5e-3);

/// Longest duration of a discovery in seconds.
const LONGEST_DISCOVERY: f64 = 30.0;

/// All goals.
pub(super) fn goals(outcome: &GridOutcome) -> Vec<BenchGoal> {
    let gain = |row: &ChoiceRow| Some(row.gain);
    let choice_goals = [
        RowGoal::of_values("library/choice", gain, geometric, at_least(1.5, "×"))
            .with_oracle(|row| Some(row.best_gain), geometric),
        no_loss_goal(),
    ];
    let exchange_goals = [
        RowGoal::of_figure(
            "library/best two-phase exchange at 4 KiB, delay 5 ms or more: least",
            least_gain_at_fixed_size,
            at_least(3.0, "×"),
        ),
        error_goal("median", |errors| quantile(errors, 0.5), 10.0),
        error_goal("90th percentile", p90, 30.0),
    ];
    let found_share = share(outcome.discoveries.iter().map(|(is_found, _)| *is_found));
    let durations = outcome.discoveries.iter().map(|(_, duration)| duration.0);
    let longest = durations.reduce(f64::max);
    let choices = choice_goals.iter().map(|goal| goal.judge(&outcome.rows));
    let exchanges = exchange_goals.iter().map(|goal| goal.judge(&outcome.exchanges));
    let discoveries = [
        BenchGoal::new(
            "networks whose sites were found",
            found_share,
            within(100.0..=100.0, "%"),
        ),
        BenchGoal::new(
            "duration of discovery: longest",
            longest,
            at_most(LONGEST_DISCOVERY, "s"),
        ),
    ];
    choices.chain(exchanges).chain(discoveries).collect()
}

/// The goal of a statistic of the errors in new cells.
fn error_goal(statistic: &str, summary: GoalSummary, most: f64) -> RowGoal<ExchangeRow> {
    let name = "error of two-phase predictions, new sizes and numbers of processes";
    let value = |row: &ExchangeRow| row.is_new.then(|| 100.0 * row.error());
    RowGoal::of_values(format!("{name}: {statistic}"), value, summary, at_most(most, "%"))
}

/// The least gain over the cells of 4 KiB between distant sites, each with its best exchange.
fn least_gain_at_fixed_size(rows: &[&ExchangeRow]) -> Option<f64> {
    let distant_rows = rows
        .iter()
        .filter(|row| row.size_bytes == FIXED_SIZE && row.delay_s >= LONG_DELAY);
    let by_cell = distant_rows.into_grouping_map_by(|row| (row.network.clone(), row.procs));
    let best_gains = by_cell.fold(0.0, |best, _, row| f64::max(best, row.gain()));
    best_gains.into_values().reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use netsig_base::units::{Bytes, Procs};

    use super::*;

    fn row(algorithm: &'static str, size: u64, measured: f64) -> ExchangeRow {
        ExchangeRow {
            network: "n".to_owned(),
            delay_s: Seconds(0.01),
            algorithm,
            procs: Procs::new(8).unwrap(),
            size_bytes: Bytes(size),
            is_new: size != 4096,
            predicted_s: Seconds(1.1),
            lower_s: None,
            upper_s: None,
            measured_s: Seconds(measured),
            library_s: Seconds(4.0),
            busy: false,
        }
    }

    /// The best of two exchanges gains 4, the other 2; errors of 10, 10 and 45 % in new cells have the
    /// median 10 %, and the error of a measured size does not count.
    #[test]
    fn figures_are_those_of_their_cells() {
        let rows = [
            row("two-phase:2", 4096, 2.0),
            row("two-phase:4", 4096, 1.0),
            row("two-phase:2", 5000, 1.0),
            row("two-phase:4", 5000, 2.0),
            row("two-phase:4", 6000, 1.0),
        ];
        assert_eq!(least_gain_at_fixed_size(&rows.each_ref()), Some(4.0));
        let median: GoalSummary = |errors| quantile(errors, 0.5);
        for (summary, expected) in [(median, 10.0), (p90, 45.0)] {
            let found = error_goal("", summary, 0.0).judge(&rows).value.unwrap();
            assert!((found - expected).abs() < 1e-9, "{found}");
        }
        assert_eq!(error_goal("", median, 0.0).judge(&rows[..2]).value, None);
    }
}
