//! The verdict on a collective: whether it is contended, from which size on it loses packets, which changes make it
//! faster, and how sure all this is.
//!
//! The verdict is computed from a profile and data, of which one may be missing, and is stored nowhere. All programs
//! print its answers in these words. Cells whose processes waited for processors count nowhere.

mod cell;
mod certainty;
mod change;
mod contention;
mod gains;
mod losses;
mod sentence;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::network::Network;
use netsig_base::units::Procs;
use strum::VariantArray as _;

pub use self::cell::{CellFinding, FittedPredictor, FittedPredictors};
pub use self::certainty::{Certainty, PredictionError};
pub use self::change::ChangeAdvice;
pub use self::contention::{CONTENDED_RATIO, ContentionFinding, ContentionState, RatedCell};
pub use self::gains::{SizeGain, WorthwhileChange};
pub use self::losses::{LossFinding, MeasuredLosses, known_onset, losses_by_count};
use crate::profile::Profile;

/// The inputs of a verdict.
#[derive(Debug, Clone, Copy)]
pub struct VerdictRequest<'a> {
    /// The fitted models, if there are any.
    pub profile: Option<&'a Profile>,
    /// File name of the profile, for commands.
    pub profile_name: &'a str,
    /// Measured data, which may be empty.
    pub data: &'a Dataset,
    /// The links of the network, if they are known.
    pub network: Option<&'a Network>,
    /// Process count of the changes; `None` for the larger of the count that the data were measured for and the largest
    /// known one.
    pub procs: Option<Procs>,
}

/// The verdict on one collective.
#[derive(Debug, Clone)]
pub struct CollectiveVerdict {
    /// The collective.
    pub collective: Collective,
    /// Contention in the measured cells.
    pub contention: ContentionFinding,
    /// Onset of losses.
    pub losses: LossFinding,
    /// Changes that make the collective faster.
    pub change: ChangeAdvice,
    /// Errors of predictions.
    pub certainty: Certainty,
}

/// An answer of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictAnswer {
    /// The question, in a word or two.
    pub question: &'static str,
    /// The answer in sentences.
    pub answer: String,
    /// The words of a command to copy, if the answer has one.
    pub command: Option<String>,
}

/// One collective with its measured cells and predictors.
struct VerdictSubject<'a> {
    request: VerdictRequest<'a>,
    collective: Collective,
    predictors: FittedPredictors<'a>,
    /// All cells; busy ones are for the count of them alone.
    all_cells: Vec<CellFinding>,
}

impl VerdictRequest<'_> {
    /// The verdicts on all collectives that were measured or fitted.
    pub fn verdicts(&self) -> Vec<CollectiveVerdict> {
        let samples = self.data.samples.iter().map(|row| row.cell.experiment);
        let aggregates = self.data.aggregates.iter().map(|row| row.cell.experiment);
        let measured: Vec<Experiment> = samples.chain(aggregates).collect();
        let fitted = |collective: Collective| {
            let algorithms = self.profile.map(|profile| profile.algorithms(collective));
            algorithms.is_some_and(|algorithms| !algorithms.is_empty())
        };
        let is_known =
            |collective: &&Collective| measured.contains(&Experiment::Collective(**collective)) || fitted(**collective);
        let known = Collective::VARIANTS.iter().filter(is_known);
        known.map(|collective| self.verdict(*collective)).collect()
    }

    /// The verdict on a collective.
    pub fn verdict(&self, collective: Collective) -> CollectiveVerdict {
        let subject = VerdictSubject::new(*self, collective);
        CollectiveVerdict {
            collective,
            contention: ContentionFinding::of(&subject),
            losses: LossFinding::of(&subject),
            change: ChangeAdvice::of(&subject),
            certainty: Certainty::of(&subject),
        }
    }
}

impl CollectiveVerdict {
    /// The answers, in the order in which they are printed.
    pub fn answers(&self) -> Vec<VerdictAnswer> {
        let plain = |question, answer: String| VerdictAnswer {
            question,
            answer,
            command: None,
        };
        let [setting, preloaded] = self.change.answers();
        vec![
            plain("Contended?", self.contention.to_string()),
            plain("Losses", self.losses.to_string()),
            setting,
            preloaded,
            plain("How sure", self.certainty.to_string()),
        ]
    }
}

impl<'a> VerdictSubject<'a> {
    fn new(request: VerdictRequest<'a>, collective: Collective) -> Self {
        let predictors = request.profile.map_or_else(FittedPredictors::default, |profile| {
            FittedPredictors::of(profile, collective, request.network)
        });
        let all_cells = predictors.findings(request.data, collective);
        Self {
            request,
            collective,
            predictors,
            all_cells,
        }
    }

    /// The cells that count.
    fn cells(&self) -> impl Iterator<Item = &CellFinding> {
        self.all_cells.iter().filter(|cell| !cell.is_busy)
    }

    /// The cells of an algorithm that count.
    fn cells_of(&self, algorithm: &str) -> impl Iterator<Item = &CellFinding> {
        self.cells().filter(move |cell| cell.algorithm == algorithm)
    }

    /// The algorithm that questions about the collective are about: the library's own choice, else the first measured
    /// or fitted one.
    fn reference_algorithm(&self) -> Option<&str> {
        let measured = self.cells().map(|cell| cell.algorithm.as_str());
        let fitted = self.predictors.iter().map(|(algorithm, _)| algorithm);
        let is_other = |name: &&str| *name != LIBRARY;
        measured.min_by_key(is_other).or_else(|| fitted.min_by_key(is_other))
    }

    /// Process counts that were measured or fitted.
    fn known_procs(&self) -> BTreeSet<Procs> {
        let measured = self.cells().map(|cell| cell.procs);
        let fitted = self.predictors.iter().flat_map(|(_, fitted)| &fitted.fitted_procs);
        measured.chain(fitted.copied()).collect()
    }
}
