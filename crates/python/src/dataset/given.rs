//! A dataset as an argument: a path or a data frame in its place is refused with the call that makes one of it.

use pyo3::prelude::*;

use super::PyDataset;
use crate::error::of_type;
use crate::files;

/// An argument that is a dataset.
pub struct GivenDataset<'py>(Bound<'py, PyDataset>);

impl<'py> GivenDataset<'py> {
    /// The dataset.
    pub fn into_bound(self) -> Bound<'py, PyDataset> {
        self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for GivenDataset<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(dataset) = object.cast::<PyDataset>() {
            return Ok(Self(dataset.to_owned()));
        }
        let remedy = if let Ok((_, name)) = files::path(&object) {
            format!("give netsig.read_data({name:?})")
        } else if object.hasattr("__arrow_c_stream__")? {
            "give netsig.Dataset.from_arrow(frame)".to_owned()
        } else {
            "give the answer of netsig.read_data or netsig.import_data".to_owned()
        };
        Err(of_type(&object, "a Dataset", &remedy))
    }
}
