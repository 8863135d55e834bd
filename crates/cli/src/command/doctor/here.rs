//! The checks of this machine: the working directory, and whether it can emulate a cluster.

use std::path::Path;

use super::row::Row;
use crate::campaign::space::{MARGIN, free, megabytes};
use crate::input::args::Place;
use crate::input::failure::split;

/// Free bytes below which a campaign may fill the disk.
const SCANTY: u64 = 100_000_000;

const DIRECTORY: &str = "working directory";

const LAB: &str = "emulated cluster";

/// A file can be written in the working directory.
pub fn directory() -> Row {
    let here = std::env::current_dir().unwrap_or_default();
    let here = here.display();
    if let Err(error) = tempfile::tempfile_in(".") {
        let detail = format!("{here}: no file can be written ({error})");
        return Row::failed(DIRECTORY, detail, "change to another directory");
    }
    let Some(free) = free(Path::new(".")) else {
        return Row::ok(DIRECTORY, here);
    };
    let detail = format!("{here}: {} are free", megabytes(free));
    let cure = "free some space, or change to another directory";
    match free {
        ..MARGIN => Row::failed(DIRECTORY, detail, cure),
        MARGIN..SCANTY => Row::warning(DIRECTORY, detail, cure),
        _ => Row::ok(DIRECTORY, detail),
    }
}

/// This machine can emulate a cluster, which only work in the lab needs.
pub fn lab(place: &Place) -> Row {
    let capabilities = netsig_lab::check();
    let mut needed = capabilities.rows.iter().filter(|row| row.is_needed);
    let missing = needed.find_map(|row| Some((row.name, row.found.as_ref().err()?)));
    let Some((name, missing)) = missing else {
        return Row::ok(LAB, "this machine can emulate one (--on lab:SCENARIO)");
    };
    let (why, cure) = split(missing).unwrap_or((missing, "see `netsig lab check`"));
    let row = Row::failed(LAB, format!("{name}: {why}"), cure);
    match place {
        Place::Lab(_) => row,
        Place::Mpi | Place::Simulated(_) => row.into_warning(),
    }
}
