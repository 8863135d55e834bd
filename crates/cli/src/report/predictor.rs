//! The table from which the page predicts: curves of all candidates, by process count.

use std::collections::BTreeMap;

use netsig_base::algorithm::{LIBRARY, Method};
use netsig_model::predict::curve::{Curve, Knot};
use serde_json::{Value, json};

use super::chapter::Chapter;

/// Steps of a logarithm in the table: times are rounded to 0.025 %.
const STEPS: f64 = 2000.0;

/// The table of a chapter as JSON: names of algorithms with the settings that take them, names of standings, and
/// by process count the curves.
///
/// A curve has lists of one number for each knot: sizes; 2000·ln of the time in seconds; 2000·ln of time over lower
/// end, of upper end over time, and of the time of the ranking over time. In all of them a number is the
/// difference to the one before, and null where there is none. `name` and `standing` list pairs of a knot and the
/// number that holds from it on, `breaks` the knots that the curve does not continue from.
pub fn table(chapter: &Chapter) -> Value {
    let mut names = Names::default();
    let mut standings = Names::default();
    let counts = chapter.sheets.iter().map(|sheet| {
        let curves = sheet.curves.iter();
        let curves: Vec<Value> = curves
            .map(|curve| of_curve(curve, &mut names, &mut standings))
            .collect();
        json!({ "procs": sheet.procs.get(), "curves": curves })
    });
    let counts: Vec<Value> = counts.collect();
    let setting = |name: &String| {
        let method = Method::parse(chapter.collective, name).ok()?;
        let setting = method.setting(chapter.flavour()?)?;
        Some(setting.to_string()).filter(|_| name != LIBRARY)
    };
    json!({
        "collective": chapter.collective.to_string(),
        "profile": chapter.subject.name,
        "sizeTitle": chapter.size_title(),
        "settings": names.all.iter().map(setting).collect::<Vec<_>>(),
        "names": names.all,
        "standings": standings.all,
        "counts": counts,
    })
}

/// Names by number, in the order in which they were met.
#[derive(Default)]
struct Names {
    all: Vec<String>,
    numbers: BTreeMap<String, usize>,
}

impl Names {
    fn number(&mut self, name: String) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.all.push(name);
        }
        number
    }
}

fn of_curve(curve: &Curve, names: &mut Names, standings: &mut Names) -> Value {
    let knots = &curve.knots;
    let log = |of: &dyn Fn(&Knot) -> Option<f64>| differences(knots.iter().map(|knot| Some(of(knot)?.ln() * STEPS)));
    let time = |knot: &Knot| knot.prediction.time.0;
    let breaks = knots.iter().enumerate().filter(|(_, knot)| !knot.goes_on);
    json!({
        "size": differences(knots.iter().map(|knot| Some(knot.size.as_f64()))),
        "time": log(&|knot| Some(time(knot))),
        "lower": log(&|knot| Some(time(knot) / knot.prediction.interval?.lower.0)),
        "upper": log(&|knot| Some(knot.prediction.interval?.upper.0 / time(knot))),
        "order": log(&|knot| Some(knot.cautious.0 / time(knot))),
        "name": runs(knots.iter().map(|knot| names.number(knot.algorithm.clone()))),
        "standing": runs(
            knots.iter().map(|knot| standings.number(knot.prediction.standing.to_string())),
        ),
        "breaks": breaks.map(|(place, _)| place).collect::<Vec<_>>(),
    })
}

/// Each number, rounded, less the one before; `None` for numbers that are not finite.
fn differences(values: impl Iterator<Item = Option<f64>>) -> Vec<Option<i64>> {
    let mut last = 0;
    values
        .map(|value| {
            let value = value.filter(|value| value.is_finite())?.round();
            #[expect(
                clippy::cast_possible_truncation,
                reason = "sizes and 2000·ln of times are far below 2^63"
            )]
            let value = value as i64;
            Some(value - std::mem::replace(&mut last, value))
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
