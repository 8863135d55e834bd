//! The command line as its users see it, in one program: a test program of its own for each file would take longer to
//! link than to run. Tests that need the machine for themselves are in `real_lab`.

mod agreement;
mod any_data;
mod commands;
mod contract;
mod discover;
mod fitting;
mod former_names;
mod guide;
mod import;
mod installed;
mod interrupted;
#[path = "../../../base/tests/long_form/mod.rs"]
mod long_form;
mod measuring;
mod models;
mod plan;
mod report;
mod report_figures;
mod report_inputs;
mod run;
#[path = "../../../base/tests/seeded/mod.rs"]
mod seeded;
mod segments;
mod shells;
mod simgrid;
mod simulate;
#[path = "../support/mod.rs"]
mod support;
mod terminal;
mod tuned;
mod verbosity;
