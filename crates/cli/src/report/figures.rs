//! The figures of a chapter, and of the network between two processes.

mod contention;
mod errors;
mod losses;
mod pairs;
mod times;

use std::collections::BTreeSet;

use netsig_base::units::Procs;

pub use self::contention::{contention, lost, onset, onsets};
pub use self::errors::{errors_by_procs, errors_by_size};
pub use self::losses::{losses, stalls};
pub use self::pairs::pairs;
pub use self::times::times;
use super::chapter::Chapter;
use super::figure::{Figure, Series};
use super::scale::{Axis, Quantity};

/// Most process counts of a figure.
const COUNTS: usize = 8;

/// Measured process counts of an algorithm, or without measurements some predicted ones.
fn counts(chapter: &Chapter, algorithm: &str) -> Vec<Procs> {
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

fn among(counts: &[Procs]) -> String {
    let all: Vec<String> = counts.iter().map(ToString::to_string).collect();
    match all.as_slice() {
        [] => "no process count".to_owned(),
        [one] => format!("{one} processes"),
        [some @ .., last] => format!("{} and {last} processes", some.join(", ")),
    }
}

/// A figure over the points of its series; `None` without any.
fn finished(
    title: String,
    alt: String,
    (x_title, x, x_log): (&str, Quantity, bool),
    (y_title, y, y_log): (&str, Quantity, bool),
    series: Vec<Series>,
    with: &[f64],
) -> Option<Figure> {
    let series: Vec<Series> = series.into_iter().filter(|own| !own.is_empty()).collect();
    if series.is_empty() {
        return None;
    }
    let places = series.iter().flat_map(|own| own.x.iter().copied());
    let heights = series.iter().flat_map(Series::heights);
    let x = if x_log {
        Axis::log(x_title, x, places)
    } else {
        Axis::linear(x_title, x, places, &[])
    };
    let y = if y_log {
        Axis::log(y_title, y, heights)
    } else {
        Axis::linear(y_title, y, heights, with)
    };
    Some(Figure {
        title,
        alt,
        x,
        y,
        series,
    })
}
