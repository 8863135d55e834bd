//! Both readings of a timeout: that the receiver waits, or all that comes after.

use rustc_hash::FxHashMap;

use super::PlogPT;
use super::traffic::Message;
use crate::model::alltoall::plogpt::RtoMode;
use crate::sim::engine;
use crate::sim::network::{Cause, Flight};
use crate::sim::observer::Observer;
use crate::sim::outcome::{EagerLimit, Outcome, Stuck};
use crate::sim::program::{Op, Program};
use crate::sim::time::Time;
use crate::units::Rank;

/// What is done about lost packets.
#[derive(Debug, Clone)]
pub(super) enum Pass {
    /// Their receivers wait.
    Receiver,
    /// They are remembered.
    Search(Losses),
    /// Those that were remembered hold up their senders and receivers, and there are no others.
    Apply(Losses),
}

/// Lost packets by the sender, the operation, and how many messages it had sent before.
#[derive(Debug, Clone, Default)]
pub(super) struct Losses {
    causes: FxHashMap<(Rank, Op, u32), Cause>,
    /// How many messages each operation has sent.
    sent: FxHashMap<(Rank, Op), u32>,
}

impl Losses {
    fn count(&mut self, flight: &Flight) -> u32 {
        let sent = self.sent.entry((flight.from, flight.send)).or_default();
        *sent += 1;
        *sent - 1
    }
}

impl Pass {
    /// How many messages the operation of this one had sent before, and how long the sender
    /// is held up.
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

    /// Why the last packet of a message is lost, if it is; `meets` holds its end against
    /// what begins.
    pub(super) fn cause(
        &mut self,
        message: &Message,
        meets: impl Fn() -> Option<Cause>,
    ) -> Option<Cause> {
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

/// Runs a program on `network`, which has not run yet; in the mode [`RtoMode::TwoPass`] first
/// copies of both to find the losses, and then so that each holds up its sender and its receiver.
///
/// # Errors
/// If the program does not end or leaves messages over.
pub fn run(
    (mode, eager_limit): (RtoMode, EagerLimit),
    mut program: impl Program + Clone,
    mut network: PlogPT,
    observer: &mut impl Observer,
) -> Result<Outcome, Stuck> {
    if mode == RtoMode::TwoPass {
        let pass = Pass::Search(Losses::default());
        let mut search = PlogPT {
            pass,
            ..network.clone()
        };
        engine::run_with(eager_limit, &mut program.clone(), &mut search, &mut ())?;
        if let Pass::Search(Losses { causes, .. }) = search.pass {
            let sent = FxHashMap::default();
            network.pass = Pass::Apply(Losses { causes, sent });
        }
    }
    engine::run_with(eager_limit, &mut program, &mut network, observer)
}
