//! The times of messages between the heads of clusters, and inside a cluster between its head and its
//! second host.
//!
//! # Choices
//! Up to four clusters, every pair of them is measured; of more, the first cluster with each other one
//! and each cluster with the next, so that the number of probes stays in O(n). All links together take
//! about [`BUDGET`]: each may use an equal share of what is left. A link between clusters has the sizes 1 B to
//! 1 MiB, one inside a cluster those up to 256 KiB: at least five round trips each up to 16 KiB and three beyond,
//! after a warm-up. Where its share ends, it makes fewer round trips, at least one, and leaves out a size that
//! would not fit, but none up to 32 KiB, of which the bandwidth can be told.
//!
//! Of a link between clusters the time after a pause is measured first ([`PAUSED`]), since a connection that
//! has sent much begins with more even after a pause. Messages up to 64 KiB, the usual limit of both MPI
//! libraries, do not wait for the receiver's consent.

use std::time::{Duration, Instant};

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::network::ClusterLink;
use netsig_base::network::discovery::Pair;
use netsig_base::units::{Bytes, Seconds};

use super::Leader;
use super::probe::Probing;

/// The duration of all links together, but for a last round trip.
const BUDGET: Duration = Duration::from_secs(15);

/// Sizes of the messages.
const SIZES: [Bytes; 8] = [
    Bytes(1),
    Bytes(1 << 10),
    Bytes(4 << 10),
    Bytes(16 << 10),
    Bytes(32 << 10),
    Bytes(64 << 10),
    Bytes(256 << 10),
    Bytes(1 << 20),
];

/// Number of sizes that are never left out.
const KEPT: usize = 5;

/// A probe after pauses, each of more than two usual retransmission timeouts over a wide area, of more bytes
/// than TCP sends at once after one (RFC 6928).
const PAUSED: Probing = Probing {
    size: Bytes(32 << 10),
    least: 2,
    most: 2,
    within: WITHIN,
    pause: Duration::from_millis(700),
};

/// The largest short message.
const SHORT: Bytes = Bytes(16 << 10);

/// Most clusters of which all pairs are measured.
const ALL_PAIRS: usize = 4;

/// Time of one size after which no round trip begins beyond the least number.
const WITHIN: Duration = Duration::from_millis(200);

/// Ways of a message in the least probe: a round trip after a warm-up.
const WAYS: f64 = 4.0;

impl Leader<'_> {
    /// Measures the links of `clusters`.
    pub fn links(&mut self, clusters: &[Vec<usize>]) -> Result<Vec<ClusterLink>> {
        let ends = ends(clusters);
        let started = Instant::now();
        let count = ends.len();
        let mut links = Vec::new();
        for (index, (between, pair)) in ends.into_iter().enumerate() {
            let left = BUDGET.saturating_sub(started.elapsed());
            let share = left.div_f64((count - index) as f64);
            let names = between.map(|head| self.hosts[head].name.clone());
            links.push(if between[0] == between[1] {
                let inside = &SIZES[..SIZES.len() - 1];
                ClusterLink::new(names, self.times(pair, inside, share)?)?
            } else {
                let begun = Instant::now();
                let paused = self.least(pair, PAUSED)?;
                let left = share.saturating_sub(begun.elapsed());
                let link = ClusterLink::new(names, self.times(pair, &SIZES, left)?)?;
                link.with_pause(PAUSED.size, paused)?
            });
        }
        Ok(links)
    }

    /// Times by size between two hosts, within about `share`, of which each size may use what is left for it
    /// and those after it.
    fn times(&mut self, pair: Pair, sizes: &[Bytes], share: Duration) -> Result<Vec<(Bytes, Seconds)>> {
        let started = Instant::now();
        let mut times: Vec<(Bytes, Seconds)> = Vec::new();
        for (index, &size) in sizes.iter().enumerate() {
            let left = share.saturating_sub(started.elapsed());
            if index >= KEPT && WAYS * expected(&times, size) > left.as_secs_f64() {
                break;
            }
            let (least, most) = if size <= SHORT { (5, 20) } else { (3, 5) };
            let probing = Probing {
                size,
                least: if left.is_zero() { 1 } else { least },
                most,
                within: WITHIN.min(left.div_f64((sizes.len() - index) as f64)),
                pause: Duration::ZERO,
            };
            let probing = probing.bounded(expected(&times, size), left);
            times.push((size, self.probe(pair, probing)?.median));
        }
        Ok(times)
    }
}

/// The expected one-way time of the next size: in proportion to that of the last size at most.
fn expected(times: &[(Bytes, Seconds)], size: Bytes) -> f64 {
    match times {
        [] => 0.0,
        [.., (early, before), (last, time)] => {
            let slope = (time.0 - before.0).max(0.0) / (last.as_f64() - early.as_f64());
            time.0 + slope * (size.as_f64() - last.as_f64())
        }
        [(_, time)] => time.0,
    }
}

/// The heads of the clusters of each link, equal inside a cluster, and the hosts that measure it. Links
/// inside clusters come first: what they do not need of their time is left to the longer ones.
fn ends(clusters: &[Vec<usize>]) -> Vec<(Pair, Pair)> {
    let inside = clusters.iter().filter(|hosts| hosts.len() > 1);
    let inside = inside.map(|hosts| ([hosts[0]; 2], [hosts[0], hosts[1]]));
    let count = clusters.len();
    let pairs = (0..count).array_combinations();
    let pairs = pairs.filter(|&[one, other]: &[usize; 2]| count <= ALL_PAIRS || one == 0 || other == one + 1);
    let heads = pairs.map(|[one, other]| [clusters[one][0], clusters[other][0]]);
    inside.chain(heads.map(|heads| (heads, heads))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_many_clusters_grow_with_their_number() {
        let clusters = |count: usize| (0..count).map(|own| vec![2 * own, 2 * own + 1]);
        let of = |count| ends(&clusters(count).collect::<Vec<_>>()).len();
        assert_eq!([1, 2, 3, 4, 5, 9].map(of), [1, 3, 6, 10, 12, 24]);
        let alone = ends(&[vec![0, 2], vec![1]]);
        assert_eq!(alone, [([0, 0], [0, 2]), ([0, 1], [0, 1])]);
    }

    #[test]
    fn the_next_time_goes_on_in_a_line() {
        let times = [(Bytes(1), Seconds(1.0)), (Bytes(11), Seconds(2.0))];
        assert!((expected(&times, Bytes(31)) - 4.0).abs() < 1e-12);
        assert!((expected(&times[..1], Bytes(31)) - 1.0).abs() < 1e-12);
    }
}
