//! The selection map: the best algorithm over process counts and sizes, with its gain.

use itertools::Itertools as _;
use netsig_model::predict::ranking::CaseRanking;
use netsig_model::predict::runtime_choice::GainCertainty;
use netsig_model::predict::select::RankedCandidate;
use serde::Serialize;

use super::chapter::CollectiveChapter;
use super::figure::five_digits;
use super::paint::{AlgorithmHues, SeriesPaint};

/// Least gain whose number a tile shows.
const LEAST_GAIN: f64 = 1.05;

/// The best algorithms.
#[derive(Debug, Serialize)]
pub struct SelectionMap {
    /// Name of the horizontal axis.
    pub size_title: String,
    /// Algorithms that are the best somewhere.
    pub names: Vec<String>,
    /// Their colours.
    pub colours: Vec<SeriesPaint>,
    /// Process counts, one row each.
    pub procs: Vec<u32>,
    /// Sizes in bytes, one column each.
    pub sizes: Vec<u64>,
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
    /// True unless the algorithm was measured and the intervals of both times are apart.
    pub unsure: bool,
    /// The best algorithm, its time, and the ratios to the second best and the library's own choice.
    pub words: String,
}

impl SelectionMap {
    /// Height of the drawing in pixels.
    pub fn height(&self) -> usize {
        (110 + 22 * self.procs.len()).max(320)
    }

    /// The map of a chapter's cases; `None` if there is no choice.
    pub fn of(chapter: &CollectiveChapter, cases: &[CaseRanking]) -> Option<Self> {
        let sizes = chapter.sizes();
        let mut names: Vec<String> = Vec::new();
        let mut tile = |case: &CaseRanking| {
            let mut standing = case.eligible();
            let (first, second) = (standing.next()?, standing.next());
            let family = first.family();
            let known = names.iter().position(|name| name == family);
            let best = known.unwrap_or_else(|| {
                names.push(family.to_owned());
                names.len() - 1
            });
            let gain = |other: &RankedCandidate| other.prediction.time / first.prediction.time;
            let rival = case.library().filter(|library| library.family() != family).or(second);
            let certainty = rival.map(|rival| GainCertainty::of(&first.prediction, &rival.prediction));
            let unsure = !first.is_measured() || certainty == Some(GainCertainty::Unsure);
            Some(MapTile {
                best,
                gain: case.library().or(second).map(gain).map(five_digits),
                unsure,
                words: tile_text(case, first) + unsure_words(first, unsure),
            })
        };
        let rows = cases.chunks(sizes.len().max(1));
        let tiles: Vec<Vec<Option<MapTile>>> = rows.map(|row| row.iter().map(&mut tile).collect()).collect();
        let known_names = chapter.algorithms.iter().chain(&names).map(String::as_str);
        let hues = AlgorithmHues::of(chapter.collective, known_names);
        (!names.is_empty()).then(|| Self {
            procs: chapter.sheets.iter().map(|sheet| sheet.procs.get()).collect(),
            sizes: sizes.iter().map(|size| size.0).collect(),
            size_title: chapter.size_title().to_owned(),
            colours: names.iter().map(|name| hues.paint(name)).collect(),
            names,
            tiles,
        })
    }
}

impl MapTile {
    /// The gain as a tile shows it, with a question mark where the choice is not sure; `None` if it is small.
    pub fn number(&self) -> Option<String> {
        let gain = self.gain.filter(|gain| *gain >= LEAST_GAIN)?;
        Some(format!("{gain:.1}{}", if self.unsure { "?" } else { "" }))
    }
}

/// Why the choice is not sure, if it is not.
fn unsure_words(first: &RankedCandidate, unsure: bool) -> &'static str {
    match (unsure, first.is_measured()) {
        (false, _) => "",
        (true, true) => "; not sure, since the intervals overlap",
        (true, false) => "; not sure, since it was never measured",
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
            format!("; {name} may be {gain:.2} times as fast")
        } else {
            format!(", {ratio:.2} times as fast as {name}")
        }
    };
    let comparisons: String = others.map(comparison).collect();
    format!("{}: {}{comparisons}", first.algorithm(), first.prediction.time)
}
