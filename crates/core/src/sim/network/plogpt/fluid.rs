//! Links that all messages under way share, anew at each begin and end.

use super::traffic::{Message, Stage, Traffic};
use crate::network::topology::LinkId;
use crate::sim::network::Agenda;
use crate::sim::program::FlightId;
use crate::sim::time::Time;
use crate::units::BytesPerSecond;

/// The progress of a message.
#[derive(Debug, Clone)]
struct Flow {
    /// Where it stands among the members of each link of its route.
    places: Vec<usize>,
    throughput: BytesPerSecond,
    /// What is left of it, as a share of the whole, and since when.
    left: f64,
    since: Time,
    /// Whether its throughput is to be looked at again.
    is_touched: bool,
}

/// A message on a link: its number, and which link of its route that is.
#[derive(Debug, Clone, Copy)]
struct Member {
    id: FlightId,
    hop: usize,
}

/// Who is on each link.
#[derive(Debug, Clone)]
pub(super) struct Flows {
    members: Vec<Vec<Member>>,
    progress: Vec<Flow>,
    /// The links whose members changed.
    changed: Vec<LinkId>,
    is_changed: Vec<bool>,
}

impl Flows {
    pub(super) fn new(links: usize) -> Self {
        Self {
            members: vec![Vec::new(); links],
            progress: Vec::new(),
            changed: Vec::new(),
            is_changed: vec![false; links],
        }
    }

    /// Takes a message from its links.
    pub(super) fn remove(&mut self, id: FlightId, message: &Message) {
        for (hop, &link) in message.route.iter().enumerate() {
            let place = self.progress[id as usize].places[hop];
            let members = &mut self.members[link.index()];
            members.swap_remove(place);
            if let Some(moved) = members.get(place) {
                self.progress[moved.id as usize].places[moved.hop] = place;
            }
            self.change(link);
        }
    }

    /// Puts those that begin on their links and gives all whose throughput changes new ends.
    pub(super) fn share(&mut self, begun: &[FlightId], traffic: &mut Traffic, agenda: &mut Agenda) {
        for &id in begun {
            self.add(id, &mut traffic.messages[id as usize], agenda.now());
        }
        for id in self.touched() {
            self.update(id, traffic, agenda);
        }
    }

    fn add(&mut self, id: FlightId, message: &mut Message, now: Time) {
        message.stage = Stage::Moving;
        let flow = self.place(id);
        flow.places.clear();
        (flow.left, flow.since) = (1.0, now);
        flow.throughput = BytesPerSecond(0.0);
        for (hop, &link) in message.route.iter().enumerate() {
            let members = &mut self.members[link.index()];
            self.progress[id as usize].places.push(members.len());
            members.push(Member { id, hop });
            self.change(link);
        }
    }

    fn place(&mut self, id: FlightId) -> &mut Flow {
        let index = id as usize;
        if self.progress.len() <= index {
            self.progress.resize_with(index + 1, || Flow {
                places: Vec::new(),
                throughput: BytesPerSecond(0.0),
                left: 0.0,
                since: Time::ZERO,
                is_touched: false,
            });
        }
        &mut self.progress[index]
    }

    fn change(&mut self, link: LinkId) {
        if !std::mem::replace(&mut self.is_changed[link.index()], true) {
            self.changed.push(link);
        }
    }

    /// The messages on the links that changed, each once.
    fn touched(&mut self) -> Vec<FlightId> {
        let mut touched = Vec::new();
        for link in self.changed.drain(..) {
            self.is_changed[link.index()] = false;
            for member in &self.members[link.index()] {
                let flow = &mut self.progress[member.id as usize];
                if !std::mem::replace(&mut flow.is_touched, true) {
                    touched.push(member.id);
                }
            }
        }
        touched
    }

    /// Gives a message its present throughput and its new end, if they differ.
    fn update(&mut self, id: FlightId, traffic: &mut Traffic, agenda: &mut Agenda) {
        let message = &traffic.messages[id as usize];
        let shared = traffic.throughput(message, |link| self.members[link.index()].len());
        let flow = &mut self.progress[id as usize];
        flow.is_touched = false;
        if shared == flow.throughput {
            return;
        }
        let now = agenda.now();
        let past = (now - flow.since).seconds();
        if past.0 > 0.0 {
            flow.left -= past.0 / message.gap(flow.throughput).0;
        }
        (flow.throughput, flow.since) = (shared, now);
        let rest = message.gap(shared) * flow.left.max(0.0);
        traffic.messages[id as usize].finish = now + Time::of(rest);
        agenda.wake(now + Time::of(rest), id);
    }
}
