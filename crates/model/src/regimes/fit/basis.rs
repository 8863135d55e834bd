//! Terms of T₀ and their derivatives by parameter.

use netsig_base::network::Network;
use netsig_base::text::names::{name_of, variant_of};
use serde::{Deserialize, Serialize};

use crate::model::regimes::{
    CountClass, Protocol, Regimes, RegimesPoint, StallOnset, TimeTerms, TrafficPath, TrafficPattern, UsualParameters,
    UsualValue, WireTime, small_count_weight,
};

/// Standard deviation of the prior of κ where no usual value is known.
const UNKNOWN_GROWTH_DEVIATION: f64 = 0.15;

/// A parameter in which the terms of T₀ are linear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RegimesParameter {
    /// a.
    Latency,
    /// b.
    Startup,
    /// r.
    Request,
    /// γ of a protocol.
    Gamma(Protocol),
    /// κ of a protocol.
    Growth(Protocol),
    /// u.
    Slowdown,
}

/// Names of all columns, in files and reports.
const PARAMETER_NAMES: [(RegimesParameter, &str); 8] = [
    (RegimesParameter::Latency, "latency_s"),
    (RegimesParameter::Startup, "startup_s"),
    (RegimesParameter::Request, "request_s"),
    (RegimesParameter::Slowdown, "slowdown_eager"),
    (RegimesParameter::Gamma(Protocol::Eager), "gamma_eager"),
    (RegimesParameter::Growth(Protocol::Eager), "growth_eager"),
    (RegimesParameter::Gamma(Protocol::Rendezvous), "gamma_rendezvous"),
    (RegimesParameter::Growth(Protocol::Rendezvous), "growth_rendezvous"),
];

impl RegimesParameter {
    /// The name, with its protocol and unit.
    pub fn name(self) -> &'static str {
        name_of(&self, &PARAMETER_NAMES)
    }

    /// Protocol of the parameter, if it has one.
    pub fn protocol(self) -> Option<Protocol> {
        match self {
            Self::Latency | Self::Startup => None,
            Self::Slowdown => Some(Protocol::Eager),
            Self::Request => Some(Protocol::Rendezvous),
            Self::Gamma(protocol) | Self::Growth(protocol) => Some(protocol),
        }
    }
}

impl TryFrom<String> for RegimesParameter {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        variant_of(&text, "a parameter of the regimes", &PARAMETER_NAMES)
    }
}

impl From<RegimesParameter> for String {
    fn from(column: RegimesParameter) -> Self {
        column.name().to_owned()
    }
}

/// Inputs of the terms of T₀.
#[derive(Debug, Clone, Copy)]
pub struct RegimesBasis<'a> {
    /// Traffic of the algorithm.
    pub pattern: TrafficPattern,
    /// Class of the process counts.
    pub class: CountClass,
    /// Time of bytes on the wire.
    pub wire: &'a WireTime,
    /// The links of the network, if known.
    pub network: Option<&'a Network>,
    /// Onset of the overflow of ports by eager messages, if they overflow.
    pub onset: Option<StallOnset>,
}

impl RegimesBasis<'_> {
    /// Contributions of one unit of each column to the terms of T₀, and the time over the busiest
    /// link between switches that no column multiplies, in seconds.
    pub(super) fn slopes_and_floor(
        &self,
        columns: &[RegimesParameter],
        point: RegimesPoint,
        protocol: Protocol,
    ) -> (Vec<TimeTerms>, f64) {
        let traffic = self.pattern.traffic(self.wire, point);
        let slope = |column: &RegimesParameter| self.slope(*column, point, &traffic, protocol);
        let floor = match protocol {
            Protocol::Eager => 0.0,
            Protocol::Rendezvous => traffic.floor.0,
        };
        (columns.iter().map(slope).collect(), floor)
    }

    fn slope(
        &self,
        column: RegimesParameter,
        point: RegimesPoint,
        traffic: &TrafficPath,
        protocol: Protocol,
    ) -> TimeTerms {
        let on_links = match protocol {
            Protocol::Eager => traffic.floor.0,
            Protocol::Rendezvous => 0.0,
        };
        let carried = traffic.wire(protocol).0;
        let bytes = |times: f64| [0.0, 0.0, carried * times, on_links * times];
        let [once, startups, wire, floor] = match column {
            RegimesParameter::Latency => [1.0, 0.0, 0.0, 0.0],
            RegimesParameter::Startup => [0.0, traffic.startups, 0.0, 0.0],
            RegimesParameter::Request if protocol == Protocol::Rendezvous => [0.0, 0.0, traffic.requests, 0.0],
            RegimesParameter::Gamma(of) if of == protocol => bytes(1.0),
            RegimesParameter::Growth(of) if of == protocol => bytes(small_count_weight(point.procs)),
            RegimesParameter::Slowdown if protocol == Protocol::Eager => [
                0.0,
                0.0,
                carried * self.pattern.slowdown_share(self.onset, traffic),
                0.0,
            ],
            _ => [0.0; 4],
        };
        TimeTerms {
            once,
            startups,
            wire,
            floor,
        }
    }
}

/// ∂T₀/∂θ of a model at a point, in seconds for one unit of each column.
pub(crate) fn gradient(
    model: &Regimes,
    columns: &[RegimesParameter],
    point: RegimesPoint,
    traffic: &TrafficPath,
) -> Vec<f64> {
    let Some(parameters) = model.parameters(model.protocol(point.procs, point.message())) else {
        return vec![0.0; columns.len()];
    };
    let eager = model.eager.as_ref().and_then(|eager| eager.stalls);
    let basis = RegimesBasis {
        pattern: model.pattern,
        class: CountClass::Every,
        wire: &model.wire,
        network: point.network,
        onset: eager.map(|stalls| stalls.onset),
    };
    let terms = model.terms(parameters, parameters.stalls, point, traffic);
    let marginal = terms.marginal();
    let factor = parameters.factor(point);
    let protocol = model.protocol(point.procs, point.message());
    let slope = |column: &RegimesParameter| factor * basis.slope(*column, point, traffic, protocol).dot(marginal);
    columns.iter().map(slope).collect()
}

impl RegimesParameter {
    /// True if the parameter may be negative.
    pub(super) fn may_be_negative(self) -> bool {
        matches!(self, Self::Growth(_))
    }

    /// Its prior, if it has one.
    pub(super) fn prior(self, basis: &RegimesBasis) -> Option<UsualValue> {
        let beta = basis.wire.beta().0;
        let none = UsualValue {
            value: 0.0,
            deviation: UNKNOWN_GROWTH_DEVIATION,
        };
        match (self, UsualParameters::of(basis.pattern, basis.class)) {
            (Self::Growth(Protocol::Eager), Some(usual)) => Some(usual.growth[0]),
            (Self::Growth(Protocol::Rendezvous), Some(usual)) => Some(usual.growth[1]),
            (Self::Growth(_), None) => Some(none),
            (Self::Slowdown, Some(usual)) => Some(usual.slowdown),
            (Self::Request, Some(usual)) => Some(UsualValue {
                value: usual.request.value * beta,
                deviation: usual.request.deviation * beta,
            }),
            _ => None,
        }
    }

    /// Rank in which columns are left out if they depend on each other, the highest first; 0 is never left out.
    pub(super) fn expendability(self) -> u8 {
        match self {
            Self::Growth(_) | Self::Slowdown | Self::Request => 3,
            Self::Latency => 2,
            Self::Startup => 1,
            Self::Gamma(_) => 0,
        }
    }
}
