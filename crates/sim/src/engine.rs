//! Event loop of the simulator: handles events in order of time, reports completed operations to
//! the program and passes messages to the network.
//!
//! A processor executes computations and message overheads first-in first-out. Work that becomes
//! ready at the same time is queued in this order: receives of messages that have arrived, sends,
//! computations. A rank has one processor unless its program names more. The sends of a rank
//! leave one after the other, each as soon as its processor and the network accept it, even on
//! different processors; no operation is retried. Memory grows with the numbers of ranks, of
//! messages under way and of losses, not with the number of messages of a program.
//!
//! Messages of the eager limit or longer use the rendezvous protocol: the request takes L, the
//! answer takes L once the receive is posted, then the bytes leave as soon as the port accepts
//! them. Request and answer occupy no port, and no processor beyond the message's own overhead.

use netsig_base::units::Rank;
use rustc_hash::FxHashMap;
use slab::Slab;

use super::flights::{Flights, Stage};
use super::network::{Agenda, Event, Flight, Medium};
use super::observer::{Activity, Observer};
use super::outcome::{EagerLimit, Outcome, Stuck};
use super::program::{Envelope, FlightId, Op, Program, Send, Task};
use super::queue::place;
use super::time::Time;

/// A computation in progress.
#[derive(Debug, Clone, Copy)]
struct Computation {
    rank: Rank,
    op: Op,
    start: Time,
}

/// Processor and port of a rank.
#[derive(Debug, Clone, Copy, Default)]
struct Host {
    /// Time at which processor 0 finishes the work queued on it.
    processor: Time,
    /// True while a send is in its overhead or occupies the port.
    is_sending: bool,
}

struct Engine<'a, P, N, O> {
    program: &'a mut P,
    network: &'a mut N,
    observer: &'a mut O,
    agenda: Agenda,
    hosts: Vec<Host>,
    /// Time at which each processor other than 0 finishes the work queued on it.
    more_processors: FxHashMap<(Rank, u8), Time>,
    flights: Flights,
    computations: Slab<Computation>,
    tasks: Vec<Task>,
    /// Buffer that [`Engine::go_on`] swaps with [`Engine::tasks`].
    taken: Vec<Task>,
    /// Ready computations, which start after all receives and sends.
    held: Vec<(Op, Time)>,
    messages: u64,
    bytes: u64,
    /// Number of losses already reported to the observer.
    told: usize,
    end: Time,
}

/// Runs `program` on `network` until it ends or time reaches [`Time::MAX`]; all messages are eager.
///
/// # Errors
/// If operations remain that cannot complete, or messages that no rank receives.
pub fn run(
    program: &mut impl Program,
    network: &mut impl Medium,
    observer: &mut impl Observer,
) -> Result<Outcome, Stuck> {
    run_with(None, program, network, observer)
}

/// Like [`run`], with an eager limit.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    eager_limit: EagerLimit,
    program: &mut impl Program,
    network: &mut impl Medium,
    observer: &mut impl Observer,
) -> Result<Outcome, Stuck> {
    let procs = program.procs();
    let mut engine = Engine {
        program,
        network,
        observer,
        agenda: Agenda::default(),
        hosts: vec![Host::default(); procs.get() as usize],
        more_processors: FxHashMap::default(),
        flights: Flights::new(eager_limit),
        computations: Slab::new(),
        tasks: Vec::new(),
        taken: Vec::new(),
        held: Vec::new(),
        messages: 0,
        bytes: 0,
        told: 0,
        end: Time::ZERO,
    };
    engine.agenda.is_settled = true;
    for rank in procs.ranks() {
        engine.program.start(rank, &mut engine.tasks);
        engine.go_on(rank);
    }
    engine.run();
    match engine.program.rest() {
        _ if engine.agenda.now == Time::MAX => Ok(engine.outcome()),
        Some(rest) => Err(Stuck(rest)),
        None => Ok(engine.outcome()),
    }
}

impl<P: Program, N: Medium, O: Observer> Engine<'_, P, N, O> {
    fn run(&mut self) {
        loop {
            self.tell_losses();
            let next = self.agenda.queue.next_time();
            if !self.agenda.is_settled && next != Some(self.agenda.now) {
                self.agenda.is_settled = true;
                self.network.settle(&mut self.agenda);
                continue;
            }
            let Some((time, event)) = self.agenda.queue.pop() else {
                return;
            };
            self.agenda.now = time;
            if time == Time::MAX {
                self.end = time;
                return;
            }
            self.handle(event);
        }
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Inject(id) => {
                let rank = self.flights.get(id).from;
                self.inject(id);
                self.go_on(rank);
            }
            Event::Sent(id) => {
                let rank = self.sent(id);
                self.go_on(rank);
            }
            Event::SentAndReady(id) => {
                let rank = self.sent(id);
                self.host(rank).is_sending = false;
                self.go_on(rank);
            }
            Event::Ready(rank) => {
                self.host(Rank(rank)).is_sending = false;
                self.go_on(Rank(rank));
            }
            Event::Arrive(id) => {
                let flight = self.flights.get(id);
                self.network.arrive(id, flight, &mut self.agenda);
            }
            Event::Delivered(id) => self.deliver(id),
            Event::Asked(id) => self.asked(id),
            Event::Granted(id) => {
                let rank = self.flights.get(id).from;
                self.flights.answer(id);
                self.go_on(rank);
            }
            Event::Received(id) => {
                let rank = self.received(id);
                self.go_on(rank);
            }
            Event::Computed(number) => self.computed(number),
            Event::Wake(token) => self.network.wake(token, &mut self.agenda),
        }
    }

    fn host(&mut self, rank: Rank) -> &mut Host {
        &mut self.hosts[rank.0 as usize]
    }

    /// Queues work on the processor of an operation; returns its finish time.
    fn work(&mut self, rank: Rank, op: Op, duration: Time) -> Time {
        let now = self.agenda.now;
        let processor = match self.program.processor(rank, op) {
            0 => &mut self.host(rank).processor,
            number => self.more_processors.entry((rank, number)).or_default(),
        };
        *processor = now.max(*processor) + duration;
        *processor
    }

    /// Starts every operation that `rank` may start now.
    fn go_on(&mut self, rank: Rank) {
        loop {
            while !self.tasks.is_empty() {
                std::mem::swap(&mut self.tasks, &mut self.taken);
                for index in 0..self.taken.len() {
                    self.take(rank, self.taken[index]);
                }
                self.taken.clear();
            }
            let is_free = !self.host(rank).is_sending;
            if is_free && let Some(id) = self.flights.next_answered(rank) {
                self.inject(id);
                continue;
            }
            if is_free && let Some(send) = self.program.next_send(rank, &mut self.tasks) {
                self.send(rank, send);
                continue;
            }
            for index in 0..self.held.len() {
                self.compute(rank, self.held[index]);
            }
            self.held.clear();
            return;
        }
    }

    fn take(&mut self, rank: Rank, task: Task) {
        match task {
            Task::Receive { op, flight } => self.meet(rank, op, flight),
            Task::Compute { op, duration } => self.held.push((op, duration)),
        }
    }

    fn compute(&mut self, rank: Rank, (op, duration): (Op, Time)) {
        let end = self.work(rank, op, duration);
        let start = end - duration;
        let number = self.computations.insert(Computation { rank, op, start });
        self.agenda.queue.push(end, Event::Computed(place(number)));
    }

    fn send(&mut self, rank: Rank, send: Send) {
        let overhead = self.network.overhead(send.bytes);
        let done = self.work(rank, send.op, overhead);
        let flight = Flight {
            from: rank,
            to: send.to,
            tag: send.tag,
            send: send.op,
            bytes: send.bytes,
            start: done - overhead,
        };
        let id = self.flights.insert(flight);
        self.messages += 1;
        self.bytes = self.bytes.saturating_add(send.bytes);
        if done == self.agenda.now {
            self.inject(id);
        } else {
            self.host(rank).is_sending = true;
            self.agenda.queue.push(done, Event::Inject(id));
        }
    }

    /// Passes a message to the network, or sends its rendezvous request.
    fn inject(&mut self, id: FlightId) {
        let now = self.agenda.now;
        let flight = *self.flights.get(id);
        if self.flights.stage(id) == Stage::Asked {
            let latency = self.network.latency(flight.from, flight.to);
            self.agenda.queue.push(now + latency, Event::Asked(id));
            self.host(flight.from).is_sending = false;
            return;
        }
        let injected = self.network.inject(id, &flight, &mut self.agenda);
        let is_busy = injected.next > now;
        self.host(flight.from).is_sending = is_busy;
        match injected.sent {
            Some(time) if time <= now => {
                self.sent(id);
            }
            Some(time) if time == injected.next => {
                self.agenda.queue.push(time, Event::SentAndReady(id));
                return;
            }
            Some(time) => self.agenda.queue.push(time, Event::Sent(id)),
            None => {}
        }
        if is_busy {
            let ready = Event::Ready(flight.from.0);
            self.agenda.queue.push(injected.next, ready);
        }
    }

    /// Completes a send; returns its rank.
    fn sent(&mut self, id: FlightId) -> Rank {
        let flight = *self.flights.get(id);
        self.observe(Activity::Send(id, &flight), flight.start);
        self.program.sent(flight.from, flight.send, &mut self.tasks);
        self.flights.release(id);
        flight.from
    }

    fn deliver(&mut self, id: FlightId) {
        if self.flights.stage(id) == Stage::Granted {
            let (rank, op) = (self.flights.get(id).to, self.flights.receive(id));
            self.receive(rank, op, id);
            self.go_on(rank);
            return;
        }
        self.asked(id);
    }

    /// Handles the arrival of a message or of its rendezvous request.
    fn asked(&mut self, id: FlightId) {
        let flight = *self.flights.get(id);
        let envelope = Envelope {
            flight: id,
            from: flight.from,
            send: flight.send,
            tag: flight.tag,
        };
        if let Some(op) = self.program.deliver(flight.to, envelope) {
            self.meet(flight.to, op, id);
            self.go_on(flight.to);
        }
    }

    /// Pairs a message, or its rendezvous request, with its receive.
    fn meet(&mut self, rank: Rank, op: Op, id: FlightId) {
        if self.flights.stage(id) != Stage::Asked {
            self.receive(rank, op, id);
            return;
        }
        self.flights.grant(id, op);
        let sender = self.flights.get(id).from;
        let answered = self.agenda.now + self.network.latency(rank, sender);
        self.agenda.queue.push(answered, Event::Granted(id));
    }

    /// Starts the receive of a message that has arrived.
    fn receive(&mut self, rank: Rank, op: Op, id: FlightId) {
        self.flights.set_receive(id, op);
        let overhead = self.network.overhead(self.flights.get(id).bytes);
        if overhead == Time::ZERO {
            self.received(id);
            return;
        }
        let done = self.work(rank, op, overhead);
        self.agenda.queue.push(done, Event::Received(id));
    }

    /// Completes a receive; returns its rank.
    fn received(&mut self, id: FlightId) -> Rank {
        let (flight, op) = (*self.flights.get(id), self.flights.receive(id));
        let begin = self.agenda.now - self.network.overhead(flight.bytes);
        self.observe(Activity::Receive(id, &flight, op), begin);
        self.program.received(flight.to, op, &mut self.tasks);
        self.flights.release(id);
        flight.to
    }

    fn computed(&mut self, number: u32) {
        let Computation { rank, op, start } = self.computations.remove(number as usize);
        self.observe(Activity::Compute(rank, op), start);
        self.program.computed(rank, op, &mut self.tasks);
        self.go_on(rank);
    }

    /// Reports an activity from `start` until now to the observer.
    fn observe(&mut self, activity: Activity<'_>, start: Time) {
        let now = self.agenda.now;
        self.end = self.end.max(now);
        self.observer.observe(activity, start, now);
    }

    /// Reports the losses recorded since the last call to the observer.
    fn tell_losses(&mut self) {
        for loss in &self.agenda.losses[self.told..] {
            let end = loss.time + loss.delay;
            self.observer.observe(Activity::Loss(loss), loss.time, end);
        }
        self.told = self.agenda.losses.len();
    }

    fn outcome(self) -> Outcome {
        Outcome {
            time: self.end,
            messages: self.messages,
            bytes: self.bytes,
            losses: self.agenda.losses,
            links: self.network.links(),
        }
    }
}
