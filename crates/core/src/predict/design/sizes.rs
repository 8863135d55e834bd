//! The message sizes of a design.

use crate::model::regimes::{Point, Protocol, Regimes};
use crate::units::{Bytes, Procs};

/// Sizes of one process count, ascending; of these, the ends of each protocol and the marks may be
/// required.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sizes {
    /// All sizes that may be measured.
    pub all: Vec<Bytes>,
    /// The smallest and the largest size of each protocol.
    pub ends: Vec<Bytes>,
    /// Sizes on both sides of a known eager limit, and the size at which a port begins to overflow.
    pub marks: Vec<Bytes>,
}

/// Arguments that determine the sizes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range<'a> {
    /// Wanted sizes, ascending.
    pub wanted: &'a [Bytes],
    /// Regimes of the algorithm.
    pub model: &'a Regimes,
    /// The last size below the eager limit and the first from it on, where a measurement has shown
    /// them.
    pub limit: Option<[Bytes; 2]>,
}

impl Range<'_> {
    /// Sizes to measure among n processes.
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

    /// Sizes within the wanted range at which the time is known to change its course.
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

    /// A second size for a protocol with only one size.
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
