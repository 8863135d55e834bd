//! The models for Python.

use itertools::Itertools as _;
use netsig_model::model;
use pyo3::prelude::*;

use crate::columns::Columns;
use crate::table::Table;

/// Lists the models.
///
/// Returns
/// -------
/// Table
///     Columns ``subject``, ``model``, ``kind``, ``formula``, ``source``, ``domain``, ``needs`` and
///     ``parameters``, as ``netsig models --format csv``.
#[pyfunction]
pub fn models() -> Table {
    let all = model::models;
    let columns = Columns::default()
        .words("subject", all().map(|own| own.subject))
        .words("model", all().map(|own| own.name))
        .words("kind", all().map(|own| own.kind))
        .words("formula", all().map(|own| own.formula))
        .words("source", all().map(|own| own.source))
        .words("domain", all().map(|own| own.domain))
        .words("needs", all().map(|own| own.needs.iter().join("; ")))
        .words(
            "parameters",
            all().map(|own| own.parameters.iter().map(|one| one.name).join(", ")),
        );
    columns.batch().into()
}
