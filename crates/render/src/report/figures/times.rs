//! Times of an algorithm, measured and predicted.

use netsig_base::units::{Bytes, Procs};
use netsig_model::predict::Prediction;

use super::{AxisDescription, counts_text, figure_of_series, procs_of_algorithm};
use crate::report::chapter::CollectiveChapter;
use crate::report::figure::{Figure, FigureSeries, SeriesForm};
use crate::report::scale::AxisQuantity;

/// Usual number of points of a line, and the step in ln T that every line shows.
const KNOTS: usize = 120;
const STEP: f64 = 0.05;

/// Times of an algorithm: every repetition, and the predicted time with its interval.
pub fn times(chapter: &CollectiveChapter, algorithm: &str) -> Option<Figure> {
    let counts = procs_of_algorithm(chapter, algorithm);
    let shown = initially_shown(&counts);
    let mut series = Vec::new();
    for (colour, &procs) in counts.iter().enumerate() {
        let name = format!("{procs} processes");
        let is_shown = shown.contains(&procs);
        let knots = knots_in_range(chapter, algorithm, procs);
        let band = knots.iter().filter_map(|(size, prediction)| {
            let interval = prediction.interval?;
            Some((*size, interval.lower.0, interval.upper.0))
        });
        series.push(FigureSeries::band(&name, colour, band).shown_from_start(is_shown));
        let line = knots.iter().map(|(size, prediction)| (*size, prediction.time.0));
        series.push(FigureSeries::new(&name, SeriesForm::Line, colour, line).shown_from_start(is_shown));
        for (form, is_held_out) in [(SeriesForm::Dots, false), (SeriesForm::Rings, true)] {
            let algorithm_cells = chapter.cells_of(algorithm);
            let cells = algorithm_cells.filter(|cell| cell.procs == procs && cell.is_held_out == is_held_out);
            let repetitions = cells.flat_map(|cell| {
                // Other programs state one number for many repetitions.
                let imported = cell.summary.imported.map(|_| cell.median().0);
                let times = cell.times.iter().copied().chain(imported);
                times.map(|time| (cell.size.as_f64(), time)).collect::<Vec<_>>()
            });
            series.push(FigureSeries::new(&name, form, colour, repetitions).shown_from_start(is_shown));
        }
    }
    figure_of_series(
        format!("{} {algorithm}: measured and predicted times", chapter.collective),
        format!(
            "Time over size on logarithmic axes for {}. Lines are predictions, areas their intervals, marks \
             single repetitions, or a statistic of them that another program computed; rings are of process counts \
             that the profile was not fitted to.",
            counts_text(&counts)
        ),
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        AxisDescription::log("time", AxisQuantity::Seconds),
        series,
        &[],
    )
}

/// The predictions of an algorithm in the measured range of sizes, with both of its ends.
fn knots_in_range(chapter: &CollectiveChapter, algorithm: &str, procs: Procs) -> Vec<(f64, Prediction)> {
    let [least, most] = chapter.size_range().unwrap_or([Bytes(1), Bytes(u64::MAX)]);
    let sheet = chapter.sheet(procs);
    let Some(curve) = sheet.and_then(|sheet| sheet.curve(algorithm)) else {
        return Vec::new();
    };
    let knots = curve.knots.iter().map(|knot| (knot.size, knot.prediction));
    let end = |size: Bytes| {
        let predictor = &chapter.predictors.get(algorithm)?.predictor;
        Some((size, predictor.predict(procs, size).ok()?))
    };
    let inner = knots.filter(|(size, _)| (least..most).contains(size) && *size > least);
    let all: Vec<(Bytes, Prediction)> = end(least).into_iter().chain(inner).chain(end(most)).collect();
    // Steps smaller than the thickness of a line are left out.
    let every = all.len().div_ceil(KNOTS).max(1);
    let is_seen = |place: usize| {
        let pair = all.get(place).zip(all.get(place + 1));
        pair.is_some_and(|(before, after)| (after.1.time / before.1.time).ln().abs() > STEP)
    };
    let is_kept = |place: usize| {
        let is_end = place == 0 || place + 1 == all.len();
        is_end || place.is_multiple_of(every) || is_seen(place - 1) || is_seen(place)
    };
    let kept = (0..all.len()).filter(|&place| is_kept(place));
    kept.map(|place| (all[place].0.as_f64(), all[place].1)).collect()
}

/// Process counts that a figure shows from the start: the fewest, some between, and the most.
fn initially_shown(counts: &[Procs]) -> Vec<Procs> {
    match counts {
        [first, .., middle, last] if counts.len() > 3 => vec![*first, *middle, *last],
        few => few.to_vec(),
    }
}
