//! Collectives under contention in regimes: messages that an MPI library sends at once, messages
//! that it sends after a request, and overflow at the port of a switch.
//!
//! # Formula
//! V(w) is the time of w contiguous bytes on the wire ([`Wire`]), s the number of start-ups on the
//! path of the algorithm, W its serial and W′ its shared time on the wire ([`Pattern`]):
//!
//! ```text
//! T₀(n, m) = (a + b·s + (γ + κ/(n−1))·W + λ·(W′ − W))·e^ρ(m)
//! ```
//!
//! in seconds. a and b hold for all sizes, γ, κ, λ, ρ for one protocol: eager messages, or those
//! from the eager limit on. γ is the ratio of the papers' signature in the limit of many processes;
//! κ is the change of the ratio at few processes; λ weighs the sharing of a link by successive
//! messages of its rank. ρ(m) is the deviation of a size that recurs at all process counts. In
//! rounds, and from hop to hop, the root of the sum of squares replaces the sum of b·s and the term
//! of W ([`Pattern::together`]).
//!
//! If the links of the network are known, F is the time of its busiest link, and γ·F together
//! with b·s is a lower bound of T₀ − a. For rendezvous messages, too, this γ is that of eager ones: it
//! measures headers and acknowledgements, which cost time on any link, while contention at a port
//! does not add to the time of a narrower link. Eager messages have their whole ratio there.
//!
//! If eager messages overflow a port, γ + u·φ replaces γ: queues, and losses that are repaired
//! at once, take time in repetitions without a stall too. Losses begin where x = (n−1)·m bytes pass a
//! port ([`Pattern::port_bytes`]) and x exceeds X, about 4.5 times the port's buffer
//! (`crate::fit::losses`): φ(x) = 1/(1 + (X/x)⁶). So the papers' threshold is M(n) = X/(n−1).
//!
//! A repetition waits for a time-out of TCP with the probability p = 1 − exp(−c·n·φ), since each of
//! the n ports may lose the end of a message, and the repetition takes T₀ + D. From the eager limit on, losses occur at any
//! moment while other messages go on, and only the part of D that T₀ does not hide adds to the
//! time. A stall is recognised if this part exceeds V = max(100 ms, 0.3·T₀): φ is the share of T₀
//! in which a loss has this effect, (D − V)/T₀ within 0 and 1, and the stall adds half of D +
//! max(V, D − T₀). Times are therefore a mixture ([`Times`]), which gives the mean, the median and
//! quantiles.
//!
//! The papers' signature is the case with one protocol, κ = λ = ρ = u = 0, V(w) = β·w, a = 0,
//! b = γ·α, a sharp φ with p = 1 from X = (n−1)·M on, and D = (n−1)·δ.
//!
//! # Domain
//! n ≥ 2; one process per host, or equally many on all hosts; sizes of a protocol that was
//! measured.
//!
//! # Source
//! netsig, on top of Steffenel 2006 (γ, δ, M) and of Kielmann, Bal, Verstoep 2000 (a gap that is
//! a table); docs/methodology.md derives it.

pub(super) mod entry;
mod links;
mod mixture;
mod traffic;
mod tree;
mod wire;

pub use self::links::Order;
pub use self::mixture::{Stall, Times};
pub use self::traffic::{Class, Path, Pattern, Terms};
pub use self::wire::Wire;

use crate::network::LINUX_RTO;
use serde::{Deserialize, Serialize};

use crate::network::Network;
use crate::units::table::rows;
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
    /// Parameters of messages below the eager limit.
    pub eager: Option<ProtocolParameters>,
    /// Parameters of messages from the eager limit on.
    pub rendezvous: Option<ProtocolParameters>,
    /// First size that is not sent at once; `None` if no such size was seen.
    #[serde(rename = "eager_limit_bytes")]
    pub eager_limit: Option<Bytes>,
}

/// Exponent of φ, the sharpness of the onset: φ rises from 0.1 to 0.9 over a factor of two in x, as
/// in emulated ports of 32 and 64 KiB.
const SHARPNESS: i32 = 6;

/// Minimum share by which a stalled repetition is longer than the others.
const LEAST_SHARE: f64 = 0.3;

/// V: minimum time that a time-out must add to differ from other scatter.
pub(crate) fn noticeable(typical: Seconds) -> Seconds {
    Seconds((LINUX_RTO.0 / 2.0).max(LEAST_SHARE * typical.0))
}

/// Parameters of an algorithm under one protocol of the MPI library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtocolParameters {
    /// γ: contention ratio of many processes.
    pub gamma: f64,
    /// κ: change of the ratio at few processes.
    pub growth: f64,
    /// λ, at least 0: sharing of a link by successive messages of its rank.
    pub overlap: f64,
    /// u, at least 0: increase of γ from the onset of stalls on.
    pub slowdown: f64,
    /// ρ: (m, ρ(m)), ascending in m; linear in ln(m + 1) between the sizes, constant beyond them.
    /// Empty for ρ = 0.
    #[serde(with = "rows")]
    pub corrections: Vec<(Bytes, f64)>,
    /// Standard deviation of ln T of one repetition that does not stall.
    pub spread: f64,
    /// Stalls of the other repetitions; `None` if none was seen.
    pub stalls: Option<Stalls>,
}

/// Rate and cost of the time-outs that delay repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stalls {
    /// c: rate of time-outs per connection and repetition.
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
        let protocol = self.protocol(point.size);
        let other = || self.eager.as_ref().or(self.rendezvous.as_ref());
        let parameters = self.parameters(protocol).or_else(other)?;
        let typical = match point.procs.get() {
            1 => Seconds(0.0),
            _ => self.typical(parameters, point),
        };
        let port_bytes = self.pattern.port_bytes(&self.wire, point).unwrap_or(0.0);
        Some(Times {
            typical,
            spread: parameters.spread,
            stall: parameters.stalls.map(|stalls| Stall {
                probability: stalls.probability(point.procs, port_bytes, typical),
                from: typical,
                cost: stalls.added(typical),
                spread: stalls.spread,
            }),
        })
    }

    /// T₀ in seconds.
    fn typical(&self, parameters: &ProtocolParameters, point: Point) -> Seconds {
        let time = self.pattern.together(self.terms(parameters, point));
        Seconds(time * parameters.correction(point.size).exp())
    }

    /// Terms of T₀ in seconds.
    pub(crate) fn terms(&self, parameters: &ProtocolParameters, point: Point) -> Terms {
        let traffic = self.pattern.traffic(&self.wire, point);
        let others = f64::from(point.procs.get().max(2) - 1);
        let port_bytes = self.pattern.port_bytes(&self.wire, point).unwrap_or(0.0);
        let slowdown = parameters.slowdown * parameters.share(port_bytes);
        let ratio = parameters.gamma + parameters.growth / others + slowdown;
        let overlap = parameters.overlap * (traffic.shared.0 - traffic.serial.0);
        let on_links = match self.protocol(point.size) {
            Protocol::Eager => ratio,
            Protocol::Rendezvous => self.eager.as_ref().map_or(1.0, |eager| eager.gamma),
        };
        Terms {
            once: self.latency.0,
            startups: self.startup.0 * traffic.startups,
            wire: (ratio * traffic.serial.0 + overlap).max(0.0),
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
    /// φ(x); 0 without an onset.
    pub fn share(&self, port_bytes: f64) -> f64 {
        let onset = self.stalls.and_then(|stalls| stalls.onset);
        onset.map_or(0.0, |onset| onset.share(port_bytes))
    }

    /// Correction ρ(m).
    pub fn correction(&self, size: Bytes) -> f64 {
        let (Some(first), Some(last)) = (self.corrections.first(), self.corrections.last()) else {
            return 0.0;
        };
        if size <= first.0 {
            return first.1;
        }
        let Some(pair) = self.corrections.windows(2).find(|pair| size <= pair[1].0) else {
            return last.1;
        };
        let [(lower, from), (upper, to)] = [pair[0], pair[1]];
        let [at, lower, upper] = [size, lower, upper].map(|size| size.as_f64().ln_1p());
        from + (to - from) * (at - lower) / (upper - lower)
    }
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
        -(-self.rate * f64::from(procs.get()) * self.exposure(port_bytes, typical)).exp_m1()
    }

    /// φ: share of connections (with an onset), or of T₀ (without), in which a stall shows.
    pub(crate) fn exposure(&self, port_bytes: f64, typical: Seconds) -> f64 {
        if let Some(onset) = self.onset {
            return onset.share(port_bytes);
        }
        let shown = (self.cost.0 - noticeable(typical).0) / typical.0;
        shown.clamp(0.0, 1.0)
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

impl Onset {
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
        1.0 / (1.0 + (self.bytes / port_bytes).powi(SHARPNESS))
    }
}
