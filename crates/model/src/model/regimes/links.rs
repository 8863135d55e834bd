//! Time of the busiest link between switches, in a tree of switches.
//!
//! # Method
//! A link with a of n processes behind it carries a·(n−a) messages in an exchange. Pairwise
//! exchange waits in every round for the slowest pair: its time is the sum over the rounds of the
//! time of a host's link and of the busiest other, joined by an eighth root. Networks state rates
//! without headers, so the time of an exchange at once is multiplied by the ratio of β to the gap of
//! a host's link.
//!
//! x of an exchange at once is the largest of 0.8·(n−1)·m, 0.44·x'·r'·B/B' and 6·x'·(1 − 1/r')·B/B'
//! over all links between switches: such a link carries x' = a·(n−a)·m bytes with a buffer B' for a
//! host's B and is busy for r' times as long as a host's link. The first is what queues at a host's
//! port if links spread its traffic in time. Where r' > 1, the share 1 − 1/r' of x' waits at the
//! link's port, which overflows when this exceeds B'; a host's port overflows when a few B have
//! passed it, hence the factor 6.
//!
//! # Source
//! netsig.

use std::ops::Range;

use netsig_base::network::{Cut, Network};
use netsig_base::units::{Bytes, Procs, Rank};
use serde::{Deserialize, Serialize};

use super::loads::Exchange;
use super::terms::root_of_powers;
use super::{Point, Protocol, Wire};

/// Order of the messages of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// All at once. A window of a few sends changes nothing for eager messages, whose sends are
    /// complete when the system has buffered them.
    AtOnce,
    /// In rounds, in round t from rank i to i + t.
    Rounds,
    /// In rounds, in round t from rank i to i xor t if n is a power of two, else to i + t.
    Powers,
    /// In phases that load no link beyond its rate.
    Phases,
}

/// Largest process count whose rounds of pairwise exchange are computed one by one.
const MOST_ROUNDS: u32 = 1024;

/// Factors of x (see the method): of a host's own bytes, of a link between switches whose traffic
/// comes no faster than it leaves, and of the bytes that wait at one.
const OWN: f64 = 0.8;
const AS_FAST: f64 = 0.44;
const WAITING: f64 = 6.0;

/// X in buffers of a port: several pass before it overflows.
const IN_BUFFERS: f64 = 4.5;

/// Bytes that pass a host's port in the time that the busiest other link takes for the bytes that it
/// carries, with headers.
pub(super) fn busiest(wire: &Wire, point: Point, carried: impl Fn(&Cut) -> f64) -> f64 {
    let beta = wire.beta().0;
    if beta > 0.0 {
        let times = cuts(point).map(|cut| cut.gap.0 * carried(cut));
        times.fold(0.0, f64::max) * headers(wire, point) / beta
    } else {
        0.0
    }
}

/// x of an exchange at once: bytes through a host's port that fill it as much as the traffic fills
/// the fullest port.
pub(super) fn queued(point: Point, exchange: &Exchange) -> f64 {
    let own = exchange.ports().incoming;
    let Some(network) = point.network else {
        return own;
    };
    let (gap, buffer) = (network.host_gap().0, network.host_buffer().as_f64());
    let queued = |cut: &Cut| {
        let carried = exchange.across(cut).bytes();
        let ratio = carried * cut.gap.0 / (own * gap);
        let waiting = (1.0 - 1.0 / ratio).max(0.0);
        carried * (WAITING * waiting).max(AS_FAST * ratio) * buffer / cut.buffer.as_f64()
    };
    let all = cuts(point).map(queued).filter(|bytes| bytes.is_finite());
    let most = all.fold(0.0, f64::max);
    if most > 0.0 { most.max(OWN * own) } else { own }
}

/// x of an exchange in rounds that take as long as `rounds` messages on a host's link: rounds that
/// wait for a link between switches fill the ports less, by the share of the time that they wait.
pub(super) fn paced(point: Point, exchange: &Exchange, rounds: f64) -> f64 {
    exchange.ports().incoming * (point.procs.partners() / rounds).min(1.0)
}

/// x of an exchange of which each process has at most `size` bytes on the way: as many come to a host's port,
/// or if more, those of all processes at the port of a link between switches that all wait for, in a host's
/// buffers.
pub(super) fn waiting(point: Point, size: Bytes) -> f64 {
    at_host(point, size).max(at_links(point, size))
}

/// The same x if what comes to a host's port finds it as full as the port of a link that all wait for: X where it
/// fills the buffer.
pub(super) fn crowded(point: Point, size: Bytes) -> f64 {
    (IN_BUFFERS * at_host(point, size)).max(at_links(point, size))
}

fn at_host(point: Point, size: Bytes) -> f64 {
    let most = Exchange::of(point).of_at_most(size).ports().incoming;
    most / point.procs.partners().max(1.0)
}

fn at_links(point: Point, size: Bytes) -> f64 {
    let own = point.procs.partners();
    let [gap, buffer] = point.network.map_or([0.0; 2], |network| {
        [network.host_gap().0, network.host_buffer().as_f64()]
    });
    let at_link = |cut: &Cut| {
        let behind = f64::from(cut.count(point.procs));
        let is_slower = crossing_at_once(cut, point.procs) * cut.gap.0 > own * gap;
        let senders = behind.max(own + 1.0 - behind);
        IN_BUFFERS * senders * f64::from(u8::from(is_slower)) * buffer / cut.buffer.as_f64()
    };
    point.size.min(size).as_f64() * cuts(point).map(at_link).fold(0.0, f64::max)
}

/// Links between the switches of a tree.
fn cuts(point: Point<'_>) -> impl Iterator<Item = &Cut> {
    let cuts = point.network.and_then(Network::cuts);
    cuts.unwrap_or_default().iter()
}

/// a·(n−a): number of messages over a link, in each direction, in an exchange.
pub(super) fn crossing_at_once(cut: &Cut, procs: Procs) -> f64 {
    let behind = cut.count(procs);
    f64::from(behind) * f64::from(procs.get() - behind)
}

/// Receiver and sender that are the partners of a rank in a round of pairwise exchange, from 1.
pub(super) fn partners(order: Order, procs: Procs) -> impl Fn(Rank, u32) -> (Rank, Rank) {
    let is_in_pairs = order == Order::Powers && procs.get().is_power_of_two();
    move |rank, round| {
        if is_in_pairs {
            let both = Rank(rank.0 ^ round);
            (both, both)
        } else {
            (rank.ahead(round, procs), rank.behind(round, procs))
        }
    }
}

/// Rounds of pairwise exchange, each counted by the time that it takes relative to a host's link
/// that sends and receives at once. A pair whose partners send to each other after requests uses
/// its links in one direction at a time: such a round counts twice, unless all rounds are of this
/// kind and γ contains it; a link between switches then carries half as much in a direction.
pub(super) fn rounds(point: Point, order: Order, protocol: Protocol) -> f64 {
    let n = point.procs.get();
    let in_pairs = order == Order::Powers && n.is_power_of_two();
    let (facing, share) = match protocol {
        Protocol::Eager => (None, 1.0),
        Protocol::Rendezvous if in_pairs => (None, 0.5),
        Protocol::Rendezvous => (n.is_multiple_of(2).then_some(n / 2), 1.0),
    };
    let host = point.network.map_or(1.0, |network| network.host_gap().0);
    if order == Order::Phases {
        let phases = cuts(point).map(|cut| {
            let rate = host / cut.gap.0;
            uneven(rate) * crossing_at_once(cut, point.procs) / rate
        });
        return phases.fold(point.procs.partners(), f64::max);
    }
    let on_links = |carried: &dyn Fn(&Cut) -> f64| {
        let times = cuts(point).map(|cut| share * cut.gap.0 / host * carried(cut));
        times.fold(0.0, f64::max)
    };
    if n > MOST_ROUNDS || cuts(point).next().is_none() {
        let own = point.procs.partners() + f64::from(u8::from(facing.is_some()));
        return root_of_powers(own, on_links(&|cut| crossing_at_once(cut, point.procs)));
    }
    let round = |round: u32| {
        let own = if facing == Some(round) { 2.0 } else { 1.0 };
        let carried = |cut: &Cut| f64::from(crossing(cut, point.procs, order, round));
        root_of_powers(own, on_links(&carried))
    };
    (1..n).map(round).sum()
}

/// Time of phases of ⌊c⌋ or ⌈c⌉ messages on a link that carries c in the time of one on a host's, relative to that
/// of as many messages one after the other.
fn uneven(rate: f64) -> f64 {
    1.0 + rate.fract() * (rate.ceil() / rate - 1.0)
}

/// Upper limit of the ratio of [`headers`]; a larger β has other causes than headers.
const MOST_HEADERS: f64 = 1.1;

/// Ratio of β to the gap of a host's link: β includes headers, the rates of a network do not.
fn headers(wire: &Wire, point: Point) -> f64 {
    let host = point.network.map(|network| network.host_gap().0);
    host.map_or(1.0, |host| (wire.beta().0 / host).clamp(1.0, MOST_HEADERS))
}

/// Number of processes on one side of a link whose partner in a round of pairwise exchange is on
/// the other side.
fn crossing(cut: &Cut, procs: Procs, order: Order, round: u32) -> u32 {
    let n = procs.get();
    if order == Order::Powers && n.is_power_of_two() {
        let is_behind = |rank: u32| cut.behind(procs).any(|range| range.contains(&rank));
        let ranks = cut.behind(procs).flatten();
        let crosses = ranks.filter(|rank| !is_behind(rank ^ round));
        return u32::try_from(crosses.count()).unwrap_or(n);
    }
    // The partners of a range, which wrap around from the last process to the first.
    let staying: u32 = cut
        .behind(procs)
        .map(|range| {
            let (start, end) = (range.start + round, range.end + round);
            let partners = [start.min(n)..end.min(n), start.max(n) - n..end.max(n) - n];
            let common = |partners: &Range<u32>| -> u32 {
                let both = cut.behind(procs).map(|range| {
                    partners
                        .end
                        .min(range.end)
                        .saturating_sub(partners.start.max(range.start))
                });
                both.sum()
            };
            partners.iter().map(common).sum::<u32>()
        })
        .sum();
    cut.count(procs) - staying
}

#[cfg(test)]
mod tests {
    use itertools::Itertools;

    use super::*;
    use crate::testing::graph_of;
    use crate::testing::procs;

    /// On a link of 2.5 messages a phase carries two or three in turn, three in 1.2 of a message's time.
    #[test]
    fn phases_of_a_message_more_take_longer() {
        assert!((uneven(2.5) - 1.1).abs() < 1e-12);
        assert!((uneven(3.0) - 1.0).abs() < 1e-12);
    }

    /// Counts the pairs of every round across every link of a tree of four switches, one of which
    /// has the hosts of both ends behind it.
    #[test]
    fn rounds_cross_a_link_as_often_as_their_partners_do() {
        let network = graph_of(&[3, 7, 2, 28], &[(1, 0), (0, 2), (1, 3)]).unwrap();
        let cuts = network.cuts().unwrap();
        assert_eq!(cuts.len(), 3);
        let all = (2..40u32).flat_map(|n| [(n, Order::Rounds), (n, Order::Powers)]);
        let rounds = all.flat_map(|(n, order)| (1..n).map(move |round| (n, order, round)));
        for ((count, order, round), cut) in rounds.cartesian_product(cuts) {
            let partner = |rank: u32| {
                if order == Order::Powers && count.is_power_of_two() {
                    rank ^ round
                } else {
                    (rank + round) % count
                }
            };
            let behind: Vec<u32> = cut.behind(procs(count)).flatten().collect();
            let crosses = |rank: &&u32| !behind.contains(&partner(**rank));
            let counted = behind.iter().filter(crosses).count();
            let found = crossing(cut, procs(count), order, round) as usize;
            assert_eq!(found, counted, "{count} {cut:?} {round}");
        }
    }
}
