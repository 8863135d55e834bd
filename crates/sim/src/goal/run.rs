//! Programs in GOAL, run by the simulator.

mod deadlock;

use std::collections::VecDeque;

use netsig_base::units::{Procs, Rank};

use super::program::{ANY, GoalOperation};
use super::{Goal, GoalAction, GoalRankProgram};
use crate::matching::{Matching, MessagePattern, WaitingMessage};
use crate::program::{ArrivedMessage, OperationId, ReadySend, SimProgram, SimTask, UnfinishedOperations};
use crate::time::Time;

/// State of an operation that has started. A smaller state is the number of events that the operation awaits, one per
/// statement; a block of less than 4 GiB has fewer statements than this.
const STARTED: u32 = u32::MAX - 1;

/// The state of an operation that has ended.
const ENDED: u32 = u32::MAX;

/// An operation asks for a network interface that its rank does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rank {rank}: {operation} takes network interface {nic}, but each rank has one; remove nic {nic}")]
pub struct UnknownInterface {
    /// The rank.
    pub rank: Rank,
    /// Label and statement of the operation.
    pub operation: String,
    /// The interface.
    pub nic: u8,
}

/// Running programs in GOAL.
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
/// Rules and results agree with `LogGOPSim` for eager messages, with these exceptions:
/// * `LogGOPSim` charges a receive o and (m − 1)·G on the processor that the send names, when the message arrives;
///   netsig charges the network's overhead on the processor that the receive names, when the message has arrived and
///   the receive is posted.
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
/// use netsig_sim::goal::{Goal, GoalRun};
/// use netsig_sim::network::endpoint::{Endpoint, PortParameters};
/// use netsig_sim::{Time, run};
/// use netsig_base::units::{Procs, Seconds, SecondsPerByte};
///
/// let text = "num_ranks 2\nrank 0 {\nl1: calc 5\nl2: send 8b to 1\nl2 requires l1\n}\n\
///             rank 1 {\nrecv 8b from -1 tag -1\n}\n";
/// let goal = Goal::parse("f.goal", text)?;
/// // L = 2500 ns, o = 0, g = 1000 ns and G = 6 ns.
/// let ports = LogGP::new(Seconds(2.5e-6), Seconds(0.0), Seconds(1e-6), SecondsPerByte(6e-9))?;
/// let mut network = Endpoint::new(PortParameters::LogGP(ports), Procs::new(2)?);
/// let outcome = run(&mut GoalRun::new(&goal)?, &mut network, &mut ())?;
/// // The calculation, L, and 7 times G.
/// assert_eq!(outcome.time, Time(5_000 + 2_500_000 + 7 * 6_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct GoalRun<'a> {
    goal: &'a Goal,
    /// Index of each rank's first operation in `states`.
    first_states: Vec<usize>,
    states: Vec<u32>,
    /// Number of operations that have not ended.
    open: usize,
    /// The ready sends of each rank.
    ready: Vec<VecDeque<OperationId>>,
    matching: Matching,
    /// Operations that have just become ready.
    newly_ready: Vec<OperationId>,
}

impl<'a> GoalRun<'a> {
    /// Creates the programs at their start.
    ///
    /// # Errors
    /// If an operation uses a network interface other than 0.
    pub fn new(goal: &'a Goal) -> Result<Self, UnknownInterface> {
        let mut matching = Matching::new(goal.procs());
        let (mut firsts, mut states) = (Vec::new(), Vec::new());
        for (rank, program) in ranks(goal) {
            firsts.push(states.len());
            states.extend_from_slice(program.predecessor_counts());
            for op in program.indices() {
                let GoalOperation { action, nic, .. } = program.operation(op);
                if nic != 0 {
                    let operation = deadlock::operation_text(program, op);
                    return Err(UnknownInterface { rank, operation, nic });
                }
                match action {
                    GoalAction::Receive { from, tag, .. } => {
                        matching.announce_receive(pattern(rank, from, tag));
                    }
                    GoalAction::Send { to, tag, .. } => {
                        matching.announce_message(pattern(to, Some(rank), tag));
                    }
                    GoalAction::Calculate { .. } => {}
                }
            }
        }
        Ok(Self {
            goal,
            ready: vec![VecDeque::new(); firsts.len()],
            first_states: firsts,
            open: states.len(),
            states,
            matching,
            newly_ready: Vec::new(),
        })
    }

    fn program(&self, rank: Rank) -> &'a GoalRankProgram {
        &self.goal.ranks()[rank.0 as usize]
    }

    fn has_started(&self, rank: Rank, op: OperationId) -> bool {
        self.states[self.first_states[rank.0 as usize] + op as usize] >= STARTED
    }

    fn has_ended(&self, rank: Rank, op: OperationId) -> bool {
        self.states[self.first_states[rank.0 as usize] + op as usize] == ENDED
    }

    fn state(&mut self, rank: Rank, op: OperationId) -> &mut u32 {
        &mut self.states[self.first_states[rank.0 as usize] + op as usize]
    }

    /// Removes one awaited event from the `waiting` operations.
    fn release_waiting(&mut self, rank: Rank, waiting: &[OperationId]) {
        for &op in waiting {
            let state = self.state(rank, op);
            *state -= 1;
            if *state == 0 {
                self.newly_ready.push(op);
            }
        }
    }

    fn mark_started(&mut self, rank: Rank, op: OperationId) {
        *self.state(rank, op) = STARTED;
        self.release_waiting(rank, self.program(rank).after_start(op));
    }

    fn mark_ended(&mut self, rank: Rank, op: OperationId) {
        *self.state(rank, op) = ENDED;
        self.open -= 1;
        self.release_waiting(rank, self.program(rank).after_end(op));
    }

    /// Starts or queues the operations that have become ready, and the ones these make ready.
    fn start_newly_ready(&mut self, rank: Rank, tasks: &mut Vec<SimTask>) {
        let mut next = 0;
        while let Some(&op) = self.newly_ready.get(next) {
            next += 1;
            match self.program(rank).action(op) {
                GoalAction::Send { .. } => self.ready[rank.0 as usize].push_back(op),
                GoalAction::Receive { from, tag, .. } => {
                    self.mark_started(rank, op);
                    let arrived = self.matching.post(pattern(rank, from, tag), op);
                    tasks.extend(arrived.map(|WaitingMessage { flight, .. }| SimTask::Receive { op, flight }));
                }
                GoalAction::Calculate { nanoseconds: 0 } => {
                    self.mark_started(rank, op);
                    self.mark_ended(rank, op);
                }
                GoalAction::Calculate { nanoseconds } => {
                    self.mark_started(rank, op);
                    let duration = Time(1_000) * nanoseconds;
                    tasks.push(SimTask::Compute { op, duration });
                }
            }
        }
        self.newly_ready.clear();
    }

    fn end_operation(&mut self, rank: Rank, op: OperationId, tasks: &mut Vec<SimTask>) {
        self.mark_ended(rank, op);
        self.start_newly_ready(rank, tasks);
    }
}

impl SimProgram for GoalRun<'_> {
    fn procs(&self) -> Procs {
        self.goal.procs()
    }

    fn processor(&self, rank: Rank, op: OperationId) -> u8 {
        self.program(rank).operation(op).cpu
    }

    fn start(&mut self, rank: Rank, tasks: &mut Vec<SimTask>) {
        let program = self.program(rank);
        let counts = program.indices().zip(program.predecessor_counts());
        self.newly_ready
            .extend(counts.filter(|(_, count)| **count == 0).map(|(op, _)| op));
        self.start_newly_ready(rank, tasks);
    }

    fn next_send(&mut self, rank: Rank, tasks: &mut Vec<SimTask>) -> Option<ReadySend> {
        let op = self.ready[rank.0 as usize].pop_front()?;
        let GoalAction::Send { to, size, tag } = self.program(rank).action(op) else {
            unreachable!("only sends are put there");
        };
        self.mark_started(rank, op);
        self.start_newly_ready(rank, tasks);
        Some(ReadySend {
            op,
            to,
            tag: tag.unwrap_or(ANY),
            bytes: size.0,
        })
    }

    fn sent(&mut self, rank: Rank, op: OperationId, tasks: &mut Vec<SimTask>) {
        self.end_operation(rank, op, tasks);
    }

    fn deliver(&mut self, rank: Rank, envelope: ArrivedMessage) -> Option<OperationId> {
        let ArrivedMessage { flight, from, send, .. } = envelope;
        let tag = (envelope.tag != ANY).then_some(envelope.tag);
        let arrived = WaitingMessage { flight, from, send };
        self.matching.arrive(pattern(rank, Some(from), tag), arrived)
    }

    fn received(&mut self, rank: Rank, op: OperationId, tasks: &mut Vec<SimTask>) {
        self.end_operation(rank, op, tasks);
    }

    fn computed(&mut self, rank: Rank, op: OperationId, tasks: &mut Vec<SimTask>) {
        self.end_operation(rank, op, tasks);
    }

    fn unfinished_work(&self) -> Option<UnfinishedOperations> {
        let is_done = self.open == 0 && self.matching.arrived.is_empty();
        (!is_done).then(|| deadlock::unfinished_work(self))
    }
}

fn pattern(receiver: Rank, source: Option<Rank>, tag: Option<u32>) -> MessagePattern {
    MessagePattern { receiver, source, tag }
}

fn ranks(goal: &Goal) -> impl Iterator<Item = (Rank, &GoalRankProgram)> {
    goal.procs().ranks().zip(goal.ranks())
}

#[cfg(test)]
mod tests;
