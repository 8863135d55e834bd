//! `PlogPT` message by message: shared links of a tree, and retransmission timeouts where the
//! last packet of one message meets the first packet of the next.
//!
//! # Formula
//! The send of a message of m bytes that begins at e ends at `f = e + m / throughput`. The
//! message is received at f + L, or `T_RTO` later if its last packet is lost. The throughput is
//! the minimum, over the links of the route, of the rate divided by the number of messages of C
//! on the link.
//!
//! A message from a to d loses its last packet if (1) another message, from another rank to d,
//! begins when it ends, (2) m > b·d, the buffer at the greater effective height of the two, and
//! (3) their effective heights differ.
//!
//! The height of a link is 1 at the hosts and otherwise one more than that of the highest link
//! below it; the effective height of a message is that of the highest link of its route that is
//! not negligible. A link is negligible if it has no delay and its rate is at least the sum of
//! the rates of the links below it: in a binary tree, `b_h ≥ 2·b_(h−1)`.
//!
//! # Choices
//! With [`Sharing::Fixed`], C is the set of messages that begin in the same instant, and their
//! throughput does not change. With [`Sharing::Fluid`], C is the set of all messages under way,
//! and shares of a link change whenever one of its messages begins or ends.
//!
//! "When it ends" has a tolerance of 10⁻⁹ of the elapsed time, but of at most L, after which the
//! whole message has arrived.
//!
//! A [`PlogPT`] alone implements [`RtoMode::Receiver`]; [`run`] also implements
//! [`RtoMode::TwoPass`]. Where two links of a route have the effective height, the buffer is that
//! of the link nearer to the receiver.
//!
//! # Domain
//! Hosts and switches that form a tree. The model has no rendezvous of its own, and a rank may
//! have any number of messages under way. Messages between ranks on one host take L alone, share
//! no link and lose no packet; such ranks are separate receivers.
//!
//! # Source
//! Nomura, Matsuba, Ishikawa 2007 (`PlogPT`, slides of IEEE Cluster); for points that the slides
//! leave open, see [`netsig_model::model::alltoall::plogpt`]. Trees that are not binary are netsig's own.
//!
//! ```
//! # use netsig_base::algorithm::{Algorithm, Collective};
//! # use netsig_base::units::BytesPerSecond;
//! # use netsig_base::network::{Edge, Network};
//! # use netsig_sim::network::plogpt::{Options, PlogPT};
//! # use netsig_sim::{Time, run, rounds::Rounds};
//! # use netsig_base::units::{Bytes, Procs, Seconds};
//! // Two and two hosts at 1 Gbit/s, joined by 1 Gbit/s with 4550 bytes of buffer.
//! let edge = |d| Edge { bandwidth: BytesPerSecond(125e6), delay: Seconds(d) };
//! let tree = Network::binary_tree(vec![edge(0.0), edge(3.64e-5)])?;
//! let hosts = tree.all_hosts().collect();
//! let mut network = PlogPT::new(tree, hosts, &Options::new(Seconds(5e-5)))?;
//! let algorithm = Algorithm::parse(Collective::Alltoall, "pairwise")?;
//! let mut program = Rounds::new(algorithm.schedule(Procs::new(4)?, Bytes(10_000)));
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
use netsig_model::model::alltoall::plogpt::Negligible;
pub use passes::run;
pub(crate) use traffic::tolerance;

use std::sync::Arc;

use serde::Deserialize;
use strum::{EnumIter, EnumMessage};

use crate::network::links::Links;
use crate::network::{Agenda, Flight, Injected, LinkUse, Medium};
use crate::program::FlightId;
use crate::time::Time;
use fixed::Counts;
use fluid::Flows;
use passes::Pass;
use timeouts::Beginnings;
use traffic::{Stage, Traffic};

#[cfg(doc)]
use netsig_model::model::alltoall::plogpt::RtoMode;

/// Set of messages that share a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, EnumIter, EnumMessage, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Sharing {
    /// The messages that begin at the same time.
    #[default]
    Fixed,
    /// The messages that are under way.
    Fluid,
}

/// L, the timeout and the variants of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Latency L.
    pub latency: Seconds,
    /// Retransmission timeout `T_RTO`.
    pub rto: Seconds,
    /// Rule that makes a link negligible.
    pub negligible: Negligible,
    /// Set of messages that share a link.
    pub sharing: Sharing,
}

impl Options {
    /// This L, with the timeout of Linux and the default variants.
    pub fn new(latency: Seconds) -> Self {
        Self {
            latency,
            rto: LINUX_RTO,
            negligible: Negligible::default(),
            sharing: Sharing::default(),
        }
    }
}

/// Network model of a tree with shared links and losses of last packets.
#[derive(Debug, Clone)]
pub struct PlogPT {
    links: Links<Arc<Network>>,
    traffic: Traffic,
    shares: Shares,
    /// Messages that have begun in this instant.
    begun: Vec<FlightId>,
    /// Messages that are sent, but whose loss is undecided.
    ended: Vec<FlightId>,
    beginnings: Beginnings,
    pass: Pass,
}

#[derive(Debug, Clone)]
enum Shares {
    Fixed(Counts),
    Fluid(Flows),
}

impl PlogPT {
    /// Creates the model on any tree, with the host of each rank. A port's buffer is b·d in a
    /// binary tree.
    ///
    /// # Errors
    /// If the network is not a tree, a rank is not on one of its hosts, or a time is negative.
    pub fn new(
        network: impl Into<Arc<Network>>,
        hosts: Vec<Vertex>,
        options: &Options,
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
            Sharing::Fixed => Shares::Fixed(Counts::new(wires.len())),
            Sharing::Fluid => Shares::Fluid(Flows::new(wires.len())),
        };
        Ok(Self {
            traffic: Traffic::new(wires, options),
            shares,
            begun: Vec::new(),
            ended: Vec::new(),
            beginnings: Beginnings::new(hosts.len()),
            pass: Pass::Receiver,
            links: Links::new(network, hosts, Time::of(options.latency)),
        })
    }

    /// Starts a message on its route; false if it stays within a host.
    fn begin(&mut self, id: FlightId, agenda: &mut Agenda) -> bool {
        let message = &mut self.traffic.messages[id as usize];
        self.links
            .route(message.flight.from, message.flight.to, &mut message.route);
        self.links.carry(&message.route, message.flight.bytes);
        if message.route.is_empty() {
            let now = agenda.now();
            agenda.sent(now, id);
            agenda.delivered(now + self.links.latency, id);
            return false;
        }
        self.traffic.find_way(id);
        let message = &self.traffic.messages[id as usize];
        self.beginnings.begin(message, agenda.now());
        true
    }

    /// Decides whether the last packet of a message is lost, and schedules its reception.
    fn receive(&mut self, id: FlightId, agenda: &mut Agenda) {
        let message = &self.traffic.messages[id as usize];
        let since = message.finish - self.traffic.tolerance(message);
        let meets = || self.beginnings.meets(message, since);
        let cause = self.pass.cause(message, meets);
        let is_searching = matches!(self.pass, Pass::Search(_));
        let delay = match &cause {
            Some(_) if !is_searching => self.traffic.rto,
            _ => Time::ZERO,
        };
        let latency = self.links.latency(&message.route);
        agenda.delivered(message.finish + latency + delay, id);
        if let Some(cause) = cause {
            agenda.lost(&message.flight, delay, cause);
        }
    }
}

impl Medium for PlogPT {
    fn latency(&mut self, from: Rank, to: Rank) -> Time {
        self.links.between(from, to)
    }

    fn inject(&mut self, id: FlightId, flight: &Flight, agenda: &mut Agenda) -> Injected {
        let pass = self.pass.inject(flight, self.traffic.rto);
        self.traffic.put(id, flight, pass);
        self.begun.push(id);
        agenda.settle();
        Injected::under_way(agenda)
    }

    fn wake(&mut self, token: u32, agenda: &mut Agenda) {
        let message = &mut self.traffic.messages[token as usize];
        match (message.stage, &mut self.shares) {
            (Stage::Moving, Shares::Fluid(flows)) if message.finish == agenda.now() => {
                flows.remove(token, message);
                self.traffic.send(token, agenda);
            }
            (Stage::Ending, _) if message.known == agenda.now() => {
                message.stage = Stage::Absent;
                self.ended.push(token);
            }
            _ => return,
        }
        agenda.settle();
    }

    fn settle(&mut self, agenda: &mut Agenda) {
        let mut begun = std::mem::take(&mut self.begun);
        begun.retain(|&id| self.begin(id, agenda));
        match &mut self.shares {
            Shares::Fixed(counts) => counts.share(&begun, &mut self.traffic, agenda),
            Shares::Fluid(flows) => flows.share(&begun, &mut self.traffic, agenda),
        }
        begun.clear();
        self.begun = begun;
        let mut ended = std::mem::take(&mut self.ended);
        for id in ended.drain(..) {
            self.receive(id, agenda);
        }
        self.ended = ended;
    }

    fn links(&self) -> Vec<LinkUse> {
        self.links.uses()
    }
}

#[cfg(test)]
mod tests;
