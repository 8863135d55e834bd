//! Traffic of an algorithm on the wire between its start and its end: start-ups and bytes along the
//! path that ends last.
//!
//! # Formula
//! For n processes and m bytes; V(w) is the time of w contiguous bytes, and every message adds 96
//! bytes of headers:
//!
//! | pattern | start-ups s | W |
//! |---|---|---|
//! | a port: all-to-all, flat trees, rings | n − 1 | V((n−1)·m) |
//! | all-to-all in segments of q bytes, w at a time | n − 1 | V((n−1)·m) |
//! | all-to-all by digits in base r | messages of a rank | V of the blocks that it relays |
//! | doubling: allgather in ⌈log₂ n⌉ rounds | ⌈log₂ n⌉ | V((n−1)·m) |
//! | chain in segments of q bytes | n − 2 + ⌈m/q⌉ | (n−2)·V(q) + V(m) |
//! | binomial, k-nomial or binary tree | most messages that follow one another | see below |
//! | scatter and allgather of m/n bytes | ⌈log₂ n⌉, and the steps of the allgather | of the tree, and V((n−1)·m/n) |
//!
//! In a tree a rank sends to its children one after the other, the largest subtree first. Child k has its message
//! after V of the bytes of the first k messages. W is the time of the path that ends last. An allgather by doubling
//! adds V(m) unless n is a power of two.
//!
//! On a tree of switches another link may be busy for longer than the port (`links`). Its time is F: V of the bytes
//! that a host's link passes in the meantime. In pairwise exchange each round has its own busiest link, and partners
//! that face each other take longer after requests. W is V of the bytes of so many rounds (`links::rounds`), and F is
//! 0.
//!
//! With w exchanges of segments at a time, w·q bytes are on the way to a port: x is min(m, w·q). The start-up of a
//! segment passes while the segment before it is on the wire, so the start-ups of a partner count once. In phases
//! that fit the links, a link that is c times as fast as a host's carries ⌊c⌋ or ⌈c⌉ messages at a time. Its a·(n−a)
//! messages take as long as a·(n−a)/c messages on a host's link; the share c − ⌊c⌋ of them takes ⌈c⌉/c times as long.
//! W is V of so many messages, at least of n − 1.
//!
//! If sizes differ from pair to pair, s, W, x and F are those of the busiest port and of the busiest link (`loads`).
//! In rounds W is that of the path on which partners wait for each other.
//!
//! T₀ is a + ((S + W)⁸ + F⁸)^⅛, S the time of the start-ups: links that are busy for equally long
//! delay each other's messages.
//!
//! # Source
//! netsig; equal shares of a link are those of processor sharing (Kleinrock 1967).

use netsig_base::algorithm::{BruckWork, bruck_work};
use netsig_base::network::NetworkCut;
use netsig_base::units::{Bytes, Seconds};

use super::links::{self, ExchangeOrder};
use super::loads::ExchangePieces;
use super::reduction::ReductionSteps;
use super::tree::{LongestPath, MessageTree, TreeShape};
use super::wire::with_headers;
use super::{Protocol, RegimesPoint, StallOnset, TrafficPattern, WireTime};

/// Start-ups and times of the path that ends last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrafficPath {
    /// Number of start-ups s.
    pub startups: f64,
    /// Number of requests.
    pub requests: f64,
    /// W: time of messages one after the other.
    pub serial: Seconds,
    /// W of rendezvous messages.
    pub requested: Seconds,
    /// F: time of the busiest link between switches; 0 where no links are known.
    pub floor: Seconds,
    /// x: bytes that pass a port where many send at once, else 0 ([`TrafficPattern::port_bytes`]).
    pub port_bytes: f64,
}

impl TrafficPath {
    /// W under a protocol.
    pub(crate) fn wire(&self, protocol: Protocol) -> Seconds {
        match protocol {
            Protocol::Eager => self.serial,
            Protocol::Rendezvous => self.requested,
        }
    }
}

/// x²/X in bytes at which rounds that drift apart have half of their slowdown, and the sharpness of
/// its onset.
const DRIFT: f64 = 160.0 * 1024.0;
const SHARPNESS_OF_DRIFT: i32 = 6;

/// A case on a wire.
struct WireCase<'a> {
    wire: &'a WireTime,
    point: RegimesPoint<'a>,
}

impl TrafficPath {
    /// A path of messages that follow one another, with a request for each start-up.
    fn straight(startups: f64, wire: Seconds) -> Self {
        Self {
            startups,
            requests: startups,
            serial: wire,
            requested: wire,
            floor: Seconds(0.0),
            port_bytes: 0.0,
        }
    }
}

impl TrafficPattern {
    /// φ of the slowdown; 0 without an onset. Rounds drift apart and meet at ports before these
    /// overflow.
    pub(crate) fn slowdown_share(self, onset: Option<StallOnset>, traffic: &TrafficPath) -> f64 {
        let Some(onset) = onset else { return 0.0 };
        if self.is_in_rounds() {
            let half = (DRIFT * onset.bytes).sqrt();
            let share = 1.0 / (1.0 + (half / traffic.port_bytes).powi(SHARPNESS_OF_DRIFT));
            share * traffic.startups.sqrt()
        } else {
            onset.share(traffic.port_bytes)
        }
    }

    /// True if all processes exchange in rounds.
    fn is_in_rounds(self) -> bool {
        matches!(self, Self::Exchange(ExchangeOrder::Rounds | ExchangeOrder::Powers))
    }

    /// Start-ups and times of the path that ends last.
    pub fn traffic(self, wire: &WireTime, point: RegimesPoint) -> TrafficPath {
        let case = WireCase { wire, point };
        let RegimesPoint { procs, size, .. } = point;
        let bytes = with_headers(procs.partners() * size.as_f64(), procs.partners());
        let rounds = f64::from(procs.ceil_log2());
        match self.at_case(procs, size) {
            Self::Exchange(ExchangeOrder::AtOnce) => case.at_once(),
            Self::Exchange(order) => case.in_rounds(order),
            Self::Segments { order, segment, window } => TrafficPath {
                port_bytes: self.port_bytes(point).unwrap_or_default(),
                ..case.in_segments(segment, order, window)
            },
            Self::Port => TrafficPath::straight(procs.partners(), wire.time(bytes)),
            Self::Digits { radix } => case.path_of_digits(radix),
            Self::Doubling => TrafficPath::straight(rounds, wire.time(bytes)),
            Self::Chain => case.along_chain(size),
            Self::Pipeline { segment } => case.along_chain(segment.min(size)),
            Self::Reduction { form, segment } => case.along_steps(ReductionSteps { form, segment }),
            Self::ScatterRing => case.scatter_allgather(procs.partners(), 0.0),
            // Unless n is a power of two, ranks without a part take the whole message at the end.
            Self::ScatterDoubling if procs.get().is_power_of_two() => case.scatter_allgather(rounds, 0.0),
            Self::ScatterDoubling => case.scatter_allgather(rounds, size.as_f64()),
            Self::Tree { parts } => case.along_tree(TreeShape::Knomial(2), parts),
            Self::Knomial { radix } => case.along_tree(TreeShape::Knomial(radix), false),
            Self::Binary | Self::BinaryInTurn | Self::Decided(_) | Self::DecidedSteps { .. } => {
                case.along_tree(TreeShape::Binary, false)
            }
        }
    }
}

impl WireCase<'_> {
    /// An exchange of everything at once.
    fn at_once(&self) -> TrafficPath {
        let Self { wire, point } = *self;
        let exchange = ExchangePieces::of(point);
        let ports = exchange.ports();
        let across = |cut: &NetworkCut| exchange.link_load(cut).on_link();
        TrafficPath {
            port_bytes: links::queued_bytes(point, &exchange),
            floor: wire.time(links::busiest_link_bytes(wire, point, across)),
            ..TrafficPath::straight(ports.messages, wire.time(ports.on_link))
        }
    }

    /// An exchange in rounds.
    fn in_rounds(&self, order: ExchangeOrder) -> TrafficPath {
        let Self { wire, point } = *self;
        let exchange = ExchangePieces::of(point);
        let ports = exchange.ports();
        let [eager, rendezvous] =
            [Protocol::Eager, Protocol::Rendezvous].map(|protocol| links::rounds(point, order, protocol));
        let share = |rounds: f64| rounds / point.procs.partners().max(1.0);
        let path_bytes = exchange.bytes_in_rounds(links::round_partners(order, point.procs));
        let time = |rounds: f64| wire.time(share(rounds) * path_bytes);
        TrafficPath {
            port_bytes: links::paced_bytes(point, &exchange, eager),
            requested: time(rendezvous),
            ..TrafficPath::straight(ports.messages, time(eager))
        }
    }

    /// An exchange in segments.
    fn in_segments(&self, segment: Bytes, order: ExchangeOrder, window: u32) -> TrafficPath {
        let Self { wire, point } = *self;
        let whole_messages = ExchangePieces::of(point).ports().messages;
        let exchange = ExchangePieces::of(point).in_segments(segment);
        let messages = exchange.ports().messages;
        let [carried, floor] = segment_bytes(wire, point, &exchange, order, window);
        TrafficPath {
            startups: whole_messages,
            floor: wire.time(floor),
            ..TrafficPath::straight(messages, wire.time(carried))
        }
    }

    /// An exchange by digits in base `radix`. The traffic of links exceeds that of a direct exchange by the same
    /// factor as the traffic of ports.
    fn path_of_digits(&self, radix: u32) -> TrafficPath {
        let Self { wire, point } = *self;
        let BruckWork {
            rounds,
            messages,
            blocks,
        } = bruck_work(point.procs, radix);
        let bytes = with_headers(blocks as f64 * point.size.as_f64(), messages as f64);
        let share = 1.0 / point.procs.partners().max(1.0);
        let at_once = blocks as f64 * share / rounds.max(1) as f64;
        let carried = |cut: &NetworkCut| links::crossing_at_once(cut, point.procs) * share * bytes;
        TrafficPath {
            port_bytes: at_once * links::queued_bytes(point, &ExchangePieces::of(point)),
            floor: wire.time(links::busiest_link_bytes(wire, point, carried)),
            ..TrafficPath::straight(messages as f64, wire.time(bytes))
        }
    }

    /// A chain in segments of `segment` bytes.
    fn along_chain(&self, segment: Bytes) -> TrafficPath {
        let Self { wire, point } = *self;
        let size = point.size;
        let hops = (point.procs.partners() - 1.0).max(0.0);
        let segments = match segment {
            Bytes(0) => 1,
            Bytes(segment) => size.0.div_ceil(segment).max(1),
        };
        let passed = hops * wire.time(with_headers(segment.as_f64(), 1.0)).0;
        TrafficPath::straight(
            hops + segments as f64,
            Seconds(passed + wire.time(with_headers(size.as_f64(), segments as f64)).0),
        )
    }

    /// The steps of a reduction.
    fn along_steps(&self, steps: ReductionSteps) -> TrafficPath {
        let Self { wire, point } = *self;
        let RegimesPoint { procs, size, .. } = point;
        let path = steps.path(procs, size);
        let bytes = with_headers(path.bytes(), path.startups());
        let across = |cut: &NetworkCut| steps.crossing_bytes(procs, size, cut.procs_behind(procs));
        TrafficPath {
            port_bytes: steps.port_bytes(procs, size).unwrap_or_default(),
            floor: wire.time(links::busiest_link_bytes(wire, point, across)),
            ..TrafficPath::straight(path.startups(), wire.time(bytes))
        }
    }

    /// A scatter of parts and their allgather in `steps` steps; a rank receives `extra_bytes` beyond the other parts.
    fn scatter_allgather(&self, steps: f64, extra_bytes: f64) -> TrafficPath {
        let Self { wire, point } = *self;
        let procs = point.procs;
        let part = point.size.as_f64() / f64::from(procs.get());
        let bytes = procs.partners() * part + extra_bytes;
        let gathered = wire.time(with_headers(bytes, steps)).0;
        let scattered = self.tree(TreeShape::Knomial(2), part, true);
        let time = Seconds(scattered.serial + gathered);
        TrafficPath::straight(f64::from(scattered.sends) + steps, time)
    }

    /// A tree with the whole message, or a part for each rank, along each edge.
    fn along_tree(&self, shape: TreeShape, parts: bool) -> TrafficPath {
        let path = self.tree(shape, self.point.size.as_f64(), parts);
        TrafficPath::straight(f64::from(path.sends), Seconds(path.serial))
    }

    /// The path of a tree with messages, or parts, of `size` bytes.
    fn tree(&self, shape: TreeShape, size: f64, parts: bool) -> LongestPath {
        let tree = MessageTree {
            shape,
            size,
            parts,
            wire: self.wire,
        };
        tree.longest(self.point.procs)
    }
}

/// W and F of an exchange in segments, in bytes; F is 0 if ports wait for the busiest link.
fn segment_bytes(
    wire: &WireTime,
    point: RegimesPoint,
    exchange: &ExchangePieces,
    order: ExchangeOrder,
    window: u32,
) -> [f64; 2] {
    let effective_order = match (order, window) {
        // One exchange at a time waits for the busiest link of its step.
        (ExchangeOrder::AtOnce, 1) => ExchangeOrder::Powers,
        (ExchangeOrder::AtOnce, _) => {
            let across = |cut: &NetworkCut| exchange.link_load(cut).on_link();
            let floor = links::busiest_link_bytes(wire, point, across);
            return [exchange.ports().on_link, floor];
        }
        _ => order,
    };
    let path_bytes = exchange.bytes_in_rounds(links::round_partners(effective_order, point.procs));
    let rounds = links::rounds(point, effective_order, Protocol::Eager);
    [rounds / point.procs.partners().max(1.0) * path_bytes, 0.0]
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::{Fold, ReductionForm, SizePattern};
    use netsig_base::network::Network;
    use netsig_base::units::SecondsPerByte;

    use super::*;
    use crate::testing::graph_of;
    use crate::testing::procs;

    /// One second a byte.
    const GAP: SecondsPerByte = SecondsPerByte(1.0);

    /// Six hosts on each of two switches, joined by a link as fast as a host's.
    fn two_switches() -> Network {
        graph_of(&[6, 6], &[(0, 1)]).unwrap()
    }

    fn point(count: u32, size: u64, network: Option<&Network>) -> RegimesPoint<'_> {
        RegimesPoint {
            procs: procs(count),
            size: Bytes(size),
            network,
            pieces: SizePattern::Equal.into(),
        }
    }

    /// W and F in bytes.
    #[track_caller]
    fn assert_carries(pattern: TrafficPattern, point: RegimesPoint, expected: [f64; 2]) {
        let path = pattern.traffic(&WireTime::proportional(GAP), point);
        for (found, expected) in [path.serial, path.floor].into_iter().zip(expected) {
            assert!((found.0 - expected).abs() < 1e-6, "{path:?} for {expected} B");
        }
    }

    /// Bytes of the headers of a message.
    const H: f64 = 96.0;

    /// With half of the ranks on each switch recursive doubling loads the link by 4·m, Rabenseifner's algorithm by m.
    #[test]
    fn reductions_load_links_as_their_steps_cross_them() {
        let network = graph_of(&[4, 4], &[(0, 1)]).unwrap();
        let floor = |form| {
            let pattern = TrafficPattern::Reduction { form, segment: None };
            let path = pattern.traffic(&WireTime::proportional(GAP), point(8, 4096, Some(&network)));
            path.floor.0
        };
        let halves = floor(ReductionForm::Rabenseifner(Fold::Whole));
        assert!(halves >= 4096.0);
        assert!((floor(ReductionForm::RecursiveDoubling) / halves - 4.0).abs() < 1e-9);
    }

    /// Worked by hand, for messages of one byte. Six ranks: the root serves 4 (with 5), 2 (with 3)
    /// and 1, in all 5 bytes in three messages; both messages of two bytes are complete then, and
    /// each relay sends one more.
    #[test]
    fn trees_take_what_was_worked_by_hand() {
        for (parts, count, serial) in [
            (true, 4, 3.0 + 2.0 * H),
            (true, 6, 5.0 + 3.0 * H),
            (true, 8, 7.0 + 3.0 * H),
            (true, 12, 11.0 + 4.0 * H),
            (false, 4, 2.0 + 2.0 * H),
            (false, 6, 3.0 + 3.0 * H),
            (false, 8, 3.0 + 3.0 * H),
        ] {
            let tree = TrafficPattern::Tree { parts };
            assert_carries(tree, point(count, 1, None), [serial, 0.0]);
        }
    }

    /// 4 hops of two bytes and then all nine, in five segments. 36 messages cross the link between two switches with
    /// six processes each.
    #[test]
    fn a_chain_hands_on_segments_and_a_narrow_link_is_a_floor_of_an_exchange() {
        let bytes = 17.0 + 9.0 * H;
        let chain = TrafficPattern::Pipeline { segment: Bytes(2) };
        assert_carries(chain, point(6, 9, None), [bytes, 0.0]);
        let network = two_switches();
        let bytes = [11.0, 36.0].map(|messages| messages * (100.0 + H));
        let at_once = TrafficPattern::Exchange(ExchangeOrder::AtOnce);
        assert_carries(at_once, point(12, 100, Some(&network)), bytes);
    }

    /// Two switches of six: in segments and in phases the link is busy with 36 messages throughout, and one
    /// exchange at a time waits for it in every step. Two segments of 50 bytes are on the way to a port. Among
    /// four in base 2, two rounds relay two blocks each.
    #[test]
    fn segments_wait_for_links_and_digits_are_relayed() {
        let network = two_switches();
        let segments = |order, window| TrafficPattern::Segments {
            order,
            segment: Bytes(50),
            window,
        };
        let piece = 100.0 + 2.0 * H;
        let at_twelve = point(12, 100, Some(&network));
        let windowed = segments(ExchangeOrder::AtOnce, 2);
        let bytes = [11.0, 36.0].map(|messages| messages * piece);
        assert_carries(windowed, at_twelve, bytes);
        assert_carries(segments(ExchangeOrder::Phases, 1), at_twelve, [36.0 * piece, 0.0]);
        let rounds = links::rounds(at_twelve, ExchangeOrder::Powers, Protocol::Eager) * piece;
        assert_carries(segments(ExchangeOrder::AtOnce, 1), at_twelve, [rounds, 0.0]);
        let star = point(12, 100, None);
        assert_carries(segments(ExchangeOrder::Phases, 1), star, [11.0 * piece, 0.0]);
        for point in [star, point(4, 1000, None)] {
            assert_eq!(windowed.port_bytes(point), Some(100.0));
            assert_eq!(windowed.crowded_bytes(point), Some(450.0));
        }
        let path = windowed.traffic(&WireTime::proportional(GAP), star);
        assert!((path.startups - 11.0).abs() < 1e-9, "{path:?}");
        assert_eq!(windowed.message(procs(12), Bytes(100)), Bytes(50));
        let relayed = 2.0 * (2.0 * 100.0 + H);
        let digits = TrafficPattern::Digits { radix: 2 };
        assert_carries(digits, point(4, 100, None), [relayed, 0.0]);
    }

    /// Four parts of 25 bytes: the tree carries two and then one, the ring three, the doubling one and
    /// two.
    #[test]
    fn a_scattered_message_is_gathered_again() {
        let ring = 3.0 * 25.0 + 2.0 * H + 75.0 + 3.0 * H;
        let doubling = ring - H;
        for (pattern, expected) in [
            (TrafficPattern::ScatterRing, ring),
            (TrafficPattern::ScatterDoubling, doubling),
        ] {
            let path = pattern.traffic(&WireTime::proportional(GAP), point(4, 100, None));
            assert!((path.serial.0 - expected).abs() < 1e-9, "{path:?}");
        }
    }

    /// Rounds of 1, 2, 3, 4, 5, 6, 5, 4, 3, 2 and 1 messages over a link as fast as a host's, and one
    /// of each host. The partners of the round in the middle send to each other: after requests it
    /// takes twice as long. Among eight, in pairs, three rounds cross no link and four cross it with
    /// four messages, after requests two at a time.
    #[test]
    fn rounds_wait_for_the_busiest_link_and_for_partners_that_face_each_other() {
        let network = two_switches();
        let eighth = |one: f64, other: f64| (one.powi(8) + other.powi(8)).powf(1.0 / 8.0);
        let across = |messages: f64| eighth(1.0, messages);
        let slopes = 2.0 * [1.0, 2.0, 3.0, 4.0, 5.0].map(across).iter().sum::<f64>();
        let pairs = [3.0 + 4.0 * across(4.0), 3.0 + 4.0 * across(2.0)];
        let two_by_four = graph_of(&[4, 4], &[(0, 1)]).unwrap();
        for (order, count, network, [eager, late]) in [
            (
                ExchangeOrder::Rounds,
                12,
                Some(&network),
                [slopes + across(6.0), slopes + eighth(2.0, 6.0)],
            ),
            (ExchangeOrder::Powers, 8, Some(&two_by_four), pairs),
            (ExchangeOrder::Powers, 8, None, [7.0, 7.0]),
            (ExchangeOrder::Rounds, 8, None, [7.0, 8.0]),
            (ExchangeOrder::Powers, 7, None, [6.0, 6.0]),
        ] {
            let path =
                TrafficPattern::Exchange(order).traffic(&WireTime::proportional(GAP), point(count, 100, network));
            let per_message = [path.serial, path.requested].map(|time| time.0 / (100.0 + H));
            assert!(
                (per_message[0] - eager).abs() < 1e-9,
                "{order:?} {count}: {per_message:?}"
            );
            assert!(
                (per_message[1] - late).abs() < 1e-9,
                "{order:?} {count}: {per_message:?}"
            );
        }
    }

    /// Four senders of 100 bytes. Six of twelve behind a link as fast as a host's, which carries 36
    /// messages to the 11 of a host: of these, 25 wait. One of two switches with one host each has as
    /// much on its link as on a host's. Rounds that wait for the link fill the ports less.
    #[test]
    fn the_bytes_of_a_port_grow_with_the_senders_and_the_wait_at_links() {
        let network = two_switches();
        let pair = graph_of(&[1, 1], &[(0, 1)]).unwrap();
        let rounds = links::rounds(point(12, 100, Some(&network)), ExchangeOrder::Rounds, Protocol::Eager);
        for (order, count, network, expected) in [
            (ExchangeOrder::AtOnce, 5, None, 400.0),
            (ExchangeOrder::AtOnce, 12, Some(&network), 6.0 * 2500.0),
            (ExchangeOrder::AtOnce, 2, Some(&pair), 80.0),
            (ExchangeOrder::Rounds, 5, None, 400.0),
            (ExchangeOrder::Rounds, 12, Some(&network), 1100.0 * 11.0 / rounds),
        ] {
            let point = point(count, 100, network);
            let found = TrafficPattern::Exchange(order).port_bytes(point).unwrap();
            assert!((found - expected).abs() < 1e-6, "{order:?} {count}: {found}");
        }
    }
}
