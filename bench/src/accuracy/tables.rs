//! The truth as other programs print it, and the speed of predictions.

use std::collections::BTreeMap;
use std::time::Instant;

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::CellKey;
use netsig_base::data::{Aggregate, Dataset, Experiment, Place, StatisticKind};
use netsig_base::stats::sample::mean;
use netsig_base::units::Seconds;
use netsig_model::predict::Asked;

use super::campaign::LearnedProfile;
use super::truth::ALLTOALLS;
use crate::harness::draw::DrawnNetwork;
use crate::harness::forecast::ModelForecaster;
use crate::harness::times::{TruthCells, is_alltoall};

/// Microseconds of one prediction of each cell.
pub(super) fn speed(half: &LearnedProfile, drawn: &DrawnNetwork, truth: &TruthCells) -> Option<f64> {
    const TIMES: u32 = 50;
    let who = (Collective::Alltoall, ALLTOALLS[0]);
    let ours = ModelForecaster::new(&half.profile, Some(&drawn.whole), who, Asked::Median, None)?;
    let keys: Vec<&CellKey> = truth.keys().filter(|key| *key.algorithm == *who.1).collect();
    let started = Instant::now();
    for _ in 0..TIMES {
        for key in &keys {
            std::hint::black_box(ours.time(key.procs, key.size));
        }
    }
    let all = f64::from(TIMES) * keys.len() as f64;
    Some(started.elapsed().as_secs_f64() * 1e6 / all)
}

/// The means of the truth at powers of two and of the ping-pong, as OSU's programs print them.
pub(super) fn tables(data: &Dataset, truth: &TruthCells) -> Dataset {
    let mut pairs: BTreeMap<CellKey, Vec<f64>> = BTreeMap::new();
    for sample in &data.samples {
        if sample.place.experiment == Experiment::PingPong {
            let key = CellKey::from(&sample.place);
            pairs.entry(key).or_default().push(sample.time.0);
        }
    }
    let is_printed = |key: &CellKey| is_alltoall(key) && key.size.0.is_power_of_two();
    let cells = truth.iter().filter(|(key, _)| is_printed(key));
    let cells = cells.map(|(key, cell)| (key.clone(), cell.all().map(|(time, _)| time).collect()));
    let aggregates = pairs.into_iter().chain(cells).map(|(key, times)| Aggregate {
        place: Place {
            launch: 0,
            experiment: key.experiment,
            algorithm: key.algorithm,
            procs: key.procs,
            size: key.size,
        },
        statistic: StatisticKind::Mean,
        averaged: u32::try_from(times.len()).ok(),
        time: Seconds(mean(&times)),
    });
    Dataset {
        aggregates: aggregates.collect(),
        ..Dataset::default()
    }
}
