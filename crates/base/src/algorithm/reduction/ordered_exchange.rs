//! An exchange of operands with one other rank, in the order of the ranks.
//!
//! A rank has two arrays for its operands. If the other rank is lower, the received operand is the left one and the result
//! stays where the rank's own operand was. If it is higher, the received operand is the right one and the result
//! replaces it, so that the arrays change places. After the last exchange the result is in array 0.

use super::folded_ranks::FoldedRanks;
use super::{combinations, copies, message};
use crate::schedule::{BlockSlot, Round};
use crate::units::Rank;

/// An exchange of a rank.
pub(super) struct OrderedExchange<S> {
    /// The rank that sends the operand.
    pub(super) partner: Rank,
    /// True if that rank is higher than those whose operands this rank has combined.
    pub(super) is_higher: bool,
    /// True for the first exchange, before which the rank's own operand is its input.
    pub(super) is_first: bool,
    /// Number of later exchanges of this rank with higher ranks.
    pub(super) later_swaps: u32,
    /// Place of a part in array 0 or 1.
    pub(super) slot: S,
}

impl<S: Fn(u32, u32) -> BlockSlot> OrderedExchange<S> {
    /// The exchange of the rank with a number with `partner` in a step with the number at the distance 2^`step`; `None` for
    /// the fold, in which the partner is lower.
    pub(super) fn of_step(ranks: FoldedRanks, number: u32, partner: Rank, step: Option<u32>, slot: S) -> Self {
        let is_folded = ranks.twin(ranks.rank(number)).is_some();
        let is_higher = |step: u32| (number >> step) & 1 == 0;
        let later = step.map_or(0, |step| step + 1)..ranks.steps();
        Self {
            partner,
            is_higher: step.is_some_and(is_higher),
            is_first: step.is_none() || step == Some(0) && !is_folded,
            later_swaps: later.map(|step| u32::from(is_higher(step))).sum(),
            slot,
        }
    }

    /// Place of a part in the array that has the result.
    fn result(&self, part: u32) -> BlockSlot {
        (self.slot)(self.later_swaps % 2, part)
    }

    /// Place of a part in the other array.
    fn other(&self, part: u32) -> BlockSlot {
        (self.slot)((self.later_swaps + 1) % 2, part)
    }

    /// Place of a part of this rank's own operand before the exchange.
    pub(super) fn operand(&self, part: u32) -> BlockSlot {
        match (self.is_first, self.is_higher) {
            (true, _) => BlockSlot::Input(part),
            (false, true) => self.other(part),
            (false, false) => self.result(part),
        }
    }

    /// The round in which `parts` are received and combined; it sends nothing.
    pub(super) fn receive(&self, parts: &[u32]) -> Round {
        self.receive_more(parts, parts)
    }

    /// The round in which `received` comes and `parts` of it are combined; it sends nothing.
    pub(super) fn receive_more(&self, received: &[u32], parts: &[u32]) -> Round {
        let arrive = |part| {
            if self.is_higher {
                self.result(part)
            } else {
                self.other(part)
            }
        };
        let left = |part| {
            if self.is_higher {
                self.operand(part)
            } else {
                self.other(part)
            }
        };
        let must_copy = self.is_first && !self.is_higher;
        Round {
            receives: message(self.partner, received, arrive).into(),
            copies: copies(if must_copy { parts } else { &[] }, |part| self.result(part)).collect(),
            combinations: combinations(parts, left, |part| self.result(part)).collect(),
            ..Round::default()
        }
    }

    /// The round in which `sent` goes to the partner and `received` comes from it.
    pub(super) fn exchange(&self, sent: &[u32], received: &[u32]) -> Round {
        Round {
            sends: message(self.partner, sent, |part| self.operand(part)).into(),
            ..self.receive(received)
        }
    }
}
