//! `shared_link`: an all-to-all between any clusters whose pieces go straight to their receivers.
//!
//! # Formula
//! F = max `n_C·(n − n_C)` pieces of a cluster cross its link at once:
//!
//! * S = (n − 1)·α + S of F messages of m bytes, and their B and `B_X`;
//! * δ if F·m ≥ M.
//!
//! Pieces inside the clusters travel meanwhile: hosts are faster than the links.
//!
//! # Domain
//! Algorithms that start all transfers at once; of others κ counts how often a process waits for the latency.
//! Which one a library takes need not be known.

use super::{BASE, DELTA, GAMMA, GAMMA_LONG, IN_FLIGHT, KAPPA, Path, Place, example, place, timed};
use crate::model::prelude::*;

pub(in crate::model) const SHARED_LINK: Model = Model {
    name: crate::model::SHARED_LINK,
    formula: "T = κ·((n−1)·α + S_F) + γ·B_F + γ_X·B_XF + δ·[F·m ≥ M], F = max n_C·(n−n_C)",
    domain: "Any clusters; all pieces cross at once and share the link of their cluster with the others.",
    source: "netsig, after Steffenel 2006 (γ, δ, M)",
    example: Example::on(
        Setting::Known(|| example(Collective::Alltoall, "direct")),
        "clusters of 4 and 8, m = 10000 B, α = 100 µs, 5 ms + 0.4 µs·b for b bytes between clusters, \
         X = 64 KiB, δ = 0.3 s, M = 100000 B",
        0.434_1,
        (12, 10_000),
    )
    .with(&[1.0, 1.0, 1.0, 0.3, 100_000.0]),
    parameters: &[KAPPA, GAMMA, GAMMA_LONG, DELTA, IN_FLIGHT],
    compared: Some(|inputs| {
        let place = place(inputs, false)?;
        Ok(Bytes::rounded(place.flows() * place.size))
    }),
    time: |inputs| timed(inputs, path),
    ..BASE
};

fn path(place: &Place) -> Path {
    let flows = place.flows();
    let own = place.crossing(place.size, flows);
    Path {
        startups: own.startups + (place.procs() - 1.0) * place.alpha(),
        overflows: place.overflows(flows * place.size),
        ..own
    }
}

impl Place {
    /// F.
    fn flows(&self) -> f64 {
        self.most(|size| size * (self.procs() - size))
    }
}
