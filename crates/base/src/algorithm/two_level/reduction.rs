//! Two-level reductions. Each cluster combines the vectors of its ranks over the binomial tree to its head; the heads go on
//! among themselves; a binomial tree or direct messages bring the result to the ranks. The operation must commute.
//!
//! * Reduce: the heads combine over the binomial tree of the clusters. The root is the head of its cluster.
//! * All-reduce: the heads run Rabenseifner's algorithm, and each hands the result to its cluster.
//! * Reduce-scatter: each head sends every other head the blocks of that cluster, combines those of its own cluster, and
//!   sends each of its ranks its block.

use super::super::reduction::rabenseifner::HeadExchange;
use super::super::reduction::tree::TreeOperands;
use super::super::tree::BINOMIAL;
use super::super::{
    AlgorithmEntry, AlgorithmTraffic, ClusterLayout, Collective, CombiningRounds, PieceCut, ScheduleOutline,
    ScheduleShape,
};
use crate::schedule::{BlockCombination, BlockCopy, BlockSlot, OperandOrder, Round, ScheduleMessage};
use crate::units::{Procs, Rank};

pub(in crate::algorithm) const REDUCE: AlgorithmEntry = AlgorithmEntry {
    name: "two-level",
    collective: Collective::Reduce,
    summary: "clusters: inside each to its head, then between the heads",
    settings: &[],
    cut: PieceCut::Whole,
    rounds: &CombiningRounds(OperandOrder::Any, reduce_outline, reduce),
    traffic: Some(AlgorithmTraffic::Clusters),
    closed_form: None,
    offered: &[],
};

pub(in crate::algorithm) const ALLREDUCE: AlgorithmEntry = AlgorithmEntry {
    collective: Collective::Allreduce,
    summary: "clusters: to their heads, rabenseifner between these, and back",
    cut: PieceCut::ClusterHalves,
    rounds: &CombiningRounds(OperandOrder::Any, allreduce_outline, allreduce),
    ..REDUCE
};

pub(in crate::algorithm) const REDUCE_SCATTER: AlgorithmEntry = AlgorithmEntry {
    collective: Collective::ReduceScatter,
    summary: "clusters: to their heads, blocks between these, and to the ranks",
    cut: PieceCut::RankElements,
    rounds: &CombiningRounds(OperandOrder::Any, scatter_outline, scatter),
    ..REDUCE
};

pub(in crate::algorithm) const REDUCE_SCATTER_BLOCK: AlgorithmEntry = AlgorithmEntry {
    collective: Collective::ReduceScatterBlock,
    ..REDUCE_SCATTER
};

/// A rank in its cluster, with its part of the tree inside.
struct ClusterNode<'a> {
    layout: &'a ClusterLayout,
    cluster: usize,
    size: Procs,
    number: Rank,
    parts: u32,
}

impl<'a> ClusterNode<'a> {
    fn new(shape: ScheduleShape<'a>, rank: Rank) -> Self {
        let layout = shape.required_layout();
        let (cluster, size, number) = layout.tree_position(rank);
        Self {
            layout,
            cluster,
            size,
            number,
            parts: shape.parts,
        }
    }

    /// Rounds until all heads have combined the vectors of their clusters.
    fn rounds_to_heads(&self) -> usize {
        rounds_to_heads(self.layout)
    }

    fn is_head(&self) -> bool {
        self.number == Rank(0)
    }

    /// True if the rank's own operand is still its input when the heads go on.
    fn is_input(&self) -> bool {
        self.size.get() == 1
    }

    /// Round `index` of the tree inside the cluster.
    fn to_head(&self, index: usize, held: &dyn Fn(u32) -> BlockSlot, arrival: &dyn Fn(u32) -> BlockSlot) -> Round {
        let parts: Vec<u32> = (0..self.parts).collect();
        let operands = TreeOperands {
            tree: BINOMIAL,
            procs: self.size,
            number: self.number,
            parts: &parts,
            is_input: true,
            held,
            arrival: &|_, part| arrival(part),
        };
        let inside = |number| self.layout.cluster_member(self.cluster, number);
        operands.round(index).with_partners(inside)
    }

    fn head_of(&self) -> impl Fn(Rank) -> Rank {
        |cluster| self.layout.head(cluster.0 as usize)
    }
}

fn rounds_to_heads(layout: &ClusterLayout) -> usize {
    layout.tree_rounds(0).unwrap_or(0)
}

fn clusters(layout: &ClusterLayout) -> Procs {
    let count = u32::try_from(layout.clusters()).ok();
    count
        .and_then(|count| Procs::new(count).ok())
        .expect("a layout has clusters")
}

fn cluster_number(cluster: usize) -> Rank {
    Rank(u32::try_from(cluster).expect("fewer clusters than ranks"))
}

/// Copies of the input of a lone rank, or of a rank that is alone in its cluster.
fn input_copies(parts: u32, to: impl Fn(u32) -> BlockSlot) -> impl Iterator<Item = BlockCopy> {
    (0..parts).map(move |part| BlockCopy {
        from: BlockSlot::Input(part),
        to: to(part),
    })
}

fn reduce_outline(shape: ScheduleShape) -> ScheduleOutline {
    let layout = shape.required_layout();
    ScheduleOutline {
        buffers: 2,
        ..ScheduleOutline::without_relays((rounds_to_heads(layout) + BINOMIAL.rounds(clusters(layout))).max(1))
    }
}

fn reduce(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let node = ClusterNode::new(shape, rank);
    let held = |part| match rank {
        Rank(0) => BlockSlot::Output(part),
        _ => BlockSlot::Buffer { number: 0, part },
    };
    let arrival = |part| BlockSlot::Buffer { number: 1, part };
    if shape.procs.get() == 1 {
        return Round {
            copies: input_copies(shape.parts, held).collect(),
            ..Round::default()
        };
    }
    let Some(between) = index.checked_sub(node.rounds_to_heads()) else {
        return node.to_head(index, &held, &arrival);
    };
    if !node.is_head() {
        return Round::default();
    }
    let operands = TreeOperands {
        tree: BINOMIAL,
        procs: clusters(node.layout),
        number: cluster_number(node.cluster),
        parts: &[0],
        is_input: node.is_input(),
        held: &held,
        arrival: &|_, part| arrival(part),
    };
    operands.round(between).with_partners(node.head_of())
}

fn allreduce_outline(shape: ScheduleShape) -> ScheduleOutline {
    let layout = shape.required_layout();
    let between = HeadExchange::new(clusters(layout), shape.parts, Rank(0), true);
    ScheduleOutline {
        scratch: shape.parts,
        longest_message: shape.parts,
        ..ScheduleOutline::without_relays((2 * rounds_to_heads(layout) + between.rounds()).max(1))
    }
}

fn allreduce(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let node = ClusterNode::new(shape, rank);
    if shape.procs.get() == 1 {
        return Round {
            copies: input_copies(shape.parts, BlockSlot::Output).collect(),
            ..Round::default()
        };
    }
    let Some(after) = index.checked_sub(node.rounds_to_heads()) else {
        return node.to_head(index, &BlockSlot::Output, &BlockSlot::Scratch);
    };
    let number = cluster_number(node.cluster);
    let between = HeadExchange::new(clusters(node.layout), shape.parts, number, node.is_input());
    let Some(downwards) = after.checked_sub(between.rounds()) else {
        if !node.is_head() {
            return Round::default();
        }
        return between.round(after).with_partners(node.head_of());
    };
    let whole = |partner| {
        let member = node.layout.cluster_member(node.cluster, partner);
        ScheduleMessage::of(member, (0..shape.parts).map(BlockSlot::Output))
    };
    Round {
        sends: BINOMIAL
            .children_in(node.size, node.number, downwards)
            .map(whole)
            .collect(),
        receives: BINOMIAL.parent_in(node.size, node.number, downwards).map(whole).into(),
        ..Round::default()
    }
}

fn scatter_outline(shape: ScheduleShape) -> ScheduleOutline {
    let layout = shape.required_layout();
    let between = layout.clusters() - 1;
    ScheduleOutline {
        scratch: 2 * shape.parts,
        longest_message: longest_of_scatter(layout, shape.parts),
        ..ScheduleOutline::without_relays(rounds_to_heads(layout) + between + 1)
    }
}

/// Most blocks in a message: the whole vector in a cluster with several ranks, else the blocks of another cluster.
fn longest_of_scatter(layout: &ClusterLayout, parts: u32) -> u32 {
    if rounds_to_heads(layout) > 0 { parts } else { 1 }
}

fn scatter(shape: ScheduleShape, rank: Rank, index: usize) -> Round {
    let node = ClusterNode::new(shape, rank);
    let arrival = |part| BlockSlot::Scratch(shape.parts + part);
    let Some(between) = index.checked_sub(node.rounds_to_heads()) else {
        return node.to_head(index, &BlockSlot::Scratch, &arrival);
    };
    let clusters = clusters(node.layout);
    let number = cluster_number(node.cluster);
    let blocks = |cluster: Rank| node.layout.members(cluster.0 as usize);
    let distance = u32::try_from(between + 1).expect("no more than clusters");
    if distance == clusters.get() {
        return hand_out(&node, rank);
    }
    if !node.is_head() {
        return Round::default();
    }
    let operand = |part| {
        if node.is_input() {
            BlockSlot::Input(part)
        } else {
            BlockSlot::Scratch(part)
        }
    };
    let (to, from) = (
        number.successor(distance, clusters),
        number.predecessor(distance, clusters),
    );
    let message = |cluster, blocks: &[Rank], slot: &dyn Fn(u32) -> BlockSlot| {
        ScheduleMessage::of(node.layout.head(cluster), blocks.iter().map(|block| slot(block.0)))
    };
    let kept = blocks(number);
    let must_copy = node.is_input() && distance == 1;
    Round {
        sends: message(to.0 as usize, blocks(to), &operand).into(),
        receives: message(from.0 as usize, kept, &arrival).into(),
        copies: kept
            .iter()
            .filter(|_| must_copy)
            .map(|block| BlockCopy {
                from: BlockSlot::Input(block.0),
                to: BlockSlot::Scratch(block.0),
            })
            .collect(),
        combinations: kept
            .iter()
            .map(|block| BlockCombination {
                left: arrival(block.0),
                right: BlockSlot::Scratch(block.0),
            })
            .collect(),
        ..Round::default()
    }
}

/// The last round: each head sends its ranks their blocks and keeps its own.
fn hand_out(node: &ClusterNode, rank: Rank) -> Round {
    let members = node.layout.members(node.cluster);
    if !node.is_head() {
        return Round {
            receives: ScheduleMessage::single(members[0], BlockSlot::Output(rank.0)).into(),
            ..Round::default()
        };
    }
    let is_alone = node.layout.ranks() == 1;
    let from = if is_alone {
        BlockSlot::Input(rank.0)
    } else {
        BlockSlot::Scratch(rank.0)
    };
    let others = members[1..].iter();
    Round {
        sends: others
            .map(|member| ScheduleMessage::single(*member, BlockSlot::Scratch(member.0)))
            .collect(),
        copies: [BlockCopy {
            from,
            to: BlockSlot::Output(rank.0),
        }]
        .into(),
        ..Round::default()
    }
}
