//! The process counts that the user asks the page for.

use netsig_base::units::Procs;

use super::chapter::Chapter;
use crate::input::failure::Failure;

/// Refuses a process count for which no chapter with predictions has any.
///
/// # Errors
/// Names the first such count.
pub fn refuse_unpredicted(chapters: &[Chapter], asked: &[Procs]) -> Result<(), Failure> {
    let predicting = || chapters.iter().filter(|own| own.ranker.is_some());
    let Some(first) = predicting().next() else {
        return Ok(());
    };
    let is_unknown = |procs: &&Procs| predicting().all(|own| own.sheet(**procs).is_none());
    let Some(&procs) = asked.iter().find(is_unknown) else {
        return Ok(());
    };
    let why = first.outside(procs).map_or(String::new(), |why| format!(": {why}"));
    let remedy = "leave it out of --procs, or measure nearer to it";
    let problem = format!("nothing is predicted of {procs} processes{why}; {remedy}");
    Err(Failure::data(problem).about(&first.subject.name))
}
