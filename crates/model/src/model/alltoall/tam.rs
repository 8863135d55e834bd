//! `tam`: contention as a part of the latency, which therefore depends on the size.
//!
//! # Domain
//! The network that L(m) was measured on, at about the same number of processes: the formula
//! contains neither the number of simultaneous messages nor the load of the links.
//!
//! # Source
//! A. T. C. Tam, doctoral thesis, University of Hong Kong, 2001; A. T. C. Tam and C. L.
//! Wang, Workshop on Cluster Computing, 1999. As quoted by Barchet-Steffenel and Mounié 2005 (PPAM
//! and RenPar) and Steffenel 2006 (INRIA report), who also call the author Chun. They say
//! that L depends on the size and print no formula; putting L(m) into the contention-free
//! bound is netsig's choice.

use super::contention_free::CONTENTION_FREE;
use crate::model::prelude::*;

/// Latency L(m) that follows from a measured `time`: T − (P−1)·g(m). Negative where the gaps alone
/// take longer.
pub fn remaining_latency(net: &PLogP, procs: Procs, size: Bytes, time: Seconds) -> Seconds {
    time - net.g(size) * procs.partners()
}

pub(super) const TAM: Model = Model {
    name: "tam",
    formula: "T = (P−1)·g(m) + L(m)",
    source: "Tam and Wang 1999, Tam 2001 (also cited as Chun), in the form netsig gives it",
    domain: "The latency depends on the size, as a table; it cannot grow with P.",
    estimator: ModelEstimator::Latency,
    example: WorkedExample {
        latency: Some(Seconds(5e-3)),
        ..WorkedExample::on_toy("P = 24, m = 1 MiB, L(m) = 5 ms", 0.246_402_48, (24, 1 << 20))
    },
    time: |inputs| {
        let fitted_table = inputs.values.latency.as_ref();
        let latency = fitted_table.ok_or_else(|| inputs.missing("a table L(m)", "fit it to data"))?;
        // The formula does not use the latency L of the network.
        inputs.evaluate_plogp(|net, procs, size| net.g(size) * procs.partners() + latency.at(size))
    },
    kind: ModelKind::Contention,
    ..CONTENTION_FREE
};
