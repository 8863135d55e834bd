//! The checks of this machine: the working directory, and whether it can emulate a cluster.

use std::path::Path;

use netsig_base::units::EstimatedBytes;

use super::check_row::CheckRow;
use crate::campaign::disk_space::{MARGIN_BYTES, free_disk_bytes};
use crate::input::args::MeasurementPlace;
use crate::input::failure::split_remedy;

/// Free bytes below which a campaign may fill the disk.
const LITTLE_SPACE: u64 = 100_000_000;

const DIRECTORY: &str = "working directory";

const LAB: &str = "emulated cluster";

/// Checks that a file can be written in the working directory.
pub fn directory() -> CheckRow {
    let current_directory = std::env::current_dir().unwrap_or_default();
    let directory_name = current_directory.display();
    if let Err(error) = tempfile::tempfile_in(".") {
        let detail = format!("{directory_name}: no file can be written ({error})");
        return CheckRow::failed(DIRECTORY, detail, "change to another directory");
    }
    let Some(free_bytes) = free_disk_bytes(Path::new(".")) else {
        return CheckRow::ok(DIRECTORY, directory_name);
    };
    let detail = format!("{directory_name}: {} are free", EstimatedBytes(free_bytes as f64));
    let cure = "free some space, or change to another directory";
    match free_bytes {
        ..MARGIN_BYTES => CheckRow::failed(DIRECTORY, detail, cure),
        MARGIN_BYTES..LITTLE_SPACE => CheckRow::warning(DIRECTORY, detail, cure),
        _ => CheckRow::ok(DIRECTORY, detail),
    }
}

/// Checks that this machine can emulate a cluster, which only the lab needs.
pub fn check_lab(place: &MeasurementPlace) -> CheckRow {
    let capabilities = netsig_lab::check();
    let mut needed = capabilities.rows.iter().filter(|row| row.is_needed);
    let first_missing = needed.find_map(|row| Some((row.name, row.found.as_ref().err()?)));
    let Some((name, missing)) = first_missing else {
        return CheckRow::ok(LAB, "this machine can emulate one (--on lab:SCENARIO)");
    };
    let (why, cure) = split_remedy(missing).unwrap_or((missing, "see `netsig lab check`"));
    let row = CheckRow::failed(LAB, format!("{name}: {why}"), cure);
    match place {
        MeasurementPlace::Lab(_) => row,
        MeasurementPlace::Mpi | MeasurementPlace::Simulated(_) => row.into_warning(),
    }
}
