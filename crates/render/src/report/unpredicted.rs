//! Refuses requested process counts without predictions.

use netsig_base::text::refusal::Refusal;
use netsig_base::units::Procs;

use super::chapter::CollectiveChapter;

/// Refuses a process count that no chapter predicts, unless no chapter predicts anything.
///
/// # Errors
/// If there is such a count; the message names the first.
pub fn refuse_unpredicted(chapters: &[CollectiveChapter], requested: &[Procs]) -> Result<(), Refusal> {
    let predicting = || chapters.iter().filter(|chapter| chapter.ranker.is_some());
    let Some(first) = predicting().next() else {
        return Ok(());
    };
    let is_unknown = |procs: &&Procs| predicting().all(|chapter| chapter.sheet(**procs).is_none());
    let Some(&procs) = requested.iter().find(is_unknown) else {
        return Ok(());
    };
    let why = first
        .outside_reason(procs)
        .map_or(String::new(), |why| format!(": {why}"));
    let remedy = "leave it out of --procs, or measure nearer to it";
    let problem = format!("nothing is predicted of {procs} processes{why}; {remedy}");
    Err(Refusal::data(problem).about(&first.subject.name))
}
