//! Flows on each link, and the bottleneck of each flow.

use netsig_base::network::LinkId;

use crate::network::fluid::sharing::LinkSharing;
use crate::network::members::LinkMembers;

/// Relative difference below which rates are equal.
const TOLERANCE: f64 = 1e-9;

/// Sum and maximum of the rates of a link's flows.
#[derive(Debug, Clone, Copy, Default)]
struct TcpRateSums {
    /// Stamp of the computation.
    stamp: u64,
    sum: f64,
    most: f64,
}

/// The flows of each link, and their rates.
#[derive(Debug)]
pub(super) struct TcpLinkRates {
    rates: Vec<f64>,
    pub(super) members: LinkMembers,
    rate_sums: Vec<TcpRateSums>,
    /// Stamp of the computation, and bytes that wait at each link.
    queues: Vec<(u64, f64)>,
    stamp: u64,
}

impl TcpLinkRates {
    /// Creates links of these rates without flows.
    pub(super) fn new(rates: Vec<f64>) -> Self {
        Self {
            members: LinkMembers::new(rates.len()),
            queues: vec![(0, 0.0); rates.len()],
            rate_sums: vec![TcpRateSums::default(); rates.len()],
            rates,
            stamp: 1,
        }
    }

    /// Invalidates rate sums and queues after a change of rates or trains.
    pub(super) fn invalidate(&mut self) {
        self.stamp += 1;
    }

    /// The rate of a link.
    pub(super) fn rate(&self, link: LinkId) -> f64 {
        self.rates[link.index()]
    }

    /// Bottleneck of a flow: the first link of its route that is full and on which no flow is
    /// faster. The bytes in flight of the flow wait there.
    pub(super) fn bottleneck(&mut self, flow: u32, route: &[LinkId], sharing: &LinkSharing) -> Option<LinkId> {
        let flow_rate = rate(flow, sharing);
        let mut links = route.iter().copied();
        links.find(|&link| {
            let TcpRateSums { sum, most, .. } = self.rate_sums(link, sharing);
            sum >= self.rate(link) * (1.0 - TOLERANCE) && flow_rate >= most * (1.0 - TOLERANCE)
        })
    }

    /// Number of bytes that wait at a link, if computed since the last change.
    pub(super) fn queue(&self, link: LinkId) -> Option<f64> {
        let (stamp, queue) = self.queues[link.index()];
        (stamp == self.stamp).then_some(queue)
    }

    /// Stores the number of bytes that wait at a link until the next change.
    pub(super) fn store_queue(&mut self, link: LinkId, queue: f64) {
        self.queues[link.index()] = (self.stamp, queue);
    }

    fn rate_sums(&mut self, link: LinkId, sharing: &LinkSharing) -> TcpRateSums {
        let known = self.rate_sums[link.index()];
        if known.stamp == self.stamp {
            return known;
        }
        let rates = self.members.flows_on(link).map(|flow| rate(flow, sharing));
        let (sum, most) = rates.fold((0.0, 0.0), |(sum, most): (f64, f64), rate| (sum + rate, most.max(rate)));
        let stamp = self.stamp;
        self.rate_sums[link.index()] = TcpRateSums { stamp, sum, most };
        self.rate_sums[link.index()]
    }
}

/// The rate of a flow in bytes per second.
pub(super) fn rate(flow: u32, sharing: &LinkSharing) -> f64 {
    sharing.rate(flow).map_or(0.0, |rate| rate.0)
}
