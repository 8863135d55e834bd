//! Runs the schedules of one communicator of the program.

mod reduction;

use std::collections::VecDeque;

use mpi::ffi;
use netsig_base::algorithm::{self, Algorithm, ClusterLayout, ProvenSchedule, Schedule};
use netsig_base::units::{Bytes, Rank};
use netsig_model::predict::runtime_choice::is_quick;
use netsig_mpi::{LocalOperation, MemoryLayout, MpiChannel, MpiError, PieceAddresses, ReadyRound, SegmentOrder};

use crate::arrays::{EqualCall, PackingMemory};
use crate::call::{CallBuffers, CallLength, PairPieces, ProgramCall, is_in_place};
use crate::fault;
use crate::member::CommMember;

/// Most kept proofs, most prepared calls, and most messages and copies of prepared calls.
const MOST_PROOFS: usize = 64;
const MOST_PREPARED: usize = 16;
const MOST_OPERATIONS: usize = 1 << 16;

/// Most segments of a piece in an exchange of pieces that differ in size.
const MOST_PARTS: u64 = 1024;

/// Runs the schedules of one communicator.
pub struct ScheduleRunner {
    member: CommMember,
    /// Clusters of the processes, where they are known.
    layout: Option<ClusterLayout>,
    /// Proofs of earlier schedules; the oldest gives way.
    proofs: VecDeque<ProvenSchedule>,
    /// Rounds of earlier calls; the oldest give way.
    prepared: VecDeque<(PreparedKey, Vec<ReadyRound>)>,
    memory: PackingMemory,
    /// Order of the segments of pieces that differ in size.
    order: SegmentOrder,
}

/// The facts that determine the rounds of a call.
#[derive(PartialEq)]
struct PreparedKey {
    algorithm: Algorithm,
    root: u32,
    size: usize,
    /// Length of an element that is combined; 0 if none is.
    element: usize,
    /// Where the blocks of a vector begin, if not where the schedule cuts it.
    starts: Option<Vec<u64>>,
    /// Addresses of the arrays and of the relayed blocks.
    places: [usize; 3],
}

impl ScheduleRunner {
    /// A runner for a communicator in which this process is `member`.
    pub fn new(member: CommMember, layout: Option<ClusterLayout>) -> Self {
        Self {
            member,
            layout,
            proofs: VecDeque::new(),
            prepared: VecDeque::new(),
            memory: PackingMemory::default(),
            order: SegmentOrder::default(),
        }
    }

    /// This runner, with the order of the segments for the next call.
    pub fn in_order(&mut self, order: SegmentOrder) -> &mut Self {
        self.order = order;
        self
    }

    /// Runs the schedule of `algorithm` for a call by messages on `channel`.
    ///
    /// # Errors
    /// If an MPI call fails, or the arguments contradict each other.
    pub fn run(&mut self, call: &ProgramCall, algorithm: Algorithm, channel: MpiChannel) -> Result<(), MpiError> {
        let done = self.carry_out(call, algorithm, channel);
        self.keep_usable(done)
    }

    /// Gives up the memory after a failure.
    fn keep_usable(&mut self, done: Result<(), MpiError>) -> Result<(), MpiError> {
        if done.is_err() {
            // MPI may still write to this memory.
            std::mem::forget(std::mem::take(&mut self.memory));
            self.prepared.clear();
        }
        done
    }

    /// Proves the schedule of `algorithm` for a call, before this rank agrees to run it.
    ///
    /// # Errors
    /// If the algorithm cannot serve the call.
    pub fn prepare(&mut self, call: &ProgramCall, algorithm: Algorithm) -> Result<(), MpiError> {
        fault::panic_if_provoked("prepare");
        let schedule = match call.buffers {
            CallBuffers::Equal { .. } | CallBuffers::Without => {
                let (root, size) = piece(call, self.member)?;
                self.schedule(algorithm, root, size)?
            }
            CallBuffers::Vectors(vectors) => {
                let vector = call
                    .reduced_vector(vectors, self.member)
                    .ok_or(CONTRADICTING_ARGUMENTS)?;
                self.vector_schedule(&vector, algorithm)?
            }
            CallBuffers::ByPair { send, receive, .. } => {
                // SAFETY: the program gives a number for each rank.
                let lengths = |side: PairPieces| unsafe { side.lengths(self.member.procs) };
                let received = lengths(receive).flatten().max();
                let sent_side = Some(send).filter(|side| !is_in_place(side.buffer));
                let sent = sent_side.and_then(|side| lengths(side).flatten().max());
                let longest = received.max(sent).unwrap_or(0);
                self.segmented_schedule(algorithm, longest)?
            }
        };
        self.proven(schedule).map(drop)
    }

    /// The schedule of pieces of one size.
    fn schedule(&self, algorithm: Algorithm, root: u32, size: usize) -> Result<Schedule, MpiError> {
        let call_to_serve = algorithm::CollectiveCall {
            root: Rank(root),
            layout: self.layout.clone(),
            ..algorithm::CollectiveCall::new(self.member.procs, Bytes(size as u64))
        };
        algorithm.serve(&call_to_serve).map_err(|_| MpiError::INTERNAL)
    }

    /// The schedule of pieces that differ in size; the longest piece of this rank has `longest` bytes.
    fn segmented_schedule(&self, algorithm: Algorithm, longest: u64) -> Result<Schedule, MpiError> {
        let segment = algorithm.segment().ok_or(MpiError::INTERNAL)?.0;
        // Powers of two, so that few proofs serve many calls.
        let wanted = longest.div_ceil(segment).next_power_of_two();
        let mut calls = (0..=MOST_PARTS.ilog2())
            .rev()
            .map(|power| (1 << power).min(wanted))
            .map(|parts| algorithm::CollectiveCall::new(self.member.procs, Bytes(parts * segment)));
        let call_to_serve = calls.find(|call| is_quick(algorithm, call)).ok_or(MpiError::INTERNAL)?;
        algorithm.serve(&call_to_serve).map_err(|_| MpiError::INTERNAL)
    }

    fn carry_out(&mut self, call: &ProgramCall, algorithm: Algorithm, channel: MpiChannel) -> Result<(), MpiError> {
        match call.buffers {
            CallBuffers::Equal { send, receive } => {
                let (root, size) = piece(call, self.member)?;
                let call = EqualCall {
                    collective: call.collective,
                    comm: channel.comm(),
                    root,
                    size,
                    send,
                    receive,
                };
                self.run_equal(&call, algorithm, channel)
            }
            CallBuffers::ByPair { send, receive, .. } => self.run_by_pair(send, receive, algorithm, channel),
            CallBuffers::Vectors(vectors) => {
                let vector = call
                    .reduced_vector(vectors, self.member)
                    .ok_or(CONTRADICTING_ARGUMENTS)?;
                self.run_vector(&vector, algorithm, channel)
            }
            CallBuffers::Without => {
                let schedule = self.schedule(algorithm, 0, 0)?;
                let rounds = self.rounds(schedule, [0, 0].map(PieceAddresses::Consecutive), 0)?;
                carry_out(&rounds, channel, None)
            }
        }
    }

    fn run_equal(&mut self, call: &EqualCall, algorithm: Algorithm, channel: MpiChannel) -> Result<(), MpiError> {
        let EqualCall { root, size, .. } = *call;
        let arrays = self.memory.equal_arrays(call, self.member)?;
        let schedule = self.schedule(algorithm, root, size)?;
        let scratch = self.scratch(&schedule);
        let key = PreparedKey {
            algorithm,
            root,
            size,
            element: 0,
            starts: None,
            places: [arrays.input, arrays.output, scratch],
        };
        let known = self.prepared.iter().position(|(earlier, _)| *earlier == key);
        let index = if let Some(index) = known {
            index
        } else {
            let pieces = [arrays.input, arrays.output].map(PieceAddresses::Consecutive);
            let rounds = self.rounds(schedule, pieces, scratch)?;
            self.keep_prepared(key, rounds)
        };
        carry_out(&self.prepared[index].1, channel, None)?;
        arrays.unpack(channel.comm())
    }

    /// Runs an exchange of pieces that differ in size. Sender and receiver cut a piece into the same segments of the
    /// algorithm; other ranks may cut theirs into more or fewer. Segments are longer if a piece would have more than
    /// `MOST_PARTS`, or more than can be proved in moments.
    fn run_by_pair(
        &mut self,
        send: PairPieces,
        receive: PairPieces,
        algorithm: Algorithm,
        channel: MpiChannel,
    ) -> Result<(), MpiError> {
        let mut arrays = self.memory.pair_arrays(channel.comm(), send, receive, self.member)?;
        let rank = self.member.rank.0 as usize;
        if arrays.input[rank].len() != arrays.output[rank].len() {
            return Err(CONTRADICTING_ARGUMENTS);
        }
        let schedule = self.segmented_schedule(algorithm, arrays.longest() as u64)?;
        let scratch = self.scratch(&schedule);
        let rounds = self.rounds(schedule, arrays.pieces(), scratch)?;
        carry_out(&rounds, channel, None)?;
        arrays.unpack(channel.comm())
    }

    /// Address of the relayed blocks of a schedule.
    fn scratch(&mut self, schedule: &Schedule) -> usize {
        let extent = schedule.extent();
        let length = extent.blocks.relay_bytes(extent.division);
        let bytes = usize::try_from(length).expect("memory can be addressed");
        self.memory.scratch.address(bytes)
    }

    /// This rank's rounds of a schedule with its arrays at these places.
    fn rounds(
        &mut self,
        schedule: Schedule,
        [input, output]: [PieceAddresses; 2],
        scratch: usize,
    ) -> Result<Vec<ReadyRound>, MpiError> {
        let layout = MemoryLayout::new(&schedule.extent(), input, output, scratch).in_order(self.order);
        let rank = self.member.rank;
        let proven = self.proven(schedule)?;
        let rounds = (0..proven.rounds()).map(|index| ReadyRound::new(&proven, rank, index, &layout));
        Ok(rounds.collect())
    }

    /// A schedule with its proof, for this rank at least.
    fn proven(&mut self, schedule: Schedule) -> Result<ProvenSchedule, MpiError> {
        let mut known = self.proofs.iter();
        if let Some(proven) = known.find_map(|proof| proof.for_schedule(schedule.clone())) {
            return Ok(proven);
        }
        let proof = schedule.prove_part(self.member.rank);
        let proven = proof.map_err(|_| MpiError::INTERNAL)?;
        if self.proofs.len() == MOST_PROOFS {
            self.proofs.pop_front();
        }
        self.proofs.push_back(proven.clone());
        Ok(proven)
    }

    /// Frees the datatypes of earlier calls.
    pub fn forget_calls(&mut self) {
        self.prepared.clear();
    }

    /// Keeps the rounds of a call; returns their place.
    fn keep_prepared(&mut self, key: PreparedKey, rounds: Vec<ReadyRound>) -> usize {
        let mut kept: usize = self
            .prepared
            .iter()
            .map(|(_, kept_rounds)| operations(kept_rounds))
            .sum();
        while self.prepared.len() >= MOST_PREPARED || kept + operations(&rounds) > MOST_OPERATIONS {
            let Some((_, oldest)) = self.prepared.pop_front() else {
                break;
            };
            kept -= operations(&oldest);
        }
        self.prepared.push_back((key, rounds));
        self.prepared.len() - 1
    }
}

/// Code for arguments that contradict each other.
const CONTRADICTING_ARGUMENTS: MpiError = MpiError(ffi::MPI_ERR_TRUNCATE.cast_signed());

/// Root, and length of a piece.
fn piece(call: &ProgramCall, member: CommMember) -> Result<(u32, usize), MpiError> {
    let Ok(CallLength::Piece(size)) = call.length(member) else {
        return Err(CONTRADICTING_ARGUMENTS);
    };
    let root = u32::try_from(call.root).map_err(|_| CONTRADICTING_ARGUMENTS)?;
    Ok((root, usize::try_from(size.0).map_err(|_| CONTRADICTING_ARGUMENTS)?))
}

fn operations(rounds: &[ReadyRound]) -> usize {
    rounds.iter().map(ReadyRound::operations).sum()
}

/// Runs all rounds, also after a failure: partners wait for their messages. The first failure counts.
fn carry_out(rounds: &[ReadyRound], channel: MpiChannel, operation: Option<LocalOperation>) -> Result<(), MpiError> {
    let mut done = Ok(());
    for round in rounds {
        // SAFETY: the places are the program's buffers, lent for its call, and memory of this communicator that only
        // this call uses.
        let result = unsafe { round.run(channel, operation) };
        done = done.and(result);
    }
    done
}

// SAFETY: handles of MPI and addresses; the program obeys MPI's rules for calls from threads.
unsafe impl Send for ScheduleRunner {}
