//! Barriers: signals without data.

use netsig_base::algorithm::ReductionForm;

use super::{base, evaluate, example};
use crate::model::prelude::*;

pub(in crate::model) const MODELS: &[Model] = &[DISSEMINATION, TREE, RECURSIVE_DOUBLING, FLAT, DOUBLE_RING];

const BASE: Model = base(Collective::Barrier);

const DISSEMINATION: Model = Model {
    name: "dissemination",
    formula: "T = ⌈log₂n⌉·(g(0) + L)",
    domain: "Messages without data. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_18),
    time: |inputs| evaluate(inputs, ReductionForm::Dissemination),
    ..BASE
};

const TREE: Model = Model {
    name: "binomial",
    formula: "T = 2·⌈log₂n⌉·(g(0) + L)",
    domain: "Up the binomial tree and down again. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_36),
    time: |inputs| evaluate(inputs, ReductionForm::BarrierTree),
    ..BASE
};

const RECURSIVE_DOUBLING: Model = Model {
    name: "recursive_doubling",
    formula: "T = (ℓ+2f)·(g(0) + L)",
    domain: "Exchanges of signals. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_24),
    time: |inputs| evaluate(inputs, ReductionForm::BarrierDoubling),
    ..BASE
};

const FLAT: Model = Model {
    name: "flat",
    formula: "T = 2·(n−1)·g(0) + 2·L",
    domain: "All signal to rank 0, and rank 0 to all. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_2),
    time: |inputs| evaluate(inputs, ReductionForm::BarrierFlat),
    ..BASE
};

const DOUBLE_RING: Model = Model {
    name: "double_ring",
    formula: "T = 2·n·(g(0) + L)",
    domain: "A signal goes twice round. Without contention. ω is 0 where the profile has no time of the operation.",
    example: example(0.000_72),
    time: |inputs| evaluate(inputs, ReductionForm::DoubleRing),
    ..BASE
};
