//! All that a dataset says about a network: α and β from its ping-pong and a contention
//! signature for each algorithm of a collective in it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::hockney::{self, HockneyFit};
use super::signature::{self, BaseError, SignatureFit};
use super::{Covariance, FitError, Point, points};
use crate::cells::{CellKey, Statistic, Summary, summarise};
use crate::collective::Collective;
use crate::dataset::{Dataset, Experiment, Provenance};
use crate::profile::{Domain, HockneyEntry, Profile, SignatureEntry};

/// How to fit a dataset.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Options {
    /// How to fit the signatures; its covariance gives way to `covariance`, its base error
    /// to that of the ping-pong.
    pub signature: signature::Options,
    /// The covariance; `None` for [`Covariance::Means`] where that explains the residuals,
    /// else [`Covariance::BandwidthShare`].
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
    /// The covariance that it assumes.
    pub covariance: Covariance,
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
    let hockney = hockney::fit_ends(&ping_pong, confidence).map_err(|error| NetworkFitError {
        subject: "ping-pong".to_owned(),
        error,
    })?;
    let mut signatures = Vec::new();
    for ((collective, algorithm), points) in by_algorithm(&cells, options.statistic) {
        let fitted = fit_signature(&hockney, &points, options);
        let (fit, covariance) = fitted.map_err(|error| NetworkFitError {
            subject: format!("{collective} {algorithm}"),
            error,
        })?;
        signatures.push(AlgorithmFit {
            collective,
            algorithm,
            points,
            fit,
            covariance,
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
        Profile {
            provenance,
            hockney: HockneyEntry::from(&self.hockney),
            signatures: self
                .signatures
                .iter()
                .filter_map(|fitted| fitted.entry(confidence))
                .collect(),
        }
    }
}

impl AlgorithmFit {
    /// What predictions need of the fit; `None` if nothing was fitted.
    fn entry(&self, confidence: f64) -> Option<SignatureEntry> {
        let fitted = |p: &&Point| !self.fit.left_out.contains(&p.procs);
        let points: Vec<Point> = self.points.iter().filter(fitted).copied().collect();
        Some(SignatureEntry {
            collective: self.collective,
            algorithm: self.algorithm.clone(),
            signature: self.fit.signature,
            confidence,
            parameters: self.fit.parameters.clone(),
            covariance: self.fit.covariance.clone(),
            errors: self.covariance.to_string(),
            dof: self.fit.dof,
            threshold: self.fit.threshold,
            residuals: self.fit.residuals,
            saturation: self.fit.saturation,
            domain: Domain::of(&points)?,
        })
    }
}

/// Residuals of so many times the variance that the repetitions tell (ŝ²) are the model's
/// and no longer the measurement's.
const MISFIT: f64 = 4.0;

/// The signature and the covariance that it was fitted under. The variances of the means
/// are the right weights where the model holds within them. Where it misses by more, they
/// would let the quietest cells decide alone, so every cell then counts alike in relative
/// terms, but for those whose time is start-up: they say little about contention.
fn fit_signature(
    hockney: &HockneyFit,
    points: &[Point],
    options: &Options,
) -> Result<(SignatureFit, Covariance), FitError> {
    let base_error = Some(BaseError {
        alpha: hockney.alpha_variance,
        beta: hockney.beta_variance,
    });
    let under = |covariance: Covariance| {
        let settings = signature::Options {
            covariance: covariance.clone(),
            base_error,
            ..options.signature.clone()
        };
        signature::fit(&hockney.model, points, &settings).map(|fit| (fit, covariance))
    };
    if let Some(covariance) = &options.covariance {
        return under(covariance.clone());
    }
    let has_spread = |p: &Point| p.repetitions > 1 && p.deviation.0 > 0.0;
    if points.iter().all(has_spread) {
        let (fit, covariance) = under(Covariance::Means)?;
        if fit.weighted_rss <= MISFIT * fit.dof as f64 {
            return Ok((fit, covariance));
        }
    }
    under(Covariance::BandwidthShare)
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
