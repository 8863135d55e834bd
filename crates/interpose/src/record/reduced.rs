//! Reductions of a communicator whose results keep their bits.

use std::ffi::c_int;

use netsig_base::algorithm::{Algorithm, Collective};
use netsig_model::predict::result_rule::OrderDependence;
use netsig_mpi::MpiError;

use super::{CommunicatorRecord, DecidedCall};
use crate::call::{CallBuffers, ProgramCall};
use crate::failure;
use crate::fault;
use crate::lock;
use crate::order::{self, OrderKey, OrderProbe};
use crate::reduction::largest;
use crate::session::InterposeSession;
use crate::vectors::ProgramVector;

impl CommunicatorRecord {
    /// The reason for leaving a reduction to the library although its decision takes a schedule, if there is one. All ranks
    /// come to the same.
    ///
    /// # Errors
    /// If MPI fails.
    pub(super) fn reason_to_leave(
        &self,
        session: &InterposeSession,
        call: &ProgramCall,
        algorithm: Algorithm,
    ) -> Result<Option<&'static str>, MpiError> {
        let Some(vector) = self.vector(call) else {
            return Ok(None);
        };
        if !lock(&self.runner).can_cut(&vector, algorithm) {
            return Ok(Some(order::OTHER_BLOCKS));
        }
        let dependence = vector.operands.dependence;
        if !session.keeps_results() || dependence == OrderDependence::None {
            return Ok(None);
        }
        if dependence == OrderDependence::Rounding && !self.has_same_order(session, call, &vector, algorithm)? {
            return Ok(Some(order::OTHER_ORDER));
        }
        if order::is_checked_before(call.collective, dependence) {
            let [of_any] = largest([u64::from(vector.could_tell())], call.comm)?;
            return Ok((of_any > 0).then_some(order::SPECIAL_NUMBERS));
        }
        Ok(None)
    }

    fn vector(&self, call: &ProgramCall) -> Option<ProgramVector> {
        match call.buffers {
            CallBuffers::Vectors(vectors) => call.reduced_vector(vectors, self.member),
            _ => None,
        }
    }

    /// True if a schedule combines the same pairs of operands as the library.
    fn has_same_order(
        &self,
        session: &InterposeSession,
        call: &ProgramCall,
        vector: &ProgramVector,
        algorithm: Algorithm,
    ) -> Result<bool, MpiError> {
        let key = OrderKey::new(vector, algorithm);
        if let Some(is_same) = lock(&self.orders).get(&key) {
            return Ok(is_same);
        }
        let is_same = match OrderProbe::new(vector, call.comm, self.member.rank.0) {
            None => false,
            Some(mut probe) => {
                let tag = *self.tag.get().expect("the ranks have agreed");
                let channel = session.world.channel(&self.ranks, tag);
                let same_here = probe.is_same(|probed| {
                    let run = || lock(&self.runner).run_alone(probed, algorithm, channel);
                    let done = fault::catch_panic(|| failure::without_world(run));
                    done.unwrap_or(Err(MpiError::INTERNAL))
                });
                // Also after a failure: other ranks may have none, and wait for this rank.
                let [differs] = largest([u64::from(!matches!(same_here, Ok(true)))], call.comm)?;
                differs == 0
            }
        };
        lock(&self.orders).keep(key, is_same);
        Ok(is_same)
    }

    /// Carries an all-reduce out again by the library if its result has a number by which the order of the operands could
    /// tell; such calls are the library's from then on.
    pub(super) fn repeat_if_order_could_tell(
        &self,
        session: &InterposeSession,
        decided: DecidedCall,
        pass: impl FnOnce() -> c_int,
    ) -> c_int {
        let DecidedCall {
            call,
            call_class,
            decision,
            ..
        } = decided;
        let is_looked_at = call.collective == Collective::Allreduce
            && call_class.dependence == OrderDependence::Rounding
            && session.keeps_results();
        let Some(vector) = self.vector(call).filter(|_| is_looked_at) else {
            return 0;
        };
        if !vector.could_tell_in_result() {
            return 0;
        }
        lock(&self.runner).restore(&vector);
        self.calls().leave(call_class, decision, order::SPECIAL_NUMBERS);
        pass()
    }
}
