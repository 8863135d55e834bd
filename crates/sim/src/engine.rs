//! Event loop of the simulator: handles events in order of time, reports completed operations to
//! the program and passes messages to the network.
//!
//! A processor executes computations and message overheads first-in first-out. Work that becomes ready at the same
//! time is queued in this order: receives of messages that have arrived, sends, computations. A rank has one
//! processor unless its program names more. The sends of a rank leave one after the other, even from different
//! processors: each as soon as its processor and the network accept it. No operation is retried. Memory grows with
//! the numbers of ranks, of messages under way and of losses, not with the number of messages of a program.
//!
//! Messages of the eager limit or longer use the rendezvous protocol. The request takes L; once the receive is
//! posted, the answer takes L; then the bytes leave as soon as the port accepts them. Request and answer occupy no
//! port, and no processor beyond the message's own overhead.

use netsig_base::units::Rank;
use rustc_hash::FxHashMap;
use slab::Slab;

use super::flights::{FlightTable, ProtocolStage};
use super::network::{Agenda, EngineEvent, Flight, Medium};
use super::observer::{Activity, Observer};
use super::outcome::{SimEagerLimit, SimOutcome, StuckProgram};
use super::program::{ArrivedMessage, FlightId, OperationId, ReadySend, SimProgram, SimTask};
use super::queue::index_u32;
use super::time::Time;

/// A computation in progress.
#[derive(Debug, Clone, Copy)]
struct Computation {
    rank: Rank,
    op: OperationId,
    start: Time,
}

/// Processor and port of a rank.
#[derive(Debug, Clone, Copy, Default)]
struct EngineRank {
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
    ranks: Vec<EngineRank>,
    /// Time at which each processor other than 0 finishes the work queued on it.
    more_processors: FxHashMap<(Rank, u8), Time>,
    flights: FlightTable,
    computations: Slab<Computation>,
    tasks: Vec<SimTask>,
    /// Buffer that [`Engine::start_ready_operations`] swaps with [`Engine::tasks`].
    started_tasks: Vec<SimTask>,
    /// Ready computations, which start after all receives and sends.
    ready_computations: Vec<(OperationId, Time)>,
    messages: u64,
    bytes: u64,
    /// Number of losses already reported to the observer.
    reported_losses: usize,
    end: Time,
}

/// Runs `program` on `network` until it ends or time reaches [`Time::MAX`]; all messages are eager.
///
/// # Errors
/// If operations remain that cannot complete, or messages that no rank receives.
pub fn run(
    program: &mut impl SimProgram,
    network: &mut impl Medium,
    observer: &mut impl Observer,
) -> Result<SimOutcome, StuckProgram> {
    run_with(None, program, network, observer)
}

/// Like [`run`], with an eager limit.
///
/// # Errors
/// The errors of [`run`].
pub fn run_with(
    eager_limit: SimEagerLimit,
    program: &mut impl SimProgram,
    network: &mut impl Medium,
    observer: &mut impl Observer,
) -> Result<SimOutcome, StuckProgram> {
    let procs = program.procs();
    let mut engine = Engine {
        program,
        network,
        observer,
        agenda: Agenda::default(),
        ranks: vec![EngineRank::default(); procs.get() as usize],
        more_processors: FxHashMap::default(),
        flights: FlightTable::new(eager_limit),
        computations: Slab::new(),
        tasks: Vec::new(),
        started_tasks: Vec::new(),
        ready_computations: Vec::new(),
        messages: 0,
        bytes: 0,
        reported_losses: 0,
        end: Time::ZERO,
    };
    engine.agenda.is_settled = true;
    for rank in procs.ranks() {
        engine.program.start(rank, &mut engine.tasks);
        engine.start_ready_operations(rank);
    }
    engine.run();
    match engine.program.unfinished_work() {
        _ if engine.agenda.now == Time::MAX => Ok(engine.outcome()),
        Some(rest) => Err(StuckProgram(rest)),
        None => Ok(engine.outcome()),
    }
}

impl<P: SimProgram, N: Medium, O: Observer> Engine<'_, P, N, O> {
    fn run(&mut self) {
        loop {
            self.report_losses();
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

    fn handle(&mut self, event: EngineEvent) {
        match event {
            EngineEvent::Inject(id) => {
                let rank = self.flights.get(id).from;
                self.inject(id);
                self.start_ready_operations(rank);
            }
            EngineEvent::Sent(id) => {
                let rank = self.complete_send(id);
                self.start_ready_operations(rank);
            }
            EngineEvent::SentAndReady(id) => {
                let rank = self.complete_send(id);
                self.rank_state(rank).is_sending = false;
                self.start_ready_operations(rank);
            }
            EngineEvent::Ready(rank) => {
                self.rank_state(Rank(rank)).is_sending = false;
                self.start_ready_operations(Rank(rank));
            }
            EngineEvent::Arrive(id) => {
                let flight = self.flights.get(id);
                self.network.arrive(id, flight, &mut self.agenda);
            }
            EngineEvent::Delivered(id) => self.deliver(id),
            EngineEvent::RequestArrived(id) => self.handle_arrival(id),
            EngineEvent::AnswerArrived(id) => {
                let rank = self.flights.get(id).from;
                self.flights.answer(id);
                self.start_ready_operations(rank);
            }
            EngineEvent::Received(id) => {
                let rank = self.complete_receive(id);
                self.start_ready_operations(rank);
            }
            EngineEvent::Computed(number) => self.complete_computation(number),
            EngineEvent::Wake(token) => self.network.wake(token, &mut self.agenda),
        }
    }

    fn rank_state(&mut self, rank: Rank) -> &mut EngineRank {
        &mut self.ranks[rank.0 as usize]
    }

    /// Queues work on the processor of an operation; returns its finish time.
    fn occupy_processor(&mut self, rank: Rank, op: OperationId, duration: Time) -> Time {
        let now = self.agenda.now;
        let processor = match self.program.processor(rank, op) {
            0 => &mut self.rank_state(rank).processor,
            number => self.more_processors.entry((rank, number)).or_default(),
        };
        *processor = now.max(*processor) + duration;
        *processor
    }

    /// Starts every operation that `rank` may start now.
    fn start_ready_operations(&mut self, rank: Rank) {
        loop {
            while !self.tasks.is_empty() {
                std::mem::swap(&mut self.tasks, &mut self.started_tasks);
                for index in 0..self.started_tasks.len() {
                    self.start_task(rank, self.started_tasks[index]);
                }
                self.started_tasks.clear();
            }
            let is_free = !self.rank_state(rank).is_sending;
            if is_free && let Some(id) = self.flights.next_answered(rank) {
                self.inject(id);
                continue;
            }
            if is_free && let Some(send) = self.program.next_send(rank, &mut self.tasks) {
                self.send(rank, send);
                continue;
            }
            for index in 0..self.ready_computations.len() {
                let (op, duration) = self.ready_computations[index];
                self.compute(rank, op, duration);
            }
            self.ready_computations.clear();
            return;
        }
    }

    fn start_task(&mut self, rank: Rank, task: SimTask) {
        match task {
            SimTask::Receive { op, flight } => self.pair_with_receive(rank, op, flight),
            SimTask::Compute { op, duration } => self.ready_computations.push((op, duration)),
        }
    }

    fn compute(&mut self, rank: Rank, op: OperationId, duration: Time) {
        let end = self.occupy_processor(rank, op, duration);
        let start = end - duration;
        let number = self.computations.insert(Computation { rank, op, start });
        self.agenda.queue.push(end, EngineEvent::Computed(index_u32(number)));
    }

    fn send(&mut self, rank: Rank, send: ReadySend) {
        let overhead = self.network.overhead(send.bytes);
        let done = self.occupy_processor(rank, send.op, overhead);
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
            self.rank_state(rank).is_sending = true;
            self.agenda.queue.push(done, EngineEvent::Inject(id));
        }
    }

    /// Passes a message to the network, or sends its rendezvous request.
    fn inject(&mut self, id: FlightId) {
        let now = self.agenda.now;
        let flight = *self.flights.get(id);
        if self.flights.stage(id) == ProtocolStage::Requested {
            let latency = self.network.latency(flight.from, flight.to);
            self.agenda.queue.push(now + latency, EngineEvent::RequestArrived(id));
            self.rank_state(flight.from).is_sending = false;
            return;
        }
        let injected = self.network.inject(id, &flight, &mut self.agenda);
        let is_busy = injected.next > now;
        self.rank_state(flight.from).is_sending = is_busy;
        match injected.sent {
            Some(time) if time <= now => {
                self.complete_send(id);
            }
            Some(time) if time == injected.next => {
                self.agenda.queue.push(time, EngineEvent::SentAndReady(id));
                return;
            }
            Some(time) => self.agenda.queue.push(time, EngineEvent::Sent(id)),
            None => {}
        }
        if is_busy {
            let ready = EngineEvent::Ready(flight.from.0);
            self.agenda.queue.push(injected.next, ready);
        }
    }

    /// Completes a send; returns its rank.
    fn complete_send(&mut self, id: FlightId) -> Rank {
        let flight = *self.flights.get(id);
        self.observe(Activity::Send(id, &flight), flight.start);
        self.program.sent(flight.from, flight.send, &mut self.tasks);
        self.flights.release(id);
        flight.from
    }

    fn deliver(&mut self, id: FlightId) {
        if self.flights.stage(id) == ProtocolStage::Granted {
            let (rank, op) = (self.flights.get(id).to, self.flights.receive(id));
            self.start_receive(rank, op, id);
            self.start_ready_operations(rank);
            return;
        }
        self.handle_arrival(id);
    }

    /// Handles the arrival of a message or of its rendezvous request.
    fn handle_arrival(&mut self, id: FlightId) {
        let flight = *self.flights.get(id);
        let envelope = ArrivedMessage {
            flight: id,
            from: flight.from,
            send: flight.send,
            tag: flight.tag,
        };
        if let Some(op) = self.program.deliver(flight.to, envelope) {
            self.pair_with_receive(flight.to, op, id);
            self.start_ready_operations(flight.to);
        }
    }

    /// Pairs a message, or its rendezvous request, with its receive.
    fn pair_with_receive(&mut self, rank: Rank, op: OperationId, id: FlightId) {
        if self.flights.stage(id) != ProtocolStage::Requested {
            self.start_receive(rank, op, id);
            return;
        }
        self.flights.grant(id, op);
        let sender = self.flights.get(id).from;
        let answered = self.agenda.now + self.network.latency(rank, sender);
        self.agenda.queue.push(answered, EngineEvent::AnswerArrived(id));
    }

    /// Starts the receive of a message that has arrived.
    fn start_receive(&mut self, rank: Rank, op: OperationId, id: FlightId) {
        self.flights.set_receive(id, op);
        let overhead = self.network.overhead(self.flights.get(id).bytes);
        if overhead == Time::ZERO {
            self.complete_receive(id);
            return;
        }
        let done = self.occupy_processor(rank, op, overhead);
        self.agenda.queue.push(done, EngineEvent::Received(id));
    }

    /// Completes a receive; returns its rank.
    fn complete_receive(&mut self, id: FlightId) -> Rank {
        let (flight, op) = (*self.flights.get(id), self.flights.receive(id));
        let begin = self.agenda.now - self.network.overhead(flight.bytes);
        self.observe(Activity::Receive(id, &flight, op), begin);
        self.program.received(flight.to, op, &mut self.tasks);
        self.flights.release(id);
        flight.to
    }

    fn complete_computation(&mut self, number: u32) {
        let Computation { rank, op, start } = self.computations.remove(number as usize);
        self.observe(Activity::Compute(rank, op), start);
        self.program.computed(rank, op, &mut self.tasks);
        self.start_ready_operations(rank);
    }

    /// Reports an activity from `start` until now to the observer.
    fn observe(&mut self, activity: Activity<'_>, start: Time) {
        let now = self.agenda.now;
        self.end = self.end.max(now);
        self.observer.observe(activity, start, now);
    }

    /// Reports the losses recorded since the last call to the observer.
    fn report_losses(&mut self) {
        for loss in &self.agenda.losses[self.reported_losses..] {
            let end = loss.time + loss.delay;
            self.observer.observe(Activity::Loss(loss), loss.time, end);
        }
        self.reported_losses = self.agenda.losses.len();
    }

    fn outcome(self) -> SimOutcome {
        SimOutcome {
            time: self.end,
            messages: self.messages,
            bytes: self.bytes,
            losses: self.agenda.losses,
            links: self.network.links(),
        }
    }
}
