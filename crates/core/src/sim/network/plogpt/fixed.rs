//! Links that the messages of one instant share, whatever comes later.

use super::traffic::Traffic;
use crate::sim::network::Agenda;
use crate::sim::program::FlightId;
use crate::sim::time::Time;

/// How many messages begin on each link; none between two instants.
#[derive(Debug, Clone)]
pub(super) struct Counts(Vec<u32>);

impl Counts {
    pub(super) fn new(links: usize) -> Self {
        Self(vec![0; links])
    }

    /// Gives the messages that begin now their ends.
    pub(super) fn share(&mut self, begun: &[FlightId], traffic: &mut Traffic, agenda: &mut Agenda) {
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
