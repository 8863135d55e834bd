//! Two-level barrier: each cluster signals to its head over the binomial tree, the heads signal to each other by
//! dissemination, and each head signals to its cluster.

use super::super::barrier::signal;
use super::super::tree::BINOMIAL;
use super::super::{
    AlgorithmEntry, AlgorithmTraffic, Collective, PieceCut, RoundFunctions, ScheduleOutline, ScheduleShape,
};
use crate::schedule::{Round, RoundMessages};
use crate::units::Rank;

pub(in crate::algorithm) const BARRIER: AlgorithmEntry = AlgorithmEntry {
    name: "two-level",
    collective: Collective::Barrier,
    summary: "clusters: to their heads, dissemination between these, and back",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &RoundFunctions(outline, round),
    traffic: Some(AlgorithmTraffic::Clusters),
    closed_form: None,
    offered: &[],
};

/// Rounds of the dissemination between the heads.
fn rounds_between(clusters: usize) -> usize {
    clusters.next_power_of_two().ilog2() as usize
}

fn outline(shape: ScheduleShape) -> ScheduleOutline {
    let layout = shape.required_layout();
    let inside = layout.tree_rounds(0).unwrap_or(0);
    ScheduleOutline {
        longest_message: 0,
        ..ScheduleOutline::without_relays(2 * inside + rounds_between(layout.clusters()))
    }
}

fn round(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let layout = shape.required_layout();
    let (cluster, size, number) = layout.tree_position(rank);
    let (inside, between) = (layout.tree_rounds(0).unwrap_or(0), rounds_between(layout.clusters()));
    let tree_messages = |downwards| {
        let member_signal = |number| signal(layout.cluster_member(cluster, number));
        let children: RoundMessages = BINOMIAL
            .children_in(size, number, downwards)
            .map(member_signal)
            .collect();
        let parent: RoundMessages = BINOMIAL.parent_in(size, number, downwards).map(member_signal).into();
        (children, parent)
    };
    match index.checked_sub(inside) {
        None => {
            let Some(downwards) = BINOMIAL.rounds(size).checked_sub(index + 1) else {
                return Round::default();
            };
            let (receives, sends) = tree_messages(downwards);
            Round {
                sends,
                receives,
                ..Round::default()
            }
        }
        Some(step) if step < between && number == Rank(0) => {
            let (clusters, distance) = (layout.clusters(), 1 << step);
            let head = |places| signal(layout.head((cluster + places) % clusters));
            Round {
                sends: head(distance).into(),
                receives: head(clusters - distance).into(),
                ..Round::default()
            }
        }
        Some(step) if step < between => Round::default(),
        Some(step) => {
            let (sends, receives) = tree_messages(step - between);
            Round {
                sends,
                receives,
                ..Round::default()
            }
        }
    }
}
