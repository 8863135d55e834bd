//! Time of the busiest link between switches, in a tree of switches.
//!
//! # Method
//! A link with a of n processes behind it carries a·(n−a) messages in an exchange. Pairwise exchange waits in every
//! round for the slowest pair. Its time is the sum over the rounds, in each of which an eighth root joins the times
//! of a host's link and of the busiest other link. Networks state rates without headers, so the time of an exchange
//! at once is multiplied by the ratio of β to the gap of a host's link.
//!
//! x of an exchange at once is the largest of 0.8·(n−1)·m, 0.44·x'·r'·B/B' and 6·x'·(1 − 1/r')·B/B' over all links
//! between switches. Such a link carries x' = a·(n−a)·m bytes, has the buffer B' where a host's port has B, and is
//! busy for r' times as long as a host's link. The first term is the queue at a host's port if links spread its
//! traffic in time. Where r' > 1, the share 1 − 1/r' of x' waits at the link's port, which overflows when this
//! exceeds B'; a host's port overflows when a few B have passed it, hence the factor 6.
//!
//! # Source
//! netsig.

use std::ops::Range;

use netsig_base::network::{Network, NetworkCut};
use netsig_base::units::{Bytes, Procs, Rank};
use serde::{Deserialize, Serialize};

use super::loads::ExchangePieces;
use super::terms::root_of_powers;
use super::{Protocol, RegimesPoint, WireTime};

/// Order of the messages of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExchangeOrder {
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

/// Factors of x (see the method): of a host's own bytes, of a link whose traffic arrives no faster than it leaves,
/// and of bytes that wait at a link.
const HOST_FACTOR: f64 = 0.8;
const FAST_LINK_FACTOR: f64 = 0.44;
const WAITING_FACTOR: f64 = 6.0;

/// X in buffers of a port: several pass before it overflows.
const ONSET_BUFFERS: f64 = 4.5;

/// Bytes that pass a host's port in the time of the busiest link between switches. `carried` gives the bytes on a
/// link, with headers.
pub(super) fn busiest_link_bytes(wire: &WireTime, point: RegimesPoint, carried: impl Fn(&NetworkCut) -> f64) -> f64 {
    let beta = wire.beta().0;
    if beta > 0.0 {
        let times = cuts(point).map(|cut| cut.gap.0 * carried(cut));
        times.fold(0.0, f64::max) * header_ratio(wire, point) / beta
    } else {
        0.0
    }
}

/// x of an exchange at once: bytes that would fill a host's port as much as the traffic fills the fullest port.
pub(super) fn queued_bytes(point: RegimesPoint, exchange: &ExchangePieces) -> f64 {
    let host_bytes = exchange.ports().incoming;
    let Some(network) = point.network else {
        return host_bytes;
    };
    let (gap, buffer) = (network.host_gap().0, network.host_buffer().as_f64());
    let link_bytes = |cut: &NetworkCut| {
        let carried = exchange.link_load(cut).bytes();
        let ratio = carried * cut.gap.0 / (host_bytes * gap);
        let waiting = (1.0 - 1.0 / ratio).max(0.0);
        carried * (WAITING_FACTOR * waiting).max(FAST_LINK_FACTOR * ratio) * buffer / cut.buffer.as_f64()
    };
    let all = cuts(point).map(link_bytes).filter(|bytes| bytes.is_finite());
    let most = all.fold(0.0, f64::max);
    if most > 0.0 {
        most.max(HOST_FACTOR * host_bytes)
    } else {
        host_bytes
    }
}

/// x of an exchange in rounds, which take as long as `rounds` messages on a host's link. Rounds that wait for a link
/// between switches fill the ports less, by the factor (n − 1)/`rounds`.
pub(super) fn paced_bytes(point: RegimesPoint, exchange: &ExchangePieces, rounds: f64) -> f64 {
    exchange.ports().incoming * (point.procs.partners() / rounds).min(1.0)
}

/// x of an exchange in which each process has at most `size` bytes on the way. These load a host's port; those of all
/// senders load the port of a slower link between switches, scaled to a host's buffer. The larger load counts.
pub(super) fn waiting_bytes(point: RegimesPoint, size: Bytes) -> f64 {
    host_port_bytes(point, size).max(link_port_bytes(point, size))
}

/// The same x, with a host's port rated like that of a slower link: x reaches X when the bytes fill the port's
/// buffer.
pub(super) fn crowded_bytes(point: RegimesPoint, size: Bytes) -> f64 {
    (ONSET_BUFFERS * host_port_bytes(point, size)).max(link_port_bytes(point, size))
}

fn host_port_bytes(point: RegimesPoint, size: Bytes) -> f64 {
    let most = ExchangePieces::of(point).of_at_most(size).ports().incoming;
    most / point.procs.partners().max(1.0)
}

fn link_port_bytes(point: RegimesPoint, size: Bytes) -> f64 {
    let partner_count = point.procs.partners();
    let [gap, buffer] = point.network.map_or([0.0; 2], |network| {
        [network.host_gap().0, network.host_buffer().as_f64()]
    });
    let at_link = |cut: &NetworkCut| {
        let behind = f64::from(cut.procs_behind(point.procs));
        let is_slower = crossing_at_once(cut, point.procs) * cut.gap.0 > partner_count * gap;
        let senders = behind.max(partner_count + 1.0 - behind);
        ONSET_BUFFERS * senders * f64::from(u8::from(is_slower)) * buffer / cut.buffer.as_f64()
    };
    point.size.min(size).as_f64() * cuts(point).map(at_link).fold(0.0, f64::max)
}

/// Links between the switches of a tree.
fn cuts(point: RegimesPoint<'_>) -> impl Iterator<Item = &NetworkCut> {
    let cuts = point.network.and_then(Network::cuts);
    cuts.unwrap_or_default().iter()
}

/// a·(n−a): number of messages over a link, in each direction, in an exchange.
pub(super) fn crossing_at_once(cut: &NetworkCut, procs: Procs) -> f64 {
    let behind = cut.procs_behind(procs);
    f64::from(behind) * f64::from(procs.get() - behind)
}

/// Receiver and sender of a rank in a round of pairwise exchange; rounds count from 1.
pub(super) fn round_partners(order: ExchangeOrder, procs: Procs) -> impl Fn(Rank, u32) -> (Rank, Rank) {
    let is_in_pairs = order == ExchangeOrder::Powers && procs.get().is_power_of_two();
    move |rank, round| {
        if is_in_pairs {
            let both = Rank(rank.0 ^ round);
            (both, both)
        } else {
            (rank.successor(round, procs), rank.predecessor(round, procs))
        }
    }
}

/// Rounds of pairwise exchange, each weighted by its time relative to a host's link that sends and receives at once.
/// Partners that send to each other after requests use their links in one direction at a time: such a round counts
/// twice. If all rounds are of this kind, they count once, as γ contains the factor; a link between switches then
/// carries half as much in a direction.
pub(super) fn rounds(point: RegimesPoint, order: ExchangeOrder, protocol: Protocol) -> f64 {
    let n = point.procs.get();
    let is_in_pairs = order == ExchangeOrder::Powers && n.is_power_of_two();
    let (facing_round, share) = match protocol {
        Protocol::Eager => (None, 1.0),
        Protocol::Rendezvous if is_in_pairs => (None, 0.5),
        Protocol::Rendezvous => (n.is_multiple_of(2).then_some(n / 2), 1.0),
    };
    let host = point.network.map_or(1.0, |network| network.host_gap().0);
    if order == ExchangeOrder::Phases {
        let phases = cuts(point).map(|cut| {
            let rate = host / cut.gap.0;
            uneven_phase_factor(rate) * crossing_at_once(cut, point.procs) / rate
        });
        return phases.fold(point.procs.partners(), f64::max);
    }
    let on_links = |carried: &dyn Fn(&NetworkCut) -> f64| {
        let times = cuts(point).map(|cut| share * cut.gap.0 / host * carried(cut));
        times.fold(0.0, f64::max)
    };
    if n > MOST_ROUNDS || cuts(point).next().is_none() {
        let host_rounds = point.procs.partners() + f64::from(u8::from(facing_round.is_some()));
        return root_of_powers(host_rounds, on_links(&|cut| crossing_at_once(cut, point.procs)));
    }
    let round_time = |round: u32| {
        let host_time = if facing_round == Some(round) { 2.0 } else { 1.0 };
        let carried = |cut: &NetworkCut| f64::from(crossing_in_round(cut, point.procs, order, round));
        root_of_powers(host_time, on_links(&carried))
    };
    (1..n).map(round_time).sum()
}

/// Time of phases of ⌊c⌋ or ⌈c⌉ messages on a link c times as fast as a host's, relative to the time of the same
/// messages one after the other.
fn uneven_phase_factor(rate: f64) -> f64 {
    1.0 + rate.fract() * (rate.ceil() / rate - 1.0)
}

/// Upper limit of [`header_ratio`]; a larger β has other causes than headers.
const LARGEST_HEADER_RATIO: f64 = 1.1;

/// Ratio of β to the gap of a host's link: β includes headers, the rates of a network do not.
fn header_ratio(wire: &WireTime, point: RegimesPoint) -> f64 {
    let host = point.network.map(|network| network.host_gap().0);
    host.map_or(1.0, |host| (wire.beta().0 / host).clamp(1.0, LARGEST_HEADER_RATIO))
}

/// Number of processes on one side of a link whose partner in a round of pairwise exchange is on
/// the other side.
fn crossing_in_round(cut: &NetworkCut, procs: Procs, order: ExchangeOrder, round: u32) -> u32 {
    let n = procs.get();
    if order == ExchangeOrder::Powers && n.is_power_of_two() {
        let is_behind = |rank: u32| cut.ranks_behind(procs).any(|range| range.contains(&rank));
        let ranks = cut.ranks_behind(procs).flatten();
        let crosses = ranks.filter(|rank| !is_behind(rank ^ round));
        return u32::try_from(crosses.count()).unwrap_or(n);
    }
    // The partners of a range, which wrap around from the last process to the first.
    let staying: u32 = cut
        .ranks_behind(procs)
        .map(|range| {
            let (start, end) = (range.start + round, range.end + round);
            let partners = [start.min(n)..end.min(n), start.max(n) - n..end.max(n) - n];
            let common = |partners: &Range<u32>| -> u32 {
                let both = cut.ranks_behind(procs).map(|range| {
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
    cut.procs_behind(procs) - staying
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
        assert!((uneven_phase_factor(2.5) - 1.1).abs() < 1e-12);
        assert!((uneven_phase_factor(3.0) - 1.0).abs() < 1e-12);
    }

    /// Counts the pairs of every round across every link of a tree of four switches, one of which
    /// has the hosts of both ends behind it.
    #[test]
    fn rounds_cross_a_link_as_often_as_their_partners_do() {
        let network = graph_of(&[3, 7, 2, 28], &[(1, 0), (0, 2), (1, 3)]).unwrap();
        let cuts = network.cuts().unwrap();
        assert_eq!(cuts.len(), 3);
        let all = (2..40u32).flat_map(|n| [(n, ExchangeOrder::Rounds), (n, ExchangeOrder::Powers)]);
        let rounds = all.flat_map(|(n, order)| (1..n).map(move |round| (n, order, round)));
        for ((count, order, round), cut) in rounds.cartesian_product(cuts) {
            let partner = |rank: u32| {
                if order == ExchangeOrder::Powers && count.is_power_of_two() {
                    rank ^ round
                } else {
                    (rank + round) % count
                }
            };
            let behind: Vec<u32> = cut.ranks_behind(procs(count)).flatten().collect();
            let crosses = |rank: &&u32| !behind.contains(&partner(**rank));
            let counted = behind.iter().filter(crosses).count();
            let found = crossing_in_round(cut, procs(count), order, round) as usize;
            assert_eq!(found, counted, "{count} {cut:?} {round}");
        }
    }
}
