//! The predicted times of an algorithm over sizes, as lines with their areas.

use netsig_base::units::{Bytes, Procs};
use netsig_model::predict::Prediction;

use crate::report::chapter::CollectiveChapter;
use crate::report::figure::{FigureSeries, SeriesForm};
use crate::report::paint::SeriesPaint;

/// Points of each doubling of the size, where a line has no steps.
const POINTS: u32 = 4;

/// Largest change of ln T between two points, beside what it may grow with ln m. A larger one is a step, which is drawn
/// between neighbouring bytes.
const STEP: f64 = 0.03;
const SLOPE: f64 = 1.5;

/// A size with its prediction.
type SizePrediction = (Bytes, Prediction);

/// The predicted times among some processes.
pub struct PredictedLine<'a> {
    /// The chapter.
    pub chapter: &'a CollectiveChapter<'a>,
    /// The algorithm.
    pub algorithm: &'a str,
    /// Number of processes.
    pub procs: Procs,
}

impl PredictedLine<'_> {
    /// The areas of the intervals and the lines, each value multiplied by the `factor` of its size.
    pub fn series(&self, name: &str, paint: SeriesPaint, factor: impl Fn(Bytes) -> Option<f64>) -> Vec<FigureSeries> {
        let mut series = Vec::new();
        for section in self.sections() {
            let scaled: Vec<(f64, f64, Prediction)> = section
                .iter()
                .filter_map(|(size, prediction)| Some((size.as_f64(), factor(*size)?, *prediction)))
                .collect();
            let band = scaled.iter().filter_map(|(size, factor, prediction)| {
                let interval = prediction.interval?;
                Some((*size, interval.lower.0 * factor, interval.upper.0 * factor))
            });
            series.push(FigureSeries::between(name, SeriesForm::Band, paint, band).among(self.procs));
            let line = scaled
                .iter()
                .map(|(size, factor, prediction)| (*size, prediction.time.0 * factor));
            series.push(FigureSeries::new(name, SeriesForm::Line, paint, line).among(self.procs));
        }
        series
    }

    /// The predictions in the measured range of sizes; a gap between two sections has none.
    fn sections(&self) -> Vec<Vec<SizePrediction>> {
        let Some([least, most]) = self.chapter.size_range() else {
            return Vec::new();
        };
        let mut sections = vec![Vec::new()];
        for size in sizes(least, most) {
            let section = sections.last_mut().expect("there is always a section");
            match (self.predict(size), section.last().copied()) {
                (Some(prediction), last) => {
                    if let Some(before) = last {
                        self.add_between(before, (size, prediction), section);
                    }
                    section.push((size, prediction));
                }
                (None, Some(_)) => sections.push(Vec::new()),
                (None, None) => {}
            }
        }
        sections
    }

    fn predict(&self, size: Bytes) -> Option<Prediction> {
        let fitted = self.chapter.predictors.get(self.algorithm)?;
        fitted.predictor.predict(self.procs, size).ok()
    }

    /// Adds the points between two others that a step needs.
    fn add_between(&self, before: SizePrediction, after: SizePrediction, points: &mut Vec<SizePrediction>) {
        if after.0.0 - before.0.0 < 2 || !is_step(before, after) {
            return;
        }
        let middle = Bytes::rounded((before.0.as_f64() * after.0.as_f64()).sqrt());
        let inside = Bytes(middle.0.clamp(before.0.0 + 1, after.0.0 - 1));
        if let Some(prediction) = self.predict(inside) {
            self.add_between(before, (inside, prediction), points);
            points.push((inside, prediction));
            self.add_between((inside, prediction), after, points);
        }
    }
}

/// Sizes from the least to the most, with both.
fn sizes(least: Bytes, most: Bytes) -> impl Iterator<Item = Bytes> {
    let step = 1.0 / f64::from(POINTS);
    let inner = (1..=64 * POINTS).map(move |number| Bytes::rounded(least.as_f64() * (f64::from(number) * step).exp2()));
    let mut last = Bytes(0);
    let all = [least]
        .into_iter()
        .chain(inner.take_while(move |size| *size < most))
        .chain([most]);
    all.filter(move |size| *size > std::mem::replace(&mut last, *size))
}

/// True if the time or an end of its interval changes more between two sizes than a line should.
fn is_step(before: SizePrediction, after: SizePrediction) -> bool {
    let width = (after.0.as_f64() / before.0.as_f64()).ln();
    let values = |prediction: &Prediction| {
        let ends = prediction
            .interval
            .map_or([prediction.time; 2], |ends| [ends.lower, ends.upper]);
        [prediction.time, ends[0], ends[1]]
    };
    let pairs = values(&before.1).into_iter().zip(values(&after.1));
    pairs
        .map(|(low, high)| (high / low).ln().abs())
        .any(|change| change > STEP + SLOPE * width)
}
