//! Lost packets and stalled repetitions of an algorithm.

use super::{AxisDescription, FigureText, counts_text, figure_of_series, procs_of_algorithm};
use crate::report::chapter::CollectiveChapter;
use crate::report::figure::{Figure, FigureSeries, SeriesForm};
use crate::report::paint::SeriesPaint;
use crate::report::scale::AxisQuantity;

/// Retransmitted packets of a repetition over sizes, with the onset of steady losses.
pub fn losses(chapter: &CollectiveChapter, algorithm: &str) -> Option<Figure> {
    let counts = procs_of_algorithm(chapter, algorithm);
    let onsets = chapter.measured_losses(algorithm);
    let mut series = Vec::new();
    for (place, &procs) in counts.iter().enumerate() {
        let cells = chapter.cells_of(algorithm).filter(|cell| cell.procs == procs);
        let points: Vec<(f64, f64)> = cells
            .filter_map(|cell| Some((cell.size.as_f64(), cell.retransmits?)))
            .collect();
        let from = onsets.get(&procs).and_then(|losses| losses.from);
        let onset = from.and_then(|from| points.iter().copied().find(|(size, _)| *size >= from.as_f64()));
        let name = format!("{procs} processes");
        let paint = SeriesPaint::shade_of(place, counts.len());
        let of_form = |form, points: Vec<(f64, f64)>| FigureSeries::new(&name, form, paint, points).among(procs);
        series.extend([
            of_form(SeriesForm::Line, points.clone()),
            of_form(SeriesForm::Dots, points),
            of_form(SeriesForm::Stars, onset.into_iter().collect()),
        ]);
    }
    let mut drawn = series.iter();
    if !drawn.any(|one_series| one_series.heights().any(|lost| lost > 0.0)) {
        return None;
    }
    figure_of_series(
        FigureText {
            title: format!("{} {algorithm}: lost packets", chapter.collective),
            alt: format!(
                "Retransmitted segments of all hosts in a repetition, in the mean, over the size, for {}. The vertical \
                 axis begins with zero and goes on in powers of ten.",
                counts_text(&counts)
            ),
            key: vec![
                (SeriesForm::Dots, "mean of the repetitions".to_owned()),
                (
                    SeriesForm::Stars,
                    "size from which on at least half of the repetitions lose packets".to_owned(),
                ),
            ],
        },
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        AxisDescription::from_zero("retransmitted segments of a repetition", AxisQuantity::Number),
        series,
    )
}

/// Share of stalled repetitions over sizes, measured and predicted.
pub fn stalls(chapter: &CollectiveChapter, algorithm: &str) -> Option<Figure> {
    let counts = procs_of_algorithm(chapter, algorithm);
    let mut series = Vec::new();
    for (place, &procs) in counts.iter().enumerate() {
        let name = format!("{procs} processes");
        let paint = SeriesPaint::shade_of(place, counts.len());
        let cells = || chapter.cells_of(algorithm).filter(|cell| cell.procs == procs);
        let measured = cells().filter_map(|cell| Some((cell.size.as_f64(), cell.stalled_share?)));
        let predicted = cells().filter_map(|cell| Some((cell.size.as_f64(), cell.predicted_stalled_share?)));
        series.push(FigureSeries::new(&name, SeriesForm::Dots, paint, measured).among(procs));
        series.push(FigureSeries::new(&name, SeriesForm::Dashes, paint, predicted).among(procs));
    }
    let mut drawn = series.iter();
    if !drawn.any(|one_series| one_series.heights().any(|share| share > 0.01)) {
        return None;
    }
    figure_of_series(
        FigureText {
            title: format!("{} {algorithm}: stalled repetitions", chapter.collective),
            alt: format!(
                "Share of the repetitions that took 100 ms or more longer than usual, as TCP does until a tail-loss \
                 probe or a time-out, over the size, for {}.",
                counts_text(&counts)
            ),
            key: vec![
                (SeriesForm::Dots, "measured".to_owned()),
                (SeriesForm::Dashes, "predicted".to_owned()),
            ],
        },
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        AxisDescription::linear("share of stalled repetitions", AxisQuantity::Percent, &[0.0, 1.0]),
        series,
    )
}
