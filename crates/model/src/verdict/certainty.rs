//! The certainty of predictions: their error on data that the profile was not fitted to.
//!
//! # Method
//! One figure: where cells of process counts were given that the profile was not fitted to, the median of the
//! absolute errors of their predictions. Else the mean, over the algorithms, of the errors of process counts that the fit left
//! out in turn (`fit/model_hierarchy.rs`). The coverage of held-out cells is beside the level of the intervals; it is too narrow if so
//! few cells would lie within by chance with a probability below [`UNLIKELY`].

use std::collections::BTreeSet;
use std::fmt;

use itertools::Itertools as _;
use netsig_base::data::{Dataset, Experiment};
use netsig_base::units::{Bytes, Procs};
use statrs::distribution::{Binomial, DiscreteCDF as _};

use super::VerdictSubject;
use super::sentence::enumeration;
use crate::predict::compare::{ErrorStatistics, JudgedCell};
use crate::predict::outside_domain::FAR;

/// Least probability of a share of covered cells that may be chance.
const UNLIKELY: f64 = 0.05;

/// The errors of predictions of a collective.
#[derive(Debug, Clone, PartialEq)]
pub struct Certainty {
    /// The error, by its origin.
    pub error: PredictionError,
    /// Process counts and sizes up to which predictions answer.
    reach: Option<(Procs, Bytes)>,
    /// Number of cells whose processes waited for processors.
    busy_cells: usize,
    /// True if all data are of one launch.
    is_single_launch: bool,
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
        /// Level of the intervals.
        level: f64,
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
            reach: reach(subject),
            busy_cells: subject.all_cells.iter().filter(|cell| cell.is_busy).count(),
            is_single_launch: is_single_launch(subject.request.data),
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
        procs: held_out().map(|cell| cell.procs).collect(),
        level: interval_level(subject)?,
    })
}

/// Why no error is known.
fn unknown_error(subject: &VerdictSubject) -> PredictionError {
    PredictionError::Unknown(if subject.request.profile.is_none() {
        "there is no profile, and nothing is predicted."
    } else {
        "the fit judged no left-out process count. Measure three counts, and others to check."
    })
}

/// Level of the intervals of the collective's predictions.
fn interval_level(subject: &VerdictSubject) -> Option<f64> {
    let profile = subject.request.profile?;
    let regimes = profile.regimes.iter().map(|entry| (entry.collective, entry.confidence));
    let fields = profile.fields.iter().map(|entry| (entry.collective, entry.confidence));
    let mut levels = regimes.chain(fields);
    let of_collective = levels.find(|(collective, _)| *collective == subject.collective);
    of_collective.map(|(_, level)| level)
}

/// The mean of the algorithms' errors at left-out process counts.
fn left_out_error(subject: &VerdictSubject) -> Option<PredictionError> {
    let choices = subject.request.profile?.choices.iter();
    let of_collective = choices.filter(|choice| choice.collective == subject.collective);
    let errors: Vec<f64> = of_collective.filter_map(|choice| choice.error).collect();
    let total: f64 = errors.iter().sum();
    (!errors.is_empty()).then(|| PredictionError::LeftOut(total / errors.len() as f64))
}

/// The largest process count and size that predictions answer.
fn reach(subject: &VerdictSubject) -> Option<(Procs, Bytes)> {
    let models = subject.request.profile?.contention_models_of(subject.collective);
    let ends = models.filter_map(|model| {
        let domain = model.domain();
        let most = domain.procs.last()?.get().saturating_mul(FAR);
        Some((
            Procs::new(most).ok()?,
            Bytes(domain.largest.0.saturating_mul(FAR.into())),
        ))
    });
    ends.reduce(|(procs, size), (most, largest)| (procs.max(most), size.max(largest)))
}

/// True if the collectives of the data are of one launch.
fn is_single_launch(data: &Dataset) -> bool {
    let places = data.samples.iter().map(|sample| &sample.cell);
    let collectives = places.filter(|place| matches!(place.experiment, Experiment::Collective(_)));
    collectives.map(|place| place.launch).unique().count() == 1
}

/// A share in per cent with three digits at most.
fn percent(share: f64) -> String {
    let digits = usize::from(share < 0.1995);
    format!("{:.digits$} %", share * 100.0)
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.error)?;
        if let Some((procs, size)) = self.reach {
            write!(f, " Predictions reach {procs} processes and {size}.")?;
        }
        if self.is_single_launch {
            write!(
                f,
                " The data are of one launch, so that no interval shows how launches differ; measure three."
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

impl fmt::Display for PredictionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HeldOut { errors, procs, level } => {
                let cells = if errors.points == 1 { "cell" } else { "cells" };
                write!(
                    f,
                    "The median error is {}, on {} {cells} among {} processes to which nothing was fitted.{}",
                    percent(errors.median),
                    errors.points,
                    enumeration(procs),
                    coverage_sentence(errors, *level)
                )
            }
            Self::LeftOut(error) => write!(
                f,
                "The mean error is {}, of process counts that the fit left out in turn. Nothing was held out: measure \
                 more processes and give them to the report to check.",
                percent(*error)
            ),
            Self::Unknown(reason) => write!(f, "Not known: {reason}"),
        }
    }
}

/// Coverage beside the level of the intervals, in words.
fn coverage_sentence(errors: &ErrorStatistics, level: f64) -> String {
    let Some(share) = errors.coverage else {
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
    let judgement = if probability < UNLIKELY {
        "too narrow"
    } else {
        "as they should"
    };
    format!(
        " {:.0} % of the medians lie in intervals that should hold {:.0} %: {judgement}.",
        share * 100.0,
        level * 100.0
    )
}
