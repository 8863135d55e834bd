//! Contention: the ratio to the contention-free time, and the size from which ports overflow.

use std::collections::BTreeSet;

use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::predict::Overflow;

use super::finished;
use crate::report::cell::Cell;
use crate::report::chapter::Chapter;
use crate::report::figure::{Figure, Look, Series};
use crate::report::scale::Quantity;

/// Measured times over contention-free ones, with the signature of each algorithm.
pub fn contention(chapter: &Chapter) -> Option<Figure> {
    let profile = chapter.subject.profile.as_ref()?;
    let base = profile.hockney.model();
    let mut series = Vec::new();
    let mut colour = 0;
    for algorithm in &chapter.algorithms {
        let Some(most) = chapter.cells_of(algorithm).map(|cell| cell.procs).max() else {
            continue;
        };
        let name = format!("{algorithm} among {most}");
        let ratio = |size: Bytes, time: Seconds| (size.as_f64(), time / base.alltoall(most, size));
        let cells: Vec<&Cell> = chapter
            .cells_of(algorithm)
            .filter(|cell| cell.procs == most && !cell.is_busy)
            .collect();
        let measured = cells.iter().map(|cell| ratio(cell.size, cell.median()));
        series.push(Series::new(&name, Look::Dots, colour, measured));
        if let Some(signature) = profile.signature(chapter.collective, algorithm, base) {
            let sizes = chapter.sizes();
            let line = sizes.iter().map(|size| ratio(*size, signature.time(most, *size)));
            series.push(Series::new(&name, Look::Dashes, colour, line));
        }
        colour += 1;
    }
    finished(
        format!("{}: how many times as long as without contention", chapter.collective),
        "Measured median over (n − 1)·(α + β·m), the time without contention, for the most processes that were \
         measured. Dashed: the contention signature γ, δ, M of the papers."
            .to_owned(),
        (chapter.size_title(), Quantity::Bytes, true),
        ("time over contention-free time", Quantity::Number, true),
        series,
        &[],
    )
}

/// M(n): the size from which ports overflow, over process counts, beside the sizes that lost packets.
pub fn onset(chapter: &Chapter) -> Option<Figure> {
    let place = |procs: Procs| f64::from(procs.get());
    let mut series = Vec::new();
    // The algorithms that exchange everything at once share one onset.
    let mut drawn: Vec<Vec<(Procs, Overflow)>> = Vec::new();
    for (colour, algorithm) in chapter.algorithms.iter().enumerate() {
        let lost = lost(chapter, algorithm).into_iter();
        let lost = lost.map(|(procs, size)| (place(procs), size.as_f64()));
        series.push(Series::new(algorithm, Look::Dots, colour, lost));
        let onsets = onsets(chapter, algorithm);
        if drawn.contains(&onsets) {
            continue;
        }
        let line = onsets.iter().map(|(procs, onset)| (place(*procs), onset.from.as_f64()));
        let band = onsets.iter().map(|(procs, onset)| {
            let [lower, upper] = onset.interval.map(Bytes::as_f64);
            (place(*procs), lower, upper)
        });
        series.push(Series::band(algorithm, colour, band));
        series.push(Series::new(algorithm, Look::Line, colour, line));
        drawn.push(onsets);
    }
    finished(
        format!("{}: size from which ports overflow, M(n)", chapter.collective),
        "Predicted size from which the ports of the switch overflow, with its interval, over the number of \
         processes. Marks: the smallest measured size from which on repetitions lost a packet or more in the mean."
            .to_owned(),
        ("processes", Quantity::Number, false),
        (chapter.size_title(), Quantity::Bytes, true),
        series,
        &[],
    )
}

/// Predicted overflows of an algorithm by process count, where the profile knows them.
pub fn onsets(chapter: &Chapter, algorithm: &str) -> Vec<(Procs, Overflow)> {
    let Some(predictor) = chapter.predictors.get(algorithm) else {
        return Vec::new();
    };
    let sizes = chapter.sizes();
    let counts = chapter.sheets.iter().map(|sheet| sheet.procs);
    let counts = counts.filter(|procs| procs.get() > 2);
    let first = |procs: Procs| {
        let all = sizes.iter().rev();
        let known = |size: &Bytes| predictor.predictor.overflow(procs, *size);
        let onset = all.filter_map(known).find(|onset| onset.is_known)?;
        Some((procs, onset))
    };
    counts.filter_map(first).collect()
}

/// The smallest size of each process count from which on repetitions lose packets: one or more in the mean, and
/// at the next larger size too, for single losses have other causes. Cells in which processes waited for
/// processors do not count.
pub fn lost(chapter: &Chapter, algorithm: &str) -> Vec<(Procs, Bytes)> {
    let counts: BTreeSet<Procs> = chapter.cells_of(algorithm).map(|cell| cell.procs).collect();
    let first = |procs: Procs| {
        let cells = chapter.cells_of(algorithm);
        let cells = cells.filter(|cell| cell.procs == procs && !cell.is_busy);
        let losses: Vec<(Bytes, f64)> = cells.filter_map(|cell| Some((cell.size, cell.retransmits?))).collect();
        let is_lossy = |place: usize| losses.get(place).is_none_or(|(_, lost)| *lost >= 1.0);
        let begin = (0..losses.len()).find(|&place| is_lossy(place) && is_lossy(place + 1))?;
        Some((procs, losses[begin].0))
    };
    counts.into_iter().filter_map(first).collect()
}
