//! All-to-all algorithms: block `j` of rank `i` ends as block `i` of rank `j`.
//!
//! Direct exchange is Alg. 1 of Steffenel 2006 (INRIA report): in step t = 1 … n−1
//! rank i sends to i+t and receives from i−t (modulo n), all steps at once. Without
//! the rotation every rank starts with rank 0, as LAM 6.5.2 did.

use super::{Collective, Entry, Shape};
use crate::schedule::{BlockCounts, Copy, Extent, InFlight, Receive, Round, Send, Slot};
use crate::units::Rank;

pub(super) const DIRECT: Entry = Entry {
    name: "direct",
    collective: Collective::Alltoall,
    summary: "direct exchange: all messages at once, each rank starting with its successor",
    parameter: None,
    extent: one_round,
    round: direct,
};

pub(super) const DIRECT_UNROTATED: Entry = Entry {
    name: "direct-unrotated",
    collective: Collective::Alltoall,
    summary: "direct exchange in rank order: all messages at once, every rank starting with rank 0",
    parameter: None,
    extent: one_round,
    round: direct_unrotated,
};

pub(super) const PAIRWISE: Entry = Entry {
    name: "pairwise",
    collective: Collective::Alltoall,
    summary: "n-1 synchronised rounds of one exchange: i xor t for powers of two, else i+t and i-t",
    parameter: None,
    extent: pairwise_extent,
    round: pairwise,
};

pub(super) const THROTTLED: Entry = Entry {
    name: "throttled",
    collective: Collective::Alltoall,
    summary: "direct exchange with at most WINDOW sends and WINDOW receives in progress",
    parameter: Some("WINDOW"),
    extent: one_round,
    round: throttled,
};

/// Of all-to-all in so many rounds, with one block a message.
pub(super) fn extent(shape: Shape, rounds: usize) -> Extent {
    let procs = shape.procs;
    Extent {
        procs,
        rounds,
        blocks: BlockCounts {
            input: procs.get(),
            output: procs.get(),
            scratch: 0,
        },
        longest_message: 1,
    }
}

fn one_round(shape: Shape) -> Extent {
    extent(shape, 1)
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
        copies: vec![keep_own(rank)],
        in_flight: InFlight::Unlimited,
    }
}

fn direct_unrotated(shape: Shape, rank: Rank, _: usize) -> Round {
    let others = || shape.procs.ranks().filter(|&other| other != rank);
    Round {
        sends: others().map(send).collect(),
        receives: others().map(receive).collect(),
        copies: vec![keep_own(rank)],
        in_flight: InFlight::Unlimited,
    }
}

fn throttled(shape: Shape, rank: Rank, index: usize) -> Round {
    let in_flight = shape
        .parameter
        .map_or(InFlight::Unlimited, InFlight::AtMost);
    Round {
        in_flight,
        ..direct(shape, rank, index)
    }
}

/// At least one round, so that a lone rank still copies its block.
fn pairwise_extent(shape: Shape) -> Extent {
    extent(shape, (shape.procs.get() - 1).max(1) as usize)
}

fn pairwise(shape: Shape, rank: Rank, index: usize) -> Round {
    let procs = shape.procs;
    let step = u32::try_from(index + 1).expect("fewer rounds than ranks");
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
    Round {
        sends: to.map(send).into_iter().collect(),
        receives: from.map(receive).into_iter().collect(),
        copies: (index == 0).then(|| keep_own(rank)).into_iter().collect(),
        in_flight: InFlight::Unlimited,
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

pub(super) fn keep_own(rank: Rank) -> Copy {
    Copy {
        from: Slot::Input(rank.0),
        to: Slot::Output(rank.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Procs;

    fn partners(round: fn(Shape, Rank, usize) -> Round, procs: u32, rank: u32) -> Vec<u32> {
        let shape = Shape {
            procs: Procs::new(procs).unwrap(),
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
    fn pairwise_meets_one_partner_a_round() {
        assert_eq!(partners(pairwise, 8, 5), [4]);
        assert_eq!(partners(pairwise, 6, 5), [0]);
    }
}
