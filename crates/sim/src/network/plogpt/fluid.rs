//! Fluid sharing: all messages under way share links, and shares change at each start and end.

use netsig_base::network::LinkId;

use super::traffic::{PlogptMessage, PlogptStage, PlogptTraffic};
use crate::network::members::LinkMembers;
use crate::network::{Agenda, slot};
use crate::program::FlightId;
use crate::time::Time;

/// The progress of a message.
#[derive(Debug, Clone, Default)]
struct PlogptProgress {
    /// Throughput in bytes per second.
    throughput: f64,
    /// Fraction of the message that was left at `since`.
    fraction_left: f64,
    since: Time,
    /// True if the throughput must be computed again.
    needs_update: bool,
}

/// Messages on each link, and their progress.
#[derive(Debug, Clone)]
pub(super) struct PlogptFlows {
    members: LinkMembers,
    progress: Vec<PlogptProgress>,
    /// The links whose members changed.
    changed: Vec<LinkId>,
    is_changed: Vec<bool>,
}

impl PlogptFlows {
    pub(super) fn new(links: usize) -> Self {
        Self {
            members: LinkMembers::new(links),
            progress: Vec::new(),
            changed: Vec::new(),
            is_changed: vec![false; links],
        }
    }

    /// Removes a message from its links.
    pub(super) fn remove(&mut self, id: FlightId, message: &PlogptMessage) {
        self.members.remove(id, &message.route);
        message.route.iter().for_each(|&link| self.change(link));
    }

    /// Adds the beginning messages to their links, and sets the ends of all messages whose
    /// throughput changes.
    pub(super) fn share(&mut self, begun: &[FlightId], traffic: &mut PlogptTraffic, agenda: &mut Agenda) {
        for &id in begun {
            let message = &mut traffic.messages[id as usize];
            message.stage = PlogptStage::Moving;
            *slot(&mut self.progress, id) = PlogptProgress {
                fraction_left: 1.0,
                since: agenda.now(),
                ..PlogptProgress::default()
            };
            self.members.insert(id, &message.route);
            message.route.iter().for_each(|&link| self.change(link));
        }
        for id in self.affected_messages() {
            self.update(id, traffic, agenda);
        }
    }

    fn change(&mut self, link: LinkId) {
        if !std::mem::replace(&mut self.is_changed[link.index()], true) {
            self.changed.push(link);
        }
    }

    /// The messages on the links that changed, each once.
    fn affected_messages(&mut self) -> Vec<FlightId> {
        let mut touched = Vec::new();
        for link in self.changed.drain(..) {
            self.is_changed[link.index()] = false;
            for id in self.members.flows_on(link) {
                let flow = &mut self.progress[id as usize];
                if !std::mem::replace(&mut flow.needs_update, true) {
                    touched.push(id);
                }
            }
        }
        touched
    }

    /// Sets the present throughput and end of a message, if they changed.
    fn update(&mut self, id: FlightId, traffic: &mut PlogptTraffic, agenda: &mut Agenda) {
        let message = &traffic.messages[id as usize];
        let shared = traffic.throughput(message, |link| self.members.count(link));
        let flow = &mut self.progress[id as usize];
        flow.needs_update = false;
        if shared.total_cmp(&flow.throughput).is_eq() {
            return;
        }
        let now = agenda.now();
        let past = (now - flow.since).seconds();
        if past.0 > 0.0 {
            flow.fraction_left -= past.0 / message.gap(flow.throughput).0;
        }
        (flow.throughput, flow.since) = (shared, now);
        let rest = message.gap(shared) * flow.fraction_left.max(0.0);
        traffic.messages[id as usize].finish = now + Time::of(rest);
        agenda.schedule_wake(now + Time::of(rest), id);
    }
}
