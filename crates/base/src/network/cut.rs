//! Links between the switches of a tree, each with the hosts behind it.

use std::cmp::Reverse;
use std::ops::Range;

use itertools::Itertools;

use super::link::{Link, LinkId};
use super::placement::spread_before;
use crate::units::{Bytes, Procs, SecondsPerByte};

/// A link between two switches of a tree, which divides the hosts in two sets.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkCut {
    /// The gap per byte of the link in each direction, without headers.
    pub gap: SecondsPerByte,
    /// Buffer of its ports.
    pub buffer: Bytes,
    /// Ranges of the hosts on one side, ascending and disjoint.
    hosts_behind: Vec<Range<u32>>,
    /// Number of all hosts.
    hosts: Procs,
}

impl NetworkCut {
    /// Ranges of the ranks on one side, ascending and disjoint, if `procs` processes are spread over the hosts
    /// ([`spread_ranks`](super::placement::spread_ranks)).
    pub fn ranks_behind(&self, procs: Procs) -> impl Iterator<Item = Range<u32>> + Clone {
        let before = move |host| spread_before(host, self.hosts, procs);
        let ranks = move |range: &Range<u32>| before(range.start)..before(range.end);
        self.hosts_behind.iter().map(ranks).filter(|range| !range.is_empty())
    }

    /// Number of the `procs` processes on one side: a. The other n − a are on the other side.
    pub fn procs_behind(&self, procs: Procs) -> u32 {
        self.ranks_behind(procs).map(|range| range.end - range.start).sum()
    }
}

/// The cuts of a tree. `up` has each vertex's link towards the root, `depths` its number of links to
/// the root.
pub(super) fn cuts(links: &[Link], hosts: usize, up: &[Option<LinkId>], depths: &[u32]) -> Vec<NetworkCut> {
    let known_count = u32::try_from(hosts).ok().and_then(|hosts| Procs::new(hosts).ok());
    let all_hosts = known_count.expect("a network has hosts");
    let host = |vertex: usize| u32::try_from(vertex).ok().filter(|_| vertex < hosts);
    let range_of_host = |vertex| host(vertex).map(|host| host..host + 1);
    let mut ranges_behind: Vec<Vec<Range<u32>>> = (0..up.len())
        .map(|vertex| range_of_host(vertex).into_iter().collect())
        .collect();
    let mut cuts = Vec::new();
    for vertex in (0..up.len()).sorted_by_key(|&vertex| Reverse(depths[vertex])) {
        let Some(link) = up[vertex].map(|id| &links[id.index()]) else {
            continue;
        };
        let hosts_behind_link = joined_ranges(std::mem::take(&mut ranges_behind[vertex]));
        ranges_behind[link.to.index()].extend(hosts_behind_link.iter().cloned());
        if vertex >= hosts {
            cuts.push(NetworkCut {
                gap: SecondsPerByte(1.0 / link.rate.0),
                buffer: link.buffer,
                hosts_behind: hosts_behind_link,
                hosts: all_hosts,
            });
        }
    }
    cuts
}

/// Sorts the ranges and joins adjacent ones.
fn joined_ranges(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let touching = ranges.into_iter().coalesce(|a, b| {
        if a.end == b.start {
            Ok(a.start..b.end)
        } else {
            Err((a, b))
        }
    });
    touching.collect()
}
