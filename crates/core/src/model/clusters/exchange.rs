//! `two_phase_paced`: the two-phase exchange between any clusters, w pairs of processes at once.
//!
//! # Formula
//! Of two clusters n₁ ≤ n₂ exchange in n₂ pairs of messages, ⌈n₂/w⌉ waves of w, of n₁ blocks each.
//!
//! * `S = max_C (n_C − 1)·α + max (⌈n₂/w⌉·α_w(n₁·m))`
//! * `B = β·m·max_C b_C + β_w·m·max_C n_C·(n − n_C)`
//!
//! `b_C` is the largest number of blocks that a process of C sends inside its cluster: `n_C − 1` of its own,
//! and for each other cluster n₂ − ⌊n₂/n₁⌋ from the smaller, n₁ − 1 from the larger.

use super::{BASE, Path, Place, example, timed};
use crate::model::prelude::*;

pub(in crate::model) const PACED: Model = Model {
    name: "two_phase_paced",
    formula: "T = κ·(max (n_C−1)·α + ⌈n2/w⌉·α_w(n1·m)) + γ·m·(β·max b_C + β_w·max n_C·(n−n_C))",
    domain: "Any clusters, w pairs of processes at once between two of them; b_C is the most blocks \
             that a process sends inside its cluster. α_w depends on the size of a message. The link of a \
             cluster carries what it sends to all others.",
    example: Example::on(
        Setting::Known(|| example(Collective::Alltoall, "two-phase:2")),
        "clusters of 4 and 8, w = 2, m = 10000 B, α = 100 µs, β = 160 ns/B, 5 + 0.4·b/kB ms \
         for b bytes between clusters",
        0.164_7,
        (12, 10_000),
    )
    .with(&[1.0, 1.0]),
    time: |inputs| timed(inputs, path),
    ..BASE
};

fn path(place: &Place) -> Path {
    let flows = place.algorithm.wan_flows().unwrap_or(u32::MAX);
    let sizes: Vec<u32> = place.layout.sizes().collect();
    let (mut crossing, mut blocks) = (0.0, 0.0);
    for (own, &size) in sizes.iter().enumerate() {
        let mut sent = f64::from(size - 1);
        for (other, &far) in sizes.iter().enumerate() {
            if other == own {
                continue;
            }
            let (small, large) = (size.min(far), size.max(far));
            sent += f64::from(if size <= far {
                large - large / small
            } else {
                small - 1
            });
            let waves = f64::from(large.div_ceil(flows));
            let startup = place.wide_alpha(f64::from(small) * place.size);
            crossing = f64::max(crossing, waves * startup);
        }
        if size > 1 {
            blocks = f64::max(blocks, sent);
        }
    }
    let procs = place.procs();
    let wide = place.most(|size| size * (procs - size));
    Path {
        startups: place.most(|size| size - 1.0) * place.alpha() + crossing,
        bytes: place.size * (place.beta() * blocks + place.wide_beta() * wide),
    }
}
