//! `shared_link`: an all-to-all between any clusters whose pieces go straight to their receivers.
//!
//! # Formula
//! F = max `n_C·(n − n_C)` pieces of a cluster cross its link at once:
//!
//! * S is (n − 1)·α plus S of F messages of m bytes; B and `B_X` are those of these messages;
//! * δ if F·m ≥ M.
//!
//! Pieces inside the clusters travel meanwhile: hosts are faster than the links.
//!
//! # Domain
//! Algorithms that start all transfers at once. For other algorithms, κ counts how often a process waits for the
//! latency. The algorithm of a library need not be known.

use super::{
    BASE, ClusterCase, ClusterPath, DELTA, GAMMA, GAMMA_LONG, IN_FLIGHT, KAPPA, cluster_case, example_network,
    time_along,
};
use crate::model::prelude::*;

pub(in crate::model) const SHARED_LINK: Model = Model {
    name: crate::model::SHARED_LINK,
    formula: "T = κ·((n−1)·α + S_F) + γ·B_F + γ_X·B_XF + δ·[F·m ≥ M], F = max n_C·(n−n_C)",
    domain: "Any clusters; all pieces cross at once and share the link of their cluster with the others.",
    source: "netsig, after Steffenel 2006 (γ, δ, M)",
    example: WorkedExample::on_network(
        ExampleNetwork::Known(|| example_network(Collective::Alltoall, "direct")),
        "clusters of 4 and 8, m = 10000 B, α = 100 µs, 5 ms + 0.4 µs·b for b bytes between clusters, \
         X = 64 KiB, δ = 0.3 s, M = 100000 B",
        0.434_1,
        (12, 10_000),
    )
    .with_values(&[1.0, 1.0, 1.0, 0.3, 100_000.0]),
    parameters: &[KAPPA, GAMMA, GAMMA_LONG, DELTA, IN_FLIGHT],
    threshold_quantity: Some(|inputs| {
        let case = cluster_case(inputs, false)?;
        Ok(Bytes::rounded(case.flows() * case.size))
    }),
    time: |inputs| time_along(inputs, path),
    ..BASE
};

fn path(case: &ClusterCase) -> ClusterPath {
    let flows = case.flows();
    let crossing = case.crossing_path(case.size, flows);
    ClusterPath {
        startups: crossing.startups + (case.procs() - 1.0) * case.alpha(),
        overflows: case.overflow_count(flows * case.size),
        ..crossing
    }
}

impl ClusterCase {
    /// F.
    fn flows(&self) -> f64 {
        self.largest_over_clusters(|size| size * (self.procs() - size))
    }
}
