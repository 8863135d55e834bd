//! Answers to requests for times: predictions of many cases, the causes of missing ones, and notes.

use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};

use super::model_question::RequestedModels;
use super::modelled_algorithm::{ModelReason, ModelledAlgorithm};
use super::notes;
use super::outside_domain::{ExtrapolationRule, OutsideDomain};
use super::predictor::CasePredictor;
use super::rate::refuse_other_rate;
use super::request::PredictionRequest;
use super::{PortOverflow, Prediction};
use crate::model::segment::Segment;
use crate::model::{Model, ModelError};

/// Refuses a single process, which exchanges nothing.
///
/// # Errors
/// If one of the counts is 1.
pub fn refuse_single(procs: &[Procs]) -> Result<(), Refusal> {
    if procs.iter().all(|count| count.get() > 1) {
        return Ok(());
    }
    Err(Refusal::request(
        "a single process exchanges nothing; ask for 2 processes or more",
    ))
}

/// The times of one case.
#[derive(Debug, Clone, Copy)]
pub struct CaseTime {
    /// Number of processes.
    pub procs: Procs,
    /// The size.
    pub size: Bytes,
    /// The time with its interval, standing and segment size.
    pub prediction: Prediction,
}

/// The times of one algorithm by one model.
#[derive(Debug, Clone)]
pub struct AlgorithmTimes {
    /// The times, in the order of the cases.
    pub times: Vec<CaseTime>,
    modelled: ModelledAlgorithm,
}

/// The requested times.
#[derive(Debug)]
pub struct PredictionAnswer {
    /// The times of each algorithm.
    pub found: Vec<AlgorithmTimes>,
    /// The causes of missing times.
    pub missing: Vec<Refusal>,
    /// Notes and warnings on the algorithms and cases.
    pub notes: Vec<Note>,
    /// Notes and warnings on the limits of the models.
    pub limits: Vec<Note>,
}

/// Cases of an algorithm that are outside the measured range for the same reason.
struct OutsideCases {
    first: (Procs, Bytes),
    /// Number of cases besides the first.
    more: usize,
    why: OutsideDomain,
}

/// Times, and the causes of missing times, of all algorithms so far.
#[derive(Default)]
struct GatheredTimes {
    found: Vec<AlgorithmTimes>,
    /// Problem of each group of cases outside the measured range, with the number of cases.
    outside: Vec<(String, usize)>,
    refused: Vec<ModelError>,
    notes: Vec<Note>,
}

impl AlgorithmTimes {
    /// The algorithm, without a segment size that was searched for each case.
    pub fn algorithm(&self) -> &str {
        &self.modelled.algorithm
    }

    /// The model.
    pub fn model(&self) -> &'static Model {
        self.modelled.model
    }

    /// Name of the algorithm with the segment size of a prediction, in the form that measuring,
    /// predicting and simulating accept.
    pub fn name(&self, segment: Option<Segment>) -> String {
        self.modelled.name(segment)
    }
}

impl PredictionAnswer {
    /// Every time, with its algorithm.
    pub fn times(&self) -> impl Iterator<Item = (&AlgorithmTimes, &CaseTime)> {
        let all = self.found.iter();
        all.flat_map(|algorithm| algorithm.times.iter().map(move |time| (algorithm, time)))
    }
}

impl PredictionRequest<'_> {
    /// Predicts all cases by each of the algorithms.
    ///
    /// # Errors
    /// If a name is unknown, the profile does not answer, or an option does not suit the models.
    pub fn answer<C>(&self, cases: C) -> Result<PredictionAnswer, Refusal>
    where
        C: IntoIterator<Item = (Procs, Bytes), IntoIter: Clone>,
    {
        let cases = cases.into_iter();
        let modelled_algorithms = self.modelled_algorithms()?;
        let mut gathered = GatheredTimes::default();
        let unmeasured = modelled_algorithms
            .iter()
            .filter_map(|modelled| self.unmeasured_note(modelled));
        gathered.notes.extend(unmeasured);
        for modelled in modelled_algorithms {
            match self
                .predictor_of(modelled)
                .and_then(|predictor| predictor.with_pair_sizes(self.pairs))
            {
                Ok(predictor) => self.predict(&predictor, cases.clone(), &mut gathered),
                Err(error) => gathered.refused.push(error),
            }
        }
        let mut models: Vec<&Model> = Vec::new();
        for algorithm in gathered.found.iter().filter(|algorithm| !algorithm.times.is_empty()) {
            if !models.contains(&algorithm.model()) {
                models.push(algorithm.model());
            }
        }
        let mut limits = notes::on_predictions(self, &models, cases);
        let times = gathered.found.iter().flat_map(|algorithm| {
            let segments = algorithm.times.iter().filter_map(|time| time.prediction.segment);
            segments.map(|segment| (algorithm.name(Some(segment)), segment))
        });
        limits.extend(notes::on_segments(self, times));
        Ok(self.answer_of(gathered, limits))
    }

    /// Predicts every case of an algorithm.
    fn predict(&self, predictor: &CasePredictor, cases: impl Iterator<Item = (Procs, Bytes)>, to: &mut GatheredTimes) {
        let modelled = &predictor.modelled;
        if predictor.lacks_signature() {
            to.notes.push(self.contention_free_warning(modelled));
        }
        let mut outside_cases = Vec::new();
        let mut has_overflow_note = false;
        let mut times = Vec::with_capacity(cases.size_hint().0);
        for (procs, size) in cases {
            let outside = predictor.reason_outside(procs, size);
            if self.too_far == ExtrapolationRule::Refused
                && let Some(why) = outside
            {
                add_outside(&mut outside_cases, (procs, size), why);
                continue;
            }
            if !has_overflow_note && let Some(overflow) = predictor.overflow(procs, size) {
                to.notes.push(self.overflow_note(modelled, procs, &overflow));
                has_overflow_note = true;
            }
            match predictor.predict(procs, size) {
                Ok(prediction) => {
                    if let Some(why) = outside {
                        add_outside(&mut outside_cases, (procs, size), why);
                    }
                    times.push(CaseTime {
                        procs,
                        size,
                        prediction,
                    });
                }
                Err(error) => to.refused.push(error),
            }
        }
        let outside = outside_cases.iter();
        to.outside
            .extend(outside.map(|group| (self.outside_problem(modelled, group), 1 + group.more)));
        to.found.push(AlgorithmTimes {
            times,
            modelled: modelled.clone(),
        });
    }

    /// A note on an algorithm that the user names and that was not measured.
    fn unmeasured_note(&self, modelled: &ModelledAlgorithm) -> Option<Note> {
        if self.wanted.algorithm.is_none() || modelled.reason != ModelReason::Unmeasured {
            return None;
        }
        let basis = match modelled.model {
            model if model.has_distribution() => "of its traffic, with the parameters of a measured algorithm",
            model if model.is_of_clusters() => "of messages between two processes",
            _ => "without contention",
        };
        let (collective, algorithm) = (self.collective, &modelled.algorithm);
        let model = modelled.model.name;
        let is_measured = self.profile.algorithms(collective).contains(&algorithm.as_str());
        Some(Note::remark(if is_measured {
            format!("{collective} {algorithm}: the time by {model} is that {basis}, whatever was measured")
        } else {
            format!("{collective} {algorithm} was not measured: its time is that {basis}, by {model}")
        }))
    }

    /// A warning that a model takes the phases inside clusters without contention.
    fn contention_free_warning(&self, modelled: &ModelledAlgorithm) -> Note {
        let (algorithm, name, model) = (&modelled.algorithm, self.name, modelled.model.name);
        Note::warning(format!(
            "{model} takes the phases inside the clusters without contention, since {name} has no signature for {} {algorithm}; measure an exchange inside a cluster and fit it with --model signature",
            self.collective
        ))
    }

    /// A note on the size from which ports overflow, or may overflow.
    fn overflow_note(&self, modelled: &ModelledAlgorithm, procs: Procs, overflow: &PortOverflow) -> Note {
        let (collective, algorithm) = (self.collective, &modelled.algorithm);
        let text = if overflow.is_known {
            let doubt = overflow.doubt(|size| size.to_string());
            format!("overflows ports from M({procs}) = {} on{doubt}", overflow.from)
        } else {
            // The field, unlike the regimes, warns also where nothing stalled.
            let seen = if modelled.model.has_distribution() {
                ""
            } else {
                "nothing that was measured stalled, but "
            };
            format!(
                "may stall from {} on: {seen}so many bytes passed no port when it was measured; the intervals take account of it",
                overflow.interval[0]
            )
        };
        Note::remark(format!("{collective} {algorithm} among {procs} {text}"))
    }

    /// The problem of a group of cases outside the measured range.
    fn outside_problem(&self, modelled: &ModelledAlgorithm, cases: &OutsideCases) -> String {
        let (procs, size) = cases.first;
        let more = match cases.more {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        format!(
            "{}: {} {} by {} among {procs} processes with {size}{more} is outside of the measured range: {}",
            self.name, self.collective, modelled.algorithm, modelled.model.name, cases.why
        )
    }

    /// The times with the causes of the missing ones. If cases are extrapolated, a warning replaces the causes. If
    /// all models are requested, a note replaces the causes of models that do not apply.
    fn answer_of(&self, gathered: GatheredTimes, limits: Vec<Note>) -> PredictionAnswer {
        let GatheredTimes {
            found,
            outside,
            refused,
            mut notes,
        } = gathered;
        let mut missing = Vec::new();
        let wants_all = self.wanted.models == RequestedModels::All;
        let all: usize = found.iter().map(|algorithm| algorithm.times.len()).sum();
        let all_that_apply = wants_all && all > 0;
        let times: usize = outside.iter().map(|(_, times)| times).sum();
        match outside.first() {
            Some((first, _)) if self.too_far == ExtrapolationRule::Extrapolated => {
                notes.push(Note::warning(format!(
                    "{times} of {all} times are not reliable; the first: {first}"
                )));
            }
            Some((first, _)) if all_that_apply => notes.push(Note::remark(format!(
                "{times} times are left out that no --extrapolate asks for; the first: {first}"
            ))),
            _ => missing.extend(outside.iter().map(|(problem, _)| {
                Refusal::data(format!(
                    "{problem}; measure there, or give --extrapolate to predict all the same"
                ))
            })),
        }
        let rate = refuse_other_rate(&self.profile, self.name, self.network, self.too_far);
        if let (Err(refusal), true) = (rate, all > 0) {
            return PredictionAnswer {
                found: Vec::new(),
                missing: vec![refusal],
                notes: Vec::new(),
                limits,
            };
        }
        match refused.first() {
            Some(error) if all_that_apply => notes.push(Note::remark(format!(
                "models that do not apply are left out, such as: {error}"
            ))),
            _ => missing.extend(refused.into_iter().map(Refusal::from)),
        }
        if wants_all {
            // Each model has a separate cause; the first suffices.
            missing.truncate(1);
        }
        PredictionAnswer {
            found,
            missing,
            notes,
            limits,
        }
    }
}

fn add_outside(outside_cases: &mut Vec<OutsideCases>, first: (Procs, Bytes), why: OutsideDomain) {
    match outside_cases.iter_mut().find(|other| other.why == why) {
        Some(known) => known.more += 1,
        None => outside_cases.push(OutsideCases { first, more: 0, why }),
    }
}
