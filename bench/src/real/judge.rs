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
//! A cell for which a method has no prediction counts as e = 100 %. A rival's interval is
//! T̂·e^(±1.645·s) with s² the mean of ln²(T̂/T) at process counts left out of its fit in turn, or at sizes where
//! sizes are judged; where that is not possible s = ln 2.
//!
//! # Source
//! Gneiting and Raftery 2007, section 6.2, for the interval score.

use std::collections::BTreeMap;

use itertools::Itertools as _;
use netsig_base::algorithm::{Algorithm, ClosedForm, Collective, Traffic};
use netsig_base::data::cells::{CellKey, Summary};
use netsig_base::stats::sample::mean;
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::fit::Point;
use netsig_model::model::closed_form::on_plogp;
use netsig_model::model::{FIELD, REGIMES};
use netsig_model::predict::Asked;
use netsig_model::profile::Profile;
use serde::Serialize;

use super::sets::{JudgedSet, SetSplit};
use crate::harness::forecast::ModelForecaster;
use crate::harness::prediction::OURS;
use crate::harness::rivals::{self, RivalTime};
use crate::harness::summary::quantile;

/// Level of the intervals, and the quantile of a normal distribution that bounds them.
const CONFIDENCE: f64 = 0.9;
const NORMAL: f64 = 1.644_853_6;

/// Models of netsig that are shown beside its choice.
pub const OWN_MODELS: [&str; 2] = [FIELD, REGIMES];

/// Error of a cell without a prediction.
const REFUSED: f64 = 1.0;

/// A predicted time, with the logarithms of the ends of its interval.
#[derive(Debug, Clone, Copy)]
struct JudgedPrediction {
    time: Seconds,
    interval: Option<[f64; 2]>,
    /// True if a stall is as likely as not.
    stalls: bool,
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

/// netsig's score, and those of its own models.
pub fn scores_of_netsig(set: &JudgedSet, profile: Option<&Profile>) -> Vec<SetScore> {
    let models = OWN_MODELS.map(|name| {
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
        .and_then(|own| on_plogp(set.collective, own.closed_form()?))
    {
        let times = times_by_model(set, profile, Some(model.name));
        methods.push(("closed form on pLogP", times));
    }
    let score = |(name, time): &(&'static str, MethodTimes)| SetScore::of(name, time, &set.judged);
    methods.iter().map(score).collect()
}

/// The times by a model of netsig, or by that which speaks.
fn times_by_model<'a>(set: &'a JudgedSet, profile: Option<&'a Profile>, name: Option<&'static str>) -> MethodTimes<'a> {
    let who = (set.collective, set.algorithm.as_str());
    let forecaster = profile.and_then(|own| ModelForecaster::new(own, None, who, Asked::Median, name));
    Box::new(move |procs, size| {
        let forecast = forecaster.as_ref()?.forecast(procs, size)?;
        let interval = forecast.interval;
        let ends = interval.map(|own| [own.lower, own.upper].map(|end| end.0.ln()));
        Some(JudgedPrediction {
            time: forecast.time,
            interval: ends,
            stalls: forecast
                .times
                .and_then(|own| own.stall)
                .is_some_and(|own| own.probability >= 0.5),
        })
    })
}

/// The rivals of a set by name, fitted to points; `None` for one that these do not allow.
type RivalFit<'a> = Box<dyn Fn(&[Point]) -> Vec<(&'static str, Option<RivalTime<'a>>)>>;

/// The rivals without a model, with intervals from process counts or sizes left out.
fn without_model<'a>(set: &JudgedSet) -> Vec<(&'static str, MethodTimes<'a>)> {
    let points = set.fitted.iter().map(point).collect_vec();
    let messages = messages_of(set.collective, &set.algorithm);
    let (fit, left_out): (RivalFit<'a>, fn(&Point) -> u64) = match set.split {
        SetSplit::UpTo(_) => (
            Box::new(move |points| rivals::without_model(points, messages)),
            |point| point.procs.get().into(),
        ),
        SetSplit::EvenPowers | SetSplit::OddPowers => (Box::new(rivals::between_sizes), |point| point.size.0),
    };
    let squares = squares(&points, &fit, left_out);
    let with_interval = |(name, rival): (&'static str, Option<RivalTime<'a>>)| {
        let spread = squares.get(name).map_or(std::f64::consts::LN_2, |own| mean(own).sqrt());
        let times: MethodTimes = Box::new(move |procs, size| {
            let time = rival.as_ref()?(procs, size)?;
            let log = time.0.max(f64::MIN_POSITIVE).ln();
            Some(JudgedPrediction {
                time,
                interval: Some([log - NORMAL * spread, log + NORMAL * spread]),
                stalls: false,
            })
        });
        (name, times)
    };
    fit(&points).into_iter().map(with_interval).collect()
}

/// ln²(T̂/T) of each rival at the points that it can predict without those of the same group.
fn squares(points: &[Point], fit: &RivalFit, group: fn(&Point) -> u64) -> BTreeMap<&'static str, Vec<f64>> {
    let mut squares: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for left_out in points.iter().map(group).unique() {
        let (out, rest): (Vec<Point>, Vec<Point>) = points.iter().partition(|own| group(own) == left_out);
        for (name, rival) in fit(&rest) {
            let told = out.iter().filter_map(|own| {
                let time = rival.as_ref()?(own.procs, own.size)?;
                let error = (time / own.time).ln();
                error.is_finite().then_some((name, error * error))
            });
            for (name, square) in told {
                squares.entry(name).or_default().push(square);
            }
        }
    }
    squares
}

/// k(n) of the algorithm.
pub fn messages_of(collective: Collective, algorithm: &str) -> rivals::MessageCount {
    let in_rounds = |procs: Procs| f64::from(procs.ceil_log2()).max(1.0);
    let is_in_rounds = Algorithm::parse(collective, algorithm).is_ok_and(|own| {
        let of_tree = matches!(
            own.closed_form(),
            Some(ClosedForm::Binary | ClosedForm::Binomial | ClosedForm::BinomialOfParts)
        );
        of_tree
            || matches!(
                own.traffic(),
                Some(Traffic::Digits | Traffic::Doubling | Traffic::ScatterDoubling)
            )
    });
    if is_in_rounds { in_rounds } else { Procs::partners }
}

/// A cell as a point of a rival.
pub fn point(cell: &(CellKey, Summary)) -> Point {
    let (key, summary) = cell;
    Point {
        procs: key.procs,
        size: key.size,
        time: truth(summary),
        deviation: summary.deviation,
        repetitions: summary.repetitions,
    }
}

/// The measured time: the median of the repetitions, or the number of another program.
pub fn truth(summary: &Summary) -> Seconds {
    match summary.imported {
        Some(_) => summary.mean,
        None => summary.median,
    }
}

impl SetScore {
    fn of(method: &'static str, times: &MethodTimes, cells: &[(CellKey, Summary)]) -> Self {
        let mut errors = Vec::new();
        let (mut refused, mut held, mut stalls) = (0, 0, 0);
        let mut interval_scores = Vec::new();
        for (key, summary) in cells {
            let measured = truth(summary);
            let Some(told) = times(key.procs, key.size) else {
                refused += 1;
                errors.push(REFUSED);
                continue;
            };
            errors.push(error(told.time, measured));
            stalls += usize::from(told.stalls && told.time.0 > 2.0 * measured.0);
            if let Some([lower, upper]) = told.interval {
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
fn error(told: Seconds, measured: Seconds) -> f64 {
    (told / measured).ln().abs().exp_m1()
}
