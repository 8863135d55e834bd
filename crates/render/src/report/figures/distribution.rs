//! The repetitions of one cell: the library's own choice beside another algorithm.

use super::{AxisDescription, FigureText, figure_of_series};
use crate::report::cells::CellContest;
use crate::report::chapter::CollectiveChapter;
use crate::report::figure::{Figure, FigureSeries, SeriesForm, jitter};
use crate::report::scale::{AxisQuantity, FigureAxis};

/// Largest distance of a speck from the place of its algorithm.
const JITTER: f64 = 0.2;

/// The repetitions, medians and predictions of a contest. The script draws the same of every contest.
pub fn distribution(chapter: &CollectiveChapter, contest: &CellContest) -> Option<Figure> {
    let cells = contest.places.iter().map(|place| &chapter.cells[*place]);
    let mut series = Vec::new();
    for (place, cell) in cells.clone().enumerate() {
        let paint = chapter.hues.paint(&cell.algorithm);
        let middle = place as f64;
        let times = cell.times.iter().enumerate();
        let specks = times.map(|(number, time)| (middle + JITTER * jitter(number), *time));
        let interval = cell.prediction.and_then(|prediction| prediction.interval);
        let bar = interval.map(|ends| (middle + 0.3, ends.lower.0, ends.upper.0));
        let name = &cell.algorithm;
        series.extend([
            FigureSeries::specks(name, paint, None, specks.collect()),
            FigureSeries::between(name, SeriesForm::Bars, paint, bar),
            FigureSeries::new(name, SeriesForm::Dots, paint, [(middle, cell.median().0)]),
        ]);
    }
    let names: Vec<String> = cells.map(|cell| cell.algorithm.clone()).collect();
    let interval = chapter.interval_name();
    let text = FigureText {
        title: format!(
            "{}: repetitions of one cell, library against choice",
            chapter.collective
        ),
        alt: "Times of one measured cell by algorithm, on a logarithmic axis: the library's own choice, and the measured \
              algorithm with the shortest median, as predicted where it is predicted."
            .to_owned(),
        key: vec![
            (SeriesForm::Specks, "single repetition, scattered sideways".to_owned()),
            (SeriesForm::Dots, "measured median".to_owned()),
            (SeriesForm::Bars, format!("predicted, {interval}")),
        ],
    };
    let figure = figure_of_series(
        text,
        AxisDescription::linear("algorithm", AxisQuantity::Number, &[]),
        AxisDescription::log("time", AxisQuantity::Seconds),
        series,
    )?;
    Some(Figure {
        x: FigureAxis::of_names("algorithm", &names),
        ..figure
    })
}
