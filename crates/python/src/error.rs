//! Refusals of netsig as Python's exceptions, and its notes as warnings, in Python's words.

use std::fmt::Display;
use std::io;

use itertools::Itertools as _;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::{Refusal, RefusalCause};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::python_words::in_python;

/// The module with the exceptions.
const MODULE: &str = "netsig._errors";

/// An exception class of netsig by name.
fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    static MODULE_OF: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE_OF.get_or_try_init(py, || py.import(MODULE).map(Bound::unbind))?;
    Ok(module.bind(py).getattr(name)?.cast_into::<PyType>()?)
}

fn raised(py: Python<'_>, name: &str, text: &str) -> PyErr {
    let text = in_python(text);
    class(py, name).map_or_else(|error| error, |class| PyErr::from_type(class, (text,)))
}

/// The exception of a refusal.
pub fn refused(py: Python<'_>, refusal: impl Into<Refusal>) -> PyErr {
    let refusal = refusal.into();
    let name = match refusal.cause() {
        RefusalCause::Request => "UsageError",
        RefusalCause::Data => "DataError",
    };
    raised(py, name, &refusal.to_string())
}

/// The exception for arguments that cannot be used.
pub fn usage(py: Python<'_>, text: impl Display) -> PyErr {
    refused(py, Refusal::request(text))
}

/// The exception for an object that is given where another is needed.
pub fn of_type(object: &Bound<'_, PyAny>, wanted: &str, remedy: &str) -> PyErr {
    let kind = object.get_type().name();
    let kind_name = kind.map_or_else(|_| "object".to_owned(), |name| name.to_string());
    let has_vowel = kind_name.starts_with(['a', 'e', 'i', 'o', 'u']);
    let article = if has_vowel { "an" } else { "a" };
    let text = format!("{article} {kind_name} is given where {wanted} is needed; {remedy}");
    of_class(object.py(), &text)
}

/// The exception for an object whose class does not allow what is asked.
pub fn of_class(py: Python<'_>, text: &str) -> PyErr {
    raised(py, "ArgumentTypeError", text)
}

/// The exception for a file that the system does not open.
pub fn of_file(py: Python<'_>, text: impl Display, error: &io::Error) -> PyErr {
    let name = match error.kind() {
        io::ErrorKind::NotFound => "FileMissingError",
        _ => "FileError",
    };
    let raised = raised(py, name, &text.to_string());
    if let Some(number) = error.raw_os_error() {
        // Without the number the exception says the same.
        let _ = raised.value(py).setattr("errno", number);
    }
    raised
}

/// Passes all notes to Python's warnings, each text once, at the line that called netsig.
///
/// # Errors
/// If the user turned warnings into errors.
pub fn warn<'a>(py: Python<'_>, notes: impl IntoIterator<Item = &'a Note>) -> PyResult<()> {
    let texts = notes.into_iter().map(Note::text).unique();
    for text in texts {
        let category = class(py, "NetsigWarning")?;
        let warnings = py.import("warnings")?;
        warnings.call_method1("warn", (in_python(text), category, caller_level(py)))?;
    }
    Ok(())
}

/// The `stacklevel` of the innermost frame outside of netsig's Python files.
fn caller_level(py: Python<'_>) -> usize {
    let is_of_netsig = |frame: &Bound<'_, PyAny>| {
        let module = frame
            .getattr("f_globals")
            .and_then(|globals| globals.get_item("__name__"));
        let name: PyResult<String> = module.and_then(|module| module.extract());
        name.is_ok_and(|name| name == "netsig" || name.starts_with("netsig."))
    };
    let innermost_frame = py.import("sys").and_then(|sys| sys.call_method0("_getframe"));
    let frames = std::iter::successors(innermost_frame.ok(), |frame| {
        frame.getattr("f_back").ok().filter(|caller| !caller.is_none())
    });
    1 + frames.take_while(is_of_netsig).count()
}
