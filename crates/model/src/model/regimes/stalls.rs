//! Stalls: their onset, their rate and what they cost.

use netsig_base::network::{LINUX_RTO, Network};
use netsig_base::stats::interval::Estimate;
use netsig_base::units::{Procs, Seconds};
use serde::{Deserialize, Serialize};

use super::Point;
use super::loads::Exchange;

/// Exponent of φ, the sharpness of the onset, and x/X at which φ is a half: few ports lose anything
/// below X, nearly all from 1.3·X on.
const SHARPNESS: i32 = 16;
const HALF: f64 = 1.1;

/// Minimum share by which a stalled repetition is longer than the others.
const LEAST_SHARE: f64 = 0.3;

/// V: minimum time that a stall must add to differ from other scatter.
pub(crate) fn noticeable(typical: Seconds) -> Seconds {
    Seconds((LINUX_RTO.0 / 2.0).max(LEAST_SHARE * typical.0))
}

/// Rate and cost of the stalls that delay repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stalls {
    /// c: rate of stalls of a connection in a repetition.
    pub rate: f64,
    /// D: median cost of a stall.
    #[serde(rename = "cost_s")]
    pub cost: Seconds,
    /// Standard deviation of ln D.
    pub spread: f64,
    /// Onset of the stalls.
    pub onset: Onset,
}

/// Surge from which a port overflows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Onset {
    /// X: bytes through a port at which the stall rate reaches half of its final value.
    pub bytes: f64,
    /// Lower end of the interval of X.
    pub lower: f64,
    /// Upper end of the interval of X.
    pub upper: f64,
}

/// The connections of an exchange, and how full the ports at their ends are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Connections {
    /// n·(n − 1) into ports that are equally full.
    Even(Procs),
    /// Of each port: its bytes as a share of x, those of the fullest, and its connections.
    Uneven(Vec<(f64, f64)>),
}

impl Connections {
    /// Those of the pieces of `point`.
    pub(crate) fn of(point: Point) -> Self {
        let ports = Exchange::of(point).receiving();
        ports.map_or(Self::Even(point.procs), Self::Uneven)
    }

    /// Σ φ·h, with x bytes through the fullest port.
    pub(crate) fn exposed(&self, stalls: &Stalls, port_bytes: f64, typical: Seconds) -> f64 {
        let of = |share: f64| stalls.exposure(share * port_bytes, typical);
        match self {
            Self::Even(procs) => f64::from(procs.get()) * procs.partners() * of(1.0),
            Self::Uneven(ports) => ports.iter().map(|(share, count)| count * of(*share)).sum(),
        }
    }
}

impl Stalls {
    /// Stalls that were not seen: rate 0, the time-out of Linux, and an onset beyond all sizes.
    pub(crate) const UNSEEN: Self = Self {
        rate: 0.0,
        cost: LINUX_RTO,
        spread: 0.0,
        onset: Onset {
            bytes: f64::MAX,
            lower: f64::MAX,
            upper: f64::MAX,
        },
    };

    /// p of these connections, x bytes through the fullest port and repetitions of T₀ = `typical`
    /// without a stall.
    pub(crate) fn probability(&self, connections: &Connections, port_bytes: f64, typical: Seconds) -> f64 {
        -(-self.rate * connections.exposed(self, port_bytes, typical)).exp_m1()
    }

    /// φ·h: share of connections, and of T₀, in which a stall shows.
    pub(crate) fn exposure(&self, port_bytes: f64, typical: Seconds) -> f64 {
        let shown = (self.cost.0 - noticeable(typical).0) / typical.0;
        self.onset.share(port_bytes) * shown.clamp(0.0, 1.0)
    }
}

/// X of TCP over Ethernet in buffers of a port: a usual value and bounds.
const IN_BUFFERS: [f64; 3] = [2.5, 4.5, 8.0];

/// X of eager messages, relative to X of rendezvous messages and to what passed without losses.
const OF_RENDEZVOUS: f64 = 2.0;
const OF_UNSEEN: f64 = 1.3;

/// X where no message was lost, relative to the most that passed: far away, so that losses are
/// possible but not foretold.
const FAR: [f64; 2] = [8.0, 64.0];

impl Onset {
    /// An estimated onset.
    pub(crate) fn of(estimate: Estimate) -> Self {
        Self {
            bytes: estimate.value,
            lower: estimate.lower.max(1.0).min(estimate.value),
            upper: estimate.upper,
        }
    }

    /// An onset after `beyond` bytes by the buffers of a described network; `None` without buffers.
    pub(crate) fn of_buffers(beyond: f64, network: &Network) -> Option<Self> {
        let buffer = network.host_buffer().as_f64();
        let [lower, bytes, upper] = IN_BUFFERS.map(|share| (share * buffer).max(beyond));
        (buffer > 0.0).then_some(Self { bytes, lower, upper })
    }

    /// An onset after `beyond` bytes by that of rendezvous messages, which lose earlier.
    pub(crate) fn of_rendezvous(beyond: f64, rendezvous: Estimate) -> Self {
        let bytes = (OF_UNSEEN * beyond).max(OF_RENDEZVOUS * rendezvous.value);
        Self {
            bytes,
            lower: rendezvous.value.clamp(beyond.min(bytes), bytes),
            upper: 2.0 * bytes,
        }
    }

    /// True unless all that is known is a lower end.
    pub fn is_known(&self) -> bool {
        self.upper < FAR[0] * self.lower
    }

    /// An onset after `beyond` bytes of which nothing else is known.
    pub(crate) fn unseen(beyond: f64) -> Self {
        let [bytes, upper] = FAR.map(|factor| factor * beyond);
        Self {
            bytes,
            lower: beyond,
            upper,
        }
    }

    /// An onset without uncertainty.
    pub(crate) fn at(bytes: f64) -> Self {
        Self {
            bytes,
            lower: bytes,
            upper: bytes,
        }
    }

    /// φ(x): share of the ports that overflow when x bytes pass each.
    pub fn share(&self, port_bytes: f64) -> f64 {
        1.0 / (1.0 + (HALF * self.bytes / port_bytes).powi(SHARPNESS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 2·X nearly all connections of a port may stall, at X 1/(1 + 1.1¹⁶) = 0.1787 of them.
    #[test]
    fn connections_into_emptier_ports_stall_less() {
        let stalls = Stalls {
            onset: Onset::at(1000.0),
            ..Stalls::UNSEEN
        };
        let uneven = Connections::Uneven(vec![(1.0, 3.0), (0.5, 2.0)]);
        let exposed = uneven.exposed(&stalls, 2000.0, Seconds(0.01));
        assert!((exposed - 3.0 - 2.0 * 0.1787).abs() < 1e-3, "{exposed}");
    }
}
