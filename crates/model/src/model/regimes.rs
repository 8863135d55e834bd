//! Collectives under contention in regimes: messages that an MPI library sends at once, messages
//! that it sends after a request, and overflow at the port of a switch.
//!
//! # Formula
//! The entry of the model (`entry`) holds the formula; docs/methodology.md, "Regimes", derives it and defines its
//! symbols. In code V(w) is a [`WireTime`]; s, W, F and x are those of a [`TrafficPath`]; ρ is a [`TimeCorrection`]. c, D and
//! X are [`StallParameters`]. T₀, p and D give a [`TimeDistribution`] in seconds: a mixture with mean, median and
//! quantiles.
//!
//! Where the sizes of an exchange differ from pair to pair, m is their mean, and s, W, x and F are those of the
//! busiest port and link (`loads`); the protocol is that of the mean message size, weighted by bytes.
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
mod distribution;
pub(super) mod entry;
mod links;
mod loads;
mod path;
mod reduction;
mod stalls;
mod terms;
mod traffic;
mod tree;
mod usual_parameters;
mod wire;

pub use self::choice::AlgorithmPatterns;
pub use self::correction::TimeCorrection;
pub(crate) use self::correction::log_coordinates;
pub use self::distribution::{StallRisk, TimeDistribution};
pub use self::links::ExchangeOrder;
pub(super) use self::loads::MOST_PROCS;
pub use self::path::TrafficPath;
pub use self::stalls::{OnsetSource, StallOnset, StallParameters};
pub(crate) use self::stalls::{PortConnections, least_stall_time};
pub use self::terms::TimeTerms;
pub use self::traffic::{CountClass, TrafficPattern};
pub(crate) use self::usual_parameters::{UsualParameters, UsualValue};
pub use self::wire::WireTime;

use serde::{Deserialize, Serialize};

use netsig_base::algorithm::PieceSizes;
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Procs, Seconds};

/// A fitted model of one algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Regimes {
    /// Traffic pattern of the algorithm.
    pub pattern: TrafficPattern,
    /// Time of bytes on the wire.
    pub wire: WireTime,
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
const HALF_GROWTH_PROCS: f64 = 32.0;

/// 1/(1 + (n − 2)/32): 1 between two processes, 0 among many.
pub(crate) fn small_count_weight(procs: Procs) -> f64 {
    1.0 / (1.0 + (procs.partners() - 1.0).max(0.0) / HALF_GROWTH_PROCS)
}

/// Parameters of an algorithm under one protocol of the MPI library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtocolParameters {
    /// γ: contention ratio of many processes.
    pub gamma: f64,
    /// κ: difference of the ratio between two processes from γ.
    pub growth: f64,
    /// u, at least 0: increase of γ from the onset of stalls on.
    pub slowdown: f64,
    /// ρ(n, m); `None` for 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<TimeCorrection>,
    /// Standard deviation of ln T of one repetition that does not stall.
    pub spread: f64,
    /// Stalls of the other repetitions; `None` if none was seen.
    pub stalls: Option<StallParameters>,
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
pub struct RegimesPoint<'a> {
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
    pub fn protocol(&self, procs: Procs, size: Bytes) -> Protocol {
        Protocol::of(self.pattern.message(procs, size), self.eager_limit)
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
    pub fn times(&self, point: RegimesPoint) -> Option<TimeDistribution> {
        self.times_with_onset(point, &self.pattern.traffic(&self.wire, point), |onset| onset.bytes)
    }

    /// [`Regimes::times`] of known `traffic`, with another onset X.
    pub(crate) fn times_with_onset(
        &self,
        point: RegimesPoint,
        traffic: &TrafficPath,
        onset: impl Fn(StallOnset) -> f64,
    ) -> Option<TimeDistribution> {
        let protocol = self.protocol(point.procs, point.message());
        let other_protocol = || self.eager.as_ref().or(self.rendezvous.as_ref());
        let parameters = self.parameters(protocol).or_else(other_protocol)?;
        let stalls = parameters.stalls.map(|stalls| StallParameters {
            onset: StallOnset {
                bytes: onset(stalls.onset),
                ..stalls.onset
            },
            ..stalls
        });
        let typical_s = if point.procs.get() == 1 {
            0.0
        } else {
            let terms = self.terms(parameters, stalls, point, traffic);
            terms.time() * parameters.factor(point)
        };
        let typical = Seconds(typical_s);
        Some(TimeDistribution {
            typical,
            spread: parameters.spread,
            stall: stalls.map(|stalls| StallRisk {
                probability: stalls.probability(&PortConnections::of(point), traffic.port_bytes, typical),
                base: typical,
                cost: stalls.cost,
                spread: stalls.spread,
            }),
        })
    }

    /// Terms of T₀ in seconds, with the given stalls.
    pub(crate) fn terms(
        &self,
        parameters: &ProtocolParameters,
        stalls: Option<StallParameters>,
        point: RegimesPoint,
        traffic: &TrafficPath,
    ) -> TimeTerms {
        let onset = stalls.map(|stalls| stalls.onset);
        let slowdown = parameters.slowdown * self.pattern.slowdown_share(onset, traffic);
        let ratio = parameters.ratio(point.procs);
        let protocol = self.protocol(point.procs, point.message());
        let carried = traffic.wire(protocol).0;
        let (on_links, request) = match protocol {
            Protocol::Eager => (ratio, 0.0),
            Protocol::Rendezvous => (1.0, self.request.0 * traffic.requests),
        };
        TimeTerms {
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
        self.gamma + self.growth * small_count_weight(procs)
    }

    /// e^ρ(n, m).
    pub(crate) fn factor(&self, point: RegimesPoint) -> f64 {
        let correction = self.correction.as_ref();
        correction.map_or(1.0, |fitted_correction| {
            fitted_correction.at(point.procs, point.size).exp()
        })
    }
}
