//! The verdict on a collective in three numbers, for the top of the page.

use itertools::Itertools as _;
use maud::{Markup, html};
use netsig_base::algorithm::Collective;
use netsig_base::text::counted;
use netsig_model::verdict::{
    Certainty, ChangeAdvice, CollectiveVerdict, ContentionFinding, ContentionState, PredictionError, WorthwhileChange,
};

/// Least error of predictions that the page marks as bad.
const LARGE_ERROR: f64 = 0.2;

/// A number with its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HeadlineNumber {
    /// The number, or a word.
    number: String,
    /// Its meaning.
    meaning: String,
    /// Where and how it was found.
    detail: String,
    /// Class of its colour: `bad`, `good` or `open`.
    tone: &'static str,
}

/// The three numbers of a verdict with the command of the best change.
pub fn headline(title: &str, verdict: &CollectiveVerdict) -> Markup {
    let numbers = [
        contention(&verdict.contention),
        change(verdict.collective, &verdict.change),
        certainty(&verdict.certainty),
    ];
    html! {
        article.headline {
            h3 { (title) }
            div.numbers {
                @for HeadlineNumber { number, meaning, detail, tone } in &numbers {
                    p class=(tone) { strong { (number) } span { (meaning) } small { (detail) } }
                }
            }
            @if let Some((_, best)) = best_change(&verdict.change) { (command_markup(&best.command, title)) }
        }
    }
}

/// A command for this purpose with a button to copy it, which needs the script.
pub fn command_markup(command: &str, purpose: &str) -> Markup {
    html! {
        div.command {
            // An option with its values is broken only if it is longer than a line.
            pre { code { @for (place, option) in command.split(" --").enumerate() { @if place > 0 { " " } span.word { @if place > 0 { "--" } (option) } } } }
            button.copy type="button" aria-label=(format!("Copy the command for {purpose}")) { "Copy" }
        }
    }
}

/// A number with one decimal below ten.
fn two_digits(number: f64) -> String {
    if number < 9.95 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    }
}

fn contention(finding: &ContentionFinding) -> HeadlineNumber {
    match &finding.state {
        ContentionState::Contended { worst, .. } => HeadlineNumber {
            number: format!("{}×", two_digits(worst.ratio())),
            meaning: finding.relative_to.map_or_else(
                || "as long as without contention".to_owned(),
                |procs| format!("as long as expected from the times among {procs}; no ping-pong was measured"),
            ),
            detail: format!(
                "{}{} among {}: {} against {}",
                worst.subject,
                if worst.size.0 > 0 {
                    format!(" at {}", worst.size)
                } else {
                    String::new()
                },
                worst.procs,
                worst.measured,
                worst.contention_free
            ),
            tone: "bad",
        },
        ContentionState::Free { worst } => match finding.relative_to {
            None => HeadlineNumber {
                number: "Free".to_owned(),
                meaning: "of contention where it was measured".to_owned(),
                detail: format!("at most {:.2}× as long as without it", worst.ratio()),
                tone: "good",
            },
            Some(procs) => HeadlineNumber {
                number: format!("{:.2}×", worst.ratio()),
                meaning: format!("no more contention than among {procs}"),
                detail: format!("no ping-pong was measured, so the contention among {procs} is not known"),
                tone: "open",
            },
        },
        ContentionState::Unknown { reason } => HeadlineNumber {
            number: "?".to_owned(),
            meaning: "contention is not known".to_owned(),
            detail: reason.clone(),
            tone: "open",
        },
    }
}

/// The change with the larger gain, with the way to have it. Sure gains come before others.
fn best_change(advice: &ChangeAdvice) -> Option<(&'static str, &WorthwhileChange)> {
    let setting = advice.setting.as_ref().ok().map(|change| ("by a setting", change));
    let preloaded = advice
        .preloaded
        .as_ref()
        .ok()
        .map(|change| ("under netsig run", change));
    let rank = |change: &WorthwhileChange| (change.largest().is_sure, change.largest().gain);
    match (setting, preloaded) {
        (Some(one), Some(other)) if rank(other.1) > rank(one.1) => Some(other),
        (one, other) => one.or(other),
    }
}

fn change(collective: Collective, advice: &ChangeAdvice) -> HeadlineNumber {
    let Some((way, best)) = best_change(advice) else {
        let reasons = [&advice.setting, &advice.preloaded].map(|change| change.as_ref().err());
        let first_parts = reasons
            .into_iter()
            .flatten()
            .map(|reason| reason.split("; ").next().unwrap_or(reason));
        return HeadlineNumber {
            number: "–".to_owned(),
            meaning: if collective.has_data() {
                "no change is known to be faster".to_owned()
            } else {
                "changes of barriers are not judged".to_owned()
            },
            detail: first_parts.unique().join(" · "),
            tone: "open",
        };
    };
    let largest = best.largest();
    let certainty = if largest.is_sure { "surely" } else { "perhaps" };
    let among = advice.procs.map_or_else(String::new, |procs| format!(" among {procs}"));
    HeadlineNumber {
        number: format!("{}×", two_digits(largest.gain)),
        meaning: format!("as fast {way}"),
        detail: format!(
            "{certainty}, as predicted: {} at {}{among}",
            largest.algorithm, largest.size
        ),
        tone: if largest.is_sure { "good" } else { "open" },
    }
}

fn certainty(certainty: &Certainty) -> HeadlineNumber {
    let level = certainty
        .level
        .map(|level| format!("{:.0}\u{a0}% intervals", level * 100.0));
    let intervals = level
        .as_ref()
        .map_or("no intervals".to_owned(), |level| format!("predictions have {level}"));
    match &certainty.error {
        PredictionError::HeldOut { errors, .. } => HeadlineNumber {
            number: format!("{}\u{a0}%", two_digits(errors.median * 100.0)),
            meaning: "median error of predictions".to_owned(),
            detail: match errors.coverage.zip(level) {
                Some((share, level)) => format!(
                    "{} that the fit never saw: {:.0}\u{a0}% of them lie in {level}",
                    counted(errors.points as u64, "cell", "cells"),
                    share * 100.0
                ),
                None => format!(
                    "{} that the fit never saw; {intervals}",
                    counted(errors.points as u64, "cell", "cells")
                ),
            },
            tone: if errors.median < LARGE_ERROR { "good" } else { "bad" },
        },
        PredictionError::LeftOut(error) => HeadlineNumber {
            number: format!("{}\u{a0}%", two_digits(error * 100.0)),
            meaning: "mean error of predictions".to_owned(),
            detail: format!("of process counts that the fit left out in turn; {intervals}"),
            tone: if *error < LARGE_ERROR { "open" } else { "bad" },
        },
        PredictionError::Unknown(reason) => HeadlineNumber {
            number: "?".to_owned(),
            meaning: "error of predictions not known".to_owned(),
            detail: (*reason).to_owned(),
            tone: "open",
        },
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::units::{Bytes, Procs, Seconds};
    use netsig_model::verdict::RatedCell;

    use super::*;

    /// Without a ping-pong no number is absolute, and the page does not say that a network is free of contention.
    #[test]
    fn what_is_relative_says_so() {
        let procs = |count| Procs::new(count).unwrap();
        let worst = RatedCell {
            subject: "alltoall library".to_owned(),
            procs: procs(8),
            size: Bytes(1024),
            measured: Seconds(1.0),
            contention_free: Seconds(1.0),
        };
        let state = ContentionState::Free { worst };
        let shown = |relative_to| {
            contention(&ContentionFinding {
                state: state.clone(),
                relative_to,
            })
        };
        assert_eq!(shown(None).number, "Free");
        let relative = shown(Some(procs(4)));
        assert_eq!((relative.number.as_str(), relative.tone), ("1.00×", "open"));
        assert!(relative.meaning.contains("among 4"), "{relative:?}");
    }
}
