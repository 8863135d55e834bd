//! Programs with the library preloaded: their results and outcomes are those without it.

mod harmless;
mod limits;
#[path = "../../../base/tests/long_form/mod.rs"]
mod long_form;
mod same_results;
mod support;
