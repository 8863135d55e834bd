//! Data frames of other packages: the call that makes a dataset of one.

use pyo3::prelude::*;

/// The call that makes a dataset of a data frame or table; `None` for other objects.
pub fn conversion(object: &Bound<'_, PyAny>) -> Option<&'static str> {
    let module: String = object.get_type().module().ok()?.to_string();
    match module.split('.').next() {
        Some("pandas") => Some("netsig.Dataset.from_pandas(frame)"),
        Some("polars") if is_lazy(object) => Some("netsig.Dataset.from_polars(frame.collect())"),
        Some("polars") => Some("netsig.Dataset.from_polars(frame)"),
        Some("netsig") => None,
        _ if object.hasattr("__arrow_c_stream__").unwrap_or_default() => Some("netsig.Dataset.from_arrow(table)"),
        _ => None,
    }
}

/// True for a frame of Polars that is not computed yet.
pub fn is_lazy(object: &Bound<'_, PyAny>) -> bool {
    object.get_type().name().is_ok_and(|name| name == "LazyFrame")
}
