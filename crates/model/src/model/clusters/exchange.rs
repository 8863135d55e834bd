//! `two_phase_paced`: the two-phase exchange between any clusters, w pairs of processes at once.
//!
//! # Formula
//! Of two clusters n₁ ≤ n₂ exchange in n₂ pairs of messages of n₁ blocks each. The path is the local phase and
//! the second phase of the slowest cluster, whose messages to all others cross its link together.
//!
//! * local phase of the slowest cluster: S = `(n_C − 1)·α`, B = `β·m·b_C`; where a signature of a cluster's own
//!   all-to-all is known, B is what that takes beyond S for pieces of `m·b_C/(n_C − 1)`
//! * ⌈n₂/w⌉ waves: each has S + α, B and `B_X` of f messages of b bytes, f = Σ min(w, what is left of n₂), b the
//!   mean of n₁·m; and δ if f·b ≥ M
//!
//! In the staggered form message j leaves at `s_j`: after j hops of `α + β·m·(n−n_C)` if j < w, else at `e_{j−w}` + α;
//! in the spaced form, of spacing h, after h·j hops.
//! The link is free of it at `F_j` = max(`F_{j−1}`, `s_j`) + B, and it has come at `e_j`, the later of `F_j + α_w` and of
//! `s_j` plus S and B of its own. δ counts once for every w messages of which one finds M bytes or more before
//! it, itself included: (`F_j − s_j`)/`β_w`.
//!
//! `b_C` is the largest number of blocks that a process of C sends inside its cluster: `n_C − 1` of its own,
//! and for each other cluster n₂ − ⌊n₂/n₁⌋ from the smaller, n₁ − 1 from the larger.

use netsig_base::algorithm::Algorithm;

use super::{BASE, DELTA, GAMMA, GAMMA_LONG, IN_FLIGHT, KAPPA, Path, Place, example, place, timed};
use crate::model::alltoall::two_phase::local;
use crate::model::prelude::*;

pub(in crate::model) const PACED: Model = Model {
    name: "two_phase_paced",
    formula: "T = κ·((n_C−1)·α + Σ_waves (α + S_w)) + γ·(β·m·b_C + Σ_waves B_w) + γ_X·Σ_waves B_X + δ·Σ_waves [f·b ≥ M]",
    domain: "Any clusters, ⌈n2/w⌉ waves of w pairs of processes between two of them; b_C is the most blocks \
             that a process sends inside its cluster. The link of a cluster carries what it sends to all others. \
             Staggered, the path of messages one after another takes the place of the waves.",
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
        Ok(Bytes::rounded(place.second_phase().1))
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
    let own = place.algorithm.as_ref();
    own.and_then(Algorithm::wan_flows).unwrap_or(u32::MAX)
}

fn path(place: &Place) -> Path {
    place.local_phase() + place.second_phase().0
}

impl Place {
    fn sizes(&self) -> Vec<u32> {
        self.layout.sizes().collect()
    }

    fn local_phase(&self) -> Path {
        let sizes = self.sizes();
        let of_cluster = |(own, &size): (usize, &u32)| {
            let partners = f64::from(size - 1);
            let startups = partners * self.alpha();
            let mut path = Path {
                startups,
                bytes: self.size * self.beta() * blocks_inside(&sizes, own),
                ..Path::default()
            };
            if let Some((signature, procs)) = self.signature.zip(Procs::new(size).ok()) {
                let piece = self.size * blocks_inside(&sizes, own) / partners.max(1.0);
                let time = local((self.hockney, Some(signature)), procs, piece);
                path.bytes = (time.0 - startups).max(0.0);
            }
            path
        };
        let all = sizes.iter().enumerate().map(of_cluster);
        all.fold(Path::default(), Path::or_longer)
    }

    /// Path of the second phase, and the most bytes before a link at once.
    fn second_phase(&self) -> (Path, f64) {
        let sizes = self.sizes();
        let exchanges = match &sizes[..] {
            [_] => 0,
            all => all.iter().copied().max().unwrap_or(0),
        };
        let clusters = 0..sizes.len();
        let apart = self.algorithm.as_ref().and_then(Algorithm::hops_apart);
        if let Some(apart) = apart {
            let of_each = clusters.map(|own| self.in_turn(&sizes, own, (exchanges, apart)));
            return of_each.fold((Path::default(), 0.0), slower);
        }
        let waves = 0..exchanges.div_ceil(flows(self));
        waves.fold((Path::default(), 0.0), |(path, most), number| {
            let of_each = clusters.clone().map(|own| self.wave(&sizes, own, number));
            let (mut wave, bytes) = of_each.fold((Path::default(), 0.0), slower);
            wave.startups += self.alpha();
            (path + wave, most.max(bytes))
        })
    }

    /// Wave `number` of cluster `own`.
    fn wave(&self, sizes: &[u32], own: usize, number: u32) -> (Path, f64) {
        let load = self.load(sizes, own, (number, flows(self)));
        let bytes = load.flows * load.bytes;
        let path = Path {
            overflows: self.overflows(bytes),
            ..self.crossing(load.bytes, load.flows)
        };
        (path, bytes)
    }

    /// The messages of cluster `own` one after another, so many hops apart.
    fn in_turn(&self, sizes: &[u32], own: usize, (exchanges, apart): (u32, u32)) -> (Path, f64) {
        let (at_once, latency) = (flows(self), self.between.latency.0);
        let after = |startups| Path {
            startups,
            ..Path::default()
        };
        let hop = Path {
            startups: self.alpha(),
            bytes: self.size * self.beta() * (self.procs() - f64::from(sizes[own])),
            ..Path::default()
        };
        let (mut ends, mut most): (Vec<Path>, f64) = (Vec::new(), 0.0);
        let (mut link, mut counted) = (Path::default(), None);
        for number in 0..exchanges {
            let start = match number.checked_sub(at_once) {
                Some(before) => ends[before as usize] + after(self.alpha()),
                None => hop * f64::from(number % sizes[own] * apart),
            };
            let load = self.load(sizes, own, (number, 1));
            let alone = self.crossing(load.bytes, load.flows);
            link = link.or_longer(start) + Path { startups: 0.0, ..alone };
            let bytes = (link.total() - start.total()) / self.wide_beta();
            let wave = Some(number / at_once);
            if counted != wave && self.overflows(bytes) > 0.0 {
                link.overflows += 1.0;
                counted = wave;
            }
            most = most.max(bytes);
            ends.push((start + alone).or_longer(link + after(latency)));
        }
        let last = ends.into_iter().fold(Path::default(), Path::or_longer);
        (last, most)
    }

    /// What cluster `own` sends in wave `number` of at most `most` pairs to each other cluster.
    fn load(&self, sizes: &[u32], own: usize, (number, most): (u32, u32)) -> Load {
        let (mut flows, mut blocks) = (0.0, 0.0);
        for far in others(sizes, own) {
            let left = sizes[own].max(far).saturating_sub(number.saturating_mul(most));
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

/// The slower of two clusters, and the most bytes of both.
fn slower(one: (Path, f64), other: (Path, f64)) -> (Path, f64) {
    (one.0.or_longer(other.0), one.1.max(other.1))
}

/// `b_C`.
fn blocks_inside(sizes: &[u32], own: usize) -> f64 {
    let size = sizes[own];
    let relayed = others(sizes, own).map(|far| {
        let (small, large) = (size.min(far), size.max(far));
        if size <= far { large - large / small } else { small - 1 }
    });
    match size {
        1 => 0.0,
        _ => f64::from(size - 1 + relayed.sum::<u32>()),
    }
}

/// Sizes of the other clusters.
fn others(sizes: &[u32], own: usize) -> impl Iterator<Item = u32> {
    let all = sizes.iter().enumerate();
    all.filter(move |(other, _)| *other != own).map(|(_, far)| *far)
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::Layout;
    use netsig_base::network::placement::TakingPart;

    use super::*;
    use crate::model::clustered::{Between, Clustered};
    use crate::model::signature::{Form, Signature};
    use crate::model::{Case, Values};
    use crate::testing::{assert_close, procs};

    /// Clusters of 2 and 4, pieces of 1000 B. Inside β = 1 µs/B without start-ups, so 4 ms for the local phase
    /// and hops of 4 ms and 2 ms; between them 10 ms and 2 µs/B, so 4 ms for each of four messages. Worked by
    /// hand: the messages of the larger cluster are off the link after 4, 8, 18 and 22 ms with two at once,
    /// after 4, 8, 12 and 16 ms with four, and in the smaller cluster the third then finds 6000 B; twice as far
    /// apart, after 4, 8, 12 and 16 in the larger and after 4, 12, 16 and 20 ms in the smaller. With γ = 3 inside
    /// the clusters the local phase takes 12 ms.
    #[test]
    fn staggered_messages_leave_when_the_link_and_their_ranks_are_free() {
        let signed = |algorithm, limit, signature| {
            let hockney = Hockney::new(Seconds(0.0), SecondsPerByte(1e-6)).unwrap();
            let known = Known {
                clusters: Some(Clustered {
                    layout: Layout::of_sizes(&[2, 4]),
                    taking_part: TakingPart::Spread,
                    between: Some(Between::line(Seconds(0.01), SecondsPerByte(2e-6))),
                    inside: None,
                }),
                algorithm: Algorithm::parse(Collective::Alltoall, algorithm).ok(),
                signature,
                ..Known::of(hockney, None)
            };
            let values = Values {
                numbers: vec![1.0, 1.0, 1.0, 0.5, limit],
                latency: None,
            };
            let timed = PACED.time(&known, &values, Case::new(procs(6), Bytes(1000)));
            timed.unwrap().time
        };
        let time = |algorithm, limit| signed(algorithm, limit, None);
        assert_close(time("two-phase-staggered:2", f64::INFINITY), 0.036);
        assert_close(time("two-phase-staggered:4", 6001.0), 0.030);
        assert_close(time("two-phase-staggered:4", 6000.0), 0.530);
        assert_close(time("two-phase-spaced:1", 6000.0), 0.530);
        assert_close(time("two-phase-spaced:2", f64::INFINITY), 0.034);
        let signature = Signature {
            base: Hockney::new(Seconds(0.0), SecondsPerByte(1e-6)).unwrap(),
            form: Form::Full,
            gamma: 3.0,
            gamma_below: None,
            delta: Seconds(0.0),
            threshold: None,
        };
        let contended = signed("two-phase-staggered:4", f64::INFINITY, Some(signature));
        assert_close(contended, 0.038);
    }
}
