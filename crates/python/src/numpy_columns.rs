//! Columns of tables as read-only NumPy arrays.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use numpy::IntoPyArray as _;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Value of an attribute where a column has none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MissingNumber {
    /// NaN; integers become float64, as in pandas.
    NotANumber,
    /// Zero.
    Zero,
}

/// Rows in the shape of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapedRows {
    /// The shape, empty for a single case.
    pub shape: Vec<usize>,
    /// A row for each case, in C order.
    pub rows: RecordBatch,
}

impl ShapedRows {
    /// A column in the shape of the question, or its value for a single case.
    ///
    /// # Errors
    /// If NumPy fails.
    pub fn array<'py>(&self, py: Python<'py>, column: &str) -> PyResult<Bound<'py, PyAny>> {
        self.array_with(py, column, MissingNumber::NotANumber)
    }

    /// As [`Self::array`], with the given number where there is none.
    ///
    /// # Errors
    /// If NumPy fails.
    pub fn array_with<'py>(
        &self,
        py: Python<'py>,
        column: &str,
        missing: MissingNumber,
    ) -> PyResult<Bound<'py, PyAny>> {
        let column = self.rows.column_by_name(column).expect("a column of these rows");
        let flat_array = match column.data_type() {
            DataType::Utf8 => text_array(py, column)?,
            _ => column_array(py, column, missing)?,
        };
        if self.shape.is_empty() {
            return flat_array.call_method0("item");
        }
        flat_array.call_method1("reshape", (self.shape.clone(),))
    }
}

/// The column of a table with a name as a read-only array, a value for each row.
///
/// # Errors
/// If there is no such column.
pub fn named_column<'py>(py: Python<'py>, rows: &RecordBatch, name: &str) -> PyResult<Bound<'py, PyAny>> {
    match rows.column_by_name(name) {
        Some(column) => column_array(py, column, MissingNumber::NotANumber),
        None => Err(no_column(name, &names(rows))),
    }
}

/// The error for a name that no column has.
pub fn no_column(name: &str, known: &[String]) -> PyErr {
    let columns = known.join(", ");
    PyKeyError::new_err(format!("{name:?} is no column; take one of: {columns}"))
}

/// Names of the columns.
pub fn names(rows: &RecordBatch) -> Vec<String> {
    let fields = rows.schema_ref().fields().iter();
    fields.map(|field| field.name().clone()).collect()
}

/// Numbers as float64 or int64, true and false as bool, texts as objects with `None` where there is none.
fn column_array<'py>(py: Python<'py>, column: &ArrayRef, missing: MissingNumber) -> PyResult<Bound<'py, PyAny>> {
    let array = match column.data_type() {
        DataType::Boolean => {
            let values: Vec<bool> = column.as_boolean().iter().map(Option::unwrap_or_default).collect();
            values.into_pyarray(py).into_any()
        }
        DataType::Float64 => {
            let all = column.as_primitive::<Float64Type>().iter();
            let values: Vec<f64> = all.map(|value| value.unwrap_or(f64::NAN)).collect();
            values.into_pyarray(py).into_any()
        }
        DataType::Int64 if column.null_count() > 0 && missing == MissingNumber::NotANumber => {
            let all = column.as_primitive::<Int64Type>().iter();
            let values: Vec<f64> = all.map(|value| value.map_or(f64::NAN, |value| value as f64)).collect();
            values.into_pyarray(py).into_any()
        }
        DataType::Int64 => {
            let all = column.as_primitive::<Int64Type>().iter();
            let values: Vec<i64> = all.map(Option::unwrap_or_default).collect();
            values.into_pyarray(py).into_any()
        }
        _ => {
            let texts: Vec<Option<&str>> = column.as_string::<i32>().iter().collect();
            numpy_array(py, texts, "object")?
        }
    };
    read_only(array)
}

/// Texts as an array of str, empty where there is none.
fn text_array<'py>(py: Python<'py>, column: &ArrayRef) -> PyResult<Bound<'py, PyAny>> {
    let all = column.as_string::<i32>().iter();
    let texts: Vec<&str> = all.map(Option::unwrap_or_default).collect();
    read_only(numpy_array(py, texts, "str")?)
}

fn numpy_array<'py>(py: Python<'py>, values: impl IntoPyObject<'py>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    let options = PyDict::new(py);
    options.set_item("dtype", dtype)?;
    py.import("numpy")?.call_method("array", (values,), Some(&options))
}

fn read_only(array: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    array.call_method1("setflags", (false,))?;
    Ok(array)
}
