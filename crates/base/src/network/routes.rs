//! Routes: by climbing in a tree, by tables of next links in other graphs. A host has one link.

use std::collections::VecDeque;
use std::sync::OnceLock;

use super::link::{Link, LinkId, Vertex};

/// The links that leave each vertex, ordered by the vertex at their end.
#[derive(Debug, Clone)]
pub(super) struct NeighbourLinks {
    hosts: usize,
    links: Vec<LinkId>,
    /// Start of each vertex's links, and the end of the last one's.
    starts: Vec<usize>,
}

impl NeighbourLinks {
    pub(super) fn new(links: &[Link], hosts: usize, vertices: usize) -> Self {
        let mut ids: Vec<LinkId> = (0..).map(LinkId).take(links.len()).collect();
        ids.sort_unstable_by_key(|id| {
            let Link { from, to, .. } = links[id.index()];
            (from, to)
        });
        let mut starts = vec![0; vertices + 1];
        for link in links {
            starts[link.from.index() + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        Self {
            hosts,
            links: ids,
            starts,
        }
    }

    pub(super) fn links_from(&self, vertex: Vertex) -> &[LinkId] {
        let index = vertex.index();
        &self.links[self.starts[index]..self.starts[index + 1]]
    }

    fn vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// A second link between two vertices, if there is one; no route would ever use it.
    pub(super) fn second_link(&self, links: &[Link]) -> Option<LinkId> {
        let same = |pair: &[LinkId]| {
            let [a, b] = [pair[0], pair[1]].map(|id| links[id.index()]);
            (a.from, a.to) == (b.from, b.to)
        };
        let found = self.links.windows(2).find(|pair| same(pair));
        found.map(|pair| pair[0])
    }

    /// Number of links from each vertex to `goal`; `None` if the goal cannot be reached.
    fn distances(&self, links: &[Link], goal: Vertex) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.vertices()];
        distances[goal.index()] = Some(0);
        let mut queue = VecDeque::from([(goal, 0)]);
        while let Some((vertex, distance)) = queue.pop_front() {
            for next in self.links_from(vertex).iter().map(|id| links[id.index()].to) {
                if distances[next.index()].is_none() {
                    distances[next.index()] = Some(distance + 1);
                    queue.push_back((next, distance + 1));
                }
            }
        }
        distances
    }

    /// The next link from each vertex towards `goal`; `None` at the goal itself.
    fn links_towards(&self, links: &[Link], goal: Vertex) -> Box<[Option<LinkId>]> {
        let distances = self.distances(links, goal);
        let next = |vertex: usize| {
            let nearer = distances[vertex]?.checked_sub(1)?;
            let leads = |id: &&LinkId| distances[links[id.index()].to.index()] == Some(nearer);
            self.links_from(Vertex::of(vertex)).iter().find(leads).copied()
        };
        (0..self.vertices()).map(next).collect()
    }
}

/// Method of finding routes.
#[derive(Debug, Clone)]
pub(super) enum NetworkRoutes {
    Tree(TreeRoutes),
    Graph(GraphRoutes),
}

impl NetworkRoutes {
    /// Chooses the method for the graph. The error holds two vertices, the lowest of their parts,
    /// that cannot reach each other.
    pub(super) fn new(neighbours: NeighbourLinks, links: &[Link]) -> Result<Self, (Vertex, Vertex)> {
        let vertices = neighbours.vertices();
        let root = Vertex::of(neighbours.hosts.min(vertices - 1));
        let distances = neighbours.distances(links, root);
        if let Some(far) = distances.iter().position(Option::is_none) {
            let reached = distances.iter().position(Option::is_some);
            let near = reached.expect("the root reaches itself");
            return Err((Vertex::of(near), Vertex::of(far)));
        }
        Ok(if links.len() == 2 * (vertices - 1) {
            Self::Tree(TreeRoutes {
                up: neighbours.links_towards(links, root),
                depths: distances.into_iter().flatten().collect(),
            })
        } else {
            Self::Graph(GraphRoutes {
                tables: vec![OnceLock::new(); vertices],
                neighbours,
            })
        })
    }

    /// The link towards the root from each vertex of a tree, and the number of links to the root;
    /// `None` for other graphs.
    pub(super) fn parents(&self) -> Option<(&[Option<LinkId>], &[u32])> {
        match self {
            Self::Tree(tree) => Some((&tree.up, &tree.depths)),
            Self::Graph(_) => None,
        }
    }

    /// Appends the links from the first host to the second.
    pub(super) fn append(&self, links: &[Link], from: Vertex, to: Vertex, route: &mut Vec<LinkId>) {
        match self {
            Self::Tree(tree) => tree.append(links, from, to, route),
            Self::Graph(graph) => graph.append(links, from, to, route),
        }
    }
}

/// A tree rooted at the first switch.
#[derive(Debug, Clone)]
pub(super) struct TreeRoutes {
    /// The link towards the root from each vertex.
    up: Box<[Option<LinkId>]>,
    /// Number of links to the root from each vertex.
    depths: Vec<u32>,
}

impl TreeRoutes {
    fn link_up(&self, vertex: Vertex) -> LinkId {
        self.up[vertex.index()].expect("only the root has no link up, and it is never left")
    }

    fn parent(&self, links: &[Link], vertex: Vertex) -> Vertex {
        links[self.link_up(vertex).index()].to
    }

    /// The lowest common ancestor of two vertices.
    fn common_ancestor(&self, links: &[Link], mut a: Vertex, mut b: Vertex) -> Vertex {
        while a != b {
            let (depth_a, depth_b) = (self.depths[a.index()], self.depths[b.index()]);
            if depth_a >= depth_b {
                a = self.parent(links, a);
            }
            if depth_b >= depth_a {
                b = self.parent(links, b);
            }
        }
        a
    }

    fn append(&self, links: &[Link], from: Vertex, to: Vertex, route: &mut Vec<LinkId>) {
        let top = self.common_ancestor(links, from, to);
        let climb = |start| {
            let below_top = move |vertex: &Vertex| (*vertex != top).then_some(*vertex);
            let next = move |vertex: &Vertex| below_top(&self.parent(links, *vertex));
            std::iter::successors(below_top(&start), next).map(|vertex| self.link_up(vertex))
        };
        route.extend(climb(from));
        let turn = route.len();
        route.extend(climb(to).map(LinkId::reverse));
        route[turn..].reverse();
    }
}

/// Any graph, with a table for each switch at which a route has ended.
#[derive(Debug, Clone)]
pub(super) struct GraphRoutes {
    neighbours: NeighbourLinks,
    tables: Vec<OnceLock<Box<[Option<LinkId>]>>>,
}

impl GraphRoutes {
    fn append(&self, links: &[Link], from: Vertex, to: Vertex, route: &mut Vec<LinkId>) {
        if from == to {
            return;
        }
        let last = self.neighbours.links_from(to)[0].reverse();
        let goal = links[last.index()].from;
        let table = self.tables[goal.index()].get_or_init(|| self.neighbours.links_towards(links, goal));
        let mut vertex = from;
        while vertex != goal {
            let next = table[vertex.index()].expect("all vertices were found to be joined");
            route.push(next);
            vertex = links[next.index()].to;
        }
        route.push(last);
    }
}
