//! The models for Python.

use itertools::Itertools as _;
use netsig_model::model;
use pyo3::prelude::*;

use crate::columns::ArrowColumns;
use crate::table::PyResultTable;

/// Lists the models.
///
/// Returns
/// -------
/// Table
///     Columns ``subject``, ``model``, ``kind``, ``formula``, ``source``, ``domain``, ``needs`` and
///     ``parameters``, as ``netsig models --format csv``.
#[pyfunction]
pub fn models() -> PyResultTable {
    let all = model::models;
    let columns = ArrowColumns::default()
        .words("subject", all().map(|model| model.subject))
        .words("model", all().map(|model| model.name))
        .words("kind", all().map(|model| model.kind))
        .words("formula", all().map(|model| model.formula))
        .words("source", all().map(|model| model.source))
        .words("domain", all().map(|model| model.domain))
        .words("needs", all().map(|model| model.needs.iter().join("; ")))
        .words(
            "parameters",
            all().map(|model| model.parameters.iter().map(|one| one.name).join(", ")),
        );
    columns.batch().into()
}
