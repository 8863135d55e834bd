//! Tables for Python: rows of an answer, which data frames take over through Arrow.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array as _, RecordBatch};
use arrow_schema::DataType;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::frame::{ArrowRows, frame_methods};

/// Rows under named columns.
///
/// Polars, pandas, PyArrow and others take a table over through the Arrow PyCapsule interface:
/// ``polars.DataFrame(table)``, ``pyarrow.table(table)``.
#[pyclass(frozen, module = "netsig", name = "Table")]
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

frame_methods!(PyResultTable);

#[pymethods]
impl PyResultTable {
    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.rows.schema_ref().fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.rows.num_rows()
    }

    /// The values of a column as a list, ``None`` where there is none.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let Some(column) = self.rows.column_by_name(name) else {
            let columns = self.columns().join(", ");
            return Err(PyKeyError::new_err(format!(
                "{name:?} is no column; take one of: {columns}"
            )));
        };
        match column.data_type() {
            DataType::Boolean => PyList::new(py, column.as_boolean()),
            DataType::Float64 => PyList::new(py, column.as_primitive::<Float64Type>()),
            DataType::UInt32 => PyList::new(py, column.as_primitive::<UInt32Type>()),
            DataType::UInt64 => PyList::new(py, column.as_primitive::<UInt64Type>()),
            _ => {
                let texts = column.as_string::<i32>();
                PyList::new(py, texts.iter().collect::<Vec<_>>())
            }
        }
    }

    /// The rows as dictionaries.
    ///
    /// Returns
    /// -------
    /// list of dict
    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let dicts: Vec<_> = (0..self.__len__()).map(|_| PyDict::new(py)).collect();
        for name in self.columns() {
            let values = self.__getitem__(py, &name)?;
            for (dict, value) in dicts.iter().zip(values) {
                dict.set_item(&name, value)?;
            }
        }
        Ok(dicts)
    }

    fn __repr__(&self) -> String {
        let columns = self.columns().join(", ");
        format!("Table({} rows of {columns})", self.__len__())
    }
}
