//! Terms of T₀ and their derivatives by parameter.

use serde::{Deserialize, Serialize};

use crate::model::regimes::{Onset, Pattern, Point, Protocol, Regimes, Terms, Wire};
use crate::network::Network;
use crate::text::names::{name_of, variant_of};

/// Standard deviation of the prior of κ.
const GROWTH: f64 = 0.15;

/// Standard deviation of the prior of u.
const SLOWDOWN: f64 = 1.0;

/// A parameter in which the terms of T₀ are linear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Column {
    /// a.
    Latency,
    /// b.
    Startup,
    /// γ of a protocol.
    Gamma(Protocol),
    /// κ of a protocol.
    Growth(Protocol),
    /// λ of a protocol.
    Overlap(Protocol),
    /// u.
    Slowdown,
}

/// Names of all columns, in files and reports.
const COLUMNS: [(Column, &str); 9] = [
    (Column::Latency, "latency_s"),
    (Column::Startup, "startup_s"),
    (Column::Slowdown, "slowdown_eager"),
    (Column::Gamma(Protocol::Eager), "gamma_eager"),
    (Column::Growth(Protocol::Eager), "growth_eager"),
    (Column::Overlap(Protocol::Eager), "overlap_eager"),
    (Column::Gamma(Protocol::Rendezvous), "gamma_rendezvous"),
    (Column::Growth(Protocol::Rendezvous), "growth_rendezvous"),
    (Column::Overlap(Protocol::Rendezvous), "overlap_rendezvous"),
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
            Self::Gamma(protocol) | Self::Growth(protocol) | Self::Overlap(protocol) => {
                Some(protocol)
            }
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
    /// Time of bytes on the wire.
    pub wire: &'a Wire,
    /// The links of the network, if known.
    pub network: Option<&'a Network>,
    /// Onset of the overflow of ports by eager messages, if they overflow.
    pub onset: Option<Onset>,
}

impl Basis<'_> {
    /// Contribution of one unit of a column to the terms of T₀, in seconds.
    pub(super) fn slope(&self, column: Column, point: Point, protocol: Protocol) -> Terms {
        let traffic = self.pattern.traffic(self.wire, point);
        let on_links = match protocol {
            Protocol::Eager => traffic.floor.0,
            Protocol::Rendezvous => 0.0,
        };
        let bytes = |times: f64| [0.0, 0.0, traffic.serial.0 * times, on_links * times];
        let [once, startups, wire, floor] = match column {
            Column::Latency => [1.0, 0.0, 0.0, 0.0],
            Column::Startup => [0.0, traffic.startups, 0.0, 0.0],
            Column::Gamma(of) if of == protocol => bytes(1.0),
            Column::Gamma(Protocol::Eager) => [0.0, 0.0, 0.0, traffic.floor.0],
            Column::Growth(of) if of == protocol => bytes(1.0 / point.procs.partners()),
            Column::Overlap(of) if of == protocol => {
                [0.0, 0.0, traffic.shared.0 - traffic.serial.0, 0.0]
            }
            Column::Slowdown if protocol == Protocol::Eager => bytes(self.overflow(point)),
            _ => [0.0; 4],
        };
        Terms {
            once,
            startups,
            wire,
            floor,
        }
    }

    /// φ of a point.
    pub(super) fn overflow(&self, point: Point) -> f64 {
        let port_bytes = self.pattern.port_bytes(self.wire, point);
        let overflow = self.onset.zip(port_bytes);
        overflow.map_or(0.0, |(onset, port_bytes)| onset.share(port_bytes))
    }
}

/// ∂T₀/∂θ of a model at a point, in seconds for one unit of each column.
pub(crate) fn gradient(model: &Regimes, columns: &[Column], point: Point) -> Vec<f64> {
    let Some(parameters) = model.parameters(model.protocol(point.size)) else {
        return vec![0.0; columns.len()];
    };
    let eager = model.eager.as_ref().and_then(|eager| eager.stalls);
    let basis = Basis {
        pattern: model.pattern,
        wire: &model.wire,
        network: point.network,
        onset: eager.and_then(|stalls| stalls.onset),
    };
    let marginal = model.pattern.marginal(model.terms(parameters, point));
    let factor = parameters.correction(point.size).exp();
    let slope = |column: &Column| {
        factor
            * basis
                .slope(*column, point, model.protocol(point.size))
                .dot(marginal)
    };
    columns.iter().map(slope).collect()
}

impl Column {
    /// True if the parameter may be negative.
    pub(super) fn is_free(self) -> bool {
        matches!(self, Self::Growth(_))
    }

    /// Standard deviation of its prior around 0, if it has one.
    pub(super) fn prior(self) -> Option<f64> {
        match self {
            Self::Growth(Protocol::Rendezvous) => Some(GROWTH),
            Self::Slowdown => Some(SLOWDOWN),
            _ => None,
        }
    }

    /// Rank in which columns are left out if they depend on each other, the highest first; never 0.
    pub(super) fn expendability(self) -> u8 {
        match self {
            Self::Growth(_) | Self::Slowdown => 3,
            Self::Latency | Self::Overlap(_) => 2,
            Self::Startup => 1,
            Self::Gamma(_) => 0,
        }
    }
}
