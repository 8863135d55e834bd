//! Programs with the library preloaded: their results and outcomes are those without it.

mod harmless;
mod limits;
mod same_results;
mod support;
