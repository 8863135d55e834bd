//! Hosts, switches and links of a network, and the routes of messages.

use std::sync::OnceLock;

use super::cut::{self, NetworkCut};
use super::link::{Cable, Link, LinkId, Vertex};
use super::routes::{NeighbourLinks, NetworkRoutes};
use super::{Network, NetworkError};

/// All hosts, switches and links.
#[derive(Debug)]
pub(super) struct NetworkGraph {
    hosts: usize,
    names: Vec<String>,
    links: Vec<Link>,
    routes: NetworkRoutes,
    cuts: OnceLock<Option<Vec<NetworkCut>>>,
}

impl NetworkGraph {
    /// Creates a graph; `names` has the hosts' names, then the switches'.
    pub(super) fn new(hosts: usize, names: Vec<String>, cables: &[Cable]) -> Result<Self, NetworkError> {
        let links: Vec<Link> = cables.iter().flat_map(Cable::links).collect();
        let name = |vertex: Vertex| names[vertex.index()].clone();
        let neighbours = NeighbourLinks::new(&links, hosts, names.len());
        if let Some(id) = neighbours.second_link(&links) {
            let Link { from, to, .. } = links[id.index()];
            return Err(NetworkError::JoinedTwice(name(from), name(to)));
        }
        let routes = NetworkRoutes::new(neighbours, &links)
            .map_err(|(near, far)| NetworkError::NotConnected(name(near), name(far)))?;
        Ok(Self {
            hosts,
            names,
            links,
            routes,
            cuts: OnceLock::new(),
        })
    }
}

impl Network {
    /// The number of hosts and switches.
    pub fn vertices(&self) -> usize {
        self.graph().names.len()
    }

    /// True if the vertex is a host.
    pub fn is_host(&self, vertex: Vertex) -> bool {
        vertex.0 < self.hosts().get()
    }

    /// The name of a host or switch.
    pub fn vertex_name(&self, vertex: Vertex) -> &str {
        &self.graph().names[vertex.index()]
    }

    /// All links; a [`LinkId`] is an index into them.
    pub fn links(&self) -> &[Link] {
        &self.graph().links
    }

    /// The link with this number.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links()[id.index()]
    }

    /// The name of a link: `host3 -> switch0`.
    pub fn link_name(&self, id: LinkId) -> String {
        let Link { from, to, .. } = self.link(id);
        format!("{} -> {}", self.vertex_name(*from), self.vertex_name(*to))
    }

    /// Replaces `route` by the links from one host to another, in order; none if both are the
    /// same host.
    pub fn route(&self, from: Vertex, to: Vertex, route: &mut Vec<LinkId>) {
        route.clear();
        let graph = self.graph();
        graph.routes.append(&graph.links, from, to, route);
    }

    /// The links between switches, each with the hosts behind it; `None` if the switches form no
    /// tree.
    pub fn cuts(&self) -> Option<&[NetworkCut]> {
        let graph = self.graph();
        let found = graph.cuts.get_or_init(|| {
            let (up, depths) = graph.routes.parents()?;
            Some(cut::cuts(&graph.links, graph.hosts, up, depths))
        });
        found.as_deref()
    }
}
