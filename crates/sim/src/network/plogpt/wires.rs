//! Properties of the links of a tree that determine timeouts: height, buffer, and whether a link
//! is negligible.

use std::collections::VecDeque;

use netsig_base::network::{Link, Network, TreeEdge};
use netsig_base::units::BytesPerSecond;
use netsig_base::units::Seconds;
use netsig_model::model::alltoall::plogpt::PlogptEdgeRule;

/// Properties of one link.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlogptWire {
    /// Rate in bytes per second.
    pub(super) rate: f64,
    /// Buffer b·d in bytes.
    pub(super) buffer: f64,
    /// Height: 1 at the hosts.
    pub(super) height: u32,
    pub(super) is_negligible: bool,
}

/// Properties of a message's route that determine timeouts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct EffectiveLink {
    /// The effective height.
    pub(super) height: u32,
    /// Buffer b·d, in bytes, of the link of this height that is nearest to the receiver.
    pub(super) buffer: f64,
}

/// State of a vertex while leaves are removed from the tree.
#[derive(Debug, Clone, Copy, Default)]
struct TreeVertex {
    /// Number of cables left.
    cables: u32,
    /// Exclusive or of their numbers: the number itself when one cable is left.
    last: usize,
    /// Sum of the bandwidths of the removed cables.
    below: f64,
}

/// A cable that was removed with a leaf.
#[derive(Debug, Clone, Copy, Default)]
struct RemovedCable {
    height: u32,
    /// Sum of the rates of the links below it; in the middle of the tree, the sum of the side
    /// with less.
    below: f64,
}

/// Properties of the links of a tree, in the order of the links.
pub(super) fn wires(network: &Network, negligible: PlogptEdgeRule) -> Vec<PlogptWire> {
    let removed_cables = remove_leaves(network);
    let heights = network.heights().unwrap_or_default();
    let wire = |(number, link): (usize, &Link)| {
        let removed_cable = removed_cables[number / 2];
        let height = heights.get(removed_cable.height as usize - 1);
        wire(
            &height.copied().unwrap_or_else(|| edge(link)),
            removed_cable,
            negligible,
        )
    };
    network.links().iter().enumerate().map(wire).collect()
}

/// Removes all leaves in rounds; the round that removes a cable is its height, counted from 1.
fn remove_leaves(network: &Network) -> Vec<RemovedCable> {
    let links = network.links();
    let mut removed_cables = vec![RemovedCable::default(); links.len() / 2];
    let mut vertices = tree_vertices(network);
    let is_leaf = |&(vertex, _): &(usize, u32)| vertices[vertex].cables == 1;
    let mut leaves: VecDeque<_> = (0..vertices.len()).zip(std::iter::repeat(1)).collect();
    leaves.retain(is_leaf);
    while let Some((leaf, height)) = leaves.pop_front() {
        let TreeVertex { cables, last, below } = vertices[leaf];
        if cables == 0 {
            continue;
        }
        let Link { from, to, rate, .. } = links[2 * last];
        let other = &mut vertices[(from.0 ^ to.0) as usize ^ leaf];
        let is_middle = other.cables == 1;
        removed_cables[last] = RemovedCable {
            height,
            below: if is_middle { below.min(other.below) } else { below },
        };
        other.cables -= 1;
        other.last ^= last;
        other.below += rate.0;
        if other.cables == 1 {
            leaves.push_back(((from.0 ^ to.0) as usize ^ leaf, height + 1));
        }
        vertices[leaf].cables = 0;
    }
    removed_cables
}

fn tree_vertices(network: &Network) -> Vec<TreeVertex> {
    let mut stems = vec![TreeVertex::default(); network.vertices()];
    for (number, link) in network.links().iter().enumerate() {
        let stem = &mut stems[link.from.0 as usize];
        stem.cables += 1;
        stem.last ^= number / 2;
    }
    stems
}

/// Edge for a link outside of a binary tree: its delay is the time that fills the buffer.
fn edge(link: &Link) -> TreeEdge {
    TreeEdge {
        bandwidth: link.rate,
        delay: Seconds(link.buffer.as_f64() / link.rate.0),
    }
}

fn wire(edge: &TreeEdge, taken: RemovedCable, negligible: PlogptEdgeRule) -> PlogptWire {
    let RemovedCable { height, below } = taken;
    PlogptWire {
        rate: edge.bandwidth.0,
        buffer: edge.buffer(),
        height,
        is_negligible: height > 1 && negligible.ignores(edge, BytesPerSecond(below)),
    }
}
