//! Findings on measured cells: the repetitions of an algorithm, process count and size, beside the prediction.

use std::collections::BTreeMap;

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, CellSummary, Statistic, summarise};
use netsig_base::data::processors::BusyCells;
use netsig_base::data::{Dataset, Experiment, Sample};
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Procs, Seconds};

use crate::model::regimes::TimeDistribution;
use crate::predict::Prediction;
use crate::predict::predictor::CasePredictor;
use crate::profile::Profile;

/// A measured cell of one collective.
#[derive(Debug, Clone, PartialEq)]
pub struct CellFinding {
    /// Algorithm.
    pub algorithm: String,
    /// Number of processes.
    pub procs: Procs,
    /// Bytes per destination or message.
    pub size: Bytes,
    /// Statistics of all repetitions.
    pub summary: CellSummary,
    /// Times of the repetitions in seconds, ascending; empty if another program computed a statistic.
    pub times: Vec<f64>,
    /// Mean number of retransmitted packets of a repetition, if counted.
    pub retransmits: Option<f64>,
    /// Share of the repetitions that stalled; unknown without single repetitions.
    pub stalled_share: Option<f64>,
    /// Share of the repetitions that lost a packet or stalled; unknown where nothing is counted and nothing stalled.
    pub lossy_share: Option<f64>,
    /// Prediction of the median, if the profile has one.
    pub prediction: Option<Prediction>,
    /// Predicted share of stalled repetitions.
    pub predicted_stalled_share: Option<f64>,
    /// True if the profile was fitted to other process counts.
    pub is_held_out: bool,
    /// True if the processes waited for processors half of the time, so that the cell counts nowhere.
    pub is_busy: bool,
}

/// Predictions of the algorithms of a profile for one collective, by algorithm.
#[derive(Debug, Default)]
pub struct FittedPredictors<'a>(BTreeMap<String, FittedPredictor<'a>>);

/// Predictor of an algorithm with the process counts that it was fitted to.
#[derive(Debug)]
pub struct FittedPredictor<'a> {
    /// Predictor of the median.
    pub predictor: CasePredictor<'a>,
    /// Process counts of the fit, ascending.
    pub fitted_procs: Vec<Procs>,
}

impl CellFinding {
    /// The median, by which predictions are judged.
    pub fn median(&self) -> Seconds {
        self.summary.value(Statistic::Median)
    }

    /// Predicted over measured median, less one.
    pub fn error(&self) -> Option<f64> {
        Some(self.prediction?.time / self.median() - 1.0)
    }
}

impl<'a> FittedPredictors<'a> {
    /// The predictors of a collective, with the links of the network if they are known.
    pub fn of(profile: &'a Profile, collective: Collective, network: Option<&'a Network>) -> Self {
        let predictor = |algorithm: &'a str| {
            let request = profile.predict(collective).algorithm(algorithm).network(network);
            let models = profile.contention_models_of(collective);
            let counts = models
                .filter(|model| model.algorithm() == algorithm)
                .flat_map(|model| model.domain().procs.iter().copied());
            let mut fitted_procs: Vec<Procs> = counts.collect();
            fitted_procs.sort_unstable();
            fitted_procs.dedup();
            let predictor = request.predictor().ok()?;
            Some((
                algorithm.to_owned(),
                FittedPredictor {
                    predictor,
                    fitted_procs,
                },
            ))
        };
        let algorithms = profile.algorithms(collective).into_iter();
        Self(algorithms.filter_map(predictor).collect())
    }

    /// The predictor of an algorithm.
    pub fn get(&self, algorithm: &str) -> Option<&FittedPredictor<'a>> {
        self.0.get(algorithm)
    }

    /// All predictors, by algorithm.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FittedPredictor<'a>)> {
        self.0.iter().map(|(algorithm, fitted)| (algorithm.as_str(), fitted))
    }

    /// True without predictors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The cells of a collective, by algorithm, process count and size.
    pub fn findings(&self, data: &Dataset, collective: Collective) -> Vec<CellFinding> {
        let experiment = Experiment::Collective(collective);
        let mut repetitions: BTreeMap<CellKey, Vec<&Sample>> = BTreeMap::new();
        for sample in data
            .samples
            .iter()
            .filter(|sample| sample.cell.experiment == experiment)
        {
            repetitions.entry(CellKey::from(&sample.cell)).or_default().push(sample);
        }
        let busy = BusyCells::of(data).left_out;
        let summaries = summarise(data).into_iter();
        summaries
            .filter(|(key, _)| key.experiment == experiment)
            .map(|(key, summary)| {
                let samples = repetitions.remove(&key).unwrap_or_default();
                CellFinding {
                    is_busy: busy.contains(&key),
                    ..self.finding(&key, summary, &samples)
                }
            })
            .collect()
    }

    /// The finding on a cell as if it were not busy.
    fn finding(&self, key: &CellKey, summary: CellSummary, samples: &[&Sample]) -> CellFinding {
        let fitted = self.get(&key.algorithm);
        let expected = fitted.and_then(|fitted| fitted.predictor.distribution(key.procs, key.size));
        let mut times: Vec<f64> = samples.iter().map(|sample| sample.time.0).collect();
        times.sort_unstable_by(f64::total_cmp);
        let usual = usual_time(&times, expected.as_ref());
        let is_stalled = |time: Seconds| usual.is_some_and(|usual| TimeDistribution::is_stalled(usual, time));
        let share = |is_counted: &dyn Fn(&Sample) -> bool| {
            let counted = samples.iter().filter(|sample| is_counted(sample)).count();
            (!samples.is_empty()).then(|| counted as f64 / samples.len() as f64)
        };
        let counts: Vec<f64> = samples
            .iter()
            .filter_map(|sample| sample.losses.retransmits.map(f64::from))
            .collect();
        let is_lossy =
            |sample: &Sample| sample.losses.retransmits.is_some_and(|lost| lost > 0) || is_stalled(sample.time);
        let lossy_share = share(&is_lossy);
        CellFinding {
            stalled_share: share(&|sample| is_stalled(sample.time)),
            lossy_share: lossy_share.filter(|share| !counts.is_empty() || *share > 0.0),
            predicted_stalled_share: expected.map(|times| times.stall.map_or(0.0, |stall| stall.probability)),
            retransmits: (!counts.is_empty()).then(|| counts.iter().sum::<f64>() / counts.len() as f64),
            prediction: fitted.and_then(|fitted| fitted.predictor.predict(key.procs, key.size).ok()),
            is_held_out: fitted.is_some_and(|fitted| !fitted.fitted_procs.contains(&key.procs)),
            is_busy: false,
            times,
            algorithm: key.algorithm.to_string(),
            procs: key.procs,
            size: key.size,
            summary,
        }
    }
}

/// Time of a repetition without a stall: the predicted one, or the shortest of the ascending `times` if it is shorter.
fn usual_time(times: &[f64], expected: Option<&TimeDistribution>) -> Option<Seconds> {
    let quickest = *times.first()?;
    Some(Seconds(
        expected.map_or(quickest, |expected| expected.typical.0.min(quickest)),
    ))
}
