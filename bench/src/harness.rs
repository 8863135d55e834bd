//! Shared by the benchmarks. A benchmark itself defines its measurements and their judgement.
//!
//! Judging needs no lab. `prediction` and `rivals` predict the cells of one data set from another, and `choice` judges
//! chosen algorithms. `goals` and `report` compare the rows with goals and write them. Networks need `draw` (from a
//! seed), `campaign` and `plan` (measured once), `learn` (profiles and choices) and `truth`.

pub mod campaign;
pub mod cell;
pub mod choice;
pub mod draw;
pub mod effort;
pub mod folder;
pub mod forecast;
pub mod goals;
pub mod learn;
pub mod plan;
pub mod prediction;
pub mod process;
pub mod report;
pub mod rivals;
pub mod row_goal;
pub mod score;
pub mod series;
pub mod smpi;
pub mod summary;
pub mod times;
pub mod trial;
pub mod truth;

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn root() -> PathBuf {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    bench.parent().expect("bench lies in the workspace").to_owned()
}
