//! The verdict on a collective in plain sentences: contention, the onset of losses, the recommended change with its
//! gain, and the certainty of these.

mod change;

use std::collections::BTreeSet;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::units::Procs;
use netsig_model::fitted::ContentionModel;
use netsig_model::predict::compare::{ErrorStatistics, JudgedCell};

use self::change::change_answer;
use super::chapter::CollectiveChapter;
use super::figures;

/// A question and its answer.
pub struct VerdictSentence {
    /// The question, in a word or two.
    pub question: &'static str,
    /// The answer.
    pub answer: String,
}

/// Least ratio of measured to contention-free time of a contended size.
const LEAST_CONTENDED_RATIO: f64 = 1.2;

/// The sentences.
pub fn verdict(chapter: &CollectiveChapter) -> Vec<VerdictSentence> {
    let sentence = |question, answer| VerdictSentence { question, answer };
    vec![
        sentence("Contended?", contention_answer(chapter)),
        sentence("Losses begin", losses_answer(chapter)),
        sentence("Change", change_answer(chapter)),
        sentence("How sure", certainty_answer(chapter)),
    ]
}

/// Joins items as in a sentence.
fn enumeration(items: &[String]) -> String {
    match items {
        [some @ .., last] if !some.is_empty() => format!("{} and {last}", some.join(", ")),
        few => few.join(""),
    }
}

/// The library's own choice, or the first other algorithm with measurements, else with predictions.
fn reference_algorithm<'a>(chapter: &'a CollectiveChapter) -> Option<&'a str> {
    let measured = chapter
        .algorithms
        .iter()
        .find(|name| chapter.cells_of(name).next().is_some());
    measured.or(chapter.algorithms.first()).map(String::as_str)
}

fn contention_answer(chapter: &CollectiveChapter) -> String {
    let Some(algorithm) = reference_algorithm(chapter) else {
        return format!("No algorithm of {} is known.", chapter.collective);
    };
    let cells = chapter.cells_of(algorithm).filter(|cell| !cell.is_busy);
    let profile = chapter.subject.profile.as_ref();
    let alltoall_profile = profile.filter(|_| chapter.collective == Collective::Alltoall);
    let Some(hockney) = alltoall_profile.map(|fitted_profile| fitted_profile.hockney.model()) else {
        return stalls_answer(chapter, algorithm);
    };
    let ratios = cells.map(|cell| (cell.median() / hockney.alltoall(cell.procs, cell.size), cell));
    let Some((ratio, cell)) = ratios.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return predicted_contention(chapter, algorithm);
    };
    let contention_free = hockney.alltoall(cell.procs, cell.size);
    if ratio < LEAST_CONTENDED_RATIO {
        return format!(
            "No. No size of {} {algorithm} takes {LEAST_CONTENDED_RATIO} times as long as without contention; the most is {ratio:.2} \
             times, at {} among {}.",
            chapter.collective, cell.size, cell.procs
        );
    }
    format!(
        "Yes. {} {algorithm} among {} processes takes up to {ratio:.1} times as long as without contention: {} against \
         {contention_free} at {}.",
        chapter.collective,
        cell.procs,
        cell.median(),
        cell.size
    )
}

/// Contention by predictions alone.
fn predicted_contention(chapter: &CollectiveChapter, algorithm: &str) -> String {
    let signature = chapter
        .subject
        .profile
        .as_ref()
        .and_then(|profile| profile.signature(chapter.collective, algorithm, profile.hockney.model()));
    match signature {
        Some(contention_signature) => format!(
            "By the profile, {} {algorithm} takes γ = {:.2} times as long as without contention; no measurement was given.",
            chapter.collective, contention_signature.gamma
        ),
        None => "Not known: no measurement was given.".to_owned(),
    }
}

/// Stalls of a collective without a contention-free time on the page.
fn stalls_answer(chapter: &CollectiveChapter, algorithm: &str) -> String {
    let shares = chapter
        .cells_of(algorithm)
        .filter_map(|cell| Some((cell.stalled_share?, cell)));
    match shares.max_by(|a, b| a.0.total_cmp(&b.0)) {
        None if chapter.cells_of(algorithm).next().is_some() => {
            "Not known: the data hold no single repetitions.".to_owned()
        }
        None => "Not known: no measurement was given.".to_owned(),
        Some((stalled, cell)) if stalled > 0.0 => format!(
            "{} {algorithm} stalls: {:.0} % of the repetitions of {} among {} processes took 100 ms or \
             more longer than usual, until a tail-loss probe or a time-out of TCP.",
            chapter.collective,
            stalled * 100.0,
            cell.size,
            cell.procs
        ),
        Some(_) => format!("No repetition of {} {algorithm} stalled.", chapter.collective),
    }
}

fn losses_answer(chapter: &CollectiveChapter) -> String {
    let Some(algorithm) = reference_algorithm(chapter) else {
        return "Not known.".to_owned();
    };
    let counted: BTreeSet<Procs> = chapter
        .cells_of(algorithm)
        .filter(|cell| cell.retransmits.is_some())
        .map(|cell| cell.procs)
        .collect();
    let lossy_sizes = figures::first_lossy_sizes(chapter, algorithm);
    let seen: Vec<String> = lossy_sizes
        .iter()
        .map(|(procs, size)| format!("from {size} on among {procs}"))
        .collect();
    let loss_free: Vec<Procs> = counted
        .iter()
        .copied()
        .filter(|procs| lossy_sizes.iter().all(|(lossy_procs, _)| lossy_procs != procs))
        .collect();
    let mut sentences = Vec::new();
    if counted.is_empty() {
        sentences.push("The data do not count lost packets.".to_owned());
    }
    if !seen.is_empty() {
        sentences.push(format!(
            "Repetitions of {} {algorithm} lost packets {} processes.",
            chapter.collective,
            enumeration(&seen)
        ));
    }
    if !loss_free.is_empty() {
        let loss_free_texts: Vec<String> = loss_free.iter().map(ToString::to_string).collect();
        sentences.push(format!(
            "Among {} processes no measured size lost packets steadily.",
            enumeration(&loss_free_texts)
        ));
    }
    sentences.extend(overflow_sentence(chapter, algorithm));
    sentences.join(" ")
}

/// The predicted onset of overflow: among the most measured processes, and among the most predicted ones.
fn overflow_sentence(chapter: &CollectiveChapter, algorithm: &str) -> Option<String> {
    let onsets = figures::predicted_overflows(chapter, algorithm);
    let most = chapter.measured_procs().last().copied();
    let measured = onsets.iter().find(|(procs, _)| Some(*procs) == most);
    let last = onsets.last();
    let chosen_onsets = measured.into_iter().chain(last).unique_by(|(procs, _)| *procs);
    let onset_texts: Vec<String> = chosen_onsets
        .map(|(procs, onset)| {
            let [least, greatest] = onset.interval;
            format!("{} among {procs} ({least} to {greatest})", onset.from)
        })
        .collect();
    (!onset_texts.is_empty()).then(|| {
        format!(
            "By the profile the switch overflows from {} on; {RULE}.",
            onset_texts.join(", and from ")
        )
    })
}

const RULE: &str = "the more processes, the smaller the size";

fn certainty_answer(chapter: &CollectiveChapter) -> String {
    let held_out = || chapter.cells.iter().filter(|cell| cell.is_held_out && !cell.is_busy);
    let judged = held_out().filter_map(|cell| {
        let prediction = cell.prediction?;
        Some(JudgedCell {
            predicted: prediction.time,
            interval: prediction.interval,
            measured: cell.median(),
        })
    });
    let busy_count = chapter.cells.iter().filter(|cell| cell.is_busy).count();
    let busy_note = match busy_count {
        0 => String::new(),
        count => format!(" {count} cells do not count: their processes waited for processors half of the time."),
    };
    if let Some(errors) = ErrorStatistics::of(judged) {
        let counts: BTreeSet<Procs> = held_out().map(|cell| cell.procs).collect();
        let covered = errors.coverage.map_or(String::new(), |share| {
            format!(
                " {:.0} % of the measured medians lie in their intervals.",
                share * 100.0
            )
        });
        return format!(
            "Checked on {} cells among {} processes, which the profile was not fitted to: half of the predictions \
             are off by less than {:.1} %, nine of ten by less than {:.1} %.{covered}{busy_note}",
            errors.points,
            enumeration(&counts.iter().map(ToString::to_string).collect::<Vec<_>>()),
            errors.median * 100.0,
            errors.p90 * 100.0
        );
    }
    let profile = chapter.subject.profile.as_ref();
    let profiles = profile.into_iter();
    let models = profiles.flat_map(|fitted_profile| fitted_profile.contention_models_of(chapter.collective));
    let errors: Vec<f64> = models.flat_map(ContentionModel::left_out_errors).collect();
    let worst = errors.iter().copied().reduce(f64::max);
    let least = errors.iter().copied().reduce(f64::min);
    match least.zip(worst) {
        Some((least, worst)) => format!(
            "Not checked on other data. When the fit left out one process count after another, its predictions of it \
             were off by {:.0} % to {:.0} %, by kind of message.{busy_note} Measure more processes and give them to the \
             report to check.",
            least * 100.0,
            worst * 100.0
        ),
        None => {
            format!("Not checked: measure other process counts and give them to the report.{busy_note}")
        }
    }
}
