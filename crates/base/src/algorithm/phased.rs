//! All-to-all in phases that load no link between switches beyond its rate
//! ([`AlltoallPhases`](super::phases::AlltoallPhases)), each message in segments.
//!
//! A rank begins a phase when it has sent and received its messages of the phase before. A rank that receives nothing
//! in a phase awaits at its end an empty message from a rank that sends nothing. This light synchronisation keeps the
//! phases apart. Without known links between switches the phases are the steps of pairwise exchange.
//!
//! # Source
//! Faraj and Yuan 2005 (IPDPS); segments and signals are netsig's.

use std::ops::Range;

use smallvec::SmallVec;

use super::alltoall::copy_to_output;
use super::phases::partners;
use super::setting::SHORT_SEGMENT;
use super::traffic::AlgorithmTraffic;
use super::{AlgorithmEntry, AlgorithmRounds, Collective, PieceCut, ScheduleOutline, ScheduleShape};
use crate::schedule::{BlockSlot, Round, ScheduleMessage};
use crate::units::Rank;

pub(super) const PHASED: AlgorithmEntry = AlgorithmEntry {
    name: "phased",
    collective: Collective::Alltoall,
    summary: "phases that load no link between switches beyond its rate, one segment after the other",
    settings: &[SHORT_SEGMENT],
    cut: PieceCut::StraightSegments,
    rounds: &PhasedRounds,
    traffic: Some(AlgorithmTraffic::Phases),
    closed_form: None,
    offered: &[],
};

#[derive(Debug)]
struct PhasedRounds;

impl AlgorithmRounds for PhasedRounds {
    fn outline(&self, shape: ScheduleShape) -> ScheduleOutline {
        let parts = shape.parts as usize;
        ScheduleOutline::without_relays(match shape.phases {
            Some(phases) => phases.count().saturating_mul(parts + 1),
            None if shape.procs.get() == 1 => 1,
            None => (shape.procs.get() as usize - 1).saturating_mul(parts),
        })
    }

    fn round(&self, shape: ScheduleShape, rank: Rank, index: usize) -> Round {
        let parts = shape.parts as usize;
        let rounds = parts + usize::from(shape.phases.is_some());
        let (phase, within) = (index / rounds, index % rounds);
        let (to, from) = phase_partners(shape, rank, phase);
        let copies = if index == 0 {
            let first_block = rank.0 * shape.parts;
            (first_block..first_block + shape.parts).map(copy_to_output).collect()
        } else {
            SmallVec::default()
        };
        if within == parts {
            let (signal_to, signal_from) = shape.phases.map_or((None, None), |phases| phases.signal(phase, rank));
            return Round {
                sends: signal_to.map(|to| ScheduleMessage::of(to, [])).into(),
                receives: signal_from.map(|from| ScheduleMessage::of(from, [])).into(),
                ..Round::default()
            };
        }
        let part = u32::try_from(within).expect("less than the number of parts");
        let block = |of: Rank| of.0 * shape.parts + part;
        Round {
            sends: to
                .map(|to| ScheduleMessage::single(to, BlockSlot::Input(block(to))))
                .into(),
            receives: from
                .map(|from| ScheduleMessage::single(from, BlockSlot::Output(block(from))))
                .into(),
            copies,
            ..Round::default()
        }
    }

    fn active_rounds(&self, shape: ScheduleShape, _: Rank) -> Range<usize> {
        0..self.outline(shape).rounds
    }
}

/// Receiver and sender of a rank in a phase.
fn phase_partners(shape: ScheduleShape, rank: Rank, phase: usize) -> (Option<Rank>, Option<Rank>) {
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
