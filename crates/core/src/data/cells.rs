//! Summaries of repetitions: one [`Summary`] for each experiment, algorithm, process count and
//! size, with the statistics that fits and tables need.
//!
//! # Numbers of other programs
//! A cell without repetitions takes a statistic that another program computed, the first available
//! of: maximum over the ranks, mean over the ranks, mean, median; averaged over several files. A
//! minimum never represents a cell. The spread is then unknown: the number counts as one repetition
//! without deviation.
//!
//! In netsig's samples the time of a collective is the maximum over the ranks, repetition by
//! repetition. Other programs give the maximum of the ranks' means: if the last rank changes from
//! repetition to repetition, it lies below the mean of the maxima. The mean over the ranks is lower
//! still, because ranks finish before the last one; for a tree, where most ranks do, it says little
//! about the time until all are done.

use std::collections::BTreeMap;
use std::sync::Arc;

use strum::{EnumIter, EnumMessage, EnumString, IntoStaticStr};

use crate::data::{Aggregate, Dataset, Experiment, Place, StatisticKind};
use crate::stats::sample::{self, Sorted};
use crate::units::{Bytes, Procs, Seconds};

/// Key of a cell, that is of the repetitions of one operation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellKey {
    /// Operation.
    pub experiment: Experiment,
    /// Algorithm.
    pub algorithm: Arc<str>,
    /// Number of processes.
    pub procs: Procs,
    /// Bytes per destination or message.
    pub size: Bytes,
}

/// Statistics of the repetitions of one cell, at least one repetition.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Number of repetitions.
    pub repetitions: usize,
    /// Arithmetic mean.
    pub mean: Seconds,
    /// Middle value, or the mean of the middle two.
    pub median: Seconds,
    /// Sample standard deviation (divisor R − 1); zero for one repetition.
    pub deviation: Seconds,
    /// Statistic of another program, where there are no repetitions.
    pub imported: Option<StatisticKind>,
}

/// Statistics of other programs that may represent a cell, best first.
const IMPORTED: [StatisticKind; 4] = [
    StatisticKind::MaxOverRanks,
    StatisticKind::MeanOverRanks,
    StatisticKind::Mean,
    StatisticKind::Median,
];

/// Statistic that represents a cell.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, EnumIter, EnumMessage, EnumString, IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
pub enum Statistic {
    /// The papers' choice; includes the stalls.
    #[default]
    Mean,
    /// The usual time; ignores rare stalls.
    Median,
}

impl Summary {
    fn of(times: Vec<f64>) -> Self {
        let sorted = Sorted::new(times);
        let times = sorted.values();
        let deviation = match times.len() {
            1 => 0.0,
            _ => sample::variance(times).sqrt(),
        };
        Self {
            repetitions: times.len(),
            mean: Seconds(sample::mean(times)),
            median: Seconds(sorted.median()),
            deviation: Seconds(deviation),
            imported: None,
        }
    }

    /// Summary from the best statistic available.
    fn of_aggregates(all: &[&Aggregate]) -> Option<Self> {
        let times = |kind: StatisticKind| -> Vec<f64> {
            let own = all.iter().filter(|one| one.statistic == kind);
            own.map(|one| one.time.0).collect()
        };
        let kind = IMPORTED.into_iter().find(|&kind| !times(kind).is_empty())?;
        let mean = Self::of(times(kind)).mean;
        Some(Self {
            repetitions: 1,
            mean,
            median: mean,
            deviation: Seconds(0.0),
            imported: Some(kind),
        })
    }

    /// Value of a statistic.
    pub fn value(&self, statistic: Statistic) -> Seconds {
        match statistic {
            Statistic::Mean => self.mean,
            Statistic::Median => self.median,
        }
    }
}

/// All cells of a dataset, ordered by experiment, algorithm, process count and size.
pub fn summarise(data: &Dataset) -> BTreeMap<CellKey, Summary> {
    let mut times: BTreeMap<CellKey, Vec<f64>> = BTreeMap::new();
    for sample in &data.samples {
        times
            .entry(CellKey::from(&sample.place))
            .or_default()
            .push(sample.time.0);
    }
    let mut imported: BTreeMap<CellKey, Vec<&Aggregate>> = BTreeMap::new();
    for aggregate in &data.aggregates {
        let key = CellKey::from(&aggregate.place);
        imported.entry(key).or_default().push(aggregate);
    }
    let imported = imported
        .into_iter()
        .filter_map(|(key, all)| Some((key, Summary::of_aggregates(&all)?)));
    let mut cells: BTreeMap<CellKey, Summary> = imported.collect();
    let measured = times.into_iter();
    cells.extend(measured.map(|(key, times)| (key, Summary::of(times))));
    cells
}

impl From<&Place> for CellKey {
    fn from(place: &Place) -> Self {
        Self {
            experiment: place.experiment,
            algorithm: Arc::clone(&place.algorithm),
            procs: place.procs,
            size: place.size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_known_numbers() {
        let summary = Summary::of(vec![4.0, 1.0, 2.0, 5.0]);
        assert_eq!(summary.mean, Seconds(3.0));
        assert_eq!(summary.median, Seconds(3.0));
        assert!((summary.deviation.0 - (10.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(Summary::of(vec![2.0]).deviation, Seconds(0.0));
        assert_eq!(Summary::of(vec![9.0, 1.0, 2.0]).median, Seconds(2.0));
    }

    fn imported(rows: &[(u32, StatisticKind, f64)]) -> Dataset {
        let aggregate = |&(launch, statistic, time)| Aggregate {
            place: Place {
                launch,
                experiment: Experiment::PingPong,
                algorithm: "".into(),
                procs: Procs::new(2).unwrap(),
                size: Bytes(8),
            },
            statistic,
            averaged: None,
            time: Seconds(time),
        };
        Dataset {
            aggregates: rows.iter().map(aggregate).collect(),
            ..Dataset::default()
        }
    }

    #[test]
    fn a_cell_of_another_program_has_its_best_statistic_and_no_spread() {
        use StatisticKind::{MaxOverRanks, MeanOverRanks, Median, Min, MinOverRanks};
        let mut data = imported(&[
            (0, MinOverRanks, 1.0),
            (0, MeanOverRanks, 2.0),
            (0, MaxOverRanks, 3.0),
            (1, MaxOverRanks, 5.0),
        ]);
        let cells = summarise(&data);
        let summary = cells.values().next().unwrap();
        assert_eq!(summary.imported, Some(MaxOverRanks));
        assert_eq!(summary.value(Statistic::Median), Seconds(4.0));
        assert_eq!((summary.repetitions, summary.deviation), (1, Seconds(0.0)));
        assert!(summarise(&imported(&[(0, Min, 1.0), (0, MinOverRanks, 1.0)])).is_empty());
        let median = summarise(&imported(&[(0, Min, 1.0), (0, Median, 2.0)]));
        assert_eq!(median.values().next().unwrap().mean, Seconds(2.0));

        let place = data.aggregates[0].place.clone();
        data.extend([crate::data::Record::Sample(crate::data::Sample {
            place,
            repetition: 0,
            time: Seconds(9.0),
            losses: crate::data::LossCounters::default(),
            part: 0,
            sync_error: None,
        })]);
        let cells = summarise(&data);
        assert_eq!(cells.len(), 1);
        assert_eq!(cells.values().next().unwrap().imported, None);
    }
}
