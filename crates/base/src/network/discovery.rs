//! Finds the homogeneous clusters of hosts from the times of few messages between them: which pairs
//! of hosts to probe next, and the clusters from the times so far.
//!
//! # Criterion
//! Two hosts are near if a message between them takes at most F·t + s: t is the time of this message
//! between the one of them that has the nearer neighbour and that neighbour, F a factor and s a slack
//! in seconds ([`Criterion`]). The *ratio* of a pair is its time over this limit, so 1 and less is near.
//! Hosts differ by this from what is usual around them, not from a constant: a cluster of slow hosts is
//! one, and a slow host among fast ones stands alone.
//!
//! # Method
//! 1. Each host and the next one in order: 1 probe a host.
//! 2. Landmarks by farthest-first traversal: the first landmark is the first host, each further one the
//!    host whose least ratio to all landmarks is greatest. Every host is probed against each landmark.
//!    The traversal ends when no host is far from all landmarks, but not before there are two, or at
//!    ⌈log₂ n⌉ + 1 landmarks. A host that would be a landmark because it is far is probed again before,
//!    against the landmark next to it, because one disturbed probe must not make a cluster.
//! 3. Clusters by average linkage: beginning with single hosts, the two groups with the least mean of ln
//!    ratio, over the probed pairs between them, join while this mean is at most 0.
//! 4. Verification, up to ⌈log₂ n⌉ rounds while it finds pairs that were not probed: each host against the
//!    first of its cluster and against the next of its cluster, and the first host of a cluster without
//!    a landmark against that of the other such cluster whose times to the landmarks are most alike. A far
//!    pair inside a cluster, or between two clusters that also have a near pair, is probed
//!    again, twice at most.
//!
//! Steps 1 and 2 take at most n·(⌈log₂ n⌉ + 3) probes, step 4 at most 3·n·⌈log₂ n⌉, and each of these
//! pairs is probed again twice at most: O(n log n) instead of n². Noise only lengthens times, so that of several times of a pair the least counts.
//!
//! # Domain
//! Two hosts are always one cluster, and so are hosts that are all equally far from each other. A link that
//! slows many simultaneous messages down but not one is not seen.
//!
//! # Source
//! Farthest-first traversal: Gonzalez 1985, within a factor of two of the least possible radius; average
//! linkage: Sokal and Michener 1958. Clusters for collectives: Barchet-Estefanel and Mounié 2004, after
//! Lowekamp's threshold on edges.
//!
//! ```
//! # use netsig_base::network::discovery::{Criterion, Survey};
//! # use netsig_base::units::Seconds;
//! let mut survey = Survey::new(4, Criterion::LATENCY);
//! while let Some(pairs) = survey.next_pairs() {
//!     for [one, other] in pairs {
//!         let is_far = one % 2 != other % 2;
//!         survey.learn([one, other], Seconds(if is_far { 5e-3 } else { 1e-4 }));
//!     }
//! }
//! assert_eq!(survey.clusters(), [[0, 2], [1, 3]]);
//! ```

mod linkage;

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools as _;

use crate::units::Seconds;

/// When two hosts are near each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Criterion {
    /// F: the ratio to the time inside that is near.
    pub factor: f64,
    /// s: the time beyond that which is near, so that jitter separates no hosts.
    pub slack: Seconds,
}

impl Criterion {
    /// Of the time of the smallest message.
    pub const LATENCY: Self = Self {
        factor: 1.5,
        slack: Seconds(5e-5),
    };
    /// Of the time of a long message.
    pub const TRANSFER: Self = Self {
        factor: 1.15,
        slack: Seconds(5e-5),
    };
}

/// Largest number of repeated probes of a pair.
const MOST_AGAIN: u32 = 2;

/// The numbers of two hosts.
pub type Pair = [usize; 2];

/// The times between hosts so far, and what to probe next.
#[derive(Debug, Clone)]
pub struct Survey {
    hosts: usize,
    criterion: Criterion,
    /// The least time of each probed pair, whose lesser number is first.
    times: BTreeMap<Pair, Seconds>,
    landmarks: Vec<usize>,
    /// How often pairs were probed again because their time was in doubt.
    again: BTreeMap<Pair, u32>,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Neighbours,
    Landmarks,
    /// With the number of rounds left.
    Verification(u32),
}

impl Survey {
    /// A survey of so many hosts, which have numbers from 0.
    pub fn new(hosts: usize, criterion: Criterion) -> Self {
        Self {
            hosts,
            criterion,
            times: BTreeMap::new(),
            landmarks: Vec::new(),
            again: BTreeMap::new(),
            stage: Stage::Neighbours,
        }
    }

    /// Adds the time of a message between two hosts.
    pub fn learn(&mut self, pair: Pair, time: Seconds) {
        let known = self.times.entry(ordered(pair)).or_insert(time);
        known.0 = known.0.min(time.0);
    }

    /// The pairs to probe next; `None` if the survey is complete.
    pub fn next_pairs(&mut self) -> Option<Vec<Pair>> {
        loop {
            let pairs = match self.stage {
                Stage::Neighbours => {
                    self.stage = Stage::Landmarks;
                    (0..self.hosts).tuple_windows().map(|(a, b)| [a, b]).collect()
                }
                Stage::Landmarks => match self.next_landmark() {
                    Some(Next::Doubtful(pair)) => return Some(vec![pair]),
                    Some(Next::Landmark(host)) => {
                        self.landmarks.push(host);
                        self.star(host).collect()
                    }
                    None => {
                        self.stage = Stage::Verification(doublings(self.hosts));
                        Vec::new()
                    }
                },
                Stage::Verification(0) => return None,
                Stage::Verification(rounds) => {
                    self.stage = Stage::Verification(rounds - 1);
                    let clusters = self.clusters();
                    let mut pairs = self.unknown(self.verification(&clusters));
                    pairs.extend(self.contradicted(&clusters));
                    return Some(pairs).filter(|pairs| !pairs.is_empty());
                }
            };
            let pairs = self.unknown(pairs);
            if !pairs.is_empty() {
                return Some(pairs);
            }
        }
    }

    /// The clusters by the times so far: hosts ascending, clusters by their first hosts.
    pub fn clusters(&self) -> Vec<Vec<usize>> {
        let nearest = self.nearest();
        let known = self.times.iter();
        let known = known.map(|(&pair, &time)| (pair, self.ratio(pair, time, &nearest)));
        linkage::average(self.hosts, known)
    }

    fn next_landmark(&mut self) -> Option<Next> {
        if self.hosts < 3 || self.landmarks.len() > doublings(self.hosts) as usize {
            return None;
        }
        if self.landmarks.is_empty() {
            return Some(Next::Landmark(0));
        }
        let nearest = self.nearest();
        let others = (0..self.hosts).filter(|host| !self.landmarks.contains(host));
        let mut ranked: Vec<(f64, usize, usize)> = others
            .map(|host| {
                let own = self.landmarks.iter().filter_map(|&landmark| {
                    let time = *self.times.get(&ordered([landmark, host]))?;
                    Some((self.ratio([landmark, host], time, &nearest), landmark))
                });
                let least = own.min_by(|a, b| a.0.total_cmp(&b.0));
                let (ratio, landmark) = least.expect("every host is probed from each landmark");
                (ratio, host, landmark)
            })
            .collect();
        // The first of equally far hosts.
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let &(ratio, host, landmark) = ranked.first()?;
        if ratio > 1.0 && self.may_repeat(ordered([landmark, host])) {
            return Some(Next::Doubtful([landmark, host]));
        }
        (ratio > 1.0 || self.landmarks.len() < 2).then_some(Next::Landmark(host))
    }

    fn star(&self, host: usize) -> impl Iterator<Item = Pair> {
        let others = (0..self.hosts).filter(move |&other| other != host);
        others.map(move |other| [host, other])
    }

    fn verification(&self, clusters: &[Vec<usize>]) -> Vec<Pair> {
        let inside = clusters.iter().flat_map(|hosts| {
            let from_first = hosts[1..].iter().map(|&host| [hosts[0], host]);
            let along = hosts.iter().tuple_windows().map(|(&a, &b)| [a, b]);
            from_first.chain(along)
        });
        inside.chain(self.likenesses(clusters)).collect()
    }

    /// The far pairs between hosts whose clusters, or cluster, also have a near pair; each once.
    fn contradicted(&mut self, clusters: &[Vec<usize>]) -> Vec<Pair> {
        let nearest = self.nearest();
        let mut of = vec![0; self.hosts];
        for (number, hosts) in clusters.iter().enumerate() {
            for &host in hosts {
                of[host] = number;
            }
        }
        let clusters_of = |pair: Pair| ordered(pair.map(|host| of[host]));
        let known = self.times.iter();
        let known = known.map(|(&pair, &time)| (pair, self.ratio(pair, time, &nearest) > 1.0));
        let (far, near): (Vec<_>, Vec<_>) = known.partition(|(_, is_far)| *is_far);
        let near: BTreeSet<Pair> = near.into_iter().map(|(pair, _)| clusters_of(pair)).collect();
        let far = far.into_iter().map(|(pair, _)| pair);
        let doubtful = far.filter(|&pair| {
            let [one, other] = clusters_of(pair);
            one == other || near.contains(&[one, other])
        });
        let doubtful: Vec<Pair> = doubtful.collect();
        doubtful.into_iter().filter(|&pair| self.may_repeat(pair)).collect()
    }

    /// Counts a repeated probe, unless there were enough.
    fn may_repeat(&mut self, pair: Pair) -> bool {
        let count = self.again.entry(pair).or_default();
        *count += 1;
        *count <= MOST_AGAIN
    }

    /// The first host of each cluster without a landmark, with that of the most alike such cluster.
    fn likenesses(&self, clusters: &[Vec<usize>]) -> Vec<Pair> {
        let is_stray = |hosts: &&Vec<usize>| !hosts.iter().any(|own| self.landmarks.contains(own));
        let firsts: Vec<usize> = clusters.iter().filter(is_stray).map(|own| own[0]).collect();
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
        let of = |landmark, host| Some(self.times.get(&ordered([landmark, host]))?.0);
        let each = self.landmarks.iter().filter_map(|&landmark| {
            let ratio: f64 = of(landmark, one)? / of(landmark, other)?;
            Some(ratio.ln().abs())
        });
        each.fold(0.0, f64::max)
    }

    /// The pairs that were not probed, each once.
    fn unknown(&self, pairs: Vec<Pair>) -> Vec<Pair> {
        let pairs = pairs.into_iter().unique_by(|&pair| ordered(pair));
        pairs.filter(|&pair| !self.times.contains_key(&ordered(pair))).collect()
    }

    /// The time from each host to its nearest probed one.
    fn nearest(&self) -> Vec<f64> {
        let mut nearest = vec![f64::INFINITY; self.hosts];
        for (pair, time) in &self.times {
            for &host in pair {
                nearest[host] = nearest[host].min(time.0);
            }
        }
        nearest
    }

    /// The time of a pair over the longest that is near.
    fn ratio(&self, [one, other]: Pair, time: Seconds, nearest: &[f64]) -> f64 {
        let inside = nearest[one].min(nearest[other]);
        time.0 / (self.criterion.factor * inside + self.criterion.slack.0)
    }
}

enum Next {
    /// Probe this pair again first.
    Doubtful(Pair),
    /// The next landmark.
    Landmark(usize),
}

fn ordered([one, other]: Pair) -> Pair {
    [one.min(other), one.max(other)]
}

/// ⌈log₂ n⌉.
fn doublings(hosts: usize) -> u32 {
    hosts.max(1).next_power_of_two().ilog2()
}

#[cfg(test)]
mod tests;
