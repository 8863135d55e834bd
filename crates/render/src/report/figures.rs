//! The figures of a chapter, and of the network between two processes.

mod contention;
mod errors;
mod losses;
mod point_to_point;
mod times;

use std::collections::BTreeSet;

use netsig_base::units::Procs;

pub use self::contention::{contention, first_lossy_sizes, overflow_figure, predicted_overflows};
pub use self::errors::{errors_by_procs, errors_by_size};
pub use self::losses::{losses, stalls};
pub use self::point_to_point::point_to_point;
pub use self::times::times;
use super::chapter::CollectiveChapter;
use super::figure::{Figure, FigureSeries};
use super::scale::{AxisQuantity, FigureAxis};

/// Most process counts of a figure.
const COUNTS: usize = 8;

/// Measured process counts of an algorithm, or without measurements some predicted ones.
fn procs_of_algorithm(chapter: &CollectiveChapter, algorithm: &str) -> Vec<Procs> {
    let measured: BTreeSet<Procs> = chapter.cells_of(algorithm).map(|cell| cell.procs).collect();
    let all: Vec<Procs> = if measured.is_empty() {
        chapter.sheets.iter().map(|sheet| sheet.procs).collect()
    } else {
        measured.into_iter().collect()
    };
    let step = all.len().div_ceil(COUNTS).max(1);
    let last = all.last().copied();
    let mut some: Vec<Procs> = all.into_iter().step_by(step).collect();
    some.extend(last.filter(|last| !some.contains(last)));
    some
}

fn counts_text(counts: &[Procs]) -> String {
    let all: Vec<String> = counts.iter().map(ToString::to_string).collect();
    match all.as_slice() {
        [] => "no process count".to_owned(),
        [one] => format!("{one} processes"),
        [some @ .., last] => format!("{} and {last} processes", some.join(", ")),
    }
}

/// An axis whose range the points of the figure give.
struct AxisDescription<'a> {
    title: &'a str,
    quantity: AxisQuantity,
    is_log: bool,
}

impl<'a> AxisDescription<'a> {
    fn log(title: &'a str, quantity: AxisQuantity) -> Self {
        Self {
            title,
            quantity,
            is_log: true,
        }
    }

    fn linear(title: &'a str, quantity: AxisQuantity) -> Self {
        Self {
            title,
            quantity,
            is_log: false,
        }
    }

    /// The axis over `values`; a linear one also over `included`.
    fn axis(self, values: impl Iterator<Item = f64>, included: &[f64]) -> FigureAxis {
        if self.is_log {
            FigureAxis::log(self.title, self.quantity, values)
        } else {
            FigureAxis::linear(self.title, self.quantity, values, included)
        }
    }
}

/// A figure over the points of its series; `None` without any.
fn figure_of_series(
    title: String,
    alt: String,
    horizontal: AxisDescription,
    vertical: AxisDescription,
    series: Vec<FigureSeries>,
    included: &[f64],
) -> Option<Figure> {
    let filled_series: Vec<FigureSeries> = series.into_iter().filter(|one_series| !one_series.is_empty()).collect();
    if filled_series.is_empty() {
        return None;
    }
    let places = filled_series.iter().flat_map(|one_series| one_series.x.iter().copied());
    let heights = filled_series.iter().flat_map(FigureSeries::heights);
    Some(Figure {
        title,
        alt,
        x: horizontal.axis(places, &[]),
        y: vertical.axis(heights, included),
        series: filled_series,
    })
}
