//! Times of an algorithm, measured and predicted.

use netsig_base::units::Procs;
use netsig_model::verdict::CellFinding;

use super::line::PredictedLine;
use super::{AxisDescription, FigureText, counts_text, figure_of_series, procs_of_algorithm};
use crate::report::chapter::CollectiveChapter;
use crate::report::figure::{CellReference, Figure, FigureSeries, SeriesForm, jitter};
use crate::report::paint::SeriesPaint;
use crate::report::scale::AxisQuantity;

/// Largest distance of a speck from its size, in ln m.
const JITTER: f64 = 0.05;

/// Times of an algorithm: every repetition, the medians, and the predicted time with its interval.
pub fn times(chapter: &CollectiveChapter, algorithm: &str) -> Option<Figure> {
    let counts = procs_of_algorithm(chapter, algorithm);
    let shown = initially_shown(&counts);
    let mut series = Vec::new();
    for (place, &procs) in counts.iter().enumerate() {
        let name = format!("{procs} processes");
        let paint = SeriesPaint::shade_of(place, counts.len());
        let line = PredictedLine {
            chapter,
            algorithm,
            procs,
        };
        let predicted = line.series(&name, paint, |_| Some(1.0));
        let [specks, medians] = [true, false].map(|is_single| {
            let drawn = [false, true].map(|is_held| measured(&line, &name, paint, [is_single, is_held]));
            drawn.into_iter()
        });
        let of_count = specks.chain(predicted).chain(medians);
        series.extend(of_count.map(|one_series| one_series.among(procs).shown_from_start(shown.contains(&procs))));
    }
    let interval = chapter.interval_name();
    figure_of_series(
        FigureText {
            title: format!("{} {algorithm}: measured and predicted times", chapter.collective),
            alt: format!(
                "Time over size on logarithmic axes for {}, in shades of their order.",
                counts_text(&counts)
            ),
            key: vec![
                (SeriesForm::Line, "predicted median".to_owned()),
                (SeriesForm::Band, format!("predicted, {interval}")),
                (
                    SeriesForm::Dots,
                    "measured median, or the statistic of another program".to_owned(),
                ),
                (
                    SeriesForm::Rings,
                    "the same, of a process count that was not fitted".to_owned(),
                ),
                (SeriesForm::Specks, "single repetition, scattered sideways".to_owned()),
            ],
        },
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        AxisDescription::log("time", AxisQuantity::Seconds),
        series,
    )
}

/// The single repetitions or the medians, of cells that were held out or not.
fn measured(line: &PredictedLine, name: &str, paint: SeriesPaint, [is_single, held]: [bool; 2]) -> FigureSeries {
    let of_algorithm = line.chapter.cells_of(line.algorithm);
    let cells = of_algorithm.filter(|cell| cell.procs == line.procs && cell.is_held_out == held);
    if !is_single {
        let form = if held { SeriesForm::Rings } else { SeriesForm::Dots };
        let medians = cells.map(|cell| (cell.size.as_f64(), cell.median().0));
        return FigureSeries::new(name, form, paint, medians);
    }
    let algorithms = &line.chapter.algorithms;
    let algorithm = algorithms.iter().position(|other| other == line.algorithm);
    let reference = algorithm.map(|algorithm| CellReference { algorithm, held });
    FigureSeries::specks(name, paint, reference, cells.flat_map(scattered).collect())
}

/// The repetitions of a cell, beside its size.
fn scattered(cell: &CellFinding) -> Vec<(f64, f64)> {
    let times = cell.times.iter().enumerate();
    times
        .map(|(number, time)| (cell.size.as_f64() * (JITTER * jitter(number)).exp(), *time))
        .collect()
}

/// Process counts that a figure shows from the start: the fewest, some between, and the most.
fn initially_shown(counts: &[Procs]) -> Vec<Procs> {
    match counts {
        [first, .., middle, last] if counts.len() > 3 => vec![*first, *middle, *last],
        few => few.to_vec(),
    }
}
