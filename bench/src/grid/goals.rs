//! The figures of the benchmark with their goals. Cells with busy processors are left out.

use itertools::Itertools as _;
use netsig_base::stats::sample::Sorted;
use netsig_base::units::Seconds;
use netsig_model::predict::penalty::geometric_mean;

use super::Outcome;
use super::judge;
use super::learn::PACKED;
use crate::goal::{Figure, Goal, goal};
use crate::judge::{Row, WORTH};

/// Delay from which the gain of a two-phase exchange has a goal.
const FAR: Seconds = Seconds(5e-3);

/// Longest duration of a discovery.
const PATIENCE: f64 = 30.0;

/// All goals.
pub(super) fn goals(outcome: &Outcome) -> Vec<Goal> {
    let judged: Vec<Row> = outcome
        .rows
        .iter()
        .filter(|row| !row.busy)
        .cloned()
        .collect();
    let own = outcome.exchanges.iter().filter(|row| !row.busy);
    let exchanges: Vec<judge::Row> = own.cloned().collect();
    let lost = |rows: &[&Row]| {
        let lost = rows.iter().filter(|row| row.upper < WORTH).count();
        (!rows.is_empty()).then_some(lost as f64)
    };
    let found = outcome.sites.iter().filter(|site| site.is_found).count();
    let longest = outcome.sites.iter().map(|site| site.discovery.0);
    let all = outcome.sites.len();
    let error = |quantile| figure(move |rows| errors(rows, quantile));
    vec![
        goal(
            &judged,
            "library/choice".to_owned(),
            [
                Box::new(|rows| mean(rows, |row| row.gain)),
                Box::new(|rows| mean(rows, |row| row.best_gain)),
            ],
            1.5..=f64::INFINITY,
            "×",
        ),
        goal(
            &judged,
            format!("cells whose 95 % interval of library/choice lies below {WORTH}"),
            [Box::new(lost), Box::new(|_| None)],
            f64::NEG_INFINITY..=0.0,
            "",
        ),
        goal(
            &exchanges,
            "library/best two-phase exchange at 4 KiB, delay 5 ms or more: least".to_owned(),
            [figure(least_packed), figure(|_| None)],
            3.0..=f64::INFINITY,
            "×",
        ),
        goal(
            &exchanges,
            "error of two-phase predictions, new sizes and numbers of processes: median".to_owned(),
            [error(0.5), figure(|_| None)],
            f64::NEG_INFINITY..=10.0,
            "%",
        ),
        goal(
            &exchanges,
            "error of two-phase predictions, new sizes and numbers of processes: 90th percentile"
                .to_owned(),
            [error(0.9), figure(|_| None)],
            f64::NEG_INFINITY..=30.0,
            "%",
        ),
        Goal::new(
            "networks whose sites were found",
            Some(100.0 * found as f64 / all as f64),
            100.0..=100.0,
            "%",
        ),
        Goal::new(
            "duration of discovery: longest",
            longest.reduce(f64::max),
            f64::NEG_INFINITY..=PATIENCE,
            "s",
        ),
    ]
}

fn figure<'a>(value: impl Fn(&[&judge::Row]) -> Option<f64> + 'a) -> Figure<'a, judge::Row> {
    Box::new(value)
}

fn mean(rows: &[&Row], value: fn(&Row) -> f64) -> Option<f64> {
    geometric_mean(&rows.iter().map(|row| value(row)).collect_vec())
}

/// A quantile of the errors in the cells that are new.
pub(super) fn errors(rows: &[&judge::Row], quantile: f64) -> Option<f64> {
    let new = rows.iter().filter(|row| row.is_new);
    let errors = new.map(|row| 100.0 * row.error()).collect_vec();
    (!errors.is_empty()).then(|| Sorted::new(errors).quantile(quantile))
}

/// The least gain of the best exchange of a cell, over the cells of 4 KiB between distant sites.
fn least_packed(rows: &[&judge::Row]) -> Option<f64> {
    let own = rows
        .iter()
        .filter(|row| row.size_bytes == PACKED && row.delay_s >= FAR);
    let best = own.into_grouping_map_by(|row| (row.network.clone(), row.procs));
    let best = best.fold(0.0, |best, _, row| f64::max(best, row.gain()));
    best.into_values().reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use netsig_base::units::{Bytes, Procs};

    use super::*;

    fn row(algorithm: &'static str, size: u64, measured: f64) -> judge::Row {
        judge::Row {
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
        let rows: Vec<&judge::Row> = rows.iter().collect();
        assert_eq!(least_packed(&rows), Some(4.0));
        for (quantile, expected) in [(0.5, 10.0), (0.9, 45.0)] {
            let found = errors(&rows, quantile).unwrap();
            assert!((found - expected).abs() < 1e-9, "{found}");
        }
        assert_eq!(errors(&rows[..2], 0.5), None);
    }
}
