//! The time of a schedule on ports alone, message by message: what the closed forms of algorithms must give.

use std::borrow::Cow;

use super::{BlockSlot, PieceDivision, Round, RoundMessages, ScheduleError, ScheduleExtent, ScheduleMessage};
use crate::units::{Rank, Seconds, SecondsPerByte};

/// What messages and combinations cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunCosts {
    /// α: time of a message without data.
    pub startup: Seconds,
    /// β: time of each byte of a message.
    pub per_byte: SecondsPerByte,
    /// ω: time of the operation for each byte of an operand.
    pub operation: SecondsPerByte,
}

/// What the ranks have done in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct PortRun {
    /// Time until the last rank ends.
    pub time: Seconds,
    /// Bytes that each rank sends.
    pub sent: Vec<u64>,
    /// Bytes of the operands that each rank combines into others.
    pub combined: Vec<u64>,
}

impl PortRun {
    /// Runs a schedule: every rank has a port that sends one message and receives one at a time.
    ///
    /// # Formula
    /// A message of b bytes starts when both ranks have reached its round and the messages before it in their lists have
    /// ended, and takes α + β·b. When all messages of its round have ended, a rank spends ω for each byte that it combines.
    /// `round` returns the operations of a rank in a round.
    ///
    /// # Errors
    /// [`ScheduleError::Unmatched`] if two ranks wait for each other's messages in different orders.
    pub fn of(
        extent: ScheduleExtent,
        round: impl Fn(Rank, usize) -> Round,
        costs: RunCosts,
    ) -> Result<Self, ScheduleError> {
        let ranks = extent.procs.get() as usize;
        let mut run = Self {
            time: Seconds(0.0),
            sent: vec![0; ranks],
            combined: vec![0; ranks],
        };
        let mut reached = vec![0.0; ranks];
        for index in 0..extent.rounds {
            let rounds: Vec<Round> = extent.procs.ranks().map(|rank| round(rank, index)).collect();
            run.exchange(index, &rounds, extent.division, (costs, &mut reached))?;
            for ((rank, round), time) in (0..).zip(&rounds).zip(&mut reached) {
                let operands = round.combinations.iter().map(|one| one.left);
                let bytes = length(operands, extent.division);
                run.combined[rank] += bytes;
                *time += costs.operation.0 * bytes as f64;
            }
        }
        run.time = Seconds(reached.into_iter().fold(0.0, f64::max));
        Ok(run)
    }

    /// Most bytes that a rank sends.
    pub fn most_sent(&self) -> u64 {
        self.sent.iter().copied().max().unwrap_or(0)
    }

    /// Most bytes that a rank combines.
    pub fn most_combined(&self) -> u64 {
        self.combined.iter().copied().max().unwrap_or(0)
    }

    /// The messages of a round. The times at which the ranks have reached it become those at which their messages end.
    fn exchange(
        &mut self,
        index: usize,
        rounds: &[Round],
        division: PieceDivision,
        state: (RunCosts, &mut Vec<f64>),
    ) -> Result<(), ScheduleError> {
        let (costs, reached) = state;
        let mut ports: Vec<RankPort> = rounds.iter().zip(&*reached).map(RankPort::new).collect();
        let mut messages_before = usize::MAX;
        let mut messages = 0;
        while messages != messages_before {
            messages_before = messages;
            for from in 0..ports.len() {
                while let Some(message) = RankPort::next(&ports, from) {
                    let to = message.partner.0 as usize;
                    let bytes = length(message.slots.iter().copied(), division);
                    let start = ports[from].sending.max(ports[to].receiving);
                    let end = start + costs.startup.0 + costs.per_byte.0 * bytes as f64;
                    ports[from].sending = end;
                    ports[from].sent += 1;
                    ports[to].receiving = end;
                    ports[to].received += 1;
                    self.sent[from] += bytes;
                    messages += 1;
                }
            }
        }
        for ((rank, port), time) in (0..).map(Rank).zip(&ports).zip(reached) {
            if let Some(message) = port.sends.get(port.sent) {
                let (round, to) = (index, message.partner);
                return Err(ScheduleError::Unmatched { round, from: rank, to });
            }
            *time = port.sending.max(port.receiving);
        }
        Ok(())
    }
}

/// The port of a rank in a round.
struct RankPort<'a> {
    sends: &'a RoundMessages,
    receives: &'a RoundMessages,
    /// Number of messages that are sent, and when the last of them has ended.
    sent: usize,
    sending: f64,
    /// As many that are received.
    received: usize,
    receiving: f64,
}

impl<'a> RankPort<'a> {
    fn new(at: (&'a Round, &f64)) -> Self {
        let (round, reached) = at;
        Self {
            sends: &round.sends,
            receives: &round.receives,
            sent: 0,
            sending: *reached,
            received: 0,
            receiving: *reached,
        }
    }

    /// The next message of rank `from`, if it is the next one of its receiver.
    fn next(ports: &[Self], from: usize) -> Option<Cow<'a, ScheduleMessage>> {
        let send = ports[from].sends.get(ports[from].sent)?;
        let to = &ports[send.partner.0 as usize];
        let awaited = to.receives.get(to.received)?;
        (awaited.partner.0 as usize == from).then_some(send)
    }
}

fn length(slots: impl Iterator<Item = BlockSlot>, division: PieceDivision) -> u64 {
    slots.map(|slot| division.bytes(slot.index())).sum()
}
