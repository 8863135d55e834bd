//! Contention: the ratio to the contention-free time, measured and predicted.

use netsig_base::units::{Bytes, Procs};
use netsig_model::model::signature::{Signature, SignatureSide};
use netsig_model::profile::Profile;

use super::line::PredictedLine;
use super::{AxisDescription, FigureText, figure_of_series};
use crate::report::chapter::CollectiveChapter;
use crate::report::figure::{Figure, FigureSeries, SeriesForm};
use crate::report::scale::AxisQuantity;

/// Measured and predicted times over contention-free ones, with the signature of each algorithm.
pub fn contention(chapter: &CollectiveChapter) -> Option<Figure> {
    let profile = chapter.subject.profile.as_ref()?;
    let mut series = Vec::new();
    for algorithm in &chapter.algorithms {
        if let Some(most) = chapter.cells_of(algorithm).map(|cell| cell.procs).max() {
            let of_algorithm = ratios(chapter, profile, algorithm, most).into_iter();
            series.extend(of_algorithm.map(|one_series| one_series.among(most)));
        }
    }
    let interval = chapter.interval_name();
    figure_of_series(
        FigureText {
            title: format!("{}: how many times as long as without contention", chapter.collective),
            alt: caption(profile),
            key: vec![
                (SeriesForm::Dots, "measured median".to_owned()),
                (SeriesForm::Line, "predicted median".to_owned()),
                (SeriesForm::Band, format!("predicted, {interval}")),
                (
                    SeriesForm::Dashes,
                    "contention signature γ, δ, M of the papers, a simpler model".to_owned(),
                ),
            ],
        },
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        AxisDescription::log("time over contention-free time", AxisQuantity::Number),
        series,
    )
}

/// The series of an algorithm among some processes.
fn ratios(chapter: &CollectiveChapter, profile: &Profile, algorithm: &str, procs: Procs) -> Vec<FigureSeries> {
    let name = format!("{algorithm} among {procs}");
    let paint = chapter.hues.paint(algorithm);
    let factor = |size: Bytes| {
        let contention_free = profile.contention_free_time(chapter.collective, procs, size)?;
        Some(1.0 / contention_free.0)
    };
    let line = PredictedLine {
        chapter,
        algorithm,
        procs,
    };
    let mut series = line.series(&name, paint, factor);
    if let Some(signature) = profile.signature(chapter.collective, algorithm, profile.hockney.model()) {
        let places = signature_places(&signature, &chapter.sizes()).into_iter();
        let points = places.filter_map(|(side, size)| {
            let time = signature.time_on(side, procs, size);
            Some((size.as_f64(), time.0 * factor(size)?))
        });
        series.push(FigureSeries::new(&name, SeriesForm::Dashes, paint, points));
    }
    let of_algorithm = chapter.cells_of(algorithm);
    let cells = of_algorithm.filter(|cell| cell.procs == procs && !cell.is_busy);
    let medians = cells.filter_map(|cell| Some((cell.size.as_f64(), cell.median().0 * factor(cell.size)?)));
    series.push(FigureSeries::new(&name, SeriesForm::Dots, paint, medians));
    series
}

/// The sizes of a line of a signature, which steps up at M: M is there twice, once for each side.
fn signature_places(signature: &Signature, sizes: &[Bytes]) -> Vec<(SignatureSide, Bytes)> {
    let mut places: Vec<(SignatureSide, Bytes)> = sizes.iter().map(|size| (signature.side(*size), *size)).collect();
    if let ([(_, least), .., (_, most)], Some(threshold)) = (places.as_slice(), signature.threshold)
        && (*least..=*most).contains(&threshold)
    {
        let begin = places.partition_point(|(_, size)| *size < threshold);
        let step = [SignatureSide::Below, SignatureSide::AtOrAbove].map(|side| (side, threshold));
        places.splice(begin..begin, step);
    }
    places
}

/// Names the contention-free time.
fn caption(profile: &Profile) -> String {
    let contention_free = if profile.clusters.is_some() {
        "the time without contention, which the links between the clusters bound"
    } else {
        "(n − 1)·(α + β·m), the time without contention"
    };
    format!("Times over {contention_free}, for the most processes that were measured.")
}
