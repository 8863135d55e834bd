//! The targets of netsig's own model.

use std::collections::BTreeMap;

use netsig_core::algorithm::Collective;

use super::campaign::Cost;
use super::contenders::{OURS, PUBLISHED};
use super::score::{POOLED, Scored, Subject};
use super::split::Trial;
use crate::figure::Figure;

use Collective::{Alltoall, Bcast, Scatter};
use Scope::{All, Contended};
use Trial::{Eight, Four, Osu};

/// The cells to which a target applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
enum Scope {
    All,
    Contended,
}

/// Upper bounds of the errors of an algorithm, in per cent: of their median and their 90th
/// percentile.
const TARGETS: [(Trial, Collective, Scope, [f64; 2]); 8] = [
    (Eight, Alltoall, All, [3.0, 10.0]),
    (Eight, Alltoall, Contended, [5.0, 15.0]),
    (Four, Alltoall, All, [5.0, 15.0]),
    (Four, Alltoall, Contended, [8.0, 20.0]),
    (Osu, Alltoall, All, [4.0, 12.0]),
    (Osu, Alltoall, Contended, [6.0, 18.0]),
    (Eight, Bcast, All, [5.0, 15.0]),
    (Eight, Scatter, All, [5.0, 15.0]),
];

/// Upper bound of our 90th percentile relative to the best other contender's, over all judged
/// all-to-alls, in per cent.
const OF_BEST_OTHER: f64 = 50.0;

/// Upper bound of our 90th percentile relative to the published signature's, in per cent.
const OF_PUBLISHED: f64 = 20.0;

/// Bounds of the share of held-out medians inside their intervals, in per cent.
const COVERAGE: [f64; 2] = [90.0, 99.0];

/// Upper bound of the time to measure the data of a profile, in seconds.
const COST: f64 = 60.0;

/// All targets with their values.
pub(super) fn figures(
    scores: &BTreeMap<Subject, Vec<Scored>>,
    costs: &[(&'static str, Cost)],
) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (subject, contenders) in scores {
        let ours = contenders.iter().find(|scored| scored.contender == OURS);
        if subject.algorithm == POOLED {
            figures.extend(together(subject, contenders, ours));
        } else if subject.is_judged() {
            figures.extend(alone(subject, contenders, ours));
        }
    }
    figures.extend(costs.iter().map(|(network, cost)| {
        let name = format!("{network} profile-timed");
        Figure::new(name, vec![cost.timed.0], COST, "s")
    }));
    figures
}

/// A share with an upper bound, both in per cent.
fn share(name: String, value: Option<f64>, most: f64) -> Figure {
    let percent = value.map(|value| value * 100.0);
    Figure::new(name, percent.into_iter().collect(), most, "%")
}

fn name(subject: &Subject) -> String {
    let Subject { network, trial, .. } = subject;
    format!(
        "{network} {trial} {} {}",
        subject.collective, subject.algorithm
    )
}

/// The median and the 90th percentile of an algorithm; empty if it has no cell in the scope.
fn alone(subject: &Subject, contenders: &[Scored], ours: Option<&Scored>) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (trial, collective, scope, [median, p90]) in TARGETS {
        let score = |scored: &Scored| match scope {
            All => Some(scored.all),
            Contended => scored.contended,
        };
        let is_own = (trial, collective) == (subject.trial, subject.collective);
        if is_own && contenders.iter().any(|other| score(other).is_some()) {
            let name = format!("{} {scope}", name(subject));
            let ours = ours.and_then(score);
            let own = ours.map(|errors| errors.median);
            figures.push(share(format!("{name} median"), own, median));
            let own = ours.map(|errors| errors.p90);
            figures.push(share(format!("{name} p90"), own, p90));
        }
    }
    figures
}

/// Coverage, and errors relative to other contenders, over the algorithms of a collective.
fn together(subject: &Subject, contenders: &[Scored], ours: Option<&Scored>) -> Vec<Figure> {
    if subject.trial != Eight {
        return Vec::new();
    }
    let name = name(subject);
    let [least, most] = COVERAGE;
    let coverage = ours.and_then(|ours| ours.all.coverage);
    let mut figures = vec![Figure {
        target: least..=most,
        ..share(format!("{name} coverage"), coverage, most)
    }];
    if subject.collective == Alltoall {
        let best = contenders
            .iter()
            .filter(|other| !other.contender.starts_with(OURS))
            .filter(|other| ours.is_none_or(|ours| ours.all.points == other.all.points))
            .min_by(|a, b| a.all.p90.total_cmp(&b.all.p90));
        let published = contenders.iter().find(|other| other.contender == PUBLISHED);
        for (other, most) in [(best, OF_BEST_OTHER), (published, OF_PUBLISHED)] {
            let Some(other) = other else { continue };
            let name = format!("{name} p90 of that of {}", other.contender);
            let value = ours.map(|ours| ours.all.p90 / other.all.p90);
            figures.push(share(name, value, most));
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use netsig_core::units::{Bytes, Procs, Seconds};

    use super::super::score::{Row, scores};
    use super::*;

    /// Ten cells of 1 s each, contended but for the last, predicted `error` too high.
    fn rows((contender, error): (&'static str, f64)) -> Vec<Row> {
        let row = |free: f64| Row {
            network: "toy",
            trial: Eight,
            collective: Alltoall,
            algorithm: "direct".to_owned(),
            contender,
            procs: Procs::new(12).unwrap(),
            size_bytes: Bytes(1024),
            measured_s: Seconds(1.0),
            free_s: Some(Seconds(free)),
            predicted_s: Seconds(1.0 + error),
            lower_s: None,
            upper_s: None,
        };
        let last = row(0.84);
        [vec![row(0.83); 9], vec![last]].concat()
    }

    /// The best other is 8 % off, the published model 20 %; without a model of netsig's own all
    /// targets are missed.
    #[test]
    fn targets_are_kept_and_missed_one_by_one() {
        let missed = |ours: Option<f64>| -> Vec<String> {
            let ours = ours.map(|error| (OURS, error));
            let all = ours.into_iter().chain([("lines", 0.08), (PUBLISHED, 0.20)]);
            let scores = scores(&all.flat_map(rows).collect::<Vec<_>>());
            assert!(scores.values().flatten().all(|own| {
                let contended = own.contended.map(|errors| errors.points);
                (own.all.points, contended) == (10, Some(9))
            }));
            let figures = figures(&scores, &[]);
            let missed = figures.iter().filter(|figure| !figure.is_met());
            missed.map(Figure::to_string).collect()
        };
        let without_intervals = "toy up-to-8 alltoall pooled coverage  no value  90..99 %  MISSED";
        assert_eq!(missed(Some(0.02)), [without_intervals]);
        let median = "toy up-to-8 alltoall direct all median  3.500 %  <= 3 %  MISSED";
        assert_eq!(missed(Some(0.035)), [median, without_intervals]);
        let half = "toy up-to-8 alltoall pooled p90 of that of lines  56.250 %  <= 50 %  MISSED";
        assert!(missed(Some(0.045)).contains(&half.to_owned()));
        assert_eq!(missed(None).len(), 4 + 3);
    }
}
