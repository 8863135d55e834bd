//! The operation of a cell on one rank: its memory, the data to send, the execution, and the check
//! of the received data.

use std::os::raw::c_int;

use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw, Communicator, Destination, Source};
use netsig_base::algorithm::{Collective, DOUBLE, ProvenSchedule};
use netsig_base::units::{Procs, Rank, Seconds};
use netsig_measure::plan::{PlanCell, TimedOperation};

use crate::blocks::{PieceLengths, RankBlocks};
use crate::pattern::{DataFault, DataLabel};
use crate::rounds::RankRounds;
use crate::task::StepTask;

/// The root of every collective that has one.
pub const ROOT: Rank = Rank(0);

/// An operation, prepared as far as possible before the clock starts.
pub struct OperationTask {
    /// The collective; `None` for a ping-pong, whose time is half of the time on rank 0.
    collective: Option<Collective>,
    procs: Procs,
    rank: Rank,
    blocks: RankBlocks,
    /// Input and output array in the form of `MPI_Alltoallv`; empty for other calls.
    arrays: [PieceArray; 2],
    /// This rank's rounds of a schedule; `None` if the MPI library carries out the operation.
    rounds: Option<RankRounds>,
}

/// Lengths and offsets in bytes of the pieces of an array.
#[derive(Default)]
struct PieceArray {
    counts: Vec<c_int>,
    offsets: Vec<c_int>,
}

impl PieceArray {
    /// The array of one piece for each of `procs` ranks, `apart` bytes apart; `length` gives their lengths.
    fn new(procs: Procs, apart: usize, length: impl Fn(usize) -> usize) -> Self {
        let int = |bytes| c_int::try_from(bytes).expect("plans limit arrays to what a C int counts");
        let pieces = 0..procs.get() as usize;
        Self {
            counts: pieces.clone().map(|piece| int(length(piece))).collect(),
            offsets: pieces.map(|piece| int(piece * apart)).collect(),
        }
    }
}

impl OperationTask {
    /// Prepares `cell` on `rank`; `proven` is its schedule, unless the MPI library carries it out.
    pub fn new(cell: &PlanCell, rank: Rank, proven: Option<&ProvenSchedule>) -> Self {
        let lengths = cell.pairs().map(|pairs| PieceLengths::of(&pairs, rank));
        let extent = proven.map_or_else(|| cell.extent(DOUBLE), ProvenSchedule::extent);
        let mut blocks = RankBlocks::new(&extent, lengths);
        let layout = blocks.layout();
        let rounds = proven.map(|proven| RankRounds::new(proven, rank, &layout));
        let collective = match cell.operation {
            TimedOperation::Collective(collective, _) => Some(collective),
            _ => None,
        };
        let is_by_pair = collective.map(Collective::operation) == Some(Collective::Alltoallv);
        let arrays = if is_by_pair && rounds.is_none() {
            let pieces = blocks.piece_lengths(cell.procs);
            pieces.map(|lengths| PieceArray::new(cell.procs, blocks.piece_bytes(), |piece| lengths[piece]))
        } else {
            Default::default()
        };
        Self {
            collective,
            arrays,
            procs: cell.procs,
            rank,
            blocks,
            rounds,
        }
    }

    /// Compares the received piece at index `place` with the data of `label`.
    fn check(&self, place: u32, label: DataLabel) -> Result<(), DataFault> {
        let found = label.check(self.blocks.output_piece(place));
        found.map_err(|fault| fault.received_by(self.rank))
    }

    /// Sends the piece of rank 0 to rank 1 and back.
    fn ping_pong(&mut self, comm: &SimpleCommunicator) {
        let other = comm.process_at_rank(1 - i32::from(self.rank == Rank(1)));
        if self.rank == Rank(0) {
            other.send(&*self.blocks.input_piece(0));
            other.receive_into(self.blocks.output_piece_mut(0));
        } else {
            other.receive_into(self.blocks.output_piece_mut(0));
            other.send(self.blocks.output_piece(0));
        }
    }

    /// Calls the collective of MPI. Only the root has memory for all pieces, and only the root uses
    /// it; a broadcast copies the root's input to the others' output.
    fn call(&mut self, collective: Collective, comm: &SimpleCommunicator) {
        let bytes = c_int::try_from(self.blocks.piece_bytes());
        let count = bytes.expect("plans limit messages to what a C int counts");
        let (input, output) = self.blocks.arrays();
        let message = if self.rank == ROOT { input } else { output };
        let root = c_int::try_from(ROOT.0).expect("a rank of MPI");
        let (input, output) = (input.cast_const().cast(), output.cast());
        let comm = comm.as_raw();
        // SAFETY: a constant of the MPI library.
        let byte = unsafe { ffi::RSMPI_UINT8_T };
        // SAFETY: both arrays have as many pieces of `count` bytes as the collective uses among the
        // ranks of the communicator, and are borrowed until the call returns. MPI's default error
        // handler ends the program on failure.
        unsafe {
            match collective {
                Collective::Bcast => ffi::MPI_Bcast(message.cast(), count, byte, root, comm),
                Collective::Scatter => ffi::MPI_Scatter(input, count, byte, output, count, byte, root, comm),
                Collective::Gather => ffi::MPI_Gather(input, count, byte, output, count, byte, root, comm),
                Collective::Allgather => ffi::MPI_Allgather(input, count, byte, output, count, byte, comm),
                Collective::Barrier => ffi::MPI_Barrier(comm),
                Collective::Alltoall => ffi::MPI_Alltoall(input, count, byte, output, count, byte, comm),
                Collective::Alltoallv | Collective::AlltoallvSkewed | Collective::AlltoallvSparse => {
                    let [sent, received] = &self.arrays;
                    ffi::MPI_Alltoallv(
                        input,
                        sent.counts.as_ptr(),
                        sent.offsets.as_ptr(),
                        byte,
                        output,
                        received.counts.as_ptr(),
                        received.offsets.as_ptr(),
                        byte,
                        comm,
                    )
                }
                Collective::Reduce
                | Collective::Allreduce
                | Collective::ReduceScatter
                | Collective::ReduceScatterBlock => unreachable!("reductions are another task"),
            };
        }
    }
}

impl StepTask for OperationTask {
    fn has_common_start(&self) -> bool {
        self.collective.is_some()
    }

    fn time_count(&self) -> usize {
        1
    }

    fn fill(&mut self, repetition: u32) {
        let pieces = match self.collective {
            Some(collective) => collective.supplied_pieces(self.procs, ROOT, self.rank),
            None => 1 - self.rank.0,
        };
        for number in 0..pieces {
            let label = label(self.rank, number, repetition);
            label.fill(self.blocks.input_piece(number));
        }
    }

    fn run(&mut self, comm: &SimpleCommunicator) {
        match (&self.rounds, self.collective) {
            // SAFETY: the rounds are those of the blocks, which are borrowed until all are complete.
            (Some(rounds), _) => unsafe { rounds.run(comm, None) },
            (None, Some(collective)) => self.call(collective, comm),
            (None, None) => self.ping_pong(comm),
        }
    }

    fn verify(&self, repetition: u32) -> Result<(), DataFault> {
        let Some(collective) = self.collective else {
            return self.check(0, label(ROOT, 0, repetition));
        };
        let mut expected = (0..).zip(collective.expected_pieces(self.procs, ROOT, self.rank));
        expected.try_for_each(|(place, piece)| self.check(place, label(piece.origin, piece.number, repetition)))
    }

    fn times(&self, elapsed: Seconds, times: &mut [f64]) {
        if self.collective.is_some() {
            times[0] = elapsed.0;
        } else if self.rank == Rank(0) {
            times[0] = elapsed.0 / 2.0;
        }
    }
}

/// The label of a piece's data. The piece's number is its destination rank, or 0 if it goes to all
/// ranks.
fn label(origin: Rank, number: u32, repetition: u32) -> DataLabel {
    DataLabel {
        origin,
        target: Rank(number),
        repetition,
    }
}
