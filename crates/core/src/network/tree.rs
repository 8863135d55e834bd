//! What the links of a tree of switches allow: a lower bound of all-to-all beside
//! Hockney's.
//!
//! # Formula
//! A link with a of P processes on its far side carries a·(P − a) blocks of m bytes in
//! each direction. T ≥ max over the links of a·(P − a)·m·β, where β is the link's gap in
//! seconds per byte.
//!
//! # Domain
//! Full-duplex links; every process on one side of a link is reached over it. A link that
//! has no process, or all of them, on its far side carries nothing.
//!
//! # Source
//! The cut argument, as for bisection bandwidth; the papers on contention do not print it.
//!
//! ```
//! # use netsig_core::network::tree::{Link, Tree};
//! # use netsig_core::units::{Bytes, Procs, SecondsPerByte};
//! // Two switches of four hosts, a link of 1 Gbit/s between them: 4·4·10⁴ B · 8 ns/B.
//! let tree = Tree::new(vec![Link { below: 4, gap: SecondsPerByte(8e-9), buffer: Bytes(4550) }])?;
//! let time = tree.alltoall(Procs::new(8)?, Bytes(10_000));
//! assert!((time.0 / 1.28e-3 - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::units::parameter::{ParameterError, non_negative};
use crate::units::{Bytes, Procs, Seconds, SecondsPerByte};

/// A link between two switches, or between a switch and its hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// How many processes are on its far side.
    pub below: u32,
    /// Its gap per byte in one direction.
    pub gap: SecondsPerByte,
    /// The buffer before it, beyond which packets are dropped; the bound takes no notice.
    pub buffer: Bytes,
}

/// The links of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree(Vec<Link>);

impl Tree {
    /// A tree with these links.
    ///
    /// # Errors
    /// If a gap is negative or not finite.
    pub fn new(links: Vec<Link>) -> Result<Self, ParameterError> {
        for link in &links {
            non_negative("gap", link.gap.0)?;
        }
        Ok(Self(links))
    }

    /// The links.
    pub fn links(&self) -> &[Link] {
        &self.0
    }

    /// The time that the busiest link needs, `size` bytes per destination.
    pub fn alltoall(&self, procs: Procs, size: Bytes) -> Seconds {
        let time = |link: &Link| {
            let above = procs.get().saturating_sub(link.below);
            link.gap.0 * f64::from(link.below) * f64::from(above) * size.as_f64()
        };
        Seconds(self.0.iter().map(time).fold(0.0, f64::max))
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
            let time = tree.alltoall(Procs::new(n).unwrap(), Bytes(1000)).0;
            assert!(
                (time - expected).abs() <= 1e-12 * expected,
                "{n}: {time} not {expected}"
            );
        }
        assert!(Tree::new(vec![link((1, -1.0))]).is_err());
    }
}
