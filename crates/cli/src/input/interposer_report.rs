//! The report of the interposer: the calls of a program, their replacements, and the saved time.

use netsig_base::text::file_error::FileError;
use netsig_base::units::{Bytes, Seconds};
use serde::Deserialize;

/// The first line of a report.
pub const FIRST_LINE: &str = "# netsig interposer report 3";

/// How the first line of a report of any version begins.
pub const START_OF_ANY_VERSION: &str = "# netsig interposer report ";

/// The report of one program.
#[derive(Debug)]
pub struct InterposerReport {
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The calls, by kind.
    pub calls: Vec<CollectiveCalls>,
}

/// Calls of one collective with one number of processes and one size.
#[derive(Debug, Deserialize)]
pub struct CollectiveCalls {
    /// The collective; netsig only counts the calls of some collectives.
    pub collective: String,
    /// Number of processes; calls that are only counted have none.
    pub procs: Option<u32>,
    /// Size, where the interposer decides by it.
    #[serde(rename = "size_bytes")]
    pub size: Option<Bytes>,
    /// Number of calls.
    #[serde(rename = "calls")]
    pub call_count: u64,
    /// Time of the calls.
    #[serde(rename = "time_s")]
    pub time: Seconds,
    /// The algorithm that ran or would run, if any.
    pub algorithm: Option<String>,
    /// Time of a call by the algorithm.
    #[serde(rename = "call_s")]
    pub call_time: Option<Seconds>,
    /// Number of the calls that the library carried out.
    #[serde(rename = "library_calls")]
    pub library_call_count: u64,
    /// Time of a call by the library.
    #[serde(rename = "library_call_s")]
    pub library_call_time: Option<Seconds>,
    /// Predicted time with the library.
    #[serde(rename = "predicted_library_s")]
    pub predicted_library: Option<Seconds>,
    /// Predicted time with the algorithm.
    #[serde(rename = "predicted_s")]
    pub predicted: Option<Seconds>,
    /// Time that the algorithm saved.
    #[serde(rename = "saved_s")]
    pub saved: Option<Seconds>,
    /// Time that an algorithm which could change the results would save beyond that.
    #[serde(rename = "left_gain_s")]
    pub left_gain: Option<Seconds>,
    /// The reason why the call was left to the library.
    pub reason: Option<String>,
}

impl InterposerReport {
    /// Reads a report; `name` is for messages.
    ///
    /// # Errors
    /// If the text is no report of this version.
    pub fn parse(name: &str, text: &str) -> Result<Self, FileError> {
        let mut lines = text.lines();
        if lines.next() != Some(FIRST_LINE) {
            let problem = format!("does not begin with {FIRST_LINE:?}; build netsig and the interposer together");
            return Err(FileError::at_line(name, 1, problem));
        }
        let comment_lines = lines.map_while(|line| line.strip_prefix('#'));
        let notes = comment_lines.map(|note| note.trim().to_owned()).collect();
        let mut reader = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        let parsed_calls = reader.deserialize().collect::<Result<_, csv::Error>>();
        let calls = parsed_calls.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            FileError::at_line(name, line, format!("{error}; build netsig and the interposer together"))
        })?;
        Ok(Self { notes, calls })
    }
}
