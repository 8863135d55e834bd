//! For tests of this crate and of the simulator, which includes this file by its path: a network of
//! pLogP whose tables are lines.

use netsig_base::units::table::SizeTable;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::model::plogp::{PLogP, PLogPParameters};

pub(crate) fn table(rows: &[(u64, f64)]) -> SizeTable {
    let rows = rows.iter().map(|&(m, t)| (Bytes(m), Seconds(t)));
    SizeTable::new("a table", rows.collect()).unwrap()
}

/// g = 10 µs + 10 ns/B, os = 5 µs + 4 ns/B, or = 6 µs + 5 ns/B, L = 50 µs.
pub(crate) fn affine() -> PLogP {
    let line = |at_zero, slope: f64| table(&[(0, at_zero), (1000, at_zero + 1000.0 * slope)]);
    PLogP::new(PLogPParameters {
        latency: Seconds(5e-5),
        gap: line(1e-5, 1e-8),
        send_overhead: line(5e-6, 4e-9),
        receive_overhead: line(6e-6, 5e-9),
    })
    .unwrap()
}
