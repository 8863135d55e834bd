//! The training data and the held-out cells of each trial. They are divided by process count alone,
//! so that no file can bring a held-out time into a fit.

use std::collections::BTreeMap;

use anyhow::Result;
use netsig_core::algorithm::Collective;
use netsig_core::data::cells::{CellKey, Statistic, Summary, summarise};
use netsig_core::data::{Aggregate, Dataset, Experiment, Place, Provenance, StatisticKind};
use netsig_core::fit::network::{self, Options, Wanted};
use netsig_core::fit::regimes::Parts;
use netsig_core::fit::{Point, points};
use netsig_core::network::Network;
use netsig_core::profile::Profile;
use netsig_core::stats::sample::mean;
use netsig_core::units::{Bytes, Seconds};
use serde::Serialize;

/// The most processes in the training data of any trial; cells with more are held out.
pub(super) const MOST: u32 = 8;

/// The evaluated sizes.
const SIZES: std::ops::RangeInclusive<Bytes> = Bytes(256)..=Bytes(256 << 10);

/// The most repetitions in a mean of the third trial.
const TABLE_REPETITIONS: u32 = 20;

/// The campaigns of one network.
pub(super) struct Measured {
    pub(super) train: Dataset,
    pub(super) few: Dataset,
    pub(super) heldout: Dataset,
    /// The links of the network, if known.
    pub(super) network: Option<Network>,
}

/// A choice of training data.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::Display, strum::EnumIter,
)]
pub(super) enum Trial {
    /// Up to eight processes.
    #[serde(rename = "up-to-8")]
    #[strum(serialize = "up-to-8")]
    Eight,
    /// Up to four processes.
    #[serde(rename = "up-to-4")]
    #[strum(serialize = "up-to-4")]
    Four,
    /// Up to eight processes, as tables like those of OSU's programs: one mean for each cell, and
    /// no pLogP.
    #[serde(rename = "osu-tables")]
    #[strum(serialize = "osu-tables")]
    Osu,
}

/// The fits to a trial's data.
pub(super) struct Fitted {
    pub(super) trial: Trial,
    pub(super) profile: Profile,
    /// The same profile without pLogP tables.
    pub(super) bare: Profile,
    /// The links of the network, if known.
    pub(super) network: Option<Network>,
    /// The failed fits, and the reasons for the chosen models of the regimes.
    pub(super) notes: Vec<String>,
    cells: BTreeMap<CellKey, Summary>,
}

impl Trial {
    /// The statistic of a held-out cell and of the regimes' prediction: tables have means only.
    pub(super) fn statistic(self) -> Statistic {
        match self {
            Self::Eight | Self::Four => Statistic::Median,
            Self::Osu => Statistic::Mean,
        }
    }

    /// The training data of the contenders.
    fn training(self, data: &Measured) -> Dataset {
        match self {
            Self::Eight => seen([&data.train], MOST),
            Self::Four => seen([&data.train, &data.few], 4),
            Self::Osu => table(&seen([&data.train], MOST)),
        }
    }
}

/// The data of at most `most` processes.
fn seen<'a>(data: impl IntoIterator<Item = &'a Dataset>, most: u32) -> Dataset {
    let mut all = Dataset::default();
    for part in data {
        all.append(part.part(|place| place.procs.get() <= most));
    }
    all
}

/// Converts `data` to the table of a benchmark program: for every cell of a ping-pong or a
/// collective, the mean of its first repetitions.
fn table(data: &Dataset) -> Dataset {
    let mut times: BTreeMap<Place, Vec<f64>> = BTreeMap::new();
    for sample in &data.samples {
        let place = Place {
            launch: 0,
            ..sample.place.clone()
        };
        if let Experiment::PingPong | Experiment::Collective(_) = sample.place.experiment {
            times.entry(place).or_default().push(sample.time.0);
        }
    }
    let mut aggregates = data.aggregates.clone();
    aggregates.extend(times.into_iter().map(|(place, mut times)| {
        times.truncate(TABLE_REPETITIONS as usize);
        Aggregate {
            place,
            statistic: StatisticKind::Mean,
            averaged: u32::try_from(times.len()).ok(),
            time: Seconds(mean(&times)),
        }
    }));
    Dataset {
        aggregates,
        ..Dataset::default()
    }
}

/// Fits all models to the data of `trial`; the regimes have `parts`, or if `None` the parts that
/// lower the error of left-out counts.
pub(super) fn fit(data: &Measured, trial: Trial, parts: Option<Parts>) -> Result<Fitted> {
    let training = trial.training(data);
    let options = Options {
        wanted: Wanted::Any,
        parts,
        statistic: Statistic::Median,
        network: data.network.clone(),
        ..Options::default()
    };
    let fitted = network::fit(&training, &options)?;
    let failures = fitted.failures.iter();
    let failures = failures.map(|error| format!("not fitted: {error}"));
    let verdicts = fitted.regimes.iter().map(|one| {
        let reason = &one.verdict.reason;
        format!("{} {}: {reason}", one.collective, one.algorithm)
    });
    let notes = failures.chain(verdicts).collect();
    let profile = Profile::of(&fitted, Provenance::default(), options.model.confidence);
    Ok(Fitted {
        trial,
        bare: Profile {
            plogp: None,
            ..profile.clone()
        },
        profile,
        network: data.network.clone(),
        notes,
        cells: summarise(&training),
    })
}

/// The evaluated cells: they have more processes than any trial's data.
pub(super) fn heldout(data: &Measured) -> BTreeMap<CellKey, Summary> {
    let mut cells = summarise(&data.heldout);
    cells.retain(|key, _| {
        matches!(key.experiment, Experiment::Collective(_))
            && key.procs.get() > MOST
            && SIZES.contains(&key.size)
    });
    cells
}

/// The difference |a/b − 1| between the medians of the two launches of every evaluated cell: a
/// lower bound of prediction errors.
pub(super) fn repeated(data: &Measured) -> BTreeMap<(Collective, String), Vec<f64>> {
    let [first, second] =
        [0, 1].map(|launch| summarise(&data.heldout.part(|place| place.launch == launch)));
    let mut apart: BTreeMap<(Collective, String), Vec<f64>> = BTreeMap::new();
    for key in heldout(data).into_keys() {
        if let Experiment::Collective(collective) = key.experiment
            && let (Some(first), Some(second)) = (first.get(&key), second.get(&key))
        {
            let who = (collective, key.algorithm.to_string());
            let apart = apart.entry(who).or_default();
            apart.push((first.median / second.median - 1.0).abs());
        }
    }
    apart
}

impl Fitted {
    /// The training medians of the cell's algorithm.
    pub(super) fn points(&self, key: &CellKey) -> Vec<Point> {
        points(&self.cells, Statistic::Median, |other| {
            other.experiment == key.experiment && other.algorithm == key.algorithm
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::contenders::Judge;
    use super::*;
    use netsig_core::units::Procs;
    use strum::IntoEnumIterator as _;

    /// An all-to-all whose time is 1.5 times the contention-free one, at all process counts
    /// in every file; `beyond` multiplies the times of more than eight processes.
    fn measured(beyond: f64) -> Measured {
        let mut data = Dataset::default();
        let mut push = |experiment, algorithm: &str, procs: u32, (size, time): (u64, f64)| {
            let place = Place {
                launch: 0,
                experiment,
                algorithm: algorithm.into(),
                procs: Procs::new(procs).unwrap(),
                size: Bytes(size),
            };
            let scale = if procs > 8 { beyond } else { 1.0 };
            let times = [0.99, 1.01, 0.99, 1.01].map(|wobble| Seconds(time * wobble * scale));
            let samples = (0..).zip(times);
            let samples = samples.map(|(i, time)| place.clone().sample(i, time));
            data.samples.extend(samples);
        };
        for size in (0..11).step_by(2).map(|i| 256u64 << i) {
            let message = 1e-4 + 2e-7 * size as f64;
            push(Experiment::PingPong, "", 2, (size, message));
            for procs in [2, 3, 4, 6, 8, 10, 12] {
                let time = 1.5 * f64::from(procs - 1) * message;
                let who = Experiment::Collective(Collective::Alltoall);
                push(who, "direct", procs, (size, time));
            }
        }
        Measured {
            train: data.clone(),
            few: data.clone(),
            heldout: data,
            network: None,
        }
    }

    /// Every file holds all process counts here, so a fit that looked at a held-out time
    /// would change with it. The long form takes every trial.
    #[test]
    fn held_out_times_change_no_parameter_and_no_prediction() {
        let takes_all = std::env::var_os("NETSIG_TESTS").is_some_and(|value| value == "all");
        for trial in Trial::iter().take(if takes_all { usize::MAX } else { 1 }) {
            let [plain, wild] = [1.0, 137.0].map(|beyond| {
                let data = measured(beyond);
                let fitted = fit(&data, trial, None).unwrap();
                let judge = Judge {
                    network: "toy",
                    fitted: &fitted,
                    free: &fitted.profile,
                    smpi: &BTreeMap::new(),
                };
                let mut rows = judge.rows(&heldout(&data), None);
                for row in &mut rows {
                    // In whole microseconds, since the factor leaves rounding errors.
                    row.measured_s = Seconds((row.measured_s.0 / beyond * 1e6).round());
                }
                (fitted.profile.to_toml(), rows)
            });
            assert!(plain.1.len() > 2 * 6 * 8, "{}", plain.1.len());
            assert_eq!(plain, wild);
        }
    }

    #[test]
    fn a_table_holds_one_mean_a_cell_and_no_more() {
        let training = Trial::Osu.training(&measured(1.0));
        assert!(training.samples.is_empty());
        // Six sizes of the ping-pong and of five process counts.
        assert_eq!(training.aggregates.len(), 6 * 6);
        let first = &training.aggregates[0];
        let kind = (first.averaged, first.statistic);
        assert_eq!(kind, (Some(4), StatisticKind::Mean));
        assert!((first.time.0 - (1e-4 + 2e-7 * 256.0)).abs() < 1e-12);
    }
}
