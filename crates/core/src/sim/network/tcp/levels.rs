//! Which flows are on which links, and which link holds a flow back.

use crate::network::LinkId;
use crate::sim::network::fluid::sharing::Sharing;
use crate::sim::network::members::Members;

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

/// The flows of each link, and how fast they are.
#[derive(Debug)]
pub(super) struct Levels {
    rates: Vec<f64>,
    pub(super) members: Members,
    known: Vec<Level>,
    /// What waits at each link, and when that was found out.
    queues: Vec<(u64, f64)>,
    stamp: u64,
}

impl Levels {
    /// No flows on links of these rates.
    pub(super) fn new(rates: Vec<f64>) -> Self {
        Self {
            members: Members::new(rates.len()),
            queues: vec![(0, 0.0); rates.len()],
            known: vec![Level::default(); rates.len()],
            rates,
            stamp: 1,
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
        let rates = self.members.on(link).map(|flow| rate(flow, sharing));
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
