//! Data files of tests, as text.

use super::Dataset;

/// Facts as lines, and rows of the columns that every file has and perhaps one more.
pub(crate) fn read(facts: &str, more: &str, rows: &str) -> Dataset {
    let columns = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s";
    let text = format!("{facts}{columns}{more}\n{rows}");
    Dataset::read("a.csv", text.as_bytes()).unwrap()
}
