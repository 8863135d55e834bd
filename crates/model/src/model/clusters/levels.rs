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

use super::{BASE, Path, Place, example, timed};
use crate::model::prelude::*;

const NAME: &str = "two_level";

const DOMAIN: &str = "Any clusters; k of them, the largest of N processes, the root's of n0; d = ⌈log2 N⌉. \
                      α_w depends on the size of a message.";

const INPUTS: &str = "clusters of 4 and 8, m = 10000 B, α = 100 µs, β = 160 ns/B, 5 ms + 0.4 µs·b \
                      for b bytes between clusters, X = 64 KiB, W = 14480 B";

/// Fields that the models of all collectives share: B has the bytes of long messages, too.
const LEVELS: Model = Model {
    name: NAME,
    domain: DOMAIN,
    ..BASE
};

pub(in crate::model) const BCAST: Model = Model {
    subject: Subject::Collective(Collective::Bcast),
    formula: "T = κ·(α_w(m) + d·α) + γ·m·((k−1)·β_w + d·β); in segments of q bytes \
              T = κ·(α_w(q) + (N−1)·α) + γ·(m·max((k−1)·β_w, β) + (N−1)·β·q)",
    example: Example::on(
        Setting::Known(|| example(Collective::Bcast, "two-level:1000000")),
        INPUTS,
        0.014_1,
        (12, 10_000),
    )
    .with(&[1.0, 1.0]),
    time: |inputs| timed(inputs, broadcast),
    ..LEVELS
};

pub(in crate::model) const SCATTER: Model = Model {
    subject: Subject::Collective(Collective::Scatter),
    formula: "T = κ·(α_w(N·m) + (N−1)·α) + γ·m·(β_w·(n−n0) + β·(N−1))",
    example: Example::on(
        Setting::Known(|| example(Collective::Scatter, "two-level")),
        INPUTS,
        0.058_9,
        (12, 10_000),
    )
    .with(&[1.0, 1.0]),
    time: |inputs| timed(inputs, scattered),
    ..LEVELS
};

pub(in crate::model) const GATHER: Model = Model {
    subject: Subject::Collective(Collective::Gather),
    example: Example::on(
        Setting::Known(|| example(Collective::Gather, "two-level")),
        INPUTS,
        0.058_9,
        (12, 10_000),
    )
    .with(&[1.0, 1.0]),
    ..SCATTER
};

pub(in crate::model) const ALLGATHER: Model = Model {
    subject: Subject::Collective(Collective::Allgather),
    formula: "T = κ·(α_w(N·m) + (N−1+d)·α) + γ·m·(β·(N−1) + β_w·max(n−n_C, (k−1)·n_C) + d·β·max(n−n_C))",
    example: Example::on(
        Setting::Known(|| example(Collective::Allgather, "two-level")),
        INPUTS,
        0.097_6,
        (12, 10_000),
    )
    .with(&[1.0, 1.0]),
    time: |inputs| timed(inputs, gathered),
    ..LEVELS
};

impl Place {
    /// N.
    fn largest(&self) -> f64 {
        self.most(|size| size)
    }

    /// d.
    fn levels(&self) -> f64 {
        self.largest().log2().ceil()
    }

    /// A time between clusters, 0 in a single one.
    fn across(&self, time: f64) -> f64 {
        if self.others() > 0.0 { time } else { 0.0 }
    }
}

fn broadcast(place: &Place) -> Path {
    let segment = place.algorithm.and_then(|own| own.segment());
    let segment = segment.unwrap_or_default().as_f64();
    let (size, alpha, beta) = (place.size, place.alpha(), place.beta());
    let wide = place.others() * place.wide_beta();
    if segment <= 0.0 || segment >= size {
        let levels = place.levels();
        return Path {
            startups: place.across(place.wide_alpha(size)) + levels * alpha,
            bytes: size * (wide + levels * beta),
            ..Path::default()
        };
    }
    let others = place.largest() - 1.0;
    Path {
        startups: place.across(place.wide_alpha(segment)) + others * alpha,
        bytes: size * f64::max(wide, beta) + others * beta * segment,
        ..Path::default()
    }
}

fn scattered(place: &Place) -> Path {
    let others = place.largest() - 1.0;
    let far = place.procs() - f64::from(place.layout.size(0));
    let packed = place.largest() * place.size;
    Path {
        startups: place.across(place.wide_alpha(packed)) + others * place.alpha(),
        bytes: place.size * (place.wide_beta() * far + place.beta() * others),
        ..Path::default()
    }
}

fn gathered(place: &Place) -> Path {
    let (procs, others) = (place.procs(), place.largest() - 1.0);
    let (levels, packed) = (place.levels(), place.largest() * place.size);
    let crossing = place.most(|size| f64::max(procs - size, place.others() * size));
    let handed = place.most(|size| if size > 1.0 { procs - size } else { 0.0 });
    let wide = place.across(place.wide_beta() * crossing);
    let near = place.beta() * (others + levels * handed);
    Path {
        startups: place.across(place.wide_alpha(packed)) + (others + levels) * place.alpha(),
        bytes: place.size * (wide + near),
        ..Path::default()
    }
}
