//! Methods of every class with rows in Python: data frames of pandas and Polars, and an Arrow stream.

use arrow_array::RecordBatch;

/// A class with rows.
pub trait ArrowRows {
    /// All rows.
    fn batch(&self) -> RecordBatch;
}

/// Gives a class with rows its methods for data frames.
macro_rules! frame_methods {
    ($class:ident) => {
        #[pymethods]
        impl $class {
            /// All rows as a pandas data frame; pandas needs PyArrow for it.
            fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                let pyarrow = slf.py().import("pyarrow")?;
                pyarrow.call_method1("table", (slf,))?.call_method0("to_pandas")
            }

            /// All rows as a Polars data frame.
            fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                slf.py().import("polars")?.call_method1("DataFrame", (slf,))
            }

            #[pyo3(signature = (requested_schema=None))]
            fn __arrow_c_stream__<'py>(
                &self,
                py: Python<'py>,
                requested_schema: Option<Bound<'py, ::pyo3::types::PyCapsule>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let rows = py.detach(|| self.batch());
                let schema = rows.schema();
                let table = ::pyo3_arrow::PyTable::try_new(vec![rows], schema)?.into_pyobject(py)?;
                table.call_method1("__arrow_c_stream__", (requested_schema,))
            }
        }
    };
}

pub(crate) use frame_methods;
