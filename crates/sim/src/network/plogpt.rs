//! `PlogPT` message by message: shared links of a tree, and retransmission timeouts where the last packet of one
//! message meets the first packet of the next.
//!
//! # Formula
//! The send of a message of m bytes that begins at e ends at `f = e + m / throughput`. The
//! message is received at f + L, or `T_RTO` later if its last packet is lost. The throughput is
//! the minimum, over the links of the route, of the rate divided by the number of messages of C
//! on the link.
//!
//! A message loses its last packet under three conditions: (1) a message from another rank to the same receiver
//! begins when it ends; (2) m > b·d, the buffer at the greater effective height of the two messages; (3) their
//! effective heights differ.
//!
//! The height of a link is 1 at the hosts and otherwise one more than the height of the highest link below it. The
//! effective height of a message is the height of the highest link of its route that is not negligible. A link is
//! negligible if it has no delay and its rate is at least the sum of the rates of the links below it: in a binary
//! tree, `b_h ≥ 2·b_(h−1)`.
//!
//! # Choices
//! With [`PlogptSharing::Fixed`], C is the set of messages that begin in the same instant, and their throughput does
//! not change. With [`PlogptSharing::Fluid`], C is the set of all messages under way, and shares of a link change
//! whenever one of its messages begins or ends.
//!
//! "When it ends" has a tolerance of 10⁻⁹ of the elapsed time, but of at most L, after which the
//! whole message has arrived.
//!
//! A [`PlogptNetwork`] alone implements [`RtoMode::Receiver`]; [`run_passes`] also implements [`RtoMode::TwoPass`].
//! Where two links of a route have the effective height, the link nearer to the receiver determines the buffer.
//!
//! # Domain
//! Hosts and switches that form a tree. The model has no rendezvous of its own, and a rank may
//! have any number of messages under way. Messages between ranks on one host take L alone, share
//! no link and lose no packet; such ranks are separate receivers.
//!
//! # Source
//! Nomura, Matsuba, Ishikawa 2007 (`PlogPT`, slides of IEEE Cluster); for points that the slides leave open, see
//! [`netsig_model::model::alltoall::plogpt`]. Trees that are not binary are netsig's own.
//!
//! ```
//! # use netsig_base::algorithm::{Algorithm, Collective};
//! # use netsig_base::units::BytesPerSecond;
//! # use netsig_base::network::{Network, TreeEdge};
//! # use netsig_sim::network::plogpt::{PlogptNetwork, PlogptOptions};
//! # use netsig_sim::{Time, run, rounds::ScheduleProgram};
//! # use netsig_base::units::{Bytes, Procs, Seconds};
//! // Two and two hosts at 1 Gbit/s, joined by 1 Gbit/s with 4550 bytes of buffer.
//! let edge = |d| TreeEdge { bandwidth: BytesPerSecond(125e6), delay: Seconds(d) };
//! let tree = Network::binary_tree(vec![edge(0.0), edge(3.64e-5)])?;
//! let hosts = tree.all_hosts().collect();
//! let mut network = PlogptNetwork::new(tree, hosts, &PlogptOptions::new(Seconds(5e-5)))?;
//! let algorithm = Algorithm::parse(Collective::Alltoall, "pairwise")?;
//! let mut program = ScheduleProgram::new(algorithm.schedule(Procs::new(4)?, Bytes(10_000)));
//! let outcome = run(&mut program, &mut network, &mut ())?;
//! assert_eq!(outcome.time, Time::of(Seconds(5.5e-4)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fixed;
mod fluid;
mod passes;
mod timeouts;
mod traffic;
mod wires;

use netsig_base::network::{LINUX_RTO, Network, Vertex};
use netsig_base::units::parameter::{ParameterError, non_negative};
use netsig_base::units::{Rank, Seconds};
use netsig_model::model::alltoall::plogpt::PlogptEdgeRule;
pub use passes::run_passes;
pub(crate) use traffic::tolerance;

use std::sync::Arc;

use serde::Deserialize;
use strum::{EnumIter, EnumMessage};

use crate::network::links::RankLinks;
use crate::network::{Agenda, Flight, InjectionTimes, LinkUse, Medium};
use crate::program::FlightId;
use crate::time::Time;
use fixed::PlogptLinkCounts;
use fluid::PlogptFlows;
use passes::PlogptPass;
use timeouts::RecentBegins;
use traffic::{PlogptStage, PlogptTraffic};

#[cfg(doc)]
use netsig_model::model::alltoall::plogpt::RtoMode;

/// Set of messages that share a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, EnumIter, EnumMessage, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum PlogptSharing {
    /// The messages that begin at the same time.
    #[default]
    Fixed,
    /// The messages that are under way.
    Fluid,
}

/// L, the timeout and the variants of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlogptOptions {
    /// Latency L.
    pub latency: Seconds,
    /// Retransmission timeout `T_RTO`.
    pub rto: Seconds,
    /// Rule that makes a link negligible.
    pub negligible: PlogptEdgeRule,
    /// Set of messages that share a link.
    pub sharing: PlogptSharing,
}

impl PlogptOptions {
    /// This L, with the timeout of Linux and the default variants.
    pub fn new(latency: Seconds) -> Self {
        Self {
            latency,
            rto: LINUX_RTO,
            negligible: PlogptEdgeRule::default(),
            sharing: PlogptSharing::default(),
        }
    }
}

/// Network model of a tree with shared links and losses of last packets.
#[derive(Debug, Clone)]
pub struct PlogptNetwork {
    links: RankLinks<Arc<Network>>,
    traffic: PlogptTraffic,
    shares: PlogptShares,
    /// Messages that have begun in this instant.
    begun_messages: Vec<FlightId>,
    /// Messages that are sent, but whose loss is undecided.
    sent_messages: Vec<FlightId>,
    beginnings: RecentBegins,
    pass: PlogptPass,
}

#[derive(Debug, Clone)]
enum PlogptShares {
    Fixed(PlogptLinkCounts),
    Fluid(PlogptFlows),
}

impl PlogptNetwork {
    /// Creates the model on any tree, with the host of each rank. A port's buffer is b·d in a
    /// binary tree.
    ///
    /// # Errors
    /// If the network is not a tree, a rank is not on one of its hosts, or a time is negative.
    pub fn new(
        network: impl Into<Arc<Network>>,
        hosts: Vec<Vertex>,
        options: &PlogptOptions,
    ) -> Result<Self, ParameterError> {
        let network = network.into();
        non_negative("L", options.latency.0)?;
        non_negative("rto", options.rto.0)?;
        if let Some(host) = hosts.iter().find(|host| !network.is_host(**host)) {
            let rule = "the number of a host of the network";
            return Err(ParameterError::new("host of a rank", host.0, rule));
        }
        if !network.is_tree() {
            let rule = "one less than hosts and switches, as in a tree, for PlogPT";
            let cables = network.links().len() / 2;
            return Err(ParameterError::new("number of cables", cables, rule));
        }
        let wires = wires::wires(&network, options.negligible);
        let shares = match options.sharing {
            PlogptSharing::Fixed => PlogptShares::Fixed(PlogptLinkCounts::new(wires.len())),
            PlogptSharing::Fluid => PlogptShares::Fluid(PlogptFlows::new(wires.len())),
        };
        Ok(Self {
            traffic: PlogptTraffic::new(wires, options),
            shares,
            begun_messages: Vec::new(),
            sent_messages: Vec::new(),
            beginnings: RecentBegins::new(hosts.len()),
            pass: PlogptPass::Receiver,
            links: RankLinks::new(network, hosts, Time::of(options.latency)),
        })
    }

    /// Starts a message on its route; false if it stays within a host.
    fn begin(&mut self, id: FlightId, agenda: &mut Agenda) -> bool {
        let message = &mut self.traffic.messages[id as usize];
        self.links
            .route(message.flight.from, message.flight.to, &mut message.route);
        self.links.add_traffic(&message.route, message.flight.bytes);
        if message.route.is_empty() {
            let now = agenda.now();
            agenda.schedule_sent(now, id);
            agenda.schedule_delivery(now + self.links.latency, id);
            return false;
        }
        self.traffic.find_effective_link(id);
        let message = &self.traffic.messages[id as usize];
        self.beginnings.begin(message, agenda.now());
        true
    }

    /// Decides whether the last packet of a message is lost, and schedules its reception.
    fn decide_loss(&mut self, id: FlightId, agenda: &mut Agenda) {
        let message = &self.traffic.messages[id as usize];
        let since = message.finish - self.traffic.tolerance(message);
        let meets = || self.beginnings.loss_cause(message, since);
        let cause = self.pass.cause(message, meets);
        let is_searching = matches!(self.pass, PlogptPass::Search(_));
        let delay = match &cause {
            Some(_) if !is_searching => self.traffic.rto,
            _ => Time::ZERO,
        };
        let latency = self.links.latency(&message.route);
        agenda.schedule_delivery(message.finish + latency + delay, id);
        if let Some(cause) = cause {
            agenda.record_loss(&message.flight, delay, cause);
        }
    }
}

impl Medium for PlogptNetwork {
    fn latency(&mut self, from: Rank, to: Rank) -> Time {
        self.links.latency_between(from, to)
    }

    fn inject(&mut self, id: FlightId, flight: &Flight, agenda: &mut Agenda) -> InjectionTimes {
        let (occurrence, sender_delay) = self.pass.inject(flight, self.traffic.rto);
        self.traffic.put(id, flight, occurrence, sender_delay);
        self.begun_messages.push(id);
        agenda.request_settling();
        InjectionTimes::under_way(agenda)
    }

    fn wake(&mut self, token: u32, agenda: &mut Agenda) {
        let message = &mut self.traffic.messages[token as usize];
        match (message.stage, &mut self.shares) {
            (PlogptStage::Moving, PlogptShares::Fluid(flows)) if message.finish == agenda.now() => {
                flows.remove(token, message);
                self.traffic.send(token, agenda);
            }
            (PlogptStage::Ending, _) if message.decision_time == agenda.now() => {
                message.stage = PlogptStage::Absent;
                self.sent_messages.push(token);
            }
            _ => return,
        }
        agenda.request_settling();
    }

    fn settle(&mut self, agenda: &mut Agenda) {
        let mut begun = std::mem::take(&mut self.begun_messages);
        begun.retain(|&id| self.begin(id, agenda));
        match &mut self.shares {
            PlogptShares::Fixed(counts) => counts.share(&begun, &mut self.traffic, agenda),
            PlogptShares::Fluid(flows) => flows.share(&begun, &mut self.traffic, agenda),
        }
        begun.clear();
        self.begun_messages = begun;
        let mut ended = std::mem::take(&mut self.sent_messages);
        for id in ended.drain(..) {
            self.decide_loss(id, agenda);
        }
        self.sent_messages = ended;
    }

    fn links(&self) -> Vec<LinkUse> {
        self.links.uses()
    }
}

#[cfg(test)]
mod tests;
