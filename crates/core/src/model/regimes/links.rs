//! Time of the busiest link between switches, in a tree of switches.
//!
//! # Method
//! A link with a of n processes behind it carries a·(n−a) messages in an exchange. Pairwise
//! exchange waits in every round for the slowest pair: its time is the sum over the rounds of the
//! time of the busiest link, at least that of a host, or zero if no round exceeds the time of a
//! host. Networks state rates without headers, so the time is multiplied by the ratio of β to the
//! gap of a host's link.
//!
//! # Source
//! netsig.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Point, Wire};
use crate::network::{Cut, Network};
use crate::units::{Procs, Seconds};

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
}

/// Largest process count whose rounds of pairwise exchange are computed one by one.
const MOST_ROUNDS: u32 = 1024;

/// Bytes that pass a host's port in the time that the busiest other link takes for messages of
/// `size` bytes.
pub(super) fn busiest(wire: &Wire, point: Point, order: Order, size: f64) -> f64 {
    let beta = wire.beta().0;
    if beta > 0.0 {
        floor(point, order).0 * size * headers(wire, point) / beta
    } else {
        0.0
    }
}

/// Bytes through a host's port that fill it as the traffic of the fullest link between switches
/// fills that link's port.
pub(super) fn queued(wire: &Wire, point: Point, order: Order) -> f64 {
    let size = point.size.as_f64();
    let (Order::AtOnce, Some(network)) = (order, point.network) else {
        return busiest(wire, point, order, size);
    };
    let (gap, buffer) = (network.host_gap().0, network.host_buffer().as_f64());
    let own = point.procs.partners() * size;
    let queued = |cut: &Cut| {
        let carried = size * crossing_at_once(cut, point.procs);
        let ratio = carried * cut.gap.0 / (own * gap);
        carried * ratio * buffer / cut.buffer.as_f64()
    };
    let all = network.cuts().unwrap_or_default().iter().map(queued);
    all.filter(|bytes| bytes.is_finite()).fold(0.0, f64::max)
}

/// a·(n−a): number of messages over a link, in each direction, in an exchange.
fn crossing_at_once(cut: &Cut, procs: Procs) -> f64 {
    let behind = cut.count(procs);
    f64::from(behind) * f64::from(procs.get() - behind)
}

/// Time of the busiest link between switches for messages of one byte.
fn floor(point: Point, order: Order) -> Seconds {
    let cuts = point.network.and_then(Network::cuts).unwrap_or_default();
    let procs = point.procs;
    let busiest = |carried: &dyn Fn(&Cut) -> u32| {
        let times = cuts.iter().map(|cut| cut.gap.0 * f64::from(carried(cut)));
        times.fold(0.0, f64::max)
    };
    if order == Order::AtOnce || procs.get() > MOST_ROUNDS {
        let times = cuts
            .iter()
            .map(|cut| cut.gap.0 * crossing_at_once(cut, procs));
        return Seconds(times.fold(0.0, f64::max));
    }
    let own = point.network.map_or(0.0, |network| network.host_gap().0);
    let round = |round: u32| busiest(&|cut| crossing(cut, procs, order, round));
    let rounds: Vec<f64> = (1..procs.get()).map(round).collect();
    if rounds.iter().all(|time| *time <= own) {
        return Seconds(0.0);
    }
    Seconds(rounds.iter().map(|time| time.max(own)).sum::<f64>())
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
    use crate::model::testing::procs;
    use crate::network::tests::graph_of;

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
