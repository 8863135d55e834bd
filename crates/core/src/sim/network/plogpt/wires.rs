//! What each link of a tree means for timeouts: its height, its buffer, and whether it is
//! wide enough never to matter.

use std::collections::VecDeque;

use crate::network::binary_tree::{Edge, Parameters};
use crate::network::topology::{Link, Topology};
use crate::units::BytesPerSecond;
use crate::units::Seconds;

/// One link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wire {
    /// In bytes per second.
    pub(super) rate: f64,
    /// b·d, in bytes.
    pub(super) buffer: f64,
    /// 1 at the hosts.
    pub(super) height: u32,
    pub(super) is_negligible: bool,
}

/// The way of a message, as far as timeouts depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Way {
    /// The effective height.
    pub(super) height: u32,
    /// b·d of the link of that height that is nearest to the receiver, in bytes.
    pub(super) buffer: f64,
}

/// A vertex while leaves are taken off the tree.
#[derive(Debug, Clone, Copy, Default)]
struct Stem {
    /// How many cables it still has.
    cables: u32,
    /// Their numbers, combined by exclusive or: the number itself when one is left.
    last: usize,
    /// The bandwidth of the cables that were taken off.
    below: f64,
}

/// A cable that was taken off with a leaf.
#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    height: u32,
    /// What the links below it bring together; at the middle of the tree, on the side that
    /// brings less.
    below: f64,
}

/// The links of `topology` in its order; none if it is not a tree.
pub(super) fn wires(topology: &Topology, parameters: &Parameters) -> Option<Vec<Wire>> {
    let links = topology.links();
    let is_tree = links.len() == 2 * (topology.vertices() - 1);
    is_tree.then(|| {
        let taken = take_off(topology);
        let wire = |(number, link)| wire(link, taken[number / 2], parameters);
        links.iter().enumerate().map(wire).collect()
    })
}

/// Takes off all leaves again and again; the how-manieth time is a cable's height.
fn take_off(topology: &Topology) -> Vec<Taken> {
    let links = topology.links();
    let mut taken = vec![Taken::default(); links.len() / 2];
    let mut stems = stems(topology);
    let is_leaf = |&(vertex, _): &(usize, u32)| stems[vertex].cables == 1;
    let mut leaves: VecDeque<_> = (0..stems.len()).zip(std::iter::repeat(1)).collect();
    leaves.retain(is_leaf);
    while let Some((leaf, height)) = leaves.pop_front() {
        let Stem {
            cables,
            last,
            below,
        } = stems[leaf];
        if cables == 0 {
            continue;
        }
        let Link { from, to, rate, .. } = links[2 * last];
        let other = &mut stems[(from.0 ^ to.0) as usize ^ leaf];
        let is_middle = other.cables == 1;
        taken[last] = Taken {
            height,
            below: if is_middle {
                below.min(other.below)
            } else {
                below
            },
        };
        other.cables -= 1;
        other.last ^= last;
        other.below += rate.0;
        if other.cables == 1 {
            leaves.push_back(((from.0 ^ to.0) as usize ^ leaf, height + 1));
        }
        stems[leaf].cables = 0;
    }
    taken
}

fn stems(topology: &Topology) -> Vec<Stem> {
    let mut stems = vec![Stem::default(); topology.vertices()];
    for (number, link) in topology.links().iter().enumerate() {
        let stem = &mut stems[link.from.0 as usize];
        stem.cables += 1;
        stem.last ^= number / 2;
    }
    stems
}

/// The delay is that of its height, if the parameters have one, else what fills the buffer.
fn wire(link: &Link, taken: Taken, parameters: &Parameters) -> Wire {
    let Taken { height, below } = taken;
    let bandwidth = link.rate;
    let filled = link.buffer.as_f64();
    let given = parameters.edges.get(height as usize - 1);
    let (delay, buffer) = given.map_or_else(
        || (Seconds(filled / bandwidth.0), filled),
        |edge| (edge.delay, bandwidth.0 * edge.delay.0),
    );
    let edge = Edge { bandwidth, delay };
    let is_negligible = parameters.negligible.holds(&edge, BytesPerSecond(below));
    Wire {
        rate: bandwidth.0,
        buffer,
        height,
        is_negligible: height > 1 && is_negligible,
    }
}
