//! `two_phase` and its variants: total exchange between two clusters in two phases. The first
//! gathers blocks inside each cluster, so that every message over the wide-area link carries many.
//!
//! # Symbols
//! Clusters C1 and C2 of n1 ≤ n2 processes. After a local phase, ⌈n2/n1⌉ steps cross the wide-area
//! link (`α_w` in seconds, `β_w` in seconds per byte). `T_C1` and `T_C2` are the times of the
//! all-to-all inside the clusters, by their contention signatures if known: at m bytes as printed,
//! or at `TwoClusters::effective_sizes`.
//!
//! # Misprint
//! The paper does not define n. In its algorithm a wide-area message packs the blocks of n1
//! processes, hence n = n1; `two_phase_total_n` takes n1 + n2, the meaning of n elsewhere in the
//! paper.
//!
//! The printed algorithm loses blocks from C2 to C1 where n1 does not divide n2: a relay in the
//! last, incomplete block of C2 may not exist. `two_phase_exact` is the sum over the steps of the
//! algorithm in which such a block takes the relay n1 places before; it equals eq. 6 where n1
//! divides n2. The exchanges of a step are simultaneous. Where they share the link
//! (`two_phase_shared_backbone`), `β_w` is multiplied by their number in the step: n1, and n2 mod
//! n1 in an incomplete last one, together n2.
//!
//! # Source
//! Steffenel, Martinasso, Trystram 2007 (GPC) §7, eq. 6; after Jeannot and Steffenel 2007.

use netsig_base::units::parameter::ParameterError;

use super::hockney::HOCKNEY;
use crate::model::clustered::{ALPHA_WIDE, BETA_WIDE, FIRST_CLUSTER};
use crate::model::entry::whole_number;
use crate::model::error::{ModelError, check_time};
use crate::model::examples::hockney_network;
use crate::model::prelude::*;
use crate::model::signature::{Signature, SignatureForm};

/// The sizes of the two clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TwoClusters {
    smaller: Procs,
    larger: Procs,
}

/// Arguments of a formula of the second phase.
#[derive(Debug, Clone, Copy)]
pub struct WideAreaPhase {
    /// Sizes n1 and n2 of the clusters.
    pub clusters: TwoClusters,
    /// `α_w` and `β_w` of the wide-area link.
    pub link: Hockney,
    /// Bytes m per destination.
    pub size: Bytes,
    /// n of eq. 6: number of blocks in a wide-area message.
    pub packed: u32,
}

impl TwoClusters {
    /// Two clusters, in any order.
    pub fn new(one: Procs, other: Procs) -> Self {
        Self {
            smaller: one.min(other),
            larger: one.max(other),
        }
    }

    /// Size n1 of the smaller cluster.
    pub fn smaller(self) -> Procs {
        self.smaller
    }

    /// Size n2 of the larger cluster.
    pub fn larger(self) -> Procs {
        self.larger
    }

    /// ⌈n2/n1⌉, the number of steps over the wide-area link.
    fn steps(self) -> f64 {
        f64::from(self.larger.get().div_ceil(self.smaller.get()))
    }

    /// Sizes in bytes of a uniform all-to-all within C1 and C2 in which each process sends as much as the busiest one
    /// sends in the local phase. They are m·(1 + (n2 − ⌊n2/n1⌋)/(n1 − 1)) in C1 and m·(1 + (n1 − 1)/(n2 − 1)) in C2,
    /// and need not be whole. A cluster of one process, which sends nothing, keeps m.
    fn effective_sizes(self, size: Bytes) -> [f64; 2] {
        let [n1, n2] = [self.smaller.get(), self.larger.get()];
        let enlarged = |procs: u32, relayed: u32| match procs - 1 {
            0 => size.as_f64(),
            partners => size.as_f64() * (1.0 + f64::from(relayed) / f64::from(partners)),
        };
        [enlarged(n1, n2 - n2 / n1), enlarged(n2, n1 - 1)]
    }
}

impl WideAreaPhase {
    /// Time of all start-ups and of `blocks` blocks one after the other.
    fn time_of_blocks(&self, blocks: f64) -> Seconds {
        self.link.alpha() * self.clusters.steps() + self.link.beta() * self.size * blocks
    }

    /// ⌈n2/n1⌉·(`α_w` + `β_w`·m·n).
    pub fn eq6(&self) -> Seconds {
        self.time_of_blocks(f64::from(self.packed) * self.clusters.steps())
    }

    /// Time of n2 messages of n blocks one after the other, over a shared link.
    fn over_shared_link(&self) -> Seconds {
        self.time_of_blocks(f64::from(self.packed) * f64::from(self.clusters.larger.get()))
    }

    /// ⌈n2/n1⌉·`α_w` + `β_w`·m·(n1·⌈n2/n1⌉ + n2 mod n1).
    pub fn exact_time(&self) -> Seconds {
        let [n1, n2] = [self.clusters.smaller.get(), self.clusters.larger.get()];
        self.time_of_blocks(f64::from(n1) * self.clusters.steps() + f64::from(n2 % n1))
    }
}

const FIRST: ModelParameter = ModelParameter::given(FIRST_CLUSTER, "processes of the first of the two clusters", None);
const ALPHA: ModelParameter = ModelParameter::given(ALPHA_WIDE, "α of the wide area", None);
const BETA: ModelParameter = ModelParameter::given(BETA_WIDE, "β of the wide area", None);
const PACKED: ModelParameter = ModelParameter::given(
    "packed_blocks",
    "n, the blocks that a wide-area message packs; n1 unless given",
    Some(f64::NAN),
);

pub(super) const TWO_PHASE: Model = Model {
    name: "two_phase",
    kind: ModelKind::Contention,
    formula: "T = max(T_C1, T_C2) + ⌈n2/n1⌉·(α_w + β_w·m·n), n = n1 ≤ n2",
    source: "Steffenel, Martinasso, Trystram 2007, eq. 6",
    domain: "Two clusters joined by a wide area. T_C is the cluster's own all-to-all: by the \
             fitted signature, else without contention. The print does not define n; a wide-area \
             message packs n1 blocks, so n = n1, unless given.",
    needs: &[ModelInput::Hockney, ModelInput::Signature],
    parameters: &[FIRST, ALPHA, BETA, PACKED],
    estimator: ModelEstimator::None,
    example: WorkedExample::on_network(
        ExampleNetwork::Known(signed_network),
        "n1 = 4, n2 = 10, m = 64 KiB, α_w = 5 ms, β_w = 10 ns/B, clusters with the \
         signature of Gigabit Ethernet (α = 50 µs, β = 8.502 ns/B, γ = 4.3628, \
         δ = 4.93 ms, M = 8 KiB)",
        0.091_075_641_819_494_4,
        (14, 65536),
    )
    .with_values(&[4.0, 5e-3, 1e-8, f64::NAN]),
    time: |inputs| two_phase(inputs, literal_sizes, blocks_of_smaller, WideAreaPhase::eq6),
    ..HOCKNEY
};

pub(super) const TOTAL_N: Model = Model {
    name: "two_phase_total_n",
    formula: "T = max(T_C1, T_C2) + ⌈n2/n1⌉·(α_w + β_w·m·(n1+n2))",
    domain: "As two_phase, with n the number of all processes, the paper's usual n.",
    example: TWO_PHASE.example.with_expected(0.110_736_441_819_494_41),
    time: |inputs| two_phase(inputs, literal_sizes, |_, procs| procs, WideAreaPhase::eq6),
    parameters: &[FIRST, ALPHA, BETA],
    ..TWO_PHASE
};

pub(super) const EXACT: Model = Model {
    name: "two_phase_exact",
    formula: "T = max(T_C1, T_C2) + ⌈n2/n1⌉·α_w + β_w·m·(n1·⌈n2/n1⌉ + n2 mod n1)",
    source: "netsig, the sum of the steps of the corrected algorithm",
    domain: "Sum of the steps of `two-phase`: eq. 6 plus β_w·m·(n2 mod n1).",
    example: TWO_PHASE.example.with_expected(0.092_386_361_819_494_4),
    time: |inputs| two_phase(inputs, literal_sizes, blocks_of_smaller, WideAreaPhase::exact_time),
    parameters: &[FIRST, ALPHA, BETA],
    ..TWO_PHASE
};

pub(super) const EFFECTIVE: Model = Model {
    name: "two_phase_effective",
    formula: "as two_phase, T_C at m·(blocks sent per node)/(n_C−1)",
    source: "netsig, after Steffenel, Martinasso, Trystram 2007, eq. 6",
    domain: "Counts the relayed blocks that the first phase moves within the clusters.",
    example: TWO_PHASE.example.with_expected(0.098_368_329_092_659_22),
    time: |inputs| {
        two_phase(
            inputs,
            TwoClusters::effective_sizes,
            blocks_of_smaller,
            WideAreaPhase::eq6,
        )
    },
    ..TWO_PHASE
};

pub(super) const SHARED_BACKBONE: Model = Model {
    name: "two_phase_shared_backbone",
    formula: "T = max(T_C1, T_C2) + ⌈n2/n1⌉·α_w + n2·β_w·m·n, n = n1",
    source: "netsig, after Steffenel, Martinasso, Trystram 2007, eq. 6",
    domain: "As two_phase, where the exchanges of a step share one wide-area link: n1 in a \
             full step, n2 over all.",
    example: TWO_PHASE.example.with_expected(0.109_425_721_819_494_4),
    time: |inputs| {
        two_phase(
            inputs,
            literal_sizes,
            blocks_of_smaller,
            WideAreaPhase::over_shared_link,
        )
    },
    ..TWO_PHASE
};

/// The local phase at m bytes as printed.
fn literal_sizes(_: TwoClusters, size: Bytes) -> [f64; 2] {
    [size.as_f64(); 2]
}

/// The number n of packed blocks as n1.
fn blocks_of_smaller(clusters: TwoClusters, _: Procs) -> Procs {
    clusters.smaller
}

/// Time of the longer local phase at `sizes` plus the second phase, in which n is the fourth
/// parameter if set, else `packed`.
fn two_phase(
    inputs: &FormulaInputs,
    sizes_of: fn(TwoClusters, Bytes) -> [f64; 2],
    packed_of: fn(TwoClusters, Procs) -> Procs,
    second_phase_time: fn(&WideAreaPhase) -> Seconds,
) -> Result<ModelTime, ModelError> {
    let (procs, size) = (inputs.case.procs, inputs.case.size);
    if procs.get() == 1 {
        return Ok(Seconds(0.0).into());
    }
    let clusters = two_clusters(inputs)?;
    let alpha = Seconds(inputs.non_negative(1)?);
    let beta = SecondsPerByte(inputs.non_negative(2)?);
    let wide_area_phase = WideAreaPhase {
        clusters,
        link: Hockney::new(alpha, beta)?,
        size,
        packed: match inputs.optional(3) {
            Some(_) => inputs.count(3)?.get(),
            None => packed_of(clusters, procs).get(),
        },
    };
    let sizes = sizes_of(clusters, size);
    let KnownNetwork { hockney, signature, .. } = inputs.known;
    let local_time = |procs, size| {
        let time = local_phase_time(*hockney, *signature, procs, size);
        check_time(inputs.model.name, time)
    };
    let smaller_time = local_time(clusters.smaller, sizes[0])?;
    let larger_time = local_time(clusters.larger, sizes[1])?;
    Ok((Seconds(smaller_time.0.max(larger_time.0)) + second_phase_time(&wide_area_phase)).into())
}

/// Time of an all-to-all within a cluster, by the signature if there is one. It is linear in m on either side of M,
/// and the size need not be whole.
pub(in crate::model) fn local_phase_time(
    hockney: Hockney,
    signature: Option<Signature>,
    procs: Procs,
    size: f64,
) -> Seconds {
    let Some(floor) = whole_number(size.floor()).map(Bytes) else {
        return Seconds(f64::INFINITY);
    };
    let time = |size| match signature {
        Some(signature) => signature.time_on(signature.side(floor), procs, size),
        None => hockney.alltoall(procs, size),
    };
    time(floor) + (time(Bytes(1)) - time(Bytes(0))) * (size - size.floor())
}

/// The two clusters; the first parameter is the process count of one of them, or NaN for the clusters
/// that are known.
fn two_clusters(inputs: &FormulaInputs) -> Result<TwoClusters, ModelError> {
    let (procs, first) = (inputs.case.procs, inputs.value(0));
    let whole_first = whole_number(first).and_then(|first| u32::try_from(first).ok());
    let given = whole_first.and_then(|first| Some([first, procs.get().checked_sub(first)?]));
    let known_sizes = || {
        let clusters = inputs.known.clusters.as_ref().filter(|_| first.is_nan())?;
        let sizes: Vec<u32> = clusters.layout_of(procs)?.sizes().collect();
        sizes.try_into().ok()
    };
    let found_clusters = given.or_else(known_sizes).and_then(|counts: [u32; 2]| {
        let [one, other] = counts.map(Procs::new);
        Some(TwoClusters::new(one.ok()?, other.ok()?))
    });
    found_clusters.ok_or_else(|| {
        if first.is_nan() {
            return inputs.missing(
                "two clusters of so many processes",
                "give --clusters with two, or take two_phase_paced, which has any number",
            );
        }
        let rule = "a whole number of processes that leaves some for the second cluster";
        ParameterError::new(FIRST.name, format!("{first} of {procs}"), rule).into()
    })
}

/// Gigabit Ethernet of Steffenel 2006 with its signature.
fn signed_network() -> KnownNetwork {
    let known = hockney_network(5e-5, 8.502e-9);
    KnownNetwork {
        signature: Some(Signature {
            base: known.hockney,
            form: SignatureForm::Full,
            gamma: 4.3628,
            gamma_below: None,
            delta: Seconds(4.93e-3),
            threshold: Some(Bytes(8192)),
        }),
        ..known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, procs};

    fn phase_of(one: u32, other: u32, packed: u32) -> WideAreaPhase {
        WideAreaPhase {
            clusters: TwoClusters::new(procs(one), procs(other)),
            link: Hockney::new(Seconds(5e-3), SecondsPerByte(1e-8)).unwrap(),
            size: Bytes(1000),
            packed,
        }
    }

    /// Follows the place and sender of each block by the text of the algorithm. Returns the blocks sent per process
    /// in the local phase, and the larger direction of each exchange by step.
    fn simulate(n1: usize, n2: usize) -> (Vec<usize>, Vec<Vec<usize>>) {
        let all = n1 + n2;
        let mut sent = vec![0; all];
        let mut over = vec![vec![[0; 2]; n1]; n2.div_ceil(n1)];
        for i in 0..all {
            for j in (0..all).filter(|&j| j != i) {
                if (i < n1) == (j < n1) {
                    sent[i] += 1;
                    continue;
                }
                let relay = match i < n1 {
                    true => j % n1,
                    false if i / n1 * n1 + j < all => i / n1 * n1 + j,
                    false => i / n1 * n1 + j - n1,
                };
                sent[i] += usize::from(relay != i);
                let outside = if i < n1 { j } else { relay };
                over[outside / n1 - 1][outside % n1][usize::from(i < n1)] += 1;
            }
        }
        let larger = |step: Vec<[usize; 2]>| step.into_iter().map(|[a, b]| a.max(b)).collect();
        (sent, over.into_iter().map(larger).collect())
    }

    #[test]
    fn the_exact_time_is_the_sum_of_the_simulated_steps() {
        for (n1, n2) in (1..9u32).flat_map(|n1| (n1..14).map(move |n2| (n1, n2))) {
            let (sent, steps) = simulate(n1 as usize, n2 as usize);
            let most = |blocks: &[usize]| blocks.iter().max().copied().unwrap() as f64;
            let alone = |step: &Vec<usize>| 5e-3 + 1e-8 * 1000.0 * most(step);
            let wide_area_phase = phase_of(n1, n2, n1);
            assert_close(wide_area_phase.exact_time(), steps.iter().map(alone).sum());
            let (c1, c2) = sent.split_at(n1 as usize);
            let sizes = wide_area_phase.clusters.effective_sizes(Bytes(5040));
            for (size, n, sent) in [(sizes[0], n1, c1), (sizes[1], n2, c2)] {
                // A lone process has nobody to send to: its size is left as it is.
                let others = f64::from(n - 1);
                let blocks = if n > 1 { most(sent) / others } else { 1.0 };
                assert!((size / (5040.0 * blocks) - 1.0).abs() < 1e-12, "{n1}, {n2}");
            }
        }
    }
}
