//! A profile as plain values of Python.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use toml::Value;

use crate::profile::PyProfile;

#[pymethods]
impl PyProfile {
    /// The content of the profile's file as plain dictionaries, lists, numbers and texts.
    ///
    /// Returns
    /// -------
    /// dict of str to object
    ///     As ``tomllib.loads(profile.to_toml())``.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let table: toml::Table = self.profile.to_toml().parse().expect("the text of a profile is TOML");
        dict(py, &table)
    }
}

fn dict<'py>(py: Python<'py>, table: &toml::Table) -> PyResult<Bound<'py, PyDict>> {
    let values = PyDict::new(py);
    for (key, value) in table {
        values.set_item(key, object(py, value)?)?;
    }
    Ok(values)
}

fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => number.into_pyobject(py)?.into_any(),
        Value::Boolean(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Datetime(date) => date.to_string().into_pyobject(py)?.into_any(),
        Value::Array(items) => {
            let objects: Vec<_> = items.iter().map(|item| object(py, item)).collect::<PyResult<_>>()?;
            PyList::new(py, objects)?.into_any()
        }
        Value::Table(table) => dict(py, table)?.into_any(),
    })
}
