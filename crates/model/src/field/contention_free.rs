//! T₀: the contention-free time of an algorithm, up to the time of a byte.
//!
//! # Formula
//! T₀/τ = ((s·b + W)⁸ + F⁸)^⅛. s is the number of start-ups and W the bytes on the path of the algorithm
//! ([`TrafficPath`]). F is the time of the busiest link between switches, counted in bytes (0 if no links are known).
//! τ is the time of a byte, and a start-up takes as long as b bytes. If times between two processes were measured,
//! they give the time of bytes on the wire ([`FieldWire`]).

use netsig_base::algorithm::{Collective, LIBRARY, SizePattern};
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};
use serde::{Deserialize, Serialize};

use crate::model::regimes::{
    AlgorithmPatterns, Protocol, RegimesPoint, TimeTerms, TrafficPath, TrafficPattern, WireTime,
};

/// Time of bytes on the wire between two processes. T₀ has W and F in bytes of this wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldWire {
    /// V(w) of messages that are sent at once.
    pub wire: WireTime,
    /// First size that is not sent at once; `None` if no such size is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eager_limit_bytes: Option<Bytes>,
}

impl FieldWire {
    /// A wire of 1 s per byte, for data without times between two processes: the fit then estimates τ.
    pub(super) fn unit() -> Self {
        Self {
            wire: WireTime::proportional(SecondsPerByte(1.0)),
            eager_limit_bytes: None,
        }
    }
}

/// The library that ran an algorithm, and its vectors.
#[derive(Debug, Clone, Copy)]
pub(super) struct FieldLibrary<'a> {
    /// Name of the MPI library.
    pub mpi: Option<&'a str>,
    /// Length of an element of a vector that is reduced.
    pub element: Bytes,
}

/// Start-ups and bytes of one case.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContentionFreeCost {
    startups: f64,
    bytes: f64,
    floor: f64,
}

/// An algorithm whose traffic patterns give the start-ups and bytes of T₀.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ContentionFreeForm {
    /// Name of the algorithm.
    pub algorithm: String,
    patterns: AlgorithmPatterns,
}

impl ContentionFreeForm {
    /// Form of an algorithm; `None` if no traffic pattern describes it.
    pub(super) fn of(collective: Collective, algorithm: &str, library: FieldLibrary) -> Option<Self> {
        let patterns = AlgorithmPatterns::of(collective, algorithm, library.mpi).with_element(library.element);
        (!patterns.all().is_empty()).then(|| Self {
            algorithm: algorithm.to_owned(),
            patterns,
        })
    }

    /// Possible forms of an algorithm: its own, or those of the usual algorithms if a library's rules are unknown.
    pub(super) fn candidates(collective: Collective, algorithm: &str, library: FieldLibrary) -> Vec<Self> {
        let own_form = Self::of(collective, algorithm, library);
        if algorithm == LIBRARY && !own_form.as_ref().is_some_and(Self::is_decided) {
            let usual_algorithms = usual_library_algorithms(collective).iter();
            return usual_algorithms
                .filter_map(|name| Self::of(collective, name, library))
                .collect();
        }
        own_form.into_iter().collect()
    }

    /// Length of most messages of a case of `bytes` bytes.
    pub(super) fn message(&self, procs: Procs, bytes: f64) -> f64 {
        let pattern = self.patterns.at(procs, Bytes::rounded(bytes));
        let travels_in_blocks = pattern.is_some_and(TrafficPattern::travels_in_blocks);
        bytes / if travels_in_blocks { f64::from(procs.get()) } else { 1.0 }
    }

    /// True if the library takes other steps for a case, because those of the algorithm do not suit it.
    pub(super) fn is_replaced(&self, procs: Procs, size: Bytes) -> bool {
        self.patterns.replacement(procs, size).is_some()
    }

    /// True if the rules of a library choose between patterns.
    fn is_decided(&self) -> bool {
        let all = self.patterns.all();
        all.len() > 1 || all.into_iter().any(TrafficPattern::is_decided)
    }

    /// Bytes that pass a port of an exchange ([`TrafficPattern::port_bytes`]); `None` for other algorithms, and for
    /// too many processes to sum over pairs.
    pub(super) fn port_bytes(&self, procs: Procs, size: Bytes, network: Option<&Network>) -> Option<f64> {
        let point = equal_pieces_point(procs, size, network);
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
    ) -> ContentionFreeCost {
        let point = equal_pieces_point(procs, size, network);
        let pattern = self.patterns.at(procs, size).unwrap_or(TrafficPattern::Port);
        let path: TrafficPath = pattern.traffic(wire, point);
        let protocol = Protocol::of(pattern.message(procs, size), *eager_limit_bytes);
        let in_bytes = |time: Seconds| time.0 / wire.beta().0;
        ContentionFreeCost {
            startups: path.startups,
            bytes: in_bytes(path.wire(protocol)),
            floor: in_bytes(path.floor),
        }
    }
}

fn equal_pieces_point(procs: Procs, size: Bytes, network: Option<&Network>) -> RegimesPoint<'_> {
    RegimesPoint {
        procs,
        size,
        network,
        pieces: SizePattern::Equal.into(),
    }
}

/// Algorithms that MPI libraries usually take; they differ in start-ups and bytes.
fn usual_library_algorithms(collective: Collective) -> &'static [&'static str] {
    match collective {
        Collective::Bcast => &["binomial", "scatter-allgather", "scatter-allgather-ring"],
        Collective::Allgather => &["ring", "recursive-doubling"],
        Collective::Gather | Collective::Scatter => &["flat", "binomial"],
        Collective::Reduce => &["binomial", "rabenseifner"],
        Collective::Allreduce => &["recursive-doubling", "rabenseifner", "ring"],
        Collective::ReduceScatter | Collective::ReduceScatterBlock => &["recursive-halving", "pairwise", "butterfly"],
        Collective::Barrier => &["dissemination", "recursive-doubling", "tree"],
        _ => &["direct", "bruck:2"],
    }
}

impl ContentionFreeCost {
    /// T₀/τ if a start-up takes as long as `balance` bytes.
    pub(super) fn time_in_bytes(&self, balance: f64) -> f64 {
        let terms = TimeTerms {
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
pub(super) struct ContentionFreeTime<'a> {
    form: ContentionFreeForm,
    wire: FieldWire,
    network: Option<&'a Network>,
    startup: Seconds,
    byte: SecondsPerByte,
}

impl<'a> ContentionFreeTime<'a> {
    pub(super) fn new(
        form: ContentionFreeForm,
        startup: Seconds,
        byte: SecondsPerByte,
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
    pub(super) fn time_of(&self, procs: Procs, size: Bytes) -> Seconds {
        let cost = self.form.cost(&self.wire, procs, size, self.network);
        Seconds(self.byte.0 * cost.time_in_bytes(self.startup.0 / self.byte.0))
    }

    /// The patterns of the algorithm.
    pub(super) fn patterns(&self) -> &AlgorithmPatterns {
        &self.form.patterns
    }

    /// Bytes that pass a port of an exchange.
    pub(super) fn port_bytes(&self, procs: Procs, size: Bytes) -> Option<f64> {
        self.form.port_bytes(procs, size, self.network)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::procs;

    /// 256 floats are fewer than 512 ranks: Open MPI sends 2·511 whole vectors through rank 0, and from 512 floats on
    /// takes 2·9 steps. A ring's messages are blocks; its replacement's are vectors.
    #[test]
    fn short_vectors_have_the_steps_that_really_run() {
        let form = |name, mpi| {
            let library = FieldLibrary { mpi, element: Bytes(4) };
            ContentionFreeForm::of(Collective::Allreduce, name, library).unwrap()
        };
        let n = procs(512);
        let rabenseifner = form("library:rabenseifner", None);
        let startups = |size| rabenseifner.cost(&FieldWire::unit(), n, Bytes(size), None).startups;
        let check = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        check(startups(1024), 1022.0);
        check(startups(2048), 18.0);
        assert!(rabenseifner.is_replaced(n, Bytes(1024)) && !rabenseifner.is_replaced(n, Bytes(2048)));
        for (name, mpi) in [
            ("library:rabenseifner", Some("Intel(R) MPI Library 2021.18")),
            ("rabenseifner", None),
        ] {
            assert!(!form(name, mpi).is_replaced(n, Bytes(1024)), "{name} {mpi:?}");
        }
        let ring = form("library:ring", None);
        check(ring.message(n, 1024.0), 1024.0);
        check(ring.message(n, 4096.0), 8.0);
    }
}
