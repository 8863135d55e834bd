//! The messages under way and their connections.

use netsig_base::network::LinkId;
use netsig_base::units::Rank;
use rustc_hash::FxHashMap;

use super::connection::TcpConnection;
use crate::network::{Flight, slot};
use crate::time::Time;

/// State of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TcpState {
    /// Not under way.
    #[default]
    Out,
    /// Its next train starts now.
    Starting,
    /// Its train is under way.
    Running,
    /// Its train is under way and loses segments.
    Losing,
    /// It waits to send lost bytes again.
    Waiting,
}

/// A message under way.
#[derive(Debug, Clone, Default)]
pub(super) struct TcpMessage {
    pub(super) flight: Flight,
    pub(super) state: TcpState,
    /// Time at which its train is through, or its wait is over.
    pub(super) next: Time,
    /// Bytes of its present train.
    pub(super) train: f64,
    /// Bytes to be sent again.
    pub(super) resend_bytes: u64,
    /// Idle time of the sender before it sends them.
    pub(super) wait: Time,
    /// Number of losses in a row without fast retransmit.
    pub(super) tries: u32,
    pub(super) route: Vec<LinkId>,
    pub(super) connection: TcpConnection,
}

impl TcpMessage {
    /// The link before a port on its route.
    pub(super) fn input(&self, port: LinkId) -> LinkId {
        let mut pairs = self.route.windows(2);
        let pair = pairs.find(|pair| pair[1] == port);
        pair.expect("a route comes to a switch before its port")[0]
    }
}

/// Messages by number.
#[derive(Debug, Default)]
pub(super) struct TcpMessages {
    messages: Vec<TcpMessage>,
    connections: FxHashMap<(Rank, Rank), TcpConnection>,
}

impl TcpMessages {
    pub(super) fn get(&self, id: u32) -> &TcpMessage {
        &self.messages[id as usize]
    }

    pub(super) fn get_mut(&mut self, id: u32) -> &mut TcpMessage {
        &mut self.messages[id as usize]
    }

    pub(super) fn insert(&mut self, id: u32, flight: &Flight) -> &mut TcpMessage {
        let message = slot(&mut self.messages, id);
        let known = self.connections.get(&(flight.from, flight.to));
        *message = TcpMessage {
            flight: *flight,
            next: Time::MAX,
            route: std::mem::take(&mut message.route),
            connection: known.copied().unwrap_or_default(),
            ..TcpMessage::default()
        };
        message
    }

    /// Keeps the state of the connection for the next message of the pair.
    pub(super) fn keep_connection(&mut self, id: u32) {
        let message = self.get(id);
        let Flight { from, to, .. } = message.flight;
        let connection = message.connection;
        self.connections.insert((from, to), connection);
    }
}
