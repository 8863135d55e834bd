//! Flows on each link.

use netsig_base::network::LinkId;

use super::slot;

/// A flow on a link, and the index of the link in the flow's route.
#[derive(Debug, Clone, Copy)]
struct LinkMember {
    flow: u32,
    hop: usize,
}

/// The flows of each link.
#[derive(Debug, Clone)]
pub(super) struct LinkMembers {
    by_link: Vec<Vec<LinkMember>>,
    /// Position of each flow among the members of each link of its route.
    places: Vec<Vec<usize>>,
}

impl LinkMembers {
    /// Creates `links` links without flows.
    pub(super) fn new(links: usize) -> Self {
        Self {
            by_link: vec![Vec::new(); links],
            places: Vec::new(),
        }
    }

    /// Number of flows on a link.
    pub(super) fn count(&self, link: LinkId) -> usize {
        self.by_link[link.index()].len()
    }

    /// The flow at a position among the members of a link.
    pub(super) fn flow(&self, link: LinkId, place: usize) -> u32 {
        self.by_link[link.index()][place].flow
    }

    /// All flows on a link.
    pub(super) fn flows_on(&self, link: LinkId) -> impl Iterator<Item = u32> {
        self.by_link[link.index()].iter().map(|member| member.flow)
    }

    /// Puts a flow on its links.
    pub(super) fn insert(&mut self, flow: u32, route: &[LinkId]) {
        let places = slot(&mut self.places, flow);
        places.clear();
        for (hop, link) in route.iter().enumerate() {
            let members = &mut self.by_link[link.index()];
            places.push(members.len());
            members.push(LinkMember { flow, hop });
        }
    }

    /// Takes a flow off its links.
    pub(super) fn remove(&mut self, flow: u32, route: &[LinkId]) {
        for (hop, link) in route.iter().enumerate() {
            let place = self.places[flow as usize][hop];
            let members = &mut self.by_link[link.index()];
            members.swap_remove(place);
            if let Some(moved) = members.get(place) {
                self.places[moved.flow as usize][moved.hop] = place;
            }
        }
    }
}
