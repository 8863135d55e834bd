//! Broadcast in pLogP: ten strategies.
//!
//! # Formula
//! One message of m bytes to P processes, in k = ⌈m/s⌉ segments of s bytes where the
//! strategy cuts it up; times in seconds, ⌊⌋ and ⌈⌉ of log2 P:
//!
//! | strategy | T(P, m) |
//! |---|---|
//! | `flat` | (P−1)·g(m) + L |
//! | `flat_rdv` | (P−1)·g(m) + 2·g(1) + 3·L |
//! | `flat_seg` | (P−1)·g(s)·k + L |
//! | `chain` | (P−1)·(g(m) + L) |
//! | `chain_rdv` | (P−1)·(g(m) + 2·g(1) + 3·L) |
//! | `chain_seg` | (P−1)·(g(s) + L) + g(s)·(k−1) |
//! | `binary` | ≤ ⌈⌉·(2·g(m) + L) |
//! | `binomial` | ⌊⌋·g(m) + ⌈⌉·L |
//! | `binomial_rdv` | ⌊⌋·g(m) + ⌈⌉·(2·g(1) + 3·L) |
//! | `binomial_seg` | ⌊⌋·g(s)·k + ⌈⌉·L |
//!
//! In the rendezvous forms (`rdv`) a request and its answer, g(1) + L each, go before the
//! data. `binomial_seg` passes a message on when it has all of it.
//!
//! The binomial forms are as printed, with ⌊⌋ and ⌈⌉ the wrong way round: that matters
//! unless P is a power of two. P = 3 would take g + 2·L, but no three processes can do with
//! less than 2·g + L. Where each process serves its farthest child first, the tree takes
//! exactly ⌈⌉·g(m) + ⌊⌋·L. [`Levels`] chooses; printed is the default, and `binomial_rdv`
//! and `binomial_seg` follow in the same way.
//!
//! # Domain
//! P ≥ 1, where P = 1 costs nothing, and m ≥ 0. No contention. `binary` is an upper bound.
//!
//! # Source
//! Barchet-Steffenel and Mounié 2005 (`RenPar`) Tab. 1; the interchange is netsig's, checked
//! by simulating the tree event by event.
//!
//! ```
//! # use netsig_core::model::{broadcast::{Broadcast, Levels, Strategy}, hockney::Hockney};
//! # use netsig_core::model::plogp::{PLogP, Parameters};
//! # use netsig_core::units::table::Table;
//! # use netsig_core::units::{Bytes, Procs, Seconds};
//! # let line = |name, rows: [(u64, f64); 2]| Table::new(name, rows.map(|(m, t)| (Bytes(m), Seconds(t))).into());
//! // L = 50 µs and g(m) = 10 µs + 10 ns · m.
//! # let network = PLogP::new(Parameters {
//! #     latency: Seconds(5e-5),
//! #     gap: line("g", [(0, 1e-5), (16_777_216, 0.167_782_16)])?,
//! #     send_overhead: line("os", [(0, 0.0), (1, 0.0)])?,
//! #     receive_overhead: line("or", [(0, 0.0), (1, 0.0)])?,
//! # })?;
//! let broadcast = |levels| Broadcast { network: &network, strategy: Strategy::Binomial, levels };
//! let [printed, exact] = [Levels::Printed, Levels::Exact]
//!     .map(|levels| broadcast(levels).time(Procs::new(3).unwrap(), Bytes(1 << 20), None).0);
//! assert!((printed / 0.010_595_76 - 1.0).abs() < 1e-12);
//! assert!((exact / 0.021_041_52 - 1.0).abs() < 1e-12);
//! # Ok::<(), netsig_core::units::parameter::ParameterError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use super::plogp::PLogP;
use super::segment::{self, Optimum, Search, Segment};
use crate::text::names::{name_of, variant_of};
use crate::units::{Bytes, Procs, Seconds};

/// Who sends to whom, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The root sends to each.
    Flat,
    /// `Flat` after a rendezvous.
    FlatRendezvous,
    /// `Flat` in segments.
    FlatSegmented,
    /// Each passes the message to the next.
    Chain,
    /// `Chain` with a rendezvous at each hop.
    ChainRendezvous,
    /// The pipeline: `Chain` in segments.
    ChainSegmented,
    /// Each sends to two: an upper bound.
    Binary,
    /// All that have the message send it on, so that they double.
    Binomial,
    /// `Binomial` with a rendezvous at each level.
    BinomialRendezvous,
    /// `Binomial` in segments.
    BinomialSegmented,
}

/// All strategies with their names, in the order of the printed table.
pub const STRATEGIES: [(Strategy, &str); 10] = [
    (Strategy::Flat, "flat"),
    (Strategy::FlatRendezvous, "flat_rdv"),
    (Strategy::FlatSegmented, "flat_seg"),
    (Strategy::Chain, "chain"),
    (Strategy::ChainRendezvous, "chain_rdv"),
    (Strategy::ChainSegmented, "chain_seg"),
    (Strategy::Binary, "binary"),
    (Strategy::Binomial, "binomial"),
    (Strategy::BinomialRendezvous, "binomial_rdv"),
    (Strategy::BinomialSegmented, "binomial_seg"),
];

/// Which level of a binomial tree that is not full counts for the gap and which for L.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Levels {
    /// ⌊log2 P⌋ gaps and ⌈log2 P⌉ latencies (the default).
    #[default]
    Printed,
    /// ⌈log2 P⌉ gaps and ⌊log2 P⌋ latencies.
    Exact,
}

/// A way to broadcast on a network.
#[derive(Debug, Clone, Copy)]
pub struct Broadcast<'a> {
    /// g and L.
    pub network: &'a PLogP,
    /// Who sends to whom.
    pub strategy: Strategy,
    /// How to count the levels of a binomial tree.
    pub levels: Levels,
}

/// How often each part of a broadcast is on its critical path.
struct Counts {
    /// Messages, each g(m) or k·g(s).
    data: f64,
    /// Requests and answers, each g(1).
    controls: f64,
    /// L.
    latencies: f64,
}

impl Strategy {
    /// Whether the message is cut into segments.
    pub fn is_segmented(self) -> bool {
        matches!(
            self,
            Self::FlatSegmented | Self::ChainSegmented | Self::BinomialSegmented
        )
    }
}

impl Broadcast<'_> {
    /// The time of a broadcast of `size` bytes. Strategies without segments ignore
    /// `segment`; for the others `None` is one segment of the whole message.
    pub fn time(&self, procs: Procs, size: Bytes, segment: Option<Segment>) -> Seconds {
        if procs.get() == 1 {
            return Seconds(0.0);
        }
        let (piece, pieces) = match segment.filter(|_| self.strategy.is_segmented()) {
            Some(segment) => (segment.bytes(), segment.count(size) as f64),
            None => (size, 1.0),
        };
        let counts = self.counts(procs, pieces);
        let mut time = self.network.g(piece) * counts.data;
        if counts.controls > 0.0 {
            time = time + self.network.g(Bytes(1)) * counts.controls;
        }
        time + self.network.latency() * counts.latencies
    }

    /// The segment with which the broadcast is fastest, as far as `search` finds it. A
    /// strategy without segments sends the message whole. For an empty message the segment
    /// is one datatype.
    pub fn optimal_segment(
        &self,
        procs: Procs,
        size: Bytes,
        search: Search,
        datatype: Segment,
    ) -> Optimum {
        let time = |segment| self.time(procs, size, Some(segment));
        match Segment::new(size) {
            Ok(segment) if !self.strategy.is_segmented() => Optimum {
                segment,
                time: time(segment),
            },
            _ => segment::optimise(search, size, datatype, time),
        }
    }

    /// `pieces` is k.
    fn counts(&self, procs: Procs, pieces: f64) -> Counts {
        let partners = procs.partners();
        let [floor, ceil] = [procs.floor_log2(), procs.ceil_log2()].map(f64::from);
        let [gaps, hops] = match self.levels {
            Levels::Printed => [floor, ceil],
            Levels::Exact => [ceil, floor],
        };
        let (data, controls, latencies) = match self.strategy {
            Strategy::Flat => (partners, 0.0, 1.0),
            Strategy::FlatRendezvous => (partners, 2.0, 3.0),
            Strategy::FlatSegmented => (partners * pieces, 0.0, 1.0),
            Strategy::Chain => (partners, 0.0, partners),
            Strategy::ChainRendezvous => (partners, 2.0 * partners, 3.0 * partners),
            Strategy::ChainSegmented => (partners + (pieces - 1.0), 0.0, partners),
            Strategy::Binary => (2.0 * ceil, 0.0, ceil),
            Strategy::Binomial => (gaps, 0.0, hops),
            Strategy::BinomialRendezvous => (gaps, 2.0 * hops, 3.0 * hops),
            Strategy::BinomialSegmented => (gaps * pieces, 0.0, hops),
        };
        Counts {
            data,
            controls,
            latencies,
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(self, &STRATEGIES))
    }
}

impl FromStr for Strategy {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        variant_of(text, "a strategy of broadcast", &STRATEGIES)
    }
}
