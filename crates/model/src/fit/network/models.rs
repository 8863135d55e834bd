//! The models of each algorithm with parameters by their roles, and the times of those that compete
//! with the regimes at process counts left out of their fit.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, Method};
use netsig_base::data::Experiment;
use netsig_base::data::cells::{CellKey, MeasuredCells, Statistic};

use super::pairs::PairFits;
use super::{Options, Wanted, is_alltoall_alone};
use crate::fit::ladder::{Competitors, LeftOut};
use crate::fit::model::{self as fit_model, ModelFit, Problem, ThresholdChoice};
use crate::fit::{Covariance, FailedFit, FitError, Point, points};
use crate::fitted::{Base, FittedModel};
use crate::model::regimes::Pattern;
use crate::model::{self, Case, Known, Model, SIGNATURE};

/// The fits of the models of all algorithms.
#[derive(Default)]
pub(super) struct ModelFits {
    pub(super) fitted: Vec<FittedModel>,
    /// The signatures among the models, with their diagnostics.
    pub(super) signatures: Vec<ModelFit>,
    pub(super) failures: Vec<FailedFit>,
    /// Collectives with an algorithm that no model describes.
    pub(super) passed_over: BTreeSet<Collective>,
    /// Times at process counts left out of the fit, by the models that compete with the regimes.
    pub(super) left_out: LeftOutTimes,
}

/// Times by models at process counts left out of their fit, by algorithm.
pub(super) type LeftOutTimes = BTreeMap<(Collective, String), Competitors>;

/// The points of one algorithm, and what its models know.
struct AlgorithmPoints<'a> {
    collective: Collective,
    algorithm: String,
    points: Vec<Point>,
    pairs: &'a PairFits,
    options: &'a Options,
    known: Known,
    method: Option<Method>,
}

/// Fits every wanted model that has parameters to every algorithm.
///
/// # Errors
/// If an all-to-all that alone was measured has no signature with the M that is given, or the one model that
/// is wanted cannot be fitted.
pub(super) fn fit(cells: &MeasuredCells, pairs: &PairFits, options: &Options) -> Result<ModelFits, FailedFit> {
    let all = by_algorithm(cells, options.statistic);
    let needs_signature = matches!(options.model.threshold, ThresholdChoice::At(_)) && is_alltoall_alone(cells);
    let mut fits = ModelFits::default();
    for ((collective, algorithm), points) in all {
        let own = AlgorithmPoints::new((collective, algorithm), points, (pairs, options));
        let models = own.models();
        if models.is_empty() && own.is_passed_over() {
            fits.passed_over.insert(collective);
        }
        for (model, found) in own.fits(&models) {
            let is_vital = match options.wanted {
                Wanted::All => needs_signature && model.is_signature(),
                Wanted::Any => false,
                Wanted::One(_) => true,
            };
            match found {
                Ok(fit) => fits.add(&own, fit),
                Err(failure) if is_vital => return Err(failure),
                Err(failure) => fits.failures.push(failure),
            }
        }
    }
    Ok(fits)
}

impl ModelFits {
    fn add(&mut self, own: &AlgorithmPoints, fit: ModelFit) {
        let model = fit.model.model;
        if model.competes()
            && let Some(times) = own.left_out(&fit.model)
        {
            let who = (own.collective, own.algorithm.clone());
            self.left_out.entry(who).or_default().push((model, times));
        }
        self.fitted.push(fit.model.clone());
        let is_signature = model.is_signature();
        self.signatures.extend(is_signature.then_some(fit));
    }
}

impl<'a> AlgorithmPoints<'a> {
    fn new(
        (collective, algorithm): (Collective, String),
        points: Vec<Point>,
        (pairs, options): (&'a PairFits, &'a Options),
    ) -> Self {
        let method = Method::parse(collective, &algorithm).ok();
        Self {
            known: Known {
                clusters: pairs.clusters.clone(),
                algorithm: method.as_ref().and_then(|own| own.algorithm().copied()),
                ..Known::of(pairs.hockney.model(), pairs.plogp.as_ref())
            },
            collective,
            algorithm,
            points,
            pairs,
            options,
            method,
        }
    }

    /// True if the ranks are in several clusters: a signature is that of one.
    fn is_between_clusters(&self) -> bool {
        let clusters = self.pairs.clusters.as_ref();
        clusters.is_some_and(|own| own.layout.clusters() > 1)
    }

    /// True if pieces that go straight to their receivers cross links between sites.
    fn is_on_links(&self) -> bool {
        let clusters = self.pairs.clusters.as_ref();
        let sites = clusters.filter(|own| own.inside.is_none());
        self.is_between_clusters() && sites.is_some_and(|own| own.between.is_some())
    }

    fn is_clustered(&self) -> bool {
        self.method.as_ref().is_some_and(Method::follows_clusters)
    }

    /// True if neither a model nor the regimes are to be fitted.
    fn is_passed_over(&self) -> bool {
        let is_described = Pattern::of(self.collective, &self.algorithm).is_some();
        !is_described && self.options.wanted.wants_regimes()
    }

    /// The wanted models with parameters.
    fn models(&self) -> Vec<&'static Model> {
        let models = model::of(self.collective).filter(|model| {
            model.is_fitted_to_cells()
                && model.is_of_clusters() == self.is_clustered()
                && (self.is_on_links() || !model.is_of_shared_link())
                && !(self.is_between_clusters() && model.is_form_of_signature())
                && self.options.wanted.wants(model)
        });
        models.collect()
    }

    /// The fits of models. All are fitted to the process counts that saturate the network, which the
    /// signature tells.
    fn fits(&self, models: &[&'static Model]) -> Vec<(&'static Model, Result<ModelFit, FailedFit>)> {
        if models.is_empty() {
            return Vec::new();
        }
        let signature = model::find(self.collective, SIGNATURE).map_err(FitError::from);
        let signature = signature.and_then(|own| self.fit(own, &self.points));
        let left_out = match &signature {
            Ok(fit) if !self.is_clustered() => &fit.left_out[..],
            _ => &[],
        };
        let is_kept = |p: &&Point| p.procs.get() > 1 && !left_out.contains(&p.procs);
        let saturating: Vec<Point> = self.points.iter().filter(is_kept).copied().collect();
        let fit = |model: &&'static Model| {
            let found = if model.is_signature() {
                signature.clone()
            } else {
                self.fit(model, &saturating)
            };
            let subject = format!("{} {} {}", self.collective, self.algorithm, model.name);
            (*model, found.map_err(FailedFit::of(subject)))
        };
        models.iter().map(fit).collect()
    }

    /// Fits a model to points, on top of α and β with their errors.
    fn fit(&self, model: &'static Model, points: &[Point]) -> Result<ModelFit, FitError> {
        let under = |covariance| {
            let options = &fit_model::Options {
                covariance,
                base_error: Some(self.pairs.base_error),
                ..self.options.model.clone()
            };
            let problem = Problem {
                model,
                algorithm: &self.algorithm,
                base: Base::of(model, self.pairs.plogp.as_ref()),
                network: &self.known,
                points,
                options,
            };
            problem.fit()
        };
        if model.is_regressed() {
            under_best(points, self.options, under)
        } else {
            under(Covariance::BandwidthShare)
        }
    }

    /// Times by a model at every process count, fitted without it; `None` if its values are not those of
    /// all parameters.
    fn left_out(&self, own: &FittedModel) -> Option<LeftOut> {
        let mut times = LeftOut::new();
        for procs in self.points.iter().map(|p| p.procs).unique() {
            let (out, others): (Vec<Point>, Vec<Point>) = self.points.iter().partition(|p| p.procs == procs);
            let Ok(fit) = self.fit(own.model, &others) else {
                continue;
            };
            let values = fit.model.values().ok()?;
            times.extend(out.iter().filter_map(|p| {
                let case = Case::new(p.procs, p.size);
                let time = own.model.time(&self.known, &values, case);
                Some(((p.procs, p.size), time.ok()?.time))
            }));
        }
        Some(times)
    }
}

/// Residuals above this multiple of the variance from repetitions (ŝ²) come from the model and
/// not from the measurement.
const MISFIT: f64 = 4.0;

/// Fits under the covariance of the options, or else under the best one. The variances of the
/// means are the right weights if the model holds within them. If the errors are larger, the
/// quietest cells would decide alone; every cell then has the same relative weight, except cells
/// whose time is start-up, which contain little information about contention.
fn under_best(
    points: &[Point],
    options: &Options,
    under: impl Fn(Covariance) -> Result<ModelFit, FitError>,
) -> Result<ModelFit, FitError> {
    if let Some(covariance) = &options.covariance {
        return under(covariance.clone());
    }
    let has_spread = |p: &Point| p.repetitions > 1 && p.deviation.0 > 0.0;
    if points.iter().all(has_spread) {
        let fit = under(Covariance::Means)?;
        if fit.weighted_rss <= MISFIT * fit.model.student.dof() as f64 {
            return Ok(fit);
        }
    }
    under(Covariance::BandwidthShare)
}

/// Points of every algorithm of a collective.
fn by_algorithm(cells: &MeasuredCells, statistic: Statistic) -> BTreeMap<(Collective, String), Vec<Point>> {
    let mut all = BTreeMap::new();
    for key in cells.summaries.keys() {
        if let Experiment::Collective(collective) = key.experiment {
            let same = |other: &CellKey| other.experiment == key.experiment && other.algorithm == key.algorithm;
            all.entry((collective, key.algorithm.to_string()))
                .or_insert_with(|| points(&cells.summaries, statistic, same));
        }
    }
    all
}
