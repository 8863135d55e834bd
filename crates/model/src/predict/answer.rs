//! Answers to requests for times: predictions of many cases, the causes of missing ones, and notes.

use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};

use super::line::{Line, Reason};
use super::notes;
use super::outside::{Outside, TooFar};
use super::predictor::CasePredictor;
use super::rate::refuse_other_rate;
use super::request::PredictionRequest;
use super::speaker::Models;
use super::{Overflow, Prediction};
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
    line: Line,
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
struct Beyond {
    first: (Procs, Bytes),
    /// Number of cases besides the first.
    more: usize,
    why: Outside,
}

/// Times and causes of missing ones before judgement.
#[derive(Default)]
struct Gathered {
    found: Vec<AlgorithmTimes>,
    /// What is outside the measured range, in words, and in how many cases.
    outside: Vec<(String, usize)>,
    refused: Vec<ModelError>,
    notes: Vec<Note>,
}

impl AlgorithmTimes {
    /// The algorithm, without a segment size that was searched for each case.
    pub fn algorithm(&self) -> &str {
        &self.line.algorithm
    }

    /// The model.
    pub fn model(&self) -> &'static Model {
        self.line.model
    }

    /// Name of the algorithm with the segment size of a prediction, in the form that measuring,
    /// predicting and simulating accept.
    pub fn name(&self, segment: Option<Segment>) -> String {
        self.line.name(segment)
    }
}

impl PredictionAnswer {
    /// All times, each with those of its algorithm.
    pub fn times(&self) -> impl Iterator<Item = (&AlgorithmTimes, &CaseTime)> {
        let all = self.found.iter();
        all.flat_map(|own| own.times.iter().map(move |time| (own, time)))
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
        let lines = self.lines()?;
        let mut gathered = Gathered::default();
        let unmeasured = lines.iter().filter_map(|line| self.unmeasured(line));
        gathered.notes.extend(unmeasured);
        for line in lines {
            match self.of_line(line).and_then(|own| own.of_pairs(self.pairs)) {
                Ok(predictor) => self.predict(&predictor, cases.clone(), &mut gathered),
                Err(error) => gathered.refused.push(error),
            }
        }
        let mut models: Vec<&Model> = Vec::new();
        for own in gathered.found.iter().filter(|own| !own.times.is_empty()) {
            if !models.contains(&own.model()) {
                models.push(own.model());
            }
        }
        let mut limits = notes::on_predictions(self, &models, cases);
        let times = gathered.found.iter().flat_map(|own| {
            let segments = own.times.iter().filter_map(|time| time.prediction.segment);
            segments.map(|segment| (own.name(Some(segment)), segment))
        });
        limits.extend(notes::on_segments(self, times));
        Ok(self.judged(gathered, limits))
    }

    /// Predicts every case of an algorithm.
    fn predict(&self, predictor: &CasePredictor, cases: impl Iterator<Item = (Procs, Bytes)>, to: &mut Gathered) {
        let line = &predictor.line;
        if predictor.lacks_signature() {
            to.notes.push(self.free_inside(line));
        }
        let mut beyond = Vec::new();
        let mut is_told = false;
        let mut times = Vec::with_capacity(cases.size_hint().0);
        for (procs, size) in cases {
            let outside = predictor.outside(procs, size);
            if self.too_far == TooFar::Refused
                && let Some(why) = outside
            {
                add(&mut beyond, (procs, size), why);
                continue;
            }
            if !is_told && let Some(overflow) = predictor.overflow(procs, size) {
                to.notes.push(self.overflow(line, procs, &overflow));
                is_told = true;
            }
            match predictor.predict(procs, size) {
                Ok(prediction) => {
                    if let Some(why) = outside {
                        add(&mut beyond, (procs, size), why);
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
        let outside = beyond.iter();
        to.outside
            .extend(outside.map(|own| (self.problem(line, own), 1 + own.more)));
        to.found.push(AlgorithmTimes {
            times,
            line: line.clone(),
        });
    }

    /// A note on an algorithm that the user names and that was not measured.
    fn unmeasured(&self, line: &Line) -> Option<Note> {
        if self.wanted.algorithm.is_none() || line.reason != Reason::Unmeasured {
            return None;
        }
        let basis = match line.model {
            model if model.has_distribution() => "of its traffic, with the parameters of a measured algorithm",
            model if model.is_of_clusters() => "of messages between two processes",
            _ => "without contention",
        };
        let (collective, algorithm) = (self.collective, &line.algorithm);
        Some(Note::remark(format!(
            "{collective} {algorithm} was not measured: its time is that {basis}, by {}",
            line.model.name
        )))
    }

    /// A warning that a model takes the phases inside clusters without contention.
    fn free_inside(&self, line: &Line) -> Note {
        let (algorithm, name, model) = (&line.algorithm, self.name, line.model.name);
        Note::warning(format!(
            "{model} takes the phases inside the clusters without contention, since {name} has no signature for {} {algorithm}; measure an exchange inside a cluster and fit it with --model signature",
            self.collective
        ))
    }

    /// The size from which on ports overflow, or may.
    fn overflow(&self, line: &Line, procs: Procs, overflow: &Overflow) -> Note {
        let (collective, algorithm) = (self.collective, &line.algorithm);
        let Overflow {
            from,
            interval: [least, greatest],
            is_known,
        } = overflow;
        let text = if *is_known {
            format!("overflows ports from M({procs}) = {from} on ({least} to {greatest})")
        } else {
            // The field, unlike the regimes, speaks where nothing stalled.
            let seen = if line.model.has_distribution() {
                ""
            } else {
                "nothing that was measured stalled, but "
            };
            format!(
                "may stall from {least} on: {seen}so many bytes passed no port when it was measured; the intervals take account of it"
            )
        };
        Note::remark(format!("{collective} {algorithm} among {procs} {text}"))
    }

    /// What is missing, in words.
    fn problem(&self, line: &Line, own: &Beyond) -> String {
        let (procs, size) = own.first;
        let more = match own.more {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        format!(
            "{}: {} {} by {} among {procs} processes with {size}{more} is outside of the measured range: {}",
            self.name, self.collective, line.algorithm, line.model.name, own.why
        )
    }

    /// The times with the causes of the missing ones. Where cases are extrapolated a warning replaces
    /// the causes; where all models are requested a note replaces the causes of those that do not apply.
    fn judged(&self, gathered: Gathered, limits: Vec<Note>) -> PredictionAnswer {
        let Gathered {
            found,
            outside,
            refused,
            mut notes,
        } = gathered;
        let mut missing = Vec::new();
        let wants_all = self.wanted.models == Models::All;
        let all: usize = found.iter().map(|own| own.times.len()).sum();
        let all_that_apply = wants_all && all > 0;
        let times: usize = outside.iter().map(|(_, times)| times).sum();
        match outside.first() {
            Some((first, _)) if self.too_far == TooFar::Extrapolated => {
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
        let rate = refuse_other_rate((&self.profile, self.name), self.network, self.too_far);
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

fn add(beyond: &mut Vec<Beyond>, first: (Procs, Bytes), why: Outside) {
    match beyond.iter_mut().find(|other| other.why == why) {
        Some(known) => known.more += 1,
        None => beyond.push(Beyond { first, more: 0, why }),
    }
}
