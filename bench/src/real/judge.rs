//! Predictions of the judged cells of a set by netsig and by rivals, and their scores.
//!
//! # Formula
//! With T̂ predicted, T measured, and [l, u] the 90 % interval of ln T:
//!
//! ```text
//! e = exp|ln(T̂/T)| − 1
//! interval score = (u − l) + 20·max(0, l − ln T, ln T − u)
//! ```
//!
//! A cell for which a method has no prediction counts as e = 100 %. A rival's interval is T̂·e^(±1.645·s). s² is the
//! mean of ln²(T̂/T) at process counts, or at sizes if sizes are judged, each left out of the fit in turn. If that is
//! not possible, s = ln 2.
//!
//! # Source
//! Gneiting and Raftery 2007, section 6.2, for the interval score.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::algorithm::{Algorithm, AlgorithmTraffic, ClosedForm, Collective};
use netsig_base::data::cells::{CellKey, CellSummary, Statistic};
use netsig_base::stats::sample::mean;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::MeasuredPoint;
use netsig_model::model::closed_form::plogp_model;
use netsig_model::model::{FIELD, REGIMES};
use netsig_model::profile::Profile;
use serde::Serialize;

use super::sets::{JudgedSet, SetSplit};
use crate::harness::forecast::ModelForecaster;
use crate::harness::prediction::OURS;
use crate::harness::rivals::{self, RivalTime};
use crate::harness::summary::quantile;

/// Level of the intervals, and the quantile of a normal distribution that bounds them.
const CONFIDENCE: f64 = 0.9;
const NORMAL_QUANTILE: f64 = 1.644_853_6;

/// Models of netsig that are shown beside its choice.
pub const NETSIG_MODELS: [&str; 2] = [FIELD, REGIMES];

/// Error of a cell without a prediction.
const REFUSED: f64 = 1.0;

/// A predicted time, with the logarithms of the ends of its interval.
#[derive(Debug, Clone, Copy)]
struct JudgedPrediction {
    time: Seconds,
    interval: Option<[f64; 2]>,
    /// True if a stall is as likely as not.
    is_stall_likely: bool,
}

/// The scores of a method on a set.
#[derive(Debug, Clone, Serialize)]
pub struct SetScore {
    pub method: &'static str,
    pub cells: usize,
    pub refused: usize,
    /// Errors e at the median and at the 90th percentile.
    pub median: f64,
    pub p90: f64,
    /// Share of the cells in their intervals.
    pub covered: f64,
    pub interval_score: Option<f64>,
    /// Predictions of more than twice the truth by stalls.
    pub stalls: usize,
}

/// The times of a judged set by one method.
type MethodTimes<'a> = Box<dyn Fn(Procs, Bytes) -> Option<JudgedPrediction> + 'a>;

/// netsig's score, and the scores of its models.
pub fn scores_of_netsig(set: &JudgedSet, profile: Option<&Profile>) -> Vec<SetScore> {
    let models = NETSIG_MODELS.map(|name| {
        let times = times_by_model(set, profile, Some(name));
        SetScore::of(name, &times, &set.judged)
    });
    std::iter::once(score_of_choice(set, profile)).chain(models).collect()
}

/// netsig's score.
pub fn score_of_choice(set: &JudgedSet, profile: Option<&Profile>) -> SetScore {
    SetScore::of(OURS, &times_by_model(set, profile, None), &set.judged)
}

/// The scores of the rivals without a model, and of the models that any profile has.
pub fn scores_of_others(set: &JudgedSet, profile: Option<&Profile>) -> Vec<SetScore> {
    let mut methods = without_model(set);
    if set.collective == Collective::Alltoall {
        methods.push(("full", times_by_model(set, profile, Some("full"))));
    }
    if let Some(model) = Algorithm::parse(set.collective, &set.algorithm)
        .ok()
        .and_then(|algorithm| plogp_model(set.collective, algorithm.closed_form()?))
    {
        let times = times_by_model(set, profile, Some(model.name));
        methods.push(("closed form on pLogP", times));
    }
    let score = |(name, time): &(&'static str, MethodTimes)| SetScore::of(name, time, &set.judged);
    methods.iter().map(score).collect()
}

/// The times by the named model of netsig, or by its choice.
fn times_by_model<'a>(set: &'a JudgedSet, profile: Option<&'a Profile>, name: Option<&'static str>) -> MethodTimes<'a> {
    let forecaster = profile.and_then(|fitted_profile| {
        ModelForecaster::new(
            fitted_profile,
            None,
            set.collective,
            &set.algorithm,
            Statistic::Median,
            name,
        )
    });
    Box::new(move |procs, size| {
        let forecast = forecaster.as_ref()?.forecast(procs, size)?;
        let interval = forecast.interval;
        let ends = interval.map(|bounds| [bounds.lower, bounds.upper].map(|end| end.0.ln()));
        Some(JudgedPrediction {
            time: forecast.time,
            interval: ends,
            is_stall_likely: forecast
                .times
                .and_then(|times| times.stall)
                .is_some_and(|stall| stall.probability >= 0.5),
        })
    })
}

/// Fits the rivals of a set to points; `None` for a rival that cannot be fitted.
type RivalFit<'a> = Box<dyn Fn(&[MeasuredPoint]) -> Vec<(&'static str, Option<RivalTime<'a>>)>>;

/// The rivals without a model, with intervals from process counts or sizes left out.
fn without_model<'a>(set: &JudgedSet) -> Vec<(&'static str, MethodTimes<'a>)> {
    let points = set.fitted.iter().map(point_of_cell).collect_vec();
    let messages = messages_of(set.collective, &set.algorithm);
    let (fit, left_out): (RivalFit<'a>, fn(&MeasuredPoint) -> u64) = match set.split {
        SetSplit::UpTo(_) => (
            Box::new(move |points| rivals::without_model(points, messages)),
            |point| point.procs.get().into(),
        ),
        SetSplit::EvenPowers | SetSplit::OddPowers => (Box::new(rivals::between_sizes), |point| point.size.0),
    };
    let squares = squares(&points, &fit, left_out);
    let with_interval = |(name, rival): (&'static str, Option<RivalTime<'a>>)| {
        let spread = squares
            .get(name)
            .map_or(std::f64::consts::LN_2, |rival_squares| mean(rival_squares).sqrt());
        let times: MethodTimes = Box::new(move |procs, size| {
            let time = rival.as_ref()?(procs, size)?;
            let log = time.0.max(f64::MIN_POSITIVE).ln();
            Some(JudgedPrediction {
                time,
                interval: Some([log - NORMAL_QUANTILE * spread, log + NORMAL_QUANTILE * spread]),
                is_stall_likely: false,
            })
        });
        (name, times)
    };
    fit(&points).into_iter().map(with_interval).collect()
}

/// ln²(T̂/T) of each rival at the points that it can predict after a fit without their group.
fn squares(
    points: &[MeasuredPoint],
    fit: &RivalFit,
    group: fn(&MeasuredPoint) -> u64,
) -> BTreeMap<&'static str, Vec<f64>> {
    let mut squares: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for left_out in points.iter().map(group).unique() {
        let (out, rest): (Vec<MeasuredPoint>, Vec<MeasuredPoint>) =
            points.iter().partition(|point| group(point) == left_out);
        for (name, rival) in fit(&rest) {
            let log_errors = out.iter().filter_map(|point| {
                let time = rival.as_ref()?(point.procs, point.size)?;
                let error = (time / point.time).ln();
                error.is_finite().then_some((name, error * error))
            });
            for (name, square) in log_errors {
                squares.entry(name).or_default().push(square);
            }
        }
    }
    squares
}

/// The function k(n) of the algorithm.
pub fn messages_of(collective: Collective, algorithm: &str) -> rivals::MessageCount {
    let in_rounds = |procs: Procs| f64::from(procs.ceil_log2()).max(1.0);
    let is_in_rounds = Algorithm::parse(collective, algorithm).is_ok_and(|parsed| {
        let of_tree = matches!(
            parsed.closed_form(),
            Some(ClosedForm::Binary | ClosedForm::Binomial | ClosedForm::BinomialOfParts)
        );
        of_tree
            || matches!(
                parsed.traffic(),
                Some(AlgorithmTraffic::Digits | AlgorithmTraffic::Doubling | AlgorithmTraffic::ScatterDoubling)
            )
    });
    if is_in_rounds { in_rounds } else { Procs::partners }
}

/// A cell as a point of a rival.
pub fn point_of_cell(cell: &(CellKey, CellSummary)) -> MeasuredPoint {
    let (key, summary) = cell;
    MeasuredPoint {
        procs: key.procs,
        size: key.size,
        time: measured_time(summary),
        deviation: summary.deviation,
        repetitions: summary.repetitions,
    }
}

/// The measured time: the median of the repetitions, or the number of another program.
pub fn measured_time(summary: &CellSummary) -> Seconds {
    match summary.imported {
        Some(_) => summary.mean,
        None => summary.median,
    }
}

impl SetScore {
    fn of(method: &'static str, times: &MethodTimes, cells: &[(CellKey, CellSummary)]) -> Self {
        let mut errors = Vec::new();
        let (mut refused, mut held, mut stalls) = (0, 0, 0);
        let mut interval_scores = Vec::new();
        for (key, summary) in cells {
            let measured = measured_time(summary);
            let Some(predicted) = times(key.procs, key.size) else {
                refused += 1;
                errors.push(REFUSED);
                continue;
            };
            errors.push(error(predicted.time, measured));
            stalls += usize::from(predicted.is_stall_likely && predicted.time.0 > 2.0 * measured.0);
            if let Some([lower, upper]) = predicted.interval {
                let log = measured.0.ln();
                let outside = (lower - log).max(log - upper).max(0.0);
                held += usize::from(outside == 0.0);
                interval_scores.push(upper - lower + 2.0 / (1.0 - CONFIDENCE) * outside);
            }
        }
        Self {
            method,
            cells: cells.len(),
            refused,
            median: quantile(&errors, 0.5),
            p90: quantile(&errors, 0.9),
            covered: held as f64 / cells.len() as f64,
            interval_score: (!interval_scores.is_empty()).then(|| mean(&interval_scores)),
            stalls,
        }
    }
}

/// e = exp|ln(T̂/T)| − 1.
fn error(predicted: Seconds, measured: Seconds) -> f64 {
    (predicted / measured).ln().abs().exp_m1()
}
