//! Hosts of the ranks, and traffic on the links of a network.

use std::ops::Deref;

use netsig_base::network::{LinkId, Network, Vertex};
use netsig_base::units::{Rank, Seconds};

use super::LinkUse;
use crate::time::Time;

/// A network, borrowed or shared, with the host of each rank and the bytes that each link
/// carried.
#[derive(Debug, Clone)]
pub(super) struct RankLinks<T> {
    pub(super) network: T,
    pub(super) hosts: Vec<Vertex>,
    /// Latency L.
    pub(super) latency: Time,
    /// The propagation delay of each link; empty if no link has one.
    delays: Vec<Time>,
    carried: Vec<u64>,
    /// Scratch memory for a route.
    scratch_route: Vec<LinkId>,
}

impl<T: Deref<Target = Network>> RankLinks<T> {
    /// Creates links without traffic.
    pub(super) fn new(network: T, hosts: Vec<Vertex>, latency: Time) -> Self {
        let links = network.links();
        let mut delays: Vec<Time> = links.iter().map(|link| Time::of(link.delay)).collect();
        if delays.iter().all(|delay| *delay == Time::ZERO) {
            delays.clear();
        }
        Self {
            carried: vec![0; links.len()],
            delays,
            scratch_route: Vec::new(),
            network,
            hosts,
            latency,
        }
    }

    /// Writes the links between two ranks into `route`; none within a host.
    pub(super) fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        let [from, to] = [from, to].map(|rank| self.hosts[rank.0 as usize]);
        self.network.route(from, to, route);
    }

    /// L and the propagation delays of a route.
    pub(super) fn latency(&self, route: &[LinkId]) -> Time {
        let delay = |link: &LinkId| self.delays.get(link.index()).copied().unwrap_or(Time::ZERO);
        route.iter().map(delay).fold(self.latency, |sum, delay| sum + delay)
    }

    /// L and the propagation delays between two ranks.
    pub(super) fn latency_between(&mut self, from: Rank, to: Rank) -> Time {
        if self.delays.is_empty() {
            return self.latency;
        }
        let mut route = std::mem::take(&mut self.scratch_route);
        self.route(from, to, &mut route);
        let latency = self.latency(&route);
        self.scratch_route = route;
        latency
    }

    /// Adds `bytes` to the traffic of each link of a route.
    pub(super) fn add_traffic(&mut self, route: &[LinkId], bytes: u64) {
        for link in route {
            self.carried[link.index()] += bytes;
        }
    }

    /// Traffic of all links, in their order.
    pub(super) fn uses(&self) -> Vec<LinkUse> {
        let links = self.network.links().iter().zip(&self.carried);
        let uses = (0..).map(LinkId).zip(links);
        uses.map(|(id, (link, &bytes))| LinkUse {
            name: self.network.link_name(id),
            bytes,
            busy: Time::of(Seconds(bytes as f64 / link.rate.0)),
        })
        .collect()
    }
}
