//! Errors of the predictions of an algorithm, over sizes and over process counts.

use itertools::Itertools as _;
use netsig_base::units::{Bytes, Procs};
use netsig_model::verdict::CellFinding;

use super::{AxisDescription, COUNTS, counts_text, figure_of_series, procs_of_algorithm};
use crate::report::chapter::CollectiveChapter;
use crate::report::figure::{Figure, FigureSeries, SeriesForm};
use crate::report::scale::AxisQuantity;

/// Errors of the predictions of an algorithm over sizes, one series for each process count.
pub fn errors_by_size(chapter: &CollectiveChapter, algorithm: &str) -> Option<Figure> {
    let counts = procs_of_algorithm(chapter, algorithm);
    let mut series = Vec::new();
    for (colour, &procs) in counts.iter().enumerate() {
        let name = format!("{procs} processes");
        let cells: Vec<&CellFinding> = chapter.cells_of(algorithm).filter(|cell| cell.procs == procs).collect();
        series.extend(errors(&name, colour, &cells, |cell| cell.size.as_f64()));
    }
    figure_of_series(
        format!("{} {algorithm}: error of the prediction by size", chapter.collective),
        error_words("size", &counts),
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        AxisDescription::linear("predicted over measured median, less 1", AxisQuantity::Percent),
        series,
        &[0.0],
    )
}

/// Errors of the predictions of an algorithm over process counts, one series for each size.
pub fn errors_by_procs(chapter: &CollectiveChapter, algorithm: &str) -> Option<Figure> {
    let counted = chapter.cells_of(algorithm).map(|cell| cell.size).counts();
    let repeated_sizes = counted.into_iter().filter(|(_, counts)| *counts > 1);
    let sizes: Vec<Bytes> = repeated_sizes.map(|(size, _)| size).sorted().collect();
    let step = sizes.len().div_ceil(COUNTS).max(1);
    let mut series = Vec::new();
    for (colour, size) in sizes.iter().step_by(step).enumerate() {
        let cells: Vec<&CellFinding> = chapter.cells_of(algorithm).filter(|cell| cell.size == *size).collect();
        series.extend(errors(&size.to_string(), colour, &cells, |cell| {
            f64::from(cell.procs.get())
        }));
    }
    let counts = procs_of_algorithm(chapter, algorithm);
    figure_of_series(
        format!(
            "{} {algorithm}: error of the prediction by processes",
            chapter.collective
        ),
        error_words("process count", &counts),
        AxisDescription::linear("processes", AxisQuantity::Number),
        AxisDescription::linear("predicted over measured median, less 1", AxisQuantity::Percent),
        series,
        &[0.0],
    )
}

fn error_words(over: &str, counts: &[Procs]) -> String {
    format!(
        "Relative error of the predicted median over the {over}, for {}. Rings are of process counts that the \
         profile was not fitted to.",
        counts_text(counts)
    )
}

/// A line through the errors of cells, and marks on it.
fn errors(name: &str, colour: usize, cells: &[&CellFinding], place: impl Fn(&CellFinding) -> f64) -> Vec<FigureSeries> {
    let points = |is_wanted: &dyn Fn(&CellFinding) -> bool| -> Vec<(f64, f64)> {
        let cells = cells.iter().filter(|cell| is_wanted(cell));
        cells.filter_map(|cell| Some((place(cell), cell.error()?))).collect()
    };
    vec![
        FigureSeries::new(name, SeriesForm::Line, colour, points(&|_| true)),
        FigureSeries::new(name, SeriesForm::Dots, colour, points(&|cell| !cell.is_held_out)),
        FigureSeries::new(name, SeriesForm::Rings, colour, points(&|cell| cell.is_held_out)),
    ]
}
