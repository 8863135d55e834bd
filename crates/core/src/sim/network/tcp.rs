//! TCP at the level of messages: fair sharing, and what happens where it would need more
//! room than the ports of switches have.
//!
//! # Formula
//! Messages share links as in [`fluid`](super::fluid). Each goes in trains: a train is as
//! many bytes as the connection may have in flight, W, or the rest of the message. The next
//! one starts when the last is through. W begins at the initial window, doubles with each
//! whole train until it reaches the threshold, then grows by a segment, and survives for
//! the next message of the same pair.
//!
//! What a message has in flight waits at the first link of its route that holds it back: a
//! full one on which no other message is faster. If that is the port of a switch, its trains
//! come there in step: those that start now at once, the earlier ones, less rate·2L, are in
//! the buffer already. If it is another link, trains only pass the port: once in each cycle
//! W/r, at any time of it, with the rate of the link before. The port is a queue that drops
//! its tail: k trains of W bytes that come at once from k links of the port's rate lose what
//! (k − 1)·W exceeds the free buffer by.
//!
//! | of the train, after the first lost segment | repair | idle for | W |
//! |---|---|---|---|
//! | 3 segments come through, or follow | fast retransmit | R, less what follows | half |
//! | fewer | tail loss probe | 2·R, and 200 ms if one segment was alone; at most R + 200 ms | half |
//! | fewer, of what was sent again | timeout | R + 200 ms, then ·2, ·4, … | 1 segment |
//!
//! R is the round-trip time: 2·L and the queue at the link that holds the message back. The
//! lost bytes are sent again after the others, and what was lost also took its share the
//! first time. Only the train that starts can lose: the others did when they started.
//!
//! # Domain
//! Windows do not bound rates: rate·2L is below the initial window. Shared links are full
//! for longer than a round trip. Headers take neither time nor room. Messages are sent
//! eagerly: a rendezvous, as many MPI libraries do it from 64 KiB on, is not part of this.
//! Ranks are not in step: random times in a cycle are the pessimistic case for an exchange
//! in rotation, in which ranks that keep in step never send to the same port at once. So
//! stalls begin at somewhat smaller messages than on a quiet cluster. The time needed grows
//! with the losses, for they end what messages have in common.
//!
//! # Source
//! Windows: RFC 5681 (slow start, threshold, halving, three duplicate acknowledgements),
//! RFC 6928 (initial window of 10 segments). Timers: RFC 6298 with Linux's least variance of
//! 200 ms in place of the second, RFC 8985 section 7 (tail loss probe). Queues that drop
//! their tails, full windows and timeouts in exchanges: Phanishayee and others 2008 (FAST,
//! incast). That a window goes as one train is a choice of netsig.
//!
//! ```
//! # use netsig_core::algorithm::{Algorithm, Collective};
//! # use netsig_core::units::BitsPerSecond;
//! # use netsig_core::sim::network::tcp::{Options, Tcp};
//! # use netsig_core::{network::{Network, Port}, sim::{self, Time, rounds::Rounds}};
//! # use netsig_core::units::{Bytes, Procs, Seconds};
//! // 4 hosts of 40 Mbit/s: 3 trains of 10⁴ B fit. 3·10⁴ B · 200 ns/B + 50 µs = 6.05 ms.
//! let star = Network::star(4, Port::new(BitsPerSecond(40_000_000), Bytes(65536)))?;
//! let hosts = star.all_hosts().collect();
//! let options = Options { min_timeout: Time::of(Seconds(0.2)), seed: 0 };
//! let mut network = Tcp::new(&star, hosts, Time(50_000_000), options)?;
//! let direct = Algorithm::parse(Collective::Alltoall, "direct")?;
//! let mut program = Rounds::new(direct.schedule(Procs::new(4)?, Bytes(10_000)));
//! let outcome = sim::run(&mut program, &mut network, &mut ())?;
//! assert_eq!(outcome.time, Time(6_050_000_000));
//! assert_eq!(outcome.losses, []);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod connection;
mod levels;
mod losses;
mod messages;
mod port;

use std::sync::Arc;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxHashMap, FxHashSet};

use super::fluid::sharing::Sharing;
use super::links::Links;
use super::{Agenda, Cause, Flight, Injected, LinkUse, Medium, Repair};
use crate::network::{LinkId, Network, Vertex};
use crate::sim::program::FlightId;
use crate::sim::time::Time;
use crate::units::parameter::ParameterError;
use crate::units::{Rank, Seconds};
use levels::{Levels, rate};
use messages::{Message, Messages, State};
use port::Train;

/// The payload of a segment on Ethernet, with time stamps, in bytes.
const SEGMENT: f64 = 1448.0;

/// What a connection may have in flight at first: 10 segments.
const INITIAL_WINDOW: f64 = 10.0 * SEGMENT;

/// What a connection may ever have in flight: 4 MiB, the send buffer of Linux.
const MAX_WINDOW: f64 = 4_194_304.0;

/// What TCP is set to, and where chance begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What the retransmission timer adds to the round-trip time: 200 ms in Linux.
    pub min_timeout: Time,
    /// Where the random numbers begin.
    pub seed: u64,
}

/// Ranks on the hosts of a network. Connections keep their windows from one run to the
/// next.
#[derive(Debug)]
pub struct Tcp<'a> {
    links: Links<&'a Network>,
    min_timeout: Time,
    rng: ChaCha8Rng,
    sharing: Sharing,
    levels: Levels,
    messages: Messages,
    /// The flows whose next train starts now.
    starting: Vec<u32>,
    trains: Vec<Train>,
    /// The names of ports that lost something.
    names: FxHashMap<LinkId, Arc<str>>,
}

/// Wakes for flows that finish; others are numbers of messages.
const FINISH: u32 = u32::MAX;

impl<'a> Tcp<'a> {
    /// Each rank on one of the hosts, which are hosts of `network`, with the latency L.
    ///
    /// # Errors
    /// If the port of a switch cannot hold a segment.
    pub fn new(
        network: &'a Network,
        hosts: Vec<Vertex>,
        latency: Time,
        options: Options,
    ) -> Result<Self, ParameterError> {
        check_buffers(network)?;
        let rates = || network.links().iter().map(|link| link.rate);
        Ok(Self {
            links: Links::new(network, hosts, latency),
            min_timeout: options.min_timeout,
            rng: ChaCha8Rng::seed_from_u64(options.seed),
            sharing: Sharing::new(rates()),
            levels: Levels::new(rates().map(|rate| rate.0).collect()),
            messages: Messages::default(),
            starting: Vec::new(),
            trains: Vec::new(),
            names: FxHashMap::default(),
        })
    }

    /// Puts a message, or what is sent of it again, on its links.
    fn start(&mut self, id: u32, bytes: u64, agenda: &mut Agenda) {
        let message = self.messages.get_mut(id);
        message.state = State::Starting;
        self.sharing.add(id, &message.route, bytes as f64);
        self.levels.members.insert(id, &message.route);
        self.links.carry(&message.route, bytes);
        self.starting.push(id);
        agenda.settle();
    }

    /// A flow has nothing more to send for now.
    fn finish(&mut self, id: u32, agenda: &mut Agenda) {
        let now = agenda.now();
        let message = self.messages.get_mut(id);
        self.levels.members.remove(id, &message.route);
        self.end_train(id);
        let message = self.messages.get_mut(id);
        if message.again > 0 {
            message.state = State::Waiting;
            message.next = now + message.wait;
            agenda.wake(message.next, id);
            return;
        }
        message.state = State::Out;
        let latency = self.links.latency(&message.route);
        self.messages.keep(id);
        agenda.sent(now, id);
        agenda.delivered(now + latency, id);
    }

    /// The window grows if all of it came through.
    fn end_train(&mut self, id: u32) {
        let Message {
            state,
            train,
            connection,
            ..
        } = self.messages.get_mut(id);
        if *state == State::Running && *train >= connection.window {
            connection.grow();
        }
    }

    /// A train of a flow is through, or a wait is over.
    fn go_on(&mut self, id: u32, agenda: &mut Agenda) {
        let now = agenda.now();
        let message = self.messages.get_mut(id);
        if message.next != now {
            return;
        }
        match message.state {
            State::Waiting => {
                let again = std::mem::take(&mut message.again);
                self.start(id, again, agenda);
            }
            State::Running | State::Losing if self.sharing.left(id, now) >= 1.0 => {
                self.end_train(id);
                let message = self.messages.get_mut(id);
                (message.state, message.tries) = (State::Starting, 0);
                self.starting.push(id);
                agenda.settle();
            }
            State::Running | State::Losing | State::Starting | State::Out => {}
        }
    }

    /// Begins the next trains of the flows in `starting`.
    fn begin_trains(&mut self, now: Time) {
        for &id in &self.starting {
            let left = self.sharing.left(id, now);
            let message = self.messages.get_mut(id);
            message.train = message.connection.window.min(left);
        }
    }

    /// The switch ports that trains now enter, in the order of the trains.
    fn ports(&mut self) -> Vec<LinkId> {
        let mut seen = FxHashSet::default();
        let routes = self.starting.iter().map(|&id| &self.messages.get(id).route);
        // The first link leaves a host.
        let ports = routes.flat_map(|route| &route[1..]).copied();
        ports.filter(|port| seen.insert(*port)).collect()
    }

    /// All trains that start now are on their way. A flow that loses its end sends no more
    /// trains before it has waited.
    fn end_start(&mut self, agenda: &mut Agenda) {
        let now = agenda.now();
        for id in self.starting.drain(..) {
            let left = self.sharing.left(id, now);
            let message = self.messages.get_mut(id);
            let is_clean = message.state == State::Starting;
            if is_clean {
                message.state = State::Running;
            }
            message.next = Time::MAX;
            if left > message.train && (is_clean || message.tries == 0) {
                message.next = now + Time::of(Seconds(message.train / rate(id, &self.sharing)));
                agenda.wake(message.next, id);
            }
        }
    }
}

impl Medium for Tcp<'_> {
    fn latency(&mut self, from: Rank, to: Rank) -> Time {
        self.links.between(from, to)
    }

    fn inject(&mut self, id: FlightId, flight: &Flight, agenda: &mut Agenda) -> Injected {
        let message = self.messages.insert(id, flight);
        self.links.route(flight.from, flight.to, &mut message.route);
        if message.route.is_empty() || flight.bytes == 0 {
            return agenda.deliver_at_once(id, self.links.latency(&message.route));
        }
        self.start(id, flight.bytes, agenda);
        Injected::under_way(agenda)
    }

    fn wake(&mut self, token: u32, agenda: &mut Agenda) {
        if token != FINISH {
            self.go_on(token, agenda);
            return;
        }
        let now = agenda.now();
        if !self.sharing.is_due(now) {
            return;
        }
        let mut done = Vec::new();
        self.sharing.finish(now, |id| done.push(id));
        for id in done {
            self.finish(id, agenda);
        }
        agenda.settle();
    }

    fn settle(&mut self, agenda: &mut Agenda) {
        let now = agenda.now();
        self.sharing.settle(now);
        self.levels.change();
        self.begin_trains(now);
        for port in self.ports() {
            self.meet(port, agenda);
        }
        self.end_start(agenda);
        self.sharing.set_alarm(FINISH, agenda);
    }

    fn links(&self) -> Vec<LinkUse> {
        self.links.uses()
    }
}

/// Refuses ports of switches that no segment would pass.
fn check_buffers(network: &Network) -> Result<(), ParameterError> {
    let too_small = |id: &LinkId| {
        let link = network.link(*id);
        !network.is_host(link.from) && link.buffer.as_f64() < SEGMENT
    };
    let mut ids = (0..).map(LinkId).take(network.links().len());
    let Some(id) = ids.find(too_small) else {
        return Ok(());
    };
    let value = format!("{} at {}", network.link(id).buffer, network.link_name(id));
    let rule = "a segment at least, 1448 bytes, so that TCP gets through";
    Err(ParameterError::new("port buffer", value, rule))
}

#[cfg(test)]
mod tests;
