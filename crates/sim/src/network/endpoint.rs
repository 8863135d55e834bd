//! Network of ports alone: a message occupies its sender's port and then its receiver's port, and
//! any number of messages travel between them.
//!
//! # Formula
//! In a network with the gap g(m), the latency L and the overhead o, a sender begins successive
//! messages at least g(m) apart. A message begins to arrive o + L after its start, or when the
//! receiver's port is free; the port takes successive messages at least g(m) apart as well.
//!
//! | | `LogGP` | pLogP |
//! |---|---|---|
//! | interval at a port | max(o, g + (m − 1)·G) | g(m) |
//! | duration of the arrival | (m − 1)·G | g(m) |
//! | overhead on either processor | o | 0: g(m) includes the overheads |
//! | send complete | after o | after g(m) |
//!
//! An empty message counts as one byte in `LogGP`.
//!
//! # Domain
//! Ranks that share a host have separate ports.
//!
//! # Source
//! Alexandrov, Ionescu, Schauser, Scheiman 1995 (`LogGP`); Kielmann, Bal, Verstoep 2000 (pLogP).
//! The ports of receivers, which neither source has, follow Hoefler, Schneider, Lumsdaine 2010
//! (`LogGOPSim`).

use netsig_base::units::{Bytes, Procs, Rank};
use netsig_model::model::message::loggp::LogGP;
use netsig_model::model::plogp::PLogP;

use crate::network::{Agenda, Flight, InjectionTimes, Medium};
use crate::program::FlightId;
use crate::time::Time;

/// The parameters of ports.
#[derive(Debug, Clone, PartialEq)]
pub enum PortParameters {
    /// L, o, g and G.
    LogGP(LogGP),
    /// L and g(m).
    PLogP(PLogP),
}

/// Costs of a message of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortCosts {
    /// Overhead o on either processor.
    pub overhead: Time,
    /// Least time between the starts of two messages at a port.
    pub interval: Time,
    /// Duration of the arrival.
    pub body: Time,
}

impl PortParameters {
    /// Latency L.
    pub fn latency(&self) -> Time {
        Time::of(match self {
            Self::LogGP(model) => model.latency(),
            Self::PLogP(model) => model.latency(),
        })
    }

    /// Costs of a message of `bytes`.
    pub fn costs(&self, bytes: u64) -> PortCosts {
        match self {
            Self::LogGP(model) => {
                let overhead = Time::of(model.overhead());
                let body = Time::of(model.gap_per_byte() * Bytes(bytes.saturating_sub(1)));
                PortCosts {
                    overhead,
                    interval: overhead.max(Time::of(model.gap()) + body),
                    body,
                }
            }
            Self::PLogP(model) => {
                let gap = Time::of(model.g(Bytes(bytes)));
                PortCosts {
                    overhead: Time::ZERO,
                    interval: gap,
                    body: gap,
                }
            }
        }
    }
}

/// The ports of all ranks.
#[derive(Debug)]
pub struct Endpoint {
    ports: PortParameters,
    latency: Time,
    /// Time at which each rank's port can begin to receive the next message.
    receivers: Vec<Time>,
    /// Cache: the last length and its costs.
    last: (u64, PortCosts),
}

impl Endpoint {
    /// Creates free ports for `procs` ranks.
    pub fn new(ports: PortParameters, procs: Procs) -> Self {
        Self {
            latency: ports.latency(),
            last: (0, ports.costs(0)),
            ports,
            receivers: vec![Time::ZERO; procs.get() as usize],
        }
    }

    fn costs(&mut self, bytes: u64) -> PortCosts {
        if self.last.0 != bytes {
            self.last = (bytes, self.ports.costs(bytes));
        }
        self.last.1
    }
}

impl Medium for Endpoint {
    fn overhead(&self, bytes: u64) -> Time {
        if self.last.0 == bytes {
            return self.last.1.overhead;
        }
        self.ports.costs(bytes).overhead
    }

    fn latency(&mut self, _: Rank, _: Rank) -> Time {
        self.latency
    }

    fn inject(&mut self, id: FlightId, flight: &Flight, agenda: &mut Agenda) -> InjectionTimes {
        let now = agenda.now();
        let costs = self.costs(flight.bytes);
        agenda.schedule_arrival(now + self.latency, id);
        let next = now + (costs.interval - costs.overhead);
        let sent = match self.ports {
            PortParameters::LogGP(_) => now,
            PortParameters::PLogP(_) => next,
        };
        InjectionTimes { sent: Some(sent), next }
    }

    fn arrive(&mut self, id: FlightId, flight: &Flight, agenda: &mut Agenda) {
        let costs = self.costs(flight.bytes);
        let port = &mut self.receivers[flight.to.0 as usize];
        let begin = agenda.now().max(*port);
        *port = begin + costs.interval;
        agenda.schedule_delivery(begin + costs.body, id);
    }
}

#[cfg(test)]
mod tests;
