//! Terms of T₀ and their derivatives by parameter.

use netsig_base::network::Network;
use netsig_base::text::names::{name_of, variant_of};
use serde::{Deserialize, Serialize};

use crate::model::regimes::{
    Class, Onset, Path, Pattern, Point, Protocol, Regimes, Spread, Terms, Usual, Wire, fewness,
};

/// Standard deviation of the prior of κ where no usual value is known.
const GROWTH: f64 = 0.15;

/// A parameter in which the terms of T₀ are linear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Column {
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
const COLUMNS: [(Column, &str); 8] = [
    (Column::Latency, "latency_s"),
    (Column::Startup, "startup_s"),
    (Column::Request, "request_s"),
    (Column::Slowdown, "slowdown_eager"),
    (Column::Gamma(Protocol::Eager), "gamma_eager"),
    (Column::Growth(Protocol::Eager), "growth_eager"),
    (Column::Gamma(Protocol::Rendezvous), "gamma_rendezvous"),
    (Column::Growth(Protocol::Rendezvous), "growth_rendezvous"),
];

impl Column {
    /// The name, with its protocol and unit.
    pub fn name(self) -> &'static str {
        name_of(&self, &COLUMNS)
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

impl TryFrom<String> for Column {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        variant_of(&text, "a parameter of the regimes", &COLUMNS)
    }
}

impl From<Column> for String {
    fn from(column: Column) -> Self {
        column.name().to_owned()
    }
}

/// Inputs of the terms of T₀.
#[derive(Debug, Clone, Copy)]
pub struct Basis<'a> {
    /// Traffic of the algorithm.
    pub pattern: Pattern,
    /// Class of the process counts.
    pub class: Class,
    /// Time of bytes on the wire.
    pub wire: &'a Wire,
    /// The links of the network, if known.
    pub network: Option<&'a Network>,
    /// Onset of the overflow of ports by eager messages, if they overflow.
    pub onset: Option<Onset>,
}

impl Basis<'_> {
    /// Contributions of one unit of each column to the terms of T₀, and the time over the busiest
    /// link between switches that no column multiplies, in seconds.
    pub(super) fn parts(&self, columns: &[Column], point: Point, protocol: Protocol) -> (Vec<Terms>, f64) {
        let traffic = self.pattern.traffic(self.wire, point);
        let slope = |column: &Column| self.slope(*column, (point, &traffic), protocol);
        let floor = match protocol {
            Protocol::Eager => 0.0,
            Protocol::Rendezvous => traffic.floor.0,
        };
        (columns.iter().map(slope).collect(), floor)
    }

    fn slope(&self, column: Column, (point, traffic): (Point, &Path), protocol: Protocol) -> Terms {
        let on_links = match protocol {
            Protocol::Eager => traffic.floor.0,
            Protocol::Rendezvous => 0.0,
        };
        let carried = traffic.wire(protocol).0;
        let bytes = |times: f64| [0.0, 0.0, carried * times, on_links * times];
        let [once, startups, wire, floor] = match column {
            Column::Latency => [1.0, 0.0, 0.0, 0.0],
            Column::Startup => [0.0, traffic.startups, 0.0, 0.0],
            Column::Request if protocol == Protocol::Rendezvous => [0.0, 0.0, traffic.requests, 0.0],
            Column::Gamma(of) if of == protocol => bytes(1.0),
            Column::Growth(of) if of == protocol => bytes(fewness(point.procs)),
            Column::Slowdown if protocol == Protocol::Eager => {
                [0.0, 0.0, carried * self.pattern.slowed(self.onset, traffic), 0.0]
            }
            _ => [0.0; 4],
        };
        Terms {
            once,
            startups,
            wire,
            floor,
        }
    }
}

/// ∂T₀/∂θ of a model at a point, in seconds for one unit of each column.
pub(crate) fn gradient(model: &Regimes, columns: &[Column], (point, traffic): (Point, &Path)) -> Vec<f64> {
    let Some(parameters) = model.parameters(model.protocol(point.message())) else {
        return vec![0.0; columns.len()];
    };
    let eager = model.eager.as_ref().and_then(|eager| eager.stalls);
    let basis = Basis {
        pattern: model.pattern,
        class: Class::Every,
        wire: &model.wire,
        network: point.network,
        onset: eager.map(|stalls| stalls.onset),
    };
    let terms = model.terms(parameters, parameters.stalls, (point, traffic));
    let marginal = terms.marginal();
    let factor = parameters.factor(point);
    let protocol = model.protocol(point.message());
    let slope = |column: &Column| factor * basis.slope(*column, (point, traffic), protocol).dot(marginal);
    columns.iter().map(slope).collect()
}

impl Column {
    /// True if the parameter may be negative.
    pub(super) fn is_free(self) -> bool {
        matches!(self, Self::Growth(_))
    }

    /// Its prior, if it has one.
    pub(super) fn prior(self, basis: &Basis) -> Option<Spread> {
        let beta = basis.wire.beta().0;
        let none = Spread {
            value: 0.0,
            deviation: GROWTH,
        };
        match (self, Usual::of(basis.pattern, basis.class)) {
            (Self::Growth(Protocol::Eager), Some(usual)) => Some(usual.growth[0]),
            (Self::Growth(Protocol::Rendezvous), Some(usual)) => Some(usual.growth[1]),
            (Self::Growth(_), None) => Some(none),
            (Self::Slowdown, Some(usual)) => Some(usual.slowdown),
            (Self::Request, Some(usual)) => Some(Spread {
                value: usual.request.value * beta,
                deviation: usual.request.deviation * beta,
            }),
            _ => None,
        }
    }

    /// Rank in which columns are left out if they depend on each other, the highest first; never 0.
    pub(super) fn expendability(self) -> u8 {
        match self {
            Self::Growth(_) | Self::Slowdown | Self::Request => 3,
            Self::Latency => 2,
            Self::Startup => 1,
            Self::Gamma(_) => 0,
        }
    }
}
