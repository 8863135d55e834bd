//! Reductions of a communicator whose results keep their bits.

use netsig_base::algorithm::{Algorithm, Collective};
use netsig_base::units::Rank;
use netsig_model::predict::result_rule::OrderDependence;
use netsig_mpi::MpiError;

use super::CommunicatorRecord;
use crate::call::{CallBuffers, ProgramCall};
use crate::failure;
use crate::fault;
use crate::lock;
use crate::numbers::SpecialNumbers;
use crate::order::{self, OrderFinding, OrderKey, OrderProbe};
use crate::reduction::largest;
use crate::session::InterposeSession;
use crate::vectors::ProgramVector;

impl CommunicatorRecord {
    /// The vector of a call, if it is a reduction.
    pub(super) fn vector(&self, call: &ProgramCall) -> Option<ProgramVector> {
        match call.buffers {
            CallBuffers::Vectors(vectors) => call.reduced_vector(vectors, self.member),
            _ => None,
        }
    }

    /// The reason for leaving a call to the library although its decision takes a schedule, if its arguments or the
    /// library's order of the operands give one. All ranks come to the same.
    pub(super) fn reason_by_arguments(
        &self,
        session: &InterposeSession,
        call: &ProgramCall,
        vector: Option<&ProgramVector>,
        algorithm: Algorithm,
    ) -> Result<Option<&'static str>, MpiError> {
        let Some(vector) = vector else {
            return Ok(None);
        };
        if !lock(&self.runner).can_cut(vector, algorithm) {
            return Ok(Some(order::OTHER_BLOCKS));
        }
        if !session.keeps_results() || vector.operands.dependence != OrderDependence::Rounding {
            return Ok(None);
        }
        Ok(match self.order_finding(session, call, vector, algorithm)? {
            OrderFinding::Same => None,
            OrderFinding::Other => Some(order::OTHER_ORDER),
            OrderFinding::Waiting => Some(order::WAITING),
            OrderFinding::Unknown => Some(order::UNKNOWN_ORDER),
        })
    }

    /// The reason for leaving a reduction to the library, if its numbers give one. All ranks come to the same.
    pub(super) fn reason_by_numbers(
        session: &InterposeSession,
        call: &ProgramCall,
        vector: &ProgramVector,
    ) -> Result<Option<&'static str>, MpiError> {
        let dependence = vector.operands.dependence;
        if !session.keeps_results() || !order::is_checked_before(call.collective, dependence) {
            return Ok(None);
        }
        let of_all = SpecialNumbers(largest(vector.special_numbers().0, call.comm)?);
        Ok(of_all.could_tell(dependence).then_some(order::SPECIAL_NUMBERS))
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
        let is_first = self.member.rank == Rank(0);
        // That the orders were the same elsewhere proves nothing: the library may choose by the communicator.
        let is_known = is_first && session.knows_other_order(&self.ranks, &key);
        let finding = match largest([u64::from(is_known)], call.comm)? {
            [0] => self.compared_orders(session, call, vector, algorithm)?,
            _ => OrderFinding::Other,
        };
        if is_first && finding == OrderFinding::Other {
            session.keep_other_order(&self.ranks, &key);
        }
        lock(&self.orders).keep(&key, finding);
        Ok(finding)
    }

    /// Finds out whether a schedule combines the same pairs of operands as the library.
    fn compared_orders(
        &self,
        session: &InterposeSession,
        call: &ProgramCall,
        vector: &ProgramVector,
        algorithm: Algorithm,
    ) -> Result<OrderFinding, MpiError> {
        let Some(mut probe) = OrderProbe::new(vector, call.comm, self.member.rank.0) else {
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
        Ok(if differs == 0 {
            OrderFinding::Same
        } else {
            OrderFinding::Other
        })
    }

    /// True if the result of an all-reduce that has run has a number by which the order of the operands could tell. The
    /// program then has its vector again, and the library must carry the call out.
    pub(super) fn must_be_repeated(
        &self,
        session: &InterposeSession,
        call: &ProgramCall,
        vector: Option<&ProgramVector>,
    ) -> bool {
        let is_looked_at = |vector: &&ProgramVector| {
            vector.operands.dependence == OrderDependence::Rounding && vector.could_tell_in_result()
        };
        let of_allreduce = vector.filter(|_| session.keeps_results() && call.collective == Collective::Allreduce);
        let found = of_allreduce.filter(is_looked_at);
        if let Some(vector) = found {
            lock(&self.runner).restore(vector);
        }
        found.is_some()
    }
}
