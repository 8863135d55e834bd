//! All that a dataset says about a network: α and β from its ping-pong, what else it says
//! about pairs and, for each algorithm of an all-to-all in it, a contention signature and
//! every other model that has parameters; and the regimes of every algorithm of any collective
//! that they describe. Others of other collectives are passed over.

mod regimes;

use std::collections::{BTreeMap, BTreeSet};

pub use self::regimes::FittedRegimes;
use super::fitted::{Base, FittedModel};
use super::hockney::{self, BaseError, HockneyFit};
use super::model::{self as fit_model, ModelFit, Problem};
use super::point_to_point::{self, PointToPoint};
use super::regimes::Parts;
use super::{Covariance, FailedFit, FitError, Point, points, refuse_few};
use crate::algorithm::Collective;
use crate::data::cells::{CellKey, Statistic, Summary, summarise};
use crate::data::{Dataset, Experiment, StatisticKind};
use crate::model::plogp::PLogP;
use crate::model::regimes::Pattern;
use crate::model::{self, Known, Model, SIGNATURE};
use crate::network::Network;

/// How to fit a dataset.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How to fit each model; its covariance gives way to `covariance`, its base error to that
    /// of the ping-pong.
    pub model: fit_model::Options,
    /// The covariance; `None` for [`Covariance::Means`] where that explains the residuals,
    /// else [`Covariance::BandwidthShare`].
    pub covariance: Option<Covariance>,
    /// What stands for the repetitions of a cell of a collective.
    pub statistic: Statistic,
    /// What is fitted besides α and β.
    pub wanted: Wanted,
    /// The tables that models of pLogP are fitted on; `None` for those that the data hold,
    /// else α and β in their place.
    pub plogp: Option<PLogP>,
    /// The links of the network, which regimes take notice of where they are known.
    pub network: Option<Network>,
    /// The parts of the regimes; `None` for those that earn their place.
    pub parts: Option<Parts>,
}

/// Which models to fit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Wanted {
    /// Every model that the data determine; an all-to-all must have a signature.
    #[default]
    All,
    /// As all, but a signature that cannot be fitted is a failure among others.
    Any,
    /// One model, which the data must determine.
    One(&'static Model),
}

/// The fits of a dataset.
#[derive(Debug, Clone)]
pub struct NetworkFit {
    /// α and β.
    pub hockney: HockneyFit,
    /// How uncertain they are.
    pub base_error: BaseError,
    /// The tables that were given, else measured.
    pub plogp: Option<PLogP>,
    /// What else is known of pairs.
    pub point_to_point: PointToPoint,
    /// The fitted models of each algorithm of an all-to-all.
    pub models: Vec<FittedModel>,
    /// The signatures among the models, with what diagnoses them.
    pub signatures: Vec<ModelFit>,
    /// The regimes of each algorithm of any collective.
    pub regimes: Vec<FittedRegimes>,
    /// What could not be fitted, and why.
    pub failures: Vec<FailedFit>,
    /// Measured collectives with an algorithm that nothing was fitted to.
    pub passed_over: BTreeSet<Collective>,
    /// How many cells hold numbers of other programs alone, by what these are.
    pub imported: BTreeMap<StatisticKind, usize>,
}

/// Fits everything in `data`.
///
/// # Errors
/// If there is no usable ping-pong, or an all-to-all has no signature, or the one model
/// that is wanted cannot be fitted.
pub fn fit(data: &Dataset, options: &Options) -> Result<NetworkFit, FailedFit> {
    let cells = summarise(data);
    let ping_pong = points(&cells, Statistic::Median, |key| {
        key.experiment == Experiment::PingPong
    });
    let confidence = options.model.confidence;
    let hockney = hockney::fit_ends(&ping_pong, confidence);
    let (hockney, base_error) = hockney.map_err(FailedFit::of("ping-pong"))?;
    let point_to_point = point_to_point::fit(data, confidence);
    let measured = point_to_point.plogp.as_ref();
    let tables = measured.map(|measured| &measured.plogp);
    let mut fitted = NetworkFit {
        hockney,
        base_error,
        plogp: options.plogp.as_ref().or(tables).cloned(),
        point_to_point,
        models: Vec::new(),
        signatures: Vec::new(),
        regimes: Vec::new(),
        failures: Vec::new(),
        passed_over: BTreeSet::new(),
        imported: imported(&cells),
    };
    for ((collective, algorithm), points) in by_algorithm(&cells, options.statistic) {
        let measured = Measured {
            collective,
            algorithm,
            points,
            options,
        };
        measured.fit(&mut fitted)?;
    }
    if options.wanted.wants_regimes() {
        regimes::fit(data, &ping_pong, options, &mut fitted);
    }
    if matches!(options.wanted, Wanted::One(_)) && fitted.is_empty() {
        fitted.failures.first().cloned().map_or(Ok(()), Err)?;
        refuse_few("every model", 0, 4).map_err(FailedFit::of("alltoall"))?;
    }
    Ok(fitted)
}

impl Wanted {
    fn wants_regimes(self) -> bool {
        match self {
            Self::All | Self::Any => true,
            Self::One(model) => model.is_regimes(),
        }
    }

    /// Whether a model that has parameters is to be fitted.
    fn wants(self, model: &Model) -> bool {
        match self {
            Self::All | Self::Any => true,
            Self::One(wanted) => wanted == model,
        }
    }
}

/// The points of one algorithm.
struct Measured<'a> {
    collective: Collective,
    algorithm: String,
    points: Vec<Point>,
    options: &'a Options,
}

impl Measured<'_> {
    /// Fits every wanted model that has parameters.
    fn fit(&self, fitted: &mut NetworkFit) -> Result<(), FailedFit> {
        let is_described = Pattern::of(self.collective, &self.algorithm).is_some();
        let models = model::of(self.collective)
            .filter(|model| model.is_fitted_to_cells() && self.options.wanted.wants(model));
        let models: Vec<&'static Model> = models.collect();
        if models.is_empty() {
            if !is_described && self.options.wanted.wants_regimes() {
                fitted.passed_over.insert(self.collective);
            }
            return Ok(());
        }
        let error = fitted.base_error;
        let network = &Known::of(fitted.hockney.model(), fitted.plogp.as_ref());
        let tables = fitted.plogp.as_ref();
        let problem = |model, points| Problem {
            model,
            algorithm: &self.algorithm,
            base: Base::of(model, tables),
            network,
            points,
            options: &self.options.model,
        };
        let signature = model::find(self.collective, SIGNATURE).map_err(FitError::from);
        let signature = signature.and_then(|own| self.model(problem(own, &self.points), error));
        let left_out = signature.as_ref().map_or(&[][..], |fit| &fit.left_out);
        // All models are fitted to the process counts that saturate the network.
        let is_kept = |p: &&Point| p.procs.get() > 1 && !left_out.contains(&p.procs);
        let saturating: Vec<Point> = self.points.iter().filter(is_kept).copied().collect();
        for model in models {
            let found = if model.is_signature() {
                signature.clone()
            } else {
                self.model(problem(model, &saturating), error)
            };
            let is_vital = model.is_signature() && self.options.wanted != Wanted::Any
                || matches!(self.options.wanted, Wanted::One(_));
            let subject = format!("{} {} {}", self.collective, self.algorithm, model.name);
            match found.map_err(FailedFit::of(subject)) {
                Ok(fit) => {
                    fitted.models.push(fit.model.clone());
                    fitted
                        .signatures
                        .extend(model.is_signature().then_some(fit));
                }
                Err(failure) if is_vital => return Err(failure),
                Err(failure) => fitted.failures.push(failure),
            }
        }
        Ok(())
    }

    /// Fits a model on top of α and β that are as uncertain as `base_error` says.
    fn model(&self, problem: Problem, base_error: BaseError) -> Result<ModelFit, FitError> {
        let under = |covariance| {
            let options = &fit_model::Options {
                covariance,
                base_error: Some(base_error),
                ..self.options.model.clone()
            };
            Problem { options, ..problem }.fit()
        };
        if problem.model.is_regressed() {
            under_best(problem.points, self.options, under)
        } else {
            under(Covariance::BandwidthShare)
        }
    }
}

impl NetworkFit {
    /// Whether no model of a collective was fitted.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty() && self.regimes.is_empty()
    }
}

/// Residuals of so many times the variance that the repetitions tell (ŝ²) are the model's
/// and no longer the measurement's.
const MISFIT: f64 = 4.0;

/// Fits under the covariance that the options name, else under the best one. The variances
/// of the means are the right weights where the model holds within them. Where it misses by
/// more, they would let the quietest cells decide alone, so every cell then counts alike in
/// relative terms, but for those whose time is start-up: they say little about contention.
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

/// What the cells hold that other programs computed.
fn imported(cells: &BTreeMap<CellKey, Summary>) -> BTreeMap<StatisticKind, usize> {
    let mut counts = BTreeMap::new();
    for kind in cells.values().filter_map(|summary| summary.imported) {
        *counts.entry(kind).or_default() += 1;
    }
    counts
}

fn by_algorithm(
    cells: &BTreeMap<CellKey, Summary>,
    statistic: Statistic,
) -> BTreeMap<(Collective, String), Vec<Point>> {
    let mut all = BTreeMap::new();
    for key in cells.keys() {
        if let Experiment::Collective(collective) = key.experiment {
            let same = |other: &CellKey| {
                other.experiment == key.experiment && other.algorithm == key.algorithm
            };
            all.entry((collective, key.algorithm.to_string()))
                .or_insert_with(|| points(cells, statistic, same));
        }
    }
    all
}
