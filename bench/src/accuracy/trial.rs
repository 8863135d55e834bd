//! The trials of a network: which data a profile is fitted to, and which cells it is judged on.
//!
//! | trial | fitted to | judged on |
//! |---|---|---|
//! | half | all-to-alls on half of the hosts | ¾ and all of the hosts |
//! | quarter | all-to-alls on a quarter of the hosts | all of the hosts |
//! | left-out | half, without one of the algorithms | that algorithm |
//! | tables | means of the truth at powers of two, as OSU prints them | the sizes between |
//! | osu | every other size of real OSU tables | the sizes between |
//! | others | another collective on half of the hosts | all of the hosts |

use std::collections::{BTreeMap, BTreeSet};

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{Statistic, summarise};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Seconds};
use netsig_model::fit::{Point, points};
use netsig_model::profile::Profile;

use super::ours::{Forecast, Ours};
use super::rivals::{self, smpi};
use super::row::{ORACLE, OURS, Row, Trial};
use super::score;
use super::truth::{Cell, Key};
use crate::draw::Drawn;

/// Least ratio of a contended cell's time to its contention-free time.
const CONTENDED: f64 = 1.2;

/// Start-up of a message in a cell without contention, in seconds.
const START_UP: f64 = 1e-4;

/// Bytes on the wire for one byte of payload: full Ethernet frames.
const FRAMES: f64 = 1514.0 / 1448.0;

/// A profile with the data behind it, and the truth.
pub(super) struct Judge<'a> {
    pub(super) network: &'a str,
    pub(super) trial: Trial,
    /// The whole network, where known.
    pub(super) whole: Option<&'a Network>,
    /// Its description, if the user gives one.
    pub(super) links: Option<&'a Network>,
    /// `None` if netsig could not make one.
    pub(super) profile: Option<&'a Profile>,
    pub(super) data: &'a Dataset,
    pub(super) truth: &'a BTreeMap<Key, Cell>,
    pub(super) eager_limit: Option<Bytes>,
}

impl<'a> Judge<'a> {
    /// A trial on a drawn network, with a profile, if netsig could make one, and its data.
    pub(super) fn new(
        drawn: &'a Drawn,
        truth: &'a BTreeMap<Key, Cell>,
        trial: Trial,
        (profile, data): (Option<&'a Profile>, &'a Dataset),
    ) -> Self {
        Self {
            network: &drawn.name,
            trial,
            whole: Some(&drawn.whole),
            links: drawn.description(),
            profile,
            data,
            truth,
            eager_limit: drawn.whole.eager_limit,
        }
    }

    /// The predictions of all methods for the wanted cells.
    pub(super) fn rows(&self, wanted: impl Fn(&Key) -> bool) -> Vec<Row> {
        let mut rows = Vec::new();
        let keys: BTreeSet<&Key> = self.truth.keys().filter(|key| wanted(key)).collect();
        let who: BTreeSet<(Collective, &str)> = keys
            .iter()
            .map(|key| (key.collective, &*key.algorithm))
            .collect();
        for who in who {
            let own = keys.iter().copied();
            let own = own.filter(|key| (key.collective, &*key.algorithm) == who);
            rows.extend(self.of_algorithm(who, &own.collect::<Vec<_>>()));
        }
        rows
    }

    fn statistic(&self) -> Statistic {
        match self.trial {
            Trial::Tables | Trial::Osu => Statistic::Mean,
            _ => Statistic::Median,
        }
    }

    fn of_algorithm(&self, who: (Collective, &str), keys: &[&Key]) -> Vec<Row> {
        let cells = summarise(self.data);
        let points: Vec<Point> = points(&cells, self.statistic(), |key| {
            key.experiment == Experiment::Collective(who.0) && *key.algorithm == *who.1
        });
        let known: BTreeSet<Bytes> = points.iter().map(|point| point.size).collect();
        let by = |named: Option<&'static str>| {
            let asked = self.statistic().into();
            Ours::new(self.profile?, self.links, who, asked, named)
        };
        let ours = by(None);
        let mut predictors = rivals::fitted(&points, self.eager_limit);
        if let Some(signature) = by(Some("signature")) {
            let time = move |n, m| Some(signature.forecast(n, m)?.time);
            predictors.push(("signature", Box::new(time)));
        }
        let mut rows = Vec::new();
        for key in keys {
            let cell = &self.truth[*key];
            let blank = self.blank(key, cell, known.contains(&key.size));
            let forecast = ours
                .as_ref()
                .and_then(|ours| ours.forecast(key.procs, key.size));
            rows.push(judged(blank.clone(), cell, forecast.as_ref()));
            rows.push(oracle(blank.clone(), cell));
            rows.extend(predictors.iter().map(|(method, predict)| Row {
                method,
                predicted_s: predict(key.procs, key.size),
                ..blank.clone()
            }));
        }
        rows
    }

    /// The times that SMPI simulated for direct exchange, as rows.
    pub(super) fn of_smpi(&self, times: &smpi::Times, wanted: impl Fn(&Key) -> bool) -> Vec<Row> {
        let cells = self.truth.iter().filter(|(key, _)| wanted(key));
        let row = |(key, cell): (&Key, &Cell)| {
            let time = times.get(&(key.procs, key.size))?;
            Some(Row {
                method: "SMPI",
                predicted_s: Some(*time),
                ..self.blank(key, cell, false)
            })
        };
        cells.filter_map(row).collect()
    }

    /// A row without a prediction.
    fn blank(&self, key: &Key, cell: &Cell, known_size: bool) -> Row {
        let measured = match self.statistic() {
            Statistic::Median => cell.median(),
            Statistic::Mean => cell.mean(),
        };
        Row {
            network: self.network.to_owned(),
            trial: self.trial,
            collective: key.collective,
            algorithm: key.algorithm.clone(),
            method: OURS,
            procs: key.procs,
            size_bytes: key.size,
            measured_s: measured,
            known_size,
            stalled: cell.stalled(),
            mixture: cell.is_mixture(),
            contended: self
                .whole
                .is_some_and(|whole| is_contended(whole, key, measured)),
            predicted_s: None,
            lower_s: None,
            upper_s: None,
            crps: None,
            brier: None,
        }
    }
}

/// True if an all-to-all takes clearly longer than its bytes and start-ups.
fn is_contended(whole: &Network, key: &Key, measured: Seconds) -> bool {
    let message = START_UP + whole.host_gap().0 * FRAMES * key.size.as_f64();
    measured.0 >= CONTENDED * key.procs.partners() * message
}

/// netsig's row.
fn judged(blank: Row, cell: &Cell, forecast: Option<&Forecast>) -> Row {
    let Some(forecast) = forecast else {
        return blank;
    };
    let times = forecast.times.as_ref();
    let chance = times.map_or(0.0, |times| {
        times.stall.map_or(0.0, |stall| stall.probability)
    });
    let logs = match times {
        Some(times) => score::levels()
            .map(|level| times.quantile(level).0.ln())
            .collect(),
        None => vec![forecast.time.0.ln()],
    };
    let stalls = cell.all().map(|(_, stalled)| stalled);
    Row {
        predicted_s: Some(forecast.time),
        lower_s: forecast.interval.map(|interval| interval.lower),
        upper_s: forecast.interval.map(|interval| interval.upper),
        crps: Some(score::mean_crps(
            &logs,
            cell.all().map(|(time, _)| time.ln()),
        )),
        brier: Some(score::brier(chance, stalls)),
        ..blank
    }
}

/// The row of the oracle: every launch is predicted by the others.
fn oracle(blank: Row, cell: &Cell) -> Row {
    let mut sums = [0.0; 2];
    let mut count = 0.0;
    for (own, others) in cell.left_out() {
        let logs: Vec<f64> = others.iter().map(|(time, _)| time.ln()).collect();
        let share = others.iter().filter(|(_, stalled)| *stalled).count() as f64;
        let share = share / others.len() as f64;
        let times = own.iter().map(|(time, _)| time.ln());
        sums[0] += score::mean_crps(&logs, times) * own.len() as f64;
        sums[1] += score::brier(share, own.iter().map(|(_, stalled)| *stalled)) * own.len() as f64;
        count += own.len() as f64;
    }
    let [crps, brier] = sums.map(|sum| (count > 0.0).then(|| sum / count));
    Row {
        method: ORACLE,
        predicted_s: cell.halves().map(|ratio| blank.measured_s * ratio),
        crps,
        brier,
        ..blank
    }
}
