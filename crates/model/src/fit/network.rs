//! Complete fit of a dataset: α and β from its ping-pong, further fits of pairs, and, for each
//! algorithm of an all-to-all, a contention signature and every other model with parameters; and
//! the regimes of every algorithm of any collective that they describe. Other algorithms of other
//! collectives are passed over.

mod regimes;
mod shared_link;

use std::collections::{BTreeMap, BTreeSet};

use netsig_base::algorithm::{Collective, Method};
use netsig_base::data::cells::{CellKey, Statistic, Summary, summarise};
use netsig_base::data::{Dataset, Experiment, StatisticKind, places};
use netsig_base::network::{Grid, Network};
use netsig_base::units::{Bytes, Procs, Seconds};

pub use self::regimes::FittedRegimes;
use super::fitted::{Base, FittedModel};
use super::hockney::{self, BaseError, HockneyFit};
use super::model::{self as fit_model, ModelFit, Problem};
use super::point_to_point::{self, PointToPoint};
use super::{Covariance, FailedFit, FitError, Point, points, refuse_few};
use crate::model::plogp::PLogP;
use crate::model::regimes::Pattern;
use crate::model::{self, Clustered, Known, Model, SIGNATURE};

/// Options of the fit of a dataset.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Options of each model's fit; `covariance` overrides its covariance, and the ping-pong's
    /// errors override its base error.
    pub model: fit_model::Options,
    /// The covariance; `None` for [`Covariance::Means`] if it explains the residuals, and
    /// otherwise [`Covariance::BandwidthShare`].
    pub covariance: Option<Covariance>,
    /// Statistic that represents the repetitions of a collective's cell.
    pub statistic: Statistic,
    /// Models to fit besides α and β.
    pub wanted: Wanted,
    /// pLogP tables for the models on pLogP; `None` for the tables in the data, or else α and β
    /// in their place.
    pub plogp: Option<PLogP>,
    /// The links of the network, if known, for the regimes.
    pub network: Option<Network>,
}

/// Models to fit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Wanted {
    /// Every model that the data determine; an all-to-all must have a signature, unless other
    /// collectives were measured too.
    #[default]
    All,
    /// Every model that the data determine.
    Any,
    /// One model, which the data must determine.
    One(&'static Model),
}

/// The fits of a dataset.
#[derive(Debug, Clone)]
pub struct NetworkFit {
    /// α and β.
    pub hockney: HockneyFit,
    /// Variances of α and β.
    pub base_error: BaseError,
    /// pLogP tables, given or else measured.
    pub plogp: Option<PLogP>,
    /// Further fits of pairs.
    pub point_to_point: PointToPoint,
    /// The fitted models of each algorithm of an all-to-all.
    pub models: Vec<FittedModel>,
    /// The signatures among the models, with their diagnostics.
    pub signatures: Vec<ModelFit>,
    /// The regimes of each algorithm of any collective.
    pub regimes: Vec<FittedRegimes>,
    /// Failed fits.
    pub failures: Vec<FailedFit>,
    /// Measured collectives with an algorithm that no model was fitted to.
    pub passed_over: BTreeSet<Collective>,
    /// Number of cells that hold only numbers of other programs, by statistic.
    pub imported: BTreeMap<StatisticKind, usize>,
    /// Clusters of the hosts with the times between them, if the data name them.
    pub grid: Option<Grid>,
    /// Process count of the all-to-all that stands in for a missing ping-pong, if it does.
    pub without_pairs: Option<Procs>,
}

/// Fits everything in `data`.
///
/// # Errors
/// If there is neither a usable ping-pong nor an all-to-all in its place, an all-to-all that alone
/// was measured has no signature, or the one model that is wanted cannot be fitted.
pub fn fit(data: &Dataset, options: &Options) -> Result<NetworkFit, FailedFit> {
    let cells = summarise(data);
    let ping_pong = between_pairs(&cells);
    let substitute = in_place_of_pairs(&cells, data).filter(|_| ping_pong.is_empty());
    let without_pairs = substitute.as_ref().map(|(procs, _)| *procs);
    let ping_pong = substitute.map_or(ping_pong, |(_, points)| points);
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
        grid: places::grid(&data.provenance),
        without_pairs,
    };
    let clusters = clustered(data, &fitted);
    let all = by_algorithm(&cells, options.statistic);
    let is_alone = all.keys().all(|(own, _)| *own == Collective::Alltoall);
    let mut left_out = BTreeMap::new();
    for ((collective, algorithm), points) in all {
        let measured = Measured {
            collective,
            algorithm,
            points,
            options,
            clusters: clusters.as_ref(),
            is_alone,
        };
        measured.fit(&mut fitted)?;
        if let Some(times) = measured.left_out_of_shared_link(&fitted) {
            left_out.insert(measured.algorithm, times);
        }
    }
    if options.wanted.wants_regimes() {
        regimes::fit(data, &ping_pong, (options, &left_out), &mut fitted);
    }
    if matches!(options.wanted, Wanted::One(_)) && fitted.is_empty() {
        fitted.failures.first().cloned().map_or(Ok(()), Err)?;
        refuse_few("every model", 0, 4).map_err(FailedFit::of("alltoall"))?;
    }
    Ok(fitted)
}

/// The ping-pong, each size once: of several process counts that files state for it the one nearest to two.
fn between_pairs(cells: &BTreeMap<CellKey, Summary>) -> Vec<Point> {
    let is_ping_pong = |key: &CellKey| key.experiment == Experiment::PingPong;
    let mut points = points(cells, Statistic::Median, is_ping_pong);
    points.sort_by_key(|point| (point.size, point.procs.get().abs_diff(2)));
    points.dedup_by_key(|point| point.size);
    points
}

/// Largest size of an all-to-all in place of a ping-pong where the eager limit is not known: the
/// usual limit of MPI libraries.
const USUAL_LIMIT: Bytes = Bytes(64 << 10);

/// The time of one partner's message in the all-to-all among the fewest processes, below the eager
/// limit, in place of a ping-pong: contention among more processes is then relative to theirs.
fn in_place_of_pairs(
    cells: &BTreeMap<CellKey, Summary>,
    data: &Dataset,
) -> Option<(Procs, Vec<Point>)> {
    let limit = data.provenance.eager_limit().unwrap_or(USUAL_LIMIT);
    let is_alltoall = |key: &CellKey| {
        let alltoall = Experiment::Collective(Collective::Alltoall);
        key.experiment == alltoall && key.procs.get() > 1 && key.size < limit
    };
    let own = cells.keys().filter(|key| is_alltoall(key));
    let first = own.min_by_key(|key| (key.procs, key.algorithm.clone()))?;
    let mut points = points(cells, Statistic::Median, |key| {
        is_alltoall(key) && key.procs == first.procs && key.algorithm == first.algorithm
    });
    for point in &mut points {
        point.time = Seconds(point.time.0 / point.procs.partners());
    }
    Some((first.procs, points))
}

/// The clusters of the ranks of a dataset.
fn clustered(data: &Dataset, fitted: &NetworkFit) -> Option<Clustered> {
    let layout = places::layout(&data.provenance, "")?;
    let places = (layout, places::taking_part(&data.provenance));
    let network = fitted.hockney.model();
    Some(Clustered::new(fitted.grid.as_ref()?, places, &network))
}

impl Wanted {
    /// True if only the regimes are to be fitted.
    pub fn is_regimes_alone(self) -> bool {
        matches!(self, Self::One(model) if model.is_regimes())
    }

    fn wants_regimes(self) -> bool {
        match self {
            Self::All | Self::Any => true,
            Self::One(model) => model.is_regimes(),
        }
    }

    /// True if a model with parameters is to be fitted.
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
    clusters: Option<&'a Clustered>,
    /// True if only all-to-alls were measured.
    is_alone: bool,
}

impl Measured<'_> {
    /// True if the ranks are in several clusters: a signature is that of one.
    fn is_between_clusters(&self) -> bool {
        let clusters = self.clusters.map(|own| own.layout.clusters());
        clusters.is_some_and(|clusters| clusters > 1)
    }

    /// What the models know.
    fn known(&self, fitted: &NetworkFit) -> Known {
        let method = Method::parse(self.collective, &self.algorithm).ok();
        Known {
            clusters: self.clusters.cloned(),
            algorithm: method.and_then(|method| method.algorithm().copied()),
            ..Known::of(fitted.hockney.model(), fitted.plogp.as_ref())
        }
    }

    /// Fits every wanted model that has parameters.
    fn fit(&self, fitted: &mut NetworkFit) -> Result<(), FailedFit> {
        let is_described = Pattern::of(self.collective, &self.algorithm).is_some();
        let method = Method::parse(self.collective, &self.algorithm).ok();
        let is_clustered = method.is_some_and(|method| method.follows_clusters());
        let models = model::of(self.collective).filter(|model| {
            model.is_fitted_to_cells()
                && model.is_of_clusters() == is_clustered
                && (self.is_on_links() || !model.is_of_shared_link())
                && !(self.is_between_clusters() && model.is_form_of_signature())
                && self.options.wanted.wants(model)
        });
        let models: Vec<&'static Model> = models.collect();
        if models.is_empty() {
            if !is_described && self.options.wanted.wants_regimes() {
                fitted.passed_over.insert(self.collective);
            }
            return Ok(());
        }
        let error = fitted.base_error;
        let network = &self.known(fitted);
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
        let left_out = match &signature {
            Ok(fit) if !is_clustered => &fit.left_out[..],
            _ => &[],
        };
        // All models are fitted to the process counts that saturate the network.
        let is_kept = |p: &&Point| p.procs.get() > 1 && !left_out.contains(&p.procs);
        let saturating: Vec<Point> = self.points.iter().filter(is_kept).copied().collect();
        for model in models {
            let found = if model.is_signature() {
                signature.clone()
            } else {
                self.model(problem(model, &saturating), error)
            };
            let is_vital = match self.options.wanted {
                Wanted::All => self.is_alone && model.is_signature(),
                Wanted::Any => false,
                Wanted::One(_) => true,
            };
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

    /// Fits a model on top of α and β, which have the errors `base_error`.
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
    /// True if no model of a collective was fitted.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty() && self.regimes.is_empty()
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

/// Counts the cells that other programs computed, by statistic.
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
