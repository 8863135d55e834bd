//! Bytes and messages that the ports of the processes and the links between switches carry in an
//! exchange.
//!
//! # Formula
//! Pieces have m bytes in ⌈m/q⌉ segments. Each port carries (n−1)·m bytes in (n−1)·⌈m/q⌉ messages in each direction;
//! a link with a processes behind it carries a·(n−a) pieces. If pieces differ in size, loads are sums over the pairs
//! of sender and receiver, for the busiest port or the busier direction of a link. Pieces of 0 bytes are not sent.
//!
//! In rounds a process waits for its partners. Process i has ended its rounds so far at e(i). A message of l bytes
//! between i and its partner j ends at max(e(i), e(j)) + l. The round ends for i with the later of its send and its
//! receive. i does not wait for a partner without bytes. The last end is n−1 times l for equal pieces; for others it
//! exceeds the bytes of the busiest port.
//!
//! # Units
//! Bytes. Sums over pieces that differ take O(n²) steps, hence at most [`MOST_PROCS`] processes.

use std::borrow::Cow;

use netsig_base::algorithm::{PairSizes, PieceSizes, SizePattern};
use netsig_base::network::NetworkCut;
use netsig_base::units::parameter::ParameterError;
use netsig_base::units::{Bytes, Procs, Rank};

use super::RegimesPoint;
use super::wire::with_headers;

/// Largest process count with pieces that differ in size.
pub(in crate::model) const MOST_PROCS: u32 = 2048;

/// Bytes and messages.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct TrafficLoad {
    bytes: f64,
    messages: f64,
}

/// Loads of the busiest ports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BusiestPorts {
    /// Bytes on the link of the busiest process, in the busier direction, with headers.
    pub(super) on_link: f64,
    /// Largest number of messages that a process sends or receives.
    pub(super) messages: f64,
    /// Bytes into the fullest port.
    pub(super) incoming: f64,
}

/// The pieces of an exchange.
#[derive(Debug)]
pub(super) struct ExchangePieces<'a> {
    procs: Procs,
    size: Bytes,
    pieces: Option<Cow<'a, PairSizes>>,
    segment: Option<Bytes>,
    most_bytes: Bytes,
}

impl RegimesPoint<'_> {
    /// Mean message size, weighted by bytes; m if all are equal.
    pub(crate) fn message(self) -> Bytes {
        self.pieces.byte_weighted_message(self.procs, self.size)
    }

    /// Checks that the sums over pairs of processes are possible.
    ///
    /// # Errors
    /// If pieces differ in size and there are more than 2048 processes, or if known pieces are for another process
    /// count.
    pub(crate) fn check(self) -> Result<(), ParameterError> {
        let rule = match self.pieces {
            PieceSizes::OfMean(SizePattern::Equal) => return Ok(()),
            PieceSizes::Known(pairs) if pairs.procs() != self.procs => "as in the exchange",
            _ if self.procs.get() > MOST_PROCS => "at most 2048 where sizes differ from pair to pair",
            _ => return Ok(()),
        };
        Err(ParameterError::new("procs", self.procs.get(), rule))
    }
}

impl TrafficLoad {
    fn scaled(self, count: f64) -> Self {
        Self {
            bytes: self.bytes * count,
            messages: self.messages * count,
        }
    }

    fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.messages += other.messages;
    }

    /// Bytes on a link, with headers.
    pub(super) fn on_link(self) -> f64 {
        with_headers(self.bytes, self.messages)
    }

    /// Bytes without headers.
    pub(super) fn bytes(self) -> f64 {
        self.bytes
    }
}

impl<'a> ExchangePieces<'a> {
    /// Whole pieces.
    pub(super) fn of(point: RegimesPoint<'a>) -> Self {
        let RegimesPoint {
            procs, size, pieces, ..
        } = point;
        Self {
            procs,
            size,
            pieces: match pieces {
                PieceSizes::OfMean(sizes) => PairSizes::of_pattern(sizes, procs, size).map(Cow::Owned),
                PieceSizes::Known(pairs) => Some(Cow::Borrowed(pairs)),
            },
            segment: None,
            most_bytes: Bytes(u64::MAX),
        }
    }

    /// The same pieces in segments.
    pub(super) fn in_segments(self, segment: Bytes) -> Self {
        Self {
            segment: Some(segment),
            ..self
        }
    }

    /// The same pieces, each cut to its first `most_bytes` bytes.
    pub(super) fn of_at_most(self, most_bytes: Bytes) -> Self {
        Self { most_bytes, ..self }
    }

    /// A piece of m bytes.
    fn piece(&self, size: Bytes) -> TrafficLoad {
        let limited_size = size.min(self.most_bytes);
        let parts = self
            .segment
            .map_or(1, |segment| limited_size.0.div_ceil(segment.0.max(1)).max(1));
        TrafficLoad {
            bytes: limited_size.as_f64(),
            messages: parts as f64,
        }
    }

    /// Loads of the busiest ports.
    pub(super) fn ports(&self) -> BusiestPorts {
        let Some(pieces) = &self.pieces else {
            let all = self.piece(self.size).scaled(self.procs.partners());
            return BusiestPorts {
                on_link: all.on_link(),
                messages: all.messages,
                incoming: all.bytes,
            };
        };
        let empty_loads = || vec![TrafficLoad::default(); self.procs.get() as usize];
        let (mut sent, mut received) = (empty_loads(), empty_loads());
        for (from, to, size) in pieces.messages() {
            let piece = self.piece(size);
            sent[from.0 as usize].add(piece);
            received[to.0 as usize].add(piece);
        }
        let both = || sent.iter().chain(&received);
        BusiestPorts {
            on_link: largest(both().map(|load| load.on_link())),
            messages: largest(both().map(|load| load.messages)),
            incoming: largest(received.iter().map(|load| load.bytes)),
        }
    }

    /// For each port that receives bytes: their ratio to the bytes of the fullest port, and the number of senders.
    /// `None` if all pieces are equal.
    pub(super) fn receiving_ports(&self) -> Option<Vec<(f64, f64)>> {
        let pieces = self.pieces.as_ref()?;
        let mut ports = vec![TrafficLoad::default(); self.procs.get() as usize];
        for (_, to, size) in pieces.messages() {
            ports[to.0 as usize].add(TrafficLoad {
                bytes: size.as_f64(),
                messages: 1.0,
            });
        }
        let fullest = largest(ports.iter().map(|port| port.bytes));
        let share_and_senders = |port: &TrafficLoad| (port.bytes / fullest, port.messages);
        let used = ports.iter().filter(|port| port.bytes > 0.0);
        Some(used.map(share_and_senders).collect())
    }

    /// Bytes with headers on the longest path through the rounds of pairwise exchange, where partners wait for each
    /// other. Phases wait about as long. `partners` gives the receiver and the sender of a rank in a round; rounds
    /// count from 1.
    pub(super) fn bytes_in_rounds(&self, partners: impl Fn(Rank, u32) -> (Rank, Rank)) -> f64 {
        let Some(pieces) = &self.pieces else {
            return self.ports().on_link;
        };
        let mut ends = vec![0.0; self.procs.get() as usize];
        let end = |ends: &[f64], rank: Rank, other: Rank, size: Bytes| {
            let [rank_end, partner_end] = [rank, other].map(|rank| ends[rank.0 as usize]);
            if size.0 == 0 {
                return rank_end;
            }
            rank_end.max(partner_end) + self.piece(size).on_link()
        };
        for round in 1..self.procs.get() {
            let next = |rank: Rank| {
                let (to, from) = partners(rank, round);
                let sent = end(&ends, rank, to, pieces.get(rank, to));
                sent.max(end(&ends, rank, from, pieces.get(from, rank)))
            };
            ends = self.procs.ranks().map(next).collect();
        }
        largest(ends.into_iter())
    }

    /// Load of a link between switches, in the busier direction.
    pub(super) fn link_load(&self, cut: &NetworkCut) -> TrafficLoad {
        let behind = cut.procs_behind(self.procs);
        let Some(pieces) = &self.pieces else {
            let crossing = f64::from(behind) * f64::from(self.procs.get() - behind);
            return self.piece(self.size).scaled(crossing);
        };
        let mut is_behind = vec![false; self.procs.get() as usize];
        for rank in cut.ranks_behind(self.procs).flatten() {
            is_behind[rank as usize] = true;
        }
        let mut directions = [TrafficLoad::default(); 2];
        for (from, to, size) in pieces.messages() {
            let leaves = is_behind[from.0 as usize];
            if leaves != is_behind[to.0 as usize] {
                directions[usize::from(leaves)].add(self.piece(size));
            }
        }
        let [one, other] = directions;
        if one.on_link() > other.on_link() { one } else { other }
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::links::{ExchangeOrder, round_partners};
    use super::*;
    use crate::testing::graph_of;
    use crate::testing::procs;

    fn exchange(sizes: SizePattern, count: u32, size: u64) -> ExchangePieces<'static> {
        ExchangePieces::of(RegimesPoint {
            procs: procs(count),
            size: Bytes(size),
            network: None,
            pieces: sizes.into(),
        })
    }

    #[track_caller]
    fn assert_near<const N: usize>(found: [f64; N], expected: [f64; N]) {
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
        }
    }

    /// Sparse pieces of 20 bytes among five, by hand: 0 → 1, 1 → 3, 2 → 3, 3 → 0 and 4 → 0, in segments of
    /// 8 bytes. Behind a link that joins the first two hosts to the others go 1 → 3, and back 3 → 0 and
    /// 4 → 0.
    #[test]
    fn loads_of_pieces_that_differ_are_sums_over_pairs() {
        let network = graph_of(&[2, 3], &[(0, 1)]).unwrap();
        let [cut] = network.cuts().unwrap() else {
            panic!("one link between two switches")
        };
        let whole = exchange(SizePattern::Sparse, 5, 5);
        let ports = whole.ports();
        assert_near([ports.messages, ports.incoming], [2.0, 40.0]);
        let across = whole.link_load(cut).bytes();
        assert_near([ports.on_link, across], [with_headers(40.0, 2.0), 40.0]);
        let receiving = whole.receiving_ports().unwrap();
        assert_eq!(receiving, [(1.0, 2.0), (0.5, 1.0), (1.0, 2.0)]);
        let parts = whole.in_segments(Bytes(8));
        let ports = parts.ports();
        assert_near([ports.messages, ports.on_link], [6.0, with_headers(40.0, 6.0)]);
        assert_near([parts.link_load(cut).on_link()], [with_headers(40.0, 6.0)]);
        let begun = parts.of_at_most(Bytes(16)).ports();
        assert_near([begun.messages, begun.incoming], [4.0, 32.0]);
    }

    /// Four ranks have 15 bytes each: 0 for 1, 1 for 3, 2 and 3 for 0, by hand. In pairs rank 3 has its
    /// bytes of the second round only after the first, and sends its own in the third; in a ring all is
    /// done in the first and the second.
    #[test]
    fn partners_wait_for_each_other_in_rounds() {
        let exchange = exchange(SizePattern::Sparse, 4, 5);
        let piece = with_headers(15.0, 1.0);
        let path = |order| exchange.bytes_in_rounds(round_partners(order, procs(4)));
        let paths = [path(ExchangeOrder::Powers), path(ExchangeOrder::Rounds)];
        assert_near(paths, [3.0 * piece, 2.0 * piece]);
        assert_near([exchange.ports().on_link], [2.0 * piece]);
    }

    /// Pieces that happen to be equal load ports and links as pieces of one size.
    #[test]
    fn equal_pieces_are_a_case_of_different_ones() {
        let network = graph_of(&[3, 4, 2], &[(0, 1), (1, 2)]).unwrap();
        for (count, size) in [(2, 1), (5, 100), (9, 8193)] {
            for segment in [1 << 20, 1000, 7].map(Bytes) {
                let equal = exchange(SizePattern::Equal, count, size).in_segments(segment);
                let pieces = PairSizes::new(procs(count), |_, _| Bytes(size));
                let listed = ExchangePieces {
                    pieces: Some(Cow::Owned(pieces)),
                    ..exchange(SizePattern::Equal, count, size).in_segments(segment)
                };
                assert_eq!(listed.ports(), equal.ports());
                for order in [ExchangeOrder::Powers, ExchangeOrder::Rounds] {
                    let of = |one: &ExchangePieces| one.bytes_in_rounds(round_partners(order, procs(count)));
                    assert_near([of(&listed)], [of(&equal)]);
                }
                for cut in network.cuts().unwrap() {
                    assert_eq!(listed.link_load(cut), equal.link_load(cut));
                }
            }
        }
    }
}
