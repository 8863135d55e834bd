//! The certainty of predictions: their error on data that the profile was not fitted to.
//!
//! # Method
//! One figure: where cells of process counts were given that the profile was not fitted to, the median of the
//! absolute errors of their predictions. Else it is the mean, over the algorithms, of the errors of process counts that
//! the fit left out in turn (`fit/model_hierarchy.rs`). The coverage of held-out cells is beside the level of the
//! intervals. They are too narrow if so few cells would lie within by chance with a probability below [`UNLIKELY`].
//!
//! Launches contradict each other if their medians differ by [`CONTRADICTED_RATIO`] in [`CONTRADICTED_SHARE`] of the
//! cells without losses.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::Experiment;
use netsig_base::data::cells::{CellKey, TimesByLaunch, times_by_launch};
use netsig_base::stats::sample::median;
use netsig_base::units::{Bytes, Procs, Seconds};
use statrs::distribution::{Binomial, DiscreteCDF as _};

use super::sentence::{enumeration, percent};
use super::{CellFinding, VerdictSubject};
use crate::predict::compare::{ErrorStatistics, JudgedCell};
use crate::predict::outside_domain::FAR;

/// Least probability of a share of covered cells that may be chance.
const UNLIKELY: f64 = 0.05;

/// Least ratio of the medians of two launches that contradict each other, and least share of cells in which they do.
const CONTRADICTED_RATIO: f64 = 1.5;
const CONTRADICTED_SHARE: f64 = 0.25;

/// Least number of such cells.
const LEAST_CONTRADICTED: usize = 3;

/// The errors of predictions of a collective.
#[derive(Debug, Clone, PartialEq)]
pub struct Certainty {
    /// The error, by its origin.
    pub error: PredictionError,
    /// Level of the intervals of predictions, if it is known.
    pub level: Option<f64>,
    /// Process counts and sizes up to which predictions answer.
    reach: Option<(Procs, Bytes)>,
    /// Number of cells whose processes waited for processors.
    busy_cells: usize,
    /// True if all data are of one launch.
    is_single_launch: bool,
    /// The contradiction of launches, as sentences, if there is one.
    contradiction: Option<String>,
}

/// The error of predictions.
#[derive(Debug, Clone, PartialEq)]
pub enum PredictionError {
    /// Of cells that the profile was not fitted to.
    HeldOut {
        /// Errors and coverage.
        errors: ErrorStatistics,
        /// Process counts of the cells.
        procs: BTreeSet<Procs>,
    },
    /// Of process counts left out of the fit: mean relative error.
    LeftOut(f64),
    /// Not judged, for this reason.
    Unknown(&'static str),
}

impl Certainty {
    pub(super) fn of(subject: &VerdictSubject) -> Self {
        Self {
            error: held_out_error(subject)
                .or_else(|| left_out_error(subject))
                .unwrap_or_else(|| unknown_error(subject)),
            level: subject
                .request
                .profile
                .and_then(|profile| profile.interval_level(subject.collective)),
            reach: reach(subject),
            busy_cells: subject.all_cells.iter().filter(|cell| cell.is_busy).count(),
            is_single_launch: is_single_launch(subject),
            contradiction: contradiction(subject),
        }
    }
}

fn held_out_error(subject: &VerdictSubject) -> Option<PredictionError> {
    let held_out = || subject.cells().filter(|cell| cell.is_held_out);
    let judged = held_out().filter_map(|cell| {
        let prediction = cell.prediction?;
        Some(JudgedCell {
            predicted: prediction.time,
            interval: prediction.interval,
            measured: cell.median(),
        })
    });
    Some(PredictionError::HeldOut {
        errors: ErrorStatistics::of(judged)?,
        procs: held_out()
            .filter(|cell| cell.prediction.is_some())
            .map(|cell| cell.procs)
            .collect(),
    })
}

/// Why no error is known.
fn unknown_error(subject: &VerdictSubject) -> PredictionError {
    PredictionError::Unknown(if subject.request.profile.is_none() {
        "there is no profile, and nothing is predicted."
    } else {
        "the fit judged no left-out process count. Measure three process counts, and a larger one to check."
    })
}

/// The mean of the algorithms' errors at left-out process counts.
fn left_out_error(subject: &VerdictSubject) -> Option<PredictionError> {
    let choices = subject.request.profile?.choices.iter();
    let of_collective = choices.filter(|choice| choice.collective == subject.collective);
    let errors: Vec<f64> = of_collective.filter_map(|choice| choice.error).collect();
    let total: f64 = errors.iter().sum();
    (!errors.is_empty()).then(|| PredictionError::LeftOut(total / errors.len() as f64))
}

/// The largest process count and size for which the profile predicts the algorithm in question; `None` if it refuses
/// none.
fn reach(subject: &VerdictSubject) -> Option<(Procs, Bytes)> {
    let algorithm = subject.reference_algorithm()?;
    let models = subject.request.profile?.contention_models_of(subject.collective);
    let of_algorithm = models.filter(|model| model.algorithm() == algorithm);
    let largest = of_algorithm.map(|model| model.domain().largest).max()?;
    let fitted = subject.predictors.get(algorithm)?;
    let most = fitted.fitted_procs.last()?.get().saturating_mul(FAR);
    let [most_procs, next_procs] = [most, most.saturating_add(1)].map(Procs::new);
    let is_refused = fitted.predictor.reason_outside(next_procs.ok()?, largest).is_some();
    let most_size = Bytes(largest.0.saturating_mul(FAR.into()));
    is_refused.then_some((most_procs.ok()?, most_size))
}

/// A cell whose launches contradict each other, if those of many cells do.
fn contradiction(subject: &VerdictSubject) -> Option<String> {
    let is_judged = |cell: &&CellFinding| cell.lossy_share.is_none_or(|share| share <= 0.0);
    let by_cell = times_by_launch(subject.request.data);
    let compared = subject.cells().filter(is_judged).filter_map(|cell| {
        let [least, most] = launch_medians(subject.collective, cell, &by_cell)?;
        Some((most / least, least, most, cell))
    });
    let ratios = compared.collect_vec();
    let contradicted = ratios.iter().filter(|(ratio, ..)| *ratio >= CONTRADICTED_RATIO).count();
    let is_common = contradicted as f64 >= CONTRADICTED_SHARE * ratios.len() as f64;
    let worst = ratios.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    worst.filter(|_| is_common && contradicted >= LEAST_CONTRADICTED).map(|(_, least, most, cell)| {
        format!(
            "The launches contradict each other, most of all in {} {} among {} at {}: {least} in one, {most} in another. \
             No figure holds for both; find out what changed.",
            subject.collective, cell.algorithm, cell.procs, cell.size
        )
    })
}

/// The least and the greatest median of the launches of a cell; `None` with a single launch.
fn launch_medians(
    collective: Collective,
    cell: &CellFinding,
    by_cell: &BTreeMap<CellKey, TimesByLaunch>,
) -> Option<[Seconds; 2]> {
    let key = CellKey {
        experiment: Experiment::Collective(collective),
        algorithm: cell.algorithm.as_str().into(),
        procs: cell.procs,
        size: cell.size,
    };
    let launches = by_cell.get(&key)?.values();
    let medians = launches.map(|times| Seconds(median(times.iter().copied())));
    let (least, most) = medians.minmax_by(|a, b| a.0.total_cmp(&b.0)).into_option()?;
    (by_cell[&key].len() > 1).then_some([least, most])
}

/// True if the given data of the collective are of one launch.
fn is_single_launch(subject: &VerdictSubject) -> bool {
    let places = subject.request.data.samples.iter().map(|sample| &sample.cell);
    let of_collective = places.filter(|place| place.experiment == Experiment::Collective(subject.collective));
    of_collective.map(|place| place.launch).unique().count() == 1
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.error.sentences(self.level))?;
        if let Some((procs, size)) = self.reach {
            let and_size = if size.0 > 0 {
                format!(" and {size}")
            } else {
                String::new()
            };
            write!(f, " Predictions reach {procs} processes{and_size}.")?;
        }
        if let Some(contradiction) = &self.contradiction {
            write!(f, " {contradiction}")?;
        }
        if self.is_single_launch {
            write!(
                f,
                " The given data are of one launch, so that no interval shows how launches differ; measure three."
            )?;
        }
        match self.busy_cells {
            0 => Ok(()),
            1 => write!(
                f,
                " 1 cell does not count: its processes waited for processors half of the time."
            ),
            count => write!(
                f,
                " {count} cells do not count: their processes waited for processors half of the time."
            ),
        }
    }
}

impl PredictionError {
    /// The error in words, beside the `level` of the intervals.
    fn sentences(&self, level: Option<f64>) -> String {
        match self {
            Self::HeldOut { errors, procs } => {
                let cells = if errors.points == 1 { "cell" } else { "cells" };
                format!(
                    "The median error is {}, on {} {cells} among {} processes to which nothing was fitted.{}",
                    percent(errors.median),
                    errors.points,
                    enumeration(procs),
                    coverage_sentence(errors, level)
                )
            }
            Self::LeftOut(error) => format!(
                "The mean error is {}, of process counts that the fit left out in turn. Nothing was held out: measure \
                 more processes and give them to the report to check.",
                percent(*error)
            ),
            Self::Unknown(reason) => format!("Not known: {reason}"),
        }
    }
}

/// Coverage beside the level of the intervals, in words.
fn coverage_sentence(errors: &ErrorStatistics, level: Option<f64>) -> String {
    let Some((share, level)) = errors.coverage.zip(level) else {
        return String::new();
    };
    let all = errors.points as u64;
    let covered = (share * errors.points as f64).round();
    let probability = Binomial::new(level, all).map_or(1.0, |binomial| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count of cells"
        )]
        binomial.cdf(covered as u64)
    });
    let judgement = if share >= level {
        "the intervals hold"
    } else if probability < UNLIKELY {
        "the intervals are too narrow"
    } else {
        "the difference may be chance"
    };
    format!(
        " {:.0} % of the medians lie in intervals that should hold {:.0} %: {judgement}.",
        share * 100.0,
        level * 100.0
    )
}
