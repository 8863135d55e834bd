//! The selection map: the best algorithm over process counts and sizes, with its gain.

use itertools::Itertools as _;
use netsig_model::predict::ranking::CaseRanking;
use netsig_model::predict::select::RankedCandidate;
use serde::Serialize;

use super::chapter::CollectiveChapter;
use super::figure::five_digits;

/// The best algorithms.
#[derive(Debug, Serialize)]
pub struct SelectionMap {
    /// Name of the horizontal axis.
    pub size_title: String,
    /// Algorithms that are the best somewhere.
    pub names: Vec<String>,
    /// Process counts, one row each.
    pub rows: Vec<String>,
    /// Sizes, one column each.
    pub columns: Vec<String>,
    /// By row and column; `None` where nothing is predicted.
    pub tiles: Vec<Vec<Option<MapTile>>>,
}

/// The best algorithm for a process count and size.
#[derive(Debug, Serialize)]
pub struct MapTile {
    /// Number of the best algorithm.
    pub best: usize,
    /// Predicted time of the library's own choice over that of the best; without it, of the second best.
    pub gain: Option<f64>,
    /// The best algorithm, its time, and the ratios to the second best and the library's own choice.
    pub words: String,
}

impl SelectionMap {
    /// Height of the drawing in pixels.
    pub fn height(&self) -> usize {
        (110 + 22 * self.rows.len()).max(320)
    }

    /// The map of a chapter's cases; `None` if there is no choice.
    pub fn of(chapter: &CollectiveChapter, cases: &[CaseRanking]) -> Option<Self> {
        let sizes = chapter.sizes();
        let mut names: Vec<String> = Vec::new();
        let mut tile = |case: &CaseRanking| {
            let mut standing = case.eligible();
            let (first, second) = (standing.next()?, standing.next());
            let family = first.family().to_owned();
            let known = names.iter().position(|name| *name == family);
            let best = known.unwrap_or_else(|| {
                names.push(family);
                names.len() - 1
            });
            let gain = |other: &RankedCandidate| other.prediction.time / first.prediction.time;
            Some(MapTile {
                best,
                gain: case.library().or(second).map(gain).map(five_digits),
                words: tile_text(case, first),
            })
        };
        let rows = cases.chunks(sizes.len().max(1));
        let tiles: Vec<Vec<Option<MapTile>>> = rows.map(|row| row.iter().map(&mut tile).collect()).collect();
        (!names.is_empty()).then(|| Self {
            rows: chapter.sheets.iter().map(|sheet| sheet.procs.to_string()).collect(),
            columns: sizes.iter().map(ToString::to_string).collect(),
            size_title: chapter.size_title().to_owned(),
            names,
            tiles,
        })
    }
}

/// The best algorithm, its time, and its ratios to the second best and the library's own choice.
fn tile_text(case: &CaseRanking, first: &RankedCandidate) -> String {
    let second_and_library = case.eligible().nth(1).into_iter().chain(case.library());
    let distinct_others = second_and_library.unique_by(|one| one.algorithm());
    let others = distinct_others.filter(|other| other.family() != first.family());
    let comparison = |other: &RankedCandidate| {
        let (ratio, name) = (other.prediction.time / first.prediction.time, other.algorithm());
        if ratio < 1.0 {
            let gain = ratio.recip();
            format!("; {name} may be {gain:.2} times as fast, which is not sure")
        } else {
            format!(", {ratio:.2} times as fast as {name}")
        }
    };
    let comparisons: String = others.map(comparison).collect();
    format!("{}: {}{comparisons}", first.algorithm(), first.prediction.time)
}
