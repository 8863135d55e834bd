//! Max–min fair sharing: all messages under way progress at once, each as fast as fair shares of
//! the links on its route allow.
//!
//! # Formula
//! A message of m bytes crosses the links of its route at one rate r(t), in bytes per second. Rates are max–min fair:
//! the rates on a link sum to at most the link's rate, and speeding up any message would slow a message that is no
//! faster. Rates change when a message starts or ends. The last byte leaves when ∫ r dt = m; then the send is
//! complete, and the message is delivered after the latency L.
//!
//! # Domain
//! A rank may have any number of messages under way. Messages between ranks on one host, and
//! empty messages, take L alone. Buffers are not modelled: no message is lost, and rates adapt at
//! once. The end of each message is rounded to a picosecond. Lengths are exact up to 2⁵³ bytes.
//!
//! # Source
//! Bertsekas and Gallager 1992, Data Networks, section 6.5.2 (max–min fairness). The model follows Velho and Legrand
//! 2009 (`SimGrid`) without its corrections for the round-trip time.
//!
//! ```
//! # use netsig_base::algorithm::{Algorithm, Collective};
//! # use netsig_base::units::BitsPerSecond;
//! # use netsig_sim::network::fluid::Fluid;
//! # use netsig_base::network::{LinkSpec, Network}; use netsig_sim::{Time, run, rounds::ScheduleProgram};
//! # use netsig_base::units::{Bytes, Procs};
//! // All-to-all among 8 hosts of 1 Gbit/s: 7·10⁴ B · 8 ns/B + 50 µs = 610 µs.
//! let star = Network::star(8, LinkSpec::new(BitsPerSecond(1000_000_000), Bytes(65536)))?;
//! let mut network = Fluid::new(&star, star.all_hosts().collect(), Time(50_000_000));
//! let direct = Algorithm::parse(Collective::Alltoall, "direct")?;
//! let mut program = ScheduleProgram::new(direct.schedule(Procs::new(8)?, Bytes(10_000)));
//! let outcome = run(&mut program, &mut network, &mut ())?;
//! assert_eq!(outcome.time, Time(610_000_000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fair_rates;
mod flows;
mod group;
mod partition;
mod parts;
pub mod sharing;

use netsig_base::network::{LinkId, Network, Vertex};
use netsig_base::units::Rank;

use super::links::RankLinks;
use super::{Agenda, Flight, InjectionTimes, LinkUse, Medium, slot};
use crate::program::FlightId;
use crate::time::Time;
use sharing::LinkSharing;

/// Network model of fairly shared links, with the host of each rank.
#[derive(Debug)]
pub struct Fluid<'a> {
    links: RankLinks<&'a Network>,
    sharing: LinkSharing,
    /// L and the propagation delays of each message under way.
    latencies: Vec<Time>,
    route: Vec<LinkId>,
}

impl<'a> Fluid<'a> {
    /// Creates the model with the host of each rank, a host of `network`, and the latency L.
    pub fn new(network: &'a Network, hosts: Vec<Vertex>, latency: Time) -> Self {
        Self {
            sharing: LinkSharing::new(network.links().iter().map(|link| link.rate)),
            latencies: Vec::new(),
            links: RankLinks::new(network, hosts, latency),
            route: Vec::new(),
        }
    }
}

impl Medium for Fluid<'_> {
    fn latency(&mut self, from: Rank, to: Rank) -> Time {
        self.links.latency_between(from, to)
    }

    fn inject(&mut self, id: FlightId, flight: &Flight, agenda: &mut Agenda) -> InjectionTimes {
        self.links.route(flight.from, flight.to, &mut self.route);
        self.links.add_traffic(&self.route, flight.bytes);
        if self.route.is_empty() || flight.bytes == 0 {
            return agenda.deliver_at_once(id, self.links.latency(&self.route));
        }
        *slot(&mut self.latencies, id) = self.links.latency(&self.route);
        self.sharing.add(id, &self.route, flight.bytes as f64);
        agenda.request_settling();
        InjectionTimes::under_way(agenda)
    }

    fn wake(&mut self, _: u32, agenda: &mut Agenda) {
        let now = agenda.now();
        if !self.sharing.is_due(now) {
            return;
        }
        let latencies = &self.latencies;
        self.sharing.finish(now, |flow| {
            agenda.schedule_sent(now, flow);
            agenda.schedule_delivery(now + latencies[flow as usize], flow);
        });
        agenda.request_settling();
    }

    fn settle(&mut self, agenda: &mut Agenda) {
        self.sharing.settle(agenda.now());
        self.sharing.set_alarm(0, agenda);
    }

    fn links(&self) -> Vec<LinkUse> {
        self.links.uses()
    }
}

#[cfg(test)]
mod tests;
