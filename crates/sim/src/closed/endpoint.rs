//! Closed forms of collectives on the network of ports alone. All messages have one length, or
//! are segments of one message.
//!
//! # Formula
//! P ranks, m bytes per rank and destination; times are whole picoseconds. A message takes the
//! overhead o on either processor, occupies a port for the interval I and arrives within b. A
//! single message takes h = 2·o + L + b. In `LogGP` b = (m − 1)·G and I = max(o, g + b); in pLogP
//! o = 0 and b = I = g(m). A segmented message has k segments of length s; the last one may be
//! shorter, and has b′, I′ and h′.
//!
//! | collective | algorithm | T(P, m) |
//! |---|---|---|
//! | bcast, scatter, gather | `flat` | (P − 2)·I + h |
//! | bcast | `chain` | (P − 1)·h |
//! | bcast | `binomial` | B(P), below |
//! | bcast | `flat-segmented` | (P − 1)·(k − 1)·I + (P − 2)·I′ + h′ |
//! | bcast | `pipeline` | (P − 2)·max(h, h′) + (k − 1)·I + h′ |
//! | alltoall | `pairwise`, `pairwise-segmented` | (P − 1)·((k − 1)·S + S′) − S′ + h′, S = max(h, I) |
//! | allgather | `ring` | (P − 2)·S + h |
//! | alltoall | `direct`, `throttled`, `sends-in-turn` | (P − 2)·I + h, and the processor's delay |
//! | alltoall | `direct-unrotated` | (2·P − 4)·I + h |
//!
//! * Flat: messages leave the root I apart; in a gather all arrive at the same time, and the root
//!   takes them I apart. The last message takes h.
//! * Binomial: let P = 2ˣ + Q with 1 ≤ Q ≤ 2ˣ. The root first sends to the root of a tree of Q ranks; after I it is
//!   the root of a full tree of 2ˣ ranks. So B(P) = max(h + B(Q), I + F(x)), without the second term for x = 0, and
//!   B(1) = 0. The longest path of a full tree has x − 1 steps, each down a level or to the next child, and a last
//!   step down. So F(x) = h + (x − 1)·max(h, I).
//! * Segments: a receiver may still be busy with the previous segment when a much shorter last segment arrives. If
//!   the previous segment began e earlier, the last segment is received max(h′, h + o − e) after its start, which
//!   replaces the final h′.
//! * Pipeline: each rank forwards a segment when it has received it, at least I after the
//!   previous segment: segment i leaves rank d at d·h + i·I. If the last segment takes longer
//!   than the others (g(m) may decrease), each rank adds the difference.
//! * Pairwise and ring: all ranks are in step; a step lasts until its message is received and the
//!   port is free.
//! * Direct: each rank sends at intervals of I and receives at intervals of I from D = o + L + b
//!   on. Limits on sends in flight have no effect: a send is complete before the next may begin.
//! * Direct without rotation: all other ranks send to the last rank last. Its P − 1 messages
//!   leave at the same time, (P − 2)·I, and arrive I apart.
//!
//! Delay by the processor: let D = q·I + φ, 0 ≤ φ < I, and I ≥ 2·o. A receive that begins during
//! a send waits for the end of the send and completes before the next send. A receive that is
//! still running when a send is due (φ > I − o) delays the send by δ = φ + o − I. Later sends
//! follow I apart, each exactly when a receive ends, until messages sent after the delay arrive:
//! these are late and delay a send again. So one delay occurs per q + 1 messages:
//! δ·⌊(P − 2)/(q + 1)⌋ in total.
//!
//! # Domain
//! Any P and m; P = 1 takes no time. No closed form is given for
//! * direct exchange where I < 2·o, unless D ≥ (P − 2)·I + o, so that all messages are sent
//!   before the first arrives; and where φ = 0 and b ≥ I − o, so that a send and a receive are
//!   due at the same time and the receive is known first;
//! * direct exchange without rotation, if o > 0 and P > 2;
//! * a pipeline of several segments through P > 2 ranks where receives delay sends: o > 0 and (I < 2·o or I ≤ o + b −
//!   b′);
//! * all other algorithms.
//!
//! # Source
//! The costs are those of the network of ports; the forms are netsig's. With pLogP the forms of flat, chain and
//! direct are in Barchet-Steffenel and Mounié 2005 (`RenPar`) Tab. 1 and Tab. 3. The two orders of an all-to-all are
//! in Nomura, Matsuba, Ishikawa 2007.
//!
//! ```
//! # use netsig_base::algorithm::{Algorithm, Collective};
//! # use netsig_model::model::plogp::{PLogP, PLogPParameters};
//! # use netsig_base::units::table::SizeTable;
//! # use netsig_sim::{Time, closed, network::endpoint::PortParameters};
//! # use netsig_base::units::{Bytes, Procs, Seconds};
//! // L = 50 µs and g(m) = 10 µs + 10 ns · m.
//! # let line = |at_zero, at_16_mib| {
//! #     SizeTable::new("g", vec![(Bytes(0), Seconds(at_zero)), (Bytes(1 << 24), Seconds(at_16_mib))])
//! # };
//! # let ports = PortParameters::PLogP(PLogP::new(PLogPParameters {
//! #     latency: Seconds(5e-5),
//! #     gap: line(1e-5, 0.16778216)?,
//! #     send_overhead: line(0.0, 0.0)?,
//! #     receive_overhead: line(0.0, 0.0)?,
//! # })?);
//! let direct = Algorithm::parse(Collective::Alltoall, "direct")?;
//! let solved = closed::endpoint(direct, Procs::new(24)?, Bytes(1 << 20), &ports);
//! assert_eq!(solved.unwrap().time, Time::of(Seconds(0.241_452_48)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use netsig_base::algorithm::{Algorithm, ClosedForm};
use netsig_base::units::{Bytes, Procs};

use super::SimTotals;
use crate::network::endpoint::{PortCosts, PortParameters};
use crate::time::Time;

/// An algorithm with its processes and size on a network of ports.
struct PortCase<'a> {
    algorithm: Algorithm,
    procs: Procs,
    size: Bytes,
    ports: &'a PortParameters,
}

/// A message with its costs.
#[derive(Clone, Copy)]
struct PortMessage {
    bytes: u64,
    costs: PortCosts,
    /// h: duration of the message alone.
    alone: Time,
}

/// Segments of a message; an unsegmented message has only the last one.
struct PortSegments {
    /// Number of segments before the last one.
    full_count: u64,
    /// Each segment before the last one.
    full: PortMessage,
    last: PortMessage,
}

/// Totals of `algorithm` among `procs` with pieces of `size` on the network of `ports`; `None` if
/// no exact closed form exists.
pub fn endpoint(algorithm: Algorithm, procs: Procs, size: Bytes, ports: &PortParameters) -> Option<SimTotals> {
    let form = algorithm.closed_form()?;
    if procs.get() == 1 {
        return Some(SimTotals::default());
    }
    let case = PortCase {
        algorithm,
        procs,
        size,
        ports,
    };
    match form {
        ClosedForm::Flat | ClosedForm::FlatSegmented => Some(flat_totals(&case)),
        ClosedForm::Chain | ClosedForm::Pipeline => pipeline(&case),
        ClosedForm::Binomial => Some(binomial(&case)),
        ClosedForm::ChainOfParts
        | ClosedForm::Binary
        | ClosedForm::BinomialSegmented
        | ClosedForm::BinomialOfParts
        | ClosedForm::Reduction(_) => None,
        ClosedForm::Steps | ClosedForm::Pairwise => Some(pairwise(&case)),
        ClosedForm::Direct | ClosedForm::SendsInTurn => direct(&case),
        ClosedForm::DirectUnrotated => direct_unrotated(&case),
    }
}

impl PortCase<'_> {
    /// P − 1.
    fn partners(&self) -> u64 {
        u64::from(self.procs.get() - 1)
    }

    /// P·(P − 1).
    fn pairs(&self) -> u64 {
        u64::from(self.procs.get()) * self.partners()
    }

    fn message(&self, bytes: u64) -> PortMessage {
        let costs = self.ports.costs(bytes);
        PortMessage {
            bytes,
            costs,
            alone: costs.overhead + self.ports.latency() + costs.body + costs.overhead,
        }
    }

    fn segments(&self) -> PortSegments {
        let schedule = self.algorithm.schedule(self.procs, self.size);
        let division = schedule.extent().division;
        let last = division.parts() - 1;
        PortSegments {
            full_count: last.into(),
            full: self.message(division.bytes(0)),
            last: self.message(division.bytes(last)),
        }
    }
}

impl PortSegments {
    /// Totals if all segments are sent `times` times.
    fn sent(&self, times: u64, time: Time) -> SimTotals {
        let [before, whole, last] = [self.full_count, self.full.bytes, self.last.bytes].map(u128::from);
        SimTotals {
            time,
            messages: (self.full_count + 1).saturating_mul(times),
            bytes: (before * whole + last).saturating_mul(times.into()),
            losses: 0,
        }
    }

    /// Time at which a receiver has the last segment, which begins at `begin`, `apart` after the
    /// segment before it.
    fn received(&self, begin: Time, apart: Time) -> Time {
        let end = begin + self.last.alone;
        if self.full_count == 0 {
            return end;
        }
        end.max(begin + self.full.alone - apart + self.last.costs.overhead)
    }
}

impl PortMessage {
    /// S: interval between two steps.
    fn step(&self) -> Time {
        self.alone.max(self.costs.interval)
    }
}

fn binomial(case: &PortCase<'_>) -> SimTotals {
    let segments = case.segments();
    let message = segments.last;
    let (interval, alone) = (message.costs.interval, message.alone);
    let full = |levels: u32| alone + message.step() * u64::from(levels - 1);
    // Visits the nested trees of Q ranks, from the root down.
    let (mut time, mut before, mut size) = (Time::ZERO, Time::ZERO, case.procs.get());
    while size > 1 {
        let levels = (size - 1).ilog2();
        if levels > 0 {
            time = time.max(before + interval + full(levels));
        }
        before += alone;
        size -= 1 << levels;
    }
    segments.sent(case.partners(), time.max(before))
}

fn flat_totals(case: &PortCase<'_>) -> SimTotals {
    let (segments, partners) = (case.segments(), case.partners());
    let [whole, last] = [&segments.full, &segments.last].map(|message| message.costs.interval);
    let apart = whole + last * (partners - 1);
    let begin = whole * partners.saturating_mul(segments.full_count) + last * (partners - 1);
    segments.sent(partners, segments.received(begin, apart))
}

fn pipeline(case: &PortCase<'_>) -> Option<SimTotals> {
    let (segments, partners) = (case.segments(), case.partners());
    let PortSegments { full_count, full, last } = &segments;
    let PortCosts { overhead, interval, .. } = full.costs;
    let is_in_turn = interval >= overhead * 2 && interval > overhead + (full.costs.body - last.costs.body);
    let is_exact = *full_count == 0 || partners == 1 || overhead == Time::ZERO || is_in_turn;
    let begin = full.alone.max(last.alone) * (partners - 1) + interval * *full_count;
    is_exact.then(|| segments.sent(partners, segments.received(begin, interval)))
}

fn pairwise(case: &PortCase<'_>) -> SimTotals {
    let (segments, partners) = (case.segments(), case.partners());
    let PortSegments { full_count, full, last } = &segments;
    let full_steps = full.step() * full_count.saturating_mul(partners);
    let time = full_steps + last.step() * (partners - 1) + last.alone;
    segments.sent(case.pairs(), time)
}

fn direct(case: &PortCase<'_>) -> Option<SimTotals> {
    let segments = case.segments();
    let message = segments.last;
    let further = case.partners() - 1;
    let time = message.costs.interval * further + message.alone;
    let delay = processor_delay(message, further)?;
    Some(segments.sent(case.pairs(), time + delay))
}

/// Delay that receives cause to the last of `further` sends after the first one.
fn processor_delay(message: PortMessage, further: u64) -> Option<Time> {
    let PortCosts {
        overhead,
        interval,
        body,
    } = message.costs;
    let first_receive = message.alone - overhead;
    if overhead == Time::ZERO || first_receive >= interval * further + overhead {
        return Some(Time::ZERO);
    }
    let idle = interval - overhead;
    let (intervals, phase) = (first_receive.0 / interval.0, first_receive.0 % interval.0);
    if interval < overhead * 2 || phase == 0 && body >= idle {
        return None;
    }
    Some((Time(phase) - idle) * (further / (intervals + 1)))
}

fn direct_unrotated(case: &PortCase<'_>) -> Option<SimTotals> {
    let segments = case.segments();
    let message = segments.last;
    let further = case.partners() - 1;
    let time = message.costs.interval * (2 * further) + message.alone;
    let is_exact = message.costs.overhead == Time::ZERO || further == 0;
    is_exact.then(|| segments.sent(case.pairs(), time))
}

#[cfg(test)]
mod tests;
