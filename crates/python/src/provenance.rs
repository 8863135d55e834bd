//! Facts about the origin of data and profiles: Python's dicts in both directions, in the order of the facts.

use std::collections::BTreeMap;

use netsig_base::data::Provenance;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::of_type;

/// The argument `provenance`.
pub struct GivenProvenance(Provenance);

impl GivenProvenance {
    /// The facts in the order of the dict.
    pub fn facts(self) -> Provenance {
        self.0
    }
}

impl<'py> FromPyObject<'_, 'py> for GivenProvenance {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(dict) = object.cast::<PyDict>() else {
            let remedy = "give such as {\"mpi\": \"Open MPI 4.1.4\"}";
            return Err(of_type(&object, "a dict as provenance", remedy));
        };
        let mut facts = Provenance::default();
        for (key, value) in dict.iter() {
            let text: PyResult<String> = key.extract();
            let name = text.map_err(|_| of_type(&key, "the name of a fact in provenance", "give a str"))?;
            facts.push(&name, value.str()?);
        }
        Ok(Self(facts))
    }
}

/// The facts in their order; of a fact that is stated twice, the last value.
///
/// # Errors
/// If Python fails.
pub fn dict<'py>(py: Python<'py>, provenance: &Provenance) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    for (key, value) in provenance.iter() {
        facts.set_item(key, value)?;
    }
    Ok(facts)
}

/// True if both have the same facts in any order, as their dicts are equal.
pub fn is_same(one: &Provenance, other: &Provenance) -> bool {
    one.iter().collect::<BTreeMap<_, _>>() == other.iter().collect::<BTreeMap<_, _>>()
}
