//! The measured cells of a chapter for the script, and which of them it compares.

use std::collections::BTreeMap;

use netsig_base::algorithm::LIBRARY;
use netsig_base::units::{Bytes, Procs};
use netsig_model::verdict::CellFinding;
use serde_json::{Value, json};

use super::chapter::CollectiveChapter;
use super::figure::five_digits;

/// Cells of one process count and size: the library's own choice, and the best other algorithm.
#[derive(Debug)]
pub struct CellContest {
    /// Number of processes.
    pub procs: Procs,
    /// Bytes per destination or message.
    pub size: Bytes,
    /// Places of the cells among those of the chapter, the library's first.
    pub places: Vec<usize>,
}

/// The contests of a chapter, by process count and size. The best other algorithm is the one with the shortest
/// predicted median, or where none is predicted, with the shortest measured one.
pub fn contests(chapter: &CollectiveChapter) -> Vec<CellContest> {
    let mut by_case: BTreeMap<(Procs, Bytes), Vec<usize>> = BTreeMap::new();
    let counted = chapter.cells.iter().enumerate().filter(|(_, cell)| !cell.is_busy);
    for (place, cell) in counted {
        by_case.entry((cell.procs, cell.size)).or_default().push(place);
    }
    let time = |place: usize| {
        let cell = &chapter.cells[place];
        cell.prediction.map_or(cell.median(), |prediction| prediction.time).0
    };
    let contest = |((procs, size), places): ((Procs, Bytes), Vec<usize>)| {
        let is_library = |place: &usize| chapter.cells[*place].algorithm == LIBRARY;
        let (library, others): (Vec<usize>, Vec<usize>) = places.into_iter().partition(is_library);
        let best = others.into_iter().min_by(|a, b| time(*a).total_cmp(&time(*b)));
        CellContest {
            procs,
            size,
            places: library.into_iter().chain(best).collect(),
        }
    };
    by_case.into_iter().map(contest).collect()
}

/// The contest that the library loses by the largest measured ratio, or without one the last.
pub fn widest(chapter: &CollectiveChapter, contests: &[CellContest]) -> Option<usize> {
    let ratio = |contest: &CellContest| match contest.places[..] {
        [library, best] => chapter.cells[library].median() / chapter.cells[best].median(),
        _ => 0.0,
    };
    let ratios = contests.iter().map(ratio).enumerate();
    ratios.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, _)| place)
}

/// The cells as JSON.
///
/// `names` and `colours` are those of the algorithms, `interval` is the name of the intervals. `contests` lists process
/// count, size and the places of the cells of each contest; `widest` is the place of the one to show first.
///
/// A cell of `cells` lists the number of the algorithm, processes, size, and 1 if the profile was not fitted to the
/// process count. The median follows, the predicted median and the ends of its interval or null, and the repetitions.
pub fn table(chapter: &CollectiveChapter) -> Value {
    let contests = contests(chapter);
    let colours = chapter.algorithms.iter().map(|name| chapter.hues.paint(name));
    json!({
        "names": chapter.algorithms,
        "colours": colours.collect::<Vec<_>>(),
        "interval": chapter.interval_name(),
        "sizeTitle": chapter.size_title(),
        "widest": widest(chapter, &contests),
        "contests": contests
            .iter()
            .map(|contest| json!([contest.procs.get(), contest.size.0, contest.places]))
            .collect::<Vec<_>>(),
        "cells": chapter.cells.iter().map(|cell| cell_json(chapter, cell)).collect::<Vec<_>>(),
    })
}

fn cell_json(chapter: &CollectiveChapter, cell: &CellFinding) -> Value {
    let algorithm = chapter.algorithms.iter().position(|name| *name == cell.algorithm);
    let predicted = cell.prediction.map(|prediction| five_digits(prediction.time.0));
    let interval = cell.prediction.and_then(|prediction| prediction.interval);
    let times: Vec<f64> = cell.times.iter().copied().map(five_digits).collect();
    json!([
        algorithm,
        cell.procs.get(),
        cell.size.0,
        u8::from(cell.is_held_out),
        five_digits(cell.median().0),
        predicted,
        interval.map(|ends| five_digits(ends.lower.0)),
        interval.map(|ends| five_digits(ends.upper.0)),
        times,
    ])
}
