//! Any text is a fault or a topology, and the fault is one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netsig_core::network::topology::slurm;

fuzz_target!(|text: &str| {
    if let Err(error) = slurm::parse("topology.conf", text) {
        assert_eq!(error.to_string().lines().count(), 1);
    }
});
