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

use std::ops::Range;

use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use netsig_core::units::{Rank, Seconds};
use netsig_measure::plan::{Cell, Operation};

use crate::pattern::{Fault, Label};
use crate::stopwatch::Stopwatch;
use crate::task::Task;

/// Data begin at one of so many places,
const PLACES: u32 = 16;

/// which are a page and a cache line apart.
const APART: usize = 4096 + 64;

/// The shortest time that is believed.
const SHORTEST: Seconds = Seconds(1e-8);

/// A step on one rank.
pub struct Pair {
    step: Operation,
    rank: Rank,
    /// Who sends the data.
    sender: Rank,
    watch: Stopwatch,
    /// What reading the clock twice adds to a time.
    overhead: Seconds,
    size: usize,
    memory: Vec<u8>,
    /// Where the data of this repetition begin.
    place: usize,
    /// What rank 0 timed in the last repetition; zeros on rank 1.
    times: Vec<Seconds>,
}

impl Pair {
    /// What `rank` needs for a step of pLogP. `overhead` is what reading the clock twice adds
    /// to a time.
    pub fn new(step: &Cell, rank: Rank, watch: Stopwatch, overhead: Seconds) -> Self {
        let size = usize::try_from(step.size.0).expect("plans limit messages");
        let (sender, times, messages) = match step.operation {
            Operation::ReceiveOverhead { .. } => (Rank(1), 1, 1),
            // The last message lies behind the others.
            Operation::Flood { .. } => (Rank(0), 2, 2),
            _ => (Rank(0), 2, 1),
        };
        Self {
            step: step.operation,
            rank,
            sender,
            watch,
            overhead,
            size,
            memory: vec![0; messages * size + PLACES as usize * APART],
            place: 0,
            times: vec![Seconds(0.0); times],
        }
    }

    fn measure(&mut self, comm: &SimpleCommunicator) {
        let other = comm.process_at_rank(1);
        let nothing: &mut [u8] = &mut [];
        match self.step {
            Operation::ReceiveOverhead { delay_ns } => {
                other.send(&*nothing);
                let delay = Seconds(delay_ns as f64 * 1e-9);
                self.watch.wait_until(self.watch.now() + delay);
                let start = self.watch.now();
                other.receive_into(self.data_mut());
                let end = self.watch.now();
                self.times[0] = self.corrected(end - start);
            }
            Operation::Flood { messages } => {
                let one = self.answered(1, comm);
                let all = self.answered(messages, comm);
                let others = f64::from(messages.saturating_sub(1).max(1));
                self.times[0] = self.corrected((all - one) * (1.0 / others));
                self.times[1] = all;
            }
            _ => {
                let start = self.watch.now();
                other.send(self.data());
                let sent = self.watch.now();
                other.receive_into(nothing);
                let end = self.watch.now();
                self.times[0] = self.corrected(end - start);
                self.times[1] = self.corrected(sent - start);
            }
        }
    }

    fn mirror(&mut self, comm: &SimpleCommunicator) {
        let other = comm.process_at_rank(0);
        let nothing: &mut [u8] = &mut [];
        match self.step {
            Operation::ReceiveOverhead { .. } => {
                other.receive_into(nothing);
                other.send(self.data());
            }
            Operation::Flood { messages } => {
                self.answer(1, comm);
                self.answer(messages, comm);
            }
            _ => {
                other.receive_into(self.data_mut());
                other.send(&*nothing);
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

    fn label(&self, repetition: u32) -> Label {
        Label {
            origin: self.sender,
            target: Rank(1 - self.sender.0),
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
    fn last(&self) -> Range<usize> {
        let start = match self.step {
            Operation::Flood { .. } => self.place + self.size,
            _ => self.place,
        };
        start..start + self.size
    }
}

impl Task for Pair {
    fn has_common_start(&self) -> bool {
        false
    }

    fn width(&self) -> usize {
        self.times.len()
    }

    /// Moves on in memory, too.
    fn fill(&mut self, repetition: u32) {
        self.place = (repetition % PLACES) as usize * APART;
        if self.rank == self.sender {
            let label = self.label(repetition);
            label.fill(self.data_mut());
        }
    }

    fn run(&mut self, comm: &SimpleCommunicator) {
        if self.rank == Rank(0) {
            self.measure(comm);
        } else {
            self.mirror(comm);
        }
    }

    fn verify(&self, repetition: u32) -> Result<(), Fault> {
        if self.rank == self.sender {
            return Ok(());
        }
        self.label(repetition).check(&self.memory[self.last()])
    }

    fn times(&self, _: Seconds, times: &mut [f64]) {
        for (time, own) in times.iter_mut().zip(&self.times) {
            *time = own.0;
        }
    }
}
