//! Contention: the ratio to the contention-free time, and the size from which ports overflow.

use std::collections::BTreeSet;

use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::predict::PortOverflow;
use netsig_model::profile::Profile;
use netsig_model::verdict::{CellFinding, known_onset};

use super::{AxisDescription, figure_of_series};
use crate::report::chapter::CollectiveChapter;
use crate::report::figure::{Figure, FigureSeries, SeriesForm};
use crate::report::scale::AxisQuantity;

/// Measured times over contention-free ones, with the signature of each algorithm.
pub fn contention(chapter: &CollectiveChapter) -> Option<Figure> {
    let profile = chapter.subject.profile.as_ref()?;
    let hockney = profile.hockney.model();
    let mut series = Vec::new();
    let mut colour = 0;
    for algorithm in &chapter.algorithms {
        let Some(most) = chapter.cells_of(algorithm).map(|cell| cell.procs).max() else {
            continue;
        };
        let name = format!("{algorithm} among {most}");
        let ratio = |size: Bytes, time: Seconds| {
            let contention_free = profile.contention_free_time(chapter.collective, most, size)?;
            Some((size.as_f64(), time / contention_free))
        };
        let cells: Vec<&CellFinding> = chapter
            .cells_of(algorithm)
            .filter(|cell| cell.procs == most && !cell.is_busy)
            .collect();
        let measured = cells.iter().filter_map(|cell| ratio(cell.size, cell.median()));
        series.push(FigureSeries::new(&name, SeriesForm::Dots, colour, measured));
        if let Some(signature) = profile.signature(chapter.collective, algorithm, hockney) {
            let sizes = chapter.sizes();
            let line = sizes
                .iter()
                .filter_map(|size| ratio(*size, signature.time(most, *size)));
            series.push(FigureSeries::new(&name, SeriesForm::Dashes, colour, line));
        }
        colour += 1;
    }
    figure_of_series(
        format!("{}: how many times as long as without contention", chapter.collective),
        caption(profile),
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        AxisDescription::log("time over contention-free time", AxisQuantity::Number),
        series,
        &[],
    )
}

/// Names the contention-free time.
fn caption(profile: &Profile) -> String {
    let contention_free = if profile.clusters.is_some() {
        "the time without contention, which the links between the clusters bound"
    } else {
        "(n − 1)·(α + β·m), the time without contention"
    };
    format!(
        "Measured median over {contention_free}, for the most processes that were measured. Dashed: the contention \
         signature γ, δ, M of the papers."
    )
}

/// M(n): the size from which ports overflow, over process counts, with the sizes that lost packets.
pub fn overflow_figure(chapter: &CollectiveChapter) -> Option<Figure> {
    let place = |procs: Procs| f64::from(procs.get());
    let mut series = Vec::new();
    // The algorithms that exchange everything at once share one onset.
    let mut drawn: Vec<Vec<(Procs, PortOverflow)>> = Vec::new();
    for (colour, algorithm) in chapter.algorithms.iter().enumerate() {
        let lossy_sizes = first_lossy_sizes(chapter, algorithm).into_iter();
        let lossy_points = lossy_sizes.map(|(procs, size)| (place(procs), size.as_f64()));
        series.push(FigureSeries::new(algorithm, SeriesForm::Dots, colour, lossy_points));
        let onsets = predicted_overflows(chapter, algorithm);
        if drawn.contains(&onsets) {
            continue;
        }
        let line = onsets.iter().map(|(procs, onset)| (place(*procs), onset.from.as_f64()));
        let band = onsets.iter().map(|(procs, onset)| {
            let [lower, upper] = onset.interval.map(Bytes::as_f64);
            (place(*procs), lower, upper)
        });
        series.push(FigureSeries::band(algorithm, colour, band));
        series.push(FigureSeries::new(algorithm, SeriesForm::Line, colour, line));
        drawn.push(onsets);
    }
    figure_of_series(
        format!("{}: size from which ports overflow, M(n)", chapter.collective),
        "Predicted size from which the ports of the switch overflow, with its interval, over the number of \
         processes. Marks: the smallest measured size from which on repetitions lost a packet or more in the mean."
            .to_owned(),
        AxisDescription::linear("processes", AxisQuantity::Number),
        AxisDescription::log(chapter.size_title(), AxisQuantity::Bytes),
        series,
        &[],
    )
}

/// Predicted overflows of an algorithm by process count, where the profile knows them.
pub fn predicted_overflows(chapter: &CollectiveChapter, algorithm: &str) -> Vec<(Procs, PortOverflow)> {
    let Some(predictor) = chapter.predictors.get(algorithm) else {
        return Vec::new();
    };
    let all_counts = chapter.sheets.iter().map(|sheet| sheet.procs);
    let counts = all_counts.filter(|procs| procs.get() > 2);
    let onset = |procs: Procs| Some((procs, known_onset(&predictor.predictor, procs)?));
    counts.filter_map(onset).collect()
}

/// The smallest size of each process count from which on repetitions lose one packet or more in the mean. The next
/// larger size must lose packets too, since single losses have other causes. Cells in which processes waited for
/// processors do not count.
pub fn first_lossy_sizes(chapter: &CollectiveChapter, algorithm: &str) -> Vec<(Procs, Bytes)> {
    let counts: BTreeSet<Procs> = chapter.cells_of(algorithm).map(|cell| cell.procs).collect();
    let first = |procs: Procs| {
        let algorithm_cells = chapter.cells_of(algorithm);
        let cells = algorithm_cells.filter(|cell| cell.procs == procs && !cell.is_busy);
        let losses: Vec<(Bytes, f64)> = cells.filter_map(|cell| Some((cell.size, cell.retransmits?))).collect();
        let is_lossy = |place: usize| losses.get(place).is_none_or(|(_, lost)| *lost >= 1.0);
        let begin = (0..losses.len()).find(|&place| is_lossy(place) && is_lossy(place + 1))?;
        Some((procs, losses[begin].0))
    };
    counts.into_iter().filter_map(first).collect()
}
