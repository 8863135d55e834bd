//! Data files of tests, as text; tests of other crates include this file by its path.

use netsig_base::data::Dataset;

/// A data file: facts as lines, and rows of the columns that every file has and perhaps one more.
pub(crate) fn read(facts: &str, more: &str, rows: &str) -> Dataset {
    let columns = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s";
    let text = format!("{facts}{columns}{more}\n{rows}");
    Dataset::read("a.csv", text.as_bytes()).unwrap()
}
