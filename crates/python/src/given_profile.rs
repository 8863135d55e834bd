//! A profile as an argument: a path or a dataset in its place is refused with the call that makes one of it.

use pyo3::prelude::*;

use crate::dataset::PyDataset;
use crate::error::of_type;
use crate::files;
use crate::profile::PyProfile;

/// An argument that is a profile.
pub struct GivenProfile<'py>(Bound<'py, PyProfile>);

impl<'py> GivenProfile<'py> {
    /// The profile.
    pub fn into_bound(self) -> Bound<'py, PyProfile> {
        self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for GivenProfile<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(profile) = object.cast::<PyProfile>() {
            return Ok(Self(profile.to_owned()));
        }
        let remedy = if let Ok((_, name)) = files::path(&object) {
            format!("give netsig.Profile.read({name:?})")
        } else if object.cast::<PyDataset>().is_ok() {
            "give netsig.fit(data)".to_owned()
        } else {
            "give the answer of netsig.fit or netsig.Profile.read".to_owned()
        };
        Err(of_type(&object, "a Profile", &remedy))
    }
}
