//! Collectives under contention in regimes: messages that an MPI library sends at once, messages
//! that it sends after a request, and overflow at the port of a switch.
//!
//! # Formula
//! V(w) is the time of w contiguous bytes on the wire ([`Wire`]), s the number of start-ups on the
//! path of the algorithm, W its serial and W′ its shared time on the wire ([`Pattern`]):
//!
//! ```text
//! T₀(n, m) = (a + ((S + (γ + κ·ν(n))·W + λ·(W′ − W))⁶ + (γ·F)⁶)^⅙)·e^ρ(n, m),   ν(n) = 1/(1 + (n − 2)/32)
//! ```
//!
//! in seconds, with S = b·s. a and b hold for all sizes, γ, κ, λ, ρ for one protocol: eager messages,
//! or those from the eager limit on, each of which asks for permission, which adds r. γ is the ratio
//! of the papers' signature in the limit of many processes; κ is its change between two: a ratio
//! grows with the processes, in emulated networks by 1 to 2 % with each. λ weighs the sharing of a
//! link by successive messages of its rank. ρ is what the data say beyond the formula
//! ([`Correction`]).
//!
//! F is the time of the busiest link between switches, if these are known. Two links that are busy
//! for equally long delay each other's messages: the sixth root gives 12 % more than either. For
//! rendezvous messages the γ of F is that of eager ones: it measures headers and acknowledgements,
//! which cost time on any link, while contention at a port does not add to the time of a narrower
//! link.
//!
//! If eager messages overflow a port, γ + u·φ replaces γ on W: queues, and losses that are repaired
//! at once, take time in repetitions without a stall too. Losses begin where x = (n−1)·m bytes pass a
//! port ([`Pattern::port_bytes`]) and x exceeds X, about 4.5 times the port's buffer
//! (`crate::fit::losses`): φ(x) = 1/(1 + (1.1·X/x)¹⁶). So the papers' threshold is M(n) = X/(n−1).
//! In rounds, which drift apart, the slowdown begins at x = X/1.4.
//!
//! A repetition waits for a time-out of TCP with the probability p = 1 − exp(−c·n·(n−1)·φ·h): each
//! of the n·(n−1) connections may lose the end of its message. It takes T₀ + D, and the wait is
//! recognised if it adds more than V = max(100 ms, 0.3·T₀): h = (D − V)/T₀ within 0 and 1 is the share
//! of T₀ in which a loss has this effect. From the eager limit on, losses occur at any moment (φ = 1),
//! and the stall adds half of D + max(V, D − T₀). Times are therefore a mixture ([`Times`]), which
//! gives the mean, the median and quantiles.
//!
//! The papers' signature is the case with one protocol, κ = λ = ρ = u = r = F = 0, V(w) = β·w, a = 0,
//! b = γ·α, a sharp φ with p = 1 from X = (n−1)·M on, and D = (n−1)·δ.
//!
//! # Domain
//! n ≥ 2; one process per host, or equally many on all hosts; sizes of a protocol that was
//! measured.
//!
//! # Source
//! netsig, on top of Steffenel 2006 (γ, δ, M) and of Kielmann, Bal, Verstoep 2000 (a gap that is
//! a table); docs/methodology.md derives it.

mod choice;
mod correction;
pub(super) mod entry;
mod links;
mod mixture;
mod traffic;
mod tree;
mod usual;
mod wire;

pub use self::choice::Patterns;
pub use self::correction::Correction;
pub(crate) use self::correction::place;
pub use self::links::Order;
pub use self::mixture::{Stall, Times};
pub use self::traffic::{Class, Path, Pattern, Terms};
pub(crate) use self::usual::{Spread, Usual};
pub use self::wire::Wire;

use crate::network::LINUX_RTO;
use serde::{Deserialize, Serialize};

use crate::network::Network;
use crate::stats::interval::Estimate;
use crate::units::{Bytes, Procs, Seconds};

/// A fitted model of one algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regimes {
    /// Traffic pattern of the algorithm.
    pub pattern: Pattern,
    /// Time of bytes on the wire.
    pub wire: Wire,
    /// a: time that is paid once, independent of the number of processes.
    #[serde(rename = "latency_s")]
    pub latency: Seconds,
    /// b: time that one start-up adds.
    #[serde(rename = "startup_s")]
    pub startup: Seconds,
    /// r: time that the request of one rendezvous message adds.
    #[serde(rename = "request_s")]
    pub request: Seconds,
    /// Parameters of messages below the eager limit.
    pub eager: Option<ProtocolParameters>,
    /// Parameters of messages from the eager limit on.
    pub rendezvous: Option<ProtocolParameters>,
    /// First size that is not sent at once; `None` if no such size was seen.
    #[serde(rename = "eager_limit_bytes")]
    pub eager_limit: Option<Bytes>,
}

/// Exponent of φ, the sharpness of the onset, and x/X at which φ is a half: few ports lose anything
/// below X, nearly all from 1.3·X on.
const SHARPNESS: i32 = 16;
const HALF: f64 = 1.1;

/// Minimum share by which a stalled repetition is longer than the others.
const LEAST_SHARE: f64 = 0.3;

/// V: minimum time that a time-out must add to differ from other scatter.
pub(crate) fn noticeable(typical: Seconds) -> Seconds {
    Seconds((LINUX_RTO.0 / 2.0).max(LEAST_SHARE * typical.0))
}

/// Process count at which contention has half of its growth.
const HALFWAY: f64 = 32.0;

/// 1/(1 + (n − 2)/32): 1 between two processes, 0 among many.
pub(crate) fn fewness(procs: Procs) -> f64 {
    1.0 / (1.0 + (procs.partners() - 1.0).max(0.0) / HALFWAY)
}

/// Parameters of an algorithm under one protocol of the MPI library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtocolParameters {
    /// γ: contention ratio of many processes.
    pub gamma: f64,
    /// κ: change of the ratio between two processes.
    pub growth: f64,
    /// λ, at least 0: sharing of a link by successive messages of its rank.
    pub overlap: f64,
    /// u, at least 0: increase of γ from the onset of stalls on.
    pub slowdown: f64,
    /// ρ(n, m); `None` for 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<Correction>,
    /// Standard deviation of ln T of one repetition that does not stall.
    pub spread: f64,
    /// Stalls of the other repetitions; `None` if none was seen.
    pub stalls: Option<Stalls>,
}

/// Rate and cost of the time-outs that delay repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stalls {
    /// c: rate of time-outs of a connection in a repetition.
    pub rate: f64,
    /// D: median cost of a time-out.
    #[serde(rename = "cost_s")]
    pub cost: Seconds,
    /// Standard deviation of ln D.
    pub spread: f64,
    /// Onset of the stalls; `None` if they occur at any size and moment.
    pub onset: Option<Onset>,
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

/// The protocol of a message.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum Protocol {
    /// Sent at once.
    Eager,
    /// Sent after a request and its answer.
    Rendezvous,
}

/// Arguments of the model.
#[derive(Debug, Clone, Copy)]
pub struct Point<'a> {
    /// Number of processes n.
    pub procs: Procs,
    /// Bytes m.
    pub size: Bytes,
    /// Network with its links, where known.
    pub network: Option<&'a Network>,
}

impl Regimes {
    /// Protocol of m bytes.
    pub fn protocol(&self, size: Bytes) -> Protocol {
        Protocol::of(size, self.eager_limit)
    }

    /// Parameters of a protocol, where it was measured.
    pub fn parameters(&self, protocol: Protocol) -> Option<&ProtocolParameters> {
        match protocol {
            Protocol::Eager => self.eager.as_ref(),
            Protocol::Rendezvous => self.rendezvous.as_ref(),
        }
    }

    /// Distribution of the times of a case; 0 for one process. A protocol that was not measured
    /// takes the parameters of the other; `None` if neither was measured.
    pub fn times(&self, point: Point) -> Option<Times> {
        self.times_of(point, &self.pattern.traffic(&self.wire, point), |onset| {
            onset.bytes
        })
    }

    /// [`Regimes::times`] of known `traffic`, with another onset X.
    pub(crate) fn times_of(
        &self,
        point: Point,
        traffic: &Path,
        onset: impl Fn(Onset) -> f64,
    ) -> Option<Times> {
        let protocol = self.protocol(point.size);
        let other = || self.eager.as_ref().or(self.rendezvous.as_ref());
        let parameters = self.parameters(protocol).or_else(other)?;
        let stalls = parameters.stalls.map(|stalls| Stalls {
            onset: stalls.onset.map(|own| Onset {
                bytes: onset(own),
                ..own
            }),
            ..stalls
        });
        let typical = if point.procs.get() == 1 {
            0.0
        } else {
            let terms = self.terms(parameters, stalls, (point, traffic));
            self.pattern.together(terms) * parameters.factor(point)
        };
        let typical = Seconds(typical);
        Some(Times {
            typical,
            spread: parameters.spread,
            stall: stalls.map(|stalls| Stall {
                probability: stalls.probability(point.procs, traffic.port_bytes, typical),
                from: typical,
                cost: stalls.added(typical),
                spread: stalls.spread,
            }),
        })
    }

    /// Terms of T₀ in seconds, with the given stalls.
    pub(crate) fn terms(
        &self,
        parameters: &ProtocolParameters,
        stalls: Option<Stalls>,
        (point, traffic): (Point, &Path),
    ) -> Terms {
        let onset = stalls.and_then(|stalls| stalls.onset);
        let slowdown = parameters.slowdown * self.pattern.slowed(onset, traffic);
        let ratio = parameters.ratio(point.procs);
        let overlap = parameters.overlap * (traffic.shared.0 - traffic.serial.0);
        let (on_links, request) = match self.protocol(point.size) {
            Protocol::Eager => (ratio, 0.0),
            Protocol::Rendezvous => {
                let gamma = self.eager.as_ref().map_or(1.0, |eager| eager.gamma);
                (gamma, self.request.0 * traffic.startups)
            }
        };
        Terms {
            once: self.latency.0,
            startups: self.startup.0 * traffic.startups,
            wire: ((ratio + slowdown) * traffic.serial.0 + overlap + request).max(0.0),
            floor: on_links * traffic.floor.0,
        }
    }
}

impl Protocol {
    /// Protocol of m bytes under an eager limit, if there is one.
    pub fn of(size: Bytes, eager_limit: Option<Bytes>) -> Self {
        match eager_limit {
            Some(limit) if size >= limit => Self::Rendezvous,
            _ => Self::Eager,
        }
    }
}

impl ProtocolParameters {
    /// γ + κ·ν(n): contention ratio of n processes.
    pub fn ratio(&self, procs: Procs) -> f64 {
        self.gamma + self.growth * fewness(procs)
    }

    /// e^ρ(n, m).
    pub(crate) fn factor(&self, point: Point) -> f64 {
        let correction = self.correction.as_ref();
        correction.map_or(1.0, |own| own.at(point.procs, point.size).exp())
    }
}

/// n·(n − 1): number of connections.
pub(crate) fn connections(procs: Procs) -> f64 {
    f64::from(procs.get()) * procs.partners()
}

impl Stalls {
    /// Stalls of a protocol without observed ones: rate 0 and the time-out of Linux.
    pub(crate) const UNSEEN: Self = Self {
        rate: 0.0,
        cost: LINUX_RTO,
        spread: 0.0,
        onset: None,
    };

    /// p for n processes, x bytes through a port and repetitions of T₀ = `typical` without a stall.
    pub fn probability(&self, procs: Procs, port_bytes: f64, typical: Seconds) -> f64 {
        -(-self.rate * connections(procs) * self.exposure(port_bytes, typical)).exp_m1()
    }

    /// φ: share of connections (with an onset), or of T₀ (without), in which a stall shows.
    pub(crate) fn exposure(&self, port_bytes: f64, typical: Seconds) -> f64 {
        let shown = (self.cost.0 - noticeable(typical).0) / typical.0;
        let overflowing = self.onset.map_or(1.0, |onset| onset.share(port_bytes));
        overflowing * shown.clamp(0.0, 1.0)
    }

    /// Median of the time that a stall adds to T₀.
    pub(crate) fn added(&self, typical: Seconds) -> Seconds {
        if self.onset.is_some() {
            return self.cost;
        }
        let least = (self.cost - typical).0.max(noticeable(typical).0);
        Seconds(f64::midpoint(self.cost.0, least))
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
        (buffer > 0.0).then_some(Self {
            bytes,
            lower,
            upper,
        })
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
