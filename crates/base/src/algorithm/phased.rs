//! All-to-all in phases that load no link between switches beyond its rate ([`Phases`]), each message
//! in segments.
//!
//! A rank begins a phase when it has sent and received its messages of the phase before. One that
//! receives nothing in a phase awaits an empty message at its end from one that sends nothing: this
//! light synchronisation keeps the phases apart. Without known links between switches the phases are
//! the steps of pairwise exchange.
//!
//! # Source
//! Faraj and Yuan 2005 (IPDPS); segments and signals are netsig's.

use std::ops::Range;

use smallvec::SmallVec;

use super::alltoall::{keep, partners};
use super::setting::SHORT_SEGMENT;
use super::traffic::Traffic;
use super::{Collective, Cut, Entry, Outline, Rounds, Shape};
use crate::schedule::{Message, Round, Slot};
use crate::units::Rank;

pub(super) const PHASED: Entry = Entry {
    name: "phased",
    collective: Collective::Alltoall,
    summary: "phases that load no link between switches beyond its rate, one segment after the other",
    settings: &[SHORT_SEGMENT],
    cut: Cut::StraightSegments,
    rounds: &Phased,
    traffic: Some(Traffic::Phases),
    closed_form: None,
    library: &[],
};

#[derive(Debug)]
struct Phased;

impl Rounds for Phased {
    fn outline(&self, shape: Shape) -> Outline {
        let parts = shape.parts as usize;
        Outline::without_relays(match shape.phases {
            Some(phases) => phases.count().saturating_mul(parts + 1),
            None if shape.procs.get() == 1 => 1,
            None => (shape.procs.get() as usize - 1).saturating_mul(parts),
        })
    }

    fn round(&self, shape: Shape, rank: Rank, index: usize) -> Round {
        let parts = shape.parts as usize;
        let rounds = parts + usize::from(shape.phases.is_some());
        let (phase, within) = (index / rounds, index % rounds);
        let (to, from) = turn(shape, rank, phase);
        let copies = if index == 0 {
            let own = rank.0 * shape.parts;
            (own..own + shape.parts).map(keep).collect()
        } else {
            SmallVec::default()
        };
        if within == parts {
            let (to, from) = shape.phases.map_or((None, None), |phases| phases.signal(phase, rank));
            return Round {
                sends: to.map(|to| Message::of(to, [])).into(),
                receives: from.map(|from| Message::of(from, [])).into(),
                ..Round::default()
            };
        }
        let part = u32::try_from(within).expect("less than the number of parts");
        let block = |of: Rank| of.0 * shape.parts + part;
        Round {
            sends: to.map(|to| Message::single(to, Slot::Input(block(to)))).into(),
            receives: from.map(|from| Message::single(from, Slot::Output(block(from)))).into(),
            copies,
            ..Round::default()
        }
    }

    fn active(&self, shape: Shape, _: Rank) -> Range<usize> {
        0..self.outline(shape).rounds
    }
}

/// Receiver and sender of a rank in a phase.
fn turn(shape: Shape, rank: Rank, phase: usize) -> (Option<Rank>, Option<Rank>) {
    match shape.phases {
        Some(phases) => (phases.receiver(phase, rank), phases.sender(phase, rank)),
        None if shape.procs.get() == 1 => (None, None),
        None => {
            let step = u32::try_from(phase + 1).expect("fewer steps than ranks");
            let (to, from) = partners(shape.procs, rank, step);
            (Some(to), Some(from))
        }
    }
}
