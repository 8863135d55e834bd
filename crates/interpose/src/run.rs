//! Runs the schedules of one communicator of the program.

use std::collections::VecDeque;

use mpi::ffi;
use netsig_base::algorithm::{self, Algorithm, Layout as Clusters, Proven, Schedule};
use netsig_base::units::{Bytes, Rank};
use netsig_mpi::{Channel, Layout, MpiError, Pieces, ReadyRound};

use crate::call::{Buffers, Call, Length, PairSide, is_in_place};
use crate::choice::is_quick;
use crate::fault;
use crate::member::Member;
use crate::sides::{Equal, Rooms};

/// Most proofs that are kept, most prepared calls, and most messages and copies of these.
const MOST_PROOFS: usize = 64;
const MOST_PREPARED: usize = 16;
const MOST_OPERATIONS: usize = 1 << 16;

/// Most segments of a piece in an exchange of pieces that differ in size.
const MOST_PARTS: u64 = 1024;

/// Runs the schedules of one communicator.
pub struct Runner {
    member: Member,
    /// Clusters of the processes, where they are known.
    layout: Option<Clusters>,
    /// The oldest gives way.
    proofs: VecDeque<Proven>,
    /// Rounds of earlier calls; the oldest give way.
    prepared: VecDeque<(Prepared, Vec<ReadyRound>)>,
    rooms: Rooms,
}

/// What the rounds of a call depend on.
#[derive(PartialEq)]
struct Prepared {
    algorithm: Algorithm,
    root: u32,
    size: usize,
    /// Addresses of the arrays and of the relayed blocks.
    places: [usize; 3],
}

impl Runner {
    /// A runner for a communicator in which this process is `member`.
    pub fn new(member: Member, layout: Option<Clusters>) -> Self {
        Self {
            member,
            layout,
            proofs: VecDeque::new(),
            prepared: VecDeque::new(),
            rooms: Rooms::default(),
        }
    }

    /// Runs the schedule of `algorithm` for a call by messages on `channel`.
    ///
    /// # Errors
    /// If an MPI call fails, or the arguments contradict each other.
    pub fn run(&mut self, call: &Call, algorithm: Algorithm, channel: Channel) -> Result<(), MpiError> {
        let done = self.carry_out(call, algorithm, channel);
        if done.is_err() {
            // MPI may still write to this memory.
            std::mem::forget(std::mem::take(&mut self.rooms));
            self.prepared.clear();
        }
        done
    }

    /// Proves the schedule of `algorithm` for a call, before this rank agrees to run it.
    ///
    /// # Errors
    /// If the algorithm cannot serve the call.
    pub fn prepare(&mut self, call: &Call, algorithm: Algorithm) -> Result<(), MpiError> {
        fault::provoked("prepare");
        let schedule = match call.buffers {
            Buffers::Equal { .. } => {
                let (root, size) = piece(call, self.member)?;
                self.schedule(algorithm, root, size)?
            }
            Buffers::ByPair { send, receive } => {
                // SAFETY: the program gives a number for each rank.
                let lengths = |side: PairSide| unsafe { side.lengths(self.member.procs) };
                let received = lengths(receive).flatten().max();
                let sent = Some(send).filter(|own| !is_in_place(own.buffer));
                let sent = sent.and_then(|own| lengths(own).flatten().max());
                let longest = received.max(sent).unwrap_or(0);
                self.segmented(algorithm, longest)?
            }
        };
        self.proven(schedule).map(drop)
    }

    /// The schedule of pieces of one size.
    fn schedule(&self, algorithm: Algorithm, root: u32, size: usize) -> Result<Schedule, MpiError> {
        let asked = algorithm::Call {
            root: Rank(root),
            layout: self.layout.clone(),
            ..algorithm::Call::new(self.member.procs, Bytes(size as u64))
        };
        algorithm.serve(&asked).map_err(|_| MpiError::INTERNAL)
    }

    /// The schedule of pieces that differ in size, of which the longest of this rank has so many bytes.
    fn segmented(&self, algorithm: Algorithm, longest: u64) -> Result<Schedule, MpiError> {
        let segment = algorithm.segment().ok_or(MpiError::INTERNAL)?.0;
        // Powers of two, so that few proofs serve many calls.
        let wanted = longest.div_ceil(segment).next_power_of_two();
        let mut calls = (0..=MOST_PARTS.ilog2())
            .rev()
            .map(|power| (1 << power).min(wanted))
            .map(|parts| algorithm::Call::new(self.member.procs, Bytes(parts * segment)));
        let asked = calls.find(|call| is_quick(algorithm, call)).ok_or(MpiError::INTERNAL)?;
        algorithm.serve(&asked).map_err(|_| MpiError::INTERNAL)
    }

    fn carry_out(&mut self, call: &Call, algorithm: Algorithm, channel: Channel) -> Result<(), MpiError> {
        match call.buffers {
            Buffers::Equal { send, receive } => {
                let (root, size) = piece(call, self.member)?;
                let call = Equal {
                    collective: call.collective,
                    comm: channel.comm(),
                    root,
                    size,
                    send,
                    receive,
                };
                self.equal(&call, algorithm, channel)
            }
            Buffers::ByPair { send, receive } => self.by_pair((send, receive), algorithm, channel),
        }
    }

    fn equal(&mut self, call: &Equal, algorithm: Algorithm, channel: Channel) -> Result<(), MpiError> {
        let Equal { root, size, .. } = *call;
        let arrays = self.rooms.equal(call, self.member)?;
        let schedule = self.schedule(algorithm, root, size)?;
        let scratch = self.scratch(&schedule);
        let key = Prepared {
            algorithm,
            root,
            size,
            places: [arrays.input, arrays.output, scratch],
        };
        let known = self.prepared.iter().position(|(own, _)| *own == key);
        let index = if let Some(index) = known {
            index
        } else {
            let pieces = [arrays.input, arrays.output].map(Pieces::Row);
            let rounds = self.rounds(schedule, pieces, scratch)?;
            self.keep(key, rounds)
        };
        carry_out(&self.prepared[index].1, channel)?;
        arrays.unpack(channel.comm())
    }

    /// Runs an exchange of pieces that differ in size. Sender and receiver cut a piece alike, into segments
    /// of the algorithm; other ranks may cut theirs into more or fewer. Pieces of more segments than
    /// `MOST_PARTS`, or than can be proved in moments, get longer ones.
    fn by_pair(
        &mut self,
        (send, receive): (PairSide, PairSide),
        algorithm: Algorithm,
        channel: Channel,
    ) -> Result<(), MpiError> {
        let sides = (send, receive);
        let mut arrays = self.rooms.by_pair(channel.comm(), sides, self.member)?;
        let own = self.member.rank.0 as usize;
        if arrays.input[own].len() != arrays.output[own].len() {
            return Err(WRONG);
        }
        let schedule = self.segmented(algorithm, arrays.longest() as u64)?;
        let scratch = self.scratch(&schedule);
        let rounds = self.rounds(schedule, arrays.pieces(), scratch)?;
        carry_out(&rounds, channel)?;
        arrays.unpack(channel.comm())
    }

    /// Address of the relayed blocks of a schedule.
    fn scratch(&mut self, schedule: &Schedule) -> usize {
        let extent = schedule.extent();
        let bytes = extent.division.offset(extent.blocks.scratch);
        let bytes = usize::try_from(bytes).expect("memory can be addressed");
        self.rooms.scratch.address(bytes)
    }

    /// This rank's rounds of a schedule with its arrays at these places.
    fn rounds(
        &mut self,
        schedule: Schedule,
        [input, output]: [Pieces; 2],
        scratch: usize,
    ) -> Result<Vec<ReadyRound>, MpiError> {
        let layout = Layout::new(&schedule.extent(), input, output, scratch);
        let rank = self.member.rank;
        let proven = self.proven(schedule)?;
        let rounds = (0..proven.rounds()).map(|index| ReadyRound::new(&proven, rank, index, &layout));
        Ok(rounds.collect())
    }

    /// A schedule with its proof, for this rank at least.
    fn proven(&mut self, schedule: Schedule) -> Result<Proven, MpiError> {
        let mut known = self.proofs.iter();
        if let Some(proven) = known.find_map(|own| own.of(schedule.clone())) {
            return Ok(proven);
        }
        let proven = schedule.prove_part(self.member.rank);
        let proven = proven.map_err(|_| MpiError::INTERNAL)?;
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
    fn keep(&mut self, key: Prepared, rounds: Vec<ReadyRound>) -> usize {
        let mut kept: usize = self.prepared.iter().map(|(_, own)| operations(own)).sum();
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
const WRONG: MpiError = MpiError(ffi::MPI_ERR_TRUNCATE.cast_signed());

/// Root, and length of a piece.
fn piece(call: &Call, member: Member) -> Result<(u32, usize), MpiError> {
    let Ok(Length::Piece(size)) = call.length(member) else {
        return Err(WRONG);
    };
    let root = u32::try_from(call.root).map_err(|_| WRONG)?;
    Ok((root, usize::try_from(size.0).map_err(|_| WRONG)?))
}

fn operations(rounds: &[ReadyRound]) -> usize {
    rounds.iter().map(ReadyRound::operations).sum()
}

/// Runs all rounds, also after a failure: partners wait for their messages. The first failure counts.
fn carry_out(rounds: &[ReadyRound], channel: Channel) -> Result<(), MpiError> {
    let mut done = Ok(());
    for round in rounds {
        // SAFETY: the places are the program's buffers, which it lends for its call, and rooms of this
        // communicator, which only this call uses.
        let own = unsafe { round.run(channel) };
        done = done.and(own);
    }
    done
}

// SAFETY: handles of MPI and addresses; MPI says which threads may call it, and the program keeps to it.
unsafe impl Send for Runner {}
