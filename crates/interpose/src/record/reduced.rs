//! Reductions of a communicator whose results keep their bits.

use netsig_base::algorithm::{Algorithm, Collective};
use netsig_base::units::Rank;
use netsig_model::predict::result_rule::OrderDependence;
use netsig_mpi::MpiError;

use super::{CommunicatorRecord, DecidedCall};
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
    /// The reason for leaving a reduction to the library although its decision takes a schedule, if the arguments or the
    /// library's order give one. All ranks come to the same.
    ///
    /// # Errors
    /// If MPI fails.
    pub(super) fn reason_by_order(
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
        if !session.keeps_results() || vector.operands.dependence != OrderDependence::Rounding {
            return Ok(None);
        }
        Ok(match self.order_finding(session, call, &vector, algorithm)? {
            OrderFinding::Same => None,
            OrderFinding::Other => Some(order::OTHER_ORDER),
            OrderFinding::Waiting => Some(order::WAITING),
            OrderFinding::Unknown => Some(order::UNKNOWN_ORDER),
        })
    }

    /// The reason for leaving a reduction to the library, if its numbers give one. All ranks come to the same.
    ///
    /// # Errors
    /// If MPI fails.
    pub(super) fn reason_by_numbers(
        &self,
        session: &InterposeSession,
        call: &ProgramCall,
    ) -> Result<Option<&'static str>, MpiError> {
        let is_checked = |vector: &ProgramVector| order::is_checked_before(call.collective, vector.operands.dependence);
        let kept = self.vector(call).filter(|_| session.keeps_results());
        let Some(vector) = kept.filter(is_checked) else {
            return Ok(None);
        };
        let of_all = SpecialNumbers(largest(vector.special_numbers().0, call.comm)?);
        let could_tell = of_all.could_tell(vector.operands.dependence);
        Ok(could_tell.then_some(order::SPECIAL_NUMBERS))
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
        let finding = match self.shared_finding(session, call, &key)? {
            Some(known) => known,
            None => self.compared_orders(session, call, vector, algorithm)?,
        };
        if self.member.rank == Rank(0) {
            session.keep_order(&self.ranks, &key, finding);
        }
        lock(&self.orders).keep(&key, finding);
        Ok(finding)
    }

    /// The finding on an earlier communicator of the same processes, which rank 0 shares, if there is one.
    fn shared_finding(
        &self,
        session: &InterposeSession,
        call: &ProgramCall,
        key: &OrderKey,
    ) -> Result<Option<OrderFinding>, MpiError> {
        let is_first = self.member.rank == Rank(0);
        let known = is_first.then(|| session.known_order(&self.ranks, key)).flatten();
        let all = [OrderFinding::Same, OrderFinding::Other, OrderFinding::Unknown];
        let shared = largest(all.map(|one| u64::from(known == Some(one))), call.comm)?;
        Ok(all
            .into_iter()
            .zip(shared)
            .find_map(|(one, count)| (count > 0).then_some(one)))
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
