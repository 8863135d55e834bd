//! T₀: the contention-free time of an algorithm, up to the time of a byte.
//!
//! # Formula
//! T₀/τ = ((s·b + W)⁸ + F⁸)^⅛ with s start-ups and W bytes on the path of the algorithm, F bytes in the time
//! of the busiest link between switches where these are known ([`Path`]), τ the time of a byte, and b the
//! bytes that take as long as a start-up. Where times between two processes were measured, bytes on the wire
//! take as long as those ([`FieldWire`]).

use netsig_base::algorithm::{Collective, LIBRARY, Sizes};
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};
use serde::{Deserialize, Serialize};

use crate::model::regimes::{Path, Pattern, Patterns, Point, Protocol, Terms, Wire};

/// Time of bytes between two processes, by which T₀ counts bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldWire {
    /// V(w) of messages that are sent at once.
    pub wire: Wire,
    /// First size that is not sent at once; `None` if no such size is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eager_limit_bytes: Option<Bytes>,
}

impl FieldWire {
    /// A wire on which a byte takes a second: where no pair was measured, τ is estimated.
    pub(super) fn unit() -> Self {
        Self {
            wire: Wire::straight(SecondsPerByte(1.0)),
            eager_limit_bytes: None,
        }
    }
}

/// Start-ups and bytes of one case.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreeCost {
    startups: f64,
    bytes: f64,
    floor: f64,
}

/// What an algorithm sends, or may send.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FreeForm {
    /// The algorithm whose messages these are.
    pub algorithm: String,
    patterns: Patterns,
}

impl FreeForm {
    /// The messages of an algorithm; `None` if they are not described. `mpi` names the library of the data.
    pub(super) fn of(collective: Collective, algorithm: &str, mpi: Option<&str>) -> Option<Self> {
        let patterns = Patterns::of(collective, algorithm, mpi);
        (!patterns.all().is_empty()).then(|| Self {
            algorithm: algorithm.to_owned(),
            patterns,
        })
    }

    /// The forms that an algorithm may have: its own; of a library whose rules are not known, those of the
    /// algorithms that libraries usually take.
    pub(super) fn candidates(collective: Collective, algorithm: &str, mpi: Option<&str>) -> Vec<Self> {
        let own = Self::of(collective, algorithm, mpi);
        if algorithm == LIBRARY && !own.as_ref().is_some_and(Self::is_decided) {
            let usual = of_libraries(collective).iter();
            return usual.filter_map(|name| Self::of(collective, name, mpi)).collect();
        }
        own.into_iter().collect()
    }

    /// True if the rules of a library choose between patterns.
    fn is_decided(&self) -> bool {
        let all = self.patterns.all();
        all.len() > 1 || all.into_iter().any(Pattern::is_decided)
    }

    /// Bytes that pass a port of an exchange ([`Pattern::port_bytes`]); `None` for other algorithms, and where
    /// there are too many processes to sum over pairs.
    pub(super) fn port_bytes(&self, procs: Procs, size: Bytes, network: Option<&Network>) -> Option<f64> {
        let point = point(procs, size, network);
        point.check().ok()?;
        self.patterns.at(procs, size)?.port_bytes(point)
    }

    /// Start-ups and bytes of a case.
    pub(super) fn cost(
        &self,
        FieldWire {
            wire,
            eager_limit_bytes,
        }: &FieldWire,
        procs: Procs,
        size: Bytes,
        network: Option<&Network>,
    ) -> FreeCost {
        let point = point(procs, size, network);
        let pattern = self.patterns.at(procs, size).unwrap_or(Pattern::Port);
        let path: Path = pattern.traffic(wire, point);
        let protocol = Protocol::of(pattern.message(size), *eager_limit_bytes);
        let in_bytes = |time: Seconds| time.0 / wire.beta().0;
        FreeCost {
            startups: path.startups,
            bytes: in_bytes(path.wire(protocol)),
            floor: in_bytes(path.floor),
        }
    }
}

fn point(procs: Procs, size: Bytes, network: Option<&Network>) -> Point<'_> {
    Point {
        procs,
        size,
        network,
        pieces: Sizes::Equal.into(),
    }
}

/// Algorithms that MPI libraries take, of different start-ups and bytes.
fn of_libraries(collective: Collective) -> &'static [&'static str] {
    match collective {
        Collective::Bcast => &["binomial", "scatter-allgather", "scatter-allgather-ring"],
        Collective::Allgather => &["ring", "recursive-doubling"],
        Collective::Gather | Collective::Scatter => &["flat", "binomial"],
        _ => &["direct", "bruck:2"],
    }
}

impl FreeCost {
    /// T₀/τ for a start-up that takes as long as `balance` bytes.
    pub(super) fn bytes(&self, balance: f64) -> f64 {
        let terms = Terms {
            once: 0.0,
            startups: self.startups * balance,
            wire: self.bytes,
            floor: self.floor,
        };
        terms.time().max(f64::MIN_POSITIVE)
    }
}

/// T₀ of an algorithm on a network.
#[derive(Debug)]
pub(super) struct FreeTime<'a> {
    form: FreeForm,
    wire: FieldWire,
    network: Option<&'a Network>,
    startup: Seconds,
    byte: SecondsPerByte,
}

impl<'a> FreeTime<'a> {
    pub(super) fn new(
        form: FreeForm,
        (startup, byte): (Seconds, SecondsPerByte),
        wire: FieldWire,
        network: Option<&'a Network>,
    ) -> Self {
        Self {
            form,
            wire,
            network,
            startup,
            byte,
        }
    }

    /// T₀ of a case.
    pub(super) fn of(&self, procs: Procs, size: Bytes) -> Seconds {
        let cost = self.form.cost(&self.wire, procs, size, self.network);
        Seconds(self.byte.0 * cost.bytes(self.startup.0 / self.byte.0))
    }

    /// Bytes that pass a port of an exchange.
    pub(super) fn port_bytes(&self, procs: Procs, size: Bytes) -> Option<f64> {
        self.form.port_bytes(procs, size, self.network)
    }
}
