//! Collectives under contention in regimes: messages that an MPI library sends at once, messages
//! that it sends after a request, and overflow at the port of a switch.
//!
//! # Formula
//! V(w) is the time of w contiguous bytes on the wire ([`Wire`]), s the number of start-ups on the
//! path of the algorithm, W its time on the wire ([`Pattern`]):
//!
//! ```text
//! T₀(n, m) = (a + ((S + (γ + κ·ν(n))·W)⁸ + (γ·F)⁸)^⅛)·e^ρ(n, m),   ν(n) = 1/(1 + (n − 2)/32)
//! ```
//!
//! in seconds, with S = b·s. a and b hold for all sizes, γ, κ, ρ for one protocol: eager messages,
//! or those from the eager limit on, each of which asks for permission, which adds r. γ is the ratio
//! of the papers' signature in the limit of many processes; κ is its change between two: a ratio
//! grows with the processes, in emulated networks by 1 to 2 % with each. ρ is what the data say beyond
//! the formula at the measured counts ([`Correction`]).
//!
//! F is the time of the busiest link between switches, if these are known. Two links that are busy
//! for equally long delay each other's messages: the eighth root gives 9 % more than either. For
//! rendezvous messages F has no γ: they wait for the port or for the link, not for both.
//!
//! If eager messages overflow a port, γ + u·φ replaces γ on W: queues, and losses that are repaired
//! at once, take time in repetitions without a stall too. Losses begin where x = (n−1)·m bytes pass a
//! port ([`Pattern::port_bytes`]) and x exceeds X, about 4.5 times the port's buffer
//! (`crate::fit::losses`): φ(x) = 1/(1 + (1.1·X/x)¹⁶). So the papers' threshold is M(n) = X/(n−1).
//! Rounds drift apart and meet at ports earlier, over a wider range and more among more processes:
//! there the slowdown is u·√s·φ(x) with φ(x) = 1/(1 + (x₀·X/x²)³), x₀ = 160 KiB.
//!
//! A repetition stalls, by a tail-loss probe or a time-out of TCP, with the probability
//! p = 1 − exp(−c·n·(n−1)·φ·h): each of the n·(n−1) connections may lose the end of its message. (Of pieces that differ, each port has its
//! own x and number of connections: n·(n−1)·φ is the sum over the ports.) It takes T₀ + D, and the wait is
//! recognised if it adds more than V = max(100 ms, 0.3·T₀): h = (D − V)/T₀ within 0 and 1 is the share
//! of T₀ in which a loss has this effect. Times are therefore a mixture ([`Times`]), which gives the
//! mean, the median and quantiles. Stalls of messages from the eager limit on have no parameters of
//! their own: on networks that chose no formula, predictions without them are better.
//!
//! ln T of a repetition without a stall has the standard deviation s.
//!
//! The papers' signature is the case with one protocol, κ = ρ = u = r = F = 0, V(w) = β·w, a = 0,
//! b = γ·α, a sharp φ with p = 1 from X = (n−1)·M on, and D = (n−1)·δ.
//!
//! Where the sizes of an exchange differ from pair to pair, m is their mean, and s, W, x and F are
//! those of the busiest port and link (`loads`); the protocol is that of the message that carries a
//! byte on average.
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
mod loads;
mod mixture;
mod path;
mod stalls;
mod terms;
mod traffic;
mod tree;
mod usual;
mod wire;

pub use self::choice::Patterns;
pub use self::correction::Correction;
pub(crate) use self::correction::place;
pub use self::links::Order;
pub(super) use self::loads::MOST_PROCS;
pub use self::mixture::{Stall, Times};
pub use self::path::Path;
pub(crate) use self::stalls::{Connections, noticeable};
pub use self::stalls::{Onset, Stalls};
pub use self::terms::Terms;
pub use self::traffic::{Class, Pattern};
pub(crate) use self::usual::{Spread, Usual};
pub use self::wire::Wire;

use serde::{Deserialize, Serialize};

use netsig_base::algorithm::PieceSizes;
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Procs, Seconds};

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
    /// u, at least 0: increase of γ from the onset of stalls on.
    pub slowdown: f64,
    /// ρ(n, m); `None` for 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<Correction>,
    /// s: standard deviation of ln T of one repetition that does not stall.
    pub spread: f64,
    /// Stalls of the other repetitions; `None` if none was seen.
    pub stalls: Option<Stalls>,
}

/// The protocol of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::VariantArray)]
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
    /// The pieces; m is their mean.
    pub pieces: PieceSizes<'a>,
}

impl Regimes {
    /// Protocol of a call for messages of m bytes.
    pub fn protocol(&self, size: Bytes) -> Protocol {
        Protocol::of(self.pattern.message(size), self.eager_limit)
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
        self.times_of(point, &self.pattern.traffic(&self.wire, point), |onset| onset.bytes)
    }

    /// [`Regimes::times`] of known `traffic`, with another onset X.
    pub(crate) fn times_of(&self, point: Point, traffic: &Path, onset: impl Fn(Onset) -> f64) -> Option<Times> {
        let protocol = self.protocol(point.message());
        let other = || self.eager.as_ref().or(self.rendezvous.as_ref());
        let parameters = self.parameters(protocol).or_else(other)?;
        let stalls = parameters.stalls.map(|stalls| Stalls {
            onset: Onset {
                bytes: onset(stalls.onset),
                ..stalls.onset
            },
            ..stalls
        });
        let typical = if point.procs.get() == 1 {
            0.0
        } else {
            let terms = self.terms(parameters, stalls, (point, traffic));
            terms.time() * parameters.factor(point)
        };
        let typical = Seconds(typical);
        Some(Times {
            typical,
            spread: parameters.spread,
            stall: stalls.map(|stalls| Stall {
                probability: stalls.probability(&Connections::of(point), traffic.port_bytes, typical),
                from: typical,
                cost: stalls.cost,
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
        let onset = stalls.map(|stalls| stalls.onset);
        let slowdown = parameters.slowdown * self.pattern.slowed(onset, traffic);
        let ratio = parameters.ratio(point.procs);
        let protocol = self.protocol(point.message());
        let carried = traffic.wire(protocol).0;
        let (on_links, request) = match protocol {
            Protocol::Eager => (ratio, 0.0),
            Protocol::Rendezvous => (1.0, self.request.0 * traffic.requests),
        };
        Terms {
            once: self.latency.0,
            startups: self.startup.0 * traffic.startups,
            wire: ((ratio + slowdown) * carried + request).max(0.0),
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
