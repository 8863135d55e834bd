//! Helpers for tests of this crate and of crates that use it, which include this file by its path.

use std::borrow::Cow;

use netsig_base::algorithm::Algorithm;
use netsig_base::units::{Bytes, Procs};

/// The bytes that each rank sends in all its rounds.
pub(crate) fn sent_bytes(algorithm: Algorithm, procs: Procs, size: Bytes) -> Vec<u64> {
    let extent = algorithm.schedule(procs, size).extent();
    let sent_by_rank = |rank| {
        let rounds = (0..extent.rounds).map(|index| algorithm.schedule(procs, size).round(rank, index));
        let sends = rounds.flat_map(|round| round.sends.iter().map(Cow::into_owned).collect::<Vec<_>>());
        let slots = sends.flat_map(|send| send.slots);
        slots.map(|slot| extent.division.bytes(slot.index())).sum()
    };
    procs.ranks().map(sent_by_rank).collect()
}
