//! The steps of pLogP between two ranks: rank 0 measures, rank 1 mirrors.
//!
//! Rank 0 times each call on its own clock; what reading the clock adds is taken off, and no
//! time is below 10 ns. The data of each repetition lie elsewhere in memory than those of
//! the last. What arrives is checked after the repetition; of a flood the last message is,
//! which alone has a place of its own.
//!
//! # Formula
//! A flood of N messages of m bytes takes T(N) = N·g(m) + L + g(0) + L until the answer to its
//! last arrives, so g(m) = (T(N) − T(1))/(N − 1), in seconds. The benchmark divides the time
//! of the send calls by N instead: where the MPI library takes messages into memory of its own,
//! as Open MPI does once the socket is full, those return long before anything is sent.
//!
//! # Source
//! Kielmann, Bal, Verstoep 2000, and their MPI `LogP` benchmark (1999–2003).

use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use netsig_core::units::{Rank, Seconds};
use netsig_measure::plan::{Cell, Operation};

use crate::operation::Fault;
use crate::pattern::Label;
use crate::stopwatch::Stopwatch;

/// Data begin at one of so many places,
const PLACES: u32 = 16;

/// which are a page and a cache line apart.
const APART: usize = 4096 + 64;

/// The shortest time that is believed.
const SHORTEST: Seconds = Seconds(1e-8);

/// A step on one rank.
pub struct Pair {
    step: Step,
    rank: Rank,
    watch: Stopwatch,
    /// What reading the clock twice adds to a time.
    overhead: Seconds,
    size: usize,
    memory: Vec<u8>,
    /// Where the data of this repetition begin.
    place: usize,
    /// What rank 0 timed.
    times: [Seconds; 2],
}

/// What is timed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// RTT(m) and os(m).
    RoundTrip,
    /// or(m), after a wait.
    ReceiveOverhead(Seconds),
    /// The gap between so many messages, and the time of all.
    Flood(u32),
}

impl Step {
    fn of(operation: Operation) -> Option<Self> {
        match operation {
            Operation::RoundTrip => Some(Self::RoundTrip),
            Operation::ReceiveOverhead { delay_ns } => {
                Some(Self::ReceiveOverhead(Seconds(delay_ns as f64 * 1e-9)))
            }
            Operation::Flood { messages } => Some(Self::Flood(messages)),
            _ => None,
        }
    }
}

impl Pair {
    /// What `rank` needs for a step of pLogP; `None` for other cells. `overhead` is what
    /// reading the clock twice adds to a time.
    pub fn new(cell: &Cell, rank: Rank, watch: Stopwatch, overhead: Seconds) -> Option<Self> {
        let step = Step::of(cell.operation)?;
        let size = usize::try_from(cell.size.0).expect("plans limit messages");
        // The last message of a flood lies behind the others.
        let messages = if let Step::Flood(_) = step { 2 } else { 1 };
        Some(Self {
            step,
            rank,
            watch,
            overhead,
            size,
            memory: vec![0; messages * size + PLACES as usize * APART],
            place: 0,
            times: [Seconds(0.0); 2],
        })
    }

    /// How many times it gives.
    pub fn width(&self) -> usize {
        match self.step {
            Step::ReceiveOverhead(_) => 1,
            Step::RoundTrip | Step::Flood(_) => 2,
        }
    }

    /// The times of the last repetition; zeros on rank 1.
    pub fn times(&self) -> &[Seconds] {
        &self.times[..self.width()]
    }

    /// Moves on in memory and writes what this rank sends.
    pub fn fill(&mut self, repetition: u32) {
        self.place = (repetition % PLACES) as usize * APART;
        if self.rank == self.sender() {
            let label = self.label(repetition);
            label.fill(self.data_mut());
        }
    }

    /// Carries the step out between the two ranks of `comm`.
    pub fn run(&mut self, comm: &SimpleCommunicator) {
        if self.rank == Rank(0) {
            self.measure(comm);
        } else {
            self.mirror(comm);
        }
    }

    /// Checks what this rank received.
    ///
    /// # Errors
    /// The first byte that is not what was sent in this repetition.
    pub fn verify(&self, repetition: u32) -> Result<(), Fault> {
        if self.rank == self.sender() {
            return Ok(());
        }
        self.label(repetition).check(&self.memory[self.last()])
    }

    fn measure(&mut self, comm: &SimpleCommunicator) {
        let other = comm.process_at_rank(1);
        let nothing: &mut [u8] = &mut [];
        match self.step {
            Step::RoundTrip => {
                let start = self.watch.now();
                other.send(self.data());
                let sent = self.watch.now();
                other.receive_into(nothing);
                let end = self.watch.now();
                self.times = [self.corrected(end - start), self.corrected(sent - start)];
            }
            Step::ReceiveOverhead(delay) => {
                other.send(&*nothing);
                self.watch.wait_until(self.watch.now() + delay);
                let start = self.watch.now();
                other.receive_into(self.data_mut());
                let end = self.watch.now();
                self.times[0] = self.corrected(end - start);
            }
            Step::Flood(messages) => {
                let one = self.answered(1, comm);
                let all = self.answered(messages, comm);
                let others = f64::from(messages.saturating_sub(1).max(1));
                self.times = [self.corrected((all - one) * (1.0 / others)), all];
            }
        }
    }

    fn mirror(&mut self, comm: &SimpleCommunicator) {
        let other = comm.process_at_rank(0);
        let nothing: &mut [u8] = &mut [];
        match self.step {
            Step::RoundTrip => {
                other.receive_into(self.data_mut());
                other.send(&*nothing);
            }
            Step::ReceiveOverhead(_) => {
                other.receive_into(nothing);
                other.send(self.data());
            }
            Step::Flood(messages) => {
                self.answer(1, comm);
                self.answer(messages, comm);
            }
        }
    }

    /// The time from the first of so many messages without a pause to the answer to the last.
    fn answered(&self, messages: u32, comm: &SimpleCommunicator) -> Seconds {
        let other = comm.process_at_rank(1);
        let nothing: &mut [u8] = &mut [];
        let start = self.watch.now();
        for _ in 0..messages {
            other.send(self.data());
        }
        other.receive_into(nothing);
        self.corrected(self.watch.now() - start)
    }

    /// Takes so many messages, the last to a place of its own, and answers.
    fn answer(&mut self, messages: u32, comm: &SimpleCommunicator) {
        let other = comm.process_at_rank(0);
        for _ in 1..messages {
            other.receive_into(self.data_mut());
        }
        let last = self.last();
        other.receive_into(&mut self.memory[last]);
        let nothing: &[u8] = &[];
        other.send(nothing);
    }

    fn corrected(&self, time: Seconds) -> Seconds {
        let time = time - self.overhead;
        if time < SHORTEST { SHORTEST } else { time }
    }

    /// Who sends the data.
    fn sender(&self) -> Rank {
        match self.step {
            Step::ReceiveOverhead(_) => Rank(1),
            Step::RoundTrip | Step::Flood(_) => Rank(0),
        }
    }

    fn label(&self, repetition: u32) -> Label {
        let Rank(origin) = self.sender();
        Label {
            origin,
            target: 1 - origin,
            repetition,
        }
    }

    fn data(&self) -> &[u8] {
        &self.memory[self.place..self.place + self.size]
    }

    fn data_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.place..self.place + self.size]
    }

    /// Where the receiver has the last message.
    fn last(&self) -> std::ops::Range<usize> {
        let before = if let Step::Flood(_) = self.step {
            self.size
        } else {
            0
        };
        self.place + before..self.place + before + self.size
    }
}
