//! Programs with the library preloaded: results and outcomes are the same as without it.

mod harmless;
mod limits;
#[path = "../../../base/tests/long_form/mod.rs"]
mod long_form;
mod same_results;
mod support;
