//! What the busiest link of a tree of switches needs that is not a host's.
//!
//! # Method
//! With a processes behind it a·(n−a) messages cross a link in an exchange. Pairwise exchange waits
//! in every round for the slowest pair, so that there it is the sum over the rounds of what the
//! busiest link needs, at least that of a host, if any needs more. Links are known without headers,
//! so that their time counts as many times as β exceeds the gap of a host's link.
//!
//! # Source
//! netsig.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Point, Wire};
use crate::network::{Cut, Network};
use crate::units::{Procs, Seconds};

/// In which order the messages of an exchange are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// All at once. A window of a few changes nothing for eager messages, whose sends are complete
    /// when the system has taken them.
    AtOnce,
    /// In rounds, to the partner as many ranks further.
    Rounds,
    /// In rounds, to partner i xor t where the count is a power of two, else as before.
    Powers,
}

/// Beyond so many processes the rounds of pairwise exchange are not looked at one by one.
const MOST_ROUNDS: u32 = 1024;

/// How many bytes pass a host's port in the time that the busiest other link takes for messages
/// of `size`.
pub(super) fn busiest(wire: &Wire, point: Point, order: Order, size: f64) -> f64 {
    let beta = wire.beta().0;
    if beta > 0.0 {
        floor(point, order).0 * size * headers(wire, point) / beta
    } else {
        0.0
    }
}

/// What the busiest link between switches takes for messages of one byte.
fn floor(point: Point, order: Order) -> Seconds {
    let cuts = point.network.and_then(Network::cuts).unwrap_or_default();
    let procs = point.procs;
    let busiest = |carried: &dyn Fn(&Cut) -> u32| {
        let times = cuts.iter().map(|cut| cut.gap.0 * f64::from(carried(cut)));
        times.fold(0.0, f64::max)
    };
    if order == Order::AtOnce || procs.get() > MOST_ROUNDS {
        let times = cuts.iter().map(|cut| {
            let behind = cut.count(procs);
            cut.gap.0 * f64::from(behind) * f64::from(procs.get() - behind)
        });
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

/// Headers are no more than this: a β beyond it is that of something else than the link.
const MOST_HEADERS: f64 = 1.1;

/// How many times the gap of a host's link β is: the links of a network are known without the
/// headers that β holds.
fn headers(wire: &Wire, point: Point) -> f64 {
    let host = point.network.map(|network| network.host_gap().0);
    host.map_or(1.0, |host| (wire.beta().0 / host).clamp(1.0, MOST_HEADERS))
}

/// How many of the processes on one side of a link have their partner of a round of pairwise
/// exchange on the other.
fn crossing(cut: &Cut, procs: Procs, order: Order, round: u32) -> u32 {
    let n = procs.get();
    if order == Order::Powers && n.is_power_of_two() {
        let is_behind = |rank: u32| cut.behind(procs).any(|range| range.contains(&rank));
        let ranks = cut.behind(procs).flatten();
        let crosses = ranks.filter(|rank| !is_behind(rank ^ round));
        return u32::try_from(crosses.count()).unwrap_or(n);
    }
    // The partners of a range, who may go beyond the last process and on from the first.
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
    use super::*;

    /// Counts the pairs of every round across every link of a tree of four switches, one of which
    /// has the hosts of both ends behind it.
    #[test]
    fn rounds_cross_a_link_as_often_as_their_partners_do() {
        let text = "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '4kB'\n\
            [[switch]]\nname = 'a'\nhosts = 3\n\
            [[switch]]\nname = 'b'\nhosts = 7\n\
            [[switch]]\nname = 'c'\nhosts = 2\n\
            [[switch]]\nname = 'd'\nhosts = 28\n";
        let links = [("b", "a"), ("a", "c"), ("b", "d")].map(|(a, b)| {
            format!("[[link]]\nbetween = ['{a}', '{b}']\nrate = '1Gbit/s'\nport_buffer = '4kB'\n")
        });
        let network = Network::parse("tree", &format!("{text}{}", links.concat())).unwrap();
        let cuts = network.cuts().unwrap();
        assert_eq!(cuts.len(), 3);
        let all = (2..40u32).flat_map(|n| [(n, Order::Rounds), (n, Order::Powers)]);
        for (count, order) in all {
            let procs = Procs::new(count).unwrap();
            for (cut, round) in cuts
                .iter()
                .flat_map(|cut| (1..count).map(move |b| (cut, b)))
            {
                let partner = |rank: u32| {
                    if order == Order::Powers && count.is_power_of_two() {
                        rank ^ round
                    } else {
                        (rank + round) % count
                    }
                };
                let behind: Vec<u32> = cut.behind(procs).flatten().collect();
                let counted = behind
                    .iter()
                    .filter(|rank| !behind.contains(&partner(**rank)));
                let found = crossing(cut, procs, order, round) as usize;
                assert_eq!(found, counted.count(), "{count} {cut:?} {round}");
            }
        }
    }
}
