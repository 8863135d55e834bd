//! The table from which the page predicts: curves of all candidates, by process count.

use std::collections::{BTreeMap, BTreeSet};

use netsig_base::algorithm::{CollectiveMethod, LIBRARY};
use netsig_base::units::Procs;
use netsig_model::predict::curve::{CurveKnot, TimeCurve};
use netsig_model::verdict::WorthwhileChange;
use serde_json::{Value, json};

use super::chapter::CollectiveChapter;

/// Steps of a logarithm in the table: times are rounded to 0.025 %.
const STEPS: f64 = 2000.0;

/// The table of a chapter as JSON: names of algorithms with the settings that take them, names of standings, and
/// by process count the curves.
///
/// A curve has lists of one number for each knot: sizes; 2000·ln of the time in seconds; 2000·ln of time over lower
/// end, of upper end over time, and of the time of the ranking over time. Each number is the difference to the previous
/// one, or null where there is none. `name` and `standing` list pairs of a knot and the number that holds from it on.
/// `held` has such pairs with 1 where the time of the ranking is that of the library's own choice. `breaks` are the
/// knots that the curve does not continue from.
///
/// The script ranks as [`CandidateRanker::rank`](netsig_model::predict::select::CandidateRanker::rank). A time that is
/// held to the library's is equal to it, as it is there. Other times of the ranking are off by up to twice the
/// [tolerance](netsig_model::predict::curve::TOLERANCE) and half a step. Two candidates whose times differ by less than
/// twice that, 0.85 %, may change places.
pub fn table(chapter: &CollectiveChapter) -> Value {
    let mut names = NumberedNames::default();
    let mut standings = NumberedNames::default();
    let sheet_tables = chapter.sheets.iter().map(|sheet| {
        let sheet_curves = sheet.curves.iter();
        let curves: Vec<Value> = sheet_curves
            .map(|curve| curve_json(curve, &mut names, &mut standings))
            .collect();
        json!({ "procs": sheet.procs.get(), "curves": curves })
    });
    let counts: Vec<Value> = sheet_tables.collect();
    let setting = |name: &String| {
        let method = CollectiveMethod::parse(chapter.collective, name).ok()?;
        let setting = method.mpi_setting(chapter.flavour()?)?;
        Some(setting.to_string()).filter(|_| name != LIBRARY)
    };
    json!({
        "collective": chapter.collective.to_string(),
        "profile": chapter.subject.short_name(),
        "sizes": control_sizes(chapter),
        "start": start(chapter),
        "sizeTitle": chapter.size_title(),
        "settings": names.all.iter().map(setting).collect::<Vec<_>>(),
        "names": names.all,
        "standings": standings.all,
        "counts": counts,
    })
}

/// The process count and size that the page shows first: of the largest gain, else the most measured processes.
fn start(chapter: &CollectiveChapter) -> Value {
    let change = &chapter.verdict.change;
    let changes = [&change.setting, &change.preloaded].into_iter().flatten();
    let largest = changes
        .map(WorthwhileChange::largest)
        .max_by(|a, b| a.gain.total_cmp(&b.gain));
    let procs = change.procs.or_else(|| chapter.measured_procs().last().copied());
    json!({
        "procs": procs.map_or(2, Procs::get),
        "size": largest.map_or(65_536, |gain| gain.size.0),
    })
}

/// The sizes of the slider: the measured ones, and powers of two between them.
fn control_sizes(chapter: &CollectiveChapter) -> Vec<u64> {
    let measured = chapter.cells.iter().map(|cell| cell.size);
    let sizes: BTreeSet<u64> = measured.chain(chapter.sizes()).map(|size| size.0).collect();
    sizes.into_iter().filter(|size| *size > 0).collect()
}

/// Names by number, in the order in which they were met.
#[derive(Default)]
struct NumberedNames {
    all: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl NumberedNames {
    fn number_of(&mut self, name: String) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.all.push(name);
        }
        number
    }
}

fn curve_json(curve: &TimeCurve, names: &mut NumberedNames, standings: &mut NumberedNames) -> Value {
    let knots = &curve.knots;
    let log =
        |of: &dyn Fn(&CurveKnot) -> Option<f64>| differences(knots.iter().map(|knot| Some(of(knot)?.ln() * STEPS)));
    let time = |knot: &CurveKnot| knot.prediction.time.0;
    let breaks = knots.iter().enumerate().filter(|(_, knot)| !knot.is_continued);
    json!({
        "size": differences(knots.iter().map(|knot| Some(knot.size.as_f64()))),
        "time": log(&|knot| Some(time(knot))),
        "lower": log(&|knot| Some(time(knot) / knot.prediction.interval?.lower.0)),
        "upper": log(&|knot| Some(knot.prediction.interval?.upper.0 / time(knot))),
        "order": log(&|knot| Some(knot.cautious_time.0 / time(knot))),
        "name": runs(knots.iter().map(|knot| names.number_of(knot.algorithm.clone()))),
        "held": runs(knots.iter().map(|knot| usize::from(knot.is_held_to_library))),
        "standing": runs(
            knots.iter().map(|knot| standings.number_of(knot.prediction.standing.to_string())),
        ),
        "breaks": breaks.map(|(place, _)| place).collect::<Vec<_>>(),
    })
}

/// Each number, rounded, less the one before; `None` for numbers that are not finite.
fn differences(values: impl Iterator<Item = Option<f64>>) -> Vec<Option<i64>> {
    let mut last = 0;
    values
        .map(|value| {
            let rounded = value.filter(|value| value.is_finite())?.round();
            #[expect(
                clippy::cast_possible_truncation,
                reason = "sizes and 2000·ln of times are far below 2^63"
            )]
            let number = rounded as i64;
            Some(number - std::mem::replace(&mut last, number))
        })
        .collect()
}

/// Pairs of a place and the number that holds from it on.
fn runs(numbers: impl Iterator<Item = usize>) -> Vec<[usize; 2]> {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for (place, number) in numbers.enumerate() {
        if runs.last().is_none_or(|run| run[1] != number) {
            runs.push([place, number]);
        }
    }
    runs
}
