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
//! | scatter and allgather of m/n bytes | ⌈log₂ n⌉, and the steps of the allgather | of the tree, and V((n−1)·m/n); by doubling among other counts than powers of two V(m) more |
//!
//! In a tree a rank sends to its children one after the other, the largest subtree first: child k has its
//! message after V of the bytes of the first k, and W is that of the path that ends last.
//!
//! On a tree of switches another link may be busy for longer than the port (`links`). Its time is F:
//! V of the bytes that a host's link passes in the meantime. In pairwise exchange each round has its
//! own busiest link, and partners that face each other take longer after requests: W is V of the
//! bytes of so many rounds, and F = 0.
//!
//! In segments, w exchanges at a time, w·q bytes are on the way to a port: x is min(m, w·q). The start-up of a
//! segment passes while the one before it is on the wire, so that those of a partner count once. In phases that
//! fit the links, a link that is c times as fast as a host's carries ⌊c⌋ or ⌈c⌉ messages, so that it takes
//! a·(n−a)/c messages of a host's link, of which the share c − ⌊c⌋ takes ⌈c⌉/c times as long: W is V of so many
//! messages, at least of n − 1.
//!
//! Where the sizes of an exchange differ from pair to pair, s, W, x and F are those of the busiest port
//! and of the busiest link, in rounds W that of the path on which partners wait for each other
//! (`loads`).
//!
//! T₀ is a + ((S + W)⁸ + F⁸)^⅛, S the time of the start-ups: links that are busy for equally long
//! delay each other's messages.
//!
//! # Source
//! netsig; equal shares of a link are those of processor sharing (Kleinrock 1967).

use netsig_base::algorithm::{Relayed, relayed};
use netsig_base::network::Cut;
use netsig_base::units::{Bytes, Seconds};

use super::links::{self, Order};
use super::loads::Exchange;
use super::tree::{Longest, Shape, Tree};
use super::wire::on_link;
use super::{Onset, Pattern, Point, Protocol, Wire};

/// Start-ups and times of the path that ends last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
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
    /// x: bytes that pass a port where many send at once, else 0 ([`Pattern::port_bytes`]).
    pub port_bytes: f64,
}

impl Path {
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
struct Case<'a> {
    wire: &'a Wire,
    point: Point<'a>,
}

impl Path {
    /// A path on which every start-up may ask and messages follow one another.
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

impl Pattern {
    /// φ of the slowdown; 0 without an onset. Rounds drift apart and meet at ports before these
    /// overflow.
    pub(crate) fn slowed(self, onset: Option<Onset>, traffic: &Path) -> f64 {
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
        matches!(self, Self::Exchange(Order::Rounds | Order::Powers))
    }

    /// Start-ups and times of the path that ends last.
    pub fn traffic(self, wire: &Wire, point: Point) -> Path {
        let case = Case { wire, point };
        let Point { procs, size, .. } = point;
        let bytes = on_link(procs.partners() * size.as_f64(), procs.partners());
        let rounds = f64::from(procs.ceil_log2());
        match self.at(procs, size) {
            Self::Exchange(Order::AtOnce) => case.at_once(),
            Self::Exchange(order) => case.in_rounds(order),
            Self::Segments { order, segment, window } => Path {
                port_bytes: self.port_bytes(point).unwrap_or_default(),
                ..case.in_segments(segment, (order, window))
            },
            Self::Port => Path::straight(procs.partners(), wire.time(bytes)),
            Self::Digits { radix } => case.relayed(radix),
            Self::Doubling => Path::straight(rounds, wire.time(bytes)),
            Self::Chain => case.handed_on(size),
            Self::Pipeline { segment } => case.handed_on(segment.min(size)),
            Self::ScatterRing => case.gathered(procs.partners(), 0.0),
            // Beside a power of two, ranks without a part take all of it from others at the end.
            Self::ScatterDoubling if procs.get().is_power_of_two() => case.gathered(rounds, 0.0),
            Self::ScatterDoubling => case.gathered(rounds, size.as_f64()),
            Self::Tree { parts } => case.along(Shape::Knomial(2), parts),
            Self::Knomial { radix } => case.along(Shape::Knomial(radix), false),
            Self::Binary | Self::BinaryInTurn | Self::Decided(_) => case.along(Shape::Binary, false),
        }
    }
}

impl Case<'_> {
    /// An exchange of everything at once.
    fn at_once(&self) -> Path {
        let Self { wire, point } = *self;
        let exchange = Exchange::of(point);
        let ports = exchange.ports();
        let across = |cut: &Cut| exchange.across(cut).on_link();
        Path {
            port_bytes: links::queued(point, &exchange),
            floor: wire.time(links::busiest(wire, point, across)),
            ..Path::straight(ports.messages, wire.time(ports.on_link))
        }
    }

    /// An exchange in rounds.
    fn in_rounds(&self, order: Order) -> Path {
        let Self { wire, point } = *self;
        let exchange = Exchange::of(point);
        let ports = exchange.ports();
        let [eager, late] =
            [Protocol::Eager, Protocol::Rendezvous].map(|protocol| links::rounds(point, order, protocol));
        let share = |rounds: f64| rounds / point.procs.partners().max(1.0);
        let own = exchange.in_rounds(links::partners(order, point.procs));
        let time = |rounds: f64| wire.time(share(rounds) * own);
        Path {
            port_bytes: links::paced(point, &exchange, eager),
            requested: time(late),
            ..Path::straight(ports.messages, time(eager))
        }
    }

    /// An exchange in segments.
    fn in_segments(&self, segment: Bytes, (order, window): (Order, u32)) -> Path {
        let Self { wire, point } = *self;
        let first = Exchange::of(point).ports().messages;
        let exchange = Exchange::of(point).in_segments(segment);
        let messages = exchange.ports().messages;
        let [carried, floor] = in_segments(wire, point, &exchange, (order, window));
        Path {
            startups: first,
            floor: wire.time(floor),
            ..Path::straight(messages, wire.time(carried))
        }
    }

    /// An exchange by digits in base `radix`. Links carry as much more than in a direct exchange as the
    /// ports.
    fn relayed(&self, radix: u32) -> Path {
        let Self { wire, point } = *self;
        let Relayed {
            rounds,
            messages,
            blocks,
        } = relayed(point.procs, radix);
        let bytes = on_link(blocks as f64 * point.size.as_f64(), messages as f64);
        let share = 1.0 / point.procs.partners().max(1.0);
        let at_once = blocks as f64 * share / rounds.max(1) as f64;
        let carried = |cut: &Cut| links::crossing_at_once(cut, point.procs) * share * bytes;
        Path {
            port_bytes: at_once * links::queued(point, &Exchange::of(point)),
            floor: wire.time(links::busiest(wire, point, carried)),
            ..Path::straight(messages as f64, wire.time(bytes))
        }
    }

    /// A chain in segments of `segment`.
    fn handed_on(&self, segment: Bytes) -> Path {
        let Self { wire, point } = *self;
        let size = point.size;
        let hops = (point.procs.partners() - 1.0).max(0.0);
        let segments = match segment {
            Bytes(0) => 1,
            Bytes(segment) => size.0.div_ceil(segment).max(1),
        };
        let passed = hops * wire.time(on_link(segment.as_f64(), 1.0)).0;
        Path::straight(
            hops + segments as f64,
            Seconds(passed + wire.time(on_link(size.as_f64(), segments as f64)).0),
        )
    }

    /// A scatter of parts and their allgather in so many steps, in which a rank takes `more` bytes than
    /// the other parts.
    fn gathered(&self, steps: f64, more: f64) -> Path {
        let Self { wire, point } = *self;
        let procs = point.procs;
        let part = point.size.as_f64() / f64::from(procs.get());
        let bytes = procs.partners() * part + more;
        let gathered = wire.time(on_link(bytes, steps)).0;
        let scattered = self.tree(Shape::Knomial(2), part, true);
        let time = Seconds(scattered.serial + gathered);
        Path::straight(f64::from(scattered.sends) + steps, time)
    }

    /// A tree with the whole message, or a part for each rank, along each edge.
    fn along(&self, shape: Shape, parts: bool) -> Path {
        let path = self.tree(shape, self.point.size.as_f64(), parts);
        Path::straight(f64::from(path.sends), Seconds(path.serial))
    }

    /// The path of a tree with messages, or parts, of `size` bytes.
    fn tree(&self, shape: Shape, size: f64, parts: bool) -> Longest {
        let tree = Tree {
            shape,
            size,
            parts,
            wire: self.wire,
        };
        tree.longest(self.point.procs)
    }
}

/// Bytes on the path of an exchange in segments, and on a host's link in the time of the busiest link
/// between switches, where ports do not wait for it.
fn in_segments(wire: &Wire, point: Point, exchange: &Exchange, (order, window): (Order, u32)) -> [f64; 2] {
    let order = match (order, window) {
        // One exchange at a time waits for the busiest link of its step.
        (Order::AtOnce, 1) => Order::Powers,
        (Order::AtOnce, _) => {
            let across = |cut: &Cut| exchange.across(cut).on_link();
            let floor = links::busiest(wire, point, across);
            return [exchange.ports().on_link, floor];
        }
        _ => order,
    };
    let own = exchange.in_rounds(links::partners(order, point.procs));
    let rounds = links::rounds(point, order, Protocol::Eager);
    [rounds / point.procs.partners().max(1.0) * own, 0.0]
}

#[cfg(test)]
mod tests {

    use netsig_base::algorithm::Sizes;
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

    fn point(count: u32, size: u64, network: Option<&Network>) -> Point<'_> {
        Point {
            procs: procs(count),
            size: Bytes(size),
            network,
            pieces: Sizes::Equal.into(),
        }
    }

    /// W and F in bytes.
    #[track_caller]
    fn assert_carries(pattern: Pattern, point: Point, expected: [f64; 2]) {
        let path = pattern.traffic(&Wire::straight(GAP), point);
        for (found, expected) in [path.serial, path.floor].into_iter().zip(expected) {
            assert!((found.0 - expected).abs() < 1e-6, "{path:?} for {expected} B");
        }
    }

    /// Bytes of the headers of a message.
    const H: f64 = 96.0;

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
            let tree = Pattern::Tree { parts };
            assert_carries(tree, point(count, 1, None), [serial, 0.0]);
        }
    }

    /// 4 hops of two bytes and then all nine, in five segments. Of two switches with six processes
    /// each 36 messages cross the link between them.
    #[test]
    fn a_chain_hands_on_segments_and_a_narrow_link_is_a_floor_of_an_exchange() {
        let bytes = 17.0 + 9.0 * H;
        let chain = Pattern::Pipeline { segment: Bytes(2) };
        assert_carries(chain, point(6, 9, None), [bytes, 0.0]);
        let network = two_switches();
        let bytes = [11.0, 36.0].map(|messages| messages * (100.0 + H));
        let at_once = Pattern::Exchange(Order::AtOnce);
        assert_carries(at_once, point(12, 100, Some(&network)), bytes);
    }

    /// Two switches of six: in segments and in phases the link is busy with 36 messages throughout, and one
    /// exchange at a time waits for it in every step. Two segments of 50 bytes are on the way to a port. Among
    /// four in base 2, two rounds relay two blocks each.
    #[test]
    fn segments_wait_for_links_and_digits_are_relayed() {
        let network = two_switches();
        let segments = |order, window| Pattern::Segments {
            order,
            segment: Bytes(50),
            window,
        };
        let piece = 100.0 + 2.0 * H;
        let at_twelve = point(12, 100, Some(&network));
        let windowed = segments(Order::AtOnce, 2);
        let bytes = [11.0, 36.0].map(|messages| messages * piece);
        assert_carries(windowed, at_twelve, bytes);
        assert_carries(segments(Order::Phases, 1), at_twelve, [36.0 * piece, 0.0]);
        let rounds = links::rounds(at_twelve, Order::Powers, Protocol::Eager) * piece;
        assert_carries(segments(Order::AtOnce, 1), at_twelve, [rounds, 0.0]);
        let star = point(12, 100, None);
        assert_carries(segments(Order::Phases, 1), star, [11.0 * piece, 0.0]);
        for point in [star, point(4, 1000, None)] {
            assert_eq!(windowed.port_bytes(point), Some(100.0));
            assert_eq!(windowed.crowded_bytes(point), Some(450.0));
        }
        let path = windowed.traffic(&Wire::straight(GAP), star);
        assert!((path.startups - 11.0).abs() < 1e-9, "{path:?}");
        assert_eq!(windowed.message(Bytes(100)), Bytes(50));
        let relayed = 2.0 * (2.0 * 100.0 + H);
        let digits = Pattern::Digits { radix: 2 };
        assert_carries(digits, point(4, 100, None), [relayed, 0.0]);
    }

    /// Four parts of 25 bytes: the tree carries two and then one, the ring three, the doubling one and
    /// two.
    #[test]
    fn a_scattered_message_is_gathered_again() {
        let ring = 3.0 * 25.0 + 2.0 * H + 75.0 + 3.0 * H;
        let doubling = ring - H;
        for (pattern, expected) in [(Pattern::ScatterRing, ring), (Pattern::ScatterDoubling, doubling)] {
            let path = pattern.traffic(&Wire::straight(GAP), point(4, 100, None));
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
                Order::Rounds,
                12,
                Some(&network),
                [slopes + across(6.0), slopes + eighth(2.0, 6.0)],
            ),
            (Order::Powers, 8, Some(&two_by_four), pairs),
            (Order::Powers, 8, None, [7.0, 7.0]),
            (Order::Rounds, 8, None, [7.0, 8.0]),
            (Order::Powers, 7, None, [6.0, 6.0]),
        ] {
            let path = Pattern::Exchange(order).traffic(&Wire::straight(GAP), point(count, 100, network));
            let told = [path.serial, path.requested].map(|time| time.0 / (100.0 + H));
            assert!((told[0] - eager).abs() < 1e-9, "{order:?} {count}: {told:?}");
            assert!((told[1] - late).abs() < 1e-9, "{order:?} {count}: {told:?}");
        }
    }

    /// Four senders of 100 bytes. Six of twelve behind a link as fast as a host's, which carries 36
    /// messages to the 11 of a host: of these, 25 wait. One of two switches with one host each has as
    /// much on its link as on a host's. Rounds that wait for the link fill the ports less.
    #[test]
    fn the_bytes_of_a_port_grow_with_the_senders_and_the_wait_at_links() {
        let network = two_switches();
        let pair = graph_of(&[1, 1], &[(0, 1)]).unwrap();
        let rounds = links::rounds(point(12, 100, Some(&network)), Order::Rounds, Protocol::Eager);
        for (order, count, network, expected) in [
            (Order::AtOnce, 5, None, 400.0),
            (Order::AtOnce, 12, Some(&network), 6.0 * 2500.0),
            (Order::AtOnce, 2, Some(&pair), 80.0),
            (Order::Rounds, 5, None, 400.0),
            (Order::Rounds, 12, Some(&network), 1100.0 * 11.0 / rounds),
        ] {
            let point = point(count, 100, network);
            let found = Pattern::Exchange(order).port_bytes(point).unwrap();
            assert!((found - expected).abs() < 1e-6, "{order:?} {count}: {found}");
        }
    }
}
