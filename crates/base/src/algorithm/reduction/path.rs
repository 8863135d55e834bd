//! The critical path of a reduction or barrier: the steps that follow one another on the rank that ends last, each with
//! its message and the bytes that are then combined.
//!
//! # Formula
//! c elements of e bytes, m = c·e. n ranks, Q = 2^ℓ the largest power of two ≤ n, r = n − Q, f = 1 if r > 0, else 0.
//! B = ⌈c/n⌉·e, H = ⌈c/2⌉·e. A step (b, d) takes α + β·b + ω·d, ω the time of the operation on a byte.
//!
//! | form | steps |
//! |---|---|
//! | recursive doubling | (ℓ+f)·(m, m), f·(m, 0) |
//! | Rabenseifner, whole fold | f·(m, m); (bᵢ, bᵢ) and (bᵢ, 0) for i = 1 … ℓ, bᵢ the first Q/2ⁱ of Q blocks; f·(m, 0) |
//! | Rabenseifner, fold by halves | f·((H, H), (H, 0)); as above with bᵢ = ⌈c/2ⁱ⌉·e; f·(m, 0) |
//! | ring; in p phases | (n−1)·(B, B) and (n−1)·(B, 0); p·(n−1)·(B/p, B/p) and (n−1)·(B, 0) |
//! | reduce and broadcast | ⌈log₂ n⌉·(m, m) and ⌈log₂ n⌉·(m, 0) |
//! | flat reduce and broadcast | (n−1)·(m, m) and (n−1)·(m, 0) |
//! | direct | (n−1)·(B, B) and (n−1)·(B, 0) |
//! | reduce: flat, chain; binomial | (n−1)·(m, m); ⌈log₂ n⌉·(m, m) |
//! | reduce: pipeline of k segments s | (n−2+k)·(s, s) |
//! | reduce: binary trees | F·(m, m), F(leaf) = 0, F(v) = max(t, F(child)) + 1 over the children in order; in rank order and (m, 0) |
//! | reduce: Rabenseifner | as the all-reduce, without the last step |
//! | reduce-scatter: ring, pairwise, direct | (n−1)·(B, B) |
//! | reduce-scatter: halving, butterfly | f·(m, m); (w, w), w = (M + min(M, r))·B, for M = Q/2, … 1; f·(B, 0) or y·(B, 0) |
//! | reduce-scatter: recursive doubling | (w, w), w = (n − 2ᵏ)·B, for k = 0 … ⌈log₂ n⌉ − 1 |
//! | reduce-scatter: reduce and scatter | ⌈log₂ n⌉·(m, m), and the messages of the root of a binomial scatter |
//! | barriers | ⌈log₂ n⌉; tree 2⌈log₂ n⌉; doubling ℓ + 2f; flat 2(n−1); double ring 2n steps (0, 0) |
//!
//! y = 2 if r ≥ 2, else 1 if r = 1 or Q ≥ 4, else 0. In pLogP a step takes g(b) + ω·d, and `latencies` of the steps also
//! L. These are all steps, unless messages to one rank follow one another.
//!
//! # Source
//! For powers of two Thakur, Rabenseifner, Gropp 2005 (IJHPCA), Rabenseifner 2004 (ICCS) and Patarasuk and Yuan 2009
//! (JPDC); for other n derived from the schedules, message by message.

use super::super::traffic::{Fold, ReductionForm};
use super::super::tree::BINOMIAL;
use super::{ring_phases, segment_elements};
use crate::units::{Bytes, Procs, Rank};

/// Steps that follow one another.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CriticalPath {
    /// The steps in their order; equal ones stand together.
    pub steps: Vec<PathStep>,
    /// Number of steps whose latency is on the path.
    pub latencies: f64,
}

/// Equal steps of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathStep {
    /// Length of the message in bytes.
    pub message: f64,
    /// Bytes that the operation reads of one operand.
    pub combined: f64,
    /// Number of such steps.
    pub times: f64,
}

/// A vector that is reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReducedVector {
    /// Number of ranks n.
    pub procs: Procs,
    /// Size m of the whole vector.
    pub size: Bytes,
    /// Length e of an element.
    pub element: Bytes,
}

impl CriticalPath {
    /// Number of steps.
    pub fn startups(&self) -> f64 {
        self.steps.iter().map(|step| step.times).sum()
    }

    /// Bytes of all messages.
    pub fn bytes(&self) -> f64 {
        self.steps.iter().map(|step| step.times * step.message).sum()
    }

    /// Bytes of all combinations.
    pub fn combined(&self) -> f64 {
        self.steps.iter().map(|step| step.times * step.combined).sum()
    }

    fn push(&mut self, times: u32, message: f64, combined: f64) {
        if times > 0 {
            let times = f64::from(times);
            self.steps.push(PathStep {
                message,
                combined,
                times,
            });
            self.latencies += times;
        }
    }

    /// Steps whose messages are combined.
    fn combine(&mut self, times: u32, bytes: f64) {
        self.push(times, bytes, bytes);
    }

    /// Messages of one rank after the other that are combined, and as many back.
    fn combine_and_return(&mut self, times: u32, bytes: f64) {
        self.combine(times, bytes);
        self.pass(times, bytes);
        self.latencies = 2.0;
    }

    /// Steps whose messages are kept as they are.
    fn pass(&mut self, times: u32, bytes: f64) {
        self.push(times, bytes, 0.0);
    }
}

impl ReducedVector {
    /// c.
    fn elements(self) -> u64 {
        self.size.0.div_ceil(self.element.0.max(1))
    }

    /// Bytes of the largest of `blocks` blocks.
    fn block(self, blocks: u32) -> f64 {
        self.bytes(self.elements().div_ceil(u64::from(blocks)))
    }

    /// Bytes of the first `count` of `blocks` blocks.
    fn first_blocks(self, count: u32, blocks: u32) -> f64 {
        let (count, blocks) = (u64::from(count), u64::from(blocks));
        self.bytes(count * (self.elements() / blocks) + count.min(self.elements() % blocks))
    }

    fn bytes(self, elements: u64) -> f64 {
        elements as f64 * self.element.as_f64()
    }
}

impl ReductionForm {
    /// The critical path for a vector; `segment` is the segment size that is set. Empty for a single rank.
    pub fn path(self, vector: ReducedVector, segment: Option<Bytes>) -> CriticalPath {
        let ReducedVector { procs, size, element } = vector;
        let mut path = CriticalPath::default();
        if procs.get() == 1 {
            return path;
        }
        let (n, m) = (procs.get(), size.as_f64());
        let (others, ceil_log) = (n - 1, procs.ceil_log2());
        let pairs = n - (1 << procs.floor_log2());
        let folds = u32::from(pairs > 0);
        let block = vector.block(n);
        match self {
            Self::RecursiveDoubling => {
                path.combine(procs.floor_log2() + folds, m);
                path.pass(folds, m);
            }
            Self::Rabenseifner(fold) => {
                halve(&mut path, vector, fold);
                path.pass(folds, m);
            }
            Self::ReduceRabenseifner(fold) => halve(&mut path, vector, fold),
            Self::Ring => {
                path.combine(others, block);
                path.pass(others, block);
            }
            Self::RingSegmented => {
                let phases = ring_phases(procs, size, element, segment.unwrap_or(size));
                path.combine(others.saturating_mul(phases), block / f64::from(phases));
                path.pass(others, block);
            }
            Self::ReduceBcast => {
                path.combine(ceil_log, m);
                path.pass(ceil_log, m);
                path.latencies = 2.0 * f64::from(procs.floor_log2());
            }
            Self::FlatReduceBcast => path.combine_and_return(others, m),
            Self::Direct => path.combine_and_return(others, block),
            Self::ReduceFlat => {
                path.combine(others, m);
                path.latencies = 1.0;
            }
            Self::ReduceChain => path.combine(others, m),
            Self::ReducePipeline => {
                let division = segment_elements(size, element, segment.unwrap_or(size));
                path.combine(others - 1 + division.parts(), division.bytes(0) as f64);
                path.latencies = f64::from(others);
            }
            Self::ReduceBinomial => {
                path.combine(ceil_log, m);
                path.latencies = f64::from(procs.floor_log2());
            }
            Self::ReduceBinary => {
                path.combine(binary_steps(n), m);
                path.latencies = f64::from(procs.floor_log2());
            }
            Self::InOrderBinary => {
                path.combine(in_order_steps(n), m);
                path.latencies = f64::from(procs.floor_log2());
                path.pass(1, m);
            }
            Self::Pairwise | Self::ScatterRing => path.combine(others, block),
            Self::ScatterDirect => {
                path.combine(others, block);
                path.latencies = 1.0;
            }
            Self::Halving => {
                halve_blocks(&mut path, vector);
                path.pass(folds, block);
            }
            Self::Butterfly => {
                halve_blocks(&mut path, vector);
                path.pass(placing_steps(procs), block);
            }
            Self::ScatterDoubling => {
                for step in 0..ceil_log {
                    path.combine(1, f64::from(n - (1 << step)) * block);
                }
            }
            Self::ReduceThenScatter => {
                path.combine(ceil_log, m);
                path.latencies = f64::from(procs.floor_log2());
                for child in BINOMIAL.children(procs, Rank(0)) {
                    path.pass(1, BINOMIAL.subtree(procs, child).len() as f64 * block);
                }
            }
            Self::Dissemination => path.pass(ceil_log, 0.0),
            Self::BarrierTree => path.pass(2 * ceil_log, 0.0),
            Self::BarrierDoubling => path.pass(procs.floor_log2() + 2 * folds, 0.0),
            Self::BarrierFlat => {
                path.pass(2 * others, 0.0);
                path.latencies = 2.0;
            }
            Self::DoubleRing => path.pass(n.saturating_mul(2), 0.0),
        }
        path
    }
}

/// Fold, halvings and the same steps backwards.
fn halve(path: &mut CriticalPath, vector: ReducedVector, fold: Fold) {
    let (procs, m) = (vector.procs, vector.size.as_f64());
    let steps = procs.floor_log2();
    let half = vector.block(2);
    match fold {
        _ if procs.get().is_power_of_two() => {}
        Fold::Whole => path.combine(1, m),
        Fold::Halves => {
            path.combine(1, half);
            path.pass(1, half);
        }
    }
    let windows = || {
        (1..=steps).map(|step| match fold {
            Fold::Whole => vector.first_blocks(1 << (steps - step), 1 << steps),
            Fold::Halves => vector.block(1 << step),
        })
    };
    for window in windows() {
        path.combine(1, window);
    }
    for window in windows() {
        path.pass(1, window);
    }
}

/// Fold and halvings of the blocks of ranks.
fn halve_blocks(path: &mut CriticalPath, vector: ReducedVector) {
    let procs = vector.procs;
    let power = 1 << procs.floor_log2();
    let pairs = procs.get() - power;
    path.combine(u32::from(pairs > 0), vector.size.as_f64());
    for step in 1..=procs.floor_log2() {
        let ranks = power >> step;
        path.combine(1, f64::from(ranks + ranks.min(pairs)) * vector.block(procs.get()));
    }
}

/// y.
pub(super) fn placing_steps(procs: Procs) -> u32 {
    let power = 1u32 << procs.floor_log2();
    match (procs.get() - power, power) {
        (2.., _) => 2,
        (1, _) | (_, 4..) => 1,
        _ => 0,
    }
}

/// F of the binary tree of `ranks` ranks whose levels are full but for the last.
fn binary_steps(ranks: u32) -> u32 {
    if ranks == 1 {
        return 0;
    }
    // The last level, and its share below the left child.
    let full = (1 << ranks.ilog2()) - 1;
    let last_level = ranks - full;
    let below_left = last_level.min(full.div_ceil(2));
    let left = (full - 1) / 2 + below_left;
    let right = ranks - 1 - left;
    let after_left = binary_steps(left) + 1;
    match right {
        0 => after_left,
        _ => after_left.max(binary_steps(right)) + 1,
    }
}

/// F of the binary tree of `ranks` ranks in rank order: the right subtree comes first.
fn in_order_steps(ranks: u32) -> u32 {
    let left = ranks / 2;
    let right = (ranks - left).saturating_sub(1);
    let after_right = if right > 0 { in_order_steps(right) + 1 } else { 0 };
    if left > 0 {
        after_right.max(in_order_steps(left)) + 1
    } else {
        after_right
    }
}
