//! All-reduces.

use netsig_base::algorithm::{Fold, ReductionForm};

use super::{base, evaluate, evaluate_segmented, example};
use crate::model::prelude::*;

pub(in crate::model) const MODELS: &[Model] = &[
    RECURSIVE_DOUBLING,
    RABENSEIFNER,
    RABENSEIFNER_BLOCKS,
    RING,
    RING_SEGMENTED,
    REDUCE_BCAST,
    DIRECT,
];

const BASE: Model = base(Collective::Allreduce);

const RECURSIVE_DOUBLING: Model = Model {
    name: "recursive_doubling",
    formula: "T = (ℓ+f)·x(m) + f·x(m, 0), x(b, d) = L + g(b) + ω·d",
    example: example(0.000_446_4),
    time: |inputs| evaluate(inputs, ReductionForm::RecursiveDoubling),
    ..BASE
};

const RABENSEIFNER: Model = Model {
    name: "rabenseifner",
    formula: "T = f·(x(H) + x(H, 0)) + Σ_{i=1..ℓ} (x(bᵢ) + x(bᵢ, 0)) + f·x(m, 0), bᵢ = ⌈c/2ⁱ⌉·e, x(b, d) = L + g(b) + ω·d",
    domain: "Folds by halves, as Open MPI. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_594),
    time: |inputs| evaluate(inputs, ReductionForm::Rabenseifner(Fold::Halves)),
    ..BASE
};

const RABENSEIFNER_BLOCKS: Model = Model {
    name: "rabenseifner_blocks",
    formula: "T = f·x(m) + Σ_{i=1..ℓ} (x(bᵢ) + x(bᵢ, 0)) + f·x(m, 0), bᵢ the first Q/2ⁱ of Q blocks, x(b, d) = L + g(b) + ω·d",
    domain: "Folds whole, as MPICH. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_536_4),
    time: |inputs| evaluate(inputs, ReductionForm::Rabenseifner(Fold::Whole)),
    ..BASE
};

const RING: Model = Model {
    name: "ring",
    formula: "T = (n−1)·(x(B) + x(B, 0)), x(b, d) = L + g(b) + ω·d",
    example: example(0.000_684),
    time: |inputs| evaluate(inputs, ReductionForm::Ring),
    ..BASE
};

const RING_SEGMENTED: Model = Model {
    name: "ring_segmented",
    formula: "T = p·(n−1)·x(B/p) + (n−1)·x(B, 0), p phases of n segments, x(b, d) = L + g(b) + ω·d",
    domain: "The reduce-scatter runs once for each phase, the all-gather once with whole blocks. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_984).in_segments(400),
    time: |inputs| evaluate_segmented(inputs, ReductionForm::RingSegmented),
    ..BASE
};

const REDUCE_BCAST: Model = Model {
    name: "reduce_bcast",
    formula: "T = ⌈log₂n⌉·(2·g(m) + ω·m) + 2·⌊log₂n⌋·L",
    domain: "Over the binomial tree, up and down. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_562_4),
    time: |inputs| evaluate(inputs, ReductionForm::ReduceBcast),
    ..BASE
};

const DIRECT: Model = Model {
    name: "direct",
    formula: "T = (n−1)·(2·g(B) + ω·B) + 2·L",
    domain: "Every rank exchanges blocks with every other; contention, which is usual then, comes on top. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_284),
    time: |inputs| evaluate(inputs, ReductionForm::Direct),
    ..BASE
};
