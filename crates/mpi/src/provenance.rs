//! How these measurements came to be, as rank 0 can tell.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Root};
use netsig_core::dataset::Provenance;

/// Longest host name that is passed on.
const NAME: usize = 64;

/// The facts of this job; all ranks call it together. `notes` are `key=value` texts.
///
/// # Errors
/// If a note is not `key=value`.
pub fn collect(world: &SimpleCommunicator, notes: &[String]) -> Result<Provenance> {
    let mut facts = Provenance::default();
    facts.push("netsig", env!("CARGO_PKG_VERSION"));
    facts.push(
        "mpi",
        mpi::environment::library_version()
            .unwrap_or_default()
            .trim_end_matches(is_padding),
    );
    facts.push("ranks", world.size());
    facts.push("hosts", host_names(world).join(","));
    let system = |path| {
        std::fs::read_to_string(path)
            .ok()
            .map(|text| text.trim().to_owned())
    };
    let variable = |name| std::env::var(name).ok();
    let lab_control = variable("NETSIG_LAB_CONGESTION_CONTROL");
    for (key, value) in [
        ("kernel", system("/proc/sys/kernel/osrelease")),
        // The lab sets it by route, which the system-wide setting does not show.
        (
            "congestion_control",
            lab_control.or_else(|| system("/proc/sys/net/ipv4/tcp_congestion_control")),
        ),
        ("lab", variable("NETSIG_LAB")),
        ("yield_shim", variable("NETSIG_YIELD_SHIM")),
    ] {
        if let Some(value) = value {
            facts.push(key, value);
        }
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .context("the clock is before 1970; set it")?;
    facts.push("started_unix_s", now.as_secs());
    for note in notes {
        let (key, value) = note
            .split_once('=')
            .with_context(|| format!("--note {note:?} is not key=value"))?;
        facts.push(key, value);
    }
    Ok(facts)
}

/// MPI libraries pad their C strings.
fn is_padding(c: char) -> bool {
    c == '\0' || c.is_whitespace()
}

/// The hosts in the order of the ranks, complete on rank 0.
fn host_names(world: &SimpleCommunicator) -> Vec<String> {
    let name = mpi::environment::processor_name().unwrap_or_default();
    let mut mine = [0u8; NAME];
    let length = name.len().min(NAME);
    mine[..length].copy_from_slice(&name.as_bytes()[..length]);
    let root = world.process_at_rank(0);
    if world.rank() != 0 {
        root.gather_into(&mine[..]);
        return Vec::new();
    }
    let count = usize::try_from(world.size()).unwrap_or(0);
    let mut all = vec![0u8; NAME * count];
    root.gather_into_root(&mine[..], &mut all[..]);
    let names = all.chunks(NAME).map(|name| {
        String::from_utf8_lossy(name)
            .trim_end_matches('\0')
            .to_owned()
    });
    names.collect()
}
