//! Cost of loading a data file: `loading FILE` prints the number of rows, the seconds and the peak of resident memory
//! in bytes. It is a program of its own, so that the memory is that of the data. `netsig-bench speed` writes the file
//! and compares the figures with their targets.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a program that times the reading of a file"
)]

use std::fs::File;
use std::time::Instant;

use netsig_base::data::Dataset;

fn main() {
    let Some(name) = std::env::args().skip(1).find(|word| !word.starts_with('-')) else {
        return;
    };
    let file = File::open(&name).expect("the file can be opened");
    let started = Instant::now();
    let data = Dataset::read(&name, file).expect("the file holds data");
    let seconds = started.elapsed().as_secs_f64();
    println!("loaded {} {seconds} {}", data.samples.len(), peak_resident_bytes());
}

/// Peak of resident memory, as the kernel records it.
fn peak_resident_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux kernel");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kib.expect("the kernel gives VmHWM in KiB") * 1024.0
}
