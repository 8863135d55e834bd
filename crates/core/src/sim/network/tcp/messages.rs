//! The messages under way and their connections.

use rustc_hash::FxHashMap;

use super::connection::Connection;
use crate::network::LinkId;
use crate::sim::network::{Flight, slot};
use crate::sim::time::Time;
use crate::units::Rank;

/// Where a message stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    /// It is not under way.
    #[default]
    Out,
    /// Its next train starts now.
    Starting,
    /// Its train is under way.
    Running,
    /// Its train is under way and loses segments.
    Losing,
    /// It waits to send again.
    Waiting,
}

/// A message under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Message {
    pub(super) flight: Flight,
    pub(super) state: State,
    /// When its train is through, or its wait over.
    pub(super) next: Time,
    /// The bytes of its present train.
    pub(super) train: f64,
    /// The bytes that are to be sent again.
    pub(super) again: u64,
    /// How long the sender is idle before.
    pub(super) wait: Time,
    /// How often in a row its end was lost.
    pub(super) tries: u32,
    pub(super) route: Vec<LinkId>,
    pub(super) connection: Connection,
}

impl Message {
    /// The link that brings it to a port.
    pub(super) fn input(&self, port: LinkId) -> LinkId {
        let mut pairs = self.route.windows(2);
        let pair = pairs.find(|pair| pair[1] == port);
        pair.expect("a route comes to a switch before its port")[0]
    }
}

/// Messages by number.
#[derive(Debug, Default)]
pub(super) struct Messages {
    messages: Vec<Message>,
    connections: FxHashMap<(Rank, Rank), Connection>,
}

impl Messages {
    pub(super) fn get(&self, id: u32) -> &Message {
        &self.messages[id as usize]
    }

    pub(super) fn get_mut(&mut self, id: u32) -> &mut Message {
        &mut self.messages[id as usize]
    }

    pub(super) fn insert(&mut self, id: u32, flight: &Flight) -> &mut Message {
        let message = slot(&mut self.messages, id);
        let known = self.connections.get(&(flight.from, flight.to));
        *message = Message {
            flight: *flight,
            next: Time::MAX,
            route: std::mem::take(&mut message.route),
            connection: known.copied().unwrap_or_default(),
            ..Message::default()
        };
        message
    }

    /// Keeps the state of the connection for the next message.
    pub(super) fn keep(&mut self, id: u32) {
        let message = self.get(id);
        let Flight { from, to, .. } = message.flight;
        let connection = message.connection;
        self.connections.insert((from, to), connection);
    }
}
