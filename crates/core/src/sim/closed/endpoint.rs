//! The network of ports alone: closed forms of collectives whose messages are all of one
//! length, or segments of one message.
//!
//! # Formula
//! P ranks, m bytes per rank and destination; times are whole picoseconds. A message has the
//! overhead o at either processor, keeps a port for I and comes in for b. Alone it takes
//! h = 2·o + L + b. In `LogGP` b = (m − 1)·G and I = max(o, g + b); in pLogP o = 0 and
//! b = I = g(m). k segments are all of length s but the last, with b′, I′ and h′;
//! where there is no other length they are equal.
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
//! * Flat: messages leave the root I apart, or come in so at the root, where all of them
//!   arrive at once; the last of them takes h.
//! * Binomial: a tree of P = 2ˣ + Q ranks, 1 ≤ Q ≤ 2ˣ, is a root that first serves the root
//!   of a tree of Q ranks and then, I later, is the root of a full tree of 2ˣ:
//!   B(P) = max(h + B(Q), I + F(x)), where the second is left out for x = 0, and B(1) = 0.
//!   In a full tree the longest way either goes down a level or waits for the next child,
//!   each x − 1 times, and goes down once: F(x) = h + (x − 1)·max(h, I).
//! * Segments: a receiver may still be busy with the segment before when the last, much
//!   shorter one comes in. If that began e earlier, the last is received h + o − e after its
//!   begin where this is more than h′: read max(h′, h + o − e) for the h′ at the end.
//! * Pipeline: each rank begins with a segment when it has received it, and I after the one
//!   before: segment i leaves rank d at d·h + i·I. If the last takes longer than the others,
//!   as g(m) may fall, it loses the difference at each rank.
//! * Pairwise and ring: all ranks are in step; a step lasts until its message is received and
//!   the port is free for the next.
//! * Direct: each rank sends at every I and receives, from D = o + L + b on, at every I.
//!   Limits on what is in flight play no part: a send is complete before the next may begin.
//! * Direct without rotation: the last rank is the last for all others. Its P − 1 messages
//!   leave at the same time, (P − 2)·I, and come in I apart.
//!
//! The processor's delay: let D = q·I + φ, 0 ≤ φ < I, and I ≥ 2·o. A receive that begins
//! during a send waits for its end and is done before the next send. One that is not done
//! when a send is due, φ > I − o, puts it off by δ = φ + o − I. Then later sends follow I
//! apart, each just when a receive ends, until the messages come that were sent after the
//! delay: they are late themselves and put off a send again. So a delay comes with each
//! q + 1 messages: δ·⌊(P − 2)/(q + 1)⌋ in all.
//!
//! # Domain
//! Any P and m; P = 1 takes no time. No closed form is given for
//! * direct exchange where I < 2·o, unless D ≥ (P − 2)·I + o, so that all is sent when the
//!   first message is there; and where φ = 0 and b ≥ I − o, so that a send and a receive are
//!   due at once and the receive is known before;
//! * direct exchange without rotation, if o > 0 and P > 2;
//! * a pipeline through P > 2 ranks of more than one segment, if o > 0 and either I < 2·o or
//!   I ≤ o + b − b′, so that receives put off sends;
//! * all other algorithms.
//!
//! # Source
//! The costs are those of the network of ports; the forms are netsig's. With pLogP those of
//! flat, chain and direct are in Barchet-Steffenel and Mounié 2005 (`RenPar`) Tab. 1 and
//! Tab. 3, and those of the two orders of an all-to-all in Nomura, Matsuba, Ishikawa 2007.
//!
//! ```
//! # use netsig_core::algorithm::{Algorithm, Collective};
//! # use netsig_core::model::plogp::{PLogP, Parameters};
//! # use netsig_core::units::table::Table;
//! # use netsig_core::sim::{Time, closed, network::endpoint::Ports};
//! # use netsig_core::units::{Bytes, Procs, Seconds};
//! // L = 50 µs and g(m) = 10 µs + 10 ns · m.
//! # let line = |at_zero, at_16_mib| {
//! #     Table::new("g", vec![(Bytes(0), Seconds(at_zero)), (Bytes(1 << 24), Seconds(at_16_mib))])
//! # };
//! # let ports = Ports::PLogP(PLogP::new(Parameters {
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

use super::Totals;
use crate::algorithm::{Algorithm, ClosedForm};
use crate::sim::network::endpoint::{Costs, Ports};
use crate::sim::time::Time;
use crate::units::{Bytes, Procs};

/// What an algorithm does on a network.
struct Case<'a> {
    algorithm: Algorithm,
    procs: Procs,
    size: Bytes,
    ports: &'a Ports,
}

/// A message.
#[derive(Clone, Copy)]
struct Message {
    bytes: u64,
    costs: Costs,
    /// h: how long it takes alone.
    alone: Time,
}

/// The segments of a message; one that is not cut is a last one alone.
struct Segments {
    /// Those before the last one.
    before: u64,
    /// Each of those.
    whole: Message,
    last: Message,
}

/// What `algorithm` among `procs` with pieces of `size` takes on the network of `ports`, if
/// that is known without a simulation.
pub fn endpoint(algorithm: Algorithm, procs: Procs, size: Bytes, ports: &Ports) -> Option<Totals> {
    let form = algorithm.closed_form()?;
    if procs.get() == 1 {
        return Some(Totals::default());
    }
    let case = Case {
        algorithm,
        procs,
        size,
        ports,
    };
    match form {
        ClosedForm::Flat | ClosedForm::FlatSegmented => Some(flat(&case)),
        ClosedForm::Chain | ClosedForm::Pipeline => pipeline(&case),
        ClosedForm::Binomial => Some(binomial(&case)),
        ClosedForm::ChainOfParts
        | ClosedForm::Binary
        | ClosedForm::BinomialSegmented
        | ClosedForm::BinomialOfParts => None,
        ClosedForm::Steps | ClosedForm::Pairwise => Some(pairwise(&case)),
        ClosedForm::Direct | ClosedForm::SendsInTurn => direct(&case),
        ClosedForm::DirectUnrotated => direct_unrotated(&case),
    }
}

impl Case<'_> {
    /// P − 1.
    fn partners(&self) -> u64 {
        u64::from(self.procs.get() - 1)
    }

    /// P·(P − 1).
    fn pairs(&self) -> u64 {
        u64::from(self.procs.get()) * self.partners()
    }

    fn message(&self, bytes: u64) -> Message {
        let costs = self.ports.costs(bytes);
        Message {
            bytes,
            costs,
            alone: costs.overhead + self.ports.latency() + costs.body + costs.overhead,
        }
    }

    fn segments(&self) -> Segments {
        let schedule = self.algorithm.schedule(self.procs, self.size);
        let division = schedule.extent().division;
        let last = division.parts() - 1;
        Segments {
            before: last.into(),
            whole: self.message(division.bytes(0)),
            last: self.message(division.bytes(last)),
        }
    }
}

impl Segments {
    /// `times` all segments.
    fn sent(&self, times: u64, time: Time) -> Totals {
        let [before, whole, last] =
            [self.before, self.whole.bytes, self.last.bytes].map(u128::from);
        Totals {
            time,
            messages: (self.before + 1).saturating_mul(times),
            bytes: (before * whole + last).saturating_mul(times.into()),
            losses: 0,
        }
    }

    /// When a receiver has the last segment, which began at `begin`, and before that the one
    /// which began `apart` earlier.
    fn received(&self, begin: Time, apart: Time) -> Time {
        let end = begin + self.last.alone;
        if self.before == 0 {
            return end;
        }
        end.max(begin + self.whole.alone - apart + self.last.costs.overhead)
    }
}

impl Message {
    /// S: from one step to the next.
    fn step(&self) -> Time {
        self.alone.max(self.costs.interval)
    }
}

fn binomial(case: &Case<'_>) -> Totals {
    let segments = case.segments();
    let message = segments.last;
    let (interval, alone) = (message.costs.interval, message.alone);
    let full = |levels: u32| alone + message.step() * u64::from(levels - 1);
    // The trees within trees along the ranks with the most digits, from the root down.
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

fn flat(case: &Case<'_>) -> Totals {
    let (segments, partners) = (case.segments(), case.partners());
    let [whole, last] = [&segments.whole, &segments.last].map(|message| message.costs.interval);
    let apart = whole + last * (partners - 1);
    let begin = whole * partners.saturating_mul(segments.before) + last * (partners - 1);
    segments.sent(partners, segments.received(begin, apart))
}

fn pipeline(case: &Case<'_>) -> Option<Totals> {
    let (segments, partners) = (case.segments(), case.partners());
    let Segments {
        before,
        whole,
        last,
    } = &segments;
    let Costs {
        overhead, interval, ..
    } = whole.costs;
    let is_in_turn =
        interval >= overhead * 2 && interval > overhead + (whole.costs.body - last.costs.body);
    let is_exact = *before == 0 || partners == 1 || overhead == Time::ZERO || is_in_turn;
    let begin = whole.alone.max(last.alone) * (partners - 1) + interval * *before;
    is_exact.then(|| segments.sent(partners, segments.received(begin, interval)))
}

fn pairwise(case: &Case<'_>) -> Totals {
    let (segments, partners) = (case.segments(), case.partners());
    let Segments {
        before,
        whole,
        last,
    } = &segments;
    let time =
        whole.step() * before.saturating_mul(partners) + last.step() * (partners - 1) + last.alone;
    segments.sent(case.pairs(), time)
}

fn direct(case: &Case<'_>) -> Option<Totals> {
    let segments = case.segments();
    let message = segments.last;
    let further = case.partners() - 1;
    let time = message.costs.interval * further + message.alone;
    let delay = processor_delay(message, further)?;
    Some(segments.sent(case.pairs(), time + delay))
}

/// By how much receives put off the last of `further` sends that follow a first one.
fn processor_delay(message: Message, further: u64) -> Option<Time> {
    let Costs {
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

fn direct_unrotated(case: &Case<'_>) -> Option<Totals> {
    let segments = case.segments();
    let message = segments.last;
    let further = case.partners() - 1;
    let time = message.costs.interval * (2 * further) + message.alone;
    let is_exact = message.costs.overhead == Time::ZERO || further == 0;
    is_exact.then(|| segments.sent(case.pairs(), time))
}

#[cfg(test)]
mod tests;
