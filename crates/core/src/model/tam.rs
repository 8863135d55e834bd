//! Tam's model: contention as a part of the latency, which then depends on the size.
//!
//! # Formula
//! T = (P−1)·g(m) + L(m), with g(m) and the tabulated L(m) in seconds, m bytes per
//! destination. One process needs no time.
//!
//! # Domain
//! All-to-all on the network and with about the number of processes that L(m) was measured
//! with: the model knows neither how many messages are under way nor what the links carry.
//!
//! # Source
//! A. T. C. Tam, doctoral thesis, University of Hong Kong, 2001; A. T. C. Tam and C. L.
//! Wang, Workshop on Cluster Computing, 1999. As quoted by Barchet-Steffenel and Mounié 2005 (PPAM
//! and RenPar) and Steffenel 2006 (INRIA report), who also call the author Chun. They say
//! that L depends on the size and print no formula; putting L(m) into the contention-free
//! bound is netsig's choice.
//!
//! ```
//! # use netsig_core::{model::{plogp::{PLogP, Parameters}, tam::Tam}, units::table::Table};
//! # use netsig_core::units::{Bytes, Procs, Seconds};
//! # let table = |rows: &[(u64, f64)]| {
//! #     Table::new("L", rows.iter().map(|&(m, t)| (Bytes(m), Seconds(t))).collect())
//! # };
//! let gap = table(&[(0, 1e-5), (1 << 24, 0.16778216)])?;
//! # let network = PLogP::new(Parameters {
//! #     latency: Seconds(0.0),
//! #     gap: gap.clone(),
//! #     send_overhead: gap.clone(),
//! #     receive_overhead: gap,
//! # })?;
//! // A latency that no size changes is that of the contention-free bound.
//! let model = Tam::new(table(&[(0, 5e-5)])?);
//! let time = model.alltoall(&network, Procs::new(24)?, Bytes(1 << 20));
//! assert!((time.0 / 0.24145248000000002 - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::plogp::PLogP;
use crate::units::table::Table;
use crate::units::{Bytes, Procs, Seconds};

/// L(m).
#[derive(Debug, Clone, PartialEq)]
pub struct Tam {
    latency: Table,
}

impl Tam {
    /// A network with L(m) = `latency`.
    pub fn new(latency: Table) -> Self {
        Self { latency }
    }

    /// What (P−1)·g(m) leaves of a measured `time` for L; below zero where the gaps of
    /// `network` alone take longer.
    pub fn left_over(network: &PLogP, procs: Procs, size: Bytes, time: Seconds) -> Seconds {
        time - network.g(size) * procs.partners()
    }

    /// The all-to-all with `size` bytes per destination; the gap is that of `network`, its
    /// own latency plays no part.
    pub fn alltoall(&self, network: &PLogP, procs: Procs, size: Bytes) -> Seconds {
        if procs.get() == 1 {
            return Seconds(0.0);
        }
        network.g(size) * procs.partners() + self.latency.at(size)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{affine, procs, table};
    use super::*;

    #[test]
    fn the_latency_is_that_of_the_size() {
        let model = Tam::new(table(&[(0, 5e-5), (1000, 9e-5)]));
        // 3 · (10 µs + 5 µs) + 70 µs
        let time = model.alltoall(&affine(), procs(4), Bytes(500));
        assert!((time.0 / 1.15e-4 - 1.0).abs() < 1e-12);
        let left = Tam::left_over(&affine(), procs(4), Bytes(500), Seconds(1.15e-4));
        assert!((left.0 / 7e-5 - 1.0).abs() < 1e-12);
        assert_eq!(
            model.alltoall(&affine(), procs(1), Bytes(500)),
            Seconds(0.0)
        );
    }
}
