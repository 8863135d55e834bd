//! Resuming an interrupted campaign from its data file.
//!
//! A killed job may leave an incomplete last line, or provenance only; both are removed before data
//! are appended. A job is complete if the file states the use of its time, which a job writes last;
//! the rank program skips the completed cells of incomplete jobs.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use netsig_base::data::{Dataset, Provenance};
use netsig_base::text::line::unescaped;
use netsig_measure::plan::JobId;
use netsig_measure::plan::provenance::{PLAN, REQUESTED_PLAN};

use crate::campaign::data_file::DataFileBytes;
use crate::input::failure::Failure;
use crate::input::files;
use crate::input::loaded_plan::LoadedPlan;

/// Results of an interrupted campaign.
#[derive(Debug)]
pub struct PastResults {
    /// The plan of the campaign, as carried out.
    pub carried_out: LoadedPlan,
    /// The complete jobs.
    pub complete: Vec<JobId>,
    /// Number of samples.
    pub samples: usize,
}

/// Reads the results of an interrupted campaign of the plan from `output`; `None` if there is no file or no data in it.
///
/// # Errors
/// If the file has data of another plan, or void data.
pub fn read_past(output: &Path, loaded_plan: &LoadedPlan) -> Result<Option<PastResults>, Failure> {
    if !output.exists() {
        return Ok(None);
    }
    let written = DataFileBytes::read(output)?;
    if written.row_count() == 0 {
        return Ok(None);
    }
    let data = Dataset::read(&output.display().to_string(), written.complete_lines())?;
    files::refuse_void(&data, output)?;
    let carried_out = carried_out_plan(&data.provenance, output, loaded_plan)?;
    let mut complete = loaded_plan.plan.jobs();
    complete.retain(|job| data.provenance.get(&job.key("s")).is_some());
    Ok(Some(PastResults {
        carried_out,
        complete,
        samples: data.samples.len(),
    }))
}

/// Interval between the two measurements of a file's length.
const GROWTH_INTERVAL: Duration = Duration::from_secs(1);

/// Refuses a file to which a job still writes: after netsig is killed, its job may run a little
/// longer.
///
/// # Errors
/// If the file grows.
pub fn refuse_growing(output: &Path) -> Result<(), Failure> {
    let length = || output.metadata().map_or(0, |data| data.len());
    let before = length();
    if before > 0 {
        std::thread::sleep(GROWTH_INTERVAL);
    }
    if length() == before {
        return Ok(());
    }
    let problem = "a job still writes to it; wait until that has ended, or end it";
    Err(Failure::usage(problem).about(output))
}

/// Prepares an existing data file for appending. Returns a message about removed lines.
///
/// # Errors
/// If the file cannot be read or changed.
pub fn repair_file(output: &Path) -> Result<Option<String>, Failure> {
    if !output.exists() {
        return Ok(None);
    }
    let shown = output.display();
    let written = DataFileBytes::read(output)?;
    let (length, message) = match written.complete_lines().len() {
        _ if written.row_count() == 0 && !written.is_provenance_only() => {
            return Err(Failure::usage("is no data file; choose another --output").about(output));
        }
        _ if written.row_count() == 0 => (0, "holds no data and is begun anew"),
        whole if whole == written.len() => return Ok(None),
        whole => (whole, "the last line was cut short and is dropped"),
    };
    OpenOptions::new()
        .write(true)
        .open(output)
        .and_then(|file| file.set_len(length as u64))
        .with_context(|| files::unwritable(output))?;
    Ok((written.len() > 0).then(|| format!("{shown}: {message}")))
}

/// The plan by which the data were measured, if it is the requested plan.
fn carried_out_plan(facts: &Provenance, output: &Path, loaded_plan: &LoadedPlan) -> Result<LoadedPlan, Failure> {
    let shown = output.display();
    let Some(plan) = facts.get(PLAN) else {
        let problem = "does not name the plan of its measurement; choose another --output";
        return Err(Failure::usage(problem).about(output));
    };
    let parse_stated = |text: &str| LoadedPlan::parse(&loaded_plan.file, unescaped(text));
    let carried_out = parse_stated(plan).map_err(|failure| {
        Failure::usage(format!(
            "was measured by a plan that this netsig cannot read ({failure}); choose another --output"
        ))
        .about(output)
    })?;
    let requested = match facts.get(REQUESTED_PLAN) {
        Some(requested) => parse_stated(requested)?,
        None => carried_out.clone(),
    };
    if requested.plan == loaded_plan.plan {
        return Ok(carried_out);
    }
    Err(Failure::usage(format!(
        "{}: is not the plan that {shown} was begun with: {}; restore it or choose another --output",
        loaded_plan.file.display(),
        difference(&requested.text, &loaded_plan.text)
    )))
}

/// The first line of either text that the other does not have.
fn difference(old: &str, new: &str) -> String {
    let lacking = |text: &str, other: &str| {
        let is_new = |line: &&str| other.lines().all(|known| known.trim() != line.trim());
        text.lines().find(is_new).map(|line| line.trim().to_owned())
    };
    match (lacking(new, old), lacking(old, new)) {
        (Some(new), Some(old)) => format!("`{new}` was `{old}`"),
        (Some(new), None) => format!("`{new}` is new"),
        (None, Some(old)) => format!("`{old}` is missing"),
        (None, None) => "its lines are in another order".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_mended_to_what_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data.csv");
        for (text, whole, says) in [
            ("#@a=b\nx,y\n1,2\n", "#@a=b\nx,y\n1,2\n", ""),
            ("#@a=b\nx,y\n1,2\n1,", "#@a=b\nx,y\n1,2\n", "cut short"),
            ("#@a=b\nx,y\n#@c", "#@a=b\nx,y\n", "cut short"),
            ("#@a=b\nx,", "", "begun anew"),
            ("", "", ""),
        ] {
            std::fs::write(&path, text).unwrap();
            let message = repair_file(&path).unwrap().unwrap_or_default();
            assert!(message.contains(says) && message.is_empty() == says.is_empty());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        }
        for foreign in ["# a comment\n", "a letter"] {
            std::fs::write(&path, foreign).unwrap();
            assert!(repair_file(&path).is_err(), "{foreign:?}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
        }
    }
}
