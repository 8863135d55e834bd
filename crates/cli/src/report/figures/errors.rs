//! Errors of the predictions of an algorithm, over sizes and over process counts.

use itertools::Itertools as _;
use netsig_base::units::{Bytes, Procs};

use super::{COUNTS, among, counts, finished};
use crate::report::cell::Cell;
use crate::report::chapter::Chapter;
use crate::report::figure::{Figure, Look, Series};
use crate::report::scale::Quantity;

/// Errors of the predictions of an algorithm over sizes, one series for each process count.
pub fn errors_by_size(chapter: &Chapter, algorithm: &str) -> Option<Figure> {
    let counts = counts(chapter, algorithm);
    let mut series = Vec::new();
    for (colour, &procs) in counts.iter().enumerate() {
        let name = format!("{procs} processes");
        let cells: Vec<&Cell> = chapter.cells_of(algorithm).filter(|cell| cell.procs == procs).collect();
        series.extend(errors(&name, colour, &cells, |cell| cell.size.as_f64()));
    }
    finished(
        format!("{} {algorithm}: error of the prediction by size", chapter.collective),
        error_words("size", &counts),
        (chapter.size_title(), Quantity::Bytes, true),
        ("predicted over measured median, less 1", Quantity::Percent, false),
        series,
        &[0.0],
    )
}

/// Errors of the predictions of an algorithm over process counts, one series for each size.
pub fn errors_by_procs(chapter: &Chapter, algorithm: &str) -> Option<Figure> {
    let counted = chapter.cells_of(algorithm).map(|cell| cell.size).counts();
    let sizes = counted.into_iter().filter(|(_, counts)| *counts > 1);
    let sizes: Vec<Bytes> = sizes.map(|(size, _)| size).sorted().collect();
    let step = sizes.len().div_ceil(COUNTS).max(1);
    let mut series = Vec::new();
    for (colour, size) in sizes.iter().step_by(step).enumerate() {
        let cells: Vec<&Cell> = chapter.cells_of(algorithm).filter(|cell| cell.size == *size).collect();
        series.extend(errors(&size.to_string(), colour, &cells, |cell| {
            f64::from(cell.procs.get())
        }));
    }
    let counts = counts(chapter, algorithm);
    finished(
        format!(
            "{} {algorithm}: error of the prediction by processes",
            chapter.collective
        ),
        error_words("process count", &counts),
        ("processes", Quantity::Number, false),
        ("predicted over measured median, less 1", Quantity::Percent, false),
        series,
        &[0.0],
    )
}

fn error_words(over: &str, counts: &[Procs]) -> String {
    format!(
        "Relative error of the predicted median over the {over}, for {}. Rings are of process counts that the \
         profile was not fitted to.",
        among(counts)
    )
}

/// A line through the errors of cells, and marks on it.
fn errors(name: &str, colour: usize, cells: &[&Cell], place: impl Fn(&Cell) -> f64) -> Vec<Series> {
    let points = |is_wanted: &dyn Fn(&Cell) -> bool| -> Vec<(f64, f64)> {
        let cells = cells.iter().filter(|cell| is_wanted(cell));
        cells.filter_map(|cell| Some((place(cell), cell.error()?))).collect()
    };
    vec![
        Series::new(name, Look::Line, colour, points(&|_| true)),
        Series::new(name, Look::Dots, colour, points(&|cell| !cell.is_held_out)),
        Series::new(name, Look::Rings, colour, points(&|cell| cell.is_held_out)),
    ]
}
