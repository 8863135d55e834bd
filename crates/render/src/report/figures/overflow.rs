//! M(n): the size from which ports overflow, predicted and as the losses bound it.

use std::collections::BTreeSet;

use netsig_base::units::{Bytes, Procs};
use netsig_model::predict::PortOverflow;
use netsig_model::verdict::known_onset;

use super::{AxisDescription, FigureText, figure_of_series};
use crate::report::chapter::CollectiveChapter;
use crate::report::figure::{Figure, FigureSeries, SeriesForm};
use crate::report::paint::SeriesPaint;
use crate::report::scale::AxisQuantity;

/// M(n) over process counts, with the measured sizes between which losses begin.
pub fn overflow_figure(chapter: &CollectiveChapter) -> Option<Figure> {
    let mut series = Vec::new();
    // The algorithms that exchange everything at once share one onset.
    let mut drawn: Vec<Vec<(Procs, PortOverflow)>> = Vec::new();
    for (number, algorithm) in chapter.algorithms.iter().enumerate() {
        let onsets = predicted_overflows(chapter, algorithm);
        if !drawn.contains(&onsets) {
            series.extend(predicted(chapter, algorithm, &onsets));
            drawn.push(onsets);
        }
        series.extend(measured(chapter, algorithm, number));
    }
    figure_of_series(
        FigureText {
            title: format!("{}: size from which ports overflow, M(n)", chapter.collective),
            alt: "Size from which the ports of the switch overflow, over the number of processes. The bars of several \
                  algorithms stand side by side."
                .to_owned(),
            key: vec![
                (SeriesForm::Line, "predicted M(n)".to_owned()),
                (SeriesForm::Band, "its interval".to_owned()),
                (SeriesForm::Rings, "predicted at a measured count".to_owned()),
                (SeriesForm::Bars, "losses begin between these measured sizes".to_owned()),
                (SeriesForm::Arrows, "no steady losses up to this size".to_owned()),
            ],
        },
        AxisDescription::linear("processes", AxisQuantity::Processes, &[]),
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        series,
    )
}

/// The predicted onsets of an algorithm.
fn predicted(chapter: &CollectiveChapter, algorithm: &str, onsets: &[(Procs, PortOverflow)]) -> [FigureSeries; 3] {
    let paint = chapter.hues.paint(algorithm);
    let measured_counts = chapter.measured_procs();
    let place = |(procs, onset): &(Procs, PortOverflow)| (f64::from(procs.get()), onset.from.as_f64());
    let band = onsets.iter().map(|(procs, onset)| {
        let [lower, upper] = onset.interval.map(Bytes::as_f64);
        (f64::from(procs.get()), lower, upper)
    });
    let known = onsets.iter().filter(|(procs, _)| measured_counts.contains(procs));
    [
        FigureSeries::between(algorithm, SeriesForm::Band, paint, band),
        FigureSeries::new(algorithm, SeriesForm::Line, paint, onsets.iter().map(place)),
        FigureSeries::new(algorithm, SeriesForm::Rings, paint, known.map(place)),
    ]
}

/// The measured bounds of an algorithm, beside those of the algorithms with other numbers.
fn measured(chapter: &CollectiveChapter, algorithm: &str, number: usize) -> [FigureSeries; 2] {
    let paint: SeriesPaint = chapter.hues.paint(algorithm);
    let counts = chapter.measured_procs();
    let width = counts.last().map_or(1.0, |most| f64::from(most.get())) / 60.0;
    let middle = (chapter.algorithms.len() as f64 - 1.0) / 2.0;
    let shift = width * (number as f64 - middle) / chapter.algorithms.len().max(3) as f64;
    let place = |procs: &Procs| f64::from(procs.get()) + shift;
    let losses = chapter.measured_losses(algorithm);
    let bars = losses.iter().filter_map(|(procs, losses)| {
        let from = losses.from?;
        Some((place(procs), losses.below.unwrap_or(from).as_f64(), from.as_f64()))
    });
    let clean = losses.iter().filter(|(_, losses)| losses.from.is_none());
    let arrows = clean.map(|(procs, losses)| (place(procs), losses.largest.as_f64()));
    [
        FigureSeries::between(algorithm, SeriesForm::Bars, paint, bars),
        FigureSeries::new(algorithm, SeriesForm::Arrows, paint, arrows),
    ]
}

/// Predicted overflows of an algorithm by process count, where the profile knows them.
pub fn predicted_overflows(chapter: &CollectiveChapter, algorithm: &str) -> Vec<(Procs, PortOverflow)> {
    let Some(fitted) = chapter.predictors.get(algorithm) else {
        return Vec::new();
    };
    let sheet_counts = chapter.sheets.iter().map(|sheet| sheet.procs);
    let counts: BTreeSet<Procs> = sheet_counts.chain(chapter.measured_procs()).collect();
    let onset = |procs: Procs| Some((procs, known_onset(&fitted.predictor, procs)?));
    counts
        .into_iter()
        .filter(|procs| procs.get() > 2)
        .filter_map(onset)
        .collect()
}
