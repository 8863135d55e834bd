//! The truth in the form of other programs, and the speed of predictions.

use std::collections::BTreeMap;
use std::time::Instant;

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, Statistic};
use netsig_base::data::{Aggregate, Dataset, Experiment, ImportedStatistic, LaunchCell};
use netsig_base::stats::sample::mean;
use netsig_base::units::Seconds;

use super::campaign::LearnedProfile;
use super::truth::ALLTOALLS;
use crate::harness::draw::DrawnNetwork;
use crate::harness::forecast::ModelForecaster;
use crate::harness::times::{TruthCells, is_alltoall};

/// Microseconds of one prediction of each cell.
pub(super) fn prediction_microseconds(half: &LearnedProfile, drawn: &DrawnNetwork, truth: &TruthCells) -> Option<f64> {
    const TIMES: u32 = 50;
    let algorithm = ALLTOALLS[0];
    let forecaster = ModelForecaster::new(
        &half.profile,
        Some(&drawn.whole),
        Collective::Alltoall,
        algorithm,
        Statistic::Median,
        None,
    )?;
    let keys: Vec<&CellKey> = truth.keys().filter(|key| *key.algorithm == *algorithm).collect();
    let started = Instant::now();
    for _ in 0..TIMES {
        for key in &keys {
            std::hint::black_box(forecaster.time(key.procs, key.size));
        }
    }
    let prediction_count = f64::from(TIMES) * keys.len() as f64;
    Some(started.elapsed().as_secs_f64() * 1e6 / prediction_count)
}

/// The means of the truth at powers of two and of the ping-pong, as OSU's programs print them.
pub(super) fn printed_means(data: &Dataset, truth: &TruthCells) -> Dataset {
    let mut ping_pong_times: BTreeMap<CellKey, Vec<f64>> = BTreeMap::new();
    for sample in &data.samples {
        if sample.cell.experiment == Experiment::PingPong {
            let key = CellKey::from(&sample.cell);
            ping_pong_times.entry(key).or_default().push(sample.time.0);
        }
    }
    let is_printed = |key: &CellKey| is_alltoall(key) && key.size.0.is_power_of_two();
    let printed_cells = truth.iter().filter(|(key, _)| is_printed(key));
    let printed_times = printed_cells.map(|(key, cell)| (key.clone(), cell.all().map(|(time, _)| time).collect()));
    let aggregates = ping_pong_times
        .into_iter()
        .chain(printed_times)
        .map(|(key, times)| Aggregate {
            cell: LaunchCell {
                launch: 0,
                experiment: key.experiment,
                algorithm: key.algorithm,
                procs: key.procs,
                size: key.size,
            },
            statistic: ImportedStatistic::Mean,
            averaged: u32::try_from(times.len()).ok(),
            time: Seconds(mean(&times)),
        });
    Dataset {
        aggregates: aggregates.collect(),
        ..Dataset::default()
    }
}
