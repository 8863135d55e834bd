//! Methods of every class with rows in Python: columns by name, data frames of pandas and Polars, an Arrow stream, and
//! a table for notebooks.

use arrow_array::RecordBatch;
use pyo3::PyErr;

use crate::html::HtmlTable;
use crate::numpy_columns::{names, no_column};

/// A class with rows.
pub trait ArrowRows {
    /// All rows.
    fn batch(&self) -> RecordBatch;

    /// Names of the columns.
    fn column_names(&self) -> Vec<String> {
        names(&self.batch())
    }

    /// Rows with the column of that name alone.
    ///
    /// # Errors
    /// If there is no such column.
    fn with_column(&self, name: &str) -> Result<RecordBatch, PyErr> {
        let rows = self.batch();
        match rows.schema_ref().index_of(name) {
            Ok(place) => Ok(rows.project(&[place]).expect("a known column")),
            Err(_) => Err(no_column(name, &names(&rows))),
        }
    }

    /// Number of rows.
    fn row_count(&self) -> usize {
        self.batch().num_rows()
    }

    /// The first rows, at most `most`.
    fn first_rows(&self, most: usize) -> RecordBatch {
        let rows = self.batch();
        rows.slice(0, most.min(rows.num_rows()))
    }
}

/// The first rows of an object for notebooks, under a title.
pub fn notebook_table(object: &impl ArrowRows, title: &str) -> String {
    let rows = object.first_rows(HtmlTable::MOST_ROWS);
    let row_count = object.row_count();
    HtmlTable { title, rows, row_count }.to_string()
}

/// Gives a class with rows its methods for columns and data frames.
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

            /// Number of rows.
            fn __len__(&self) -> usize {
                self.row_count()
            }

            /// The values of a column as a read-only array, one for each row.
            fn __getitem__<'py>(
                &self,
                py: Python<'py>,
                name: $crate::given_values::GivenColumn,
            ) -> PyResult<Bound<'py, PyAny>> {
                $crate::numpy_columns::named_column(py, &self.with_column(&name.0)?, &name.0)
            }

            /// True for the name of a column.
            fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
                let text: PyResult<String> = name.extract();
                text.is_ok_and(|text| self.column_names().contains(&text))
            }

            /// The names of the columns.
            fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, ::pyo3::types::PyIterator>> {
                self.column_names().into_pyobject(py)?.try_iter()
            }

            /// The names of the columns.
            ///
            /// Returns
            /// -------
            /// list of str
            fn keys(&self) -> Vec<String> {
                self.column_names()
            }

            /// The columns as read-only arrays.
            ///
            /// Returns
            /// -------
            /// list of numpy.ndarray
            fn values<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
                Ok(self.items(py)?.into_iter().map(|(_, values)| values).collect())
            }

            /// The names of the columns with the columns as read-only arrays.
            ///
            /// Returns
            /// -------
            /// list of tuple of str and numpy.ndarray
            fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
                let rows = py.detach(|| self.batch());
                let column = |name: String| {
                    let values = $crate::numpy_columns::named_column(py, &rows, &name)?;
                    Ok((name, values))
                };
                $crate::numpy_columns::names(&rows)
                    .into_iter()
                    .map(column)
                    .collect()
            }

            fn _repr_html_(&self) -> String {
                $crate::frame::notebook_table(self, &self.__repr__())
            }
        }
    };
}

pub(crate) use frame_methods;
