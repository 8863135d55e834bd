//! Complete fit of a dataset: α and β from its ping-pong, and further fits of pairs. Each algorithm of an all-to-all
//! gets a contention signature and every other model with parameters. Every algorithm of any collective that the
//! regimes describe gets its regimes. Other algorithms of other collectives are passed over.
//!
//! # Method
//! The rows are read once, into cells, without those whose processes waited for processors ([`BusyCells`]). Each stage takes the results of those before it:
//! 1. `pairs`: the parameters of pairs;
//! 2. `models`: the models of each algorithm;
//! 3. `field`: the fields;
//! 4. `regimes`: the regimes;
//! 5. [`ModelHierarchy`]: the choice of the model that suffices.

mod field;
mod models;
mod pairs;
mod regimes;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{MeasuredCells, Statistic};
use netsig_base::data::processors::BusyCells;
use netsig_base::data::{Dataset, Experiment, ImportedStatistic};
use netsig_base::network::{ClusterGrid, Network};
use netsig_base::units::Procs;

pub use self::regimes::FittedRegimes;
use self::regimes::RegimesInputs;

use super::hockney::{HockneyFit, HockneyVariances};
use super::link::{self, StalledCells};
use super::model::{ModelFit, ModelFitOptions};
use super::model_hierarchy::{ModelHierarchy, SufficientModel};
use super::odd_counts::{OddProcessCounts, odd_counts};
use super::operation::{self, OperationTime};
use super::point_to_point::PointToPointFits;
use super::{Covariance, FailedFit, refuse_too_few};
use crate::field::{FieldEntry, FieldPrior};
use crate::fitted::FittedModel;
use crate::model::plogp::PLogP;
use crate::model::{FIELD, KnownNetwork, Model};

/// Options of the fit of a dataset.
#[derive(Debug, Clone, Default)]
pub struct NetworkFitOptions {
    /// Options of each model's fit; `covariance` overrides its covariance, and the ping-pong's errors override its
    /// `hockney_variances`.
    pub model: ModelFitOptions,
    /// The covariance; `None` for [`Covariance::Means`] if it explains the residuals, and
    /// otherwise [`Covariance::BandwidthShare`].
    pub covariance: Option<Covariance>,
    /// Statistic that represents the repetitions of a collective's cell.
    pub statistic: Statistic,
    /// Models to fit besides α and β.
    pub models_to_fit: ModelsToFit,
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
pub enum ModelsToFit {
    /// Every model that the data determine. Data of all-to-alls alone must determine at least one, and the signature if
    /// M is given.
    #[default]
    All,
    /// Every model that the data determine.
    Any,
    /// One model, which the data must determine.
    One(&'static Model),
}

/// The model that is chosen for an algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenModel {
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
    pub hockney_variances: HockneyVariances,
    /// pLogP tables, given or else measured.
    pub plogp: Option<PLogP>,
    /// Times of the operations of reductions.
    pub operations: Vec<OperationTime>,
    /// Further fits of pairs.
    pub point_to_point: PointToPointFits,
    /// The fitted models of each algorithm of an all-to-all.
    pub models: Vec<FittedModel>,
    /// The signatures among the models, with their diagnostics.
    pub signatures: Vec<ModelFit>,
    /// The field of each algorithm of a collective of equal pieces.
    pub fields: Vec<FieldEntry>,
    /// The regimes of each algorithm of any collective.
    pub regimes: Vec<FittedRegimes>,
    /// The model that is chosen for each algorithm with regimes or a field.
    pub chosen_models: Vec<ChosenModel>,
    /// Failed fits.
    pub failures: Vec<FailedFit>,
    /// Measured collectives with an algorithm that no model was fitted to.
    pub unmodelled: BTreeSet<Collective>,
    /// Number of cells that hold only numbers of other programs, by statistic.
    pub imported: BTreeMap<ImportedStatistic, usize>,
    /// Clusters of the hosts with the times between them, if the data name them.
    pub grid: Option<ClusterGrid>,
    /// Process count of the collective that replaces a missing ping-pong; `None` with a ping-pong.
    pub substitute_procs: Option<Procs>,
    /// Measured algorithms without a fitted model, each once.
    pub unfitted: Vec<String>,
    /// Collectives with a root that have cells with a mean over the ranks, each once.
    pub rooted_means: Vec<Collective>,
    /// Algorithms with odd process counts.
    pub odd_counts: Vec<OddProcessCounts>,
    /// Cells that stalled in every repetition.
    pub stalled_cells: Option<StalledCells>,
    /// Cells whose processes waited for processors.
    pub busy_cells: BusyCells,
}

/// Fits everything in `data`.
///
/// # Errors
/// If there is neither a usable ping-pong nor an all-to-all in its place. If all-to-alls alone were measured and no
/// model fits them. If the one wanted model cannot be fitted.
pub fn fit(data: &Dataset, options: &NetworkFitOptions) -> Result<NetworkFit, FailedFit> {
    let counted = data.without_busy_cells();
    let cells = MeasuredCells::of(&counted);
    let pairs = pairs::fit(&cells, options)?;
    let mut models = models::fit(&cells, &pairs, options)?;
    let regimes_inputs = RegimesInputs::of(&cells, &pairs, options);
    let mut fields = field::fit(&cells, &pairs, &regimes_inputs, options, &mut models.left_out);
    let regimes_fits = regimes::fit(&cells, regimes_inputs, options);
    if !regimes_fits.has_losses {
        fields.set_stall_limit(cells.provenance);
    }
    let hierarchy = ModelHierarchy {
        known: KnownNetwork::of(pairs.hockney.model(), pairs.plogp.as_ref()),
        has_tables: pairs.plogp.is_some(),
        has_pairs: pairs.substitute_procs.is_none(),
        has_losses: regimes_fits.has_losses,
    };
    let chosen_models = regimes_fits.chosen_models(&hierarchy, &models.left_out);
    let (regimes, failures) = regimes_fits.fitted();
    let fitted = NetworkFit {
        failures: models
            .failures
            .into_iter()
            .chain(fields.failures)
            .chain(failures)
            .collect(),
        unfitted: unfitted_algorithms(&cells, &models.fitted, &regimes, &fields.fitted),
        busy_cells: BusyCells::of(data),
        stalled_cells: link::gap_of(&cells).and_then(|gap| link::stalled(&cells, gap)),
        imported: imported_by_statistic(&cells),
        rooted_means: rooted_means(&cells),
        odd_counts: odd_counts(&cells),
        hockney: pairs.hockney,
        hockney_variances: pairs.hockney_variances,
        plogp: pairs.plogp,
        operations: operation::fit(&cells),
        point_to_point: pairs.point_to_point,
        grid: pairs.grid,
        substitute_procs: pairs.substitute_procs,
        models: models.fitted,
        signatures: models.signatures,
        unmodelled: models.unmodelled,
        fields: fields.fitted,
        chosen_models,
        regimes,
    };
    if fitted.substitute_procs.is_some() && fitted.is_empty() {
        refuse_too_few("alpha and beta without a ping-pong", 0, 4).map_err(FailedFit::of("ping-pong"))?;
    }
    let must_fit = match options.models_to_fit {
        ModelsToFit::All => is_alltoall_alone(&cells),
        ModelsToFit::Any => false,
        ModelsToFit::One(_) => true,
    };
    if must_fit && fitted.is_empty() {
        fitted.failures.first().cloned().map_or(Ok(()), Err)?;
    }
    if matches!(options.models_to_fit, ModelsToFit::One(_)) && fitted.is_empty() {
        refuse_too_few("every model", 0, 4).map_err(FailedFit::of("alltoall"))?;
    }
    Ok(fitted)
}

impl ModelsToFit {
    /// True if only the regimes are to be fitted.
    pub fn is_regimes_alone(self) -> bool {
        matches!(self, Self::One(model) if model.has_distribution())
    }

    fn includes_field(self) -> bool {
        match self {
            Self::All | Self::Any => true,
            Self::One(model) => model.name == FIELD,
        }
    }

    fn includes_regimes(self) -> bool {
        match self {
            Self::All | Self::Any => true,
            Self::One(model) => model.has_distribution(),
        }
    }

    /// True if a model with parameters is to be fitted.
    fn includes(self, model: &Model) -> bool {
        match self {
            Self::All | Self::Any => true,
            Self::One(model_to_fit) => model_to_fit == model,
        }
    }
}

impl NetworkFit {
    /// True if no model of a collective was fitted.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty() && self.fields.is_empty() && self.regimes.is_empty()
    }

    /// The model that is chosen for an algorithm, if there was a choice.
    pub fn chosen_model(&self, collective: Option<Collective>, algorithm: &str) -> Option<&ChosenModel> {
        let is_of_algorithm =
            |chosen: &&ChosenModel| Some(chosen.collective) == collective && chosen.algorithm == algorithm;
        self.chosen_models.iter().find(is_of_algorithm)
    }

    /// The regimes of an algorithm.
    pub fn regimes(&self, collective: Collective, algorithm: &str) -> Option<&FittedRegimes> {
        let mut all = self.regimes.iter();
        all.find(|regimes| regimes.collective == collective && regimes.algorithm == algorithm)
    }

    /// The field of an algorithm.
    pub fn field(&self, collective: Collective, algorithm: &str) -> Option<&FieldEntry> {
        let mut all = self.fields.iter();
        all.find(|field| field.collective == collective && field.algorithm == algorithm)
    }
}

/// True if no collective but alltoall was measured: α and β alone say nothing about the contention of another one.
fn is_alltoall_alone(cells: &MeasuredCells) -> bool {
    let mut all = cells.summaries.keys();
    all.all(|key| match key.experiment {
        Experiment::Collective(collective) => collective == Collective::Alltoall,
        _ => true,
    })
}

/// Counts the cells that other programs computed, by statistic.
fn imported_by_statistic(cells: &MeasuredCells) -> BTreeMap<ImportedStatistic, usize> {
    let summaries = cells.summaries.values();
    let kinds = summaries.filter_map(|summary| summary.imported);
    kinds.counts().into_iter().collect()
}

/// The collectives with a root that have cells with a mean over the ranks, each once.
fn rooted_means(cells: &MeasuredCells) -> Vec<Collective> {
    let means = cells.summaries.iter().filter_map(|(key, summary)| {
        let Experiment::Collective(collective) = key.experiment else {
            return None;
        };
        let is_mean = summary.imported == Some(ImportedStatistic::MeanOverRanks);
        (is_mean && collective.has_root()).then_some(collective)
    });
    means.unique().collect()
}

/// The measured algorithms without a fitted model, each once.
fn unfitted_algorithms(
    cells: &MeasuredCells,
    models: &[FittedModel],
    regimes: &[FittedRegimes],
    fields: &[FieldEntry],
) -> Vec<String> {
    let name = |collective: Collective, algorithm: &str| format!("{collective} {algorithm}");
    let fitted_models = models.iter();
    let names_of_models = fitted_models.filter_map(|model| Some(name(model.collective()?, &model.algorithm)));
    let fitted_regimes = regimes.iter();
    let names_of_regimes = fitted_regimes.map(|entry| name(entry.collective, &entry.algorithm));
    let fitted_fields = fields.iter();
    let names_of_fields = fitted_fields.map(|entry| name(entry.collective, &entry.algorithm));
    let known: HashSet<String> = names_of_models.chain(names_of_regimes).chain(names_of_fields).collect();
    let unfitted = measured_algorithms(cells).filter(|name| !known.contains(name));
    unfitted.collect()
}

/// The measured collectives with their algorithms, each once.
fn measured_algorithms(cells: &MeasuredCells) -> impl Iterator<Item = String> {
    let keys = cells.summaries.keys();
    let names = keys.filter_map(|key| match key.experiment {
        Experiment::Collective(collective) => Some(format!("{collective} {}", key.algorithm)),
        _ => None,
    });
    names.unique()
}
