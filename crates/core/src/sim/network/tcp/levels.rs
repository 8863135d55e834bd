//! Which flows are on which links, and which link holds a flow back.

use crate::network::topology::LinkId;
use crate::sim::network::fluid::sharing::Sharing;

/// Rates that differ by less are equal.
const TOLERANCE: f64 = 1e-9;

/// How fast the flows of a link are.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    /// When that was found out.
    stamp: u64,
    sum: f64,
    most: f64,
}

/// A flow on a link, and which link of its route that is.
#[derive(Debug, Clone, Copy)]
struct Member {
    flow: u32,
    hop: usize,
}

/// The flows of each link.
#[derive(Debug)]
pub(super) struct Levels {
    rates: Vec<f64>,
    members: Vec<Vec<Member>>,
    /// Where each flow stands among the members of each link of its route.
    places: Vec<Vec<usize>>,
    known: Vec<Level>,
    /// What waits at each link, and when that was found out.
    queues: Vec<(u64, f64)>,
    stamp: u64,
}

impl Levels {
    /// No flows on links of these rates.
    pub(super) fn new(rates: Vec<f64>) -> Self {
        Self {
            members: vec![Vec::new(); rates.len()],
            places: Vec::new(),
            queues: vec![(0, 0.0); rates.len()],
            known: vec![Level::default(); rates.len()],
            rates,
            stamp: 1,
        }
    }

    /// How many flows are on a link.
    pub(super) fn count(&self, link: LinkId) -> usize {
        self.members[link.index()].len()
    }

    /// The flow at a place among those on a link.
    pub(super) fn flow(&self, link: LinkId, place: usize) -> u32 {
        self.members[link.index()][place].flow
    }

    /// Puts a flow on its links.
    pub(super) fn insert(&mut self, flow: u32, route: &[LinkId]) {
        let index = flow as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, Vec::new());
        }
        self.places[index].clear();
        for (hop, link) in route.iter().enumerate() {
            let members = &mut self.members[link.index()];
            self.places[index].push(members.len());
            members.push(Member { flow, hop });
        }
    }

    /// Takes a flow off its links.
    pub(super) fn remove(&mut self, flow: u32, route: &[LinkId]) {
        for (hop, link) in route.iter().enumerate() {
            let place = self.places[flow as usize][hop];
            let members = &mut self.members[link.index()];
            members.swap_remove(place);
            if let Some(moved) = members.get(place) {
                self.places[moved.flow as usize][moved.hop] = place;
            }
        }
    }

    /// The rates and the trains have changed.
    pub(super) fn change(&mut self) {
        self.stamp += 1;
    }

    /// The rate of a link.
    pub(super) fn rate(&self, link: LinkId) -> f64 {
        self.rates[link.index()]
    }

    /// The first link of a flow's route that holds it back: it is full, and none of its
    /// flows is faster. What the flow has in flight waits there.
    pub(super) fn bottleneck(
        &mut self,
        flow: u32,
        route: &[LinkId],
        sharing: &Sharing,
    ) -> Option<LinkId> {
        let own = rate(flow, sharing);
        let mut links = route.iter().copied();
        links.find(|&link| {
            let Level { sum, most, .. } = self.level(link, sharing);
            sum >= self.rate(link) * (1.0 - TOLERANCE) && own >= most * (1.0 - TOLERANCE)
        })
    }

    /// What waits at a link, in bytes, if that was found out since the last change.
    pub(super) fn queue(&self, link: LinkId) -> Option<f64> {
        let (stamp, queue) = self.queues[link.index()];
        (stamp == self.stamp).then_some(queue)
    }

    /// Keeps what waits at a link until the next change.
    pub(super) fn keep_queue(&mut self, link: LinkId, queue: f64) {
        self.queues[link.index()] = (self.stamp, queue);
    }

    fn level(&mut self, link: LinkId, sharing: &Sharing) -> Level {
        let known = self.known[link.index()];
        if known.stamp == self.stamp {
            return known;
        }
        let members = self.members[link.index()].iter();
        let rates = members.map(|member| rate(member.flow, sharing));
        let (sum, most) = rates.fold((0.0, 0.0), |(sum, most): (f64, f64), rate| {
            (sum + rate, most.max(rate))
        });
        let stamp = self.stamp;
        self.known[link.index()] = Level { stamp, sum, most };
        self.known[link.index()]
    }
}

/// The rate of a flow in bytes per second.
pub(super) fn rate(flow: u32, sharing: &Sharing) -> f64 {
    sharing.rate(flow).map_or(0.0, |rate| rate.0)
}
