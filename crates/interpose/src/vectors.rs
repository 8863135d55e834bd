//! The vectors of a reduction by the program.

use std::ffi::c_void;

use netsig_base::algorithm::Collective;
use netsig_base::schedule::PieceDivision;
use netsig_base::units::{Bytes, Procs};
use netsig_model::predict::result_rule::OrderDependence;

use crate::call::{CallLength, MOST_BYTES, ProgramCall, RefusedArguments, VectorBuffers, VectorCounts, is_in_place};
use crate::datatype;
use crate::member::CommMember;
use crate::numbers::SpecialNumbers;
use crate::operands::CallOperands;

/// A reduction that a schedule can run.
#[derive(Clone)]
pub struct ProgramVector {
    /// The operation of MPI.
    pub collective: Collective,
    /// The root, where there is one.
    pub root: u32,
    /// Operation and elements.
    pub operands: CallOperands,
    /// Number of elements.
    pub elements: u64,
    /// Element at which the block of each rank begins, with the end of the last; for a reduce-scatter.
    pub starts: Option<Vec<u64>>,
    /// Address of the vector of this rank.
    pub send: *mut c_void,
    /// Address of the result.
    pub receive: *mut c_void,
}

impl VectorCounts {
    /// Number of elements of the block of each rank, or of the whole vector; `None` if MPI refuses a number.
    fn blocks(self, procs: Procs) -> Option<Vec<u64>> {
        let ranks = procs.get() as usize;
        match self {
            Self::Whole(count) => Some(vec![u64::try_from(count).ok()?]),
            Self::EachBlock(count) => Some(vec![u64::try_from(count).ok()?; ranks]),
            Self::Blocks(counts) if counts.is_null() => None,
            Self::Blocks(counts) => {
                // SAFETY: the program gives a number for each rank.
                let each = (0..ranks).map(|rank| u64::try_from(unsafe { counts.get(rank) }).ok());
                each.collect()
            }
        }
    }

    /// Number of elements of the whole vector; `None` if MPI refuses a number.
    fn total(self, procs: Procs) -> Option<u64> {
        match self {
            Self::Whole(count) => u64::try_from(count).ok(),
            Self::EachBlock(count) => u64::try_from(count).ok()?.checked_mul(procs.get().into()),
            Self::Blocks(_) => self.blocks(procs)?.into_iter().try_fold(0, u64::checked_add),
        }
    }
}

impl VectorBuffers {
    /// Length of the vector.
    ///
    /// # Errors
    /// If MPI refuses the arguments.
    pub fn length(&self, member: CommMember, is_receiver: bool) -> Result<CallLength, RefusedArguments> {
        let elements = self.counts.total(member.procs).ok_or(RefusedArguments)?;
        if elements == 0 {
            return Ok(CallLength::Nothing);
        }
        let is_wrong = self.send.is_null()
            || (is_in_place(self.send) && !is_receiver)
            || (is_receiver && (self.receive.is_null() || is_in_place(self.receive)));
        if is_wrong {
            return Err(RefusedArguments);
        }
        let operands = match CallOperands::of(self.operation, self.datatype) {
            Ok(operands) => operands,
            Err(reason) => return Ok(CallLength::Passed(reason)),
        };
        let bytes = |element: usize| elements.saturating_mul(element as u64);
        if bytes(operands.extent) > MOST_BYTES {
            return Ok(CallLength::TooMuch);
        }
        Ok(CallLength::Vector(Bytes(bytes(operands.size)), operands))
    }
}

impl ProgramCall {
    /// The reduction of the call; `None` if it is none that a schedule can run.
    pub fn reduced_vector(&self, vectors: VectorBuffers, member: CommMember) -> Option<ProgramVector> {
        let blocks = vectors.counts.blocks(member.procs)?;
        let is_cut = !matches!(vectors.counts, VectorCounts::Whole(_));
        Some(ProgramVector {
            collective: self.collective,
            root: u32::try_from(self.root).ok()?,
            operands: CallOperands::of(vectors.operation, vectors.datatype).ok()?,
            elements: blocks.iter().sum(),
            starts: is_cut.then(|| starts(&blocks)),
            send: vectors.send,
            receive: vectors.receive,
        })
    }
}

/// Element at which each block begins, with the end of the last.
fn starts(blocks: &[u64]) -> Vec<u64> {
    let ends = blocks.iter().scan(0, |end, block| {
        *end += block;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

impl ProgramVector {
    /// Length of the vector in memory.
    pub fn bytes(&self) -> usize {
        usize::try_from(self.elements)
            .unwrap_or(usize::MAX)
            .saturating_mul(self.operands.extent)
    }

    /// Length of the vector in memory, without what lies behind the last element.
    pub fn occupied_bytes(&self) -> usize {
        let CallOperands { extent, size, .. } = self.operands;
        self.bytes() - (extent - size.max(datatype::true_extent(self.operands.datatype).min(extent)))
    }

    /// Distance between floating-point numbers in memory: an element that is plain may consist of two.
    pub fn number_step(&self) -> usize {
        let is_pair_or_number = !self.operands.is_plain() || self.operands.dependence == OrderDependence::SpecialValues;
        match self.operands.form {
            Some(form) if !is_pair_or_number => form.bytes(),
            _ => self.operands.extent,
        }
    }

    /// Address of the vector of this rank.
    pub fn source(&self) -> *mut c_void {
        if is_in_place(self.send) {
            self.receive
        } else {
            self.send
        }
    }

    /// True if the result takes the place of the vector: in place, or in a call that MPI forbids and some libraries allow.
    pub fn is_replaced(&self, member: CommMember) -> bool {
        self.has_result(member) && self.source() == self.receive
    }

    /// True if the result is made where the program wants it.
    pub fn is_made_in_place(&self) -> bool {
        self.operands.is_plain() && self.starts.is_none()
    }

    /// The special numbers in the vector of this rank.
    pub fn special_numbers(&self) -> SpecialNumbers {
        self.special_numbers_at(self.source())
    }

    /// True if the order of the operands could tell in the result of an all-reduce that has run.
    pub fn could_tell_in_result(&self) -> bool {
        let found = self.special_numbers_at(self.receive);
        found.could_tell(self.operands.dependence)
    }

    fn special_numbers_at(&self, address: *mut c_void) -> SpecialNumbers {
        // SAFETY: the program's vector, lent for its call.
        let bytes = unsafe { std::slice::from_raw_parts(address.cast_const().cast(), self.occupied_bytes()) };
        SpecialNumbers::of(self.operands.form, bytes, self.number_step())
    }

    /// True if this rank gets a result.
    pub fn has_result(&self, member: CommMember) -> bool {
        self.collective != Collective::Reduce || self.root == member.rank.0
    }

    /// The elements of the result of this rank.
    pub fn result(&self, member: CommMember) -> std::ops::Range<u64> {
        let rank = member.rank.0 as usize;
        match &self.starts {
            Some(starts) => starts[rank]..starts[rank + 1],
            None => 0..self.elements,
        }
    }

    /// The division of the vector into the blocks of the ranks.
    pub fn division(&self, procs: Procs) -> PieceDivision {
        PieceDivision::elements(self.size(), self.element(), procs.get(), 1)
    }

    /// Length of the vector in memory.
    pub fn size(&self) -> Bytes {
        Bytes(self.bytes() as u64)
    }

    /// Distance between elements in memory.
    pub fn element(&self) -> Bytes {
        Bytes(self.operands.extent as u64)
    }

    /// The place in bytes where the block of each rank begins, with the end of the last, if they are not those of
    /// [`division`](Self::division).
    pub fn other_starts(&self, procs: Procs) -> Option<Vec<u64>> {
        let places: Vec<u64> = self
            .starts
            .as_ref()?
            .iter()
            .map(|start| start * self.element().0)
            .collect();
        let division = self.division(procs);
        let usual = (0..=procs.get()).map(|part| division.offset(part));
        (!usual.eq(places.iter().copied())).then_some(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::CallNumbers;

    #[test]
    fn counts_whose_sum_overflows_are_refused() {
        let total = |counts: VectorCounts| counts.total(Procs::new(4).unwrap());
        let mut ints = [i32::MAX; 4];
        for (counts, expected) in [
            (
                VectorCounts::Blocks(ints.as_mut_ptr().into()),
                Some(4 * i32::MAX as u64),
            ),
            (VectorCounts::Blocks(CallNumbers::Alike(i64::MAX)), None),
            (VectorCounts::Blocks(CallNumbers::Alike(-1)), None),
            (VectorCounts::EachBlock(i64::MAX), None),
            (VectorCounts::Whole(i64::MAX), Some(i64::MAX as u64)),
        ] {
            assert_eq!(total(counts), expected);
        }
    }
}
