//! `LogP` and `LogGP`: one message between two processes with parameters that are constant.
//!
//! # Formula
//! t(m) = o + (m−1)·G + L + o, with L, o and g in seconds, G in seconds per byte and m in
//! bytes. `LogP` has no G: its one message takes L + 2·o, which is t(1). g is the least time
//! between messages, and plays no part in a single one.
//!
//! # Relation to pLogP
//! L' = L + g(1) − os(1) − or(1), o = (os(1) + or(1))/2, g = g(1), and G = g(m)/m for a
//! large m. t(1) is then L + g(1), as in pLogP.
//!
//! # Domain
//! m ≥ 0; an empty message counts as one byte.
//!
//! # Source
//! `LogP`: Culler et al. 1993. `LogGP`: Alexandrov, Ionescu, Schauser, Scheiman 1995. The
//! relation: Kielmann, Bal, Gorlatch, Verstoep, Hofman 2001.
//!
//! ```
//! # use netsig_core::model::loggp::LogGP;
//! # use netsig_core::model::plogp::{PLogP, Parameters};
//! # use netsig_core::units::table::Table;
//! # use netsig_core::units::{Bytes, Seconds};
//! # let line = |name, rows: [(u64, f64); 2]| Table::new(name, rows.map(|(m, t)| (Bytes(m), Seconds(t))).into());
//! // L = 50 µs, g = 10 µs + 10 ns · m, os = 5 µs + 4 ns · m, or = 6 µs + 5 ns · m.
//! # let network = PLogP::new(Parameters {
//! #     latency: Seconds(5e-5),
//! #     gap: line("g", [(0, 1e-5), (16_777_216, 0.167_782_16)])?,
//! #     send_overhead: line("os", [(0, 5e-6), (16_777_216, 0.067_113_864)])?,
//! #     receive_overhead: line("or", [(0, 6e-6), (16_777_216, 0.083_892_08)])?,
//! # })?;
//! let loggp = LogGP::from_plogp(&network, Bytes(1_000_000))?;
//! assert!((loggp.latency().0 / 49.001e-6 - 1.0).abs() < 1e-12);
//! assert!((loggp.overhead().0 / 5.5045e-6 - 1.0).abs() < 1e-12);
//! assert!((loggp.message(Bytes(1001)).0 / 70.02e-6 - 1.0).abs() < 1e-12);
//! # Ok::<(), netsig_core::units::parameter::ParameterError>(())
//! ```

use super::plogp::PLogP;
use crate::units::parameter::{ParameterError, non_negative};
use crate::units::{Bytes, Seconds, SecondsPerByte};

/// L, o, g and G.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogGP {
    latency: Seconds,
    overhead: Seconds,
    gap: Seconds,
    gap_per_byte: SecondsPerByte,
}

impl LogGP {
    /// A model with L, o, g and G.
    ///
    /// # Errors
    /// If any is negative or not finite.
    pub fn new(
        latency: Seconds,
        overhead: Seconds,
        gap: Seconds,
        gap_per_byte: SecondsPerByte,
    ) -> Result<Self, ParameterError> {
        non_negative("L", latency.0)?;
        non_negative("o", overhead.0)?;
        non_negative("g", gap.0)?;
        non_negative("G", gap_per_byte.0)?;
        Ok(Self {
            latency,
            overhead,
            gap,
            gap_per_byte,
        })
    }

    /// The parameters of `network`, with G from a message of `large` bytes.
    ///
    /// # Errors
    /// If `large` is zero, or the overheads of a byte exceed its time L + g(1).
    pub fn from_plogp(network: &PLogP, large: Bytes) -> Result<Self, ParameterError> {
        const BYTE: Bytes = Bytes(1);
        if large.0 == 0 {
            let rule = "at least one byte, to have a gap per byte";
            return Err(ParameterError::new("large", 0, rule));
        }
        let overheads = network.os(BYTE) + network.or(BYTE);
        Self::new(
            network.message(BYTE) - overheads,
            overheads * 0.5,
            network.g(BYTE),
            SecondsPerByte(network.g(large).0 / large.as_f64()),
        )
    }

    /// One message of `size` bytes.
    pub fn message(&self, size: Bytes) -> Seconds {
        let further = Bytes(size.0.saturating_sub(1));
        self.latency + self.overhead * 2.0 + self.gap_per_byte * further
    }

    /// L.
    pub fn latency(&self) -> Seconds {
        self.latency
    }

    /// o: what a message costs its sender, and again its receiver.
    pub fn overhead(&self) -> Seconds {
        self.overhead
    }

    /// g: the least time between messages.
    pub fn gap(&self) -> Seconds {
        self.gap
    }

    /// G: the time of each further byte of a message.
    pub fn gap_per_byte(&self) -> SecondsPerByte {
        self.gap_per_byte
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::hockney::Hockney;

    #[test]
    fn a_message_by_hand() {
        let [latency, overhead, gap] = [5e-5, 4e-6, 1e-5].map(Seconds);
        let model = LogGP::new(latency, overhead, gap, SecondsPerByte(1e-8)).unwrap();
        for (size, time) in [(0, 58e-6), (1, 58e-6), (101, 59e-6)] {
            assert!((model.message(Bytes(size)).0 / time - 1.0).abs() < 1e-12);
        }
        assert!(LogGP::new(latency, overhead, Seconds(-1.0), SecondsPerByte(0.0)).is_err());
    }

    #[test]
    fn a_network_whose_overheads_exceed_the_time_has_no_latency_left() {
        let hockney = Hockney::new(Seconds(5e-5), SecondsPerByte(0.0)).unwrap();
        let network = PLogP::from_hockney(&hockney);
        let message = |large| LogGP::from_plogp(&network, Bytes(large)).map_err(|e| e.to_string());
        assert!(message(0).unwrap_err().starts_with("large = 0"));
        assert!(message(1000).unwrap_err().starts_with("L = -0.00005"));
    }
}
