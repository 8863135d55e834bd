//! Refusals of netsig as Python's exceptions, and its notes as warnings.

use std::fmt::Display;
use std::io;

use netsig_base::text::note::Note;
use netsig_base::text::refusal::{Refusal, RefusalCause};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The module with the exceptions.
const MODULE: &str = "netsig._errors";

/// An exception class of netsig by name.
fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    static MODULE_OF: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE_OF.get_or_try_init(py, || py.import(MODULE).map(Bound::unbind))?;
    Ok(module.bind(py).getattr(name)?.cast_into::<PyType>()?)
}

fn raised(py: Python<'_>, name: &str, text: String) -> PyErr {
    class(py, name).map_or_else(|error| error, |class| PyErr::from_type(class, (text,)))
}

/// The exception of a refusal.
pub fn refused(py: Python<'_>, refusal: impl Into<Refusal>) -> PyErr {
    let refusal = refusal.into();
    let name = match refusal.cause() {
        RefusalCause::Request => "UsageError",
        RefusalCause::Data => "DataError",
    };
    raised(py, name, refusal.to_string())
}

/// The exception for arguments that cannot be used.
pub fn usage(py: Python<'_>, text: impl Display) -> PyErr {
    refused(py, Refusal::request(text))
}

/// The exception for a file that the system does not open.
pub fn of_file(py: Python<'_>, text: impl Display, error: &io::Error) -> PyErr {
    let name = match error.kind() {
        io::ErrorKind::NotFound => "FileMissingError",
        _ => "FileError",
    };
    let raised = raised(py, name, text.to_string());
    if let Some(number) = error.raw_os_error() {
        // Without the number the exception says the same.
        let _ = raised.value(py).setattr("errno", number);
    }
    raised
}

/// Passes all notes to Python's warnings.
///
/// # Errors
/// If the user turned warnings into errors.
pub fn warn<'a>(py: Python<'_>, notes: impl IntoIterator<Item = &'a Note>) -> PyResult<()> {
    for note in notes {
        let category = class(py, "NetsigWarning")?;
        let text = note.text();
        let warnings = py.import("warnings")?;
        warnings.call_method1("warn", (text, category, 2))?;
    }
    Ok(())
}
