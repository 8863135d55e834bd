//! The models with parameters of each algorithm. Those that compete with the regimes also give times at process counts
//! left out of their fit.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, CollectiveMethod};
use netsig_base::data::Experiment;
use netsig_base::data::cells::{CellKey, MeasuredCells, Statistic};

use super::pairs::PairFits;
use super::{ModelsToFit, NetworkFitOptions, is_alltoall_alone};
use crate::fit::model::{FitProblem, ModelFit, ModelFitOptions, ThresholdChoice};
use crate::fit::model_hierarchy::{CompetingModels, LeftOutCellTimes};
use crate::fit::{Covariance, FailedFit, FitError, MeasuredPoint, points};
use crate::fitted::{ContentionFreeBase, FittedModel};
use crate::model::regimes::TrafficPattern;
use crate::model::{self, Case, KnownNetwork, Model, SIGNATURE};

/// The fits of the models of all algorithms.
#[derive(Default)]
pub(super) struct ModelFits {
    pub(super) fitted: Vec<FittedModel>,
    /// The signatures among the models, with their diagnostics.
    pub(super) signatures: Vec<ModelFit>,
    pub(super) failures: Vec<FailedFit>,
    /// Collectives with an algorithm that no model describes.
    pub(super) unmodelled: BTreeSet<Collective>,
    /// Times at process counts left out of the fit, by the models that compete with the regimes.
    pub(super) left_out: LeftOutTimes,
}

/// Times by models at process counts left out of their fit, by algorithm.
pub(super) type LeftOutTimes = BTreeMap<(Collective, String), CompetingModels>;

/// The points of one algorithm, and the inputs of its models.
struct AlgorithmPoints<'a> {
    collective: Collective,
    algorithm: String,
    points: Vec<MeasuredPoint>,
    pairs: &'a PairFits,
    options: &'a NetworkFitOptions,
    known: KnownNetwork,
    method: Option<CollectiveMethod>,
}

/// Fits every wanted model that has parameters to every algorithm.
///
/// # Errors
/// If M is given, all-to-alls alone were measured, and one of them has no signature. If the one wanted model cannot be
/// fitted.
pub(super) fn fit(
    cells: &MeasuredCells,
    pairs: &PairFits,
    options: &NetworkFitOptions,
) -> Result<ModelFits, FailedFit> {
    let all = points_by_algorithm(cells, options.statistic);
    let needs_signature = matches!(options.model.threshold, ThresholdChoice::At(_)) && is_alltoall_alone(cells);
    let mut fits = ModelFits::default();
    for ((collective, algorithm), points) in all {
        let algorithm_points = AlgorithmPoints::new(collective, algorithm, points, pairs, options);
        let models = algorithm_points.models();
        if models.is_empty() && algorithm_points.is_unmodelled() {
            fits.unmodelled.insert(collective);
        }
        for (model, fit_result) in algorithm_points.model_fits(&models) {
            let is_required = match options.models_to_fit {
                ModelsToFit::All => needs_signature && model.is_signature(),
                ModelsToFit::Any => false,
                ModelsToFit::One(_) => true,
            };
            match fit_result {
                Ok(fit) => fits.add(&algorithm_points, fit),
                Err(failure) if is_required => return Err(failure),
                Err(failure) => fits.failures.push(failure),
            }
        }
    }
    Ok(fits)
}

impl ModelFits {
    fn add(&mut self, algorithm_points: &AlgorithmPoints, fit: ModelFit) {
        let model = fit.model.model;
        if model.competes()
            && let Some(times) = algorithm_points.left_out_times(&fit.model)
        {
            let who = (algorithm_points.collective, algorithm_points.algorithm.clone());
            self.left_out.entry(who).or_default().push((model, times));
        }
        self.fitted.push(fit.model.clone());
        let is_signature = model.is_signature();
        self.signatures.extend(is_signature.then_some(fit));
    }
}

impl<'a> AlgorithmPoints<'a> {
    fn new(
        collective: Collective,
        algorithm: String,
        points: Vec<MeasuredPoint>,
        pairs: &'a PairFits,
        options: &'a NetworkFitOptions,
    ) -> Self {
        let method = CollectiveMethod::parse(collective, &algorithm).ok();
        Self {
            known: KnownNetwork {
                clusters: pairs.clusters.clone(),
                algorithm: method.as_ref().and_then(|method| method.algorithm().copied()),
                ..KnownNetwork::of(pairs.hockney.model(), pairs.plogp.as_ref())
            },
            collective,
            algorithm,
            points,
            pairs,
            options,
            method,
        }
    }

    /// True if the ranks are in several clusters; a signature describes one.
    fn is_between_clusters(&self) -> bool {
        let clusters = self.pairs.clusters.as_ref();
        clusters.is_some_and(|clustered| clustered.layout.clusters() > 1)
    }

    /// True if pieces that go straight to their receivers cross links between sites.
    fn is_over_site_links(&self) -> bool {
        let clusters = self.pairs.clusters.as_ref();
        let sites = clusters.filter(|clustered| clustered.inside.is_none());
        self.is_between_clusters() && sites.is_some_and(|clustered| clustered.wide_area.is_some())
    }

    fn is_clustered(&self) -> bool {
        self.method.as_ref().is_some_and(CollectiveMethod::follows_clusters)
    }

    /// True if neither a model nor the regimes are to be fitted.
    fn is_unmodelled(&self) -> bool {
        let is_described = TrafficPattern::of(self.collective, &self.algorithm).is_some();
        !is_described && self.options.models_to_fit.includes_regimes()
    }

    /// The wanted models with parameters.
    fn models(&self) -> Vec<&'static Model> {
        let models = model::of_collective(self.collective).filter(|model| {
            model.is_fitted_to_cells()
                && model.is_of_clusters() == self.is_clustered()
                && (self.is_over_site_links() || !model.is_of_shared_link())
                && !(self.is_between_clusters() && model.is_form_of_signature())
                && self.options.models_to_fit.includes(model)
        });
        models.collect()
    }

    /// Fits the models to the process counts that, by the signature, saturate the network.
    fn model_fits(&self, models: &[&'static Model]) -> Vec<(&'static Model, Result<ModelFit, FailedFit>)> {
        if models.is_empty() {
            return Vec::new();
        }
        let signature_model = model::find(self.collective, SIGNATURE).map_err(FitError::from);
        let signature = signature_model.and_then(|model| self.fit(model, &self.points));
        let left_out = match &signature {
            Ok(fit) if !self.is_clustered() => &fit.left_out[..],
            _ => &[],
        };
        let is_kept = |p: &&MeasuredPoint| p.procs.get() > 1 && !left_out.contains(&p.procs);
        let saturating: Vec<MeasuredPoint> = self.points.iter().filter(is_kept).copied().collect();
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
    fn fit(&self, model: &'static Model, points: &[MeasuredPoint]) -> Result<ModelFit, FitError> {
        let fit_under = |covariance| {
            let options = &ModelFitOptions {
                covariance,
                hockney_variances: Some(self.pairs.hockney_variances),
                ..self.options.model.clone()
            };
            let problem = FitProblem {
                model,
                algorithm: &self.algorithm,
                base: ContentionFreeBase::of(model, self.pairs.plogp.as_ref()),
                network: &self.known,
                points,
                options,
            };
            problem.fit()
        };
        if model.is_regressed() {
            fit_under_best(points, self.options, fit_under)
        } else {
            fit_under(Covariance::BandwidthShare)
        }
    }

    /// Times by a model at every process count, fitted without it; `None` if a fit leaves a parameter without a value.
    fn left_out_times(&self, fitted_model: &FittedModel) -> Option<LeftOutCellTimes> {
        let mut times = LeftOutCellTimes::new();
        for procs in self.points.iter().map(|p| p.procs).unique() {
            let (out, others): (Vec<MeasuredPoint>, Vec<MeasuredPoint>) =
                self.points.iter().partition(|p| p.procs == procs);
            let Ok(fit) = self.fit(fitted_model.model, &others) else {
                continue;
            };
            let values = fit.model.values().ok()?;
            times.extend(out.iter().filter_map(|p| {
                let case = Case::new(p.procs, p.size);
                let time = fitted_model.model.time(&self.known, &values, case);
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
fn fit_under_best(
    points: &[MeasuredPoint],
    options: &NetworkFitOptions,
    fit_under: impl Fn(Covariance) -> Result<ModelFit, FitError>,
) -> Result<ModelFit, FitError> {
    if let Some(covariance) = &options.covariance {
        return fit_under(covariance.clone());
    }
    let has_spread = |p: &MeasuredPoint| p.repetitions > 1 && p.deviation.0 > 0.0;
    if points.iter().all(has_spread) {
        let fit = fit_under(Covariance::Means)?;
        if fit.weighted_rss <= MISFIT * fit.model.student.dof() as f64 {
            return Ok(fit);
        }
    }
    fit_under(Covariance::BandwidthShare)
}

/// Points of every algorithm of a collective.
fn points_by_algorithm(
    cells: &MeasuredCells,
    statistic: Statistic,
) -> BTreeMap<(Collective, String), Vec<MeasuredPoint>> {
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
