//! Checks before the first measurement that the data of a plan fit on the disk.

use std::path::Path;

use netsig_base::units::EstimatedBytes;
use netsig_measure::plan::MeasurementPlan;
use nix::sys::statvfs::statvfs;

use crate::input::failure::Failure;
use crate::input::files::parent;

/// Bytes of a row.
const ROW_BYTES: u64 = 90;

/// Bytes for the provenance and for other files written during the campaign.
pub const MARGIN_BYTES: u64 = 1 << 20;

/// Checks that the disk has room for all data of `plan` in a new file at `output`.
///
/// # Errors
/// If the room is too small. A disk of unknown size is accepted.
pub fn refuse_full_disk(output: &Path, plan: &MeasurementPlan) -> Result<(), Failure> {
    let written = output.metadata().map_or(0, |data| data.len());
    let all = plan.samples().saturating_mul(ROW_BYTES).saturating_add(MARGIN_BYTES);
    refuse_less_than(output, all.saturating_sub(written))
}

/// Checks that the disk of `output` has room for a campaign whose plan is not known yet.
///
/// # Errors
/// The errors of [`refuse_full_disk`].
pub fn refuse_small_disk(output: &Path) -> Result<(), Failure> {
    refuse_less_than(output, MARGIN_BYTES)
}

fn refuse_less_than(output: &Path, needed: u64) -> Result<(), Failure> {
    match free_disk_bytes(parent(output)) {
        Some(free_bytes) if free_bytes < needed => Err(Failure::usage(format!(
            "{}: the data may take {} and {} are free there; free some space or choose another --output",
            output.display(),
            EstimatedBytes(needed as f64),
            EstimatedBytes(free_bytes as f64)
        ))),
        _ => Ok(()),
    }
}

/// Free bytes of the disk of a directory, if known.
pub fn free_disk_bytes(directory: &Path) -> Option<u64> {
    let disk = statvfs(directory).ok()?;
    Some(disk.blocks_available().saturating_mul(disk.fragment_size()))
}
