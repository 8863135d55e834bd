//! Choice of the simplest model that suffices, by errors at process counts left out of the fit.
//!
//! # Method
//! The models of the hierarchy, simplest first:
//! 1. Hockney's bound and pLogP's, if pairs were measured and the data show no contention;
//! 2. models that compete ([`Model::competes`]): between clusters, a link that all pieces share;
//! 3. the regimes, if pairs were measured: they take the times of pairs for those of bytes;
//! 4. the field.
//!
//! Where losses were seen the regimes are the last model, since their formula of losses follows them beyond the data.
//! For a reduction or barrier this takes stalls of the algorithm itself: its messages follow one another and seldom
//! overflow a port where those of an exchange do.
//! The contention signature is not in the hierarchy, since it is a special case of the field. It would leave cells of
//! real machines without a time and make errors larger (docs/results/real.md).
//!
//! Each model is fitted with every process count left out in turn and judged on the cells of that count. The errors
//! |ln(T/T̂)|, at most 0.4, are weighted by the certainty of the medians. The choice is the simplest model whose mean
//! exceeds the least mean by at most one standard error of the difference over the cells. This is the
//! one-standard-error rule of Breiman et al. 1984.
//!
//! # Domain
//! At least two process counts: with one, none can be left out, and the last model is taken. With one size the field is
//! taken, because only its interval accounts for sizes that were not measured.
//!
//! # Source
//! Breiman, Friedman, Olshen, Stone 1984, section 3.4.3.

use std::collections::BTreeMap;
use std::fmt::Write;

use itertools::Itertools;
use netsig_base::algorithm::Collective;
use netsig_base::stats::sample::weighted_mean;
use netsig_base::units::{Bytes, Procs, Seconds};

use crate::model::regimes::TrafficPattern;
use crate::model::{self, Case, FIELD, KnownNetwork, Model, ModelError, ModelInput};
use crate::regimes::fit::observation::show_stalls;
use crate::regimes::fit::{AlgorithmRegimes, CellObservation, LeftOutCell};

/// Least ratio of a contended cell's time to its contention-free bound, and least share of such
/// cells in data that show contention.
const CONTENDED: f64 = 1.2;
const CONTENDED_SHARE: f64 = 0.1;

/// The model that suffices, and the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct SufficientModel {
    /// The model.
    pub model: &'static Model,
    /// Mean relative error at process counts left out of the fit; `None` if it was not judged.
    pub error: Option<f64>,
    /// Reason for the choice, in a sentence.
    pub reason: String,
}

/// Inputs of the models of the hierarchy.
pub struct ModelHierarchy {
    /// α, β and pLogP.
    pub known: KnownNetwork,
    /// True if pLogP was measured or given, and does not follow from α and β.
    pub has_tables: bool,
    /// True if α and β are those of messages between two processes.
    pub has_pairs: bool,
    /// True if repetitions stalled, counters counted losses, or a network with buffers was described.
    pub has_losses: bool,
}

/// Bounds of an all-to-all without contention, simplest first.
const BOUNDS: [&str; 2] = ["hockney", "contention_free"];

/// Times of cells by a model that was fitted without their process count.
pub type LeftOutCellTimes = BTreeMap<(Procs, Bytes), Seconds>;

/// Models that compete for an algorithm beside bounds and regimes, simplest first, with their times of cells.
pub type CompetingModels = Vec<(&'static Model, LeftOutCellTimes)>;

/// ln(T/T̂) and weight, by cell.
type CellErrors = BTreeMap<(Procs, Bytes), (f64, f64)>;

/// A model of the hierarchy, with its errors at process counts left out of its fit.
type JudgedModel = (&'static Model, CellErrors);

impl ModelHierarchy {
    /// Chooses the model that suffices for an algorithm, by its cells, its `fitted` regimes and the models that
    /// compete.
    pub fn sufficient_model(
        &self,
        collective: Collective,
        by_pattern: &[(TrafficPattern, &[CellObservation])],
        fitted: &AlgorithmRegimes,
        competitors: &CompetingModels,
    ) -> SufficientModel {
        let cells: Vec<&CellObservation> = by_pattern.iter().flat_map(|(_, cells)| *cells).collect();
        let mut simpler: Vec<JudgedModel> = Vec::new();
        let bound_time = |cell: &CellObservation| self.known.hockney.alltoall(cell.procs, cell.size);
        if self.has_pairs && collective == Collective::Alltoall && !shows_contention(&cells, bound_time) {
            let models_of_bounds = BOUNDS.iter().filter_map(|name| model::find(collective, name).ok());
            let bounds = models_of_bounds.filter(|model| self.has_tables || !model.needs.contains(&ModelInput::PLogP));
            simpler.extend(bounds.map(|model| (model, self.bound_errors(model, &cells))));
        }
        let competitor = |(model, times): &(&'static Model, LeftOutCellTimes)| {
            let time = |cell: &CellObservation| times.get(&(cell.procs, cell.size)).copied();
            let model_errors = cell_errors(&cells, |cell| time(cell).unwrap_or_default());
            (*model, model_errors)
        };
        let (fields, others): (Vec<_>, Vec<_>) = competitors.iter().partition(|(model, _)| model.name == FIELD);
        if let [field] = fields[..]
            && cells.iter().map(|cell| cell.size).all_equal()
        {
            return simplest_sufficient(&[], &competitor(field));
        }
        simpler.extend(others.into_iter().map(competitor));
        let regimes = || {
            let errors = fitted.left_out_cells.iter().map(error_by_cell);
            (model::general_model(collective), errors.collect())
        };
        let follows_one_another = collective.is_reduction() || collective == Collective::Barrier;
        let has_losses = self.has_losses && (!follows_one_another || show_stalls(cells.iter().copied()));
        let last = match fields[..] {
            [field] if !has_losses || fitted.fits.is_empty() => {
                simpler.extend(self.has_pairs.then(regimes));
                competitor(field)
            }
            _ => regimes(),
        };
        simplest_sufficient(&simpler, &last)
    }

    /// Errors of a model without parameters.
    fn bound_errors(&self, model: &'static Model, cells: &[&CellObservation]) -> CellErrors {
        let time = |cell: &CellObservation| {
            let values = model.values(|_| None)?;
            let timed = model.time(&self.known, &values, Case::new(cell.procs, cell.size))?;
            Ok::<_, ModelError>(timed.time)
        };
        cell_errors(cells, |cell| time(cell).unwrap_or_default())
    }
}

/// True if more than a tenth of the cells take clearly longer than the contention-free `bound`.
fn shows_contention(cells: &[&CellObservation], bound: impl Fn(&CellObservation) -> Seconds) -> bool {
    let is_late = |cell: &&&CellObservation| cell.median / bound(cell) >= CONTENDED;
    let late = cells.iter().filter(is_late).count();
    late as f64 > CONTENDED_SHARE * cells.len() as f64
}

fn error_by_cell(cell: &LeftOutCell) -> ((Procs, Bytes), (f64, f64)) {
    ((cell.procs, cell.size), (cell.error, cell.weight))
}

fn cell_errors(cells: &[&CellObservation], time: impl Fn(&CellObservation) -> Seconds) -> CellErrors {
    let weighted_error = |cell: &&CellObservation| {
        let error = (cell.median / time(cell)).ln();
        let is_time = time(cell).0 > 0.0;
        is_time.then_some(((cell.procs, cell.size), (error, cell.weight())))
    };
    cells.iter().filter_map(weighted_error).collect()
}

/// Chooses the simplest model within one standard error of the best, over the cells that all models predict.
fn simplest_sufficient(simpler: &[JudgedModel], last: &JudgedModel) -> SufficientModel {
    let (model, last_errors) = last;
    if last_errors.is_empty() {
        return SufficientModel {
            model,
            error: None,
            reason: format!(
                "{}, unjudged: it takes two process counts alike to leave one out",
                model.name
            ),
        };
    }
    let simpler_models = simpler.iter().filter(|(_, errors)| !errors.is_empty());
    let judged: Vec<&JudgedModel> = simpler_models.chain([last]).collect();
    let common: Vec<(Procs, Bytes)> = last_errors
        .keys()
        .filter(|cell| judged.iter().all(|(_, errors)| errors.contains_key(cell)))
        .copied()
        .collect();
    let absolute_errors = |(_, errors): &&JudgedModel| {
        let absolute_error = |cell| (errors[cell].0.abs(), errors[cell].1);
        common.iter().map(absolute_error).collect()
    };
    let errors_of_models: Vec<Vec<(f64, f64)>> = judged.iter().map(absolute_errors).collect();
    let mean = |errors: &[(f64, f64)]| weighted_mean(errors).0;
    let best_errors = errors_of_models.iter().min_by(|a, b| mean(a).total_cmp(&mean(b)));
    let best: &[(f64, f64)] = best_errors.map_or(&[], |best| best);
    let suffices = |model_errors: &Vec<(f64, f64)>| {
        let pairs = model_errors.iter().zip(best);
        let worse: Vec<(f64, f64)> = pairs
            .map(|((error, weight), (best, _))| (error - best, *weight))
            .collect();
        let (difference, error) = weighted_mean(&worse);
        difference <= error
    };
    let place = errors_of_models
        .iter()
        .position(suffices)
        .unwrap_or(errors_of_models.len() - 1);
    let judged_with_errors = judged.iter().zip(&errors_of_models);
    let mean_errors: Vec<(&str, f64)> = judged_with_errors
        .map(|(judged_model, all)| (judged_model.0.name, mean(all)))
        .collect();
    SufficientModel {
        model: judged[place].0,
        error: Some(mean_errors[place].1.exp_m1()),
        reason: reason(&mean_errors, place),
    }
}

/// Reason for the choice of one of the `models`, which are listed simplest first with their mean errors.
fn reason(models: &[(&str, f64)], place: usize) -> String {
    let percent = |error: f64| format!("{:.1} %", error.exp_m1() * 100.0);
    let (name, error) = models[place];
    let mut text = format!(
        "{name}, off by {} on average where a process count is left out",
        percent(error)
    );
    let listed = |models: &[(&str, f64)]| {
        let with_error = |(name, error): &(&str, f64)| format!("{name} {}", percent(*error));
        models.iter().map(with_error).join(", ")
    };
    let (below, above) = (&models[..place], &models[place + 1..]);
    if !below.is_empty() {
        let _ = write!(
            text,
            "; simpler models miss by more than one standard error more ({})",
            listed(below)
        );
    }
    if !above.is_empty() {
        let _ = write!(
            text,
            "; richer models are not better by more than one ({})",
            listed(above)
        );
    }
    text
}
