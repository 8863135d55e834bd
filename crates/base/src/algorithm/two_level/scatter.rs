//! The scatter and the gather in two levels.

use std::ops::Range;

use crate::algorithm::alltoall::copy_to_output;
use crate::algorithm::scatter::TreeDirection;
use crate::algorithm::traffic::AlgorithmTraffic;
use crate::algorithm::{
    AlgorithmEntry, AlgorithmRounds, ClusterLayout, ClusterRank, Collective, PieceCut, ScheduleOutline, ScheduleShape,
};
use crate::schedule::{BlockSlot, Round, RoundMessages, ScheduleMessage};
use crate::units::Rank;

pub(in crate::algorithm) const SCATTER: AlgorithmEntry = AlgorithmEntry {
    name: "two-level",
    collective: Collective::Scatter,
    summary: "clusters: all pieces of a cluster once to its head, then inside it",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &TwoLevelScatterGather(TreeDirection::Down),
    traffic: Some(AlgorithmTraffic::Clusters),
    closed_form: None,
    offered: &[],
};

pub(in crate::algorithm) const GATHER: AlgorithmEntry = AlgorithmEntry {
    collective: Collective::Gather,
    summary: "clusters: to the head inside each, then all pieces of a cluster once to the root",
    rounds: &TwoLevelScatterGather(TreeDirection::Up),
    ..SCATTER
};

/// A scatter from the root, or a gather to it by the same rounds backwards.
#[derive(Debug)]
struct TwoLevelScatterGather(TreeDirection);

impl AlgorithmRounds for TwoLevelScatterGather {
    fn outline(&self, shape: ScheduleShape) -> ScheduleOutline {
        let largest = largest(shape.required_layout());
        ScheduleOutline {
            rounds: 1 + usize::from(largest > 1),
            scratch: largest - 1,
            buffers: 0,
            longest_message: largest,
        }
    }

    fn round(&self, shape: ScheduleShape, rank: Rank, index: usize) -> Round {
        let (Self(direction), layout) = (self, shape.required_layout());
        let downwards = match direction {
            TreeDirection::Down => index,
            TreeDirection::Up => self.outline(shape).rounds - 1 - index,
        };
        let message = |partner, head, pieces: &[Rank]| {
            let slots = pieces.iter().map(|&of| direction.two_level_slot(layout, head, of));
            ScheduleMessage::of(partner, slots)
        };
        let position = layout.cluster_rank(rank);
        let cluster_members = layout.members(position.cluster);
        let head = layout.head(position.cluster);
        let is_head = position.number == 0;
        let is_first = downwards == 0;
        let mut children = Vec::new();
        if is_first && rank == Rank(0) {
            let others = 1..layout.clusters();
            children.extend(others.map(|other| message(layout.head(other), rank, layout.members(other))));
        }
        if is_head && is_first == (position.cluster == 0) {
            let members = cluster_members[1..].iter();
            children.extend(members.map(|&of| message(of, rank, &[of])));
        }
        let parent_message = match (is_head, position.cluster) {
            (true, 0) => None,
            (true, _) => is_first.then(|| message(Rank(0), rank, cluster_members)),
            (false, cluster_number) => (is_first == (cluster_number == 0)).then(|| message(head, rank, &[rank])),
        };
        let child_messages: RoundMessages = children.into_iter().collect();
        let (sends, receives) = match direction {
            TreeDirection::Down => (child_messages, parent_message.into()),
            TreeDirection::Up => (parent_message.into(), child_messages),
        };
        let keeps_own = index == 0 && rank == Rank(0);
        Round {
            sends,
            receives,
            copies: keeps_own.then(|| copy_to_output(0)).into_iter().collect(),
            ..Round::default()
        }
    }

    fn active_rounds(&self, shape: ScheduleShape, _: Rank) -> Range<usize> {
        0..self.outline(shape).rounds
    }
}

/// Size of the largest cluster other than the root's; 1 if there is none.
fn largest(layout: &ClusterLayout) -> u32 {
    layout.sizes().skip(1).max().unwrap_or(1)
}

impl TreeDirection {
    /// Slot at `rank` of the piece of rank `of`; `rank` is the root, a head or `of` itself.
    fn two_level_slot(self, layout: &ClusterLayout, rank: Rank, of: Rank) -> BlockSlot {
        let ClusterRank { number, .. } = layout.cluster_rank(of);
        match self {
            Self::Down if rank == Rank(0) => BlockSlot::Input(of.0),
            Self::Up if rank == Rank(0) => BlockSlot::Output(of.0),
            Self::Down if rank == of => BlockSlot::Output(0),
            Self::Up if rank == of => BlockSlot::Input(0),
            _ => BlockSlot::Scratch(number - 1),
        }
    }
}
