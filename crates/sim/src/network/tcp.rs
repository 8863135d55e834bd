//! TCP at the level of messages: fair sharing, and losses where messages need more room than the
//! ports of switches have.
//!
//! # Formula
//! Messages share links as in [`fluid`](super::fluid). A message is sent in trains: a train has as many bytes as the
//! connection may have in flight, the window W, or the rest of the message. The next train starts when the last one
//! is through. W begins at the initial window, doubles with each whole train until it reaches the threshold, and then
//! grows by a segment. It is kept for the next message of the same pair.
//!
//! The bytes in flight of a message wait at its bottleneck, the first full link of its route on which no other
//! message is faster. If the bottleneck is the port of a switch, trains arrive there in step. Trains that start now
//! arrive at once; the earlier trains, less rate·2L, are already in the buffer. Trains with another bottleneck only
//! pass the port: once in each cycle W/r, at a random time, at the rate of the link before it. The port is a
//! drop-tail queue. If k trains of W bytes arrive at once from k links of the port's rate, they lose the excess of (k
//! − 1)·W over the free buffer.
//!
//! | segments of the train after the first lost one | repair | idle time | new W |
//! |---|---|---|---|
//! | 3 or more come through or follow | fast retransmit | R less their time, at least 0 | half |
//! | fewer | tail loss probe | 2·R, plus 200 ms for one segment; at most R + 200 ms | half |
//! | fewer, of bytes sent again | timeout | R + 200 ms, then ·2, ·4, … | 1 segment |
//!
//! R is the round-trip time: 2·L and the queue at the bottleneck. The lost bytes are sent again after the rest of the
//! message; they took their share of the links the first time as well. Only a train that starts can lose segments:
//! losses of the other trains were decided when they started.
//!
//! # Domain
//! Windows do not bound rates: rate·2L is below the initial window. Shared links are full for
//! longer than a round trip. Headers take neither time nor room. The model has no rendezvous of
//! its own, as many MPI libraries use from 64 KiB on. Ranks are not in step: random times in a
//! cycle are pessimistic for a rotated exchange, in which ranks in step never send to the same
//! port at once. So stalls begin at somewhat smaller messages than on a quiet cluster. The run
//! time of a simulation grows with the losses, because they make equivalent messages differ.
//!
//! # Source
//! Windows: RFC 5681 (slow start, threshold, halving, three duplicate acknowledgements), RFC 6928
//! (initial window of 10 segments). Timers: RFC 6298 with Linux's least variance of 200 ms in
//! place of the least timeout of 1 s, RFC 8985 section 7 (tail loss probe). Drop-tail queues,
//! full windows and timeouts in exchanges: Phanishayee and others 2008 (FAST, incast). Sending a
//! window as one train is a choice of netsig.
//!
//! ```
//! # use netsig_base::algorithm::{Algorithm, Collective};
//! # use netsig_base::units::BitsPerSecond;
//! # use netsig_sim::network::tcp::{Tcp, TcpOptions};
//! # use netsig_base::network::{LinkSpec, Network}; use netsig_sim::{Time, run, rounds::ScheduleProgram};
//! # use netsig_base::units::{Bytes, Procs, Seconds};
//! // 4 hosts of 40 Mbit/s: 3 trains of 10⁴ B fit. 3·10⁴ B · 200 ns/B + 50 µs = 6.05 ms.
//! let star = Network::star(4, LinkSpec::new(BitsPerSecond(40_000_000), Bytes(65536)))?;
//! let hosts = star.all_hosts().collect();
//! let options = TcpOptions { min_timeout: Time::of(Seconds(0.2)), seed: 0 };
//! let mut network = Tcp::new(&star, hosts, Time(50_000_000), options)?;
//! let direct = Algorithm::parse(Collective::Alltoall, "direct")?;
//! let mut program = ScheduleProgram::new(direct.schedule(Procs::new(4)?, Bytes(10_000)));
//! let outcome = run(&mut program, &mut network, &mut ())?;
//! assert_eq!(outcome.time, Time(6_050_000_000));
//! assert_eq!(outcome.losses, []);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod connection;
mod link_rates;
mod losses;
mod messages;
mod port;

use std::sync::Arc;

use netsig_base::network::{LinkId, Network, Vertex};
use netsig_base::units::parameter::ParameterError;
use netsig_base::units::{Rank, Seconds};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxHashMap, FxHashSet};

use super::fluid::sharing::LinkSharing;
use super::links::RankLinks;
use super::{Agenda, Flight, InjectionTimes, LinkUse, LossCause, Medium, TcpRepair};
use crate::program::FlightId;
use crate::time::Time;
use link_rates::{TcpLinkRates, rate};
use messages::{TcpMessage, TcpMessages, TcpState};
use port::SegmentTrain;

/// The payload of a segment on Ethernet, with time stamps, in bytes.
pub const SEGMENT: f64 = 1448.0;

/// Initial window in bytes: 10 segments.
const INITIAL_WINDOW: f64 = 10.0 * SEGMENT;

/// Largest window in bytes: 4 MiB, the send buffer of Linux.
const MAX_WINDOW: f64 = 4_194_304.0;

/// Settings of TCP and seed of the random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpOptions {
    /// Time that the retransmission timer adds to the round-trip time: 200 ms in Linux.
    pub min_timeout: Time,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Network model of TCP, with the host of each rank. Connections keep their windows from one run
/// to the next.
#[derive(Debug)]
pub struct Tcp<'a> {
    links: RankLinks<&'a Network>,
    min_timeout: Time,
    rng: ChaCha8Rng,
    sharing: LinkSharing,
    link_rates: TcpLinkRates,
    messages: TcpMessages,
    /// Flows whose next train starts now.
    starting: Vec<u32>,
    trains: Vec<SegmentTrain>,
    /// Names of the ports that have lost segments.
    names: FxHashMap<LinkId, Arc<str>>,
}

/// Wake-up token for finishing flows; other tokens are numbers of messages.
const FINISH: u32 = u32::MAX;

impl<'a> Tcp<'a> {
    /// Creates the model with the host of each rank, a host of `network`, and the latency L.
    ///
    /// # Errors
    /// If the port of a switch cannot hold a segment.
    pub fn new(
        network: &'a Network,
        hosts: Vec<Vertex>,
        latency: Time,
        options: TcpOptions,
    ) -> Result<Self, ParameterError> {
        check_buffers(network)?;
        let rates = || network.links().iter().map(|link| link.rate);
        Ok(Self {
            links: RankLinks::new(network, hosts, latency),
            min_timeout: options.min_timeout,
            rng: ChaCha8Rng::seed_from_u64(options.seed),
            sharing: LinkSharing::new(rates()),
            link_rates: TcpLinkRates::new(rates().map(|rate| rate.0).collect()),
            messages: TcpMessages::default(),
            starting: Vec::new(),
            trains: Vec::new(),
            names: FxHashMap::default(),
        })
    }

    /// Starts to send a message, or its lost bytes again, on its links.
    fn start(&mut self, id: u32, bytes: u64, agenda: &mut Agenda) {
        let message = self.messages.get_mut(id);
        message.state = TcpState::Starting;
        self.sharing.add(id, &message.route, bytes as f64);
        self.link_rates.members.insert(id, &message.route);
        self.links.add_traffic(&message.route, bytes);
        self.starting.push(id);
        agenda.request_settling();
    }

    /// Handles a flow without more bytes to send for now.
    fn finish_flow(&mut self, id: u32, agenda: &mut Agenda) {
        let now = agenda.now();
        let message = self.messages.get_mut(id);
        self.link_rates.members.remove(id, &message.route);
        self.end_train(id);
        let message = self.messages.get_mut(id);
        if message.resend_bytes > 0 {
            message.state = TcpState::Waiting;
            message.next = now + message.wait;
            agenda.schedule_wake(message.next, id);
            return;
        }
        message.state = TcpState::Out;
        let latency = self.links.latency(&message.route);
        self.messages.keep_connection(id);
        agenda.schedule_sent(now, id);
        agenda.schedule_delivery(now + latency, id);
    }

    /// Ends a train; the window grows if a whole window came through.
    fn end_train(&mut self, id: u32) {
        let TcpMessage {
            state,
            train,
            connection,
            ..
        } = self.messages.get_mut(id);
        if *state == TcpState::Running && *train >= connection.window {
            connection.grow();
        }
    }

    /// Handles a train that is through, or a wait that is over.
    fn continue_flow(&mut self, id: u32, agenda: &mut Agenda) {
        let now = agenda.now();
        let message = self.messages.get_mut(id);
        if message.next != now {
            return;
        }
        match message.state {
            TcpState::Waiting => {
                let again = std::mem::take(&mut message.resend_bytes);
                self.start(id, again, agenda);
            }
            TcpState::Running | TcpState::Losing if self.sharing.bytes_left(id, now) >= 1.0 => {
                self.end_train(id);
                let message = self.messages.get_mut(id);
                (message.state, message.tries) = (TcpState::Starting, 0);
                self.starting.push(id);
                agenda.request_settling();
            }
            TcpState::Running | TcpState::Losing | TcpState::Starting | TcpState::Out => {}
        }
    }

    /// Begins the next trains of the flows in `starting`.
    fn begin_trains(&mut self, now: Time) {
        for &id in &self.starting {
            let left = self.sharing.bytes_left(id, now);
            let message = self.messages.get_mut(id);
            message.train = message.connection.window.min(left);
        }
    }

    /// The switch ports that trains now enter, in the order of the trains.
    fn ports_entered(&mut self) -> Vec<LinkId> {
        let mut seen = FxHashSet::default();
        let routes = self.starting.iter().map(|&id| &self.messages.get(id).route);
        // The first link leaves a host.
        let ports = routes.flat_map(|route| &route[1..]).copied();
        ports.filter(|port| seen.insert(*port)).collect()
    }

    /// Completes the start of all trains in `starting`. A flow that loses the end of a train
    /// sends no more trains before it has waited.
    fn complete_starts(&mut self, agenda: &mut Agenda) {
        let now = agenda.now();
        for id in self.starting.drain(..) {
            let left = self.sharing.bytes_left(id, now);
            let message = self.messages.get_mut(id);
            let is_clean = message.state == TcpState::Starting;
            if is_clean {
                message.state = TcpState::Running;
            }
            message.next = Time::MAX;
            if left > message.train && (is_clean || message.tries == 0) {
                message.next = now + Time::of(Seconds(message.train / rate(id, &self.sharing)));
                agenda.schedule_wake(message.next, id);
            }
        }
    }
}

impl Medium for Tcp<'_> {
    fn latency(&mut self, from: Rank, to: Rank) -> Time {
        self.links.latency_between(from, to)
    }

    fn inject(&mut self, id: FlightId, flight: &Flight, agenda: &mut Agenda) -> InjectionTimes {
        let message = self.messages.insert(id, flight);
        self.links.route(flight.from, flight.to, &mut message.route);
        if message.route.is_empty() || flight.bytes == 0 {
            return agenda.deliver_at_once(id, self.links.latency(&message.route));
        }
        self.start(id, flight.bytes, agenda);
        InjectionTimes::under_way(agenda)
    }

    fn wake(&mut self, token: u32, agenda: &mut Agenda) {
        if token != FINISH {
            self.continue_flow(token, agenda);
            return;
        }
        let now = agenda.now();
        if !self.sharing.is_due(now) {
            return;
        }
        let mut done = Vec::new();
        self.sharing.finish(now, |id| done.push(id));
        for id in done {
            self.finish_flow(id, agenda);
        }
        agenda.request_settling();
    }

    fn settle(&mut self, agenda: &mut Agenda) {
        let now = agenda.now();
        self.sharing.settle(now);
        self.link_rates.invalidate();
        self.begin_trains(now);
        for port in self.ports_entered() {
            self.find_losses(port, agenda);
        }
        self.complete_starts(agenda);
        self.sharing.set_alarm(FINISH, agenda);
    }

    fn links(&self) -> Vec<LinkUse> {
        self.links.uses()
    }
}

/// Refuses ports of switches with less room than a segment.
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
