//! `two_level`: broadcast, scatter, gather and all-gather once between the heads of clusters, then inside.
//!
//! # Formula
//! k clusters, the largest of N processes; a binomial tree inside a cluster has d = ⌈log₂ N⌉ levels.
//!
//! | collective | S | B |
//! |---|---|---|
//! | broadcast | `α_w(m)` + d·α | `(k−1)·β_w·m` + d·β·m |
//! | in segments of q < m bytes | `α_w(q)` + (N−1)·α | max(`(k−1)·β_w`, β)·m + (N−1)·β·q |
//! | scatter, gather | `α_w(N·m)` + (N−1)·α | `β_w`·m·(n − n₀) + β·(N−1)·m |
//! | all-gather | `α_w(N·m)` + (N−1+d)·α | β·(N−1)·m + `β_w·m·max((k−1)·n_C, n−n_C)` + d·β·m·max(`n−n_C`) |
//!
//! The terms of `α_w` and `β_w` are absent in a single cluster; n₀ is the size of the root's cluster.

use super::{BASE, ClusterCase, ClusterPath, example_network, time_along};
use crate::model::prelude::*;

const NAME: &str = "two_level";

const DOMAIN: &str = "Any clusters; k of them, the largest of N processes, the root's of n0; d = ⌈log2 N⌉. \
                      α_w depends on the size of a message.";

const INPUTS: &str = "clusters of 4 and 8, m = 10000 B, α = 100 µs, β = 160 ns/B, 5 ms + 0.4 µs·b \
                      for b bytes between clusters, X = 64 KiB, W = 14480 B";

/// Fields that the models of all collectives share. B includes the bytes beyond X.
const LEVELS: Model = Model {
    name: NAME,
    domain: DOMAIN,
    ..BASE
};

pub(in crate::model) const BCAST: Model = Model {
    subject: ModelSubject::Collective(Collective::Bcast),
    formula: "T = κ·(α_w(m) + d·α) + γ·m·((k−1)·β_w + d·β); in segments of q bytes \
              T = κ·(α_w(q) + (N−1)·α) + γ·(m·max((k−1)·β_w, β) + (N−1)·β·q)",
    example: WorkedExample::on_network(
        ExampleNetwork::Known(|| example_network(Collective::Bcast, "two-level:1000000")),
        INPUTS,
        0.014_1,
        (12, 10_000),
    )
    .with_values(&[1.0, 1.0]),
    time: |inputs| time_along(inputs, broadcast),
    ..LEVELS
};

pub(in crate::model) const SCATTER: Model = Model {
    subject: ModelSubject::Collective(Collective::Scatter),
    formula: "T = κ·(α_w(N·m) + (N−1)·α) + γ·m·(β_w·(n−n0) + β·(N−1))",
    example: WorkedExample::on_network(
        ExampleNetwork::Known(|| example_network(Collective::Scatter, "two-level")),
        INPUTS,
        0.058_9,
        (12, 10_000),
    )
    .with_values(&[1.0, 1.0]),
    time: |inputs| time_along(inputs, scattered),
    ..LEVELS
};

pub(in crate::model) const GATHER: Model = Model {
    subject: ModelSubject::Collective(Collective::Gather),
    example: WorkedExample::on_network(
        ExampleNetwork::Known(|| example_network(Collective::Gather, "two-level")),
        INPUTS,
        0.058_9,
        (12, 10_000),
    )
    .with_values(&[1.0, 1.0]),
    ..SCATTER
};

pub(in crate::model) const ALLGATHER: Model = Model {
    subject: ModelSubject::Collective(Collective::Allgather),
    formula: "T = κ·(α_w(N·m) + (N−1+d)·α) + γ·m·(β·(N−1) + β_w·max(n−n_C, (k−1)·n_C) + d·β·max(n−n_C))",
    example: WorkedExample::on_network(
        ExampleNetwork::Known(|| example_network(Collective::Allgather, "two-level")),
        INPUTS,
        0.097_6,
        (12, 10_000),
    )
    .with_values(&[1.0, 1.0]),
    time: |inputs| time_along(inputs, gathered),
    ..LEVELS
};

impl ClusterCase {
    /// N.
    fn largest_cluster(&self) -> f64 {
        self.largest_over_clusters(|size| size)
    }

    /// d.
    fn tree_levels(&self) -> f64 {
        self.largest_cluster().log2().ceil()
    }

    /// A time between clusters, 0 in a single one.
    fn if_several_clusters(&self, time: f64) -> f64 {
        if self.other_clusters() > 0.0 { time } else { 0.0 }
    }
}

fn broadcast(case: &ClusterCase) -> ClusterPath {
    let algorithm_segment = case.algorithm.and_then(|algorithm| algorithm.segment());
    let segment = algorithm_segment.unwrap_or_default().as_f64();
    let (size, alpha, beta) = (case.size, case.alpha(), case.beta());
    let wide = case.other_clusters() * case.wide_beta();
    if segment <= 0.0 || segment >= size {
        let levels = case.tree_levels();
        return ClusterPath {
            startups: case.if_several_clusters(case.wide_alpha(size)) + levels * alpha,
            bytes: size * (wide + levels * beta),
            ..ClusterPath::default()
        };
    }
    let others = case.largest_cluster() - 1.0;
    ClusterPath {
        startups: case.if_several_clusters(case.wide_alpha(segment)) + others * alpha,
        bytes: size * f64::max(wide, beta) + others * beta * segment,
        ..ClusterPath::default()
    }
}

fn scattered(case: &ClusterCase) -> ClusterPath {
    let others = case.largest_cluster() - 1.0;
    let far = case.procs() - f64::from(case.layout.size(0));
    let packed = case.largest_cluster() * case.size;
    ClusterPath {
        startups: case.if_several_clusters(case.wide_alpha(packed)) + others * case.alpha(),
        bytes: case.size * (case.wide_beta() * far + case.beta() * others),
        ..ClusterPath::default()
    }
}

fn gathered(case: &ClusterCase) -> ClusterPath {
    let (procs, others) = (case.procs(), case.largest_cluster() - 1.0);
    let (levels, packed) = (case.tree_levels(), case.largest_cluster() * case.size);
    let crossing = case.largest_over_clusters(|size| f64::max(procs - size, case.other_clusters() * size));
    let handed = case.largest_over_clusters(|size| if size > 1.0 { procs - size } else { 0.0 });
    let wide = case.if_several_clusters(case.wide_beta() * crossing);
    let near = case.beta() * (others + levels * handed);
    ClusterPath {
        startups: case.if_several_clusters(case.wide_alpha(packed)) + (others + levels) * case.alpha(),
        bytes: case.size * (wide + near),
        ..ClusterPath::default()
    }
}
