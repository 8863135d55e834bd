//! All-to-all algorithms: block `j` of rank `i` ends as block `i` of rank `j`.
//!
//! Direct exchange is Alg. 1 of Steffenel 2006 (INRIA report): in step t = 1 … n−1
//! rank i sends to i+t and receives from i−t (modulo n), all steps at once. Without
//! the rotation every rank starts with rank 0, as LAM 6.5.2 did.
//!
//! The pairwise exchange meets one partner at a time; its segmented form cuts what it
//! exchanges with a partner into segments, one round each.

use super::parameter::{SEGMENT, WINDOW};
use super::{Collective, Cut, Entry, Outline, Shape};
use crate::schedule::{Copy, InFlight, Receive, Round, Send, Slot};
use crate::units::Rank;

pub(super) const DIRECT: Entry = Entry {
    name: "direct",
    collective: Collective::Alltoall,
    summary: "direct exchange: all messages at once, each rank starting with its successor",
    parameter: None,
    cut: Cut::Whole,
    outline: one_round,
    round: direct,
};

pub(super) const DIRECT_UNROTATED: Entry = Entry {
    name: "direct-unrotated",
    collective: Collective::Alltoall,
    summary: "direct exchange in rank order: all messages at once, every rank starting with rank 0",
    parameter: None,
    cut: Cut::Whole,
    outline: one_round,
    round: direct_unrotated,
};

pub(super) const PAIRWISE: Entry = Entry {
    name: "pairwise",
    collective: Collective::Alltoall,
    summary: "n-1 synchronised rounds of one exchange: i xor t for powers of two, else i+t and i-t",
    parameter: None,
    cut: Cut::Whole,
    outline: pairwise_outline,
    round: pairwise,
};

pub(super) const PAIRWISE_SEGMENTED: Entry = Entry {
    name: "pairwise-segmented",
    collective: Collective::Alltoall,
    summary: "pairwise, each exchange one segment after the other",
    parameter: Some(SEGMENT),
    cut: Cut::Segments,
    outline: pairwise_outline,
    round: pairwise,
};

pub(super) const THROTTLED: Entry = Entry {
    name: "throttled",
    collective: Collective::Alltoall,
    summary: "direct exchange with at most WINDOW sends and WINDOW receives in progress",
    parameter: Some(WINDOW),
    cut: Cut::Whole,
    outline: one_round,
    round: throttled,
};

fn one_round(_: Shape) -> Outline {
    Outline::without_relays(1)
}

fn direct(shape: Shape, rank: Rank, _: usize) -> Round {
    let procs = shape.procs;
    let distances = 1..procs.get();
    Round {
        sends: distances
            .clone()
            .map(|t| send(rank.ahead(t, procs)))
            .collect(),
        receives: distances.map(|t| receive(rank.behind(t, procs))).collect(),
        copies: vec![keep(rank.0)],
        ..Round::default()
    }
}

fn direct_unrotated(shape: Shape, rank: Rank, _: usize) -> Round {
    let others = || shape.procs.ranks().filter(|&other| other != rank);
    Round {
        sends: others().map(send).collect(),
        receives: others().map(receive).collect(),
        copies: vec![keep(rank.0)],
        ..Round::default()
    }
}

fn throttled(shape: Shape, rank: Rank, index: usize) -> Round {
    Round {
        in_flight: shape
            .parameter
            .map_or(InFlight::Unlimited, InFlight::AtMost),
        ..direct(shape, rank, index)
    }
}

/// At least one round for each segment, so that a lone rank still copies its block.
fn pairwise_outline(shape: Shape) -> Outline {
    let steps = (shape.procs.get() - 1).max(1) as usize;
    Outline::without_relays(steps.saturating_mul(shape.parts as usize))
}

/// One segment: all of those for one partner come before any for the next.
fn pairwise(shape: Shape, rank: Rank, index: usize) -> Round {
    let (procs, parts) = (shape.procs, shape.parts as usize);
    let step = u32::try_from(index / parts + 1).expect("fewer steps than ranks");
    let part = u32::try_from(index % parts).expect("less than the number of parts");
    let (to, from) = if procs.get() == 1 {
        (None, None)
    } else if procs.get().is_power_of_two() {
        (Some(Rank(rank.0 ^ step)), Some(Rank(rank.0 ^ step)))
    } else {
        (
            Some(rank.ahead(step, procs)),
            Some(rank.behind(step, procs)),
        )
    };
    let block = |of: Rank| of.0 * shape.parts + part;
    let sends = to.map(|to| Send {
        to,
        slots: vec![Slot::Input(block(to))],
    });
    let receives = from.map(|from| Receive {
        from,
        slots: vec![Slot::Output(block(from))],
    });
    Round {
        sends: sends.into_iter().collect(),
        receives: receives.into_iter().collect(),
        copies: (step == 1).then(|| keep(block(rank))).into_iter().collect(),
        ..Round::default()
    }
}

fn send(to: Rank) -> Send {
    Send {
        to,
        slots: vec![Slot::Input(to.0)],
    }
}

fn receive(from: Rank) -> Receive {
    Receive {
        from,
        slots: vec![Slot::Output(from.0)],
    }
}

/// Block `index` from where the caller put it to where the caller gets it.
pub(super) fn keep(index: u32) -> Copy {
    Copy {
        from: Slot::Input(index),
        to: Slot::Output(index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collective::Algorithm;
    use crate::units::{Bytes, Procs};

    fn partners(round: fn(Shape, Rank, usize) -> Round, procs: u32, rank: u32) -> Vec<u32> {
        let shape = Shape {
            procs: Procs::new(procs).unwrap(),
            parts: 1,
            parameter: None,
        };
        round(shape, Rank(rank), 0)
            .sends
            .iter()
            .map(|send| send.to.0)
            .collect()
    }

    #[test]
    fn rotation_spreads_the_first_targets() {
        assert_eq!(partners(direct, 5, 2), [3, 4, 0, 1]);
        assert_eq!(partners(direct_unrotated, 5, 2), [0, 1, 3, 4]);
    }

    #[test]
    fn segments_are_exchanged_with_one_partner_after_the_other() {
        let text = "pairwise-segmented:10";
        let algorithm = Algorithm::parse(Collective::Alltoall, text).unwrap();
        let procs = Procs::new(3).unwrap();
        let exchanges: Vec<_> = (0..algorithm.extent(procs, Bytes(25)).rounds)
            .map(|index| algorithm.round(procs, Bytes(25), Rank(2), index))
            .map(|round| (round.sends[0].to.0, round.sends[0].slots[0].index()))
            .collect();
        assert_eq!(exchanges, [(0, 0), (0, 1), (0, 2), (1, 3), (1, 4), (1, 5)]);
    }

    #[test]
    fn pairwise_meets_one_partner_a_round() {
        assert_eq!(partners(pairwise, 8, 5), [4]);
        assert_eq!(partners(pairwise, 6, 5), [0]);
    }
}
