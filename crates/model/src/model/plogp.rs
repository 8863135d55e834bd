//! pLogP: LogP with parameters that depend on the size of the message, as tables.
//!
//! # Formula
//! One message of m bytes takes L + g(m). A process may hand over messages of m bytes every g(m)
//! and is busy for os(m) while it sends one and for or(m) while it receives one. L in seconds; g,
//! os and or in seconds over m in bytes.
//!
//! # Table
//! Ascending sizes, each with a value. A size in the table has its value; between two
//! sizes the value is interpolated linearly; beyond the last size the line through the last
//! two goes on (but not below zero); below the first size the first value holds.
//!
//! # Relation to Hockney's model
//! L + g(m) = α + β·m: an affine g(m) = g₀ + g₁·m has β = g₁ and α = L + g₀. A ping-pong alone
//! cannot separate L from g₀. [`PLogP::from_hockney`] takes Hockney's view, in which start-ups do
//! not overlap: L = 0 and g(m) = os(m) = or(m) = α + β·m.
//!
//! # Source
//! Kielmann, Bal, Verstoep 2000, and their MPI LogP benchmark for the interpolation; used
//! by Barchet-Steffenel and Mounié 2005 (PPAM and RenPar). g(m) ≥ os(m), or(m) is expected
//! there, but not demanded: see [`PLogP::sizes_with_small_gap`].

use itertools::Itertools;

use super::hockney::Hockney;
use serde::{Deserialize, Serialize};

use netsig_base::units::parameter::{ParameterError, non_negative};
use netsig_base::units::table::SizeTable;
use netsig_base::units::{Bytes, Seconds};

/// The parameters of a network between two processes.
#[derive(Debug, Clone, PartialEq, derive_more::Into, Serialize, Deserialize)]
#[serde(try_from = "PLogPParameters", into = "PLogPParameters")]
pub struct PLogP(PLogPParameters);

/// Latency and tables of a pLogP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PLogPParameters {
    /// L: end-to-end latency.
    #[serde(rename = "latency_s")]
    pub latency: Seconds,
    /// g(m): minimum interval between messages.
    #[serde(rename = "gap_s")]
    pub gap: SizeTable,
    /// os(m): time for which sending occupies the sender.
    #[serde(rename = "send_overhead_s")]
    pub send_overhead: SizeTable,
    /// or(m): time for which receiving occupies the receiver.
    #[serde(rename = "receive_overhead_s")]
    pub receive_overhead: SizeTable,
}

impl TryFrom<PLogPParameters> for PLogP {
    type Error = ParameterError;
    fn try_from(parameters: PLogPParameters) -> Result<Self, ParameterError> {
        Self::new(parameters)
    }
}

impl PLogP {
    /// A network with these parameters.
    ///
    /// # Errors
    /// If L is negative or not finite.
    pub fn new(parameters: PLogPParameters) -> Result<Self, ParameterError> {
        non_negative("L", parameters.latency.0)?;
        Ok(Self(parameters))
    }

    /// Hockney's model as pLogP: L = 0, g(m) = os(m) = or(m) = α + β·m.
    pub fn from_hockney(model: &Hockney) -> Self {
        let line = SizeTable::line(model.alpha(), model.beta());
        Self(PLogPParameters {
            latency: Seconds(0.0),
            gap: line.clone(),
            send_overhead: line.clone(),
            receive_overhead: line,
        })
    }

    /// Latency L.
    pub fn latency(&self) -> Seconds {
        self.0.latency
    }

    /// Gap g(m).
    pub fn g(&self, size: Bytes) -> Seconds {
        self.0.gap.at(size)
    }

    /// Time in which the wire can carry m bytes in pieces, without a request: the smaller of g(m) and β·m. β is g per
    /// byte of the longest measured message; short messages may pass at once, as from a shaper with a burst.
    pub(crate) fn wire_time(&self, size: Bytes) -> Seconds {
        let rows = self.0.gap.rows();
        let (longest, gap) = rows[rows.len() - 1];
        let share = size.as_f64() / longest.as_f64().max(1.0);
        Seconds(self.g(size).0.min(gap.0 * share))
    }

    /// Gap of a segment of s bytes: g(s), but at least os(s), or(s) and `wire`, the segment's share of the wire's
    /// time. A measured g(s) may be less, as it is a difference of two times.
    pub(crate) fn gap_of_segment(&self, segment: Bytes, wire: Seconds) -> Seconds {
        let overhead = self.os(segment).0.max(self.or(segment).0);
        Seconds(self.g(segment).0.max(overhead).max(wire.0))
    }

    /// g(m) + g(2·m) + … + g(`count`·m), where `count`·m is below 2^64.
    pub(crate) fn sum_of_gaps(&self, size: Bytes, count: u32) -> Seconds {
        self.0.gap.sum_of_multiples(size, count)
    }

    /// Send overhead os(m).
    pub fn os(&self, size: Bytes) -> Seconds {
        self.0.send_overhead.at(size)
    }

    /// Receive overhead or(m).
    pub fn or(&self, size: Bytes) -> Seconds {
        self.0.receive_overhead.at(size)
    }

    /// One message: L + g(m).
    pub fn message(&self, size: Bytes) -> Seconds {
        self.latency() + self.g(size)
    }

    /// The tables of g, os and or.
    pub fn tables(&self) -> [&SizeTable; 3] {
        [&self.0.gap, &self.0.send_overhead, &self.0.receive_overhead]
    }

    /// Sizes of the tables at which os or or exceeds g by more than the share `tolerance`, a sign
    /// of a bad measurement. Meant for newly measured tables, before predictions use them.
    pub fn sizes_with_small_gap(&self, tolerance: f64) -> Vec<Bytes> {
        let overheads = [&self.0.send_overhead, &self.0.receive_overhead];
        let is_small = |size: Bytes| {
            let most = self.g(size).0 * (1.0 + tolerance);
            self.os(size).0 > most || self.or(size).0 > most
        };
        let rows = overheads.iter().flat_map(|table| table.rows());
        let small = rows.map(|row| row.0).filter(|size| is_small(*size));
        small.sorted_unstable().dedup().collect()
    }
}

#[cfg(test)]
mod tests {
    use netsig_base::units::SecondsPerByte;

    use super::*;

    #[test]
    fn hockney_s_model_has_no_latency_of_its_own() {
        let hockney = Hockney::new(Seconds(5e-5), SecondsPerByte(1e-8)).unwrap();
        let plogp = PLogP::from_hockney(&hockney);
        assert!((plogp.message(Bytes(1000)).0 / 6e-5 - 1.0).abs() < 1e-14);
        assert!(plogp.sizes_with_small_gap(0.0).is_empty());
    }
}
