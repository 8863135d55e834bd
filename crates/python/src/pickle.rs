//! Pickles: the state of an object as facts and bytes, in the text form of its file or in Arrow's stream format.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Cursor;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use itertools::Itertools as _;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::numpy_columns::ShapedRows;

/// Version of the format of pickles: objects of another are refused.
pub const PICKLE_FORMAT: u32 = 1;

/// Key of the shape among the facts.
const SHAPE: &str = "shape";

/// The state of an object in a pickle.
pub struct PickledState {
    /// Facts by name.
    pub facts: BTreeMap<String, String>,
    /// The text of its file, or rows in Arrow's stream format.
    pub content: Vec<u8>,
}

/// A class whose objects can be pickled.
pub trait PickledObject: Sized {
    /// Name of the class.
    const KIND: &'static str;

    /// The state of the object.
    fn state(&self) -> PickledState;

    /// The object with a state.
    ///
    /// # Errors
    /// If the state is damaged, with the problem.
    fn of_state(state: &PickledState) -> Result<Self, String>;
}

impl PickledState {
    /// A state of a text with a name.
    pub fn of_text(name: &str, text: impl Into<Vec<u8>>) -> Self {
        Self {
            facts: BTreeMap::from([("name".to_owned(), name.to_owned())]),
            content: text.into(),
        }
    }

    /// A state of rows.
    pub fn of_rows<const N: usize>(facts: [(&str, &str); N], rows: &RecordBatch) -> Self {
        let owned = |(key, fact): (&str, &str)| (key.to_owned(), fact.to_owned());
        Self {
            facts: facts.into_iter().map(owned).collect(),
            content: stream(rows).expect("memory can be written"),
        }
    }

    /// A state of rows with a shape.
    pub fn of_shaped<const N: usize>(facts: [(&str, &str); N], shaped: &ShapedRows) -> Self {
        let mut state = Self::of_rows(facts, &shaped.rows);
        state.facts.insert(SHAPE.to_owned(), shaped.shape.iter().join(","));
        state
    }

    /// A fact.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn fact(&self, key: &str) -> Result<String, String> {
        self.facts.get(key).cloned().ok_or_else(|| format!("it lacks {key}"))
    }

    /// The content as text.
    ///
    /// # Errors
    /// If it is none.
    pub fn text(&self) -> Result<&str, String> {
        std::str::from_utf8(&self.content).map_err(|error| error.to_string())
    }

    /// The content as rows.
    ///
    /// # Errors
    /// If it has none.
    pub fn rows(&self) -> Result<RecordBatch, String> {
        read_stream(&self.content).map_err(|error| error.to_string())
    }

    /// The content as rows with the columns of `expected` and the shape of the facts; `count` gives the number of cases.
    ///
    /// # Errors
    /// If rows, columns or the shape are damaged.
    pub fn shaped(&self, expected: &RecordBatch, count: fn(&RecordBatch) -> usize) -> Result<ShapedRows, String> {
        let rows = self.rows()?;
        if rows.schema_ref().fields() != expected.schema_ref().fields() {
            return Err("it has other columns".to_owned());
        }
        let lengths = self.fact(SHAPE)?;
        let parsed_lengths = lengths.split_terminator(',').map(str::parse::<usize>);
        let shape: Vec<usize> = parsed_lengths
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?;
        match shape
            .iter()
            .try_fold(1, |product: usize, &length| product.checked_mul(length))
        {
            Some(product) if product == count(&rows) => Ok(ShapedRows { shape, rows }),
            _ => Err(format!("its rows have not the shape ({lengths})")),
        }
    }
}

/// The arguments for pickle: the function that restores the object, and its arguments.
///
/// # Errors
/// If Python fails.
pub fn reduced<'py, T: PickledObject>(
    py: Python<'py>,
    object: &T,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let PickledState { facts, content } = object.state();
    let restore = py.import("netsig._netsig")?.getattr("_unpickle")?;
    let arguments = (T::KIND, PICKLE_FORMAT, facts, PyBytes::new(py, &content));
    Ok((restore, arguments.into_pyobject(py)?))
}

/// Rows in Arrow's stream format. Texts that repeat are stored once.
fn stream(rows: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let compact = converted(rows, |array| match array.data_type() {
        DataType::Utf8 => cast(array, &texts_by(DataType::Int8)).or_else(|_| cast(array, &texts_by(DataType::Int32))),
        _ => Ok(Arc::clone(array)),
    })?;
    let mut writer = StreamWriter::try_new(Vec::new(), compact.schema_ref())?;
    writer.write(&compact)?;
    writer.into_inner()
}

/// Each text once, and the number of each row's text.
fn texts_by(number: DataType) -> DataType {
    DataType::Dictionary(Box::new(number), Box::new(DataType::Utf8))
}

fn read_stream(bytes: &[u8]) -> Result<RecordBatch, ArrowError> {
    let mut reader = StreamReader::try_new(Cursor::new(bytes), None)?;
    let Some(compact) = reader.next() else {
        return Err(ArrowError::IpcError("no rows".to_owned()));
    };
    converted(&compact?, |array| match array.data_type() {
        DataType::Dictionary(..) => cast(array, &DataType::Utf8),
        DataType::Boolean | DataType::Float64 | DataType::Int64 => Ok(Arc::clone(array)),
        other => Err(ArrowError::SchemaError(format!("a column is of {other}"))),
    })
}

/// Rows whose columns are converted.
fn converted(
    rows: &RecordBatch,
    convert: impl Fn(&ArrayRef) -> Result<ArrayRef, ArrowError>,
) -> Result<RecordBatch, ArrowError> {
    let schema = rows.schema_ref();
    let arrays: Vec<ArrayRef> = rows.columns().iter().map(convert).collect::<Result<_, _>>()?;
    let kinds = arrays.iter().map(|array| array.data_type().clone());
    let fields = schema
        .fields()
        .iter()
        .zip(kinds)
        .map(|(field, kind)| Field::new(field.name(), kind, true));
    let converted_schema = Schema::new(fields.collect::<Vec<_>>()).with_metadata(schema.metadata().clone());
    RecordBatch::try_new(Arc::new(converted_schema), arrays)
}

/// Hash of an object by its text.
pub fn text_hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Gives an immutable class its methods for pickle, copy and deepcopy, and `==`.
macro_rules! value_methods {
    ($class:ident) => {
        $crate::pickle::immutable_methods!($class);

        #[pymethods]
        impl $class {
            fn __reduce__<'py>(
                &self,
                py: Python<'py>,
            ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, ::pyo3::types::PyTuple>)> {
                $crate::pickle::reduced(py, self)
            }
        }
    };
}

/// Gives an immutable class its methods for copy and deepcopy, and `==`.
macro_rules! immutable_methods {
    ($class:ident) => {
        #[pymethods]
        impl $class {
            fn __copy__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
                slf
            }

            #[pyo3(signature = (memo, /))]
            fn __deepcopy__<'py>(slf: PyRef<'py, Self>, memo: &Bound<'py, PyAny>) -> PyRef<'py, Self> {
                let _ = memo;
                slf
            }

            fn __eq__(&self, other: &Self) -> bool {
                self == other
            }
        }
    };
}

pub(crate) use {immutable_methods, value_methods};
