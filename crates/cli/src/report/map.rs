//! The selection map: the best algorithm over process counts and sizes, with its gain.

use itertools::Itertools as _;
use netsig_model::predict::ranking::CaseRanking;
use netsig_model::predict::select::Ranked;
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
    /// The map of a chapter's cases; `None` if there is no choice.
    pub fn of(chapter: &Chapter, cases: &[CaseRanking]) -> Option<Self> {
        let sizes = chapter.sizes();
        let mut names: Vec<String> = Vec::new();
        let mut tile = |case: &CaseRanking| {
            let mut standing = case.standing();
            let (first, second) = (standing.next()?, standing.next());
            let family = first.family().to_owned();
            let known = names.iter().position(|name| *name == family);
            let best = known.unwrap_or_else(|| {
                names.push(family);
                names.len() - 1
            });
            let gain = |other: &Ranked| other.prediction.time / first.prediction.time;
            Some(Tile {
                best,
                gain: case.library().or(second).map(gain).map(digits),
                words: words(case, first),
            })
        };
        let rows = cases.chunks(sizes.len().max(1));
        let tiles: Vec<Vec<Option<Tile>>> = rows.map(|row| row.iter().map(&mut tile).collect()).collect();
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
fn words(case: &CaseRanking, first: &Ranked) -> String {
    let others = case.standing().nth(1).into_iter().chain(case.library());
    let others = others.unique_by(|one| one.algorithm());
    let others = others.filter(|other| other.family() != first.family());
    let beside = |other: &Ranked| {
        let (ratio, name) = (other.prediction.time / first.prediction.time, other.algorithm());
        if ratio < 1.0 {
            let gain = ratio.recip();
            format!("; {name} may be {gain:.2} times as fast, which is not sure")
        } else {
            format!(", {ratio:.2} times as fast as {name}")
        }
    };
    let beside: String = others.map(beside).collect();
    format!("{}: {}{beside}", first.algorithm(), first.prediction.time)
}
