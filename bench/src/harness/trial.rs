//! Predictions of cells by netsig and by its rivals, from the same data, one row for each cell and method. The source
//! of the data does not matter.

use std::collections::BTreeSet;

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, Statistic, summarise};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::fit::{MeasuredPoint, points};
use netsig_model::profile::Profile;

use super::cell::BenchCell;
use super::forecast::{CellForecast, ModelForecaster};
use super::prediction::{ORACLE, OURS, PredictionRow, TrialKind};
use super::rivals;
use super::score;
use super::times::{self, CellTimes, TruthCells};

/// Least ratio of a contended cell's time to its contention-free time.
const CONTENDED: f64 = 1.2;

/// Start-up of a message in a cell without contention, in seconds.
const START_UP: f64 = 1e-4;

/// Bytes on the wire for one byte of payload: full Ethernet frames.
const FRAMES: f64 = 1514.0 / 1448.0;

/// A profile with the data behind it, and the truth.
pub struct PredictionTrial<'a> {
    pub network: &'a str,
    pub trial: TrialKind,
    /// The predicted statistic of a cell's repetitions.
    pub statistic: Statistic,
    /// The whole network, where known.
    pub whole: Option<&'a Network>,
    /// Description of the network, if the user gives one.
    pub links: Option<&'a Network>,
    /// `None` if netsig could not make one.
    pub profile: Option<&'a Profile>,
    pub data: &'a Dataset,
    pub truth: &'a TruthCells,
    pub eager_limit: Option<Bytes>,
}

impl PredictionTrial<'_> {
    /// The predictions of all methods for the wanted cells, algorithm by algorithm.
    pub fn rows(&self, is_wanted: impl Fn(&CellKey) -> bool) -> Vec<PredictionRow> {
        let wanted_keys = self.truth.keys().filter(|key| is_wanted(key));
        let keys: Vec<(Collective, &CellKey)> = wanted_keys
            .filter_map(|key| Some((BenchCell::of(key)?.collective, key)))
            .collect();
        keys.chunk_by(|a, b| (a.0, &a.1.algorithm) == (b.0, &b.1.algorithm))
            .flat_map(|algorithm_keys| {
                self.rows_of_algorithm(algorithm_keys[0].0, &algorithm_keys[0].1.algorithm, algorithm_keys)
            })
            .collect()
    }

    fn rows_of_algorithm(
        &self,
        collective: Collective,
        algorithm: &str,
        keys: &[(Collective, &CellKey)],
    ) -> Vec<PredictionRow> {
        let cells = summarise(self.data);
        let points: Vec<MeasuredPoint> = points(&cells, self.statistic, |key| {
            key.experiment == Experiment::Collective(collective) && *key.algorithm == *algorithm
        });
        let known_sizes: BTreeSet<Bytes> = points.iter().map(|point| point.size).collect();
        let forecaster_of = |model_name: Option<&'static str>| {
            ModelForecaster::new(
                self.profile?,
                self.links,
                collective,
                algorithm,
                self.statistic,
                model_name,
            )
        };
        let ours = forecaster_of(None);
        let mut predictors = rivals::fitted(&points, self.eager_limit);
        if let Some(signature) = forecaster_of(Some("signature")) {
            let time = move |n, m| Some(signature.forecast(n, m)?.time);
            predictors.push(("signature", Box::new(time)));
        }
        let mut rows = Vec::new();
        for (_, key) in keys {
            let cell = &self.truth[*key];
            let Some(blank) = self.row_without_prediction(key, cell, known_sizes.contains(&key.size)) else {
                continue;
            };
            let forecaster = ours.as_ref();
            let forecast = forecaster.and_then(|ours| ours.forecast(key.procs, key.size));
            rows.push(netsig_row(blank.clone(), cell, forecast.as_ref()));
            rows.push(oracle_row(blank.clone(), cell));
            rows.extend(predictors.iter().map(|(method, predict)| PredictionRow {
                method,
                predicted_s: predict(key.procs, key.size),
                ..blank.clone()
            }));
        }
        rows
    }

    /// The rows of a method that uses no sizes of the data.
    pub fn rows_of_times(
        &self,
        method: &'static str,
        time: impl Fn(&CellKey) -> Option<Seconds>,
    ) -> Vec<PredictionRow> {
        let row = |(key, cell): (&CellKey, &CellTimes)| {
            Some(PredictionRow {
                method,
                predicted_s: Some(time(key)?),
                ..self.row_without_prediction(key, cell, false)?
            })
        };
        self.truth.iter().filter_map(row).collect()
    }

    /// A row without a prediction, of a collective.
    fn row_without_prediction(&self, key: &CellKey, times: &CellTimes, known_size: bool) -> Option<PredictionRow> {
        let cell = BenchCell::of(key)?;
        let measured = times.time(self.statistic);
        Some(PredictionRow {
            network: self.network.to_owned(),
            trial: self.trial,
            collective: cell.collective,
            algorithm: key.algorithm.to_string(),
            method: OURS,
            procs: cell.procs,
            size_bytes: cell.size,
            measured_s: measured,
            known_size,
            stalled: times.stalled_share(),
            mixture: times.is_mixture(),
            contended: self.whole.is_some_and(|whole| is_contended(whole, cell, measured)),
            predicted_s: None,
            lower_s: None,
            upper_s: None,
            crps: None,
            brier: None,
        })
    }
}

/// True if an all-to-all takes clearly longer than its bytes and start-ups.
fn is_contended(whole: &Network, cell: BenchCell, measured: Seconds) -> bool {
    let message = START_UP + whole.host_gap().0 * FRAMES * cell.size.as_f64();
    measured.0 >= CONTENDED * cell.procs.partners() * message
}

/// netsig's row.
fn netsig_row(blank: PredictionRow, cell: &CellTimes, forecast: Option<&CellForecast>) -> PredictionRow {
    let Some(forecast) = forecast else {
        return blank;
    };
    let times = forecast.times.as_ref();
    let stall = times.and_then(|times| times.stall);
    let chance = stall.map_or(0.0, |stall| stall.probability);
    let logs = match times {
        Some(times) => score::levels().map(|level| times.quantile(level).0.ln()).collect(),
        None => vec![forecast.time.0.ln()],
    };
    PredictionRow {
        predicted_s: Some(forecast.time),
        lower_s: forecast.interval.map(|interval| interval.lower),
        upper_s: forecast.interval.map(|interval| interval.upper),
        crps: Some(score::mean_crps(&logs, cell.all().map(|(time, _)| time.ln()))),
        brier: Some(score::brier(chance, cell.all().map(|(_, stalled)| stalled))),
        ..blank
    }
}

/// The row of the oracle: the other launches predict each launch.
fn oracle_row(blank: PredictionRow, cell: &CellTimes) -> PredictionRow {
    let mut sums = [0.0; 2];
    let mut count = 0.0;
    for (launch, others) in cell.leave_one_out() {
        let logs: Vec<f64> = others.iter().map(|(time, _)| time.ln()).collect();
        let chance = times::share_of_stalls(others.into_iter());
        let weight = launch.len() as f64;
        let logarithms = launch.iter().map(|(time, _)| time.ln());
        sums[0] += score::mean_crps(&logs, logarithms) * weight;
        sums[1] += score::brier(chance, launch.iter().map(|(_, stalled)| *stalled)) * weight;
        count += weight;
    }
    let [crps, brier] = sums.map(|sum| (count > 0.0).then(|| sum / count));
    PredictionRow {
        method: ORACLE,
        predicted_s: cell.half_ratio().map(|ratio| blank.measured_s * ratio),
        crps,
        brier,
        ..blank
    }
}
