//! A reduction on one rank: its memory, the values to reduce, the execution, and the check of the result.

use std::ops::Range;
use std::os::raw::c_int;

use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::AsRaw;
use netsig_base::algorithm::{Collective, ProvenSchedule, ReductionOperands};
use netsig_base::schedule::PieceDivision;
use netsig_base::units::{Rank, Seconds};
use netsig_measure::plan::PlanCell;
use netsig_mpi::LocalOperation;

use crate::blocks::RankBlocks;
use crate::mpi_operands::local_operation;
use crate::operation::ROOT;
use crate::pattern::DataFault;
use crate::reduction_values::ReductionValues;
use crate::rounds::RankRounds;
use crate::task::StepTask;

/// A reduction, prepared as far as possible before the clock starts.
pub struct ReductionTask {
    collective: Collective,
    rank: Rank,
    values: ReductionValues,
    operation: LocalOperation,
    blocks: RankBlocks,
    /// This rank's rounds of a schedule; `None` if the MPI library carries out the reduction.
    rounds: Option<RankRounds>,
    /// Number of elements in the block of each rank.
    counts: Vec<c_int>,
    /// Bytes of the combined vector that this rank ends with.
    received: Range<usize>,
}

impl ReductionTask {
    /// Prepares `cell`, a reduction of `collective`, on `rank`; `proven` is its schedule, unless the MPI library carries
    /// it out.
    pub fn new(
        cell: &PlanCell,
        collective: Collective,
        operands: ReductionOperands,
        rank: Rank,
        proven: Option<&ProvenSchedule>,
    ) -> Self {
        let (procs, element) = (cell.procs, operands.element().bytes());
        let extent = proven.map_or_else(|| cell.extent(element), ProvenSchedule::extent);
        let mut blocks = RankBlocks::new(&extent, None);
        let layout = blocks.layout();
        let blocks_of_ranks = PieceDivision::elements(cell.size, element, procs.get(), 1);
        let received = collective.reduced_parts(procs, ROOT, rank, procs.get());
        let offset = |block| usize::try_from(blocks_of_ranks.offset(block)).expect("memory can be addressed");
        let count = |rank: Rank| c_int::try_from(blocks_of_ranks.bytes(rank.0) / element.0);
        let counts = procs.ranks().map(count).collect::<Result<_, _>>();
        Self {
            collective,
            rank,
            values: ReductionValues { operands, procs },
            operation: local_operation(operands),
            rounds: proven.map(|proven| RankRounds::new(proven, rank, &layout)),
            blocks,
            counts: counts.expect("plans limit vectors to what a C int counts"),
            received: offset(received.start)..offset(received.end),
        }
    }

    /// Calls the reduction of MPI. Only the root uses its memory for the result of a reduce.
    fn call(&mut self, comm: &SimpleCommunicator) {
        let count = self.counts.iter().sum();
        let (input, output) = self.blocks.arrays();
        let (input, output) = (input.cast_const().cast(), output.cast());
        let LocalOperation {
            operation, datatype, ..
        } = self.operation;
        let root = c_int::try_from(ROOT.0).expect("a rank of MPI");
        let comm = comm.as_raw();
        // SAFETY: both arrays have `count` elements, which are the sum of the counts of all ranks, and are borrowed
        // until the call returns. MPI's default error handler ends the program on failure.
        unsafe {
            match self.collective {
                Collective::Reduce => ffi::MPI_Reduce(input, output, count, datatype, operation, root, comm),
                Collective::ReduceScatter => {
                    ffi::MPI_Reduce_scatter(input, output, self.counts.as_ptr(), datatype, operation, comm)
                }
                Collective::ReduceScatterBlock => {
                    ffi::MPI_Reduce_scatter_block(input, output, self.counts[0], datatype, operation, comm)
                }
                _ => ffi::MPI_Allreduce(input, output, count, datatype, operation, comm),
            };
        }
    }

    /// The result on this rank. A schedule leaves it at its place in the vector, MPI at the start of the output.
    fn result(&self) -> &[u8] {
        let range = match self.rounds {
            Some(_) => self.received.clone(),
            None => 0..self.received.len(),
        };
        &self.blocks.output_piece(0)[range]
    }
}

impl StepTask for ReductionTask {
    fn has_common_start(&self) -> bool {
        true
    }

    fn time_count(&self) -> usize {
        1
    }

    fn fill(&mut self, repetition: u32) {
        self.values.fill(self.rank, repetition, self.blocks.input_piece(0));
    }

    fn run(&mut self, comm: &SimpleCommunicator) {
        match &self.rounds {
            // SAFETY: the rounds are those of the blocks, which are borrowed until all are complete.
            Some(rounds) => unsafe { rounds.run(comm, Some(self.operation)) },
            None => self.call(comm),
        }
    }

    fn verify(&self, repetition: u32) -> Result<(), DataFault> {
        self.values
            .check(self.rank, repetition, self.result(), self.received.clone())
    }

    fn times(&self, elapsed: Seconds, times: &mut [f64]) {
        times[0] = elapsed.0;
    }
}
