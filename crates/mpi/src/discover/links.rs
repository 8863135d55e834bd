//! The times of messages between the heads of clusters, and inside a cluster between its head and its
//! second host.
//!
//! # Choices
//! Of up to four clusters, every pair is measured. Of more, the first cluster is measured with each other cluster, and
//! each cluster with the next, so that the number of probes stays in O(n). All links together take about
//! [`LINKS_BUDGET`]: each may use an equal share of the time left. Sizes are 1 B to 1 MiB between clusters and 1 B to
//! 256 KiB inside a cluster. Each size has a warm-up and at least five round trips up to 16 KiB, three beyond. Where
//! the share of a link ends, it makes fewer round trips, at least one, and leaves out sizes that would not fit. It
//! keeps all sizes up to 32 KiB, which suffice to tell the bandwidth.
//!
//! Between clusters the time after a pause is measured first ([`PAUSED`]), since a connection that has sent much begins
//! with a larger window even after a pause. Messages up to 64 KiB, the usual limit of both MPI libraries, do not wait
//! for the receiver's consent.

use std::time::{Duration, Instant};

use anyhow::Result;
use itertools::Itertools as _;
use netsig_base::network::ClusterLink;
use netsig_base::network::discovery::HostPair;
use netsig_base::units::{Bytes, Seconds};

use super::DiscoveryLeader;
use super::probe::ProbeSettings;

/// Duration of the probes of all links together, without a last round trip.
const LINKS_BUDGET: Duration = Duration::from_secs(15);

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
const LEAST_SIZES: usize = 5;

/// A probe after pauses: each pause is longer than two usual retransmission time-outs over a wide area, and the message
/// is larger than TCP's window after a pause (RFC 6928).
const PAUSED: ProbeSettings = ProbeSettings {
    size: Bytes(32 << 10),
    least: 2,
    most: 2,
    within: WITHIN,
    pause: Duration::from_millis(700),
};

/// The largest short message.
const LARGEST_SHORT_MESSAGE: Bytes = Bytes(16 << 10);

/// Most clusters of which all pairs are measured.
const MOST_CLUSTERS_ALL_PAIRS: usize = 4;

/// Time of one size after which no round trip begins beyond the least number.
const WITHIN: Duration = Duration::from_millis(200);

/// Ways of a message in the least probe: a round trip after a warm-up.
const WAYS: f64 = 4.0;

impl DiscoveryLeader<'_> {
    /// Measures the links of `clusters`.
    pub fn links(&mut self, clusters: &[Vec<usize>]) -> Result<Vec<ClusterLink>> {
        let ends = ends(clusters);
        let started = Instant::now();
        let count = ends.len();
        let mut links = Vec::new();
        for (index, (between, pair)) in ends.into_iter().enumerate() {
            let left = LINKS_BUDGET.saturating_sub(started.elapsed());
            let share = left.div_f64((count - index) as f64);
            let names = between.map(|head| self.hosts[head].name.clone());
            links.push(if between[0] == between[1] {
                let inside = &SIZES[..SIZES.len() - 1];
                ClusterLink::new(names, self.times(pair, inside, share)?)?
            } else {
                let begun = Instant::now();
                let paused = self.least_time(pair, PAUSED)?;
                let left = share.saturating_sub(begun.elapsed());
                let link = ClusterLink::new(names, self.times(pair, &SIZES, left)?)?;
                link.with_pause(PAUSED.size, paused)?
            });
        }
        Ok(links)
    }

    /// Times by size between two hosts, within about `share`. Each size may use the time that is left for it and the
    /// later sizes.
    fn times(&mut self, pair: HostPair, sizes: &[Bytes], share: Duration) -> Result<Vec<(Bytes, Seconds)>> {
        let started = Instant::now();
        let mut times: Vec<(Bytes, Seconds)> = Vec::new();
        for (index, &size) in sizes.iter().enumerate() {
            let left = share.saturating_sub(started.elapsed());
            if index >= LEAST_SIZES && WAYS * expected(&times, size) > left.as_secs_f64() {
                break;
            }
            let (least, most) = if size <= LARGEST_SHORT_MESSAGE { (5, 20) } else { (3, 5) };
            let full_probing = ProbeSettings {
                size,
                least: if left.is_zero() { 1 } else { least },
                most,
                within: WITHIN.min(left.div_f64((sizes.len() - index) as f64)),
                pause: Duration::ZERO,
            };
            let probing = full_probing.bounded(expected(&times, size), left);
            times.push((size, self.probe(pair, probing)?.median));
        }
        Ok(times)
    }
}

/// Upper bound of the expected one-way time of the next size: the time of the last size, in proportion to the size.
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

/// For each link the heads of its clusters, equal inside a cluster, and the hosts that measure it. Links inside
/// clusters come first: they leave the time that they do not need to the longer links.
fn ends(clusters: &[Vec<usize>]) -> Vec<(HostPair, HostPair)> {
    let larger_clusters = clusters.iter().filter(|hosts| hosts.len() > 1);
    let inside = larger_clusters.map(|hosts| ([hosts[0]; 2], [hosts[0], hosts[1]]));
    let count = clusters.len();
    let all_pairs = (0..count).array_combinations();
    let pairs =
        all_pairs.filter(|&[one, other]: &[usize; 2]| count <= MOST_CLUSTERS_ALL_PAIRS || one == 0 || other == one + 1);
    let heads = pairs.map(|[one, other]| [clusters[one][0], clusters[other][0]]);
    inside.chain(heads.map(|heads| (heads, heads))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_many_clusters_grow_with_their_number() {
        let clusters = |count: usize| (0..count).map(|cluster| vec![2 * cluster, 2 * cluster + 1]);
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
