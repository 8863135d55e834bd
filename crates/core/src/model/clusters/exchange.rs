//! `two_phase_paced`: the two-phase exchange between any clusters, w pairs of processes at once.
//!
//! # Formula
//! Of two clusters n₁ ≤ n₂ exchange in n₂ pairs of messages, ⌈n₂/w⌉ waves of w, of n₁ blocks each. The path is the
//! local phase and all waves. The messages of a cluster to all others cross its link at once, and the wave
//! lasts as long as that of the slowest cluster; an empty message inside the cluster precedes each.
//!
//! * local phase: S = `max_C (n_C − 1)·α`, B = `β·m·max_C b_C`
//! * a wave: S + α, B and `B_X` of f messages of b bytes, f = Σ min(w, what is left of n₂), b the mean of n₁·m; and
//!   δ if f·b ≥ M
//!
//! `b_C` is the largest number of blocks that a process of C sends inside its cluster: `n_C − 1` of its own,
//! and for each other cluster n₂ − ⌊n₂/n₁⌋ from the smaller, n₁ − 1 from the larger.

use super::{BASE, DELTA, GAMMA, GAMMA_LONG, IN_FLIGHT, KAPPA, Path, Place, example, place, timed};
use crate::model::prelude::*;

pub(in crate::model) const PACED: Model = Model {
    name: "two_phase_paced",
    formula: "T = κ·(max (n_C−1)·α + Σ_waves (α + S_w)) + γ·(β·m·max b_C + Σ_waves B_w) + γ_X·Σ_waves B_X + δ·Σ_waves [f·b ≥ M]",
    domain: "Any clusters, ⌈n2/w⌉ waves of w pairs of processes between two of them; b_C is the most blocks \
             that a process sends inside its cluster. The link of a cluster carries what it sends to all others.",
    example: Example::on(
        Setting::Known(|| example(Collective::Alltoall, "two-phase:1")),
        "clusters of 4 and 8, w = 1, m = 10000 B, α = 100 µs, β = 160 ns/B, 5 ms + 0.4 µs·b \
         for b bytes between clusters, X = 64 KiB, W = 14480 B, δ = 1 ms, M = 40000 B",
        0.214_004_582_095_238_1,
        (12, 10_000),
    )
    .with(&[1.0, 1.0, 1.0, 0.001, 40_000.0]),
    parameters: &[KAPPA, GAMMA, GAMMA_LONG, DELTA, IN_FLIGHT],
    compared: Some(|inputs| {
        let place = place(inputs, false)?;
        let sizes: Vec<u32> = place.layout.sizes().collect();
        let loads = (0..sizes.len()).map(|own| place.load(&sizes, own, (0, flows(&place))));
        let most = loads
            .map(|load| load.bytes * load.flows)
            .fold(0.0, f64::max);
        Ok(Bytes::rounded(most))
    }),
    time: |inputs| timed(inputs, path),
    ..BASE
};

/// What a cluster sends over its link at once.
struct Load {
    flows: f64,
    /// Mean size of a message.
    bytes: f64,
}

/// w.
fn flows(place: &Place) -> u32 {
    place.algorithm.wan_flows().unwrap_or(u32::MAX)
}

fn path(place: &Place) -> Path {
    let sizes: Vec<u32> = place.layout.sizes().collect();
    let local = Path {
        startups: place.most(|size| size - 1.0) * place.alpha(),
        bytes: place.size * place.beta() * most_blocks(&sizes),
        ..Path::default()
    };
    let waves = match &sizes[..] {
        [_] => 0,
        all => all
            .iter()
            .max()
            .map_or(0, |most| most.div_ceil(flows(place))),
    };
    (0..waves).fold(local, |path, number| path + place.wave(&sizes, number))
}

impl Place {
    /// Wave `number` of the slowest cluster.
    fn wave(&self, sizes: &[u32], number: u32) -> Path {
        let of_cluster = |own: usize| {
            let load = self.load(sizes, own, (number, flows(self)));
            let is_due = |limit: Bytes| load.flows * load.bytes >= limit.as_f64();
            let overflows = self.in_flight.is_some_and(is_due);
            let overflows = f64::from(u8::from(overflows));
            Path {
                overflows,
                ..self.crossing(load.bytes, load.flows)
            }
        };
        let slowest = (0..sizes.len()).map(of_cluster);
        let mut wave = slowest.fold(Path::default(), Path::or_longer);
        wave.startups += self.alpha();
        wave
    }

    /// What cluster `own` sends in wave `number` of at most `most` pairs to each other cluster.
    fn load(&self, sizes: &[u32], own: usize, (number, most): (u32, u32)) -> Load {
        let (mut flows, mut blocks) = (0.0, 0.0);
        for far in others(sizes, own) {
            let left = sizes[own]
                .max(far)
                .saturating_sub(number.saturating_mul(most));
            let pairs = f64::from(left.min(most));
            flows += pairs;
            blocks += pairs * f64::from(sizes[own].min(far));
        }
        Load {
            flows,
            bytes: self.size * blocks / f64::max(flows, 1.0),
        }
    }
}

/// max `b_C`.
fn most_blocks(sizes: &[u32]) -> f64 {
    let of_cluster = |(own, &size): (usize, &u32)| {
        let relayed = others(sizes, own).map(|far| {
            let (small, large) = (size.min(far), size.max(far));
            if size <= far {
                large - large / small
            } else {
                small - 1
            }
        });
        match size {
            1 => 0,
            _ => size - 1 + relayed.sum::<u32>(),
        }
    };
    let most = sizes.iter().enumerate().map(of_cluster).max();
    most.unwrap_or(0).into()
}

/// Sizes of the other clusters.
fn others(sizes: &[u32], own: usize) -> impl Iterator<Item = u32> {
    let all = sizes.iter().enumerate();
    all.filter(move |(other, _)| *other != own)
        .map(|(_, far)| *far)
}
