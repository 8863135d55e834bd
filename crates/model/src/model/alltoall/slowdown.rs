//! `slowdown`: one factor on a contention-free prediction.
//!
//! # Domain
//! Conditions near those of the measurement of σ. σ need not exceed 1: it also corrects predictions
//! that are too high.
//!
//! # Source
//! J. Bruck et al., IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, as quoted by
//! Steffenel 2006 (INRIA report) §2 and Steffenel, Martinasso, Trystram 2007 (GPC) §2. Both say
//! only that a factor corrects the prediction.

use super::contention_free::{CONTENTION_FREE, contention_free};
use crate::model::prelude::*;

pub(super) const SLOWDOWN: Model = Model {
    name: "slowdown",
    formula: "T = σ·((P−1)·g(m) + L)",
    source: "Bruck et al. 1997, as quoted in Steffenel 2006, section 2",
    domain: "One factor on a contention-free prediction; the sources give no more.",
    parameters: &[ModelParameter {
        name: "slowdown",
        meaning: "factor σ",
        role: ParameterRole::Linear(0.0),
        default: None,
    }],
    estimator: ModelEstimator::ByRole,
    example: WorkedExample::on_toy("P = 24, m = 1 MiB, σ = 1.25", 0.301_815_6, (24, 1 << 20)).with_values(&[1.25]),
    time: |inputs| {
        let slowdown = inputs.non_negative(0)?;
        inputs.evaluate_plogp(|net, procs, size| contention_free(net, procs, size) * slowdown)
    },
    kind: ModelKind::Contention,
    ..CONTENTION_FREE
};
