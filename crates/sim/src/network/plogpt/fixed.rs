//! Fixed sharing: the messages of one instant share links, independently of later messages.

use super::traffic::PlogptTraffic;
use crate::network::Agenda;
use crate::program::FlightId;
use crate::time::Time;

/// Number of messages that begin on each link; 0 between two instants.
#[derive(Debug, Clone)]
pub(super) struct PlogptLinkCounts(Vec<u32>);

impl PlogptLinkCounts {
    pub(super) fn new(links: usize) -> Self {
        Self(vec![0; links])
    }

    /// Schedules the ends of the messages that begin now.
    pub(super) fn share(&mut self, begun: &[FlightId], traffic: &mut PlogptTraffic, agenda: &mut Agenda) {
        for &id in begun {
            for link in &traffic.messages[id as usize].route {
                self.0[link.index()] += 1;
            }
        }
        for &id in begun {
            let message = &traffic.messages[id as usize];
            let shared = traffic.throughput(message, |link| self.0[link.index()] as usize);
            let duration = Time::of(message.gap(shared));
            traffic.messages[id as usize].finish = agenda.now() + duration;
            traffic.send(id, agenda);
        }
        for &id in begun {
            for link in &traffic.messages[id as usize].route {
                self.0[link.index()] = 0;
            }
        }
    }
}
