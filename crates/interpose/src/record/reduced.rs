//! Reductions of a communicator whose results keep their bits.

use netsig_base::algorithm::{Algorithm, Collective};
use netsig_model::predict::result_rule::OrderDependence;
use netsig_mpi::MpiError;

use super::{CommunicatorRecord, DecidedCall};
use crate::call::{CallBuffers, ProgramCall};
use crate::failure;
use crate::fault;
use crate::lock;
use crate::order::{self, OrderFinding, OrderKey, OrderProbe};
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
        if dependence == OrderDependence::Rounding {
            match self.order_finding(session, call, &vector, algorithm)? {
                OrderFinding::Same => {}
                OrderFinding::Other => return Ok(Some(order::OTHER_ORDER)),
                OrderFinding::Waiting => return Ok(Some(order::WAITING)),
                OrderFinding::Unknown => return Ok(Some(order::UNKNOWN_ORDER)),
            }
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

    /// Whether a schedule combines the same pairs of operands as the library.
    fn order_finding(
        &self,
        session: &InterposeSession,
        call: &ProgramCall,
        vector: &ProgramVector,
        algorithm: Algorithm,
    ) -> Result<OrderFinding, MpiError> {
        let key = OrderKey::new(vector, algorithm);
        if let Some(finding) = lock(&self.orders).next(&key) {
            return Ok(finding);
        }
        let Some(mut probe) = OrderProbe::new(vector, call.comm, self.member.rank.0) else {
            lock(&self.orders).keep(&key, OrderFinding::Unknown);
            return Ok(OrderFinding::Unknown);
        };
        let tag = *self.tag.get().expect("the ranks have agreed");
        let channel = session.world.channel(&self.ranks, tag);
        let is_same_here = probe.is_same(|probed| {
            let run = || lock(&self.runner).run_alone(probed, algorithm, channel);
            fault::catch_panic(|| failure::without_world(run)).unwrap_or_else(|fault| {
                session.stop_deciding(&fault);
                Err(MpiError::INTERNAL)
            })
        });
        let [differs] = largest([u64::from(!is_same_here)], call.comm)?;
        let finding = if differs == 0 {
            OrderFinding::Same
        } else {
            OrderFinding::Other
        };
        lock(&self.orders).keep(&key, finding);
        Ok(finding)
    }

    /// True if the result of an all-reduce that has run has a number by which the order of the operands could tell. The
    /// program then has its vector again, and the library must carry the call out.
    pub(super) fn must_be_repeated(&self, session: &InterposeSession, decided: DecidedCall) -> bool {
        let DecidedCall { call, call_class, .. } = decided;
        let is_looked_at = call.collective == Collective::Allreduce
            && call_class.dependence == OrderDependence::Rounding
            && session.keeps_results();
        let found = self.vector(call).filter(|_| is_looked_at);
        let Some(vector) = found.filter(ProgramVector::could_tell_in_result) else {
            return false;
        };
        lock(&self.runner).restore(&vector);
        true
    }
}
