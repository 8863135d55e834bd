//! Answers to whole requests: predictions of many cases, the causes of missing ones, and notes.

use netsig_base::algorithm::{Collective, PairSizes};
use netsig_base::network::Network;
use netsig_base::text::note::Note;
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};

use super::line::{Line, Reason};
use super::notes::{self, Predicting};
use super::outside::Outside;
pub use super::outside::TooFar;
use super::rate::refuse_other_rate;
use super::regimes::Asked;
use super::speaker::{Models, Question, Silence};
use super::{Basis, Knowledge, Overflow, Prediction};
use crate::model::segment::{Search, Segment};
use crate::model::{Case, Model, ModelError, REGIMES, Segments};

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

/// A request for predictions.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Profile, collective, algorithms and models.
    pub question: Question<'a>,
    /// Name of the profile, for messages.
    pub name: &'a str,
    /// The links of the network, if known.
    pub network: Option<&'a Network>,
    /// Statistic of the predicted times.
    pub asked: Asked,
    /// Segment size of segmented algorithms; `None` for the best.
    pub segment: Option<Segment>,
    /// Treatment of cases that are too far from the measurements.
    pub too_far: TooFar,
}

/// A predicted time.
#[derive(Debug, Clone, Copy)]
pub struct Predicted<'a> {
    /// The algorithm and its model.
    pub line: &'a Line,
    /// Number of processes.
    pub procs: Procs,
    /// The size.
    pub size: Bytes,
    /// The time with its interval.
    pub prediction: Prediction,
}

/// The requested times, in the order of lines and then of cases.
#[derive(Debug)]
pub struct Answer<'a> {
    /// The times.
    pub found: Vec<Predicted<'a>>,
    /// The causes of missing times.
    pub missing: Vec<Refusal>,
    /// Notes and warnings.
    pub notes: Vec<Note>,
}

/// Cases of an algorithm that are outside the measured range for the same reason.
struct Beyond<'a> {
    line: &'a Line,
    first: (Procs, Bytes),
    /// Number of cases besides the first.
    more: usize,
    why: Outside,
}

/// Times and causes of missing ones before judgement.
#[derive(Default)]
struct Gathered<'a> {
    times: Vec<Predicted<'a>>,
    beyond: Vec<Beyond<'a>>,
    refused: Vec<ModelError>,
    /// The first case of every line that may overflow ports.
    overflows: Vec<(&'a Line, Procs, Overflow)>,
}

impl<'a> Request<'a> {
    /// The algorithms to predict, each with its model.
    ///
    /// # Errors
    /// If a name is unknown, the profile does not answer, or an option does not suit the models.
    pub fn lines(&self) -> Result<Vec<Line>, Refusal> {
        let lines = self
            .question
            .lines()
            .map_err(|silence| silence.about(self.name))?;
        let own = lines.iter().find(|line| line.segment.is_some());
        if let (Some(line), Some(_)) = (own, self.segment) {
            return Err(Refusal::request(format!(
                "{} has its own segment size; leave out --segment",
                line.algorithm
            )));
        }
        let other = lines.iter().find(|line| !line.model.is_regimes());
        match (self.asked, other) {
            (Asked::Quantile(_), Some(line)) => Err(Refusal::request(format!(
                "{} has no quantiles; give --model {REGIMES} or leave out --quantile",
                line.model.name
            ))),
            _ => Ok(lines),
        }
    }

    /// Predicts all cases by each of the [`Request::lines`]; `pairs` are the sizes of an alltoallv.
    pub fn answer<'l>(
        &self,
        lines: &'l [Line],
        cases: &(impl Iterator<Item = (Procs, Bytes)> + Clone),
        pairs: Option<&'a PairSizes>,
    ) -> Answer<'l> {
        let mut notes: Vec<Note> = lines
            .iter()
            .filter_map(|line| self.unmeasured(line))
            .collect();
        let mut gathered = Gathered::default();
        for line in lines {
            match self.basis(line, pairs) {
                Ok(basis) => self.predict(line, &basis, cases.clone(), &mut gathered),
                Err(error) => gathered.refused.push(error),
            }
        }
        let overflows = gathered.overflows.iter();
        notes
            .extend(overflows.map(|(line, procs, overflow)| self.overflow(line, *procs, overflow)));
        gathered.judged(self, notes)
    }

    /// Notes on the limits of the models of an answer to these process counts and sizes.
    pub fn limits(&self, found: &[Predicted], procs: &[Procs], sizes: &[Bytes]) -> Vec<Note> {
        let mut models: Vec<&Model> = Vec::new();
        for own in found {
            if !models.contains(&own.line.model) {
                models.push(own.line.model);
            }
        }
        let predicting = Predicting {
            profile: self.question.profile,
            name: self.name,
            network: self.network,
            collective: self.collective(),
            procs,
            sizes,
        };
        notes::on_predictions(&predicting, &models)
    }

    fn collective(&self) -> Collective {
        self.question.collective
    }

    fn wants_all(&self) -> bool {
        self.question.models == Models::All
    }

    fn basis(&self, line: &Line, pairs: Option<&'a PairSizes>) -> Result<Basis<'a>, ModelError> {
        let Question { profile, given, .. } = self.question;
        let knowledge = Knowledge {
            profile,
            algorithm: &line.algorithm,
            network: self.network,
            given,
            asked: self.asked,
        };
        let basis = knowledge.basis(line.model)?;
        match pairs {
            Some(pairs) => basis.of_pairs(pairs),
            None => Ok(basis),
        }
    }

    /// Predicts every case of a line.
    fn predict<'l>(
        &self,
        line: &'l Line,
        basis: &Basis,
        cases: impl Iterator<Item = (Procs, Bytes)>,
        to: &mut Gathered<'l>,
    ) {
        let mut is_told = false;
        to.times.reserve(cases.size_hint().0);
        for (procs, size) in cases {
            let case = Case {
                segments: segments(line.segment.or(self.segment), size),
                ..Case::new(procs, size)
            };
            let outside = basis.outside(case);
            if let Some(why) = outside.clone().filter(|_| self.too_far == TooFar::Refused) {
                to.add_beyond(line, case, why);
                continue;
            }
            if !is_told && let Some(overflow) = basis.overflow(case) {
                to.overflows.push((line, procs, overflow));
                is_told = true;
            }
            match basis.predict(case) {
                Ok(prediction) => {
                    if let Some(why) = outside {
                        to.add_beyond(line, case, why);
                    }
                    to.times.push(Predicted {
                        line,
                        procs,
                        size,
                        prediction,
                    });
                }
                Err(error) => to.refused.push(error),
            }
        }
    }

    /// A note on an algorithm that the user names and that was not measured.
    fn unmeasured(&self, line: &Line) -> Option<Note> {
        if self.question.algorithm.is_none() || line.reason != Reason::Unmeasured {
            return None;
        }
        let basis = match line.model {
            model if model.is_regimes() => {
                "of its traffic, with the parameters of a measured algorithm"
            }
            model if model.is_of_clusters() => "of messages between two processes",
            _ => "without contention",
        };
        let (collective, algorithm) = (self.collective(), &line.algorithm);
        Some(Note::remark(format!(
            "{collective} {algorithm} was not measured: its time is that {basis}, by {}",
            line.model.name
        )))
    }

    /// The size from which on ports overflow, or may.
    fn overflow(&self, line: &Line, procs: Procs, overflow: &Overflow) -> Note {
        let (collective, algorithm) = (self.collective(), &line.algorithm);
        let Overflow {
            from,
            interval: [least, greatest],
            is_known,
        } = overflow;
        let text = if *is_known {
            format!("overflows ports from M({procs}) = {from} on ({least} to {greatest})")
        } else {
            format!(
                "may stall from {least} on: so many bytes passed no port when it was measured; the intervals take account of it"
            )
        };
        Note::remark(format!("{collective} {algorithm} among {procs} {text}"))
    }

    /// What is missing, in words.
    fn problem(&self, own: &Beyond) -> String {
        let (procs, size) = own.first;
        let more = match own.more {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        format!(
            "{}: {} {} by {} among {procs} processes with {size}{more} is outside of the measured range: {}",
            self.name,
            self.collective(),
            own.line.algorithm,
            own.line.model.name,
            own.why
        )
    }
}

impl<'a> Gathered<'a> {
    fn add_beyond(&mut self, line: &'a Line, case: Case, why: Outside) {
        let is_same = |other: &&mut Beyond| std::ptr::eq(other.line, line) && other.why == why;
        match self.beyond.iter_mut().find(is_same) {
            Some(known) => known.more += 1,
            None => self.beyond.push(Beyond {
                line,
                first: (case.procs, case.size),
                more: 0,
                why,
            }),
        }
    }

    /// The times with the causes of the missing ones. Where cases are extrapolated a warning replaces
    /// the causes; where all models are requested a note replaces the causes of those that do not apply.
    fn judged(self, request: &Request, mut notes: Vec<Note>) -> Answer<'a> {
        let mut missing = Vec::new();
        let all_that_apply = request.wants_all() && !self.times.is_empty();
        let times: usize = self.beyond.iter().map(|own| 1 + own.more).sum();
        let mut problems = self
            .beyond
            .iter()
            .map(|own| request.problem(own))
            .peekable();
        match problems.peek() {
            Some(first) if request.too_far == TooFar::Extrapolated => {
                notes.push(Note::warning(format!(
                    "{times} of {} times are not reliable; the first: {first}",
                    self.times.len()
                )));
            }
            Some(first) if all_that_apply => notes.push(Note::remark(format!(
                "{times} times are left out that no --extrapolate asks for; the first: {first}"
            ))),
            _ => missing.extend(problems.map(|problem| {
                Refusal::data(format!(
                    "{problem}; measure there, or give --extrapolate to predict all the same"
                ))
            })),
        }
        let profile = (request.question.profile, request.name);
        let rate = refuse_other_rate(profile, request.network, request.too_far);
        if let (Err(refusal), false) = (rate, self.times.is_empty()) {
            return Answer {
                found: Vec::new(),
                missing: vec![refusal],
                notes: Vec::new(),
            };
        }
        match self.refused.first() {
            Some(error) if all_that_apply => notes.push(Note::remark(format!(
                "models that do not apply are left out, such as: {error}"
            ))),
            _ => missing.extend(self.refused.into_iter().map(Refusal::from)),
        }
        if request.wants_all() {
            // Each model has a separate cause; the first suffices.
            missing.truncate(1);
        }
        Answer {
            found: self.times,
            missing,
            notes,
        }
    }
}

impl Silence {
    /// The refusal, which names the profile if that lacks the answer.
    pub fn about(self, profile: &str) -> Refusal {
        match self {
            Self::Model(error) => error.into(),
            Self::Algorithm(error) => error.into(),
            Self::Contradiction(problem) => Refusal::request(problem),
            Self::NotFitted(problem) => Refusal::data(problem).about(profile),
        }
    }
}

/// The segments given by the algorithm or the user, at most as long as the message.
fn segments(segment: Option<Segment>, size: Bytes) -> Segments {
    match segment {
        None => Segments::Best(Search::default(), Segment::BYTE),
        Some(segment) => {
            let whole = Segment::new(size).unwrap_or(Segment::BYTE);
            Segments::Of(segment.min(whole))
        }
    }
}
