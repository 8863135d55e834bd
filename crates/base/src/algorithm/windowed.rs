//! All-to-all in segments, with a few partners at a time.
//!
//! In step t a rank sends to i xor t for powers of two, else to i+t, and receives from i−t. The steps come in the order
//! h, 1, h+1, 2, h+2, …, h = ⌈n/2⌉. On a tree of two switches with consecutive ranks, as many messages cross the link
//! in step t as stay on one side in step h+t. So the link is busy throughout. (In the order 1, 2, 3, … it is idle at
//! both ends and overloaded in between: all ranks wait for it.)
//!
//! The partners are served in groups of w, the window. A group's messages are cut into segments of q bytes, and the
//! first segment of each partner of the group precedes the second of any. At most w exchanges of a segment are in
//! progress; the next one begins when a segment has been sent and one has come. So each port stores about w·q bytes,
//! at most (n−1)·w·q, and exchanges with other partners fill the wait for one. Segments below the eager limit need no
//! permission.
//!
//! Where pieces differ in size, the executor leaves empty messages out and limits receives and sends separately.
//!
//! # Source
//! netsig. Order and pace against overflow: Kutzner et al. 2007 (J. Comput. Chem. 28).

use std::num::NonZeroU32;

use super::alltoall::copy_to_output;
use super::phases::partners;
use super::setting::{SHORT_SEGMENT, WINDOW};
use super::traffic::AlgorithmTraffic;
use super::{AlgorithmEntry, Collective, PieceCut, RoundFunctions, ScheduleOutline, ScheduleShape};
use crate::schedule::{BlockSlot, InFlightLimit, Round, RoundMessages, RuleInputs, ScheduleMessage};
use crate::units::Rank;

pub(super) const WINDOWED: AlgorithmEntry = AlgorithmEntry {
    name: "windowed",
    collective: Collective::Alltoall,
    summary: "segments to WINDOW partners in turn, as many exchanges in progress",
    settings: &[SHORT_SEGMENT, WINDOW],
    cut: PieceCut::StraightSegments,
    rounds: &RoundFunctions(outline, round),
    traffic: Some(AlgorithmTraffic::AtOnce),
    closed_form: None,
    offered: &[],
};

fn outline(_: ScheduleShape) -> ScheduleOutline {
    ScheduleOutline::without_relays(1)
}

fn round(shape: ScheduleShape, rank: Rank, _: usize) -> Round {
    let (procs, parts) = (shape.procs, shape.parts);
    let window = shape.setting_value(WINDOW);
    let inputs = RuleInputs {
        parts,
        window,
        ..RuleInputs::for_rank(procs, rank)
    };
    let count = (procs.get() - 1).saturating_mul(parts);
    let first_block = rank.0 * parts;
    Round {
        sends: RoundMessages::by_rule(inputs, count, |inputs, number| {
            let (step, part) = step_and_segment(inputs, number);
            let to = partners(inputs.procs, inputs.rank, step).0;
            ScheduleMessage::single(to, BlockSlot::Input(to.0 * inputs.parts + part))
        }),
        receives: RoundMessages::by_rule(inputs, count, |inputs, number| {
            let (step, part) = step_and_segment(inputs, number);
            let from = partners(inputs.procs, inputs.rank, step).1;
            ScheduleMessage::single(from, BlockSlot::Output(from.0 * inputs.parts + part))
        }),
        copies: (first_block..first_block + parts).map(copy_to_output).collect(),
        in_flight: NonZeroU32::new(window).map_or(InFlightLimit::Unlimited, InFlightLimit::Exchanges),
        ..Round::default()
    }
}

/// The step at this place of the order, from 0, among n ranks.
fn step(place: u32, n: u32) -> u32 {
    if place.is_multiple_of(2) {
        n.div_ceil(2) + place / 2
    } else {
        place.div_ceil(2)
    }
}

/// Step, from 1, and segment of message `number`: groups of `window` partners, in each of which
/// the segments take turns.
fn step_and_segment(inputs: RuleInputs, number: u32) -> (u32, u32) {
    let RuleInputs {
        procs, parts, window, ..
    } = inputs;
    let partners = procs.get() - 1;
    let group = number / window.saturating_mul(parts);
    let first = group * window;
    let width = window.min(partners - first);
    let within = number - first * parts;
    (step(first + within % width, procs.get()), within / width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Procs;

    /// Messages that cross the link between two halves, in pairs of neighbouring steps: as many in
    /// each pair.
    #[test]
    fn neighbouring_steps_load_a_link_between_halves_evenly() {
        for n in [6u32, 8, 12, 16, 20] {
            let steps: Vec<u32> = (0..n - 1).map(|place| step(place, n)).collect();
            let crossing = |step: u32| {
                let n = Procs::new(n).unwrap();
                let half = n.get() / 2;
                let crosses = |rank: &u32| (partners(n, Rank(*rank), step).0.0 < half) != (*rank < half);
                (0..half).filter(crosses).count()
            };
            let pairs = steps[1..].chunks(2).filter(|pair| pair.len() == 2);
            let loads = pairs.map(|pair| crossing(pair[0]) + crossing(pair[1]));
            assert!(
                loads.clone().all(|load| load == n as usize / 2),
                "{n}: {:?}",
                loads.collect::<Vec<_>>()
            );
        }
    }
}
