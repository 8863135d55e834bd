//! Restores the objects of all classes from pickles.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::{PyClass, PyClassInitializer};

use crate::clusters::PyClusters;
use crate::dataset::PyDataset;
use crate::error::usage;
use crate::network::PyNetwork;
use crate::pickle::{PICKLE_FORMAT, PickledObject, PickledState};
use crate::predict::PyPredictions;
use crate::profile::PyProfile;
use crate::select::PySelection;
use crate::simulate::PySimulations;
use crate::table::PyResultTable;

/// Makes an object of the state in a pickle.
type ObjectRestorer = for<'py> fn(Python<'py>, &PickledState) -> Result<Bound<'py, PyAny>, String>;

/// Every class by name.
const RESTORERS: [(&str, ObjectRestorer); 8] = [
    (PyClusters::KIND, restore::<PyClusters>),
    (PyDataset::KIND, restore::<PyDataset>),
    (PyNetwork::KIND, restore::<PyNetwork>),
    (PyPredictions::KIND, restore::<PyPredictions>),
    (PyProfile::KIND, restore::<PyProfile>),
    (PySelection::KIND, restore::<PySelection>),
    (PySimulations::KIND, restore::<PySimulations>),
    (PyResultTable::KIND, restore::<PyResultTable>),
];

/// Restores an object of a pickle. Only its kind and format have a fixed place, so that objects of every version are
/// recognised.
#[pyfunction]
#[pyo3(name = "_unpickle", signature = (kind, format, /, *state))]
pub fn unpickle<'py>(
    py: Python<'py>,
    kind: &str,
    format: u32,
    state: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    if format != PICKLE_FORMAT {
        return Err(usage(
            py,
            format!(
                "a {kind} was pickled by another version of netsig (format {format}; this version reads {PICKLE_FORMAT}); unpickle it with that version and write a file of it, or compute it again"
            ),
        ));
    }
    restored(py, kind, state).map_err(|problem| {
        usage(
            py,
            format!("the pickle of a {kind} is damaged ({problem}); compute the object again"),
        )
    })
}

fn restored<'py>(py: Python<'py>, kind: &str, state: &Bound<'py, PyTuple>) -> Result<Bound<'py, PyAny>, String> {
    let (facts, content): (_, Vec<u8>) = state.extract().map_err(|_| "its state has another form".to_owned())?;
    let state = PickledState { facts, content };
    RESTORERS
        .iter()
        .find(|(name, _)| *name == kind)
        .ok_or_else(|| "there is no such class".to_owned())
        .and_then(|(_, restore)| restore(py, &state))
}

/// Restores an object of a class.
fn restore<'py, T>(py: Python<'py>, state: &PickledState) -> Result<Bound<'py, PyAny>, String>
where
    T: PickledObject + PyClass + Into<PyClassInitializer<T>>,
{
    let object = T::of_state(state)?;
    let bound = Bound::new(py, object).map_err(|error| error.to_string())?;
    Ok(bound.into_any())
}
