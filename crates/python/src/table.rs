//! Tables for Python: rows of an answer, which data frames take over through Arrow.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::frame::{ArrowRows, frame_methods};
use crate::numpy_columns::names;
use crate::pickle::{PickledObject, PickledState, value_methods};

/// Rows under named columns.
///
/// A table is used as a pandas data frame: ``table["time_s"]`` is a column, and iteration and ``in`` take the
/// names of the columns. ``dict(table)`` is the columns by name, and ``len(table)`` the number of rows.
/// Columns are read-only arrays: float64, int64, bool, or objects that are str.
///
/// A missing text is ``None``, a missing number NaN; as in pandas, a column of integers with missing ones is
/// float64.
///
/// :meth:`to_pandas` makes a pandas data frame. Polars, PyArrow and others take a table over through the Arrow
/// PyCapsule interface: ``polars.DataFrame(table)``, ``pyarrow.table(table)``.
#[pyclass(frozen, mapping, module = "netsig", name = "Table")]
#[derive(Debug, PartialEq)]
pub struct PyResultTable {
    rows: RecordBatch,
}

impl From<RecordBatch> for PyResultTable {
    fn from(rows: RecordBatch) -> Self {
        Self { rows }
    }
}

impl ArrowRows for PyResultTable {
    fn batch(&self) -> RecordBatch {
        self.rows.clone()
    }
}

impl PickledObject for PyResultTable {
    const KIND: &'static str = "Table";

    fn state(&self) -> PickledState {
        PickledState::of_rows([], &self.rows)
    }

    fn of_state(state: &PickledState) -> Result<Self, String> {
        state.rows().map(Self::from)
    }
}

frame_methods!(PyResultTable);
value_methods!(PyResultTable);

#[pymethods]
impl PyResultTable {
    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.column_names()
    }

    /// The rows as dictionaries, with ``None`` where there is no value.
    ///
    /// Returns
    /// -------
    /// list of dict
    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let dicts: Vec<_> = (0..self.row_count()).map(|_| PyDict::new(py)).collect();
        for (name, column) in names(&self.rows).iter().zip(self.rows.columns()) {
            let values = python_values(py, column)?;
            for (dict, value) in dicts.iter().zip(values) {
                dict.set_item(name, value)?;
            }
        }
        Ok(dicts)
    }

    fn __repr__(&self) -> String {
        let columns = self.column_names().join(", ");
        format!("Table({} rows of {columns})", self.row_count())
    }
}

/// Values as Python's numbers and texts, ``None`` where there is none.
fn python_values<'py>(py: Python<'py>, column: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    match column.data_type() {
        DataType::Boolean => PyList::new(py, column.as_boolean()),
        DataType::Float64 => PyList::new(py, column.as_primitive::<Float64Type>()),
        DataType::Int64 => PyList::new(py, column.as_primitive::<Int64Type>()),
        _ => {
            let texts = column.as_string::<i32>();
            PyList::new(py, texts.iter().collect::<Vec<_>>())
        }
    }
}
