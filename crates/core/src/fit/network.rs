//! All that a dataset says about a network: α and β from its ping-pong and a contention
//! signature for each algorithm of a collective in it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::hockney::{self, HockneyFit};
use super::signature::{self, SignatureFit};
use super::{Covariance, FitError, Point, points};
use crate::cells::{CellKey, Statistic, Summary, summarise};
use crate::collective::Collective;
use crate::dataset::{Dataset, Experiment, Provenance};
use crate::profile::{Domain, HockneyEntry, Profile, SignatureEntry};

/// How to fit a dataset.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    /// How to fit the signatures; its covariance gives way to `covariance`.
    pub signature: signature::Options,
    /// The covariance; `None` for [`Covariance::Means`] where every point has repetitions
    /// with some spread, else [`Covariance::Proportional`].
    pub covariance: Option<Covariance>,
    /// What stands for the repetitions of a cell of a collective.
    pub statistic: Statistic,
}

/// A failed fit and what was being fitted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{subject}: {error}")]
pub struct NetworkFitError {
    subject: String,
    error: FitError,
}

/// The fits of a dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkFit {
    /// α and β.
    pub hockney: HockneyFit,
    /// The signature of each algorithm.
    pub signatures: Vec<AlgorithmFit>,
}

/// The signature of one algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct AlgorithmFit {
    /// What the algorithm computes.
    pub collective: Collective,
    /// Its name.
    pub algorithm: String,
    /// The points that were fitted.
    pub points: Vec<Point>,
    /// The fit.
    pub fit: SignatureFit,
}

/// Fits everything in `data`.
///
/// # Errors
/// If there is no usable ping-pong, or no collective, or one cannot be fitted.
pub fn fit(data: &Dataset, options: &Options) -> Result<NetworkFit, NetworkFitError> {
    let cells = summarise(data);
    let ping_pong = points(&cells, Statistic::Median, |key| {
        key.experiment == Experiment::PingPong
    });
    let confidence = options.signature.confidence;
    let hockney =
        hockney::fit(&ping_pong, &Covariance::Proportional, confidence).map_err(|error| {
            NetworkFitError {
                subject: "ping-pong".to_owned(),
                error,
            }
        })?;
    let mut signatures = Vec::new();
    for ((collective, algorithm), points) in by_algorithm(&cells, options.statistic) {
        let chosen = options
            .covariance
            .clone()
            .unwrap_or_else(|| natural(&points));
        let settings = signature::Options {
            covariance: chosen,
            ..options.signature.clone()
        };
        let fit = signature::fit(&hockney.model, &points, &settings).map_err(|error| {
            NetworkFitError {
                subject: format!("{collective} {algorithm}"),
                error,
            }
        })?;
        signatures.push(AlgorithmFit {
            collective,
            algorithm,
            points,
            fit,
        });
    }
    if signatures.is_empty() {
        let error = FitError::TooFewPoints {
            what: "the contention signature".to_owned(),
            found: 0,
            needed: 4,
        };
        return Err(NetworkFitError {
            subject: "collectives".to_owned(),
            error,
        });
    }
    Ok(NetworkFit {
        hockney,
        signatures,
    })
}

impl NetworkFit {
    /// The profile that predictions read.
    pub fn profile(&self, provenance: Provenance, confidence: f64) -> Profile {
        let entry = |fitted: &AlgorithmFit| {
            let domain = Domain::of(&fitted.points)?;
            let name = (fitted.collective, fitted.algorithm.as_str());
            Some(SignatureEntry::new(name, &fitted.fit, confidence, domain))
        };
        Profile {
            provenance,
            hockney: HockneyEntry::from(&self.hockney),
            signatures: self.signatures.iter().filter_map(entry).collect(),
        }
    }
}

fn natural(points: &[Point]) -> Covariance {
    let has_spread = |p: &Point| p.repetitions > 1 && p.deviation.0 > 0.0;
    if points.iter().all(has_spread) {
        Covariance::Means
    } else {
        Covariance::Proportional
    }
}

fn by_algorithm(
    cells: &BTreeMap<CellKey, Summary>,
    statistic: Statistic,
) -> BTreeMap<(Collective, String), Vec<Point>> {
    let mut all = BTreeMap::new();
    for key in cells.keys() {
        if let Experiment::Collective(collective) = key.experiment
            && let Entry::Vacant(place) = all.entry((collective, key.algorithm.to_string()))
        {
            let same = |other: &CellKey| {
                other.experiment == key.experiment && other.algorithm == key.algorithm
            };
            place.insert(points(cells, statistic, same));
        }
    }
    all
}
