//! Total exchange among two clusters in two phases: blocks are gathered inside each
//! cluster so that every message over the wide-area link carries many.
//!
//! # Formula
//! Clusters C1 and C2 of n1 ≤ n2 processes, m bytes per destination, r = n2 mod n1. After
//! a local phase, ⌈n2/n1⌉ steps cross the wide-area link (`α_w` in seconds, `β_w` in
//! seconds per byte):
//!
//! | method | time |
//! |---|---|
//! | `eq6` | `max(T_C1, T_C2) + ⌈n2/n1⌉·(α_w + β_w·m·n)` |
//! | `exact_f1` | `max(T_C1, T_C2) + ⌈n2/n1⌉·α_w + β_w·m·(n1·⌈n2/n1⌉ + r)` |
//!
//! `T_C1` and `T_C2` are the times of the all-to-all inside the clusters, for instance by
//! their contention signatures: at m bytes as printed, or at [`Clusters::effective_size`].
//!
//! # Choices
//! The paper does not say what n is. By its algorithm a wide-area message packs the blocks
//! of n1 processes, hence [`Packed::Smaller`].
//!
//! As printed, blocks from C2 to C1 are lost where n1 does not divide n2: a relay in the
//! last, incomplete block of C2 may not exist. `exact_f1` is the sum over the steps of the
//! algorithm in which such a block takes the relay n1 places before; it equals `eq6` where
//! n1 divides n2. The exchanges of a step run side by side. Where they share the link
//! ([`Backbone::Shared`]), `β_w` is multiplied by their number in the step: n1, and r in
//! an incomplete last one, together n2.
//!
//! # Domain
//! Two clusters of at least one process each, joined by one wide-area link.
//!
//! # Source
//! Steffenel, Martinasso, Trystram 2007 (GPC) §7, eq. 6; after Jeannot and Steffenel 2007.
//!
//! ```
//! # use netsig_core::model::{grid::{Clusters, TwoPhase}, hockney::Hockney};
//! # use netsig_core::units::{Bytes, Procs, Seconds, SecondsPerByte};
//! let network = TwoPhase::new(Hockney::new(Seconds(5e-3), SecondsPerByte(1e-8))?);
//! let clusters = Clusters::new(Procs::new(4)?, Procs::new(4)?);
//! let time = network.eq6(clusters, Bytes(65536), Seconds(0.022737107273164803));
//! assert!((time.0 / 0.030358547273164803 - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::hockney::Hockney;
use crate::units::{Bytes, Procs, Seconds};

/// The n of eq. 6: how many blocks a wide-area message carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packed {
    /// n1, the size of the smaller cluster (the default).
    #[default]
    Smaller,
    /// n1 + n2, which is what n means elsewhere in the paper.
    Total,
    /// So many.
    Given(u32),
}

/// Whether the exchanges of one step slow each other down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backbone {
    /// Each has the whole bandwidth (the default).
    #[default]
    Dedicated,
    /// They share it.
    Shared,
}

/// What the second phase runs over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoPhase {
    /// `α_w` and `β_w`.
    pub wide_area: Hockney,
    /// The n of eq. 6.
    pub packed: Packed,
    /// Whether exchanges share the link.
    pub backbone: Backbone,
}

/// The sizes of the two clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clusters {
    smaller: Procs,
    larger: Procs,
}

impl Clusters {
    /// Two clusters, in any order.
    pub fn new(one: Procs, other: Procs) -> Self {
        Self {
            smaller: one.min(other),
            larger: one.max(other),
        }
    }

    /// n1.
    pub fn smaller(self) -> Procs {
        self.smaller
    }

    /// n2.
    pub fn larger(self) -> Procs {
        self.larger
    }

    /// ⌈n2/n1⌉, the number of steps over the wide-area link.
    pub fn steps(self) -> u32 {
        self.larger.get().div_ceil(self.smaller.get())
    }

    /// n2 mod n1, the number of exchanges in the last step if that is incomplete.
    pub fn remainder(self) -> u32 {
        self.larger.get() % self.smaller.get()
    }

    /// The sizes in bytes of a uniform all-to-all within C1 and C2 in which each process
    /// sends what it sends in the local phase: m·(1 + (n2 − ⌊n2/n1⌋)/(n1 − 1)) in C1,
    /// m·(1 + (n1 − 1)/(n2 − 1)) in C2, where nobody sends more. They need not be whole. A
    /// lone process, which has nobody to send to, keeps m.
    pub fn effective_size(self, size: Bytes) -> [f64; 2] {
        let [n1, n2] = [self.smaller.get(), self.larger.get()];
        let enlarged = |procs: u32, relayed: u32| match procs - 1 {
            0 => size.as_f64(),
            partners => size.as_f64() * (1.0 + f64::from(relayed) / f64::from(partners)),
        };
        [enlarged(n1, n2 - n2 / n1), enlarged(n2, n1 - 1)]
    }
}

impl TwoPhase {
    /// Two clusters that such a link joins, with the default choices.
    pub fn new(wide_area: Hockney) -> Self {
        Self {
            wide_area,
            packed: Packed::default(),
            backbone: Backbone::default(),
        }
    }

    /// Eq. 6 as printed; `local` is `max(T_C1, T_C2)`.
    pub fn eq6(&self, clusters: Clusters, size: Bytes, local: Seconds) -> Seconds {
        let [n1, n2] = [clusters.smaller, clusters.larger].map(|procs| f64::from(procs.get()));
        let packed = match self.packed {
            Packed::Smaller => n1,
            Packed::Total => n1 + n2,
            Packed::Given(blocks) => f64::from(blocks),
        };
        let transfers = match self.backbone {
            Backbone::Dedicated => f64::from(clusters.steps()),
            Backbone::Shared => n2,
        };
        local + self.steps_time(clusters, size, packed * transfers)
    }

    /// The sum over the steps of the corrected algorithm, whatever [`TwoPhase::packed`] is;
    /// `local` is `max(T_C1, T_C2)`.
    pub fn exact_f1(&self, clusters: Clusters, size: Bytes, local: Seconds) -> Seconds {
        let n1 = f64::from(clusters.smaller.get());
        let remainder = f64::from(clusters.remainder());
        let blocks = match self.backbone {
            Backbone::Dedicated => n1 * f64::from(clusters.steps()) + remainder,
            Backbone::Shared => n1 * (f64::from(clusters.larger.get()) + remainder),
        };
        local + self.steps_time(clusters, size, blocks)
    }

    /// All start-ups, and `blocks` blocks one after the other.
    fn steps_time(&self, clusters: Clusters, size: Bytes, blocks: f64) -> Seconds {
        let start_ups = self.wide_area.alpha() * f64::from(clusters.steps());
        start_ups + self.wide_area.beta() * size * blocks
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::assert_close;
    use super::*;
    use crate::units::SecondsPerByte;

    fn clusters(one: u32, other: u32) -> Clusters {
        Clusters::new(Procs::new(one).unwrap(), Procs::new(other).unwrap())
    }

    fn network() -> TwoPhase {
        TwoPhase::new(Hockney::new(Seconds(5e-3), SecondsPerByte(1e-8)).unwrap())
    }

    #[test]
    fn worked_values() {
        let size = Bytes(1 << 20);
        let time = network().eq6(clusters(20, 8), size, Seconds(0.836_806_970_347_366_5));
        assert_close(time, 1.103_465_210_347_366_6);
        let local = Seconds(0.068_211_321_819_494_41);
        let (pair, size) = (clusters(4, 10), Bytes(65536));
        let total = TwoPhase {
            packed: Packed::Total,
            ..network()
        };
        assert_close(total.eq6(pair, size, local), 0.110_736_441_819_494_41);
        let given = TwoPhase {
            packed: Packed::Given(14),
            ..network()
        };
        assert_eq!(given.eq6(pair, size, local), total.eq6(pair, size, local));
        assert_close(
            network().exact_f1(pair, size, local),
            0.092_386_361_819_494_4,
        );
    }

    #[test]
    fn a_shared_backbone_serialises_the_exchanges_of_a_step() {
        let shared = TwoPhase {
            backbone: Backbone::Shared,
            ..network()
        };
        let time = |n1, n2| shared.eq6(clusters(n1, n2), Bytes(1000), Seconds(0.0));
        // Steps of 4, 4 and 2 exchanges, each of 4 blocks of 10 µs: 3·5 ms + 10·40 µs.
        assert_close(time(4, 10), 0.0154);
        assert_close(time(1, 1), 0.00501);
    }

    /// Where each block is and who sends it, by the text of the algorithm: blocks sent per
    /// process in the local phase, and the larger direction of each exchange by step.
    fn simulate(n1: usize, n2: usize) -> (Vec<usize>, Vec<Vec<usize>>) {
        let all = n1 + n2;
        let mut sent = vec![0; all];
        let mut over = vec![vec![[0; 2]; n1]; n2.div_ceil(n1)];
        for i in 0..all {
            for j in (0..all).filter(|&j| j != i) {
                if (i < n1) == (j < n1) {
                    sent[i] += 1;
                    continue;
                }
                let relay = match i < n1 {
                    true => j % n1,
                    false if i / n1 * n1 + j < all => i / n1 * n1 + j,
                    false => i / n1 * n1 + j - n1,
                };
                sent[i] += usize::from(relay != i);
                let outside = if i < n1 { j } else { relay };
                over[outside / n1 - 1][outside % n1][usize::from(i < n1)] += 1;
            }
        }
        let larger = |step: Vec<[usize; 2]>| step.into_iter().map(|[a, b]| a.max(b)).collect();
        (sent, over.into_iter().map(larger).collect())
    }

    #[test]
    fn exact_f1_is_the_sum_of_the_simulated_steps() {
        let shared = TwoPhase {
            backbone: Backbone::Shared,
            ..network()
        };
        for (n1, n2) in (1..9u32).flat_map(|n1| (n1..14).map(move |n2| (n1, n2))) {
            let (sent, steps) = simulate(n1 as usize, n2 as usize);
            let (mut alone, mut together) = (0.0, 0.0);
            for step in &steps {
                let blocks = step.iter().max().copied().unwrap() as f64;
                alone += 5e-3 + 1e-8 * 1000.0 * blocks;
                let exchanges = step.iter().filter(|&&blocks| blocks > 0).count() as f64;
                together += 5e-3 + 1e-8 * 1000.0 * blocks * exchanges;
            }
            let pair = clusters(n1, n2);
            assert_close(network().exact_f1(pair, Bytes(1000), Seconds(0.0)), alone);
            assert_close(shared.exact_f1(pair, Bytes(1000), Seconds(0.0)), together);
            let (c1, c2) = sent.split_at(n1 as usize);
            for ((size, n), sent) in pair
                .effective_size(Bytes(5040))
                .into_iter()
                .zip([n1, n2])
                .zip([c1, c2])
                .filter(|((_, n), _)| *n > 1)
            {
                let blocks = sent.iter().max().copied().unwrap() as f64;
                let expected = 5040.0 * blocks / f64::from(n - 1);
                assert!((size / expected - 1.0).abs() < 1e-12, "{n1}, {n2}");
            }
        }
    }

    #[test]
    fn clusters_of_one_have_nobody_to_send_to() {
        let pair = clusters(4, 10);
        let alone = clusters(1, 1).effective_size(Bytes(5));
        assert!(alone.iter().all(|size| (size - 5.0).abs() < f64::EPSILON));
        assert_eq!((pair.steps(), pair.remainder()), (3, 2));
    }
}
