//! The message sizes of a design.

use crate::model::regimes::{Point, Protocol, Regimes};
use crate::units::{Bytes, Procs};

/// The sizes of one process count, ascending, and those of them that must be measured where
/// only the ends of each protocol do, and where also what happens between them is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sizes {
    /// All that may be measured.
    pub all: Vec<Bytes>,
    /// The smallest and the largest under each protocol.
    pub ends: Vec<Bytes>,
    /// On both sides of a known eager limit, and where a port is about to overflow.
    pub marks: Vec<Bytes>,
}

/// What the sizes depend on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range<'a> {
    /// The sizes that are wanted, ascending.
    pub wanted: &'a [Bytes],
    /// The model.
    pub model: &'a Regimes,
    /// A size below the eager limit and the first from it on, where pairs told them.
    pub limit: Option<[Bytes; 2]>,
}

impl Range<'_> {
    /// The sizes to measure among n processes.
    pub fn of(&self, procs: Procs) -> Sizes {
        let marks: Vec<Bytes> = self.marks(procs).collect();
        let mut all: Vec<Bytes> = self.wanted.iter().chain(&marks).copied().collect();
        for protocol in [Protocol::Eager, Protocol::Rendezvous] {
            let second = self.second(protocol, &all);
            all.extend(second);
        }
        all.sort_unstable();
        all.dedup();
        let ends = [Protocol::Eager, Protocol::Rendezvous]
            .into_iter()
            .flat_map(|protocol| {
                let mut own = all
                    .iter()
                    .filter(|size| self.model.protocol(**size) == protocol);
                let first = own.next();
                [first, own.next_back()]
                    .into_iter()
                    .flatten()
                    .copied()
                    .collect::<Vec<_>>()
            });
        Sizes {
            ends: ends.collect(),
            all,
            marks,
        }
    }

    /// The sizes at which something is known to change, within the wanted range.
    fn marks(&self, procs: Procs) -> impl Iterator<Item = Bytes> {
        let eager = self.model.eager.as_ref();
        let onset = eager
            .and_then(|parameters| parameters.stalls)
            .and_then(|stalls| stalls.onset);
        let of_one = Point {
            procs,
            size: Bytes(1),
            network: None,
        };
        let one = self.model.pattern.surge(&self.model.wire, of_one);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "bytes of a port, above 0"
        )]
        let overflow = onset
            .zip(one)
            .map(|(onset, one)| Bytes((onset.bytes / one) as u64));
        let overflow = overflow.filter(|size| self.model.protocol(*size) == Protocol::Eager);
        let marks = self.limit.into_iter().flatten().chain(overflow);
        let (first, last) = (self.wanted.first().copied(), self.wanted.last().copied());
        marks.filter(move |size| first <= Some(*size) && Some(*size) <= last)
    }

    /// A second size under a protocol of which one alone is wanted.
    fn second(&self, protocol: Protocol, all: &[Bytes]) -> Option<Bytes> {
        let mut own = all
            .iter()
            .filter(|size| self.model.protocol(**size) == protocol);
        let (Some(only), None) = (own.next(), own.next()) else {
            return None;
        };
        let limit = self.model.eager_limit;
        Some(match protocol {
            Protocol::Eager if only.0 >= 4 => Bytes(only.0 / 4),
            Protocol::Eager => Bytes(limit.map_or(u64::MAX, |limit| limit.0 - 1).min(4 * only.0)),
            Protocol::Rendezvous => Bytes(only.0.saturating_mul(2)),
        })
    }
}
