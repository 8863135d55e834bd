//! Collectives under contention in regimes: what an MPI library sends at once, what it asks
//! for first, and what overflows the port of a switch.
//!
//! # Formula
//! With V(w) the time that w bytes in a row take on the wire ([`Wire`]), s the start-ups on the
//! path of the algorithm, W its serial and W′ its shared time on the wire ([`Pattern`]):
//!
//! ```text
//! T₀(n, m) = (a + b·s + (γ + κ/(n−1))·W + λ·(W′ − W))·e^ρ(m)
//! ```
//!
//! in seconds, with one a and b for all sizes and γ, κ, λ, ρ for each protocol: eager messages and
//! those from the eager limit on. γ is the ratio of the papers' signature, in the limit of many
//! processes; κ says how the ratio differs among few; λ how much of a rank's successive messages
//! share its link. ρ(m) is what repeats at a size at all process counts. In rounds, and from hop to
//! hop, the root of the sum of their squares stands for the sum of b·s and of what W takes
//! ([`Pattern::together`]).
//!
//! Where the links of the network are known, F is what its busiest link needs, and γ·F together
//! with b·s a floor under T₀ − a. The γ is that of eager messages under either protocol: it is what
//! headers and acknowledgements cost on any link, while what contention costs at a port does not
//! add to a link that is the narrower one.
//!
//! Where eager messages overflow a port, γ is γ + u·φ: queues, and losses that are made up for at
//! once, take time whether or not a repetition stalls. A port is sent as much as passes it, on
//! average; what overflows it is how far the n − 1 senders, each at its own time, are off that:
//! x = √(n−1)·m bytes ([`Pattern::surge`]), from about X on, φ(x) = 1/(1 + (X/x)⁶).
//!
//! A repetition waits for a time-out of TCP with the probability p = 1 − exp(−c·n·(n−1)·φ): each
//! of the n·(n−1) connections may. Eager messages all leave at once; they lose the end of a message,
//! and the repetition takes T₀ + D. From the eager limit on losses come at any moment, the others go
//! on meanwhile, and of D there remains what T₀ does not hide. It shows if that is more than
//! V = max(100 ms, 0.3·T₀), by which a stall is told from what else scatters: φ is the share of T₀ in
//! which it does, (D − V)/T₀ within 0 and 1, and half of D + max(V, D − T₀) is added. Times are
//! therefore a mixture ([`Times`]), of which the mean, the median and quantiles follow.
//!
//! The papers' signature is the case with one protocol, κ = λ = ρ = u = 0, V(w) = β·w, a = 0, b = γ·α,
//! and a sharp φ with p = 1 from X = √(n−1)·M on, and D = (n−1)·δ.
//!
//! # Domain
//! n ≥ 2; each process on a host of its own, or alike on all hosts; sizes of a protocol that was
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
    /// What the algorithm puts on the wire.
    pub pattern: Pattern,
    /// How long bytes take on it.
    pub wire: Wire,
    /// a: what is paid once, however many processes.
    #[serde(rename = "latency_s")]
    pub latency: Seconds,
    /// b: what one start-up adds, in seconds.
    #[serde(rename = "startup_s")]
    pub startup: Seconds,
    /// Messages below the eager limit.
    pub eager: Option<ProtocolParameters>,
    /// Messages from it on.
    pub rendezvous: Option<ProtocolParameters>,
    /// The first size that is not sent at once; `None` if none was seen.
    #[serde(rename = "eager_limit_bytes")]
    pub eager_limit: Option<Bytes>,
}

/// The exponent of φ: how sharply overflow sets in, from a tenth to nine tenths over a factor of
/// two, as in emulated ports of 32 and 64 KiB.
const SHARPNESS: i32 = 6;

/// By which share of the others a repetition that stalled is longer, at least.
const LEAST_SHARE: f64 = 0.3;

/// V: what a time-out adds at least if it is to be told from what else scatters.
pub(crate) fn noticeable(typical: Seconds) -> Seconds {
    Seconds((LINUX_RTO.0 / 2.0).max(LEAST_SHARE * typical.0))
}

/// How an algorithm shares the wire under one protocol of the MPI library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtocolParameters {
    /// γ.
    pub gamma: f64,
    /// κ.
    pub growth: f64,
    /// λ, at least 0.
    pub overlap: f64,
    /// u, at least 0; counts from the onset of stalls on.
    pub slowdown: f64,
    /// ρ: (m, ρ(m)), ascending in m; between them linear in ln(m + 1), beyond them constant. None
    /// means 0.
    #[serde(with = "rows")]
    pub corrections: Vec<(Bytes, f64)>,
    /// The standard deviation of ln T of one repetition that does not stall.
    pub spread: f64,
    /// Those that do; `None` if none was seen.
    pub stalls: Option<Stalls>,
}

/// How repetitions wait for time-outs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stalls {
    /// c: the rate on one connection and repetition.
    pub rate: f64,
    /// D.
    #[serde(rename = "cost_s")]
    pub cost: Seconds,
    /// The standard deviation of ln D.
    pub spread: f64,
    /// Where they set in; `None` if they come at any size and moment.
    pub onset: Option<Onset>,
}

/// From which surge on a port overflows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Onset {
    /// X: half of the final rate is reached there.
    pub bytes: f64,
    /// The least that the data do not rule out.
    pub lower: f64,
    /// The most.
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
    /// Asked for first.
    Rendezvous,
}

/// What is asked of the model.
#[derive(Debug, Clone, Copy)]
pub struct Point<'a> {
    /// n.
    pub procs: Procs,
    /// m.
    pub size: Bytes,
    /// The links of the network, where they are known.
    pub network: Option<&'a Network>,
}

impl Regimes {
    /// The protocol of m bytes.
    pub fn protocol(&self, size: Bytes) -> Protocol {
        Protocol::of(size, self.eager_limit)
    }

    /// How the algorithm does under a protocol, where it was measured.
    pub fn parameters(&self, protocol: Protocol) -> Option<&ProtocolParameters> {
        match protocol {
            Protocol::Eager => self.eager.as_ref(),
            Protocol::Rendezvous => self.rendezvous.as_ref(),
        }
    }

    /// The times of a case, 0 for one process. Where its protocol was not measured the other
    /// stands for it; `None` if neither was.
    pub fn times(&self, point: Point) -> Option<Times> {
        let protocol = self.protocol(point.size);
        let other = || self.eager.as_ref().or(self.rendezvous.as_ref());
        let parameters = self.parameters(protocol).or_else(other)?;
        let typical = match point.procs.get() {
            1 => Seconds(0.0),
            _ => self.typical(parameters, point),
        };
        let surge = self.pattern.surge(&self.wire, point).unwrap_or(0.0);
        Some(Times {
            typical,
            spread: parameters.spread,
            stall: parameters.stalls.map(|stalls| Stall {
                probability: stalls.probability(point.procs, surge, typical),
                from: typical,
                cost: stalls.added(typical),
                spread: stalls.spread,
            }),
        })
    }

    /// T₀.
    fn typical(&self, parameters: &ProtocolParameters, point: Point) -> Seconds {
        let time = self.pattern.together(self.terms(parameters, point));
        Seconds(time * parameters.correction(point.size).exp())
    }

    /// What T₀ is made of.
    pub(crate) fn terms(&self, parameters: &ProtocolParameters, point: Point) -> Terms {
        let traffic = self.pattern.traffic(&self.wire, point);
        let others = f64::from(point.procs.get().max(2) - 1);
        let surge = self.pattern.surge(&self.wire, point).unwrap_or(0.0);
        let slowdown = parameters.slowdown * parameters.share(surge);
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
    /// The protocol of m bytes under an eager limit, where there is one.
    pub fn of(size: Bytes, eager_limit: Option<Bytes>) -> Self {
        match eager_limit {
            Some(limit) if size >= limit => Self::Rendezvous,
            _ => Self::Eager,
        }
    }
}

impl ProtocolParameters {
    /// φ(x); 0 where no onset was seen.
    pub fn share(&self, surge: f64) -> f64 {
        let onset = self.stalls.and_then(|stalls| stalls.onset);
        onset.map_or(0.0, |onset| onset.share(surge))
    }

    /// ρ(m).
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
    /// Those of a protocol before any was seen.
    pub(crate) const UNSEEN: Self = Self {
        rate: 0.0,
        cost: LINUX_RTO,
        spread: 0.0,
        onset: None,
    };

    /// p for n processes and a surge of x bytes, of repetitions that take T₀ otherwise.
    pub fn probability(&self, procs: Procs, surge: f64, typical: Seconds) -> f64 {
        -(-self.rate * connections(procs) * self.exposure(surge, typical)).exp_m1()
    }

    /// φ: what share of the connections may stall and show it.
    pub(crate) fn exposure(&self, surge: f64, typical: Seconds) -> f64 {
        if let Some(onset) = self.onset {
            return onset.share(surge);
        }
        let shown = (self.cost.0 - noticeable(typical).0) / typical.0;
        shown.clamp(0.0, 1.0)
    }

    /// The median of what a stall adds to T₀.
    pub(crate) fn added(&self, typical: Seconds) -> Seconds {
        if self.onset.is_some() {
            return self.cost;
        }
        let least = (self.cost - typical).0.max(noticeable(typical).0);
        Seconds(f64::midpoint(self.cost.0, least))
    }
}

impl Onset {
    /// An onset that is certain.
    pub(crate) fn at(bytes: f64) -> Self {
        Self {
            bytes,
            lower: bytes,
            upper: bytes,
        }
    }

    /// φ(x).
    pub fn share(&self, surge: f64) -> f64 {
        1.0 / (1.0 + (self.bytes / surge).powi(SHARPNESS))
    }
}

/// n·(n − 1).
pub(crate) fn connections(procs: Procs) -> f64 {
    let n = f64::from(procs.get());
    n * (n - 1.0)
}
