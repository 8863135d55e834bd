//! Throughput of simultaneous communications that share the edges of the tree.

use netsig_base::network::{TreeEdge, check_edges};
use netsig_base::units::BytesPerSecond;
use netsig_base::units::Rank;
use netsig_base::units::parameter::ParameterError;

/// Height of a message: height of the smallest subtree that holds both ends; 0 for a message to
/// oneself.
fn height(from: Rank, to: Rank) -> u32 {
    u32::BITS - (from.0 ^ to.0).leading_zeros()
}

/// Throughput of pair number `pair_index` (from 0) while all `pairs` of sender and receiver communicate. It is the
/// minimum, over the directed edges on the path, of the bandwidth divided by the number of pairs on that edge.
///
/// # Errors
/// If the edges cannot be those of a tree, a rank is not one of its leaves, or `pair_index` is no pair of different
/// ranks.
pub fn throughput(
    edges: &[TreeEdge],
    pairs: &[(Rank, Rank)],
    pair_index: usize,
) -> Result<BytesPerSecond, ParameterError> {
    check_edges(edges)?;
    let leaves = 1u64 << edges.len();
    let mut ranks = pairs.iter().flat_map(|&(from, to)| [from, to]);
    if let Some(rank) = ranks.find(|rank| u64::from(rank.0) >= leaves) {
        return Err(ParameterError::new("rank", rank, "a leaf of the tree"));
    }
    let chosen_pair = pairs
        .get(pair_index)
        .copied()
        .filter(|&(from, to)| height(from, to) > 0);
    let (from, to) = chosen_pair.ok_or_else(|| {
        let rule = "the place of a pair of different ranks";
        ParameterError::new("of", pair_index, rule)
    })?;
    let share = |(below, edge): (u32, &TreeEdge)| {
        let climbs = |pair: &&(Rank, Rank)| height(pair.0, pair.1) > below;
        let same = |a: Rank, b: Rank| a.0 >> below == b.0 >> below;
        let upwards = |pair: &&(Rank, Rank)| same(pair.0, from);
        let downwards = |pair: &&(Rank, Rank)| same(pair.1, to);
        let up = pairs.iter().filter(climbs).filter(upwards).count();
        let down = pairs.iter().filter(climbs).filter(downwards).count();
        edge.bandwidth.0 / up.max(down) as f64
    };
    let path_edges = (0..height(from, to)).zip(edges);
    Ok(BytesPerSecond(path_edges.map(share).fold(f64::INFINITY, f64::min)))
}

#[cfg(test)]
mod tests {
    use netsig_base::units::Seconds;

    use super::*;

    /// The bandwidth of a pair in MB/s, in a tree whose edges have these bandwidths by height.
    fn rate(edges: &[f64], pairs: &[(u32, u32)], pair_index: usize) -> Result<f64, String> {
        let edge = |rate: &f64| TreeEdge {
            bandwidth: BytesPerSecond(rate * 1e6),
            delay: Seconds(0.0),
        };
        let edges: Vec<TreeEdge> = edges.iter().map(edge).collect();
        let pairs: Vec<_> = pairs.iter().map(|&(a, b)| (Rank(a), Rank(b))).collect();
        let rate = throughput(&edges, &pairs, pair_index).map(|rate| rate.0 / 1e6);
        rate.map_err(|error| error.to_string())
    }

    /// The slides' example: one communication has 1 Gbit/s, eight over an uplink of 2 Gbit/s have
    /// 250 Mbit/s each. Only the same direction of the same edge is shared.
    #[test]
    fn flows_share_the_edges_that_they_climb_and_descend() {
        let edges = [125.0, 250.0, 500.0, 250.0];
        let eight: Vec<_> = (0..8).map(|rank| (rank, rank + 8)).collect();
        assert_eq!(rate(&edges, &eight[..1], 0), Ok(125.0));
        assert!((0..8).all(|of| rate(&edges, &eight, of) == Ok(31.25)));
        for (pairs, expected) in [
            (&[(0, 2), (2, 0), (1, 1)][..], 100.0),
            (&[(0, 2), (1, 0)], 100.0),
            (&[(0, 2), (1, 3)], 50.0),
            (&[(0, 2), (0, 2), (1, 2), (3, 2)], 25.0),
        ] {
            assert_eq!(rate(&[100.0, 100.0], pairs, 0), Ok(expected));
        }
    }

    #[test]
    fn ranks_outside_the_tree_are_refused() {
        let refusal = |pairs: &[(u32, u32)], of| rate(&[100.0, 100.0], pairs, of).unwrap_err();
        let outside = "rank = 4 is not allowed; it must be a leaf of the tree";
        assert_eq!(refusal(&[(0, 1), (0, 4)], 0), outside);
        assert!(refusal(&[(0, 1), (2, 2)], 1).starts_with("of = 1"));
        assert!(refusal(&[(0, 1)], 1).starts_with("of = 1"));
    }
}
