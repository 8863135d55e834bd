//! Datasets of NumPy arrays and data frames: columns that broadcast, with usual values for those that are missing.

use std::collections::HashMap;

use itertools::Itertools as _;
use netsig_base::algorithm::LIBRARY;
use netsig_base::data::{COLLECTIVE, COLUMNS, Dataset, OK_STATUS};
use netsig_base::text::guess::guess;
use numpy::{PyArray1, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use super::given::no_frame;
use crate::error::{refused, usage};

/// The columns without which there are no data.
const REQUIRED: [&str; 3] = ["procs", "size_bytes", "time_s"];

/// A cell of a data file as text; `None` where there is no value.
type CellText = Option<String>;

/// Columns of one length by name.
type NamedColumns = HashMap<&'static str, Vec<CellText>>;

/// The dataset of columns by name, which broadcast against each other; `name` is its name in messages.
///
/// # Errors
/// If a column is unknown or missing, the shapes do not broadcast, or a value cannot be used.
pub fn dataset(columns: &Bound<'_, PyDict>, name: &str) -> PyResult<Dataset> {
    let py = columns.py();
    let mut named = broadcast(columns)?;
    let length = named.values().map(Vec::len).max().unwrap_or(0);
    if let Some(missing) = REQUIRED.into_iter().find(|column| !named.contains_key(column)) {
        return Err(missing_column(py, missing));
    }
    refuse_times(py, &named)?;
    fill(py, &mut named, length)?;
    let text = data_file(&named, length);
    Dataset::read(name, text.as_bytes()).map_err(|error| match problem_of_element(&error.to_string(), name, &named) {
        Some(problem) => usage(py, problem),
        None => refused(py, error),
    })
}

/// The problem of a line of the data file, such as `arrays:2: procs: "x" is …; write …`, by the column and the place of
/// its value; `None` for another problem.
fn problem_of_element(problem: &str, name: &str, named: &NamedColumns) -> Option<String> {
    let (line, what) = problem.strip_prefix(name)?.strip_prefix(':')?.split_once(": ")?;
    let row = row_of_line(named, line.parse().ok()?)?;
    let column = what.split([':', ' ']).next()?;
    let (_, remedy) = what.rsplit_once("; ")?;
    let value = match &named.get(column)?[row] {
        None => "missing".to_owned(),
        Some(text) if text.parse::<f64>().is_ok() => text.clone(),
        Some(text) => format!("{text:?}"),
    };
    Some(format!("{column}[{row}] is {value}; {remedy}"))
}

/// The row that begins in a line of the data file, counted from 1; texts may have several lines.
fn row_of_line(named: &NamedColumns, line: u64) -> Option<usize> {
    let row_count = named.values().map(Vec::len).max()?;
    let line_breaks = |row: usize| {
        let texts = named.values().filter_map(|cells| cells[row].as_deref());
        texts.map(|text| text.matches('\n').count() as u64).sum::<u64>()
    };
    let starts = (0..row_count).scan(2, |next, row| {
        let start = *next;
        *next += 1 + line_breaks(row);
        Some(start)
    });
    starts.zip(0..).find(|(start, _)| *start == line).map(|found| found.1)
}

fn missing_column(py: Python<'_>, column: &str) -> PyErr {
    usage(
        py,
        format!("the column {column} is missing; give {column}=, a value or an array"),
    )
}

/// The columns with their values spread to a common shape.
fn broadcast(columns: &Bound<'_, PyDict>) -> PyResult<NamedColumns> {
    let py = columns.py();
    let numpy = py.import("numpy")?;
    let mut arrays: Vec<(&'static str, Bound<'_, PyAny>)> = Vec::new();
    for (key, value) in columns {
        let key: String = key.extract()?;
        let Some(column) = COLUMNS.into_iter().find(|column| *column == key) else {
            let known = COLUMNS.join(", ");
            let guess = guess(&key, &known);
            return Err(usage(
                py,
                format!("{key:?} is no column of a data file; {guess}leave it out, or write one of: {known}"),
            ));
        };
        if value.is_none() {
            continue;
        }
        let converted = numpy.call_method1("asarray", (value,));
        let array =
            converted.map_err(|error| usage(py, format!("the column {column} is no array ({})", error.value(py))))?;
        arrays.push((column, array));
    }
    let each_shape = arrays.iter().map(|(_, array)| array.getattr("shape"));
    let shapes: Vec<Bound<'_, PyAny>> = each_shape.collect::<PyResult<_>>()?;
    let tuple = PyTuple::new(py, &shapes)?;
    let shape = numpy.getattr("broadcast_shapes")?.call1(tuple).map_err(|_| {
        let each = arrays
            .iter()
            .zip(&shapes)
            .map(|((column, _), shape)| format!("{column} {shape}"));
        usage(
            py,
            format!(
                "the shapes of the columns do not broadcast: {}; give arrays of one length, and single values",
                each.sorted().join(", ")
            ),
        )
    })?;
    let mut named = NamedColumns::new();
    for (column, array) in arrays {
        let spread = numpy.call_method1("broadcast_to", (array, &shape))?;
        named.insert(column, cell_texts(column, &spread.call_method0("ravel")?)?);
    }
    Ok(named)
}

/// The values of a flat array as text that reads as the same value.
fn cell_texts(column: &str, array: &Bound<'_, PyAny>) -> PyResult<Vec<CellText>> {
    let py = array.py();
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    match kind.as_str() {
        "f" => {
            let floats = array
                .call_method1("astype", ("float64",))?
                .cast_into::<PyArray1<f64>>()?;
            let numbers = floats.readonly();
            let text = |number: &f64| Some(number.to_string()).filter(|_| !number.is_nan());
            Ok(numbers.as_slice()?.iter().map(text).collect())
        }
        "i" | "u" | "U" | "O" => {
            let values: Vec<Bound<'_, PyAny>> = array.call_method0("tolist")?.extract()?;
            values.iter().map(cell_text).collect()
        }
        _ => {
            let dtype = array.getattr("dtype")?;
            Err(usage(
                py,
                format!("the column {column} is an array of {dtype}; convert it to numbers or text"),
            ))
        }
    }
}

/// A value as text; `None` for `None`, NaN and the missing values of pandas.
fn cell_text(value: &Bound<'_, PyAny>) -> PyResult<CellText> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Some(text.to_str()?.to_owned()).filter(|text| !text.is_empty()));
    }
    if let Ok(number) = value.extract::<f64>()
        && number.is_nan()
    {
        return Ok(None);
    }
    let kind = value.get_type().name()?.to_string();
    if value.is_none() || kind == "NAType" || kind == "NaTType" {
        return Ok(None);
    }
    Ok(Some(value.str()?.to_string()))
}

/// Refuses a time that is missing, not finite or not above 0, with its place.
fn refuse_times(py: Python<'_>, named: &NamedColumns) -> PyResult<()> {
    let status = named.get("status");
    for (place, text) in named["time_s"].iter().enumerate() {
        let status_text = status.and_then(|all| all[place].as_deref());
        if status_text.is_some_and(|text| text != OK_STATUS) {
            continue;
        }
        let time: Option<f64> = text.as_deref().unwrap_or("NaN").parse().ok();
        if let Some(time) = time.filter(|time| !(time.is_finite() && *time > 0.0)) {
            return Err(usage(
                py,
                format!("time_s[{place}] is {time}; give times in seconds, finite and above 0"),
            ));
        }
    }
    Ok(())
}

/// Adds the columns that a data file must have, with the usual values.
fn fill(py: Python<'_>, named: &mut NamedColumns, length: usize) -> PyResult<()> {
    let experiment = named
        .entry("experiment")
        .or_insert_with(|| vec![Some(COLLECTIVE.to_owned()); length]);
    let is_collective: Vec<bool> = experiment
        .iter()
        .map(|cell| cell.as_deref() == Some(COLLECTIVE))
        .collect();
    if is_collective.contains(&true) && !named.contains_key("collective") {
        return Err(missing_column(py, "collective"));
    }
    named.entry("collective").or_insert_with(|| vec![None; length]);
    named.entry("algorithm").or_insert_with(|| {
        let library = |is_collective: &bool| is_collective.then(|| LIBRARY.to_owned());
        is_collective.iter().map(library).collect()
    });
    named
        .entry("launch")
        .or_insert_with(|| vec![Some("0".to_owned()); length]);
    if !named.contains_key("repetition") {
        let numbers = repetitions(named, length);
        named.insert("repetition", numbers);
    }
    Ok(())
}

/// The number of each row within the rows of its cell and launch.
fn repetitions(named: &NamedColumns, length: usize) -> Vec<CellText> {
    let keys = [
        "experiment",
        "collective",
        "algorithm",
        "procs",
        "size_bytes",
        "launch",
        "part",
        "statistic",
    ];
    let columns: Vec<&Vec<CellText>> = keys.iter().filter_map(|key| named.get(key)).collect();
    let mut counts: HashMap<Vec<&CellText>, u32> = HashMap::new();
    let mut number = |row: usize| {
        let count = counts
            .entry(columns.iter().map(|column| &column[row]).collect())
            .or_default();
        *count += 1;
        Some((*count - 1).to_string())
    };
    (0..length).map(&mut number).collect()
}

/// The rows as the text of a data file.
fn data_file(named: &NamedColumns, length: usize) -> String {
    let known = COLUMNS
        .into_iter()
        .filter_map(|column| Some((column, named.get(column)?)));
    let (names, columns): (Vec<&str>, Vec<&Vec<CellText>>) = known.unzip();
    let mut text = names.join(",");
    text.push('\n');
    for row in 0..length {
        let cells = columns.iter().map(|column| column[row].as_deref().unwrap_or_default());
        text.push_str(&cells.map(super::arrow::quoted).join(","));
        text.push('\n');
    }
    text
}

/// The columns of a data frame of pandas or Polars together with constants; `kind` names the library in errors.
///
/// # Errors
/// If the object is no data frame, a column is there twice, or a constant is a column too.
pub fn frame_columns<'py>(
    frame: &Bound<'py, PyAny>,
    kind: &str,
    constants: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = frame.py();
    if !frame.hasattr("to_numpy")? || !frame.hasattr("columns")? {
        return Err(no_frame(frame, kind));
    }
    let columns = PyDict::new(py);
    for label in frame.getattr("columns")?.try_iter()? {
        let label = label?;
        let name = label.str()?;
        if columns.contains(&name)? {
            let problem = format!("the column {name} is there twice; drop one");
            return Err(usage(py, problem));
        }
        let values = frame.get_item(&label)?.call_method0("to_numpy")?;
        columns.set_item(name, values)?;
    }
    for (name, value) in constants.into_iter().flatten() {
        if columns.contains(&name)? {
            let problem = format!("{name} is a column of the frame and a constant too; drop one of them");
            return Err(usage(py, problem));
        }
        columns.set_item(name, value)?;
    }
    Ok(columns)
}
