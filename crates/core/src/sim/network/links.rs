//! Ranks on the hosts of a topology, and what passes its links.

use std::ops::Deref;

use super::LinkUse;
use crate::network::topology::{LinkId, Topology, Vertex};
use crate::sim::time::Time;
use crate::units::{Rank, Seconds};

/// A topology, borrowed or shared, with the host of each rank and the bytes that each link
/// carried.
#[derive(Debug, Clone)]
pub(super) struct Links<T> {
    pub(super) topology: T,
    pub(super) hosts: Vec<Vertex>,
    carried: Vec<u64>,
}

impl<T: Deref<Target = Topology>> Links<T> {
    /// Links that carried nothing yet.
    pub(super) fn new(topology: T, hosts: Vec<Vertex>) -> Self {
        Self {
            carried: vec![0; topology.links().len()],
            topology,
            hosts,
        }
    }

    /// The links on the way between two ranks; none within a host.
    pub(super) fn route(&self, from: Rank, to: Rank, route: &mut Vec<LinkId>) {
        let [from, to] = [from, to].map(|rank| self.hosts[rank.0 as usize]);
        self.topology.route(from, to, route);
    }

    /// So many bytes pass each link of a route.
    pub(super) fn carry(&mut self, route: &[LinkId], bytes: u64) {
        for link in route {
            self.carried[link.index()] += bytes;
        }
    }

    /// How all links were used, in their order.
    pub(super) fn uses(&self) -> Vec<LinkUse> {
        let links = self.topology.links().iter().zip(&self.carried);
        let uses = (0..).map(LinkId).zip(links);
        uses.map(|(id, (link, &bytes))| LinkUse {
            name: self.topology.link_name(id),
            bytes,
            busy: Time::of(Seconds(bytes as f64 / link.rate.0)),
        })
        .collect()
    }
}
