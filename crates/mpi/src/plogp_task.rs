//! The steps of pLogP between two ranks: rank 0 measures, rank 1 responds.
//!
//! Rank 0 measures each call on its clock, subtracts the overhead of reading the clock, and reports
//! at least 10 ns. The data of consecutive repetitions lie at different addresses. The received
//! data are checked after the repetition; in a flood only the last message is checked, which has a
//! separate buffer.
//!
//! # Formula
//! A flood of N messages of m bytes takes T(N) = N·g(m) + L + g(0) + L until the answer to its last message arrives. So
//! g(m) = (T(N) − T(1))/(N − 1), in seconds. The benchmark of the source divides the time of the send calls by N
//! instead. These calls return long before the messages are sent if the MPI library copies messages to its own buffers,
//! as Open MPI does when the socket is full.
//!
//! # Source
//! Kielmann, Bal, Verstoep 2000, and their MPI `LogP` benchmark (1999–2003).

use std::ops::Range;

use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};
use netsig_base::units::{Rank, Seconds};
use netsig_measure::plan::{PlanCell, TimedOperation};

use crate::pattern::{DataFault, DataLabel};
use crate::stopwatch::Stopwatch;
use crate::task::StepTask;

/// Number of places at which data may begin.
const PLACES: u32 = 16;

/// Distance between places: a page and a cache line.
const PLACE_DISTANCE: usize = 4096 + 64;

/// Lower bound of a measured time.
const SHORTEST: Seconds = Seconds(1e-8);

/// A step of pLogP on one rank.
pub struct PLogPTask {
    step: TimedOperation,
    rank: Rank,
    /// The rank that sends the data.
    sender: Rank,
    watch: Stopwatch,
    /// Overhead of reading the clock twice.
    overhead: Seconds,
    size: usize,
    memory: Vec<u8>,
    /// Offset of the current repetition's data in `memory`.
    place: usize,
    /// Rank 0's times of the last repetition; zeros on rank 1.
    times: Vec<Seconds>,
}

impl PLogPTask {
    /// Prepares a step of pLogP on `rank`. `overhead` is the time of reading the clock twice.
    pub fn new(step: &PlanCell, rank: Rank, watch: Stopwatch, overhead: Seconds) -> Self {
        let size = usize::try_from(step.size.0).expect("plans limit messages");
        let (sender, times, messages) = match step.operation {
            TimedOperation::ReceiveOverhead { .. } => (Rank(1), 1, 1),
            // The buffer of the last message follows that of the others.
            TimedOperation::Flood { .. } => (Rank(0), 2, 2),
            _ => (Rank(0), 2, 1),
        };
        Self {
            step: step.operation,
            rank,
            sender,
            watch,
            overhead,
            size,
            memory: vec![0; messages * size + PLACES as usize * PLACE_DISTANCE],
            place: 0,
            times: vec![Seconds(0.0); times],
        }
    }

    fn measure(&mut self, comm: &SimpleCommunicator) {
        let other = comm.process_at_rank(1);
        let nothing: &mut [u8] = &mut [];
        match self.step {
            TimedOperation::ReceiveOverhead { delay_ns } => {
                other.send(&*nothing);
                let delay = Seconds(delay_ns as f64 * 1e-9);
                self.watch.wait_until(self.watch.now() + delay);
                let start = self.watch.now();
                other.receive_into(self.data_mut());
                let end = self.watch.now();
                self.times[0] = self.corrected(end - start);
            }
            TimedOperation::Flood { messages } => {
                let one = self.time_to_answer(1, comm);
                let all = self.time_to_answer(messages, comm);
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

    fn answer_step(&mut self, comm: &SimpleCommunicator) {
        let other = comm.process_at_rank(0);
        let nothing: &mut [u8] = &mut [];
        match self.step {
            TimedOperation::ReceiveOverhead { .. } => {
                other.receive_into(nothing);
                other.send(self.data());
            }
            TimedOperation::Flood { messages } => {
                self.answer(1, comm);
                self.answer(messages, comm);
            }
            _ => {
                other.receive_into(self.data_mut());
                other.send(&*nothing);
            }
        }
    }

    /// The time from the first of `messages` messages without a pause to the answer to the last.
    fn time_to_answer(&self, messages: u32, comm: &SimpleCommunicator) -> Seconds {
        let other = comm.process_at_rank(1);
        let nothing: &mut [u8] = &mut [];
        let start = self.watch.now();
        for _ in 0..messages {
            other.send(self.data());
        }
        other.receive_into(nothing);
        self.corrected(self.watch.now() - start)
    }

    /// Receives `messages` messages, the last into a separate buffer, and answers.
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
        let net_time = time - self.overhead;
        if net_time < SHORTEST { SHORTEST } else { net_time }
    }

    fn label(&self, repetition: u32) -> DataLabel {
        DataLabel {
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

    /// Range of the last message in the receiver's memory.
    fn last(&self) -> Range<usize> {
        let start = match self.step {
            TimedOperation::Flood { .. } => self.place + self.size,
            _ => self.place,
        };
        start..start + self.size
    }
}

impl StepTask for PLogPTask {
    fn has_common_start(&self) -> bool {
        false
    }

    fn time_count(&self) -> usize {
        self.times.len()
    }

    /// Also moves the data to the next place.
    fn fill(&mut self, repetition: u32) {
        self.place = (repetition % PLACES) as usize * PLACE_DISTANCE;
        if self.rank == self.sender {
            let label = self.label(repetition);
            label.fill(self.data_mut());
        }
    }

    fn run(&mut self, comm: &SimpleCommunicator) {
        if self.rank == Rank(0) {
            self.measure(comm);
        } else {
            self.answer_step(comm);
        }
    }

    fn verify(&self, repetition: u32) -> Result<(), DataFault> {
        if self.rank == self.sender {
            return Ok(());
        }
        self.label(repetition).check(&self.memory[self.last()])
    }

    fn times(&self, _: Seconds, times: &mut [f64]) {
        for (time, measured) in times.iter_mut().zip(&self.times) {
            *time = measured.0;
        }
    }
}
