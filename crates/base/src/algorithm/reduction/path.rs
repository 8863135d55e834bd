//! The critical path of a reduction or barrier: the steps that follow one another on the rank that ends last. Each has
//! its message and the bytes that are then combined.
//!
//! # Formula
//! c elements of e bytes, m = c·e. n ranks, Q = 2^ℓ the largest power of two ≤ n, r = n − Q, f = 1 if r > 0, else 0.
//! B = ⌈c/n⌉·e, H = ⌈c/2⌉·e; b(i, j, k) are the bytes of blocks i … j−1 of k. A step (b, d) takes α + β·b + ω·d, ω the time
//! of the operation on a byte.
//!
//! | form | steps |
//! |---|---|
//! | recursive doubling | (ℓ+f)·(m, m), f·(m, 0) |
//! | Rabenseifner, whole fold | f·(m, m); (bᵢ, bᵢ) and (bᵢ, 0) for i = 1 … ℓ, bᵢ = b(0, Q/2ⁱ, Q); f·(m, 0) |
//! | Rabenseifner, fold by halves | f·((H, H), (H, 0)); as above with bᵢ = ⌈c/2ⁱ⌉·e; f·(m, 0) |
//! | ring; in p phases | (n−1)·(B, B) and (n−1)·(B, 0); p·(n−1)·(B/p, B/p) and (n−1)·(B, 0) |
//! | reduce and broadcast | ⌈log₂ n⌉·(m, m) and ⌈log₂ n⌉·(m, 0) |
//! | flat reduce and broadcast | (n−1)·(m, m) and (n−1)·(m, 0) |
//! | direct | (n−1)·(B, B) and (n−1)·(B, 0) |
//! | reduce: flat, chain; binomial | (n−1)·(m, m); ⌈log₂ n⌉·(m, m) |
//! | reduce: pipeline of k segments s, the last one z | (n−3+k)·(s, s) and (z, z) |
//! | reduce: binary trees | F of the root: F(leaf) = 0; a rank with d children takes max(t, F(child)) + (m, 0) for one after the other, then (0, d·m); in rank order and (m, 0) |
//! | reduce: Rabenseifner | as the all-reduce, without the last step; whole fold: (b(Q/2ⁱ, 2Q/2ⁱ, Q), 0) instead of (bᵢ, 0) |
//! | reduce-scatter: ring, pairwise, direct | (n−1)·(B, B) |
//! | reduce-scatter: halving, butterfly | f·(m, m); (w, w), w = b(0, M + min(M, r), n), for M = Q/2, … 1; f·(B, 0) or y·(B, 0) |
//! | reduce-scatter: recursive doubling | G(n): G(1) = 0; G(a) = max(G(p), G(q)), then ⌈p/q⌉·((n−q)·B, 0) and (0, (n+1−a)·B), p the largest power of two below a, q = a − p |
//! | reduce-scatter: reduce and scatter | ⌈log₂ n⌉·(m, m), and the messages of the root of a binomial scatter |
//! | barriers | ⌈log₂ n⌉; tree 2⌈log₂ n⌉; doubling ℓ + 2f; flat 2(n−1); double ring 2n steps (0, 0) |
//!
//! y = 2 if r ≥ 2, else 1 if r = 1 or Q ≥ 4, else 0. In pLogP a step takes g(b) + ω·d, and `latencies` of the steps also
//! L. These are all steps, unless messages to one rank follow one another.
//!
//! # Domain
//! Equal to the schedule on ports alone (`PortRun`), message by message, for every n and c, with these limits: F and G, if
//! combinations take less time than messages; butterfly and recursive doubling, if n divides c, else up to 0.2 % longer.
//!
//! # Source
//! For powers of two Thakur, Rabenseifner, Gropp 2005 (IJHPCA), Rabenseifner 2004 (ICCS) and Patarasuk and Yuan 2009
//! (JPDC); for other n derived from the schedules, message by message.

use std::collections::BTreeMap;
use std::ops::Range;

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

    /// The steps of a tree for messages of this many bytes.
    fn push_tree(&mut self, steps: TreeSteps, bytes: f64) {
        let combined = bytes * f64::from(steps.combinations) / f64::from(steps.messages.max(1));
        self.push(steps.messages, bytes, combined);
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
    pub(super) fn elements(self) -> u64 {
        self.size.0.div_ceil(self.element.0.max(1))
    }

    /// Bytes of the largest of `blocks` blocks.
    fn block(self, blocks: u32) -> f64 {
        self.bytes(self.elements().div_ceil(u64::from(blocks)))
    }

    /// Bytes of a range of `blocks` blocks.
    fn range(self, range: Range<u32>, blocks: u32) -> f64 {
        let blocks = u64::from(blocks);
        let start = |block: u32| {
            let block = u64::from(block);
            block * (self.elements() / blocks) + block.min(self.elements() % blocks)
        };
        self.bytes(start(range.end) - start(range.start))
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
                for window in windows(vector, fold) {
                    path.pass(1, window);
                }
                path.pass(folds, m);
            }
            Self::ReduceRabenseifner(fold) => {
                halve(&mut path, vector, fold);
                for window in gathered_windows(vector, fold) {
                    path.pass(1, window);
                }
            }
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
            Self::ReducePipeline => pipeline(&mut path, vector, segment),
            Self::ReduceBinomial => {
                path.combine(ceil_log, m);
                path.latencies = f64::from(procs.floor_log2());
            }
            Self::ReduceBinary => {
                path.push_tree(TreeSteps::of(n, &binary_subtrees), m);
                path.latencies = f64::from(procs.floor_log2());
            }
            Self::InOrderBinary => {
                path.push_tree(TreeSteps::of(n, &in_order_subtrees), m);
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
                path = doubled(n, (n, block));
            }
            Self::ReduceThenScatter => reduce_then_scatter(&mut path, vector),
            Self::Dissemination => path.pass(ceil_log, 0.0),
            Self::BarrierTree => path.pass(2 * ceil_log, 0.0),
            Self::BarrierDoubling => path.pass(procs.floor_log2() + 2 * folds, 0.0),
            Self::BarrierFlat => {
                path.pass(others.saturating_mul(2), 0.0);
                path.latencies = 2.0;
            }
            Self::DoubleRing => path.pass(n.saturating_mul(2), 0.0),
        }
        path
    }
}

/// Segments along a chain.
fn pipeline(path: &mut CriticalPath, vector: ReducedVector, segment: Option<Bytes>) {
    let ReducedVector { procs, size, element } = vector;
    let division = segment_elements(size, element, segment.unwrap_or(size));
    let whole_segments = (procs.get() - 2).saturating_add(division.parts() - 1);
    path.combine(whole_segments, division.bytes(0) as f64);
    path.combine(1, division.bytes(division.parts() - 1) as f64);
    path.latencies = procs.partners();
}

/// A binomial reduce, and the messages of the root of a binomial scatter.
fn reduce_then_scatter(path: &mut CriticalPath, vector: ReducedVector) {
    let procs = vector.procs;
    path.combine(procs.ceil_log2(), vector.size.as_f64());
    path.latencies = f64::from(procs.floor_log2());
    for child in BINOMIAL.children(procs, Rank(0)) {
        path.pass(1, vector.range(BINOMIAL.subtree(procs, child), procs.get()));
    }
}

/// Fold and halvings.
fn halve(path: &mut CriticalPath, vector: ReducedVector, fold: Fold) {
    let half = vector.block(2);
    match fold {
        _ if vector.procs.get().is_power_of_two() => {}
        Fold::Whole => path.combine(1, vector.size.as_f64()),
        Fold::Halves => {
            path.combine(1, half);
            path.pass(1, half);
        }
    }
    for window in windows(vector, fold) {
        path.combine(1, window);
    }
}

/// The longest windows after each halving.
fn windows(vector: ReducedVector, fold: Fold) -> impl Iterator<Item = f64> {
    let steps = vector.procs.floor_log2();
    (1..=steps).map(move |step| match fold {
        Fold::Whole => vector.range(0..1 << (steps - step), 1 << steps),
        Fold::Halves => vector.block(1 << step),
    })
}

/// The windows that rank 0 receives in the gather.
fn gathered_windows(vector: ReducedVector, fold: Fold) -> impl Iterator<Item = f64> {
    let steps = vector.procs.floor_log2();
    windows(vector, fold).zip(1..).map(move |(window, step)| match fold {
        Fold::Whole => vector.range(1 << (steps - step)..2 << (steps - step), 1 << steps),
        Fold::Halves => window,
    })
}

/// Exchanges of a group of ranks among `(n, B)`, of what they have combined: of two halves, or of the largest power of two
/// with the other ranks. These then serve several ranks each.
fn doubled(group: u32, whole: (u32, f64)) -> CriticalPath {
    let (procs, block) = whole;
    if group == 1 {
        return CriticalPath::default();
    }
    let left = 1 << (group - 1).ilog2();
    let right = group - left;
    let mut path = doubled(left, whole);
    if right < left {
        let other = doubled(right, whole);
        if (other.startups(), other.bytes()) > (path.startups(), path.bytes()) {
            path = other;
        }
    }
    let messages = left.div_ceil(right);
    let combined = (f64::from(procs - group) + 1.0) * block;
    path.push(
        messages,
        f64::from(procs - right) * block,
        combined / f64::from(messages),
    );
    path
}

/// Fold and halvings of the blocks of ranks.
fn halve_blocks(path: &mut CriticalPath, vector: ReducedVector) {
    let procs = vector.procs;
    let power = 1 << procs.floor_log2();
    let pairs = procs.get() - power;
    path.combine(u32::from(pairs > 0), vector.size.as_f64());
    for step in 1..=procs.floor_log2() {
        let ranks = power >> step;
        path.combine(1, vector.range(0..ranks + ranks.min(pairs), procs.get()));
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

/// F of a tree: messages and combinations on its critical path. A message takes longer than any combinations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct TreeSteps {
    messages: u32,
    combinations: u32,
}

impl TreeSteps {
    /// F of a tree of `ranks` ranks; `subtrees` gives the ranks below each child of a root, in the order of service.
    fn of(ranks: u32, subtrees: &dyn Fn(u32) -> [u32; 2]) -> Self {
        Self::with_known(ranks, subtrees, &mut BTreeMap::new())
    }

    /// As [`TreeSteps::of`]; `known` has the subtrees by their ranks, of which few differ.
    fn with_known(ranks: u32, subtrees: &dyn Fn(u32) -> [u32; 2], known: &mut BTreeMap<u32, Self>) -> Self {
        if let Some(steps) = known.get(&ranks) {
            return *steps;
        }
        let mut steps = Self::default();
        let mut children = 0;
        for child in subtrees(ranks).into_iter().filter(|&child| child > 0) {
            steps = steps.max(Self::with_known(child, subtrees, known));
            steps.messages += 1;
            children += 1;
        }
        steps.combinations += children;
        known.insert(ranks, steps);
        steps
    }
}

/// Subtrees of the binary tree whose levels are full but for the last.
fn binary_subtrees(ranks: u32) -> [u32; 2] {
    let full = (1 << ranks.ilog2()) - 1;
    let last_level = ranks - full;
    let below_left = last_level.min(full.div_ceil(2));
    let left = (full / 2 + below_left).min(ranks - 1);
    [left, ranks - 1 - left]
}

/// Subtrees of the binary tree in rank order: the right one comes first.
fn in_order_subtrees(ranks: u32) -> [u32; 2] {
    let left = ranks / 2;
    [ranks - 1 - left, left]
}
