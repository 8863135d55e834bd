//! Choice of an algorithm: predictions of all candidates, ranked, and the sizes at which the best
//! candidate changes.
//!
//! # Method
//! The first candidates are the measured algorithms of the profile, including the library's own choice, each with
//! the model that `model_question.rs` chooses. The other algorithms of the table are candidates if they can borrow
//! parameters or have a pLogP model. The search finds their best segment size (Barchet-Steffenel and Mounié 2005,
//! RenPar, sections 3 and 4). Measuring, predicting and simulating accept the names of candidates. Equal times keep
//! the order of the candidates.
//!
//! Each measured setting (segment, window, radix) is a candidate of its own. An unmeasured algorithm is one
//! candidate, with its best setting. The settings tried keep the bytes on the way to a port well below its
//! overflow, and segments below the eager limit.
//!
//! docs/methodology.md states the rule by which candidates are ranked, and why ("Rule of selection").

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs, Seconds};

use super::modelled_algorithm::{ModelReason, ModelledAlgorithm};
use super::outside_domain::OutsideDomain;
use super::predictor::CasePredictor;
use super::rate::refuse_other_rate;
use super::request::{BinomialForm, RankingRequest};
use super::{HeldBack, Prediction, PredictionStanding};
use crate::model::{self, Model, ModelError};
use crate::profile::Profile;

/// A candidate with its prediction.
#[derive(Debug, Clone, Copy)]
pub struct RankedCandidate<'a> {
    candidate: &'a SelectionCandidate<'a>,
    /// Time, interval and standing of the candidate.
    pub prediction: Prediction,
    /// Time by which eligible candidates are ranked: [`Prediction::cautious_time`].
    pub cautious_time: Seconds,
    /// True if the cautious time is that of the library's own choice, since the gain over it is not sure enough.
    pub is_held_to_library: bool,
}

/// Reason why a profile gives no choice among some algorithms.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoChoice {
    /// No candidate has a time.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The profile predicts none of the algorithms under contention.
    #[error("the profile predicts none of its algorithms; measure some of them and fit again")]
    Unknown,
    /// The case is too far from the measurements behind the profile.
    #[error("{0}; measure nearer to it and fit again")]
    Outside(OutsideDomain),
}

/// The candidates of one collective.
#[derive(Debug)]
pub struct CandidateRanker<'a> {
    pub(super) request: RankingRequest<'a>,
    candidates: Vec<SelectionCandidate<'a>>,
    /// Least gain of the intervals' middles over the library's own choice.
    least_gain: f64,
}

/// Least gain of the middles between clusters.
const LEAST_GAIN_BETWEEN_CLUSTERS: f64 = 1.05;

#[derive(Debug)]
struct SelectionCandidate<'a> {
    predictor: CasePredictor<'a>,
    /// True if the time is a lower bound beside measured candidates.
    is_bound: bool,
}

impl<'a> RankedCandidate<'a> {
    fn modelled(&self) -> &'a ModelledAlgorithm {
        &self.candidate.predictor.modelled
    }

    /// Name of the algorithm without settings that are a choice.
    pub fn family(&self) -> &'a str {
        self.modelled().family()
    }

    /// Name of the algorithm that measuring, predicting and simulating accept.
    pub fn algorithm(&self) -> String {
        self.modelled().name(self.prediction.segment)
    }

    /// Model that predicts the candidate.
    pub fn model(&self) -> &'static Model {
        self.modelled().model
    }

    /// True if the candidate may be the best: inside the measured range and no lower bound.
    pub fn is_eligible(&self) -> bool {
        !self.candidate.is_bound && self.prediction.standing != PredictionStanding::Outside
    }

    /// True if the algorithm was measured.
    pub fn is_measured(&self) -> bool {
        self.modelled().reason != ModelReason::Unmeasured
    }

    /// Reason why the candidate stands behind candidates with longer times, if it does.
    pub(super) fn held_back(&self) -> HeldBack {
        if self.candidate.is_bound {
            HeldBack::LowerBound
        } else if !self.is_eligible() {
            HeldBack::TooFar
        } else if self.is_held_to_library {
            HeldBack::UnsureGain
        } else {
            HeldBack::LessSure
        }
    }

    /// True if the segment size was chosen for the case rather than measured.
    pub(super) fn has_chosen_segment(&self) -> bool {
        self.prediction.segment.is_some() && self.modelled().reason == ModelReason::Unmeasured
    }
}

impl<'a> RankingRequest<'a> {
    /// The candidates. With known sizes from pair to pair, those that know pieces of one size only are left out.
    ///
    /// # Errors
    /// If the network has links of another rate than the profile's, or the model of a candidate lacks a parameter.
    pub fn ranker(self) -> Result<CandidateRanker<'a>, Refusal> {
        refuse_other_rate(&self.profile, self.name, self.network, self.too_far)?;
        let has_rivals = !self.profile.algorithms(self.collective).is_empty();
        let candidate = |mut modelled: ModelledAlgorithm| {
            let is_measured = modelled.reason != ModelReason::Unmeasured;
            if !is_measured {
                modelled.model = in_binomial_form(modelled.model, self.wanted.binomial);
            }
            let is_bound = has_rivals && !is_measured && !modelled.model.has_distribution();
            let predictor = self.predictor_of(modelled)?.with_pair_sizes(self.pairs).ok();
            Ok(predictor.map(|predictor| SelectionCandidate { predictor, is_bound }))
        };
        let modelled_candidates = self.modelled_candidates().into_iter();
        let candidates = modelled_candidates.filter_map(|modelled| candidate(modelled).transpose());
        Ok(CandidateRanker {
            candidates: candidates.collect::<Result<_, ModelError>>()?,
            least_gain: least_gain(&self.profile),
            request: self,
        })
    }
}

impl CandidateRanker<'_> {
    /// The collective.
    pub fn collective(&self) -> Collective {
        self.request.collective
    }

    /// The models of the candidates.
    pub fn models(&self) -> impl Iterator<Item = &'static Model> {
        self.candidates.iter().map(|candidate| candidate.predictor.model())
    }

    /// Number of candidates.
    pub fn candidate_count(&self) -> usize {
        self.candidates.len()
    }

    /// The families of the candidates, in the order that equal times keep.
    pub(super) fn families(&self) -> impl Iterator<Item = &str> {
        let families = self.candidates.iter().map(|one| one.predictor.modelled.family());
        families.unique()
    }

    /// All candidates with a time for the case, in the order of this module. Of an algorithm's unmeasured settings
    /// only the best remains.
    ///
    /// # Errors
    /// If n·m is beyond 2^64, or no candidate has a time.
    pub fn rank(&self, procs: Procs, size: Bytes) -> Result<Vec<RankedCandidate<'_>>, ModelError> {
        let all = self.rank_all(procs, size)?.into_iter();
        Ok(all.unique_by(RankedCandidate::family).collect())
    }

    /// [`CandidateRanker::rank`] with all settings.
    ///
    /// # Errors
    /// The errors of [`CandidateRanker::rank`].
    pub fn rank_all(&self, procs: Procs, size: Bytes) -> Result<Vec<RankedCandidate<'_>>, ModelError> {
        self.rank_some(procs, size, |_| true)
    }

    /// The best setting of a family; `None` if it has no time for the case.
    pub(super) fn best_setting(&self, family: &str, procs: Procs, size: Bytes) -> Option<RankedCandidate<'_>> {
        let is_needed = |modelled: &ModelledAlgorithm| modelled.family() == family || modelled.algorithm == LIBRARY;
        let ranked = self.rank_some(procs, size, is_needed).ok()?;
        ranked.into_iter().find(|one| one.family() == family)
    }

    /// [`CandidateRanker::rank_all`] of the wanted candidates, which must include the library's own choice.
    fn rank_some(
        &self,
        procs: Procs,
        size: Bytes,
        is_wanted: impl Fn(&ModelledAlgorithm) -> bool,
    ) -> Result<Vec<RankedCandidate<'_>>, ModelError> {
        let all_candidates = self.candidates.iter();
        let wanted = all_candidates.filter(|candidate| is_wanted(&candidate.predictor.modelled));
        let tried = wanted.filter(|SelectionCandidate { predictor, .. }| {
            let modelled = &predictor.modelled;
            let is_open = modelled.reason == ModelReason::Unmeasured && modelled.algorithm != LIBRARY;
            !is_open || predictor.is_selectable(procs, size)
        });
        let predicted = tried.map(|candidate| {
            let prediction = candidate.predictor.predict(procs, size)?;
            Ok(RankedCandidate {
                candidate,
                prediction,
                cautious_time: prediction.time,
                is_held_to_library: false,
            })
        });
        let (mut all, mut refused) = (Vec::with_capacity(self.candidates.len()), None);
        for ranked in predicted {
            match ranked {
                Ok(ranked) => all.push(ranked),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        if let Some(error) = refused.filter(|_| all.is_empty()) {
            return Err(error);
        }
        let is_library = |one: &RankedCandidate| one.is_eligible() && one.algorithm() == LIBRARY;
        let library_candidate = all.iter().find(|one| is_library(one));
        let library = library_candidate.map(|one| one.prediction);
        for one in &mut all {
            one.cautious_time = one.prediction.cautious_time(library.as_ref(), self.least_gain);
            one.is_held_to_library =
                library.is_some_and(|library| one.prediction.is_held_to(&library, self.least_gain));
        }
        let time = |one: &RankedCandidate| one.prediction.time.0;
        all.sort_by(|a, b| {
            b.is_eligible()
                .cmp(&a.is_eligible())
                .then(a.cautious_time.0.total_cmp(&b.cautious_time.0))
                .then(is_library(b).cmp(&is_library(a)))
                .then(time(a).total_cmp(&time(b)))
        });
        Ok(all)
    }

    /// The first of [`CandidateRanker::rank`]: the fastest eligible candidate, else the fastest one; `None`
    /// without candidates.
    ///
    /// # Errors
    /// The errors of [`CandidateRanker::rank`].
    pub fn best(&self, procs: Procs, size: Bytes) -> Result<Option<RankedCandidate<'_>>, ModelError> {
        Ok(self.rank(procs, size)?.first().copied())
    }

    /// The fastest eligible candidate with a wanted name.
    ///
    /// # Errors
    /// If no such candidate is eligible.
    pub fn best_of(
        &self,
        procs: Procs,
        size: Bytes,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<RankedCandidate<'_>, NoChoice> {
        let ranking = self.rank_all(procs, size)?;
        let mut wanted = ranking.iter().filter(|one| is_wanted(&one.algorithm()));
        let first = wanted.next().ok_or(NoChoice::Unknown)?;
        if first.is_eligible() {
            return Ok(*first);
        }
        let outside = self.reason_outside(first, procs, size);
        Err(outside.map_or(NoChoice::Unknown, NoChoice::Outside))
    }

    /// Reason why a ranked candidate is too far from the measurements, if it is.
    pub fn reason_outside(&self, one: &RankedCandidate, procs: Procs, size: Bytes) -> Option<OutsideDomain> {
        let is_outside = one.prediction.standing == PredictionStanding::Outside;
        let why = || one.candidate.predictor.reason_outside(procs, size);
        is_outside.then(why).flatten()
    }
}

/// Least gain of the intervals' middles over the library's own choice that is worth a change.
pub(crate) fn least_gain(profile: &Profile) -> f64 {
    if profile.is_between_clusters() {
        LEAST_GAIN_BETWEEN_CLUSTERS
    } else {
        0.0
    }
}

/// The model, or in the exact form its correction, if there is one.
pub(crate) fn in_binomial_form(model: &'static Model, form: BinomialForm) -> &'static Model {
    let is_correction = |other: &&'static Model| other.subject == model.subject && other.corrects == Some(model.name);
    match form {
        BinomialForm::Printed => model,
        BinomialForm::Exact => model::models().find(is_correction).unwrap_or(model),
    }
}
