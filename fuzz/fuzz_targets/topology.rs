//! Any text is a fault or a network, and the fault is one line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use netsig_base::network::{Network, Port, slurm};
use netsig_base::units::{BitsPerSecond, Bytes};

fuzz_target!(|text: &str| {
    let port = Port::new(BitsPerSecond(1_000_000_000), Bytes(65_536));
    let read = [
        slurm::parse("topology.conf", text, port, port),
        Network::parse("network.toml", text),
    ];
    for error in read.into_iter().filter_map(Result::err) {
        assert_eq!(error.to_string().lines().count(), 1);
    }
});
