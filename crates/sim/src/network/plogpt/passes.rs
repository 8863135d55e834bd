//! Both interpretations of a timeout: a delay of the receiver alone, or of sender and receiver.

use netsig_base::units::Rank;
use netsig_model::model::alltoall::plogpt::RtoMode;
use rustc_hash::FxHashMap;

use super::PlogptNetwork;
use super::traffic::PlogptMessage;
use crate::engine;
use crate::network::{Flight, LossCause};
use crate::observer::Observer;
use crate::outcome::{SimEagerLimit, SimOutcome, StuckProgram};
use crate::program::{OperationId, SimProgram};
use crate::time::Time;

/// Treatment of lost packets.
#[derive(Debug, Clone)]
pub(super) enum PlogptPass {
    /// The receivers of lost packets wait.
    Receiver,
    /// First pass: losses are recorded.
    Search(PlogptLosses),
    /// Second pass: the recorded losses delay their senders and receivers, and no others occur.
    Apply(PlogptLosses),
}

/// Lost packets by sender, operation, and number of messages that the operation sent before.
#[derive(Debug, Clone, Default)]
pub(super) struct PlogptLosses {
    causes: FxHashMap<(Rank, OperationId, u32), LossCause>,
    /// Number of messages that each operation has sent.
    sent: FxHashMap<(Rank, OperationId), u32>,
}

impl PlogptLosses {
    fn count(&mut self, flight: &Flight) -> u32 {
        let sent = self.sent.entry((flight.from, flight.send)).or_default();
        *sent += 1;
        *sent - 1
    }
}

impl PlogptPass {
    /// Number of messages that the message's operation sent before, and delay of the sender.
    pub(super) fn inject(&mut self, flight: &Flight, rto: Time) -> (u32, Time) {
        match self {
            Self::Receiver => (0, Time::ZERO),
            Self::Search(losses) => (losses.count(flight), Time::ZERO),
            Self::Apply(losses) => {
                let occurrence = losses.count(flight);
                let key = (flight.from, flight.send, occurrence);
                let is_lost = losses.causes.contains_key(&key);
                (occurrence, if is_lost { rto } else { Time::ZERO })
            }
        }
    }

    /// Cause of the loss of a message's last packet, if it is lost; `meets` searches a message
    /// that begins at its end.
    pub(super) fn cause(
        &mut self,
        message: &PlogptMessage,
        meets: impl Fn() -> Option<LossCause>,
    ) -> Option<LossCause> {
        let key = (message.flight.from, message.flight.send, message.occurrence);
        match self {
            Self::Receiver => meets(),
            Self::Search(losses) => {
                let cause = meets()?;
                losses.causes.insert(key, cause.clone());
                Some(cause)
            }
            Self::Apply(losses) => losses.causes.remove(&key),
        }
    }
}

/// Runs a program on `network`, which has not run yet. In the mode [`RtoMode::TwoPass`] a first
/// run of copies finds the losses; in a second run each loss delays its sender and its receiver.
///
/// # Errors
/// If the program does not end, or leaves messages that no rank receives.
pub fn run_passes(
    mode: RtoMode,
    eager_limit: SimEagerLimit,
    mut program: impl SimProgram + Clone,
    mut network: PlogptNetwork,
    observer: &mut impl Observer,
) -> Result<SimOutcome, StuckProgram> {
    if mode == RtoMode::TwoPass {
        let pass = PlogptPass::Search(PlogptLosses::default());
        let mut search = PlogptNetwork {
            pass,
            ..network.clone()
        };
        engine::run_with(eager_limit, &mut program.clone(), &mut search, &mut ())?;
        if let PlogptPass::Search(PlogptLosses { causes, .. }) = search.pass {
            let sent = FxHashMap::default();
            network.pass = PlogptPass::Apply(PlogptLosses { causes, sent });
        }
    }
    engine::run_with(eager_limit, &mut program, &mut network, observer)
}
