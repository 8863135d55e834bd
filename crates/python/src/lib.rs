//! netsig in Python: glue between Python's types and the pure crates, which decide everything. The docstrings of
//! functions and classes are here, their types in `_netsig.pyi`.

#![expect(
    clippy::doc_markdown,
    reason = "docstrings are written in NumPy's style, not in Markdown"
)]

mod arguments;
mod clap_refusals;
mod clusters;
mod columns;
mod compare;
mod dataset;
mod error;
mod event_simulation;
mod exchange;
mod files;
mod fit;
mod followed;
mod foreign_frame;
mod frame;
mod given_profile;
mod given_values;
mod grid;
mod html;
mod interrupt;
mod models;
mod network;
mod numpy_columns;
mod parameters;
mod penalties;
mod pickle;
mod plan;
mod plots;
mod predict;
mod profile;
mod profile_values;
mod provenance;
mod python_words;
mod report;
mod select;
mod simulate;
mod table;
mod tune;
mod unpickle;
mod verdict;

use pyo3::prelude::*;

/// The compiled part of netsig.
#[pymodule]
fn _netsig(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<clusters::PyClusters>()?;
    module.add_class::<dataset::PyDataset>()?;
    module.add_class::<event_simulation::PyEventSimulation>()?;
    module.add_class::<network::PyNetwork>()?;
    module.add_class::<predict::PyPredictions>()?;
    module.add_class::<profile::PyProfile>()?;
    module.add_class::<select::PySelection>()?;
    module.add_class::<simulate::PySimulations>()?;
    module.add_class::<table::PyResultTable>()?;
    module.add_function(wrap_pyfunction!(clusters::discover, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare, module)?)?;
    module.add_function(wrap_pyfunction!(dataset::import_data, module)?)?;
    module.add_function(wrap_pyfunction!(dataset::read_data, module)?)?;
    module.add_function(wrap_pyfunction!(exchange::bounds, module)?)?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(followed::simulate_events, module)?)?;
    module.add_function(wrap_pyfunction!(followed::simulate_goal, module)?)?;
    module.add_function(wrap_pyfunction!(models::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(models::models, module)?)?;
    module.add_function(wrap_pyfunction!(network::scenarios, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(python_words::in_python, module)?)?;
    module.add_function(wrap_pyfunction!(report::report, module)?)?;
    module.add_function(wrap_pyfunction!(simulate::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(unpickle::unpickle, module)?)?;
    Ok(())
}
