//! Lost packets and stalled repetitions of an algorithm.

use super::{among, counts, finished};
use crate::report::chapter::Chapter;
use crate::report::figure::{Figure, Look, Series};
use crate::report::scale::Quantity;

/// Retransmitted packets of a repetition over sizes.
pub fn losses(chapter: &Chapter, algorithm: &str) -> Option<Figure> {
    let counts = counts(chapter, algorithm);
    let mut series = Vec::new();
    for (colour, &procs) in counts.iter().enumerate() {
        let cells = chapter.cells_of(algorithm).filter(|cell| cell.procs == procs);
        let points: Vec<(f64, f64)> = cells
            .filter_map(|cell| Some((cell.size.as_f64(), cell.retransmits?)))
            .collect();
        let name = format!("{procs} processes");
        series.push(Series::new(&name, Look::Line, colour, points.iter().copied()));
        series.push(Series::new(&name, Look::Dots, colour, points));
    }
    let has_losses = series.iter().any(|own| own.heights().any(|lost| lost > 0.0));
    let figure = finished(
        format!("{} {algorithm}: lost packets", chapter.collective),
        format!(
            "Retransmitted segments of all hosts in a repetition, in the mean, over the size, for {}.",
            among(&counts)
        ),
        (chapter.size_title(), Quantity::Bytes, true),
        ("retransmitted segments of a repetition", Quantity::Number, false),
        series,
        &[0.0],
    );
    figure.filter(|_| has_losses)
}

/// Share of stalled repetitions over sizes, measured and predicted.
pub fn stalls(chapter: &Chapter, algorithm: &str) -> Option<Figure> {
    let counts = counts(chapter, algorithm);
    let mut series = Vec::new();
    for (colour, &procs) in counts.iter().enumerate() {
        let name = format!("{procs} processes");
        let cells = || chapter.cells_of(algorithm).filter(|cell| cell.procs == procs);
        let measured = cells().filter_map(|cell| Some((cell.size.as_f64(), cell.stalled?)));
        let predicted = cells().filter_map(|cell| Some((cell.size.as_f64(), cell.stalling?)));
        series.push(Series::new(&name, Look::Dots, colour, measured));
        series.push(Series::new(&name, Look::Dashes, colour, predicted));
    }
    let has_stalls = series.iter().any(|own| own.heights().any(|share| share > 0.01));
    let figure = finished(
        format!("{} {algorithm}: stalled repetitions", chapter.collective),
        format!(
            "Share of the repetitions that took 100 ms or more longer than usual, as TCP does until a tail-loss \
             probe or a time-out, over the size, for {}; dashed: predicted.",
            among(&counts)
        ),
        (chapter.size_title(), Quantity::Bytes, true),
        ("share of stalled repetitions", Quantity::Percent, false),
        series,
        &[0.0, 1.0],
    );
    figure.filter(|_| has_stalls)
}
