//! Reduce-scatters, of equal blocks and of any; m is the whole vector in both.

use netsig_base::algorithm::ReductionForm;

use super::{base, evaluate, example};
use crate::model::prelude::*;

pub(in crate::model) const MODELS: &[Model] = &[
    PAIRWISE,
    HALVING,
    RING,
    BUTTERFLY,
    RECURSIVE_DOUBLING,
    REDUCE_THEN_SCATTER,
    DIRECT,
];

pub(in crate::model) const BLOCK_MODELS: &[Model] = &[
    of_equal_blocks(&PAIRWISE),
    of_equal_blocks(&HALVING),
    of_equal_blocks(&RING),
    of_equal_blocks(&BUTTERFLY),
    of_equal_blocks(&RECURSIVE_DOUBLING),
    of_equal_blocks(&REDUCE_THEN_SCATTER),
    of_equal_blocks(&DIRECT),
];

const fn of_equal_blocks(model: &Model) -> Model {
    Model {
        subject: ModelSubject::Collective(Collective::ReduceScatterBlock),
        ..*model
    }
}

const BASE: Model = base(Collective::ReduceScatter);

const PAIRWISE: Model = Model {
    name: "pairwise",
    formula: "T = (n−1)·x(B), x(b) = L + g(b) + ω·b",
    example: example(0.000_344),
    time: |inputs| evaluate(inputs, ReductionForm::Pairwise),
    ..BASE
};

const HALVING: Model = Model {
    name: "recursive_halving",
    formula: "T = f·x(m) + Σ_{M=Q/2, … 1} x(w) + f·x(B, 0), w the first M + min(M, r) of n blocks, x(b, d) = L + g(b) + ω·d",
    example: example(0.000_353_6),
    time: |inputs| evaluate(inputs, ReductionForm::Halving),
    ..BASE
};

const RING: Model = Model {
    name: "ring",
    formula: "T = (n−1)·x(B), x(b) = L + g(b) + ω·b",
    example: example(0.000_344),
    time: |inputs| evaluate(inputs, ReductionForm::ScatterRing),
    ..BASE
};

const BUTTERFLY: Model = Model {
    name: "butterfly",
    formula: "T = f·x(m) + Σ_{M=Q/2, … 1} x(w) + y·x(B, 0), w as in recursive_halving; y = 2 if r ≥ 2, else 1 if r = 1 or Q ≥ 4, else 0",
    domain: "Up to 0.2 % long if n does not divide c. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_421_6),
    time: |inputs| evaluate(inputs, ReductionForm::Butterfly),
    ..BASE
};

const RECURSIVE_DOUBLING: Model = Model {
    name: "recursive_doubling",
    formula: "T = G(n): G(1) = 0; G(a) = max(G(p), G(q)) + ⌈p/q⌉·x((n−q)·B, 0) + ω·(n+1−a)·B, p the largest power of two below a, q = a − p",
    domain: "Ranks beyond a power of two serve several others. Exact for powers of two. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_383_2),
    time: |inputs| evaluate(inputs, ReductionForm::ScatterDoubling),
    ..BASE
};

const REDUCE_THEN_SCATTER: Model = Model {
    name: "reduce_then_scatter",
    formula: "T = ⌈log₂n⌉·(g(m) + ω·m) + ⌊log₂n⌋·L + Σ (g(b) + L) over the messages of the root of a binomial scatter",
    domain: "Over the binomial tree, up and down. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_508_4),
    time: |inputs| evaluate(inputs, ReductionForm::ReduceThenScatter),
    ..BASE
};

const DIRECT: Model = Model {
    name: "direct",
    formula: "T = (n−1)·(g(B) + ω·B) + L",
    domain: "Every rank sends a block to every other; contention, which is usual then, comes on top. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_144),
    time: |inputs| evaluate(inputs, ReductionForm::ScatterDirect),
    ..BASE
};
