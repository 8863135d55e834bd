//! Measured cells: the repetitions of an algorithm, process count and size, with the prediction.

use std::collections::BTreeMap;

use netsig_base::data::cells::{CellKey, CellSummary, Statistic, summarise};
use netsig_base::data::{Dataset, Experiment, processors};
use netsig_base::units::{Bytes, Procs, Seconds};
use netsig_model::model::regimes::TimeDistribution;
use netsig_model::predict::Prediction;
use netsig_model::predict::predictor::CasePredictor;

/// A measured cell of one collective.
pub struct PageCell {
    /// Algorithm.
    pub algorithm: String,
    /// Number of processes.
    pub procs: Procs,
    /// Bytes per destination or message.
    pub size: Bytes,
    /// Statistics of all repetitions.
    pub summary: CellSummary,
    /// Times of repetitions in seconds, ascending, thinned out evenly if there are many; empty if another program
    /// computed a statistic.
    pub times: Vec<f64>,
    /// Mean number of retransmitted packets of a repetition, if counted.
    pub retransmits: Option<f64>,
    /// Share of the repetitions that stalled; unknown without single repetitions.
    pub stalled_share: Option<f64>,
    /// Prediction of the median, if the profile has one.
    pub prediction: Option<Prediction>,
    /// Predicted share of stalled repetitions.
    pub predicted_stalled_share: Option<f64>,
    /// True if the profile was fitted to other process counts.
    pub is_held_out: bool,
    /// True if the processes waited for processors half of the time, so that the machine determines the time.
    pub is_busy: bool,
}

/// Predictions of an algorithm with the process counts that it was fitted to.
pub struct FittedPredictor<'a> {
    pub predictor: CasePredictor<'a>,
    pub fitted_procs: Vec<Procs>,
}

impl PageCell {
    /// The median, by which predictions are judged.
    pub fn median(&self) -> Seconds {
        self.summary.value(Statistic::Median)
    }

    /// Predicted over measured median, less one.
    pub fn error(&self) -> Option<f64> {
        Some(self.prediction?.time / self.median() - 1.0)
    }
}

/// The cells of a collective, with at most `most` repetitions in all; by algorithm, process count and size.
pub fn cells(
    data: &Dataset,
    experiment: Experiment,
    predictors: &BTreeMap<String, FittedPredictor>,
    most: usize,
) -> Vec<PageCell> {
    let mut samples: BTreeMap<CellKey, (Vec<f64>, Vec<u32>)> = BTreeMap::new();
    let all_samples = data.samples.iter();
    for sample in all_samples.filter(|sample| sample.cell.experiment == experiment) {
        let (times, losses) = samples.entry(CellKey::from(&sample.cell)).or_default();
        times.push(sample.time.0);
        losses.extend(sample.losses.retransmits);
    }
    let busy = processors::busy_cells(data);
    let all = summarise(data);
    let summaries: Vec<_> = all
        .into_iter()
        .filter(|(key, _)| key.experiment == experiment)
        .collect();
    let most_of_cell = (most / summaries.len().max(1)).max(3);
    let cell = |(key, summary): (CellKey, CellSummary)| {
        let (mut times, losses) = samples.remove(&key).unwrap_or_default();
        times.sort_unstable_by(f64::total_cmp);
        let predictor = predictors.get(&*key.algorithm);
        let expected = predictor.and_then(|fitted| fitted.predictor.distribution(key.procs, key.size));
        let counted = losses.len();
        let lost: f64 = losses.into_iter().map(f64::from).sum();
        PageCell {
            stalled_share: stalled_share(&times, expected.as_ref()),
            predicted_stalled_share: expected.map(|times| times.stall.map_or(0.0, |stall| stall.probability)),
            retransmits: (counted > 0).then(|| lost / counted as f64),
            prediction: predictor.and_then(|fitted| fitted.predictor.predict(key.procs, key.size).ok()),
            is_held_out: predictor.is_some_and(|fitted| !fitted.fitted_procs.contains(&key.procs)),
            is_busy: busy.contains(&key),
            times: thinned(&times, most_of_cell),
            algorithm: key.algorithm.to_string(),
            procs: key.procs,
            size: key.size,
            summary,
        }
    };
    summaries.into_iter().map(cell).collect()
}

/// Share of the times that are longer than usual by at least half of the least time after
/// which TCP repairs a lost end.
fn stalled_share(times: &[f64], expected: Option<&TimeDistribution>) -> Option<f64> {
    let &quickest = times.first()?;
    let usual_s = expected.map_or(quickest, |times| times.typical.0.min(quickest));
    let usual = Seconds(usual_s);
    let late = times
        .iter()
        .filter(|time| TimeDistribution::is_stalled(usual, Seconds(**time)));
    Some(late.count() as f64 / times.len() as f64)
}

/// At most `most` of the sorted times, evenly by rank, the first and the last among them.
fn thinned(times: &[f64], most: usize) -> Vec<f64> {
    let (count, most) = (times.len(), most.max(2));
    if count <= most {
        return times.to_vec();
    }
    let place = |index: usize| times[index * (count - 1) / (most - 1)];
    (0..most).map(place).collect()
}
