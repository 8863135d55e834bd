//! All-to-all in segments, with a few partners at a time.
//!
//! In step t a rank sends to i xor t for powers of two, else to i+t, and receives from i−t. The
//! steps come in the order h, 1, h+1, 2, h+2, …, h = ⌈n/2⌉: on a tree of two switches with
//! consecutive ranks, as many messages cross the link between them in step t as stay behind in
//! step h+t, so that the link is busy throughout. (In the order 1, 2, 3, … it is idle at both ends and
//! overloaded in between: all ranks wait for it.)
//!
//! The partners are served in groups of w, the window. A group's messages are cut into segments of
//! q bytes, and the first segment of each partner of the group precedes the second of any. At most w
//! exchanges of a segment are in progress, and the next one begins when a segment has been sent and
//! one has come: so each port has about w·q bytes to store, at most (n−1)·w·q, and the wait for one
//! partner is filled by the others. Segments below the eager limit need no permission.
//!
//! # Source
//! netsig. Order and pace against overflow: Kutzner et al. 2007 (J. Comput. Chem. 28).

use std::num::NonZeroU32;

use super::alltoall::{keep, partners};
use super::setting::{SHORT_SEGMENT, WINDOW};
use super::traffic::Traffic;
use super::{AllRounds, Collective, Cut, Entry, Outline, Shape};
use crate::schedule::{Frame, InFlight, Message, Messages, Round, Slot};
use crate::units::Rank;

pub(super) const WINDOWED: Entry = Entry {
    name: "windowed",
    collective: Collective::Alltoall,
    summary: "segments to WINDOW partners in turn, as many exchanges in progress",
    settings: &[SHORT_SEGMENT, WINDOW],
    cut: Cut::StraightSegments,
    rounds: &AllRounds(outline, round),
    traffic: Some(Traffic::AtOnce),
    closed_form: None,
    library: &[],
};

fn outline(_: Shape) -> Outline {
    Outline::without_relays(1)
}

fn round(shape: Shape, rank: Rank, _: usize) -> Round {
    let (procs, parts) = (shape.procs, shape.parts);
    let window = shape.get(WINDOW);
    let frame = Frame {
        parts,
        window,
        ..Frame::of(procs, rank)
    };
    let count = (procs.get() - 1).saturating_mul(parts);
    let own = rank.0 * parts;
    Round {
        sends: Messages::by_rule(frame, count, |frame, number| {
            let (step, part) = place(frame, number);
            let to = partners(frame.procs, frame.rank, step).0;
            Message::single(to, Slot::Input(to.0 * frame.parts + part))
        }),
        receives: Messages::by_rule(frame, count, |frame, number| {
            let (step, part) = place(frame, number);
            let from = partners(frame.procs, frame.rank, step).1;
            Message::single(from, Slot::Output(from.0 * frame.parts + part))
        }),
        copies: (own..own + parts).map(keep).collect(),
        in_flight: NonZeroU32::new(window).map_or(InFlight::Unlimited, InFlight::Exchanges),
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
fn place(frame: Frame, number: u32) -> (u32, u32) {
    let Frame {
        procs, parts, window, ..
    } = frame;
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
