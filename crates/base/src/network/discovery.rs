//! Finds the homogeneous clusters of hosts from the times of few messages between them: the pairs of hosts to probe
//! next, and the clusters from the times so far.
//!
//! # Criterion
//! Two hosts are near if a message between them takes at most F·t + s, F a factor and s a slack in seconds
//! ([`NearnessCriterion`]). One of the two hosts has the nearer neighbour; t is the time of this message between that
//! host and its neighbour. The *ratio* of a pair is its time over this limit, so that a ratio of 1 or less is near.
//! The limit depends on the times around the hosts, not on a constant: a cluster of slow hosts is one, and a slow
//! host among fast ones stands alone.
//!
//! # Method
//! 1. Each host and the next one in order: 1 probe a host.
//! 2. Landmarks by farthest-first traversal: the first landmark is the first host, each further one the host whose
//!    least ratio to all landmarks is greatest. Every host is probed against each landmark. The traversal ends when
//!    no host is far from all landmarks, but not before there are two, or at ⌈log₂ n⌉ + 1 landmarks. Before a far
//!    host becomes a landmark, it is probed again against the landmark nearest to it, because one disturbed probe
//!    must not make a cluster.
//! 3. Clusters by average linkage, beginning with single hosts. The two groups with the least mean of ln ratio, over
//!    the probed pairs between them, join while this mean is at most 0.
//! 4. Verification, up to ⌈log₂ n⌉ rounds while it finds pairs that were not probed. Each host is probed against the
//!    first host of its cluster and against the next host of its cluster. Clusters without a landmark are probed
//!    against each other: the first host of each against the first host whose times to the landmarks are most alike.
//!    A far pair inside a cluster, or between two clusters that also have a near pair, is probed again, twice at
//!    most, also after the last round.
//!
//! Steps 1 and 2 take at most n·(⌈log₂ n⌉ + 3) probes, and step 4 at most 3·n·⌈log₂ n⌉. Each of these pairs is probed
//! again twice at most: O(n log n) instead of n². Noise only lengthens times, so that of several times of a pair the
//! least counts.
//!
//! # Domain
//! Two hosts are always one cluster, and so are hosts that are all equally far from each other. A link that slows
//! many simultaneous messages but not a single one is not detected.
//!
//! # Source
//! Farthest-first traversal: Gonzalez 1985, within a factor of two of the least possible radius; average
//! linkage: Sokal and Michener 1958. Clusters for collectives: Barchet-Estefanel and Mounié 2004, after
//! Lowekamp's threshold on edges.
//!
//! ```
//! # use netsig_base::network::discovery::{ClusterSearch, NearnessCriterion};
//! # use netsig_base::units::Seconds;
//! let mut discovery = ClusterSearch::new(4, NearnessCriterion::LATENCY);
//! while let Some(pairs) = discovery.next_pairs() {
//!     for [one, other] in pairs {
//!         let is_far = one % 2 != other % 2;
//!         discovery.add_time([one, other], Seconds(if is_far { 5e-3 } else { 1e-4 }));
//!     }
//! }
//! assert_eq!(discovery.clusters(), [[0, 2], [1, 3]]);
//! ```

mod linkage;

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools as _;

use crate::units::Seconds;

/// Limit of the time between two hosts that are near each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearnessCriterion {
    /// F: factor of the time t to the nearest neighbour.
    pub factor: f64,
    /// s: slack of the limit, so that jitter separates no hosts.
    pub slack: Seconds,
}

impl NearnessCriterion {
    /// For times of the smallest message.
    pub const LATENCY: Self = Self {
        factor: 1.5,
        slack: Seconds(5e-5),
    };
    /// For times of a long message.
    pub const TRANSFER: Self = Self {
        factor: 1.15,
        slack: Seconds(5e-5),
    };
}

/// Largest number of repeated probes of a pair.
const MOST_REPEATS: u32 = 2;

/// The numbers of two hosts.
pub type HostPair = [usize; 2];

/// The times between hosts so far, and the state of the search for clusters.
#[derive(Debug, Clone)]
pub struct ClusterSearch {
    hosts: usize,
    criterion: NearnessCriterion,
    /// The least time of each probed pair; the lower host number is first.
    times: BTreeMap<HostPair, Seconds>,
    landmarks: Vec<usize>,
    /// How often pairs were probed again because their time was in doubt.
    repeats: BTreeMap<HostPair, u32>,
    stage: DiscoveryStage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiscoveryStage {
    Neighbours,
    Landmarks,
    /// With the number of rounds of new pairs left.
    Verification(u32),
}

impl ClusterSearch {
    /// A search among `hosts` hosts, numbered from 0.
    pub fn new(hosts: usize, criterion: NearnessCriterion) -> Self {
        Self {
            hosts,
            criterion,
            times: BTreeMap::new(),
            landmarks: Vec::new(),
            repeats: BTreeMap::new(),
            stage: DiscoveryStage::Neighbours,
        }
    }

    /// Adds the time of a message between two hosts.
    pub fn add_time(&mut self, pair: HostPair, time: Seconds) {
        let known = self.times.entry(ordered(pair)).or_insert(time);
        known.0 = known.0.min(time.0);
    }

    /// The pairs to probe next; `None` if the search is complete.
    pub fn next_pairs(&mut self) -> Option<Vec<HostPair>> {
        loop {
            let stage_pairs = match self.stage {
                DiscoveryStage::Neighbours => {
                    self.stage = DiscoveryStage::Landmarks;
                    (0..self.hosts).tuple_windows().map(|(a, b)| [a, b]).collect()
                }
                DiscoveryStage::Landmarks => match self.next_landmark() {
                    Some(NextLandmark::Doubtful(pair)) => return Some(vec![pair]),
                    Some(NextLandmark::Landmark(host)) => {
                        self.landmarks.push(host);
                        self.star_pairs(host).collect()
                    }
                    None => {
                        self.stage = DiscoveryStage::Verification(doublings(self.hosts));
                        Vec::new()
                    }
                },
                DiscoveryStage::Verification(rounds) => {
                    self.stage = DiscoveryStage::Verification(rounds.saturating_sub(1));
                    let clusters = self.clusters();
                    let mut pairs = self.contradicted_pairs(&clusters);
                    if rounds > 0 {
                        pairs.extend(self.unprobed_pairs(self.verification_pairs(&clusters)));
                    }
                    return Some(pairs).filter(|pairs| !pairs.is_empty());
                }
            };
            let pairs = self.unprobed_pairs(stage_pairs);
            if !pairs.is_empty() {
                return Some(pairs);
            }
        }
    }

    /// The clusters by the times so far: hosts ascending, clusters by their first hosts.
    pub fn clusters(&self) -> Vec<Vec<usize>> {
        let nearest = self.nearest_times();
        let times = self.times.iter();
        let ratios = times.map(|(&pair, &time)| (pair, self.ratio(pair, time, &nearest)));
        linkage::average_linkage(self.hosts, ratios)
    }

    fn next_landmark(&mut self) -> Option<NextLandmark> {
        if self.hosts < 3 || self.landmarks.len() > doublings(self.hosts) as usize {
            return None;
        }
        if self.landmarks.is_empty() {
            return Some(NextLandmark::Landmark(0));
        }
        let nearest = self.nearest_times();
        let others = (0..self.hosts).filter(|host| !self.landmarks.contains(host));
        let mut ranked: Vec<(f64, usize, usize)> = others
            .map(|host| {
                let ratios = self.landmarks.iter().filter_map(|&landmark| {
                    let time = *self.times.get(&ordered([landmark, host]))?;
                    Some((self.ratio([landmark, host], time, &nearest), landmark))
                });
                let least = ratios.min_by(|a, b| a.0.total_cmp(&b.0));
                let (ratio, landmark) = least.expect("every host is probed from each landmark");
                (ratio, host, landmark)
            })
            .collect();
        // The first of equally far hosts.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let &(ratio, host, landmark) = ranked.first()?;
        if ratio > 1.0 && self.may_repeat(ordered([landmark, host])) {
            return Some(NextLandmark::Doubtful([landmark, host]));
        }
        (ratio > 1.0 || self.landmarks.len() < 2).then_some(NextLandmark::Landmark(host))
    }

    fn star_pairs(&self, host: usize) -> impl Iterator<Item = HostPair> {
        let others = (0..self.hosts).filter(move |&other| other != host);
        others.map(move |other| [host, other])
    }

    fn verification_pairs(&self, clusters: &[Vec<usize>]) -> Vec<HostPair> {
        let inside = clusters.iter().flat_map(|hosts| {
            let from_first = hosts[1..].iter().map(|&host| [hosts[0], host]);
            let along = hosts.iter().tuple_windows().map(|(&a, &b)| [a, b]);
            from_first.chain(along)
        });
        inside.chain(self.most_alike_pairs(clusters)).collect()
    }

    /// The far pairs inside a cluster, or between two clusters that also have a near pair; each once.
    fn contradicted_pairs(&mut self, clusters: &[Vec<usize>]) -> Vec<HostPair> {
        let nearest = self.nearest_times();
        let mut cluster_of = vec![0; self.hosts];
        for (number, hosts) in clusters.iter().enumerate() {
            for &host in hosts {
                cluster_of[host] = number;
            }
        }
        let clusters_of = |pair: HostPair| ordered(pair.map(|host| cluster_of[host]));
        let times = self.times.iter();
        let rated_pairs = times.map(|(&pair, &time)| (pair, self.ratio(pair, time, &nearest) > 1.0));
        let (far_rated, near_rated): (Vec<_>, Vec<_>) = rated_pairs.partition(|(_, is_far)| *is_far);
        let near_clusters: BTreeSet<HostPair> = near_rated.into_iter().map(|(pair, _)| clusters_of(pair)).collect();
        let far_pairs = far_rated.into_iter().map(|(pair, _)| pair);
        let contradicting = far_pairs.filter(|&pair| {
            let [one, other] = clusters_of(pair);
            one == other || near_clusters.contains(&[one, other])
        });
        let doubtful: Vec<HostPair> = contradicting.collect();
        doubtful.into_iter().filter(|&pair| self.may_repeat(pair)).collect()
    }

    /// Counts a repeated probe, unless there were enough.
    fn may_repeat(&mut self, pair: HostPair) -> bool {
        let count = self.repeats.entry(pair).or_default();
        *count += 1;
        *count <= MOST_REPEATS
    }

    /// The first host of each cluster without a landmark, with the first host of the most alike such cluster.
    fn most_alike_pairs(&self, clusters: &[Vec<usize>]) -> Vec<HostPair> {
        let is_stray = |hosts: &&Vec<usize>| !hosts.iter().any(|host| self.landmarks.contains(host));
        let firsts: Vec<usize> = clusters.iter().filter(is_stray).map(|hosts| hosts[0]).collect();
        let most_alike = |&one: &usize| {
            let others = firsts.iter().copied().filter(|&other| other != one);
            let unlike = |&other: &usize| self.unlikeness(one, other);
            let other = others.min_by(|a, b| unlike(a).total_cmp(&unlike(b)))?;
            Some([one, other])
        };
        firsts.iter().filter_map(most_alike).collect()
    }

    /// The largest |ln| of the ratio of the times of two hosts to one landmark.
    fn unlikeness(&self, one: usize, other: usize) -> f64 {
        let time_to = |landmark, host| Some(self.times.get(&ordered([landmark, host]))?.0);
        let each = self.landmarks.iter().filter_map(|&landmark| {
            let ratio: f64 = time_to(landmark, one)? / time_to(landmark, other)?;
            Some(ratio.ln().abs())
        });
        each.fold(0.0, f64::max)
    }

    /// The pairs that were not probed, each once.
    fn unprobed_pairs(&self, pairs: Vec<HostPair>) -> Vec<HostPair> {
        let distinct_pairs = pairs.into_iter().unique_by(|&pair| ordered(pair));
        distinct_pairs
            .filter(|&pair| !self.times.contains_key(&ordered(pair)))
            .collect()
    }

    /// The time from each host to its nearest probed one.
    fn nearest_times(&self) -> Vec<f64> {
        let mut nearest = vec![f64::INFINITY; self.hosts];
        for (pair, time) in &self.times {
            for &host in pair {
                nearest[host] = nearest[host].min(time.0);
            }
        }
        nearest
    }

    /// The time of a pair over the limit of near pairs.
    fn ratio(&self, [one, other]: HostPair, time: Seconds, nearest: &[f64]) -> f64 {
        let inside = nearest[one].min(nearest[other]);
        time.0 / (self.criterion.factor * inside + self.criterion.slack.0)
    }
}

enum NextLandmark {
    /// Probe this pair again first.
    Doubtful(HostPair),
    /// The next landmark.
    Landmark(usize),
}

fn ordered([one, other]: HostPair) -> HostPair {
    [one.min(other), one.max(other)]
}

/// ⌈log₂ n⌉.
fn doublings(hosts: usize) -> u32 {
    hosts.max(1).next_power_of_two().ilog2()
}

#[cfg(test)]
mod tests;
