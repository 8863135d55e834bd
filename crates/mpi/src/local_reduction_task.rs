//! One call of `MPI_Reduce_local` on a single rank.

use mpi::topology::SimpleCommunicator;
use netsig_base::algorithm::ReductionOperands;
use netsig_base::units::{Procs, Rank, Seconds};
use netsig_measure::plan::PlanCell;
use netsig_mpi::LocalOperation;

use crate::blocks::RankBlocks;
use crate::mpi_operands::local_operation;
use crate::pattern::DataFault;
use crate::reduction_values::ReductionValues;
use crate::task::StepTask;

/// Lower bound of a measured time.
const SHORTEST: Seconds = Seconds(1e-8);

/// The numbers of the operands, which count as two ranks.
const LEFT: Rank = Rank(0);
const RIGHT: Rank = Rank(1);

/// The combination of two vectors.
pub struct LocalReductionTask {
    values: ReductionValues,
    operation: LocalOperation,
    /// The left operand as input, the right one as output.
    blocks: RankBlocks,
    /// Overhead of reading the clock twice.
    overhead: Seconds,
}

impl LocalReductionTask {
    /// Prepares `cell`. `overhead` is the time of reading the clock twice.
    pub fn new(cell: &PlanCell, operands: ReductionOperands, overhead: Seconds) -> Self {
        Self {
            values: ReductionValues {
                operands,
                procs: Procs::new(2).expect("two operands"),
            },
            operation: local_operation(operands),
            blocks: RankBlocks::new(&cell.extent(operands.element().bytes()), None),
            overhead,
        }
    }
}

impl StepTask for LocalReductionTask {
    fn has_common_start(&self) -> bool {
        true
    }

    fn time_count(&self) -> usize {
        1
    }

    fn fill(&mut self, repetition: u32) {
        self.values.fill(LEFT, repetition, self.blocks.input_piece(0));
        self.values.fill(RIGHT, repetition, self.blocks.output_piece_mut(0));
    }

    fn run(&mut self, _: &SimpleCommunicator) {
        let size = self.blocks.piece_bytes();
        let (left, right) = self.blocks.arrays();
        // SAFETY: two arrays of whole elements, borrowed until the call returns.
        let done = unsafe {
            self.operation
                .combine(left.expose_provenance(), right.expose_provenance(), size)
        };
        done.expect("MPI's default error handler ends the program on failure");
    }

    fn verify(&self, repetition: u32) -> Result<(), DataFault> {
        let result = self.blocks.output_piece(0);
        self.values.check(LEFT, repetition, result, 0..result.len())
    }

    fn times(&self, elapsed: Seconds, times: &mut [f64]) {
        times[0] = (elapsed - self.overhead).0.max(SHORTEST.0);
    }
}
