//! `LogP` and `LogGP`, `message_loggp`: one message with constant parameters.
//!
//! # Formula
//! t(m) = o + (m−1)·G + L + o, with L, o and g in seconds, G in seconds per byte and m in bytes.
//! `LogP` has no G: its message takes L + 2·o, which is t(1). g is the minimum interval between
//! messages; the time of a single message does not contain g.
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

use netsig_base::units::parameter::{ParameterError, non_negative};

use super::hockney::HOCKNEY;
use crate::model::examples::toy_network;
use crate::model::prelude::*;

/// Latency L, overhead o, gap g and gap per byte G.
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
    /// If `large` is zero, or the overheads of a one-byte message exceed its time L + g(1).
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

    /// Latency L.
    pub fn latency(&self) -> Seconds {
        self.latency
    }

    /// o: time that a message costs its sender, and again its receiver.
    pub fn overhead(&self) -> Seconds {
        self.overhead
    }

    /// g: minimum interval between messages.
    pub fn gap(&self) -> Seconds {
        self.gap
    }

    /// G: the time of each further byte of a message.
    pub fn gap_per_byte(&self) -> SecondsPerByte {
        self.gap_per_byte
    }
}

/// Size of the message that gives G.
const LARGE: Bytes = Bytes(1 << 20);

pub(super) const LOGGP: Model = Model {
    name: "message_loggp",
    formula: "t = o + (m−1)·G + L + o",
    source: "Alexandrov et al. 1995; the parameters from pLogP after Kielmann et al. 2001",
    domain: "One gap per byte for all large messages, here g(m)/m at 1 MiB.",
    needs: &[ModelInput::PLogP],
    example: WorkedExample::on_network(
        ExampleNetwork::Known(toy_network),
        "pLogP with L = 50 µs, g = 10 µs + 10 ns/B·m, os = 5 µs + 4 ns/B·m, \
         or = 6 µs + 5 ns/B·m; m = 1000 B",
        7.000_952_720_642_09e-5,
        (2, 1000),
    ),
    time: |inputs| {
        let model = LogGP::from_plogp(&inputs.known.plogp, LARGE)?;
        Ok(model.message(inputs.case.size).into())
    },
    ..HOCKNEY
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::hockney::Hockney;

    #[test]
    fn a_network_whose_overheads_exceed_the_time_has_no_latency_left() {
        let hockney = Hockney::new(Seconds(5e-5), SecondsPerByte(0.0)).unwrap();
        let network = PLogP::from_hockney(&hockney);
        let message = |large| LogGP::from_plogp(&network, Bytes(large)).map_err(|e| e.to_string());
        assert!(message(0).unwrap_err().starts_with("large = 0"));
        assert!(message(1000).unwrap_err().starts_with("L = -0.00005"));
    }
}
