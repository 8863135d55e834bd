//! Whether the data of a plan fit on the disk, found out before the first measurement.

use std::path::Path;

use netsig_measure::plan::Plan;
use nix::sys::statvfs::statvfs;

use crate::input::failure::Failure;
use crate::input::files::parent;

/// How many bytes a row takes.
const ROW: u64 = 90;

/// Room for the provenance, and for what else is written meanwhile.
const MARGIN: u64 = 1 << 20;

/// Refuses a disk that has no room for all the data of `plan` in a new file at `output`.
///
/// # Errors
/// If it has none. A disk that does not tell is taken.
pub fn refuse_full(output: &Path, plan: &Plan) -> Result<(), Failure> {
    let Ok(disk) = statvfs(parent(output)) else {
        return Ok(());
    };
    let free = disk.blocks_available().saturating_mul(disk.fragment_size());
    let written = output.metadata().map_or(0, |data| data.len());
    let all = plan.samples().saturating_mul(ROW).saturating_add(MARGIN);
    let needed = all.saturating_sub(written);
    if needed <= free {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: the data may take {} and {} are free there; free some space or choose another --output",
        output.display(),
        megabytes(needed),
        megabytes(free)
    )))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
