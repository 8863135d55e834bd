//! The verdict on a collective in plain sentences: whether the network is contended, from which size on
//! losses begin, what should be changed and what it gains, and how sure this is.

mod change;

use std::collections::BTreeSet;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::units::Procs;
use netsig_model::fitted::ContentionModel;
use netsig_model::predict::compare::{Errors, Judged};

use self::change::change;
use super::chapter::Chapter;
use super::figures;

/// A question and its answer.
pub struct Sentence {
    /// The question, in a word or two.
    pub question: &'static str,
    /// The answer.
    pub answer: String,
}

/// Least ratio of measured to contention-free time of a contended size.
const CONTENDED: f64 = 1.2;

/// The sentences.
pub fn verdict(chapter: &Chapter) -> Vec<Sentence> {
    let sentence = |question, answer| Sentence { question, answer };
    vec![
        sentence("Contended?", contended(chapter)),
        sentence("Losses begin", losses(chapter)),
        sentence("Change", change(chapter)),
        sentence("How sure", sure(chapter)),
    ]
}

/// Items as in a sentence.
fn listed(items: &[String]) -> String {
    match items {
        [some @ .., last] if !some.is_empty() => format!("{} and {last}", some.join(", ")),
        few => few.join(""),
    }
}

/// The library's own choice, or the first other algorithm with measurements, else with predictions.
fn usual<'a>(chapter: &'a Chapter) -> Option<&'a str> {
    let measured = chapter
        .algorithms
        .iter()
        .find(|own| chapter.cells_of(own).next().is_some());
    measured.or(chapter.algorithms.first()).map(String::as_str)
}

fn contended(chapter: &Chapter) -> String {
    let Some(usual) = usual(chapter) else {
        return format!("No algorithm of {} is known.", chapter.collective);
    };
    let cells = chapter.cells_of(usual).filter(|cell| !cell.is_busy);
    let profile = chapter.subject.profile.as_ref();
    let base = profile.filter(|_| chapter.collective == Collective::Alltoall);
    let Some(base) = base.map(|own| own.hockney.model()) else {
        return stalls(chapter, usual);
    };
    let ratios = cells.map(|cell| (cell.median() / base.alltoall(cell.procs, cell.size), cell));
    let Some((ratio, cell)) = ratios.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return predicted_contention(chapter, usual);
    };
    let free = base.alltoall(cell.procs, cell.size);
    if ratio < CONTENDED {
        return format!(
            "No. No size of {} {usual} takes {CONTENDED} times as long as without contention; the most is {ratio:.2} \
             times, at {} among {}.",
            chapter.collective, cell.size, cell.procs
        );
    }
    format!(
        "Yes. {} {usual} among {} processes takes up to {ratio:.1} times as long as without contention: {} against \
         {free} at {}.",
        chapter.collective,
        cell.procs,
        cell.median(),
        cell.size
    )
}

/// Contention by predictions alone.
fn predicted_contention(chapter: &Chapter, usual: &str) -> String {
    let signature = chapter
        .subject
        .profile
        .as_ref()
        .and_then(|own| own.signature(chapter.collective, usual, own.hockney.model()));
    match signature {
        Some(own) => format!(
            "By the profile, {} {usual} takes γ = {:.2} times as long as without contention; no measurement was given.",
            chapter.collective, own.gamma
        ),
        None => "Not known: no measurement was given.".to_owned(),
    }
}

/// Stalls of a collective whose contention-free time the page does not tell.
fn stalls(chapter: &Chapter, usual: &str) -> String {
    let shares = chapter.cells_of(usual).filter_map(|cell| Some((cell.stalled?, cell)));
    match shares.max_by(|a, b| a.0.total_cmp(&b.0)) {
        None if chapter.cells_of(usual).next().is_some() => {
            "Not known: the data hold no single repetitions.".to_owned()
        }
        None => "Not known: no measurement was given.".to_owned(),
        Some((stalled, cell)) if stalled > 0.0 => format!(
            "{} {usual} stalls: {:.0} % of the repetitions of {} among {} processes took 100 ms or \
             more longer than usual, until a tail-loss probe or a time-out of TCP.",
            chapter.collective,
            stalled * 100.0,
            cell.size,
            cell.procs
        ),
        Some(_) => format!("No repetition of {} {usual} stalled.", chapter.collective),
    }
}

fn losses(chapter: &Chapter) -> String {
    let Some(usual) = usual(chapter) else {
        return "Not known.".to_owned();
    };
    let counted: BTreeSet<Procs> = chapter
        .cells_of(usual)
        .filter(|cell| cell.retransmits.is_some())
        .map(|cell| cell.procs)
        .collect();
    let lost = figures::lost(chapter, usual);
    let seen: Vec<String> = lost
        .iter()
        .map(|(procs, size)| format!("from {size} on among {procs}"))
        .collect();
    let none: Vec<Procs> = counted
        .iter()
        .copied()
        .filter(|procs| lost.iter().all(|(own, _)| own != procs))
        .collect();
    let mut said = Vec::new();
    if counted.is_empty() {
        said.push("The data do not count lost packets.".to_owned());
    }
    if !seen.is_empty() {
        said.push(format!(
            "Repetitions of {} {usual} lost packets {} processes.",
            chapter.collective,
            listed(&seen)
        ));
    }
    if !none.is_empty() {
        let none: Vec<String> = none.iter().map(ToString::to_string).collect();
        said.push(format!(
            "Among {} processes no measured size lost packets steadily.",
            listed(&none)
        ));
    }
    said.extend(onsets(chapter, usual));
    said.join(" ")
}

/// Where ports overflow by the profile: among the most processes that were measured, and among the most that
/// are predicted.
fn onsets(chapter: &Chapter, usual: &str) -> Option<String> {
    let onsets = figures::onsets(chapter, usual);
    let most = chapter.measured().last().copied();
    let measured = onsets.iter().find(|(procs, _)| Some(*procs) == most);
    let last = onsets.last();
    let told = measured.into_iter().chain(last).unique_by(|(procs, _)| *procs);
    let told: Vec<String> = told
        .map(|(procs, onset)| {
            let [least, greatest] = onset.interval;
            format!("{} among {procs} ({least} to {greatest})", onset.from)
        })
        .collect();
    (!told.is_empty()).then(|| {
        format!(
            "By the profile the switch overflows from {} on; {RULE}.",
            told.join(", and from ")
        )
    })
}

const RULE: &str = "the more processes, the smaller the size";

fn sure(chapter: &Chapter) -> String {
    let held_out = || chapter.cells.iter().filter(|cell| cell.is_held_out && !cell.is_busy);
    let judged = held_out().filter_map(|cell| {
        let prediction = cell.prediction?;
        Some(Judged {
            predicted: prediction.time,
            interval: prediction.interval,
            measured: cell.median(),
        })
    });
    let busy = chapter.cells.iter().filter(|cell| cell.is_busy).count();
    let busy = match busy {
        0 => String::new(),
        count => format!(" {count} cells do not count: their processes waited for processors half of the time."),
    };
    if let Some(errors) = Errors::of(judged) {
        let counts: BTreeSet<Procs> = held_out().map(|cell| cell.procs).collect();
        let covered = errors.coverage.map_or(String::new(), |share| {
            format!(
                " {:.0} % of the measured medians lie in their intervals.",
                share * 100.0
            )
        });
        return format!(
            "Checked on {} cells among {} processes, which the profile was not fitted to: half of the predictions \
             are off by less than {:.1} %, nine of ten by less than {:.1} %.{covered}{busy}",
            errors.points,
            listed(&counts.iter().map(ToString::to_string).collect::<Vec<_>>()),
            errors.median * 100.0,
            errors.p90 * 100.0
        );
    }
    let profile = chapter.subject.profile.as_ref();
    let models = profile.into_iter();
    let models = models.flat_map(|own| own.contention_of(chapter.collective));
    let errors: Vec<f64> = models.flat_map(ContentionModel::errors_left_out).collect();
    let worst = errors.iter().copied().reduce(f64::max);
    let least = errors.iter().copied().reduce(f64::min);
    match least.zip(worst) {
        Some((least, worst)) => format!(
            "Not checked on other data. When the fit left out one process count after another, its predictions of it \
             were off by {:.0} % to {:.0} %, by kind of message.{busy} Measure more processes and give them to the \
             report to check.",
            least * 100.0,
            worst * 100.0
        ),
        None => {
            format!("Not checked: measure other process counts and give them to the report.{busy}")
        }
    }
}
