//! For tests: the networks of the reference values, and how close to them is right.

use super::exchange::{Exchange, ZeroMessages};
use super::plogp::{PLogP, Parameters};
use crate::units::table::Table;
use crate::units::{Bytes, Procs, Seconds};

pub(crate) fn procs(count: u32) -> Procs {
    Procs::new(count).unwrap()
}

pub(crate) fn table(rows: &[(u64, f64)]) -> Table {
    let rows = rows.iter().map(|&(m, t)| (Bytes(m), Seconds(t)));
    Table::new("a table", rows.collect()).unwrap()
}

/// g = 10 µs + 10 ns/B, os = 5 µs + 4 ns/B, or = 6 µs + 5 ns/B, L = 50 µs.
pub(crate) fn affine() -> PLogP {
    let line = |at_zero, slope: f64| table(&[(0, at_zero), (1000, at_zero + 1000.0 * slope)]);
    PLogP::new(Parameters {
        latency: Seconds(5e-5),
        gap: line(1e-5, 1e-8),
        send_overhead: line(5e-6, 4e-9),
        receive_overhead: line(6e-6, 5e-9),
    })
    .unwrap()
}

/// The exchange of a matrix: row i holds what process i sends to each process.
pub(crate) fn matrix(rows: &[Vec<u64>], zero: ZeroMessages) -> Exchange {
    let row = |row: &Vec<u64>| row.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let text = rows.iter().map(row).collect::<Vec<_>>().join("\n");
    Exchange::parse("a matrix", &text, zero).unwrap()
}

/// To twelve digits.
#[track_caller]
pub(crate) fn assert_close(time: Seconds, expected: f64) {
    let error = time.0 / expected - 1.0;
    assert!(error.abs() < 1e-12, "{} is not {expected}", time.0);
}
