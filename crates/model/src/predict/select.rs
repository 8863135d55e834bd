//! Choice of an algorithm: predictions of all candidates, ranked, and the sizes at which the best
//! candidate changes.
//!
//! # Method
//! The candidates are the measured algorithms of the profile, including the library's own choice,
//! each with the model that `speaker.rs` determines, and the other algorithms of the table
//! that have a pLogP model, segmented ones with the best segment size that the search finds
//! (Barchet-Steffenel and Mounié 2005, RenPar, sections 3 and 4). The name of a candidate is the
//! one that measuring, predicting and simulating accept. Equal times keep the order of the
//! candidates.
//!
//! An algorithm whose settings are a choice (segment, window, radix) is one candidate with the best of
//! the values that are tried, of which all that may be on the way to a port stays well below its
//! overflow, and segments stay below the eager limit; each setting that was measured is a candidate of its own.
//!
//! Candidates are ranked by the times a standard error above the best values, 0.6 of the upper
//! half-width of their intervals in ln T: of candidates with uncertain times, the one whose error is
//! most favourable would come first by the best values. None takes the place of the library's own
//! choice unless ln of the gain between these times is 0.3 of the joint half-width of both intervals
//! or more: of smaller gains too many are losses. So one with a sure time may come before a library's
//! choice whose own is unsure, as where it may stall, though its best value is no shorter; but not between
//! clusters, where the middle of the interval must gain 5 %: it is wide there at every size. The middle is the
//! best value, or where what crosses a link may overflow it or not, the geometric mean of both. Times
//! without contention, whose intervals contain the uncertainty of α and β alone, are ranked by
//! themselves.
//!
//! Two kinds of candidate rank below all others, however short their time: candidates too far from
//! the measurements, which `predict` refuses, and, beside measured algorithms, those of which a
//! contention-free model alone speaks: their times are lower bounds and cannot be compared.

use itertools::Itertools as _;
use netsig_base::algorithm::{Collective, LIBRARY};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs, Seconds};

use super::line::{Line, Reason};
use super::outside::Outside;
use super::predictor::CasePredictor;
use super::rate::refuse_other_rate;
use super::request::{Binomial, RankingRequest};
use super::{Prediction, Standing};
use crate::model::{self, Model, ModelError};
use crate::profile::Profile;

/// A candidate with its prediction.
#[derive(Debug, Clone, Copy)]
pub struct Ranked<'a> {
    candidate: &'a Candidate<'a>,
    /// Time, interval and standing of the candidate.
    pub prediction: Prediction,
    /// Time by which the candidates that stand are ranked: [`Prediction::cautious`].
    pub cautious: Seconds,
}

/// Reason why a profile chooses none of some algorithms.
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
    Outside(Outside),
}

/// The candidates of one collective.
#[derive(Debug)]
pub struct CandidateRanker<'a> {
    pub(super) request: RankingRequest<'a>,
    candidates: Vec<Candidate<'a>>,
    /// Least gain of the intervals' middles over the library's own choice.
    least_gain: f64,
}

/// Least gain of the middles between clusters.
const BETWEEN_CLUSTERS: f64 = 1.05;

#[derive(Debug)]
struct Candidate<'a> {
    predictor: CasePredictor<'a>,
    /// True if the time is a lower bound beside measured candidates.
    is_bound: bool,
}

impl<'a> Ranked<'a> {
    fn line(&self) -> &'a Line {
        &self.candidate.predictor.line
    }

    /// Name without settings that are a choice.
    pub fn family(&self) -> &'a str {
        self.line().family()
    }

    /// Name of the algorithm that measuring, predicting and simulating accept.
    pub fn algorithm(&self) -> String {
        self.line().name(self.prediction.segment)
    }

    /// Model that predicts the candidate.
    pub fn model(&self) -> &'static Model {
        self.line().model
    }

    /// True if the candidate may be the best: inside the measured range and no lower bound.
    pub fn stands(&self) -> bool {
        !self.candidate.is_bound && self.prediction.standing != Standing::Outside
    }

    /// True if the segment size was chosen for the case rather than measured.
    pub(super) fn has_chosen_segment(&self) -> bool {
        self.prediction.segment.is_some() && self.line().reason == Reason::Unmeasured
    }
}

impl<'a> RankingRequest<'a> {
    /// The candidates; for known sizes from pair to pair without those that know pieces of one size alone.
    ///
    /// # Errors
    /// If the network is another than the profile's, or the model of a candidate lacks a parameter.
    pub fn ranker(self) -> Result<CandidateRanker<'a>, Refusal> {
        refuse_other_rate((&self.profile, self.name), self.network, self.too_far)?;
        let has_rivals = !self.profile.algorithms(self.collective).is_empty();
        let candidate = |mut line: Line| {
            let is_measured = line.reason != Reason::Unmeasured;
            if !is_measured {
                line.model = read(line.model, self.wanted.binomial);
            }
            let is_bound = has_rivals && !is_measured && !line.model.has_distribution();
            let predictor = self.of_line(line)?.of_pairs(self.pairs).ok();
            Ok(predictor.map(|predictor| Candidate { predictor, is_bound }))
        };
        let lines = self.lines().into_iter();
        let candidates = lines.filter_map(|line| candidate(line).transpose());
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
        self.candidates.iter().map(|own| own.predictor.model())
    }

    /// Number of candidates.
    pub fn candidates(&self) -> usize {
        self.candidates.len()
    }

    /// All candidates with a time for the case, in the order of this module; of the settings of an algorithm
    /// that were not measured the best alone.
    ///
    /// # Errors
    /// If n·m is beyond 2^64, or no candidate has a time.
    pub fn rank(&self, procs: Procs, size: Bytes) -> Result<Vec<Ranked<'_>>, ModelError> {
        let all = self.rank_all(procs, size)?.into_iter();
        Ok(all.unique_by(Ranked::family).collect())
    }

    /// [`CandidateRanker::rank`] with all settings.
    ///
    /// # Errors
    /// As of [`CandidateRanker::rank`].
    pub fn rank_all(&self, procs: Procs, size: Bytes) -> Result<Vec<Ranked<'_>>, ModelError> {
        self.rank_some(procs, size, |_| true)
    }

    /// The best setting of a family; `None` if it has no time for the case.
    pub(super) fn best_setting(&self, family: &str, procs: Procs, size: Bytes) -> Option<Ranked<'_>> {
        let is_needed = |line: &Line| line.family() == family || line.algorithm == LIBRARY;
        let ranked = self.rank_some(procs, size, is_needed).ok()?;
        ranked.into_iter().find(|one| one.family() == family)
    }

    /// [`CandidateRanker::rank_all`] of some candidates. The library's own choice must be among them where it is
    /// among all.
    fn rank_some(
        &self,
        procs: Procs,
        size: Bytes,
        is_wanted: impl Fn(&Line) -> bool,
    ) -> Result<Vec<Ranked<'_>>, ModelError> {
        let wanted = self.candidates.iter();
        let wanted = wanted.filter(|own| is_wanted(&own.predictor.line));
        let found = wanted.filter(|Candidate { predictor, .. }| {
            let line = &predictor.line;
            let is_open = line.reason == Reason::Unmeasured && line.algorithm != LIBRARY;
            !is_open || predictor.is_paced(procs, size)
        });
        let found = found.map(|candidate| {
            let prediction = candidate.predictor.predict(procs, size)?;
            Ok(Ranked {
                candidate,
                prediction,
                cautious: prediction.time,
            })
        });
        let (mut all, mut refused) = (Vec::with_capacity(self.candidates.len()), None);
        for ranked in found {
            match ranked {
                Ok(ranked) => all.push(ranked),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        if let Some(error) = refused.filter(|_| all.is_empty()) {
            return Err(error);
        }
        let is_library = |one: &Ranked| one.stands() && one.algorithm() == LIBRARY;
        let library = all.iter().find(|one| is_library(one));
        let library = library.map(|one| one.prediction);
        for one in &mut all {
            one.cautious = one.prediction.cautious(library.as_ref(), self.least_gain);
        }
        let time = |one: &Ranked| one.prediction.time.0;
        all.sort_by(|a, b| {
            b.stands()
                .cmp(&a.stands())
                .then(a.cautious.0.total_cmp(&b.cautious.0))
                .then(is_library(b).cmp(&is_library(a)))
                .then(time(a).total_cmp(&time(b)))
        });
        Ok(all)
    }

    /// The first of [`CandidateRanker::rank`]: the fastest candidate that stands, else the fastest; `None`
    /// without candidates.
    ///
    /// # Errors
    /// As [`CandidateRanker::rank`].
    pub fn best(&self, procs: Procs, size: Bytes) -> Result<Option<Ranked<'_>>, ModelError> {
        Ok(self.rank(procs, size)?.first().copied())
    }

    /// The fastest candidate that stands, among those with a wanted name.
    ///
    /// # Errors
    /// If none of them stands.
    pub fn best_of(&self, procs: Procs, size: Bytes, is_wanted: impl Fn(&str) -> bool) -> Result<Ranked<'_>, NoChoice> {
        let ranking = self.rank_all(procs, size)?;
        let mut wanted = ranking.iter().filter(|one| is_wanted(&one.algorithm()));
        let first = wanted.next().ok_or(NoChoice::Unknown)?;
        if first.stands() {
            return Ok(*first);
        }
        let outside = self.outside(first, procs, size);
        Err(outside.map_or(NoChoice::Unknown, NoChoice::Outside))
    }

    /// Why a candidate of the ranking for a case is too far from the measurements, if it is.
    pub fn outside(&self, one: &Ranked, procs: Procs, size: Bytes) -> Option<Outside> {
        let is_outside = one.prediction.standing == Standing::Outside;
        let why = || one.candidate.predictor.outside(procs, size);
        is_outside.then(why).flatten()
    }
}

/// Least gain of the intervals' middles over the library's own choice that is worth a change.
pub(crate) fn least_gain(profile: &Profile) -> f64 {
    if profile.is_between_clusters() {
        BETWEEN_CLUSTERS
    } else {
        0.0
    }
}

/// The model, or for exact binomial models the one that corrects it.
fn read(model: &'static Model, levels: Binomial) -> &'static Model {
    let mends = |other: &&'static Model| other.subject == model.subject && other.mends == Some(model.name);
    match levels {
        Binomial::Printed => model,
        Binomial::Exact => model::models().find(mends).unwrap_or(model),
    }
}
