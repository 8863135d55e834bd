//! Schedules of netsig as programs in GOAL.

use std::io::{self, Write};
use std::ops::Range;

use netsig_base::algorithm::Schedule;
use netsig_base::schedule::{InFlightLimit, ScheduleMessage};
use netsig_base::units::{Rank, SecondsPerByte};

use crate::rounds::combination_time;
use crate::time::Time;

/// Writes a schedule as GOAL, one rank and round at a time.
///
/// The tag of a message is the number of its round; within a round, receives come before sends. All operations of a
/// round wait for all operations of the rank's previous round, through an empty calculation where both rounds have
/// several operations. Where a schedule allows k sends in progress, a send waits for the k-th send before it: GOAL
/// cannot express a wait for the first of several sends to end. Where it allows k exchanges, a send also waits for
/// the k-th receive before it and for the start of the previous send. Receives are posted at once, as in the
/// simulator. Copies are left out, as if they took no time. The combinations of a round are one calculation after all of
/// its messages, of `operation_time` for each byte of a combined block, in whole nanoseconds.
///
/// ```
/// use netsig_base::algorithm::{Algorithm, Collective};
/// use netsig_sim::goal;
/// use netsig_base::units::{Bytes, Procs, SecondsPerByte};
///
/// let chain = Algorithm::parse(Collective::Bcast, "chain")?;
/// let mut text = Vec::new();
/// let schedule = chain.schedule(Procs::new(3)?, Bytes(64));
/// goal::write_algorithm(&schedule, SecondsPerByte(0.0), &mut text)?;
/// let relay = "rank 1 {\nl1: recv 64b from 0 tag 0\nl2: send 64b to 2 tag 1\nl2 requires l1\n}";
/// assert!(String::from_utf8(text)?.contains(relay));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If `out` cannot be written.
pub fn write_algorithm(schedule: &Schedule, operation_time: SecondsPerByte, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "num_ranks {}", schedule.procs())?;
    for rank in schedule.procs().ranks() {
        writeln!(out, "\nrank {rank} {{")?;
        let mut writer = RankWriter {
            out: &mut *out,
            next: 1,
            previous: 1..1,
        };
        for index in schedule.active_rounds(rank) {
            let round = schedule.round(rank, index);
            let keeps_places = matches!(round.in_flight, InFlightLimit::Exchanges(_));
            let kept = |statement: &Option<String>| keeps_places || statement.is_some();
            let receive_statements = round.receives.iter().map(|message| {
                let partner = message.partner;
                let bytes = sent(schedule, (partner, rank), &message)?;
                Some(format!("recv {bytes}b from {partner} tag {index}"))
            });
            let send_statements = round.sends.iter().map(|message| {
                let partner = message.partner;
                let bytes = sent(schedule, (rank, partner), &message)?;
                Some(format!("send {bytes}b to {partner} tag {index}"))
            });
            let receives: Vec<Option<String>> = receive_statements.filter(kept).collect();
            let sends: Vec<Option<String>> = send_statements.filter(kept).collect();
            writer.round(&receives, &sends, round.in_flight)?;
            writer.calculation(combination_time(schedule, &round, operation_time))?;
        }
        writeln!(out, "}}")?;
    }
    Ok(())
}

/// Length of a message in bytes; `None` if it is not sent.
fn sent(schedule: &Schedule, pair: (Rank, Rank), message: &ScheduleMessage) -> Option<u64> {
    let slots = &message.slots;
    schedule
        .is_sent(pair, slots)
        .then(|| schedule.message_bytes(pair, slots))
}

/// Writer of a rank's block; each operation has its number as label.
struct RankWriter<'a, W> {
    out: &'a mut W,
    /// The number of the next operation.
    next: u64,
    /// The operations of the last round that had any.
    previous: Range<u64>,
}

impl<W: Write> RankWriter<'_, W> {
    /// Writes the statements of a round with this limit on the messages in progress. `None` stands for a message that
    /// is not sent but keeps its place in the list.
    fn round(
        &mut self,
        receives: &[Option<String>],
        sends: &[Option<String>],
        in_flight: InFlightLimit,
    ) -> io::Result<()> {
        let (_, window) = in_flight.receive_and_send_limits();
        let is_paired = matches!(in_flight, InFlightLimit::Exchanges(_));
        let count = receives.iter().chain(sends).flatten().count();
        if count == 0 {
            return Ok(());
        }
        let gate = self.gate(count)?;
        let start = self.next;
        let mut received = Vec::with_capacity(receives.len());
        for receive in receives {
            received.push(receive.as_ref().map(|_| self.next));
            if let Some(receive) = receive {
                self.operation(receive, gate.clone())?;
            }
        }
        let mut sent: Vec<Option<u64>> = Vec::with_capacity(sends.len());
        for (place, send) in sends.iter().enumerate() {
            let Some(send) = send else {
                sent.push(None);
                continue;
            };
            let before = place.checked_sub(window);
            let send_before = before.and_then(|before| sent[before]);
            let place_before = before.filter(|_| is_paired);
            let receive_before = place_before.and_then(|before| *received.get(before)?);
            let mut waits_for: Vec<u64> = send_before.into_iter().chain(receive_before).collect();
            if waits_for.is_empty() {
                waits_for.extend(gate.clone());
            }
            let label = self.next;
            self.operation(send, waits_for)?;
            // Exchanges begin in their order, even if a later one could begin first.
            if let Some(previous) = sent.iter().rev().flatten().next().filter(|_| is_paired) {
                writeln!(self.out, "l{label} irequires l{previous}")?;
            }
            sent.push(Some(label));
        }
        self.previous = start..self.next;
        Ok(())
    }

    /// Writes a calculation after all operations of the previous round, unless it is shorter than half a nanosecond.
    fn calculation(&mut self, duration: Time) -> io::Result<()> {
        let nanoseconds = duration.nanoseconds();
        if nanoseconds == 0 {
            return Ok(());
        }
        let start = self.next;
        self.operation(&format!("calc {nanoseconds}"), self.previous.clone())?;
        self.previous = start..self.next;
        Ok(())
    }

    /// Operations that each of `count` operations must wait for to follow the previous round.
    fn gate(&mut self, count: usize) -> io::Result<Range<u64>> {
        let previous = self.previous.clone();
        if count == 1 || previous.end - previous.start <= 1 {
            return Ok(previous);
        }
        self.operation("calc 0", previous)?;
        Ok(self.next - 1..self.next)
    }

    fn operation(&mut self, what: &str, waits_for: impl IntoIterator<Item = u64>) -> io::Result<()> {
        let label = self.next;
        self.next += 1;
        writeln!(self.out, "l{label}: {what}")?;
        for before in waits_for {
            writeln!(self.out, "l{label} requires l{before}")?;
        }
        Ok(())
    }
}
