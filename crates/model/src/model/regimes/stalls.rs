//! Stalls: their onset, rate and cost.

use netsig_base::network::{LINUX_RTO, Network};
use netsig_base::stats::interval::IntervalEstimate;
use netsig_base::units::{Procs, Seconds};
use serde::{Deserialize, Serialize};

use super::RegimesPoint;
use super::loads::ExchangePieces;

/// Exponent of φ, and x/X at which φ is a half: few ports lose anything below X, nearly all from 1.3·X on.
const SHARPNESS: i32 = 16;
const HALF_SHARE_RATIO: f64 = 1.1;

/// Minimum share by which a stalled repetition is longer than one without a stall.
const LEAST_SHARE: f64 = 0.3;

/// V: minimum time that a stall must add to differ from other scatter.
pub(crate) fn least_stall_time(typical: Seconds) -> Seconds {
    Seconds((LINUX_RTO.0 / 2.0).max(LEAST_SHARE * typical.0))
}

/// Rate and cost of the stalls that delay repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StallParameters {
    /// c: rate of stalls of a connection in a repetition.
    pub rate: f64,
    /// D: median cost of a stall.
    #[serde(rename = "cost_s")]
    pub cost: Seconds,
    /// Standard deviation of ln D.
    pub spread: f64,
    /// Onset of the stalls.
    pub onset: StallOnset,
}

/// Bytes through a port from which it overflows, with their interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StallOnset {
    /// X: bytes through a port at which the stall rate reaches half of its final value.
    pub bytes: f64,
    /// Lower end of the interval of X.
    pub lower: f64,
    /// Upper end of the interval of X.
    pub upper: f64,
    /// Origin of X.
    #[serde(default, skip_serializing_if = "OnsetSource::is_data")]
    pub source: OnsetSource,
}

/// Origin of the onset of stalls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnsetSource {
    /// Lost packets or stalled repetitions of the data, or a value of the user.
    #[default]
    Data,
    /// Losses of messages above the eager limit, which lose packets earlier.
    LongerMessages,
    /// The port buffers of a described network.
    Buffers,
    /// The most bytes that passed a port without a loss, times a factor that no data determine.
    Prior,
}

impl OnsetSource {
    /// What a text says behind an onset that was not measured.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Self::Data => None,
            Self::LongerMessages => Some("by the losses of longer messages, not measured"),
            Self::Buffers => Some("by the buffers of the network, not measured"),
            Self::Prior => Some("by the prior, not measured"),
        }
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_data(&self) -> bool {
        *self == Self::Data
    }
}

/// The connections of an exchange, and the relative loads of the ports at their ends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PortConnections {
    /// n·(n − 1) connections into equally loaded ports.
    Even(Procs),
    /// For each port: its bytes relative to x of the fullest port, and its number of connections.
    Uneven(Vec<(f64, f64)>),
}

impl PortConnections {
    /// The connections of the pieces of `point`.
    pub(crate) fn of(point: RegimesPoint) -> Self {
        let ports = ExchangePieces::of(point).receiving_ports();
        ports.map_or(Self::Even(point.procs), Self::Uneven)
    }

    /// Σ φ·h, with x bytes through the fullest port.
    pub(crate) fn exposed_connections(&self, stalls: &StallParameters, port_bytes: f64, typical: Seconds) -> f64 {
        let exposure = |share: f64| stalls.exposure(share * port_bytes, typical);
        match self {
            Self::Even(procs) => f64::from(procs.get()) * procs.partners() * exposure(1.0),
            Self::Uneven(ports) => ports.iter().map(|(share, count)| count * exposure(*share)).sum(),
        }
    }
}

impl StallParameters {
    /// Stalls that were not seen: rate 0, the time-out of Linux, and an onset beyond all sizes.
    pub(crate) const UNSEEN: Self = Self {
        rate: 0.0,
        cost: LINUX_RTO,
        spread: 0.0,
        onset: StallOnset {
            bytes: f64::MAX,
            lower: f64::MAX,
            upper: f64::MAX,
            source: OnsetSource::Prior,
        },
    };

    /// p for these connections, x bytes through the fullest port, and T₀ = `typical` without a stall.
    pub(crate) fn probability(&self, connections: &PortConnections, port_bytes: f64, typical: Seconds) -> f64 {
        -(-self.rate * connections.exposed_connections(self, port_bytes, typical)).exp_m1()
    }

    /// φ·h: share of the connections that may lose a packet, times the share of T₀ in which a stall shows.
    pub(crate) fn exposure(&self, port_bytes: f64, typical: Seconds) -> f64 {
        let shown_share = (self.cost.0 - least_stall_time(typical).0) / typical.0;
        self.onset.share(port_bytes) * shown_share.clamp(0.0, 1.0)
    }
}

/// X of TCP over Ethernet in buffers of a port: lower end, usual value, upper end.
const ONSET_BUFFER_BOUNDS: [f64; 3] = [2.5, 4.5, 8.0];

/// X of eager messages, relative to X of rendezvous messages and to the largest x that passed without losses.
const RENDEZVOUS_FACTOR: f64 = 2.0;
const UNSEEN_FACTOR: f64 = 1.3;

/// X and its upper end where no message was lost, relative to the largest x that passed: far away, so that losses are
/// possible but not predicted.
const FAR_FACTORS: [f64; 2] = [8.0, 64.0];

impl StallOnset {
    /// An estimated onset.
    pub(crate) fn of(estimate: IntervalEstimate) -> Self {
        Self {
            bytes: estimate.value,
            lower: estimate.lower.max(1.0).min(estimate.value),
            upper: estimate.upper,
            source: OnsetSource::Data,
        }
    }

    /// Onset from the buffers of a described network, at least `beyond` bytes; `None` without buffers.
    pub(crate) fn of_buffers(beyond: f64, network: &Network) -> Option<Self> {
        let buffer = network.host_buffer().as_f64();
        let [lower, bytes, upper] = ONSET_BUFFER_BOUNDS.map(|share| (share * buffer).max(beyond));
        (buffer > 0.0).then_some(Self {
            bytes,
            lower,
            upper,
            source: OnsetSource::Buffers,
        })
    }

    /// Onset beyond `beyond` bytes from the onset of rendezvous messages, which lose earlier.
    pub(crate) fn of_rendezvous(beyond: f64, rendezvous: IntervalEstimate) -> Self {
        let bytes = (UNSEEN_FACTOR * beyond).max(RENDEZVOUS_FACTOR * rendezvous.value);
        Self {
            bytes,
            lower: rendezvous.value.clamp(beyond.min(bytes), bytes),
            upper: 2.0 * bytes,
            source: OnsetSource::LongerMessages,
        }
    }

    /// True unless only the lower end is known.
    pub fn is_known(&self) -> bool {
        self.upper < FAR_FACTORS[0] * self.lower
    }

    /// Onset of which only the lower end `beyond` is known.
    pub(crate) fn without_losses(beyond: f64) -> Self {
        let [bytes, upper] = FAR_FACTORS.map(|factor| factor * beyond);
        Self {
            bytes,
            lower: beyond,
            upper,
            source: OnsetSource::Prior,
        }
    }

    /// An onset without uncertainty.
    pub(crate) fn at(bytes: f64) -> Self {
        Self {
            bytes,
            lower: bytes,
            upper: bytes,
            source: OnsetSource::Data,
        }
    }

    /// φ(x): share of the ports that overflow when x bytes pass each.
    pub fn share(&self, port_bytes: f64) -> f64 {
        1.0 / (1.0 + (HALF_SHARE_RATIO * self.bytes / port_bytes).powi(SHARPNESS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 2·X nearly all connections of a port may stall, at X 1/(1 + 1.1¹⁶) = 0.1787 of them.
    #[test]
    fn connections_into_emptier_ports_stall_less() {
        let stalls = StallParameters {
            onset: StallOnset::at(1000.0),
            ..StallParameters::UNSEEN
        };
        let uneven = PortConnections::Uneven(vec![(1.0, 3.0), (0.5, 2.0)]);
        let exposed = uneven.exposed_connections(&stalls, 2000.0, Seconds(0.01));
        assert!((exposed - 3.0 - 2.0 * 0.1787).abs() < 1e-3, "{exposed}");
    }
}
