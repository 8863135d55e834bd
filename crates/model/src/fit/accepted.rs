//! Checks whether data files may be fitted together, and joins them. Void data, mixed networks, ranks that shared a
//! host, and impossible times are refused.

use itertools::Itertools as _;
use netsig_base::data::likeness::{DataLikeness, UnlikeTimes, compare_launches, compare_times};
use netsig_base::data::mixture::{self, NamedDataset};
use netsig_base::data::{Dataset, cluster_facts, sharing};
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::text::sanitised::excerpt;

use super::link;

/// Treatment of data that are in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoubtfulDataRule {
    /// They are refused.
    Refused,
    /// They are taken, with a warning.
    Taken,
}

/// Data that may be fitted.
#[derive(Debug)]
pub struct AcceptedData {
    /// All repetitions.
    pub data: Dataset,
    /// The names of the files, for messages and profiles.
    pub name: String,
    /// Notes and warnings about the data.
    pub notes: Vec<Note>,
}

/// A reason not to fit the data, and a remedy.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
#[display("{what}; {remedy}")]
pub struct DataDoubt {
    /// The reason, with the names of the files.
    pub what: String,
    remedy: &'static str,
}

/// Joins data files, each with its name.
///
/// # Errors
/// If data are void, if `doubtful` refuses data that are in doubt, or if a launch number becomes too large.
pub fn accept(files: Vec<(String, Dataset)>, doubtful: DoubtfulDataRule) -> Result<AcceptedData, Refusal> {
    for (name, data) in &files {
        refuse_void(data, name)?;
    }
    let (names, all): (Vec<String>, Vec<Dataset>) = files.into_iter().unzip();
    let named_data = names.iter().zip(&all);
    let sources: Vec<NamedDataset> = named_data.map(|(name, data)| NamedDataset { name, data }).collect();
    let (doubts, mut notes) = doubts(&sources);
    for DataDoubt { what, remedy } in doubts {
        notes.push(doubtful.warn_or_refuse(&what, remedy)?);
    }
    Ok(AcceptedData {
        data: join_files(&names, all)?,
        name: names.join(", "),
        notes,
    })
}

/// Joins data files, each with its name.
///
/// # Errors
/// If a launch number becomes too large.
pub fn join_files(names: &[String], all: Vec<Dataset>) -> Result<Dataset, Refusal> {
    let mut remaining = all.into_iter();
    let mut data = remaining.next().unwrap_or_default();
    for (number, (later, file)) in (2..).zip(remaining.zip(&names[1..])) {
        data.join(later, number)
            .map_err(|error| Refusal::data(error).about(file))?;
    }
    Ok(data)
}

/// Reasons not to fit data files together, and notes on doubts that do not prevent a fit.
pub fn doubts(files: &[NamedDataset]) -> (Vec<DataDoubt>, Vec<Note>) {
    let mut notes = Vec::new();
    let all = [
        doubt_of_mixture(files),
        doubt_of_unlike_times(files, &mut notes),
        doubt_of_shared_hosts(files, &mut notes),
        doubt_of_impossible_times(files),
    ];
    (all.into_iter().flatten().collect(), notes)
}

/// True if neither provenance nor times show that the files are of different networks or settings.
pub fn may_be_alike(files: &[NamedDataset]) -> bool {
    doubt_of_mixture(files).is_none() && doubt_of_unlike_times(files, &mut Vec::new()).is_none()
}

/// Refuses data that are marked as void.
///
/// # Errors
/// If the data are void.
pub fn refuse_void(data: &Dataset, name: &str) -> Result<(), Refusal> {
    data.void_reason().map_or(Ok(()), |reason| {
        Err(Refusal::data(format!("the data are void: {}; measure again", excerpt(reason))).about(name))
    })
}

impl DoubtfulDataRule {
    /// The doubt `what` as a warning.
    ///
    /// # Errors
    /// If the rule refuses doubtful data.
    pub fn warn_or_refuse(self, what: &str, remedy: &str) -> Result<Note, Refusal> {
        match self {
            Self::Refused => Err(Refusal::data(format!("{what}; {remedy}, or give --force"))),
            Self::Taken => Ok(Note::warning(what)),
        }
    }
}

/// Doubt: the data are of several networks or settings.
fn doubt_of_mixture(files: &[NamedDataset]) -> Option<DataDoubt> {
    let differences = mixture::differences(files);
    let (first, others) = differences.split_first()?;
    let others_text = match others.len() {
        0 => String::new(),
        1 => " (and 1 more difference)".to_owned(),
        count => format!(" (and {count} more differences)"),
    };
    let remedy = match files.len() {
        1 => "measure again with one of them",
        _ => "take each on its own",
    };
    let names = files.iter().map(|file| file.name).join(", ");
    let what = format!("{names}: two networks or settings are mixed: {first}{others_text}");
    Some(DataDoubt { what, remedy })
}

/// Doubt: ranks shared a host, so data did not cross the network, and the file does not name the clusters. Adds a
/// warning on files of another program, which cannot be measured again at will.
fn doubt_of_shared_hosts(files: &[NamedDataset], notes: &mut Vec<Note>) -> Option<DataDoubt> {
    let found = |file: &&NamedDataset| {
        if cluster_facts::grid(&file.data.provenance).is_some() {
            return None;
        }
        let shared = sharing::shared_host(&file.data.provenance)?;
        Some(format!(
            "{}: {shared}, so that times are those of its memory and not of the network",
            file.name
        ))
    };
    let (imported, measured): (Vec<_>, Vec<_>) = files.iter().partition(|file| {
        let has = |fact: &str| file.data.provenance.get(fact).is_some();
        ["imported_from", "converted_from"].into_iter().any(has) && !has("started_unix_s")
    });
    notes.extend(imported.iter().filter_map(found).map(Note::warning));
    let what = measured.iter().find_map(found)?;
    let remedy = "measure again with one rank a host, without --ppn";
    Some(DataDoubt { what, remedy })
}

/// Doubt: the times of two files cannot be of one network. Adds a note on files if neither provenance nor times show
/// their network.
fn doubt_of_unlike_times(files: &[NamedDataset], notes: &mut Vec<Note>) -> Option<DataDoubt> {
    let doubt = |found: UnlikeTimes, remedy| {
        let what = found.to_string();
        Some(DataDoubt { what, remedy })
    };
    let is_imported = |file: &&NamedDataset| file.data.provenance.get("imported_from").is_some();
    if let Some(found) = files.iter().filter(is_imported).find_map(compare_launches) {
        return doubt(found, "import each on its own");
    }
    for [one, other] in files.iter().array_combinations() {
        match compare_times(one, other) {
            DataLikeness::Alike => {}
            DataLikeness::Unlike(found) => return doubt(found, "take each on its own"),
            DataLikeness::Unknown => {
                let is_measured = |file: &NamedDataset| mixture::is_measured(&file.data.provenance);
                if !(is_measured(one) && is_measured(other)) {
                    notes.push(Note::remark(format!(
                        "{} and {} have fewer than three cells in common: nothing shows whether they are of one network",
                        one.name, other.name
                    )));
                }
            }
        }
    }
    None
}

/// Doubt: a collective is faster than its links allow.
fn doubt_of_impossible_times(files: &[NamedDataset]) -> Option<DataDoubt> {
    let data: Vec<&Dataset> = files.iter().map(|file| file.data).collect();
    let gap = link::gap(&data)?;
    let found = |file: &NamedDataset| Some((file.name.to_owned(), link::too_fast(file.data, gap)?));
    let (name, cell) = files.iter().find_map(found)?;
    let what = format!("{name}: {cell}: time_s may be in another unit than seconds");
    let remedy = "correct it or measure again";
    Some(DataDoubt { what, remedy })
}
