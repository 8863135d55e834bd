//! Rows of a dataset as an Arrow table, and back.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Cursor;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use itertools::Itertools as _;
use netsig_base::data::{
    Aggregate, COLUMNS, Dataset, LaunchCell, LossCounters, OK_STATUS, Provenance, RejectedRepetition, Sample,
};
use netsig_base::text::refusal::Refusal;
use pyo3_arrow::PyTable;

use crate::columns::ArrowColumns;

/// Key of the provenance in the metadata of a table, one `key=value` a line.
const PROVENANCE: &str = "netsig_provenance";

/// A row of a data file.
enum ArrowRow<'a> {
    Sample(&'a Sample),
    Rejected(&'a RejectedRepetition),
    Aggregate(&'a Aggregate),
}

impl ArrowRow<'_> {
    fn place(&self) -> &LaunchCell {
        match self {
            Self::Sample(row) => &row.cell,
            Self::Rejected(row) => &row.cell,
            Self::Aggregate(row) => &row.cell,
        }
    }

    fn sample(&self) -> Option<&Sample> {
        match self {
            Self::Sample(row) => Some(row),
            _ => None,
        }
    }

    fn aggregate(&self) -> Option<&Aggregate> {
        match self {
            Self::Aggregate(row) => Some(row),
            _ => None,
        }
    }

    fn repetition(&self) -> u32 {
        match self {
            Self::Sample(row) => row.repetition,
            Self::Rejected(row) => row.repetition,
            Self::Aggregate(_) => 0,
        }
    }

    fn time(&self) -> Option<f64> {
        match self {
            Self::Sample(row) => Some(row.time.0),
            Self::Rejected(_) => None,
            Self::Aggregate(row) => Some(row.time.0),
        }
    }

    fn status(&self) -> &'static str {
        match self {
            Self::Rejected(row) => row.reason.into(),
            _ => OK_STATUS,
        }
    }
}

/// All rows in the order of a data file, with the provenance as metadata.
pub fn rows(data: &Dataset) -> RecordBatch {
    let batch = with_rows(ArrowColumns::default(), &all_rows(data).collect::<Vec<_>>());
    let all_facts = data.provenance.iter();
    let facts = all_facts.map(|(key, value)| format!("{key}={value}")).join("\n");
    let metadata = HashMap::from([(PROVENANCE.to_owned(), facts)]);
    let schema = batch.schema().as_ref().clone().with_metadata(metadata);
    batch.with_schema(schema.into()).expect("the same schema with metadata")
}

/// The column with a name, of all rows.
pub fn column(data: &Dataset, name: &str) -> RecordBatch {
    with_rows(ArrowColumns::only(name), &all_rows(data).collect::<Vec<_>>())
}

/// The first rows, at most `most`.
pub fn first_rows(data: &Dataset, most: usize) -> RecordBatch {
    with_rows(ArrowColumns::default(), &all_rows(data).take(most).collect::<Vec<_>>())
}

fn all_rows(data: &Dataset) -> impl Iterator<Item = ArrowRow<'_>> {
    let samples = data.samples.iter().map(ArrowRow::Sample);
    let rejected = data.rejected.iter().map(ArrowRow::Rejected);
    let aggregates = data.aggregates.iter().map(ArrowRow::Aggregate);
    samples.chain(rejected).chain(aggregates)
}

/// The table with these rows.
fn with_rows(columns: ArrowColumns<'_>, shown_rows: &[ArrowRow<'_>]) -> RecordBatch {
    let rows = || shown_rows.iter();
    let lost = |count: fn(&LossCounters) -> Option<u32>| rows().map(move |row| count(&row.sample()?.losses));
    let (mut names, mut collectives) = (Vec::new(), Vec::new());
    for row in rows() {
        let (name, collective) = row.place().experiment.column_values();
        names.push(Some(name));
        collectives.push(Some(collective).filter(|name| !name.is_empty()));
    }
    let algorithm = |row: &'_ ArrowRow| {
        let algorithm = row.place().algorithm.clone();
        Some(algorithm).filter(|name| !name.is_empty())
    };
    let statistic = |row: &ArrowRow| -> Option<&'static str> { Some(row.aggregate()?.statistic.into()) };
    let columns = columns
        .texts("experiment", names)
        .texts("collective", collectives)
        .texts("algorithm", rows().map(algorithm))
        .counts("procs", rows().map(|row| Some(row.place().procs.get())))
        .sizes("size_bytes", rows().map(|row| Some(row.place().size.0)))
        .counts("repetition", rows().map(|row| Some(row.repetition())))
        .counts("launch", rows().map(|row| Some(row.place().launch)))
        .floats("time_s", rows().map(ArrowRow::time))
        .counts("retransmits", lost(|counters| counters.retransmits))
        .counts("rtos", lost(|counters| counters.rtos))
        .counts("tail_probes", lost(|counters| counters.tail_probes))
        .counts("softnet_drops", lost(|counters| counters.softnet_drops))
        .counts("part", rows().map(|row| Some(row.sample()?.part)))
        .floats("sync_error_s", rows().map(|row| Some(row.sample()?.sync_error?.0)))
        .texts("status", rows().map(|row| Some(row.status())))
        .texts("statistic", rows().map(statistic))
        .counts("averaged", rows().map(|row| row.aggregate()?.averaged))
        .counts(
            "longest_processor_wait_us",
            lost(|counters| counters.longest_processor_wait_us),
        );
    columns.batch()
}

/// The dataset of a table, read as a data file, so that the same rules and messages hold. Without `facts`, the
/// provenance is that in the metadata of the table.
///
/// # Errors
/// If a column is missing, or a cell holds no value of its kind.
pub fn dataset(table: PyTable, facts: Option<Provenance>, name: &str) -> Result<Dataset, Refusal> {
    let (batches, schema) = table.into_inner();
    let is_known = |column: &&str| schema.column_with_name(column).is_some();
    let known: Vec<&str> = COLUMNS.into_iter().filter(is_known).collect();
    let mut text = known.join(",");
    text.push('\n');
    for batch in &batches {
        let read_columns = known.iter().map(|column| {
            let (place, _) = schema.column_with_name(column).expect("as filtered");
            ColumnCells::of(batch.column(place), column).map_err(|error| error.about(name))
        });
        let columns: Vec<ColumnCells> = read_columns.collect::<Result<_, _>>()?;
        for row in 0..batch.num_rows() {
            for (place, cells) in columns.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                }
                cells.write(row, &mut text);
            }
            text.push('\n');
        }
    }
    let mut data = Dataset::read(name, Cursor::new(text))?;
    let stored_facts = schema.metadata().get(PROVENANCE);
    let stored_provenance = || {
        let mut facts = Provenance::default();
        let lines = stored_facts.into_iter().flat_map(|text| text.lines());
        for (key, value) in lines.filter_map(|line| line.split_once('=')) {
            facts.push(key, value);
        }
        facts
    };
    data.provenance = facts.unwrap_or_else(stored_provenance);
    Ok(data)
}

/// The cells of a column as text.
enum ColumnCells {
    Texts(StringArray),
    Numbers(Vec<Option<String>>),
}

impl ColumnCells {
    fn of(column: &ArrayRef, name: &str) -> Result<Self, Refusal> {
        use DataType as T;
        Ok(match column.data_type() {
            T::Null => Self::Numbers(vec![None; column.len()]),
            T::Int8 => numbers::<Int8Type>(column),
            T::Int16 => numbers::<Int16Type>(column),
            T::Int32 => numbers::<Int32Type>(column),
            T::Int64 => numbers::<Int64Type>(column),
            T::UInt8 => numbers::<UInt8Type>(column),
            T::UInt16 => numbers::<UInt16Type>(column),
            T::UInt32 => numbers::<UInt32Type>(column),
            T::UInt64 => numbers::<UInt64Type>(column),
            T::Float32 => numbers::<Float32Type>(column),
            T::Float64 => numbers::<Float64Type>(column),
            T::Utf8 | T::LargeUtf8 | T::Utf8View | T::Dictionary(..) => {
                let texts = cast(column, &T::Utf8).map_err(|_| unsuited(name, column))?;
                Self::Texts(texts.as_string().clone())
            }
            _ => return Err(unsuited(name, column)),
        })
    }

    fn write(&self, row: usize, text: &mut String) {
        match self {
            Self::Numbers(all) => text.push_str(all[row].as_deref().unwrap_or_default()),
            Self::Texts(all) if all.is_null(row) => {}
            Self::Texts(all) => text.push_str(&quoted(all.value(row))),
        }
    }
}

/// A cell of a data file, in quotes where it needs them.
pub fn quoted(cell: &str) -> Cow<'_, str> {
    if cell.contains([',', '"', '\n', '\r', '#']) {
        format!("\"{}\"", cell.replace('"', "\"\"")).into()
    } else {
        cell.into()
    }
}

fn unsuited(name: &str, column: &ArrayRef) -> Refusal {
    let kind = column.data_type();
    Refusal::request(format!(
        "the column {name:?} is of {kind}; convert it to numbers or text"
    ))
}

/// Numbers as text that reads as the same number; NaN, which stands for a missing value, is empty.
fn numbers<T: ArrowPrimitiveType>(column: &ArrayRef) -> ColumnCells
where
    T::Native: std::fmt::Display,
{
    let cells = column.as_primitive::<T>().iter();
    let text = |number: T::Native| Some(number.to_string()).filter(|text| text != "NaN");
    ColumnCells::Numbers(cells.map(|cell| cell.and_then(text)).collect())
}
