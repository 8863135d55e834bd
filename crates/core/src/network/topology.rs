//! Where hosts are and how they are joined: hosts and switches, the links between them, and
//! the way that a message takes.
//!
//! # Choices
//! A host sends and receives but never passes on what is for another: routes lead through
//! switches alone. Hosts that do pass on, as in a torus, get a switch each. In a tree the
//! route is the only one there is; elsewhere it is a shortest one, and among several of them
//! the next vertex is always the one of the lowest number, as with static routing tables.
//!
//! # Domain
//! At most 1,048,576 hosts and as many switches. Trees need memory for their links alone;
//! other graphs also a table for each switch that some route ended at, of 8 bytes for each
//! host and switch.
//!
//! ```
//! # use netsig_core::units::BytesPerSecond;
//! # use netsig_core::network::topology::{Topology, Vertex};
//! # use netsig_core::units::Bytes;
//! let star = Topology::star(4, BytesPerSecond(125e6), Bytes(65536))?;
//! let mut route = Vec::new();
//! star.route(Vertex(3), Vertex(1), &mut route);
//! let names: Vec<String> = route.iter().map(|&link| star.link_name(link)).collect();
//! assert_eq!(names, ["host3 -> switch0", "switch0 -> host1"]);
//! # Ok::<(), netsig_core::network::topology::TopologyError>(())
//! ```

mod build;
pub mod hosts;
pub mod placement;
mod routes;
pub mod slurm;

use itertools::Itertools;

use crate::units::Bytes;
use crate::units::BytesPerSecond;
use crate::units::parameter::ParameterError;
pub use build::leaves;
use routes::{Neighbours, Routes};

/// The most hosts that a topology may have.
pub const MOST_HOSTS: usize = 1 << 20;

/// The most cables, so that links can be numbered.
const MOST_CABLES: usize = 1 << 24;

/// A host or a switch by its number: first all hosts, then all switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Vertex(pub u32);

impl Vertex {
    fn index(self) -> usize {
        self.0 as usize
    }

    fn of(index: usize) -> Self {
        Self(u32::try_from(index).expect("at most 2^20 hosts and 2^20 switches"))
    }
}

/// One direction of a cable, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

impl LinkId {
    /// The other direction of the same cable.
    #[must_use]
    pub fn reverse(self) -> Self {
        Self(self.0 ^ 1)
    }

    /// The number as a place in a table of all links.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One direction of a cable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Who sends on it.
    pub from: Vertex,
    /// Who receives.
    pub to: Vertex,
    /// What it carries.
    pub rate: BytesPerSecond,
    /// What the port of the sending end holds before it drops. A host never drops what it
    /// sends itself; the value of a link that leaves a host is that of its cable all the same.
    pub buffer: Bytes,
}

/// A full-duplex connection: two links of the same rate and buffer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cable {
    /// A host and a switch, or two switches.
    pub ends: [Vertex; 2],
    /// The rate in each direction.
    pub rate: BytesPerSecond,
    /// What the port at each end holds before it drops.
    pub buffer: Bytes,
}

/// What a topology is made of.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Parts {
    /// The hosts' names, each once: vertices from 0 on.
    pub hosts: Vec<String>,
    /// The switches' names: the vertices after the hosts.
    pub switches: Vec<String>,
    /// What joins them.
    pub cables: Vec<Cable>,
}

/// Why parts make no topology; the message ends in what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TopologyError {
    /// Nothing to route between.
    #[error("a topology without hosts; give at least one")]
    NoHosts,
    /// More than can be numbered.
    #[error("{count} {what} are too many; use at most {most}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        count: usize,
        /// How much there may be.
        most: usize,
    },
    /// Two hosts of one name.
    #[error("two hosts are called {0:?}; give each a name of its own")]
    SameName(String),
    /// A second cable.
    #[error("{0} and {1} are joined twice; join them once, at the sum of the rates")]
    Twice(String, String),
    /// A rate that no link can have.
    #[error("the cable from {0} to {1} has {2} B/s; give a finite rate above 0")]
    Rate(String, String, String),
    /// Vertices that cannot reach each other.
    #[error("no way leads from {0} to {1} through switches; join their parts by a cable")]
    Apart(String, String),
    /// Edges that no tree can have.
    #[error(transparent)]
    Edge(#[from] ParameterError),
}

/// Hosts and switches, joined.
#[derive(Debug, Clone)]
pub struct Topology {
    hosts: usize,
    names: Vec<String>,
    links: Vec<Link>,
    routes: Routes,
}

impl Topology {
    /// A network of these parts, whose cables join a host to a switch or two switches.
    ///
    /// # Errors
    /// If there are no or too many hosts, a cable has no rate, two cables join the same ends,
    /// or some host cannot reach another.
    pub(crate) fn new(parts: Parts) -> Result<Self, TopologyError> {
        check_counts(&parts)?;
        check_names(&parts.hosts)?;
        let hosts = parts.hosts.len();
        let mut names = parts.hosts;
        names.extend(parts.switches);
        check_rates(&parts.cables, &names)?;
        let links: Vec<Link> = parts.cables.iter().flat_map(Cable::links).collect();
        let neighbours = Neighbours::new(&links, hosts, names.len());
        check_twice(&neighbours, &links, &names)?;
        let routes = Routes::new(neighbours, &links).map_err(|(near, far)| {
            let name = |vertex: Vertex| names[vertex.index()].clone();
            TopologyError::Apart(name(near), name(far))
        })?;
        Ok(Self {
            hosts,
            names,
            links,
            routes,
        })
    }

    /// All hosts, ascending.
    pub fn hosts(&self) -> impl ExactSizeIterator<Item = Vertex> + use<> {
        (0..Vertex::of(self.hosts).0).map(Vertex)
    }

    /// How many hosts and switches there are.
    pub fn vertices(&self) -> usize {
        self.names.len()
    }

    /// Whether the vertex is a host.
    pub fn is_host(&self, vertex: Vertex) -> bool {
        vertex.index() < self.hosts
    }

    /// What people call the vertex.
    pub fn name(&self, vertex: Vertex) -> &str {
        &self.names[vertex.index()]
    }

    /// All links; a [`LinkId`] is a place in them.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The link of this number.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.index()]
    }

    /// What people call the link: `host3 -> switch0`.
    pub fn link_name(&self, id: LinkId) -> String {
        let Link { from, to, .. } = self.link(id);
        format!("{} -> {}", self.name(*from), self.name(*to))
    }

    /// Puts the links from one host to another, in order, in `route` and nothing else; none
    /// if both are the same host.
    pub fn route(&self, from: Vertex, to: Vertex, route: &mut Vec<LinkId>) {
        route.clear();
        self.routes.append(&self.links, (from, to), route);
    }
}

impl Cable {
    /// Its two directions.
    fn links(&self) -> [Link; 2] {
        let [a, b] = self.ends;
        let link = |from, to| Link {
            from,
            to,
            rate: self.rate,
            buffer: self.buffer,
        };
        [link(a, b), link(b, a)]
    }
}

fn check_counts(parts: &Parts) -> Result<(), TopologyError> {
    if parts.hosts.is_empty() {
        return Err(TopologyError::NoHosts);
    }
    let counts = [
        ("hosts", parts.hosts.len(), MOST_HOSTS),
        ("switches", parts.switches.len(), MOST_HOSTS),
        ("cables", parts.cables.len(), MOST_CABLES),
    ];
    match counts.into_iter().find(|(_, count, most)| count > most) {
        Some((what, count, most)) => Err(TopologyError::TooMany { what, count, most }),
        None => Ok(()),
    }
}

fn check_names(hosts: &[String]) -> Result<(), TopologyError> {
    match hosts.iter().duplicates().next() {
        Some(name) => Err(TopologyError::SameName(name.clone())),
        None => Ok(()),
    }
}

fn check_rates(cables: &[Cable], names: &[String]) -> Result<(), TopologyError> {
    for Cable { ends, rate, .. } in cables {
        if !(rate.0.is_finite() && rate.0 > 0.0) {
            let [a, b] = ends.map(|end| names[end.index()].clone());
            return Err(TopologyError::Rate(a, b, rate.0.to_string()));
        }
    }
    Ok(())
}

/// Refuses a second cable between two vertices, which no route would ever take.
fn check_twice(
    neighbours: &Neighbours,
    links: &[Link],
    names: &[String],
) -> Result<(), TopologyError> {
    for vertex in (0..names.len()).map(Vertex::of) {
        let out = neighbours.of(vertex);
        let to = |id: LinkId| links[id.index()].to;
        if let Some(pair) = out.windows(2).find(|pair| to(pair[0]) == to(pair[1])) {
            let name = |vertex: Vertex| names[vertex.index()].clone();
            return Err(TopologyError::Twice(name(vertex), name(to(pair[0]))));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
