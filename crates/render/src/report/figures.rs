//! The figures of a chapter, and of the network between two processes.

mod contention;
mod distribution;
mod errors;
mod line;
mod losses;
mod overflow;
mod point_to_point;
mod times;

use std::collections::BTreeSet;

use netsig_base::units::Procs;

pub use self::contention::contention;
pub use self::distribution::distribution;
pub use self::errors::{errors_by_procs, errors_by_size};
pub use self::losses::{losses, stalls};
pub use self::overflow::{overflow_figure, predicted_overflows};
pub use self::point_to_point::point_to_point;
pub use self::times::times;
use super::chapter::CollectiveChapter;
use super::figure::{Figure, FigureSeries, SeriesForm};
use super::scale::{AxisQuantity, FigureAxis};

/// Most process counts of a figure.
const COUNTS: usize = 8;

/// Some measured process counts of an algorithm, those that are predicted if there are many; without measurements some
/// predicted ones.
fn procs_of_algorithm(chapter: &CollectiveChapter, algorithm: &str) -> Vec<Procs> {
    let measured: BTreeSet<Procs> = chapter.cells_of(algorithm).map(|cell| cell.procs).collect();
    let predicted = || chapter.sheets.iter().map(|sheet| sheet.procs);
    let both: Vec<Procs> = predicted().filter(|procs| measured.contains(procs)).collect();
    let all: Vec<Procs> = if measured.is_empty() {
        predicted().collect()
    } else if both.len() >= COUNTS {
        both
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

/// The texts of a figure.
struct FigureText {
    title: String,
    alt: String,
    key: Vec<(SeriesForm, String)>,
}

/// An axis whose range the points of the figure give.
struct AxisDescription<'a> {
    title: &'a str,
    quantity: AxisQuantity,
    placing: AxisPlacing<'a>,
}

enum AxisPlacing<'a> {
    Log,
    FromZero,
    /// The range includes these values.
    Linear(&'a [f64]),
}

impl<'a> AxisDescription<'a> {
    fn log(title: &'a str, quantity: AxisQuantity) -> Self {
        Self {
            title,
            quantity,
            placing: AxisPlacing::Log,
        }
    }

    fn from_zero(title: &'a str, quantity: AxisQuantity) -> Self {
        Self {
            title,
            quantity,
            placing: AxisPlacing::FromZero,
        }
    }

    fn linear(title: &'a str, quantity: AxisQuantity, included: &'a [f64]) -> Self {
        Self {
            title,
            quantity,
            placing: AxisPlacing::Linear(included),
        }
    }

    /// The axis over `values`.
    fn axis(self, values: impl Iterator<Item = f64>) -> FigureAxis {
        match self.placing {
            AxisPlacing::Log => FigureAxis::log(self.title, self.quantity, values),
            AxisPlacing::FromZero => FigureAxis::from_zero(self.title, self.quantity, values),
            AxisPlacing::Linear(included) => FigureAxis::linear(self.title, self.quantity, values, included),
        }
    }
}

/// A figure over the points of its series, with the part of the key that they need; `None` without any.
fn figure_of_series(
    text: FigureText,
    horizontal: AxisDescription,
    vertical: AxisDescription,
    series: Vec<FigureSeries>,
) -> Option<Figure> {
    // A logarithmic axis has no place for the size of a barrier, 0.
    let has_place = |place: f64| !matches!(horizontal.placing, AxisPlacing::Log) || place > 0.0;
    let is_drawable = |one_series: &FigureSeries| one_series.points().any(|point| has_place(point.0));
    let filled_series: Vec<FigureSeries> = series.into_iter().filter(is_drawable).collect();
    if filled_series.is_empty() {
        return None;
    }
    let places = filled_series.iter().flat_map(FigureSeries::points).map(|point| point.0);
    let heights = filled_series.iter().flat_map(FigureSeries::heights);
    let is_drawn = |form: SeriesForm| filled_series.iter().any(|one_series| one_series.form == form);
    Some(Figure {
        title: text.title,
        alt: text.alt,
        key: text.key.into_iter().filter(|(form, _)| is_drawn(*form)).collect(),
        x: horizontal.axis(places),
        y: vertical.axis(heights),
        series: filled_series,
    })
}
