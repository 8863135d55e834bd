//! What netsig's own model promises, as data, and whether it is kept.

use std::collections::BTreeMap;

use netsig_core::algorithm::Collective;
use netsig_core::units::Seconds;

use super::campaign::{Cost, JUDGED};
use super::contenders::{OURS, PUBLISHED};
use super::score::{POOLED, Scope, Scored, Subject};
use super::split::Trial;

use Collective::{Alltoall, Bcast, Scatter};
use Scope::{All, Contended};
use Trial::{Eight, Four, Osu};

/// The most that the errors of an algorithm may be: their median and their 90th percentile.
struct Target {
    trial: Trial,
    collective: Collective,
    scope: Scope,
    most: [f64; 2],
}

const TARGETS: [Target; 8] = [
    target(Eight, Alltoall, All, [0.03, 0.10]),
    target(Eight, Alltoall, Contended, [0.05, 0.15]),
    target(Four, Alltoall, All, [0.05, 0.15]),
    target(Four, Alltoall, Contended, [0.08, 0.20]),
    target(Osu, Alltoall, All, [0.04, 0.12]),
    target(Osu, Alltoall, Contended, [0.06, 0.18]),
    target(Eight, Bcast, All, [0.05, 0.15]),
    target(Eight, Scatter, All, [0.05, 0.15]),
];

/// The most that the 90th percentile may be of the best other's, of cells of all judged
/// all-to-alls together.
const OF_BEST_OTHER: f64 = 0.5;

/// The most that it may be of the published signature's.
const OF_PUBLISHED: f64 = 0.2;

/// How many of the held-out medians lie in their intervals, in shares.
const COVERAGE: [f64; 2] = [0.90, 0.99];

/// The most that the data of a profile may take.
const COST: Seconds = Seconds(60.0);

const fn target(trial: Trial, collective: Collective, scope: Scope, most: [f64; 2]) -> Target {
    Target {
        trial,
        collective,
        scope,
        most,
    }
}

/// A target with what came out.
pub(super) struct Verdict {
    text: String,
    pub(super) is_met: bool,
}

impl Verdict {
    pub(super) fn line(&self) -> String {
        let verdict = if self.is_met { "met" } else { "MISSED" };
        format!("{}  {verdict}", self.text)
    }

    /// A share that lies between two others, both included; nothing is never met.
    fn within(what: &str, value: Option<f64>, [least, most]: [f64; 2]) -> Self {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let range = if least > 0.0 {
            format!("{}..{}", percent(least), percent(most))
        } else {
            format!("<= {}", percent(most))
        };
        let shown = value.map_or("no predictions".to_owned(), percent);
        Self {
            text: format!("{what}  {shown}  {range}"),
            is_met: value.is_some_and(|value| (least..=most).contains(&value)),
        }
    }
}

/// All targets.
pub(super) fn verdicts(
    scores: &BTreeMap<Subject, Vec<Scored>>,
    costs: &[(&'static str, Cost)],
) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (subject, contenders) in scores {
        let ours = contenders.iter().find(|scored| scored.contender == OURS);
        if subject.algorithm == POOLED {
            verdicts.extend(together(subject, contenders, ours));
        } else if is_judged(subject) {
            let own = TARGETS.iter().filter(|target| {
                (target.trial, target.collective) == (subject.trial, subject.collective)
            });
            verdicts.extend(own.flat_map(|target| target.verdicts(subject, (contenders, ours))));
        }
    }
    for (network, cost) in costs {
        verdicts.push(Verdict {
            text: format!(
                "{network} profile-timed  {:.1} s  <= {:.0} s",
                cost.timed.0, COST.0
            ),
            is_met: cost.timed <= COST,
        });
    }
    verdicts
}

fn is_judged(subject: &Subject) -> bool {
    subject.collective != Alltoall || JUDGED.contains(&subject.algorithm.as_str())
}

fn name(subject: &Subject) -> String {
    let Subject {
        trial,
        network,
        collective,
        algorithm,
    } = subject;
    format!("{network} {} {collective} {algorithm}", trial.name())
}

impl Target {
    /// Of the median and of the 90th percentile; none where no cell counts.
    fn verdicts(
        &self,
        subject: &Subject,
        (contenders, ours): (&[Scored], Option<&Scored>),
    ) -> Vec<Verdict> {
        if !contenders
            .iter()
            .any(|scored| scored.within(self.scope).is_some())
        {
            return Vec::new();
        }
        let score = ours.and_then(|ours| ours.within(self.scope));
        let cells = match self.scope {
            All => "all",
            Contended => "contended",
        };
        let values = score.map(|score| [score.median, score.p90]);
        [("median", 0), ("p90", 1)]
            .map(|(quantile, place)| {
                let what = format!("{} {cells} {quantile}", name(subject));
                let value = values.map(|values| values[place]);
                Verdict::within(&what, value, [0.0, self.most[place]])
            })
            .into()
    }
}

/// Coverage, and the errors beside those of others, over the algorithms of a collective.
fn together(subject: &Subject, contenders: &[Scored], ours: Option<&Scored>) -> Vec<Verdict> {
    if subject.trial != Eight {
        return Vec::new();
    }
    let name = name(subject);
    let coverage = ours.and_then(|ours| ours.all.coverage);
    let mut verdicts = vec![Verdict::within(
        &format!("{name} coverage"),
        coverage,
        COVERAGE,
    )];
    if subject.collective == Alltoall {
        let best = contenders
            .iter()
            .filter(|other| !other.contender.starts_with(OURS))
            .filter(|other| ours.is_none_or(|ours| ours.all.cells == other.all.cells))
            .min_by(|a, b| a.all.p90.total_cmp(&b.all.p90));
        let published = contenders.iter().find(|other| other.contender == PUBLISHED);
        for (other, most) in [(best, OF_BEST_OTHER), (published, OF_PUBLISHED)] {
            let Some(other) = other else { continue };
            let what = format!("{name} p90 of that of {}", other.contender);
            let value = ours.map(|ours| ours.all.p90 / other.all.p90);
            verdicts.push(Verdict::within(&what, value, [0.0, most]));
        }
    }
    verdicts
}

#[cfg(test)]
mod tests {
    use super::super::score::{Row, scores, tests::row};
    use super::*;

    /// Ten cells each: ours 2 % off, the best other 8 %, the published 20 %.
    fn rows(ours: f64) -> Vec<Row> {
        let all = [(OURS, ours), ("lines", 0.08), (PUBLISHED, 0.20)];
        let rows = all.map(|(contender, error)| vec![row(contender, error); 10]);
        rows.concat()
    }

    fn missed(rows: &[Row]) -> Vec<String> {
        let verdicts = verdicts(&scores(rows), &[]);
        let missed = verdicts.iter().filter(|verdict| !verdict.is_met);
        missed.map(Verdict::line).collect()
    }

    #[test]
    fn targets_are_kept_and_missed_one_by_one() {
        let without_intervals = "toy up-to-8 alltoall pooled coverage  no predictions  \
                                 90.0 %..99.0 %  MISSED";
        assert_eq!(missed(&rows(0.02)), [without_intervals]);
        let median = "toy up-to-8 alltoall direct all median  3.5 %  <= 3.0 %  MISSED";
        assert_eq!(missed(&rows(0.035)), [median, without_intervals]);
        let half = "toy up-to-8 alltoall pooled p90 of that of lines  56.2 %  <= 50.0 %  MISSED";
        assert!(missed(&rows(0.045)).contains(&half.to_owned()));
    }

    #[test]
    fn a_model_that_is_not_there_misses_its_targets() {
        let others: Vec<Row> = rows(0.0).split_off(10);
        assert_eq!(missed(&others).len(), 4 + 3);
    }

    #[test]
    fn a_profile_that_costs_too_much_is_told() {
        let cost = |timed| Cost {
            wall: Seconds(90.0),
            timed: Seconds(timed),
        };
        let verdicts = verdicts(
            &BTreeMap::new(),
            &[("toy", cost(60.0)), ("toy", cost(60.5))],
        );
        let met: Vec<bool> = verdicts.iter().map(|verdict| verdict.is_met).collect();
        assert_eq!(met, [true, false]);
    }
}
