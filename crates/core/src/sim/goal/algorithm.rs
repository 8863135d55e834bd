//! Schedules of netsig as programs in GOAL.

use std::io::{self, Write};
use std::ops::Range;

use crate::algorithm::Schedule;
use crate::schedule::InFlight;

/// Writes a schedule as GOAL, one rank and round at a time.
///
/// The tag of a message is the number of its round; within a round, receives come before sends.
/// All operations of a round wait for all operations of the rank's previous round, through an
/// empty calculation where both rounds have several operations. Where a schedule allows k sends
/// in progress, a send waits for the k-th send before it, and where it allows k exchanges also for
/// the k-th receive before, because GOAL cannot express a wait for
/// the first of several sends to end. Receives are posted at once, as in the simulator. Copies
/// are left out, as if they took no time.
///
/// ```
/// use netsig_core::algorithm::{Algorithm, Collective};
/// use netsig_core::sim::goal;
/// use netsig_core::units::{Bytes, Procs};
///
/// let chain = Algorithm::parse(Collective::Bcast, "chain")?;
/// let mut text = Vec::new();
/// goal::write_algorithm(&chain.schedule(Procs::new(3)?, Bytes(64)), &mut text)?;
/// let relay = "rank 1 {\nl1: recv 64b from 0 tag 0\nl2: send 64b to 2 tag 1\nl2 requires l1\n}";
/// assert!(String::from_utf8(text)?.contains(relay));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If `out` cannot be written.
pub fn write_algorithm(schedule: &Schedule, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "num_ranks {}", schedule.procs())?;
    for rank in schedule.procs().ranks() {
        writeln!(out, "\nrank {rank} {{")?;
        let mut writer = RankWriter {
            out: &mut *out,
            next: 1,
            previous: 1..1,
        };
        for index in schedule.active(rank) {
            let round = schedule.round(rank, index);
            let receives = round.receives.iter().map(|message| {
                let bytes = schedule.bytes((message.partner, rank), &message.slots);
                format!("recv {bytes}b from {} tag {index}", message.partner)
            });
            let sends = round.sends.iter().map(|message| {
                let bytes = schedule.bytes((rank, message.partner), &message.slots);
                format!("send {bytes}b to {} tag {index}", message.partner)
            });
            writer.round(receives, sends, round.in_flight)?;
        }
        writeln!(out, "}}")?;
    }
    Ok(())
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
    /// Writes the statements of a round with this limit on the messages in progress.
    fn round(
        &mut self,
        receives: impl ExactSizeIterator<Item = String>,
        sends: impl ExactSizeIterator<Item = String>,
        in_flight: InFlight,
    ) -> io::Result<()> {
        let window = in_flight.at_once().1 as u64;
        let is_paired = matches!(in_flight, InFlight::Exchanges(_));
        let count = receives.len() + sends.len();
        if count == 0 {
            return Ok(());
        }
        let gate = self.gate(count)?;
        let start = self.next;
        for receive in receives {
            self.operation(&receive, gate.clone())?;
        }
        let first = self.next;
        for send in sends {
            let freeing = self.next.saturating_sub(window);
            if freeing < first {
                self.operation(&send, gate.clone())?;
                continue;
            }
            let received = start + (freeing - first);
            let received = Some(received).filter(|own| is_paired && *own < first);
            self.operation(&send, (freeing..=freeing).chain(received))?;
        }
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

    fn operation(
        &mut self,
        what: &str,
        waits_for: impl IntoIterator<Item = u64>,
    ) -> io::Result<()> {
        let label = self.next;
        self.next += 1;
        writeln!(self.out, "l{label}: {what}")?;
        for before in waits_for {
            writeln!(self.out, "l{label} requires l{before}")?;
        }
        Ok(())
    }
}
