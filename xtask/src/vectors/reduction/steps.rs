//! Steps of a rank with one message each way: the messages of a round follow one another there.

use netsig_base::schedule::{Round, RoundMessages, ScheduleExtent};
use netsig_base::units::Rank;

/// Number of steps of a schedule: its rounds. Where a port has several messages in a round, it is the most messages that
/// a rank sends or receives one after the other.
pub fn steps(extent: ScheduleExtent, round: &dyn Fn(Rank, usize) -> Round) -> usize {
    let mut most = 0;
    let mut has_several = false;
    for rank in extent.procs.ranks() {
        let rounds = (0..extent.rounds).map(|index| round(rank, index));
        let messages: Vec<usize> = rounds
            .map(|round| round.sends.len().max(round.receives.len()))
            .collect();
        has_several |= messages.iter().any(|&messages| messages > 1);
        most = most.max(messages.iter().sum());
    }
    if has_several { most } else { extent.rounds }
}

/// A schedule in which a rank combines each message of a round before it receives the next one.
pub struct SingleReceives<'a> {
    extent: ScheduleExtent,
    round: &'a dyn Fn(Rank, usize) -> Round,
    /// Largest number of messages that a rank receives and combines in a round.
    parts: usize,
}

impl<'a> SingleReceives<'a> {
    /// Splits the rounds of a tree. Rounds in which ranks send and receive several messages stay whole.
    pub fn of(extent: ScheduleExtent, round: &'a dyn Fn(Rank, usize) -> Round) -> Self {
        let all = || {
            extent
                .procs
                .ranks()
                .flat_map(|rank| (0..extent.rounds).map(move |index| round(rank, index)))
        };
        let is_tree = all().all(|round| round.sends.len() <= 1);
        let parts = all().map(|round| round.receives.len()).max().filter(|_| is_tree);
        Self {
            extent,
            round,
            parts: parts.unwrap_or(1).max(1),
        }
    }

    pub fn extent(&self) -> ScheduleExtent {
        ScheduleExtent {
            rounds: self.extent.rounds * self.parts,
            ..self.extent
        }
    }

    pub fn round(&self, rank: Rank, index: usize) -> Round {
        let (index, part) = (index / self.parts, index % self.parts);
        let whole = (self.round)(rank, index);
        if self.parts == 1 {
            return whole;
        }
        let receives = whole.receives.len();
        let of_message = whole.combinations.len() / receives.max(1);
        let is_now = |send: &netsig_base::schedule::ScheduleMessage| {
            let receiver = (self.round)(send.partner, index);
            receiver.receives.iter().position(|receive| receive.partner == rank) == Some(part)
        };
        let sends = whole
            .sends
            .iter()
            .filter(|send| is_now(send))
            .map(std::borrow::Cow::into_owned);
        let received = whole.receives.get(part).map(std::borrow::Cow::into_owned);
        let combined = whole.combinations.iter().skip(part * of_message);
        Round {
            sends: sends.collect(),
            receives: RoundMessages::from(received.clone()),
            combinations: combined
                .take(of_message * usize::from(received.is_some()))
                .copied()
                .collect(),
            ..Round::default()
        }
    }
}
