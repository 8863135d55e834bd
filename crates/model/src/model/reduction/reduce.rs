//! Reduces to a root. Trees are named by the messages that follow one another at the root.

use netsig_base::algorithm::{Fold, ReductionForm};

use super::{base, evaluate, evaluate_segmented, example};
use crate::model::prelude::*;

pub(in crate::model) const MODELS: &[Model] = &[
    FLAT,
    BINOMIAL,
    BINARY,
    CHAIN,
    PIPELINE,
    RABENSEIFNER,
    RABENSEIFNER_BLOCKS,
    IN_ORDER_BINARY,
];

const BASE: Model = base(Collective::Reduce);

const FLAT: Model = Model {
    name: "flat",
    formula: "T = (n−1)·(g(m) + ω·m) + L",
    domain: "The root takes the vectors of all others, one after the other. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_364),
    time: |inputs| evaluate(inputs, ReductionForm::ReduceFlat),
    ..BASE
};

const BINOMIAL: Model = Model {
    name: "binomial",
    formula: "T = ⌈log₂n⌉·(g(m) + ω·m) + ⌊log₂n⌋·L",
    domain: "Over the binomial tree, backwards. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_288_4),
    time: |inputs| evaluate(inputs, ReductionForm::ReduceBinomial),
    ..BASE
};

const BINARY: Model = Model {
    name: "binary",
    formula: "T = F(root): F(leaf) = 0; of the children in order t ← max(t, F(child)) + g(m), then ω·m for each; ⌊log₂n⌋·L",
    domain: "Children 2v+1 and 2v+2 of rank v. A message takes longer than a combination. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_351_2),
    time: |inputs| evaluate(inputs, ReductionForm::ReduceBinary),
    ..BASE
};

const CHAIN: Model = Model {
    name: "chain",
    formula: "T = (n−1)·(g(m) + ω·m + L)",
    domain: "Each adds its vector to that of the next and hands it on. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_564),
    time: |inputs| evaluate(inputs, ReductionForm::ReduceChain),
    ..BASE
};

const PIPELINE: Model = Model {
    name: "pipeline",
    formula: "T = (n−1)·(g(s) + ω·s + L) + (k−1)·(g(s) + ω·s), k = ⌈m/s⌉",
    domain: "The chain in segments of whole elements; the last message has the length of the last segment. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_435_6).in_segments(1200),
    time: |inputs| evaluate_segmented(inputs, ReductionForm::ReducePipeline),
    ..BASE
};

const RABENSEIFNER: Model = Model {
    name: "rabenseifner",
    formula: "T = f·(x(H) + x(H, 0)) + Σ_{i=1..ℓ} (x(bᵢ) + x(bᵢ, 0)), bᵢ = ⌈c/2ⁱ⌉·e, x(b, d) = L + g(b) + ω·d",
    domain: "Folds by halves, as Open MPI. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_486),
    time: |inputs| evaluate(inputs, ReductionForm::ReduceRabenseifner(Fold::Halves)),
    ..BASE
};

const RABENSEIFNER_BLOCKS: Model = Model {
    name: "rabenseifner_blocks",
    formula: "T = f·x(m) + Σ_{i=1..ℓ} (x(bᵢ) + x(wᵢ, 0)), bᵢ the first Q/2ⁱ of Q blocks, wᵢ the next as many, x(b, d) = L + g(b) + ω·d",
    domain: "Folds whole, as MPICH. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_428_4),
    time: |inputs| evaluate(inputs, ReductionForm::ReduceRabenseifner(Fold::Whole)),
    ..BASE
};

const IN_ORDER_BINARY: Model = Model {
    name: "in_order_binary",
    formula: "T = F(root) of the tree in rank order, as binary, and x(m, 0) from rank n−1 to the root",
    domain: "Subtrees of ⌊a/2⌋ and a−1−⌊a/2⌋ of a ranks. A message takes longer than a combination. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_401_2),
    time: |inputs| evaluate(inputs, ReductionForm::InOrderBinary),
    ..BASE
};
