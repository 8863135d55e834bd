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

use serde::{Deserialize, Serialize};

use super::{Point, Wire};
use crate::network::tree::{Link, Tree};
use crate::units::Seconds;

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

/// What the busiest link that is not a host's takes for messages of one byte.
fn floor(point: Point, order: Order) -> Seconds {
    let links = point.tree.map_or(&[][..], Tree::links);
    let inner: Vec<&Link> = links.iter().filter(|link| link.below > 1).collect();
    let procs = point.procs.get();
    let busiest = |carried: &dyn Fn(&Link) -> f64| {
        let times = inner.iter().map(|link| link.gap.0 * carried(link));
        times.fold(0.0, f64::max)
    };
    if order == Order::AtOnce || procs > MOST_ROUNDS {
        let carried =
            |link: &Link| f64::from(link.below) * f64::from(procs.saturating_sub(link.below));
        return Seconds(busiest(&carried));
    }
    let own = links.iter().find(|link| link.below == 1);
    let own = own.map_or(0.0, |link| link.gap.0);
    let round =
        |round: u32| busiest(&|link| f64::from(crossing((procs, order), link.below, round)));
    let rounds: Vec<f64> = (1..procs).map(round).collect();
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
    let links = point.tree.map_or(&[][..], Tree::links);
    let host = links
        .iter()
        .find(|link| link.below == 1 && link.gap.0 > 0.0);
    host.map_or(1.0, |host| {
        (wire.beta().0 / host.gap.0).clamp(1.0, MOST_HEADERS)
    })
}

/// How many of the first `below` processes have their partner of a round of pairwise exchange
/// beyond.
fn crossing((procs, order): (u32, Order), below: u32, round: u32) -> u32 {
    if below >= procs {
        return 0;
    }
    if order == Order::Powers && procs.is_power_of_two() {
        let crosses = |rank: &u32| rank ^ round >= below;
        return u32::try_from((0..below).filter(crosses).count()).unwrap_or(below);
    }
    below.min(procs - below).min(round).min(procs - round)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the pairs of every round.
    #[test]
    fn rounds_cross_a_link_as_often_as_their_partners_do() {
        let all = (2..40u32).flat_map(|n| [(n, Order::Rounds), (n, Order::Powers)]);
        for (procs, order) in all {
            for (below, round) in (1..procs).flat_map(|a| (1..procs).map(move |b| (a, b))) {
                let partner = |rank: u32| {
                    if order == Order::Powers && procs.is_power_of_two() {
                        rank ^ round
                    } else {
                        (rank + round) % procs
                    }
                };
                let counted = (0..below).filter(|rank| partner(*rank) >= below).count();
                let found = crossing((procs, order), below, round) as usize;
                assert_eq!(found, counted, "{procs} {below} {round}");
            }
        }
    }
}
