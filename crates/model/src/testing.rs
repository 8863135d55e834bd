//! For tests: the networks of the reference values, and how close to them is right.

mod affine;
#[path = "../../base/src/testing.rs"]
mod base;
#[path = "../../base/src/data/testing.rs"]
mod data;
#[path = "../../base/src/network/testing.rs"]
mod network;

pub(crate) use affine::affine;
pub(crate) use base::procs;
pub(crate) use data::read;
use netsig_base::units::Seconds;
pub(crate) use network::graph_of;

use crate::model::exchange::{MessageExchange, ZeroMessages};

/// The exchange of a matrix: row i holds what process i sends to each process.
pub(crate) fn matrix(rows: &[Vec<u64>], zero: ZeroMessages) -> MessageExchange {
    let row = |row: &Vec<u64>| row.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let text = rows.iter().map(row).collect::<Vec<_>>().join("\n");
    MessageExchange::parse("a matrix", &text, zero).unwrap()
}

/// To twelve digits.
#[track_caller]
pub(crate) fn assert_close(time: Seconds, expected: f64) {
    let error = time.0 / expected - 1.0;
    assert!(error.abs() < 1e-12, "{} is not {expected}", time.0);
}
