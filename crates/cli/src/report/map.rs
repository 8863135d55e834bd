//! The selection map: the best algorithm over process counts and sizes, with its gain.

use std::fmt::Write as _;

use itertools::Itertools as _;
use netsig_core::algorithm::LIBRARY;
use netsig_core::predict::select::Ranked;
use netsig_core::units::{Bytes, Procs};
use serde::Serialize;

use super::chapter::Chapter;
use super::figure::digits;

/// The best algorithms.
#[derive(Debug, Serialize)]
pub struct Map {
    /// Name of the horizontal axis.
    pub size_title: String,
    /// Algorithms that are the best somewhere.
    pub names: Vec<String>,
    /// Process counts, one row each.
    pub rows: Vec<String>,
    /// Sizes, one column each.
    pub columns: Vec<String>,
    /// By row and column; `None` where nothing is predicted.
    pub tiles: Vec<Vec<Option<Tile>>>,
}

/// The best algorithm for a process count and size.
#[derive(Debug, Serialize)]
pub struct Tile {
    /// Number of the best algorithm.
    pub best: usize,
    /// Predicted time of the library's own choice over that of the best; without it, of the second best.
    pub gain: Option<f64>,
    /// The best algorithm, its time, and the ratios to the second best and the library's own choice.
    pub words: String,
}

impl Map {
    /// The map of a chapter; `None` if there is no choice.
    pub fn of(chapter: &Chapter) -> Option<Self> {
        let sizes = chapter.sizes();
        let procs: Vec<Procs> = chapter.sheets.iter().map(|sheet| sheet.procs).collect();
        let mut names: Vec<String> = Vec::new();
        let mut tile = |procs: Procs, size: Bytes| {
            let ranked = chapter.selector.as_ref()?.rank(procs, size).ok()?;
            let standing: Vec<Ranked> = ranked.into_iter().filter(Ranked::stands).collect();
            let (first, second) = (standing.first()?, standing.get(1));
            let library = standing.iter().find(|one| one.algorithm() == LIBRARY);
            let over = |other: &Ranked| other.prediction.time / first.prediction.time;
            let mut words = format!("{}: {}", first.algorithm(), first.prediction.time);
            let others = second
                .into_iter()
                .chain(library)
                .unique_by(|one| one.algorithm());
            for other in others.filter(|other| other.family() != first.family()) {
                let (ratio, name) = (over(other), other.algorithm());
                let _ = if ratio < 1.0 {
                    let gain = ratio.recip();
                    write!(
                        words,
                        "; {name} may be {gain:.2} times as fast, which is not sure"
                    )
                } else {
                    write!(words, ", {ratio:.2} times as fast as {name}")
                };
            }
            let family = first.family().to_owned();
            let known = names.iter().position(|name| *name == family);
            let best = known.unwrap_or_else(|| {
                names.push(family);
                names.len() - 1
            });
            Some(Tile {
                best,
                gain: library.or(second).map(over).map(digits),
                words,
            })
        };
        let tiles: Vec<Vec<Option<Tile>>> = procs
            .iter()
            .map(|&procs| sizes.iter().map(|&size| tile(procs, size)).collect())
            .collect();
        (!names.is_empty()).then(|| Self {
            rows: procs.iter().map(ToString::to_string).collect(),
            columns: sizes.iter().map(ToString::to_string).collect(),
            size_title: chapter.size_title().to_owned(),
            names,
            tiles,
        })
    }
}
