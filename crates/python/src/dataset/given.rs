//! A dataset as an argument: a path or a data frame in its place is refused with the call that makes one of it.

use pyo3::prelude::*;

use super::PyDataset;
use crate::error::of_type;
use crate::files;
use crate::foreign_frame::{conversion, is_lazy};

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
        Err(of_type(&object, "a Dataset", &remedy(&object)))
    }
}

/// The call that makes a dataset of an object.
fn remedy(object: &Bound<'_, PyAny>) -> String {
    if let Ok((_, name)) = files::path(object) {
        return format!("give netsig.read_data({name:?})");
    }
    let of_frame = conversion(object).map(|call| format!("give {call}"));
    of_frame.unwrap_or_else(|| "give the answer of netsig.read_data or netsig.import_data".to_owned())
}

/// The refusal of an object without rows in Arrow.
pub fn no_table(object: &Bound<'_, PyAny>) -> PyErr {
    let wanted = "a table with __arrow_c_stream__";
    match files::path(object) {
        Ok((_, name)) => of_type(object, wanted, &format!("give netsig.read_data({name:?})")),
        Err(_) if is_lazy(object) => of_type(object, wanted, "give frame.collect()"),
        Err(_) => of_type(object, wanted, "give a pandas (2.2 or later), Polars or PyArrow table"),
    }
}

/// The refusal of an object that is no data frame of a library.
pub fn no_frame(object: &Bound<'_, PyAny>, kind: &str) -> PyErr {
    let wanted = format!("a data frame of {kind}");
    match files::path(object) {
        Ok((_, name)) => {
            let remedy =
                format!("give netsig.read_data({name:?}) for data of netsig, or read the file with {kind} first");
            of_type(object, &wanted, &remedy)
        }
        Err(_) if is_lazy(object) => of_type(object, &wanted, "give frame.collect()"),
        Err(_) => of_type(object, &wanted, "give one, or columns to netsig.Dataset.from_arrays"),
    }
}

/// The refusal of an object that is neither a dataset nor a profile.
pub fn no_source(object: &Bound<'_, PyAny>) -> PyErr {
    let remedy = match files::path(object) {
        Ok((_, name)) => format!("give netsig.read_data({name:?}) or netsig.Profile.read({name:?})"),
        Err(_) => remedy(object),
    };
    of_type(object, "a Dataset or a Profile", &remedy)
}
