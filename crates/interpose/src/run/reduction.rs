//! Runs the schedules of reductions, on the vectors of a program.
//!
//! Blocks of a vector are moved as they lie in memory, with the gaps of their elements. A result with gaps is made in memory of
//! this library, since the program's gaps stay as they are; so is one of which a rank gets a block alone.

use netsig_base::algorithm::{Algorithm, CollectiveCall, Schedule};
use netsig_base::units::Rank;
use netsig_mpi::{MemoryLayout, MpiChannel, MpiError, PartPlaces, PieceAddresses, ReadyRound};

use super::{PreparedKey, ScheduleRunner, carry_out};
use crate::datatype::DatatypeElements;
use crate::vectors::ProgramVector;

/// The memory of a vector during its reduction.
struct VectorMemory {
    input: usize,
    output: usize,
}

impl ScheduleRunner {
    /// The schedule of a reduction.
    pub(super) fn vector_schedule(&self, vector: &ProgramVector, algorithm: Algorithm) -> Result<Schedule, MpiError> {
        let call = CollectiveCall {
            root: Rank(vector.root),
            layout: self.layout.clone(),
            element: vector.element(),
            ..CollectiveCall::new(self.member.procs, vector.size())
        };
        algorithm.serve(&call).map_err(|_| MpiError::INTERNAL)
    }

    /// True if an algorithm can cut a vector into the blocks that the program names.
    pub fn can_cut(&self, vector: &ProgramVector, algorithm: Algorithm) -> bool {
        let division = || Some(self.vector_schedule(vector, algorithm).ok()?.extent().division);
        vector.other_starts(self.member.procs).is_none() || division() == Some(vector.division(self.member.procs))
    }

    /// Runs a reduction that belongs to no call of the program.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn run_alone(
        &mut self,
        vector: &ProgramVector,
        algorithm: Algorithm,
        channel: MpiChannel,
    ) -> Result<(), MpiError> {
        let done = self.run_vector(vector, algorithm, channel);
        self.keep_usable(done)
    }

    /// Runs a reduction.
    ///
    /// # Errors
    /// If MPI fails.
    pub(super) fn run_vector(
        &mut self,
        vector: &ProgramVector,
        algorithm: Algorithm,
        channel: MpiChannel,
    ) -> Result<(), MpiError> {
        let schedule = self.vector_schedule(vector, algorithm)?;
        let extent = schedule.extent();
        let starts = vector.other_starts(self.member.procs);
        let parts = starts
            .clone()
            .map_or(PartPlaces::Divided(extent.division), PartPlaces::Given);
        let memory = self.vector_memory(vector);
        let scratch = self.memory.scratch.address(parts.relay_bytes(extent.blocks));
        let key = PreparedKey {
            algorithm,
            root: vector.root,
            size: vector.bytes(),
            element: vector.operands.extent,
            starts,
            places: [memory.input, memory.output, scratch],
        };
        let known = self.prepared.iter().position(|(earlier, _)| *earlier == key);
        let index = if let Some(index) = known {
            index
        } else {
            let arrays = [memory.input, memory.output].map(PieceAddresses::Consecutive);
            let layout = MemoryLayout::with_parts(extent.blocks, parts, arrays, scratch);
            let rank = self.member.rank;
            let proven = self.proven(schedule)?;
            let rounds = (0..proven.rounds()).map(|index| ReadyRound::new(&proven, rank, index, &layout));
            self.keep_prepared(key, rounds.collect())
        };
        carry_out(
            &self.prepared[index].1,
            channel,
            Some(vector.operands.local_operation()),
        )?;
        self.deliver(vector, memory.output, channel)
    }

    /// The vector of this rank, copied if the result takes its place, and the memory of the result.
    fn vector_memory(&mut self, vector: &ProgramVector) -> VectorMemory {
        let bytes = vector.bytes();
        let source = vector.source();
        let is_copied = vector.is_replaced(self.member) || !vector.operands.is_plain();
        let input = if is_copied {
            let copy = self.memory.input.address(bytes);
            let to: *mut u8 = std::ptr::with_exposed_provenance_mut(copy);
            // SAFETY: the program's vector, lent for its call, and other memory of at least that length.
            unsafe { to.copy_from_nonoverlapping(source.cast(), vector.occupied_bytes()) };
            copy
        } else {
            source.expose_provenance()
        };
        let output = if !vector.has_result(self.member) {
            self.memory.output.address(0)
        } else if vector.is_made_in_place() {
            vector.receive.expose_provenance()
        } else {
            self.memory.output.address(bytes)
        };
        VectorMemory { input, output }
    }

    /// Copies the result to the program's memory, if it is not there.
    fn deliver(&self, vector: &ProgramVector, output: usize, channel: MpiChannel) -> Result<(), MpiError> {
        let result = vector.result(self.member);
        if !vector.has_result(self.member) || vector.is_made_in_place() || result.is_empty() {
            return Ok(());
        }
        let length = |elements: u64, bytes: usize| usize::try_from(elements).unwrap_or(0) * bytes;
        let start = output + length(result.start, vector.operands.extent);
        let count = result.end - result.start;
        if vector.operands.is_plain() {
            let from: *const u8 = std::ptr::with_exposed_provenance(start);
            let bytes = length(count, vector.operands.size);
            // SAFETY: memory of this library, and the program's result of that length.
            unsafe { from.copy_to_nonoverlapping(vector.receive.cast(), bytes) };
            return Ok(());
        }
        let of_address = |buffer| DatatypeElements {
            buffer,
            count: count.cast_signed(),
            datatype: vector.operands.datatype,
        };
        let packed = vec![0u8; length(count, vector.operands.size)];
        let place = packed.as_ptr().expose_provenance();
        // SAFETY: as many elements here and there, and memory of their length between.
        unsafe {
            of_address(std::ptr::with_exposed_provenance_mut(start)).pack(place, packed.len(), channel.comm())?;
            of_address(vector.receive).unpack(place, packed.len(), channel.comm())
        }
    }

    /// Gives the program its vector back, if the result has taken its place.
    pub fn restore(&mut self, vector: &ProgramVector) {
        if vector.is_replaced(self.member) {
            let copy: *const u8 = std::ptr::with_exposed_provenance(self.memory.input.address(0));
            // SAFETY: the copy of the vector that the call before made, and the program's memory of that length.
            unsafe { copy.copy_to_nonoverlapping(vector.receive.cast(), vector.occupied_bytes()) };
        }
    }
}
