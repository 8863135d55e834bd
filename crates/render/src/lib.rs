//! What netsig shows, as text: rows as tables, CSV and JSON; pictures as SVG; the report as HTML. The command line and
//! the Python package write or print it.
//!
//! Layers, each using only those before it: rows, svg, parameters, plot, lanes, gantt, timeline, report.

#![forbid(unsafe_code)]

pub mod gantt;
pub mod lanes;
pub mod parameters;
pub mod plot;
pub mod report;
pub mod rows;
pub mod svg;
pub mod timeline;
