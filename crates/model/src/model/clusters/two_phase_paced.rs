//! `two_phase_paced`: the two-phase exchange between any clusters, w pairs of processes at once.
//!
//! # Formula
//! Two clusters n₁ ≤ n₂ exchange n₂ pairs of messages of n₁ blocks each. The path is the local phase and the second
//! phase of the slowest cluster, whose messages to all other clusters cross its link together.
//!
//! * local phase of the slowest cluster: S = `(n_C − 1)·α`, B = `β·m·b_C`. If the signature of a cluster's own
//!   all-to-all is known, B is its time beyond S for pieces of `m·b_C/(n_C − 1)`.
//! * ⌈n₂/w⌉ waves: each has S + α, B and `B_X` of f messages of b bytes, and δ if f·b ≥ M. f is Σ min(w, rest of n₂)
//!   over the other clusters, and b the mean of n₁·m.
//!
//! In the staggered form message j leaves at `s_j`: after j hops of `α + β·m·(n−n_C)` if j < w, else at `e_{j−w}` +
//! α. In the spaced form, of spacing h, it leaves after h·j hops. It has left the link at `F_j` = max(`F_{j−1}`,
//! `s_j`) + B. It arrives at `e_j`, the later of `F_j + α_w` and of `s_j` plus its own S and B. With itself, it finds
//! (`F_j − s_j`)/`β_w` bytes at the link. δ counts once for every w messages if one of them finds M bytes or more.
//!
//! `b_C` is the largest number of blocks that a process of C sends inside its cluster. `n_C − 1` of these are its
//! own. For each other cluster it relays n₂ − ⌊n₂/n₁⌋ more if C is the smaller of the two, n₁ − 1 if it is the
//! larger.

use netsig_base::algorithm::Algorithm;

use super::{
    BASE, ClusterCase, ClusterPath, DELTA, GAMMA, GAMMA_LONG, IN_FLIGHT, KAPPA, cluster_case, example_network,
    time_along,
};
use crate::model::alltoall::two_phase::local_phase_time;
use crate::model::prelude::*;

pub(in crate::model) const PACED: Model = Model {
    name: "two_phase_paced",
    formula: "T = κ·((n_C−1)·α + Σ_waves (α + S_w)) + γ·(β·m·b_C + Σ_waves B_w) + γ_X·Σ_waves B_X + δ·Σ_waves [f·b ≥ M]",
    domain: "Any clusters, ⌈n2/w⌉ waves of w pairs of processes between two of them; b_C is the most blocks \
             that a process sends inside its cluster. The link of a cluster carries what it sends to all others. \
             Staggered, the path of messages one after another takes the place of the waves.",
    example: WorkedExample::on_network(
        ExampleNetwork::Known(|| example_network(Collective::Alltoall, "two-phase:1")),
        "clusters of 4 and 8, w = 1, m = 10000 B, α = 100 µs, β = 160 ns/B, 5 ms + 0.4 µs·b \
         for b bytes between clusters, X = 64 KiB, W = 14480 B, δ = 1 ms, M = 40000 B",
        0.214_004_582_095_238_1,
        (12, 10_000),
    )
    .with_values(&[1.0, 1.0, 1.0, 0.001, 40_000.0]),
    parameters: &[KAPPA, GAMMA, GAMMA_LONG, DELTA, IN_FLIGHT],
    threshold_quantity: Some(|inputs| {
        let case = cluster_case(inputs, false)?;
        Ok(Bytes::rounded(case.second_phase().1))
    }),
    time: |inputs| time_along(inputs, path),
    ..BASE
};

/// Messages that a cluster sends over its link at once.
struct WaveLoad {
    flows: f64,
    /// Mean size of a message.
    bytes: f64,
}

/// w.
fn flows_at_once(case: &ClusterCase) -> u32 {
    let algorithm = case.algorithm.as_ref();
    algorithm.and_then(Algorithm::wan_flows).unwrap_or(u32::MAX)
}

fn path(case: &ClusterCase) -> ClusterPath {
    case.local_phase() + case.second_phase().0
}

impl ClusterCase {
    fn sizes(&self) -> Vec<u32> {
        self.layout.sizes().collect()
    }

    fn local_phase(&self) -> ClusterPath {
        let sizes = self.sizes();
        let of_cluster = |(cluster, &size): (usize, &u32)| {
            let partners = f64::from(size - 1);
            let startups = partners * self.alpha();
            let mut path = ClusterPath {
                startups,
                bytes: self.size * self.beta() * blocks_inside(&sizes, cluster),
                ..ClusterPath::default()
            };
            if let Some((signature, procs)) = self.signature.zip(Procs::new(size).ok()) {
                let piece = self.size * blocks_inside(&sizes, cluster) / partners.max(1.0);
                let time = local_phase_time(self.hockney, Some(signature), procs, piece);
                path.bytes = (time.0 - startups).max(0.0);
            }
            path
        };
        let all = sizes.iter().enumerate().map(of_cluster);
        all.fold(ClusterPath::default(), ClusterPath::or_longer)
    }

    /// Path of the second phase, and the largest number of bytes waiting at a link.
    fn second_phase(&self) -> (ClusterPath, f64) {
        let sizes = self.sizes();
        let exchanges = match &sizes[..] {
            [_] => 0,
            all => all.iter().copied().max().unwrap_or(0),
        };
        let clusters = 0..sizes.len();
        let hops_apart = self.algorithm.as_ref().and_then(Algorithm::hops_apart);
        if let Some(apart) = hops_apart {
            let of_each = clusters.map(|cluster| self.in_turn(&sizes, cluster, exchanges, apart));
            return of_each.fold((ClusterPath::default(), 0.0), slower);
        }
        let waves = 0..exchanges.div_ceil(flows_at_once(self));
        waves.fold((ClusterPath::default(), 0.0), |(path, most), number| {
            let of_each = clusters.clone().map(|cluster| self.wave(&sizes, cluster, number));
            let (mut wave, bytes) = of_each.fold((ClusterPath::default(), 0.0), slower);
            wave.startups += self.alpha();
            (path + wave, most.max(bytes))
        })
    }

    /// Path and bytes of wave `number` of a cluster.
    fn wave(&self, sizes: &[u32], cluster: usize, number: u32) -> (ClusterPath, f64) {
        let load = self.load(sizes, cluster, number, flows_at_once(self));
        let bytes = load.flows * load.bytes;
        let path = ClusterPath {
            overflows: self.overflow_count(bytes),
            ..self.crossing_path(load.bytes, load.flows)
        };
        (path, bytes)
    }

    /// Path of `exchanges` messages of a cluster that leave `hops_apart` hops after each other, and the most bytes
    /// waiting.
    fn in_turn(&self, sizes: &[u32], cluster: usize, exchanges: u32, hops_apart: u32) -> (ClusterPath, f64) {
        let (at_once, latency) = (flows_at_once(self), self.wide_area.latency.0);
        let delay = |startups| ClusterPath {
            startups,
            ..ClusterPath::default()
        };
        let hop = ClusterPath {
            startups: self.alpha(),
            bytes: self.size * self.beta() * (self.procs() - f64::from(sizes[cluster])),
            ..ClusterPath::default()
        };
        let (mut ends, mut most): (Vec<ClusterPath>, f64) = (Vec::new(), 0.0);
        let (mut link, mut counted) = (ClusterPath::default(), None);
        for number in 0..exchanges {
            let start = match number.checked_sub(at_once) {
                Some(before) => ends[before as usize] + delay(self.alpha()),
                None => hop * f64::from(number % sizes[cluster] * hops_apart),
            };
            let load = self.load(sizes, cluster, number, 1);
            let alone = self.crossing_path(load.bytes, load.flows);
            link = link.or_longer(start) + ClusterPath { startups: 0.0, ..alone };
            let bytes = (link.total() - start.total()) / self.wide_beta();
            let wave = Some(number / at_once);
            if counted != wave && self.overflow_count(bytes) > 0.0 {
                link.overflows += 1.0;
                counted = wave;
            }
            most = most.max(bytes);
            ends.push((start + alone).or_longer(link + delay(latency)));
        }
        let last = ends.into_iter().fold(ClusterPath::default(), ClusterPath::or_longer);
        (last, most)
    }

    /// Messages of a cluster in a wave of at most `most_pairs` pairs with each other cluster.
    fn load(&self, sizes: &[u32], cluster: usize, wave: u32, most_pairs: u32) -> WaveLoad {
        let (mut flows, mut blocks) = (0.0, 0.0);
        for other_size in other_sizes(sizes, cluster) {
            let remaining = sizes[cluster]
                .max(other_size)
                .saturating_sub(wave.saturating_mul(most_pairs));
            let pairs = f64::from(remaining.min(most_pairs));
            flows += pairs;
            blocks += pairs * f64::from(sizes[cluster].min(other_size));
        }
        WaveLoad {
            flows,
            bytes: self.size * blocks / f64::max(flows, 1.0),
        }
    }
}

/// The longer of two paths, and the larger number of bytes.
fn slower(one: (ClusterPath, f64), other: (ClusterPath, f64)) -> (ClusterPath, f64) {
    (one.0.or_longer(other.0), one.1.max(other.1))
}

/// `b_C`.
fn blocks_inside(sizes: &[u32], cluster: usize) -> f64 {
    let size = sizes[cluster];
    let relayed = other_sizes(sizes, cluster).map(|other_size| {
        let (small, large) = (size.min(other_size), size.max(other_size));
        if size <= other_size {
            large - large / small
        } else {
            small - 1
        }
    });
    match size {
        1 => 0.0,
        _ => f64::from(size - 1 + relayed.sum::<u32>()),
    }
}

/// Sizes of the other clusters.
fn other_sizes(sizes: &[u32], cluster: usize) -> impl Iterator<Item = u32> {
    let all = sizes.iter().enumerate();
    all.filter(move |(other, _)| *other != cluster).map(|(_, size)| *size)
}

#[cfg(test)]
mod tests {
    use netsig_base::algorithm::ClusterLayout;
    use netsig_base::network::placement::ParticipatingRanks;

    use super::*;
    use crate::model::clustered::{ClusteredRanks, WideAreaLink};
    use crate::model::signature::{Signature, SignatureForm};
    use crate::model::{Case, ParameterValues};
    use crate::testing::{assert_close, procs};

    /// Clusters of 2 and 4, pieces of 1000 B. Inside them β = 1 µs/B without start-ups, so the local phase takes 4
    /// ms, and hops take 4 ms and 2 ms. Between them 10 ms and 2 µs/B, so 4 ms for each of four messages. Worked by
    /// hand: with two at once, the messages of the larger cluster have left the link after 4, 8, 18 and 22 ms. With
    /// four at once they have left it after 4, 8, 12 and 16 ms, and in the smaller cluster the third message finds 6000 B.
    /// Twice as far apart, they have left it after 4, 8, 12 and 16 ms in the larger cluster and after 4, 12, 16 and 20 ms in
    /// the smaller. With γ = 3 inside the clusters the local phase takes 12 ms.
    #[test]
    fn staggered_messages_leave_when_the_link_and_their_ranks_are_free() {
        let time_with_signature = |algorithm, limit, signature| {
            let hockney = Hockney::new(Seconds(0.0), SecondsPerByte(1e-6)).unwrap();
            let known = KnownNetwork {
                clusters: Some(ClusteredRanks {
                    layout: ClusterLayout::of_sizes(&[2, 4]),
                    taking_part: ParticipatingRanks::Spread,
                    wide_area: Some(WideAreaLink::without_windows(Seconds(0.01), SecondsPerByte(2e-6))),
                    inside: None,
                }),
                algorithm: Algorithm::parse(Collective::Alltoall, algorithm).ok(),
                signature,
                ..KnownNetwork::of(hockney, None)
            };
            let values = ParameterValues {
                numbers: vec![1.0, 1.0, 1.0, 0.5, limit],
                latency: None,
            };
            let timed = PACED.time(&known, &values, Case::new(procs(6), Bytes(1000)));
            timed.unwrap().time
        };
        let time = |algorithm, limit| time_with_signature(algorithm, limit, None);
        assert_close(time("two-phase-staggered:2", f64::INFINITY), 0.036);
        assert_close(time("two-phase-staggered:4", 6001.0), 0.030);
        assert_close(time("two-phase-staggered:4", 6000.0), 0.530);
        assert_close(time("two-phase-spaced:1", 6000.0), 0.530);
        assert_close(time("two-phase-spaced:2", f64::INFINITY), 0.034);
        let signature = Signature {
            base: Hockney::new(Seconds(0.0), SecondsPerByte(1e-6)).unwrap(),
            form: SignatureForm::Full,
            gamma: 3.0,
            gamma_below: None,
            delta: Seconds(0.0),
            threshold: None,
        };
        let contended = time_with_signature("two-phase-staggered:4", f64::INFINITY, Some(signature));
        assert_close(contended, 0.038);
    }
}
