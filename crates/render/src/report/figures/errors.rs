//! Errors of the predictions of an algorithm, over sizes and over process counts.

use itertools::Itertools as _;
use netsig_base::units::{Bytes, Procs};
use netsig_model::verdict::CellFinding;

use super::{AxisDescription, COUNTS, FigureText, counts_text, figure_of_series, procs_of_algorithm};
use crate::report::chapter::CollectiveChapter;
use crate::report::figure::{Figure, FigureSeries, SeriesForm};
use crate::report::paint::SeriesPaint;
use crate::report::scale::AxisQuantity;

/// Errors of the predictions of an algorithm over sizes, one series for each process count.
pub fn errors_by_size(chapter: &CollectiveChapter, algorithm: &str) -> Option<Figure> {
    let counts = procs_of_algorithm(chapter, algorithm);
    let mut series = Vec::new();
    for (place, &procs) in counts.iter().enumerate() {
        let name = format!("{procs} processes");
        let paint = SeriesPaint::shade_of(place, counts.len());
        let cells: Vec<&CellFinding> = chapter.cells_of(algorithm).filter(|cell| cell.procs == procs).collect();
        let of_count = errors(&name, paint, &cells, |cell| cell.size.as_f64());
        series.extend(of_count.map(|one_series| one_series.among(procs)));
    }
    figure_of_series(
        error_text(chapter, algorithm, "size", &counts),
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        error_axis(),
        series,
    )
}

/// Errors of the predictions of an algorithm over process counts, one series for each size.
pub fn errors_by_procs(chapter: &CollectiveChapter, algorithm: &str) -> Option<Figure> {
    let counted = chapter.cells_of(algorithm).map(|cell| cell.size).counts();
    let repeated_sizes = counted.into_iter().filter(|(_, counts)| *counts > 1);
    let sizes: Vec<Bytes> = repeated_sizes.map(|(size, _)| size).sorted().collect();
    let step = sizes.len().div_ceil(COUNTS).max(1);
    let shown: Vec<Bytes> = sizes.into_iter().step_by(step).collect();
    let mut series = Vec::new();
    for (place, &size) in shown.iter().enumerate() {
        let paint = SeriesPaint::shade_of(place, shown.len());
        let cells: Vec<&CellFinding> = chapter.cells_of(algorithm).filter(|cell| cell.size == size).collect();
        let name = size.to_string();
        let of_size = errors(&name, paint, &cells, |cell| f64::from(cell.procs.get()));
        series.extend(of_size.map(|one_series| one_series.at_size(size)));
    }
    figure_of_series(
        error_text(chapter, algorithm, "processes", &procs_of_algorithm(chapter, algorithm)),
        AxisDescription::linear("processes", AxisQuantity::Processes, &[]),
        error_axis(),
        series,
    )
}

fn error_axis() -> AxisDescription<'static> {
    AxisDescription::linear("predicted over measured median, less 1", AxisQuantity::Percent, &[0.0])
}

fn error_text(chapter: &CollectiveChapter, algorithm: &str, over: &str, counts: &[Procs]) -> FigureText {
    let over_words = match over {
        "size" => "size, one colour for each process count",
        _ => "number of processes, one colour for each size",
    };
    FigureText {
        title: format!("{} {algorithm}: error of the prediction by {over}", chapter.collective),
        alt: format!(
            "Relative error of the predicted median over the {over_words}, for {}.",
            counts_text(counts)
        ),
        key: vec![
            (SeriesForm::Dots, "fitted process count".to_owned()),
            (SeriesForm::Rings, "process count that was not fitted".to_owned()),
        ],
    }
}

/// Marks at the errors of cells, and lines through them; cells that were held out are apart.
fn errors(
    name: &str,
    paint: SeriesPaint,
    cells: &[&CellFinding],
    place: impl Fn(&CellFinding) -> f64,
) -> impl Iterator<Item = FigureSeries> {
    let kinds = [
        (false, SeriesForm::Line),
        (false, SeriesForm::Dots),
        (true, SeriesForm::Dashes),
        (true, SeriesForm::Rings),
    ];
    kinds
        .map(|(is_held_out, form)| {
            let of_kind = cells.iter().filter(|cell| cell.is_held_out == is_held_out);
            let points = of_kind.filter_map(|cell| Some((place(cell), cell.error()?)));
            FigureSeries::new(name, form, paint, points)
        })
        .into_iter()
}
