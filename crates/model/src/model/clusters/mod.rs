//! Models of collectives between clusters: the two-phase exchange with a limited number of simultaneous transfers,
//! the collectives in two levels, and an all-to-all whose pieces go straight to their receivers.
//!
//! # Symbols
//! n processes in clusters of `n_C`, m bytes; α and β between two processes of one cluster. Between the heads of two
//! clusters, `α_w` is the time of the smallest message and `β_w` the slope between the two longest. A message of X
//! bytes or more waits for the receiver's consent. After a pause, a connection sends W bytes at once.
//!
//! # Formula
//! T = κ·S + γ·B + `γ_X·B_X`, and δ more for each wave with M bytes in flight or more, which overflow a port. S, B
//! and `B_X` are times on the path that ends last: of the start-ups, of the bytes of each message up to X, and of the
//! bytes beyond. Without a fit κ = γ = `γ_X` = 1 and δ = 0. Each algorithm's path is in its file. f messages of b
//! bytes that cross one link at once have
//!
//! * `S = α_w + 2·α_w·[b ≥ X] + Σ_k max(0, 2·α_w − f·β_w·W_k)`, over the windows `W_k = 2^k·W` whose sum b exceeds;
//!   the sum is 0 unless connections have paused;
//! * `B + B_X = f·β_w·b`.
//!
//! A connection has paused if it was idle for a retransmission timeout, here between two calls. As calls follow each
//! other, the time of a call decides: T₁ is this time with κ = γ = `γ_X` = 1 after a pause. No connection has paused
//! up to T₁ of 0.8 timeouts, all have from 1.2 timeouts on, and between them the share grows in proportion. A timeout
//! is that of Linux, 200 ms + 2·`α_w`.
//!
//! # Domain
//! Ports with unknown buffers: a fit gives M and δ. Calls that follow each other, as in a benchmark. If a program
//! computes for longer than a timeout between calls, connections pause at every size.
//!
//! # Source
//! netsig, after Steffenel, Martinasso, Trystram 2007 (GPC), eq. 6; windows after RFC 5681, section 4.1, and
//! RFC 6928.

mod shared_link;
mod two_level;
mod two_phase_paced;

use netsig_base::algorithm::{Algorithm, ClusterLayout};
use netsig_base::network::LINUX_RTO;
use netsig_base::network::placement::ParticipatingRanks;
pub(super) use shared_link::SHARED_LINK;
pub(super) use two_level::{ALLGATHER, BCAST, GATHER, SCATTER};
pub(super) use two_phase_paced::PACED;

use std::ops::{Add, Mul};

use super::clustered::{ClusteredRanks, WideAreaLink};
use super::prelude::*;
use super::signature::Signature;

const KAPPA: ModelParameter = ModelParameter {
    name: "kappa",
    meaning: "κ, the start-ups as a multiple of those without contention",
    role: ParameterRole::Linear(0.0),
    default: Some(1.0),
};

const GAMMA: ModelParameter = ModelParameter {
    name: "gamma",
    meaning: "γ, the bytes as a multiple of those without contention",
    role: ParameterRole::Linear(0.0),
    default: Some(1.0),
};

const GAMMA_LONG: ModelParameter = ModelParameter {
    name: "gamma_x",
    meaning: "γ_X, the bytes of long messages beyond X, likewise",
    ..GAMMA
};

const DELTA: ModelParameter = ModelParameter {
    name: "delta_wave_s",
    meaning: "δ, the supplement of each wave that overflows a port",
    role: ParameterRole::Supplement,
    default: Some(0.0),
};

const IN_FLIGHT: ModelParameter = ModelParameter {
    name: "in_flight_bytes",
    meaning: "M, the bytes of a wave from which it overflows a port",
    role: ParameterRole::Threshold,
    default: Some(f64::INFINITY),
};

/// Fields that all models of this folder share.
const BASE: Model = Model {
    kind: ModelKind::Contention,
    source: "netsig, after Steffenel, Martinasso, Trystram 2007, eq. 6",
    needs: &[ModelInput::Hockney, ModelInput::Clusters],
    parameters: &[KAPPA, GAMMA],
    estimator: ModelEstimator::ByRole,
    ..Model::of_subject(ModelSubject::Collective(Collective::Alltoall))
};

/// Times of a call in retransmission timeouts: up to the first no connection has paused, from the second on all have.
const PAUSES: [f64; 2] = [0.8, 1.2];

/// Start-ups and bytes of a path, as times.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct ClusterPath {
    startups: f64,
    bytes: f64,
    /// Bytes beyond X.
    long_bytes: f64,
    /// Number of waves that overflow a port.
    overflows: f64,
}

impl ClusterPath {
    /// T with κ = γ = `γ_X` = 1.
    fn total(self) -> f64 {
        self.startups + self.bytes + self.long_bytes
    }

    /// The path that takes longer.
    fn or_longer(self, other: Self) -> Self {
        if other.total() > self.total() { other } else { self }
    }
}

impl Add for ClusterPath {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            startups: self.startups + other.startups,
            bytes: self.bytes + other.bytes,
            long_bytes: self.long_bytes + other.long_bytes,
            overflows: self.overflows + other.overflows,
        }
    }
}

impl Mul<f64> for ClusterPath {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self {
            startups: self.startups * factor,
            bytes: self.bytes * factor,
            long_bytes: self.long_bytes * factor,
            overflows: self.overflows * factor,
        }
    }
}

/// Arguments of a path.
struct ClusterCase {
    layout: ClusterLayout,
    hockney: Hockney,
    /// Signature of the all-to-all inside a cluster, if it is known.
    signature: Option<Signature>,
    wide_area: WideAreaLink,
    /// `None` if pieces go straight to their receivers.
    algorithm: Option<Algorithm>,
    /// m.
    size: f64,
    /// True if connections have paused.
    has_paused: bool,
    /// M, if there is one.
    in_flight: Option<Bytes>,
}

impl ClusterCase {
    /// n.
    fn procs(&self) -> f64 {
        self.layout.ranks() as f64
    }

    /// α.
    fn alpha(&self) -> f64 {
        self.hockney.alpha().0
    }

    /// β.
    fn beta(&self) -> f64 {
        self.hockney.beta().0
    }

    /// `β_w`.
    fn wide_beta(&self) -> f64 {
        self.wide_area.gap.0
    }

    /// Path of `flows` messages of `bytes` bytes each that cross one link at once.
    fn crossing_path(&self, bytes: f64, flows: f64) -> ClusterPath {
        let (latency, gap) = (self.wide_area.latency.0, self.wide_beta());
        let limit = self.wide_area.consent.map_or(f64::INFINITY, Bytes::as_f64);
        let consent = if bytes >= limit { 2.0 * latency } else { 0.0 };
        let beyond = (bytes - limit).max(0.0);
        ClusterPath {
            startups: latency + consent + self.acknowledgement_waits(bytes, flows),
            bytes: flows * gap * (bytes - beyond),
            long_bytes: flows * gap * beyond,
            overflows: 0.0,
        }
    }

    /// Time in which all connections wait for acknowledgements.
    fn acknowledgement_waits(&self, bytes: f64, flows: f64) -> f64 {
        let Some(first) = self.wide_area.first_window.filter(|_| self.has_paused) else {
            return 0.0;
        };
        let (mut window, mut sent, mut waits) = (first.as_f64().max(1.0), 0.0, 0.0);
        while sent + window < bytes {
            waits += (2.0 * self.wide_area.latency.0 - flows * window * self.wide_beta()).max(0.0);
            sent += window;
            window *= 2.0;
        }
        waits
    }

    /// `α_w(b)`: the start-ups of a single message.
    fn wide_alpha(&self, bytes: f64) -> f64 {
        self.crossing_path(bytes, 1.0).startups
    }

    /// 1 if `bytes` bytes waiting at a link overflow its port, else 0.
    fn overflow_count(&self, bytes: f64) -> f64 {
        let is_due = self.in_flight.is_some_and(|limit| bytes >= limit.as_f64());
        f64::from(u8::from(is_due))
    }

    /// Largest value over the sizes of the clusters.
    fn largest_over_clusters(&self, value: impl Fn(f64) -> f64) -> f64 {
        let values = self.layout.sizes().map(|size| value(size.into()));
        values.fold(0.0, f64::max)
    }

    /// Number of the other clusters that a cluster sends to.
    fn other_clusters(&self) -> f64 {
        self.layout.clusters() as f64 - 1.0
    }
}

/// Time of a case along `path`.
fn time_along(inputs: &FormulaInputs, path: fn(&ClusterCase) -> ClusterPath) -> Result<ModelTime, ModelError> {
    let [before, after] = [false, true].map(|paused| cluster_case(inputs, paused).map(|case| (path(&case), case)));
    let ((in_use, _), (after, case)) = (before?, after?);
    let timeout = LINUX_RTO.0 + 2.0 * case.wide_area.latency.0;
    let [none, all] = PAUSES;
    let paused_share = ((after.total() / timeout - none) / (all - none)).clamp(0.0, 1.0);
    let path = after * paused_share + in_use * (1.0 - paused_share);
    let mut time = 0.0;
    // Models without long messages or overflows have fewer parameters.
    for (index, share) in [path.startups, path.bytes, path.long_bytes, path.overflows]
        .into_iter()
        .enumerate()
    {
        if share > 0.0 {
            time += inputs.non_negative(index)? * share;
        }
    }
    Ok(Seconds(time).into())
}

/// The arguments of a case.
fn cluster_case(inputs: &FormulaInputs, paused: bool) -> Result<ClusterCase, ModelError> {
    let KnownNetwork {
        hockney,
        signature,
        clusters,
        algorithm,
        ..
    } = inputs.known;
    let known_clusters = clusters.as_ref();
    let clusters = known_clusters.ok_or_else(|| {
        inputs.missing(
            "the clusters of the processes",
            "give --clusters, which `netsig discover` writes",
        )
    })?;
    let layout = clusters.layout_of(inputs.case.procs).ok_or_else(|| {
        inputs.missing(
            "clusters of so many processes",
            "give --clusters with more hosts, or fewer processes",
        )
    })?;
    let between = clusters.wide_area.ok_or_else(|| {
        inputs.missing(
            "times of messages between the clusters",
            "run `netsig discover` and name its file with --clusters",
        )
    })?;
    if algorithm.is_none() && inputs.model.is_of_clusters() {
        return Err(inputs.missing("an algorithm", "name one with --algorithm"));
    }
    let is_inside = layout.clusters() < 2 && layout.ranks() > 1;
    if is_inside && inputs.model.is_of_shared_link() {
        return Err(inputs.missing(
            "two clusters or more",
            "name the hosts of others with --clusters, or choose another model",
        ));
    }
    Ok(ClusterCase {
        layout,
        hockney: clusters.inside.unwrap_or(*hockney),
        signature: signature.filter(|_| clusters.inside.is_none()),
        wide_area: between,
        algorithm: *algorithm,
        size: inputs.case.size.as_f64(),
        has_paused: paused,
        in_flight: match inputs.model.role_index(ParameterRole::Threshold) {
            Some(index) => inputs.threshold(index)?,
            None => None,
        },
    })
}

/// Sites of 4 and 8 hosts that run this algorithm, joined by a link of 5 ms and 20 Mbit/s.
fn example_network(collective: Collective, algorithm: &str) -> KnownNetwork {
    let hockney = Hockney::new(Seconds(1e-4), SecondsPerByte(1.6e-7)).expect("both are positive");
    KnownNetwork {
        clusters: Some(ClusteredRanks {
            layout: ClusterLayout::of_sizes(&[4, 8]),
            taking_part: ParticipatingRanks::Spread,
            wide_area: Some(WideAreaLink {
                consent: Some(Bytes(65_536)),
                first_window: Some(Bytes(14_480)),
                ..WideAreaLink::without_windows(Seconds(0.005), SecondsPerByte(4e-7))
            }),
            inside: None,
        }),
        algorithm: Algorithm::parse(collective, algorithm).ok(),
        ..KnownNetwork::of(hockney, None)
    }
}
