//! Complete fit of a dataset: α and β from its ping-pong, further fits of pairs, and, for each
//! algorithm of an all-to-all, a contention signature and every other model with parameters; and
//! the regimes of every algorithm of any collective that they describe. Other algorithms of other
//! collectives are passed over.
//!
//! # Method
//! The rows are read once, into cells. Each stage is a function of what the stages before it gave:
//! cells, the parameters of pairs (`pairs`), the models of each algorithm (`models`), the regimes
//! (`regimes`), and the choice of the model that suffices ([`Ladder`]).

mod field;
mod models;
mod pairs;
mod regimes;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{MeasuredCells, Statistic};
use netsig_base::data::{Dataset, Experiment, StatisticKind};
use netsig_base::network::{Grid, Network};
use netsig_base::units::Procs;

pub use self::regimes::FittedRegimes;
use self::regimes::RegimesGround;

use super::hockney::{BaseError, HockneyFit};
use super::ladder::{Ladder, SufficientModel};
use super::link::{self, Stalled};
use super::model::{self as fit_model, ModelFit};
use super::odd_counts::{OddCounts, odd_counts};
use super::point_to_point::PointToPoint;
use super::{Covariance, FailedFit, refuse_few};
use crate::field::{FieldEntry, FieldPrior};
use crate::fitted::FittedModel;
use crate::model::plogp::PLogP;
use crate::model::{FIELD, Known, Model};

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
    /// The links of the network, if known, for the regimes and the field.
    pub network: Option<Network>,
    /// Prior of the field's hyperparameters.
    pub field: FieldPrior,
}

/// Models to fit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Wanted {
    /// Every model that the data determine; of all-to-alls alone at least one, and where M is given the
    /// signature.
    #[default]
    All,
    /// Every model that the data determine.
    Any,
    /// One model, which the data must determine.
    One(&'static Model),
}

/// The model that speaks for an algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeakingModel {
    /// The collective.
    pub collective: Collective,
    /// Name of the algorithm.
    pub algorithm: String,
    /// The model that suffices.
    pub sufficient: SufficientModel,
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
    /// The field of each algorithm of a collective of equal pieces.
    pub fields: Vec<FieldEntry>,
    /// The regimes of each algorithm of any collective.
    pub regimes: Vec<FittedRegimes>,
    /// The model that speaks for each algorithm with regimes or a field.
    pub speaking: Vec<SpeakingModel>,
    /// Failed fits.
    pub failures: Vec<FailedFit>,
    /// Measured collectives with an algorithm that no model was fitted to.
    pub passed_over: BTreeSet<Collective>,
    /// Number of cells that hold only numbers of other programs, by statistic.
    pub imported: BTreeMap<StatisticKind, usize>,
    /// Clusters of the hosts with the times between them, if the data name them.
    pub grid: Option<Grid>,
    /// Process count of the collective that stands in for a missing ping-pong, if it does.
    pub without_pairs: Option<Procs>,
    /// Measured algorithms without a fitted model, each once.
    pub unfitted: Vec<String>,
    /// Collectives with a root of which the mean over the ranks represents cells, each once.
    pub rooted_means: Vec<Collective>,
    /// Algorithms with process counts at odds with the others.
    pub odd_counts: Vec<OddCounts>,
    /// Cells that stalled in every repetition.
    pub stalled: Option<Stalled>,
}

/// Fits everything in `data`.
///
/// # Errors
/// If there is neither a usable ping-pong nor an all-to-all in its place, all-to-alls alone were measured and no
/// model fits them, or the one model that is wanted cannot be fitted.
pub fn fit(data: &Dataset, options: &Options) -> Result<NetworkFit, FailedFit> {
    let cells = MeasuredCells::of(data);
    let pairs = pairs::fit(&cells, options)?;
    let mut models = models::fit(&cells, &pairs, options)?;
    let ground = RegimesGround::of(&cells, &pairs, options);
    let mut fields = field::fit(&cells, (&pairs, &ground), options, &mut models.left_out);
    let regimes = regimes::fit(&cells, ground, options);
    if !regimes.has_losses {
        fields.end_at_most_bytes(cells.provenance);
    }
    let ladder = Ladder {
        known: Known::of(pairs.hockney.model(), pairs.plogp.as_ref()),
        has_tables: pairs.plogp.is_some(),
        has_pairs: pairs.without_pairs.is_none(),
        has_losses: regimes.has_losses,
    };
    let speaking = regimes.chosen(&ladder, &models.left_out);
    let (regimes, failures) = regimes.fitted();
    let fitted = NetworkFit {
        failures: models
            .failures
            .into_iter()
            .chain(fields.failures)
            .chain(failures)
            .collect(),
        unfitted: unfitted(&cells, &models.fitted, &regimes, &fields.fitted),
        stalled: link::gap_of(&cells).and_then(|gap| link::stalled(&cells, gap)),
        imported: imported(&cells),
        rooted_means: rooted_means(&cells),
        odd_counts: odd_counts(&cells),
        hockney: pairs.hockney,
        base_error: pairs.base_error,
        plogp: pairs.plogp,
        point_to_point: pairs.point_to_point,
        grid: pairs.grid,
        without_pairs: pairs.without_pairs,
        models: models.fitted,
        signatures: models.signatures,
        passed_over: models.passed_over,
        fields: fields.fitted,
        speaking,
        regimes,
    };
    if fitted.without_pairs.is_some() && fitted.is_empty() {
        refuse_few("alpha and beta without a ping-pong", 0, 4).map_err(FailedFit::of("ping-pong"))?;
    }
    let must_fit = match options.wanted {
        Wanted::All => is_alltoall_alone(&cells),
        Wanted::Any => false,
        Wanted::One(_) => true,
    };
    if must_fit && fitted.is_empty() {
        fitted.failures.first().cloned().map_or(Ok(()), Err)?;
    }
    if matches!(options.wanted, Wanted::One(_)) && fitted.is_empty() {
        refuse_few("every model", 0, 4).map_err(FailedFit::of("alltoall"))?;
    }
    Ok(fitted)
}

impl Wanted {
    /// True if only the regimes are to be fitted.
    pub fn is_regimes_alone(self) -> bool {
        matches!(self, Self::One(model) if model.has_distribution())
    }

    fn wants_field(self) -> bool {
        match self {
            Self::All | Self::Any => true,
            Self::One(model) => model.name == FIELD,
        }
    }

    fn wants_regimes(self) -> bool {
        match self {
            Self::All | Self::Any => true,
            Self::One(model) => model.has_distribution(),
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

impl NetworkFit {
    /// True if no model of a collective was fitted.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty() && self.fields.is_empty() && self.regimes.is_empty()
    }

    /// The model that speaks for an algorithm, if there was a choice.
    pub fn speaking(&self, collective: Option<Collective>, algorithm: &str) -> Option<&SpeakingModel> {
        let is_own = |own: &&SpeakingModel| Some(own.collective) == collective && own.algorithm == algorithm;
        self.speaking.iter().find(is_own)
    }

    /// The regimes of an algorithm.
    pub fn regimes(&self, collective: Collective, algorithm: &str) -> Option<&FittedRegimes> {
        let mut all = self.regimes.iter();
        all.find(|own| own.collective == collective && own.algorithm == algorithm)
    }

    /// The field of an algorithm.
    pub fn field(&self, collective: Collective, algorithm: &str) -> Option<&FieldEntry> {
        let mut all = self.fields.iter();
        all.find(|own| own.collective == collective && own.algorithm == algorithm)
    }
}

/// True if no other collective was measured: alpha and beta alone say nothing of its contention.
fn is_alltoall_alone(cells: &MeasuredCells) -> bool {
    let mut all = cells.summaries.keys();
    all.all(|key| match key.experiment {
        Experiment::Collective(own) => own == Collective::Alltoall,
        _ => true,
    })
}

/// Counts the cells that other programs computed, by statistic.
fn imported(cells: &MeasuredCells) -> BTreeMap<StatisticKind, usize> {
    let kinds = cells.summaries.values();
    let kinds = kinds.filter_map(|summary| summary.imported);
    kinds.counts().into_iter().collect()
}

/// The collectives with a root of which the mean over the ranks represents cells, each once.
fn rooted_means(cells: &MeasuredCells) -> Vec<Collective> {
    let means = cells.summaries.iter().filter_map(|(key, summary)| {
        let Experiment::Collective(collective) = key.experiment else {
            return None;
        };
        let is_mean = summary.imported == Some(StatisticKind::MeanOverRanks);
        (is_mean && collective.has_root()).then_some(collective)
    });
    means.unique().collect()
}

/// The measured algorithms without a fitted model, each once.
fn unfitted(
    cells: &MeasuredCells,
    models: &[FittedModel],
    regimes: &[FittedRegimes],
    fields: &[FieldEntry],
) -> Vec<String> {
    let name = |collective: Collective, algorithm: &str| format!("{collective} {algorithm}");
    let models = models.iter();
    let models = models.filter_map(|own| Some(name(own.collective()?, &own.algorithm)));
    let regimes = regimes.iter();
    let regimes = regimes.map(|own| name(own.collective, &own.algorithm));
    let fields = fields.iter();
    let fields = fields.map(|own| name(own.collective, &own.algorithm));
    let known: HashSet<String> = models.chain(regimes).chain(fields).collect();
    let unfitted = measured(cells).filter(|name| !known.contains(name));
    unfitted.collect()
}

/// The measured collectives with their algorithms, each once.
fn measured(cells: &MeasuredCells) -> impl Iterator<Item = String> {
    let measured = cells.summaries.keys();
    let measured = measured.filter_map(|key| match key.experiment {
        Experiment::Collective(collective) => Some(format!("{collective} {}", key.algorithm)),
        _ => None,
    });
    measured.unique()
}
