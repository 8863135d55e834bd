//! Times of the algorithms that work between clusters: the two-phase exchange with a limit on what
//! crosses at once, and the collectives in two levels.
//!
//! # Symbols
//! n processes in clusters of `n_C`, m bytes; α and β of two processes of one cluster. A message of b bytes
//! between two clusters takes t(b) = `α_w(b) + β_w·b`, measured between their heads: `β_w` is the slope
//! between the two longest messages, and `α_w(b)` holds the delay, requests and the slow start of TCP, so it
//! depends on the size.
//!
//! # Formula
//! T = κ·S + γ·B, the start-ups S and the bytes B on the path that ends last. κ = γ = 1 without a fit.
//! Each algorithm's S and B are in its file. The link of a cluster carries what it sends to all others.
//!
//! # Domain
//! Flows that share a link without losing so many packets that they stall: fits tell by γ and by the
//! interval where they do.
//!
//! # Source
//! netsig, after Steffenel, Martinasso, Trystram 2007 (GPC), eq. 6.

mod exchange;
mod levels;

pub(super) use exchange::PACED;
pub(super) use levels::{ALLGATHER, BCAST, GATHER, SCATTER};

use super::clustered::{Clustered, last_slope};
use super::prelude::*;
use crate::algorithm::{Algorithm, Layout};
use crate::network::placement::TakingPart;
use crate::units::table::Table;

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

/// Fields that all models of this folder share.
const BASE: Model = Model {
    kind: Kind::Contention,
    source: "netsig, after Steffenel, Martinasso, Trystram 2007, eq. 6",
    needs: &[Need::Hockney, Need::Clusters],
    parameters: &[KAPPA, GAMMA],
    estimator: Estimator::ByRole,
    ..Model::about(Subject::Collective(Collective::Alltoall))
};

/// Start-ups and bytes of a path, as times.
struct Path {
    startups: f64,
    bytes: f64,
}

/// Arguments of a path.
struct Place<'a> {
    layout: Layout,
    hockney: Hockney,
    between: &'a Table,
    algorithm: Algorithm,
    /// m.
    size: f64,
}

impl Place<'_> {
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
        last_slope(self.between)
    }

    /// `α_w(b)`.
    fn wide_alpha(&self, bytes: f64) -> f64 {
        let bytes = Bytes::rounded(bytes);
        (self.between.at(bytes).0 - self.wide_beta() * bytes.as_f64()).max(0.0)
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
    let Known {
        hockney,
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
    let between = clusters.between.as_ref().ok_or_else(|| {
        inputs.missing(
            "times of messages between the clusters",
            "run `netsig discover` and name its file with --clusters",
        )
    })?;
    let algorithm =
        algorithm.ok_or_else(|| inputs.missing("an algorithm", "name one with --algorithm"))?;
    let Path { startups, bytes } = path(&Place {
        layout,
        hockney: clusters.inside.unwrap_or(*hockney),
        between,
        algorithm,
        size: inputs.case.size.as_f64(),
    });
    let [kappa, gamma] = [inputs.non_negative(0)?, inputs.non_negative(1)?];
    Ok(Seconds(kappa * startups + gamma * bytes).into())
}

/// Sites of 4 and 8 hosts, 5 ms and 20 Mbit/s apart, that run this algorithm.
fn example(collective: Collective, algorithm: &str) -> Known {
    let times = [(0, 0.005), (100_000, 0.045), (1_000_000, 0.405)];
    let times = times.map(|(size, time)| (Bytes(size), Seconds(time)));
    let hockney = Hockney::new(Seconds(1e-4), SecondsPerByte(1.6e-7)).expect("both are positive");
    Known {
        clusters: Some(Clustered {
            layout: Layout::of_sizes(&[4, 8]),
            taking_part: TakingPart::Spread,
            between: Table::new("example", times.into()).ok(),
            inside: None,
        }),
        algorithm: Algorithm::parse(collective, algorithm).ok(),
        ..Known::of(hockney, None)
    }
}
