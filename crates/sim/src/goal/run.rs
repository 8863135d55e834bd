//! Programs in GOAL, run by the simulator.

mod standstill;

use std::collections::VecDeque;

use netsig_base::units::{Procs, Rank};

use super::program::{ANY, Operation};
use super::{Action, Goal, RankProgram};
use crate::matching::{Arrived, Matching, Pattern};
use crate::program::{Envelope, Op, Program, Rest, Send, Task};
use crate::time::Time;

/// State of an operation that has started. A smaller state is the number of events that the
/// operation waits for; each takes a statement, and a block has less than 4 GiB.
const STARTED: u32 = u32::MAX - 1;

/// The state of an operation that has ended.
const ENDED: u32 = u32::MAX;

/// An operation asks for a network interface that its rank does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rank {rank}: {operation} takes network interface {nic}, but each rank has one; remove nic {nic}")]
pub struct OtherInterface {
    /// The rank.
    pub rank: Rank,
    /// Label and statement of the operation.
    pub operation: String,
    /// The interface.
    pub nic: u8,
}

/// Programs in GOAL while they run.
///
/// An operation is ready when all operations that it `requires` have ended and all that it
/// `irequires` have started. A ready receive is posted, and so starts, at once. A ready send starts
/// when it is the first of its rank's ready sends and the port accepts it. A ready calculation
/// starts when it is queued on its processor; a calculation of no time uses no processor.
///
/// A message goes to the earliest posted receive that it fits, and a receive takes the earliest
/// message that fits it. Only ranks and tags are compared: lengths may differ, and the length of
/// the message counts.
///
/// Rules and results are those of `LogGOPSim` for eager messages, with these exceptions:
/// * `LogGOPSim` charges a receive o and (m − 1)·G on the processor that the send names, when the
///   message arrives. netsig charges the network's overhead on the processor that the receive
///   names, when the message has arrived and the receive is posted.
/// * `LogGOPSim` posts a receive when its processor is free, netsig at once.
/// * In `LogGOPSim` an empty message takes G less than a message of one byte; in netsig the
///   network model decides.
/// * In `LogGOPSim` an operation that requires a calculation on another processor may begin along
///   with it; in netsig it waits for the end.
///
/// Each rank has one network interface, and as many processors as its program names. A send that
/// waits for a processor blocks the later sends of its rank.
///
/// ```
/// use netsig_model::model::message::loggp::LogGP;
/// use netsig_sim::goal::{Goal, Goals};
/// use netsig_sim::network::endpoint::{Endpoint, Ports};
/// use netsig_sim::{Time, run};
/// use netsig_base::units::{Procs, Seconds, SecondsPerByte};
///
/// let text = "num_ranks 2\nrank 0 {\nl1: calc 5\nl2: send 8b to 1\nl2 requires l1\n}\n\
///             rank 1 {\nrecv 8b from -1 tag -1\n}\n";
/// let goal = Goal::parse("f.goal", text)?;
/// // L = 2500 ns, o = 0, g = 1000 ns and G = 6 ns.
/// let ports = LogGP::new(Seconds(2.5e-6), Seconds(0.0), Seconds(1e-6), SecondsPerByte(6e-9))?;
/// let mut network = Endpoint::new(Ports::LogGP(ports), Procs::new(2)?);
/// let outcome = run(&mut Goals::new(&goal)?, &mut network, &mut ())?;
/// // The calculation, L, and 7 times G.
/// assert_eq!(outcome.time, Time(5_000 + 2_500_000 + 7 * 6_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Goals<'a> {
    goal: &'a Goal,
    /// Index of each rank's first operation in `states`.
    firsts: Vec<usize>,
    states: Vec<u32>,
    /// Number of operations that have not ended.
    open: usize,
    /// The ready sends of each rank.
    ready: Vec<VecDeque<Op>>,
    matching: Matching,
    /// Operations that have just become ready.
    freed: Vec<Op>,
}

impl<'a> Goals<'a> {
    /// Creates the programs at their start.
    ///
    /// # Errors
    /// If an operation uses a network interface other than 0.
    pub fn new(goal: &'a Goal) -> Result<Self, OtherInterface> {
        let mut matching = Matching::new(goal.procs());
        let (mut firsts, mut states) = (Vec::new(), Vec::new());
        for (rank, program) in ranks(goal) {
            firsts.push(states.len());
            states.extend_from_slice(program.predecessor_counts());
            for op in program.indices() {
                let Operation { action, nic, .. } = program.operation(op);
                if nic != 0 {
                    let operation = standstill::name(program, op);
                    return Err(OtherInterface { rank, operation, nic });
                }
                match action {
                    Action::Receive { from, tag, .. } => {
                        matching.announce_receive(pattern(rank, from, tag));
                    }
                    Action::Send { to, tag, .. } => {
                        matching.announce_message(pattern(to, Some(rank), tag));
                    }
                    Action::Calculate { .. } => {}
                }
            }
        }
        Ok(Self {
            goal,
            ready: vec![VecDeque::new(); firsts.len()],
            firsts,
            open: states.len(),
            states,
            matching,
            freed: Vec::new(),
        })
    }

    fn program(&self, rank: Rank) -> &'a RankProgram {
        &self.goal.ranks()[rank.0 as usize]
    }

    fn has_started(&self, rank: Rank, op: Op) -> bool {
        self.states[self.firsts[rank.0 as usize] + op as usize] >= STARTED
    }

    fn has_ended(&self, rank: Rank, op: Op) -> bool {
        self.states[self.firsts[rank.0 as usize] + op as usize] == ENDED
    }

    fn state(&mut self, rank: Rank, op: Op) -> &mut u32 {
        &mut self.states[self.firsts[rank.0 as usize] + op as usize]
    }

    /// Removes one awaited event from the `waiting` operations.
    fn free(&mut self, rank: Rank, waiting: &[Op]) {
        for &op in waiting {
            let state = self.state(rank, op);
            *state -= 1;
            if *state == 0 {
                self.freed.push(op);
            }
        }
    }

    fn started(&mut self, rank: Rank, op: Op) {
        *self.state(rank, op) = STARTED;
        self.free(rank, self.program(rank).after_start(op));
    }

    fn ended(&mut self, rank: Rank, op: Op) {
        *self.state(rank, op) = ENDED;
        self.open -= 1;
        self.free(rank, self.program(rank).after_end(op));
    }

    /// Starts or queues the operations that have become ready, and the ones these make ready.
    fn go_on(&mut self, rank: Rank, tasks: &mut Vec<Task>) {
        let mut next = 0;
        while let Some(&op) = self.freed.get(next) {
            next += 1;
            match self.program(rank).action(op) {
                Action::Send { .. } => self.ready[rank.0 as usize].push_back(op),
                Action::Receive { from, tag, .. } => {
                    self.started(rank, op);
                    let arrived = self.matching.post(pattern(rank, from, tag), op);
                    tasks.extend(arrived.map(|Arrived { flight, .. }| Task::Receive { op, flight }));
                }
                Action::Calculate { nanoseconds: 0 } => {
                    self.started(rank, op);
                    self.ended(rank, op);
                }
                Action::Calculate { nanoseconds } => {
                    self.started(rank, op);
                    let duration = Time(1_000) * nanoseconds;
                    tasks.push(Task::Compute { op, duration });
                }
            }
        }
        self.freed.clear();
    }

    fn end(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>) {
        self.ended(rank, op);
        self.go_on(rank, tasks);
    }
}

impl Program for Goals<'_> {
    fn procs(&self) -> Procs {
        self.goal.procs()
    }

    fn processor(&self, rank: Rank, op: Op) -> u8 {
        self.program(rank).operation(op).cpu
    }

    fn start(&mut self, rank: Rank, tasks: &mut Vec<Task>) {
        let program = self.program(rank);
        let counts = program.indices().zip(program.predecessor_counts());
        self.freed
            .extend(counts.filter(|(_, count)| **count == 0).map(|(op, _)| op));
        self.go_on(rank, tasks);
    }

    fn next_send(&mut self, rank: Rank, tasks: &mut Vec<Task>) -> Option<Send> {
        let op = self.ready[rank.0 as usize].pop_front()?;
        let Action::Send { to, size, tag } = self.program(rank).action(op) else {
            unreachable!("only sends are put there");
        };
        self.started(rank, op);
        self.go_on(rank, tasks);
        Some(Send {
            op,
            to,
            tag: tag.unwrap_or(ANY),
            bytes: size.0,
        })
    }

    fn sent(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>) {
        self.end(rank, op, tasks);
    }

    fn deliver(&mut self, rank: Rank, envelope: Envelope) -> Option<Op> {
        let Envelope { flight, from, send, .. } = envelope;
        let tag = (envelope.tag != ANY).then_some(envelope.tag);
        let arrived = Arrived { flight, from, send };
        self.matching.arrive(pattern(rank, Some(from), tag), arrived)
    }

    fn received(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>) {
        self.end(rank, op, tasks);
    }

    fn computed(&mut self, rank: Rank, op: Op, tasks: &mut Vec<Task>) {
        self.end(rank, op, tasks);
    }

    fn rest(&self) -> Option<Rest> {
        let is_done = self.open == 0 && self.matching.arrived.is_empty();
        (!is_done).then(|| standstill::rest(self))
    }
}

fn pattern(receiver: Rank, source: Option<Rank>, tag: Option<u32>) -> Pattern {
    Pattern { receiver, source, tag }
}

fn ranks(goal: &Goal) -> impl Iterator<Item = (Rank, &RankProgram)> {
    goal.procs().ranks().zip(goal.ranks())
}

#[cfg(test)]
mod tests;
