//! Times between clusters: of the two-phase exchange with a limit on what crosses at once, of the collectives
//! in two levels, and of an all-to-all whose pieces go straight to their receivers.
//!
//! # Symbols
//! n processes in clusters of `n_C`, m bytes; α and β of two processes of one cluster. Between the heads of two
//! clusters are measured `α_w`, the time of the smallest message, and `β_w`, the slope between the two longest;
//! X, the size from which a message waits for the receiver's consent; and W, what a connection sends at
//! once after a pause.
//!
//! # Formula
//! T = κ·S + γ·B + `γ_X·B_X`: the start-ups S, the bytes B up to X of every message and the bytes `B_X` beyond, all on
//! the path that ends last, and of the two-phase exchange δ for each wave with M bytes in flight or more, which
//! overflow a port. κ = γ = `γ_X` = 1 and δ = 0 without a fit. Each algorithm's path is in its file. f messages of
//! b bytes that cross one link at once have
//!
//! * `S = α_w + 2·α_w·[b ≥ X] + Σ_k max(0, 2·α_w − f·β_w·W_k)`, over the windows `W_k = 2^k·W` that b exceeds
//!   together, if connections have paused; without the sum if not;
//! * `B + B_X = f·β_w·b`.
//!
//! A connection has paused if it was not in use for a retransmission timeout, here between two calls. Where
//! calls follow each other, that is told by the time of a call itself, T₁ with κ = γ = `γ_X` = 1 after a pause: none
//! has paused if T₁ is at most 0.8 timeouts, all have from 1.2 on, between them in proportion. A timeout
//! is 200 ms + 2·`α_w`, that of Linux.
//!
//! # Domain
//! Ports whose buffers are not known: a fit tells M and δ. Calls that follow each other, as in a benchmark:
//! where a program computes for longer than a timeout between them, connections pause at every size.
//!
//! # Source
//! netsig, after Steffenel, Martinasso, Trystram 2007 (GPC), eq. 6; windows after RFC 5681, section 4.1, and
//! RFC 6928.

mod exchange;
mod levels;
mod shared_link;

pub(super) use exchange::PACED;
pub(super) use levels::{ALLGATHER, BCAST, GATHER, SCATTER};
use netsig_base::algorithm::{Algorithm, Layout};
use netsig_base::network::LINUX_RTO;
use netsig_base::network::placement::TakingPart;
pub(super) use shared_link::SHARED_LINK;

use std::ops::{Add, Mul};

use super::clustered::{Between, Clustered};
use super::prelude::*;
use super::signature::Signature;

const KAPPA: Parameter = Parameter {
    name: "kappa",
    meaning: "κ, the start-ups as a multiple of those without contention",
    role: Role::Linear(0.0),
    default: Some(1.0),
};

const GAMMA: Parameter = Parameter {
    name: "gamma",
    meaning: "γ, the bytes as a multiple of those without contention",
    role: Role::Linear(0.0),
    default: Some(1.0),
};

const GAMMA_LONG: Parameter = Parameter {
    name: "gamma_x",
    meaning: "γ_X, the bytes of long messages beyond X, likewise",
    ..GAMMA
};

const DELTA: Parameter = Parameter {
    name: "delta_wave_s",
    meaning: "δ, the supplement of each wave that overflows a port",
    role: Role::Supplement,
    default: Some(0.0),
};

const IN_FLIGHT: Parameter = Parameter {
    name: "in_flight_bytes",
    meaning: "M, the bytes of a wave from which it overflows a port",
    role: Role::Threshold,
    default: Some(f64::INFINITY),
};

/// Fields that all models of this folder share.
const BASE: Model = Model {
    kind: Kind::Contention,
    source: "netsig, after Steffenel, Martinasso, Trystram 2007, eq. 6",
    needs: &[Need::Hockney, Need::Clusters],
    parameters: &[KAPPA, GAMMA],
    estimator: Estimator::ByRole,
    ..Model::about(Subject::Collective(Collective::Alltoall))
};

/// Times in retransmission timeouts up to which no connection has paused between two calls, and from which
/// all have.
const PAUSES: [f64; 2] = [0.8, 1.2];

/// Start-ups and bytes of a path, as times.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Path {
    startups: f64,
    bytes: f64,
    /// Bytes beyond X.
    long: f64,
    /// Number of waves that overflow a port.
    overflows: f64,
}

impl Path {
    /// T with κ = γ = `γ_X` = 1.
    fn total(self) -> f64 {
        self.startups + self.bytes + self.long
    }

    /// The path that takes longer.
    fn or_longer(self, other: Self) -> Self {
        if other.total() > self.total() { other } else { self }
    }
}

impl Add for Path {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            startups: self.startups + other.startups,
            bytes: self.bytes + other.bytes,
            long: self.long + other.long,
            overflows: self.overflows + other.overflows,
        }
    }
}

impl Mul<f64> for Path {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self {
            startups: self.startups * factor,
            bytes: self.bytes * factor,
            long: self.long * factor,
            overflows: self.overflows * factor,
        }
    }
}

/// Arguments of a path.
struct Place {
    layout: Layout,
    hockney: Hockney,
    /// Signature of the all-to-all inside a cluster, if it is known.
    signature: Option<Signature>,
    between: Between,
    /// None where pieces go straight to their receivers.
    algorithm: Option<Algorithm>,
    /// m.
    size: f64,
    /// True if connections have paused.
    paused: bool,
    /// M, if there is one.
    in_flight: Option<Bytes>,
}

impl Place {
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
        self.between.gap.0
    }

    /// `flows` messages of so many bytes each that cross one link at once.
    fn crossing(&self, bytes: f64, flows: f64) -> Path {
        let (latency, gap) = (self.between.latency.0, self.wide_beta());
        let limit = self.between.consent.map_or(f64::INFINITY, Bytes::as_f64);
        let consent = if bytes >= limit { 2.0 * latency } else { 0.0 };
        let beyond = (bytes - limit).max(0.0);
        Path {
            startups: latency + consent + self.waits(bytes, flows),
            bytes: flows * gap * (bytes - beyond),
            long: flows * gap * beyond,
            overflows: 0.0,
        }
    }

    /// Time in which all connections wait for acknowledgements.
    fn waits(&self, bytes: f64, flows: f64) -> f64 {
        let Some(first) = self.between.first_window.filter(|_| self.paused) else {
            return 0.0;
        };
        let (mut window, mut sent, mut waits) = (first.as_f64().max(1.0), 0.0, 0.0);
        while sent + window < bytes {
            waits += (2.0 * self.between.latency.0 - flows * window * self.wide_beta()).max(0.0);
            sent += window;
            window *= 2.0;
        }
        waits
    }

    /// `α_w(b)`: the start-ups of a single message.
    fn wide_alpha(&self, bytes: f64) -> f64 {
        self.crossing(bytes, 1.0).startups
    }

    /// 1 if so many bytes before a link overflow it.
    fn overflows(&self, bytes: f64) -> f64 {
        let is_due = self.in_flight.is_some_and(|limit| bytes >= limit.as_f64());
        f64::from(u8::from(is_due))
    }

    /// Largest value over the sizes of the clusters.
    fn most(&self, value: impl Fn(f64) -> f64) -> f64 {
        let values = self.layout.sizes().map(|size| value(size.into()));
        values.fold(0.0, f64::max)
    }

    /// Number of the other clusters that a cluster sends to.
    fn others(&self) -> f64 {
        self.layout.clusters() as f64 - 1.0
    }
}

/// Time of a case along `path`.
fn timed(inputs: &Inputs, path: fn(&Place) -> Path) -> Result<Timed, ModelError> {
    let [before, after] = [false, true].map(|paused| place(inputs, paused).map(|own| (path(&own), own)));
    let ((in_use, _), (after, place)) = (before?, after?);
    let timeout = LINUX_RTO.0 + 2.0 * place.between.latency.0;
    let [none, all] = PAUSES;
    let share = ((after.total() / timeout - none) / (all - none)).clamp(0.0, 1.0);
    let path = after * share + in_use * (1.0 - share);
    let mut time = 0.0;
    // Models without long messages or overflows have fewer parameters.
    for (index, share) in [path.startups, path.bytes, path.long, path.overflows]
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
fn place(inputs: &Inputs, paused: bool) -> Result<Place, ModelError> {
    let Known {
        hockney,
        signature,
        clusters,
        algorithm,
        ..
    } = inputs.known;
    let clusters = clusters.as_ref();
    let clusters = clusters.ok_or_else(|| {
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
    let between = clusters.between.ok_or_else(|| {
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
    Ok(Place {
        layout,
        hockney: clusters.inside.unwrap_or(*hockney),
        signature: signature.filter(|_| clusters.inside.is_none()),
        between,
        algorithm: *algorithm,
        size: inputs.case.size.as_f64(),
        paused,
        in_flight: match inputs.model.place(Role::Threshold) {
            Some(index) => inputs.threshold(index)?,
            None => None,
        },
    })
}

/// Sites of 4 and 8 hosts, 5 ms and 20 Mbit/s apart, that run this algorithm.
fn example(collective: Collective, algorithm: &str) -> Known {
    let hockney = Hockney::new(Seconds(1e-4), SecondsPerByte(1.6e-7)).expect("both are positive");
    Known {
        clusters: Some(Clustered {
            layout: Layout::of_sizes(&[4, 8]),
            taking_part: TakingPart::Spread,
            between: Some(Between {
                consent: Some(Bytes(65_536)),
                first_window: Some(Bytes(14_480)),
                ..Between::line(Seconds(0.005), SecondsPerByte(4e-7))
            }),
            inside: None,
        }),
        algorithm: Algorithm::parse(collective, algorithm).ok(),
        ..Known::of(hockney, None)
    }
}
