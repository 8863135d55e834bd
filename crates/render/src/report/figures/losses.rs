//! Lost packets and stalled repetitions of an algorithm.

use super::{AxisDescription, counts_text, figure_of_series, procs_of_algorithm};
use crate::report::chapter::CollectiveChapter;
use crate::report::figure::{Figure, FigureSeries, SeriesForm};
use crate::report::scale::AxisQuantity;

/// Retransmitted packets of a repetition over sizes.
pub fn losses(chapter: &CollectiveChapter, algorithm: &str) -> Option<Figure> {
    let counts = procs_of_algorithm(chapter, algorithm);
    let mut series = Vec::new();
    for (colour, &procs) in counts.iter().enumerate() {
        let cells = chapter.cells_of(algorithm).filter(|cell| cell.procs == procs);
        let points: Vec<(f64, f64)> = cells
            .filter_map(|cell| Some((cell.size.as_f64(), cell.retransmits?)))
            .collect();
        let name = format!("{procs} processes");
        series.push(FigureSeries::new(
            &name,
            SeriesForm::Line,
            colour,
            points.iter().copied(),
        ));
        series.push(FigureSeries::new(&name, SeriesForm::Dots, colour, points));
    }
    let has_losses = series
        .iter()
        .any(|one_series| one_series.heights().any(|lost| lost > 0.0));
    let figure = figure_of_series(
        format!("{} {algorithm}: lost packets", chapter.collective),
        format!(
            "Retransmitted segments of all hosts in a repetition, in the mean, over the size, for {}.",
            counts_text(&counts)
        ),
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        AxisDescription::linear("retransmitted segments of a repetition", AxisQuantity::Number),
        series,
        &[0.0],
    );
    figure.filter(|_| has_losses)
}

/// Share of stalled repetitions over sizes, measured and predicted.
pub fn stalls(chapter: &CollectiveChapter, algorithm: &str) -> Option<Figure> {
    let counts = procs_of_algorithm(chapter, algorithm);
    let mut series = Vec::new();
    for (colour, &procs) in counts.iter().enumerate() {
        let name = format!("{procs} processes");
        let cells = || chapter.cells_of(algorithm).filter(|cell| cell.procs == procs);
        let measured = cells().filter_map(|cell| Some((cell.size.as_f64(), cell.stalled_share?)));
        let predicted = cells().filter_map(|cell| Some((cell.size.as_f64(), cell.predicted_stalled_share?)));
        series.push(FigureSeries::new(&name, SeriesForm::Dots, colour, measured));
        series.push(FigureSeries::new(&name, SeriesForm::Dashes, colour, predicted));
    }
    let has_stalls = series
        .iter()
        .any(|one_series| one_series.heights().any(|share| share > 0.01));
    let figure = figure_of_series(
        format!("{} {algorithm}: stalled repetitions", chapter.collective),
        format!(
            "Share of the repetitions that took 100 ms or more longer than usual, as TCP does until a tail-loss \
             probe or a time-out, over the size, for {}; dashed: predicted.",
            counts_text(&counts)
        ),
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        AxisDescription::linear("share of stalled repetitions", AxisQuantity::Percent),
        series,
        &[0.0, 1.0],
    );
    figure.filter(|_| has_stalls)
}
