//! `tree`: what the busiest link of a tree of switches needs, a lower bound beside Hockney's.
//!
//! A link with a of P processes on its far side carries a·(P − a) blocks in each direction.
//! One that has no process, or all of them, on its far side carries nothing.
//!
//! # Source
//! The cut argument, as for bisection bandwidth; the papers on contention do not print it.

use super::hockney::HOCKNEY;
use crate::model::examples::hockney;
use crate::model::prelude::*;
use crate::network::tree::{Link, Tree};

/// max over the links of a·(P − a)·m·β.
fn busiest_link(tree: &Tree, procs: Procs, size: Bytes) -> Seconds {
    let time = |link: &Link| {
        let above = procs.get().saturating_sub(link.below);
        link.gap.0 * f64::from(link.below) * f64::from(above) * size.as_f64()
    };
    Seconds(tree.links().iter().map(time).fold(0.0, f64::max))
}

pub(super) const TREE: Model = Model {
    name: "tree",
    kind: Kind::LowerBound,
    formula: "T ≥ max over the links of a·(P−a)·m·β_link, a processes behind the link",
    source: "netsig; the bisection argument",
    domain: "A tree of switches with full-duplex links.",
    needs: &[Need::Tree],
    example: Example::on(
        Setting::Known(two_switches),
        "P = 12, m = 64 KiB, 6 processes behind a link of 100 Mbit/s, one behind each \
         of 40 Mbit/s",
        0.188_743_68,
        (12, 65536),
    ),
    time: |inputs| {
        let remedy = "name a scenario with --network";
        let tree = inputs.known.tree.as_ref();
        let tree = tree.ok_or_else(|| inputs.missing("the links of the network", remedy))?;
        inputs.by_hockney(|_, procs, size| busiest_link(tree, procs, size))
    },
    ..HOCKNEY
};

fn two_switches() -> Known {
    let link = |below, gap| Link {
        below,
        gap: SecondsPerByte(gap),
        buffer: Bytes(65536),
    };
    Known {
        tree: Tree::new(vec![link(6, 8e-8), link(1, 2e-7)]).ok(),
        ..hockney(1e-4, 2e-7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the pairs whose messages cross each link in one direction.
    #[test]
    fn the_busiest_link_decides() {
        let links = [(1, 8e-9), (3, 1e-9), (5, 2e-9)];
        let link = |(below, gap)| Link {
            below,
            gap: SecondsPerByte(gap),
            buffer: Bytes(4096),
        };
        let tree = Tree::new(links.map(link).to_vec()).unwrap();
        for n in 1..=10u32 {
            let crossing = |below| {
                let pairs = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
                pairs.filter(|&(i, j)| i < below && j >= below).count() as f64
            };
            let times = links.map(|(below, gap)| crossing(below) * 1000.0 * gap);
            let expected = times.into_iter().fold(0.0, f64::max);
            let time = busiest_link(&tree, Procs::new(n).unwrap(), Bytes(1000)).0;
            assert!(
                (time - expected).abs() <= 1e-12 * expected,
                "{n}: {time} not {expected}"
            );
        }
    }
}
