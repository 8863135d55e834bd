//! Agreement of the ranks of a communicator on a new decision.

use std::sync::Arc;

use netsig_base::algorithm::Algorithm;
use netsig_base::units::Rank;

use super::{CommunicatorRecord, NoDecision};
use crate::agreement::{
    self, AgreeingRanks, AgreementOutcome, AgreementRules, CONTRADICTING, CallTerms, MOST_PROCS, PieceKind,
};
use crate::call::{CallBuffers, CallLength, ProgramCall, RefusedArguments};
use crate::choice::CallQuestion;
use crate::decision::CallDecision;
use crate::fault;
use crate::lock;
use crate::session::InterposeSession;
use crate::size_class::{CallClass, class};

impl CommunicatorRecord {
    /// Agrees with all ranks on a decision.
    pub(super) fn agree(
        &self,
        session: &InterposeSession,
        call: &ProgramCall,
        length: Result<CallLength, RefusedArguments>,
    ) -> Result<(CallClass, Arc<CallDecision>), NoDecision> {
        if self.member.rank == Rank(0)
            && self.tag.get().is_none()
            && let Some(tag) = session.world.tag()
        {
            self.tag.get_or_init(|| tag);
        }
        let party = AgreeingRanks {
            comm: call.comm,
            member: self.member,
            layout: self.layout.as_ref(),
            tag: &self.tag,
        };
        let rules = AgreementRules {
            decide: |question: CallQuestion| match self.tag.get() {
                Some(_) => session.decide(question, &self.ranks),
                None => CallDecision::library("too many communicators of several threads"),
            },
            can_follow: |algorithm| !session.is_on || self.can_run(session, call, algorithm),
        };
        let is_aliased = !self.calls().has_seen(call.operation()) && call.is_aliased(self.member);
        let is_refused = |length: &CallLength| is_aliased && length.reason_to_pass().is_none();
        let valid_length = length.ok().filter(|length| !is_refused(length));
        let terms = valid_length.map(|length| terms(call, length));
        let agreed = match call.buffers {
            CallBuffers::ByPair { .. } if self.member.procs.get() > MOST_PROCS => {
                return Err(NoDecision::Because(
                    "sizes from pair to pair of more than 512 processes",
                ));
            }
            CallBuffers::ByPair { send, receive, .. } => {
                agreement::agree_by_pair(rules, party, terms, [send, receive])?
            }
            CallBuffers::Equal { .. } | CallBuffers::Vectors(_) | CallBuffers::Without => {
                agreement::agree_on_equal_pieces(rules, party, terms)?
            }
        };
        let (AgreementOutcome::Decided(decision), Some(length)) = (agreed, valid_length) else {
            self.calls().mark_seen(call.operation(), Some(CONTRADICTING));
            return Err(NoDecision::Because(CONTRADICTING));
        };
        self.calls().mark_seen(call.operation(), None);
        match length.reason_to_pass() {
            Some(reason) => Err(NoDecision::Because(reason)),
            None => Ok(self.calls().put_decision(call.operation(), length, decision)),
        }
    }

    /// True if this rank can run a schedule for a call.
    fn can_run(&self, session: &InterposeSession, call: &ProgramCall, algorithm: Algorithm) -> bool {
        let prepared = fault::catch_panic(|| lock(&self.runner).prepare(call, algorithm));
        match prepared {
            Ok(prepared) => prepared.is_ok(),
            Err(fault) => {
                session.stop_deciding(&fault);
                false
            }
        }
    }
}

/// The properties of the call that must be equal on all ranks.
fn terms(call: &ProgramCall, length: CallLength) -> CallTerms {
    CallTerms {
        operation: call.operation(),
        root: call.root,
        kind: match length {
            CallLength::Piece(size) => PieceKind::Class(class(size.0)),
            CallLength::Vector(size, operands) => PieceKind::Vector {
                elements: size.0 / operands.size as u64,
                element: operands.size as u64,
                dependence: operands.dependence,
                is_of_program: operands.is_of_program,
            },
            CallLength::ByPair => PieceKind::ByPair,
            CallLength::Passed(_) | CallLength::Nothing | CallLength::TooMuch => PieceKind::Passed,
        },
    }
}
