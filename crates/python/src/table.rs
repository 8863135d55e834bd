//! Tables for Python: rows of an answer, which data frames take over through Arrow.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array as _, RecordBatch};
use arrow_schema::DataType;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use pyo3_arrow::PyTable;

/// Rows under named columns.
///
/// Polars, pandas, PyArrow and others take a table over through the Arrow PyCapsule interface:
/// ``polars.DataFrame(table)``, ``pyarrow.table(table)``.
#[pyclass(frozen, module = "netsig")]
pub struct Table {
    rows: RecordBatch,
}

impl From<RecordBatch> for Table {
    fn from(rows: RecordBatch) -> Self {
        Self { rows }
    }
}

impl Table {
    /// The rows as an Arrow stream.
    ///
    /// # Errors
    /// If the requested schema does not suit.
    pub fn stream<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        stream(py, self.rows.clone(), requested_schema)
    }
}

#[pymethods]
impl Table {
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

    /// A pandas data frame; pandas needs PyArrow for it.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        to_pandas(slf)
    }

    /// A Polars data frame.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        to_polars(slf)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.stream(py, requested_schema)
    }

    fn __repr__(&self) -> String {
        let columns = self.columns().join(", ");
        format!("Table({} rows of {columns})", self.__len__())
    }
}

/// Rows as an Arrow stream.
///
/// # Errors
/// If the requested schema does not suit.
pub fn stream<'py>(
    py: Python<'py>,
    rows: RecordBatch,
    requested_schema: Option<Bound<'py, PyCapsule>>,
) -> PyResult<Bound<'py, PyAny>> {
    let schema = rows.schema();
    let table = PyTable::try_new(vec![rows], schema)?.into_pyobject(py)?;
    table.call_method1("__arrow_c_stream__", (requested_schema,))
}

/// A pandas data frame of an object with `__arrow_c_stream__`.
///
/// # Errors
/// If pandas or PyArrow is not installed.
pub fn to_pandas<'py>(rows: &Bound<'py, impl pyo3::PyClass>) -> PyResult<Bound<'py, PyAny>> {
    let table = rows
        .py()
        .import("pyarrow")?
        .call_method1("table", (rows,))?;
    table.call_method0("to_pandas")
}

/// A Polars data frame of an object with `__arrow_c_stream__`.
///
/// # Errors
/// If Polars is not installed.
pub fn to_polars<'py>(rows: &Bound<'py, impl pyo3::PyClass>) -> PyResult<Bound<'py, PyAny>> {
    rows.py()
        .import("polars")?
        .call_method1("DataFrame", (rows,))
}
