//! Summaries of repetitions: one [`CellSummary`] for each experiment, algorithm, process count and
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

use crate::data::{Aggregate, Dataset, Experiment, ImportedStatistic, LaunchCell, Provenance, Sample};
use crate::stats::sample::{self, SortedValues};
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
pub struct CellSummary {
    /// Number of repetitions.
    pub repetitions: usize,
    /// Arithmetic mean.
    pub mean: Seconds,
    /// Middle value, or the mean of the middle two.
    pub median: Seconds,
    /// Sample standard deviation (divisor R − 1); zero for one repetition.
    pub deviation: Seconds,
    /// Statistic of another program, where there are no repetitions.
    pub imported: Option<ImportedStatistic>,
}

/// Statistics of other programs that may represent a cell, best first.
const REPRESENTATIVE_STATISTICS: [ImportedStatistic; 4] = [
    ImportedStatistic::MaxOverRanks,
    ImportedStatistic::MeanOverRanks,
    ImportedStatistic::Mean,
    ImportedStatistic::Median,
];

/// Statistic that represents a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, EnumIter, EnumMessage, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Statistic {
    /// The papers' choice; includes the stalls.
    #[default]
    Mean,
    /// The usual time; ignores rare stalls.
    Median,
}

impl CellSummary {
    fn of_times(times: Vec<f64>) -> Self {
        let sorted = SortedValues::new(times);
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
        let kind = best_imported_statistic(all)?;
        let of_kind = all.iter().filter(|one| one.statistic == kind);
        let mean = Self::of_times(of_kind.map(|one| one.time.0).collect()).mean;
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

impl Statistic {
    /// The statistic of `values`, which hold at least one number.
    pub fn value_of(self, values: Vec<f64>) -> f64 {
        match self {
            Self::Mean => sample::mean(values),
            Self::Median => sample::median(values),
        }
    }
}

/// The statistic that represents a cell without repetitions, if one of them can.
fn best_imported_statistic(all: &[&Aggregate]) -> Option<ImportedStatistic> {
    let has = |kind: &ImportedStatistic| all.iter().any(|one| one.statistic == *kind);
    REPRESENTATIVE_STATISTICS.into_iter().find(has)
}

/// All cells of a dataset, ordered by experiment, algorithm, process count and size: its rows, grouped once for all
/// fits.
#[derive(Debug, Clone)]
pub struct MeasuredCells<'a> {
    /// Origin of the rows.
    pub provenance: &'a Provenance,
    /// Summaries of the cells that have one.
    pub summaries: BTreeMap<CellKey, CellSummary>,
    rows: BTreeMap<CellKey, CellRows<'a>>,
}

/// Rows of one cell in the order of the data, at least one.
#[derive(Debug, Clone, Default)]
pub struct CellRows<'a> {
    /// Repetitions.
    pub samples: Vec<&'a Sample>,
    /// Statistics of other programs.
    pub aggregates: Vec<&'a Aggregate>,
}

/// Times in seconds by launch, none empty.
pub type TimesByLaunch = BTreeMap<u32, Vec<f64>>;

impl<'a> MeasuredCells<'a> {
    /// Groups the rows of a dataset.
    pub fn of(data: &'a Dataset) -> Self {
        let mut rows: BTreeMap<CellKey, CellRows> = BTreeMap::new();
        for sample in &data.samples {
            let cell = rows.entry(CellKey::from(&sample.cell)).or_default();
            cell.samples.push(sample);
        }
        for aggregate in &data.aggregates {
            let cell = rows.entry(CellKey::from(&aggregate.cell)).or_default();
            cell.aggregates.push(aggregate);
        }
        let summary = |(key, rows): (&CellKey, &CellRows)| Some((key.clone(), rows.summary()?));
        Self {
            provenance: &data.provenance,
            summaries: rows.iter().filter_map(summary).collect(),
            rows,
        }
    }

    /// The cells with their rows.
    pub fn iter(&self) -> impl Iterator<Item = (&CellKey, &CellRows<'a>)> {
        self.rows.iter()
    }

    /// The cells of one experiment.
    pub fn of_experiment(&self, experiment: Experiment) -> impl Iterator<Item = (&CellKey, &CellRows<'a>)> {
        self.iter().filter(move |(key, _)| key.experiment == experiment)
    }
}

impl CellRows<'_> {
    /// The repetitions by launch; without any, the statistics of another program that represent the
    /// cell.
    pub fn times_by_launch(&self) -> TimesByLaunch {
        let mut launches = TimesByLaunch::new();
        let samples = self.samples.iter().map(|sample| (sample.cell.launch, sample.time));
        let kind = best_imported_statistic(&self.aggregates).filter(|_| self.samples.is_empty());
        let aggregates = self.aggregates.iter();
        let representative = aggregates.filter(|aggregate| Some(aggregate.statistic) == kind);
        let imported = representative.map(|aggregate| (aggregate.cell.launch, aggregate.time));
        for (launch, time) in samples.chain(imported) {
            launches.entry(launch).or_default().push(time.0);
        }
        launches
    }

    /// Statistics of the repetitions; without any, the best statistic of another program, if one can
    /// represent the cell.
    fn summary(&self) -> Option<CellSummary> {
        if self.samples.is_empty() {
            return CellSummary::of_aggregates(&self.aggregates);
        }
        let times = self.samples.iter().map(|sample| sample.time.0);
        Some(CellSummary::of_times(times.collect()))
    }
}

/// Summaries of all cells of a dataset.
pub fn summarise(data: &Dataset) -> BTreeMap<CellKey, CellSummary> {
    MeasuredCells::of(data).summaries
}

/// The repetitions of all cells by launch; of a cell without repetitions, the statistics of another
/// program that represent it.
pub fn times_by_launch(data: &Dataset) -> BTreeMap<CellKey, TimesByLaunch> {
    let rows_of_cells = MeasuredCells::of(data).rows.into_iter();
    let times_of_cells = rows_of_cells.map(|(key, rows)| (key, rows.times_by_launch()));
    times_of_cells.filter(|(_, launches)| !launches.is_empty()).collect()
}

impl From<&LaunchCell> for CellKey {
    fn from(cell: &LaunchCell) -> Self {
        Self {
            experiment: cell.experiment,
            algorithm: Arc::clone(&cell.algorithm),
            procs: cell.procs,
            size: cell.size,
        }
    }
}

#[cfg(test)]
mod tests {
    use itertools::Itertools;

    use super::*;
    use crate::data::testing::read;

    /// The one cell of ping-pongs by launch, statistic and time in seconds.
    fn imported(rows: &[(u32, &str, f64)]) -> Option<CellSummary> {
        let row = |(launch, kind, time): &_| format!("pingpong,,,2,8,0,{launch},{time},{kind}\n");
        let text: String = rows.iter().map(row).collect();
        let cells = summarise(&read("", ",statistic", &text));
        cells.into_values().at_most_one().unwrap()
    }

    #[test]
    fn a_cell_of_another_program_has_its_best_statistic_and_no_spread() {
        let [least, mean, most] = ["min-over-ranks", "mean-over-ranks", "max-over-ranks"];
        let rows = [(0, least, 1.0), (0, mean, 2.0), (0, most, 3.0), (1, most, 5.0)];
        let summary = imported(&rows).unwrap();
        assert_eq!(summary.imported, Some(ImportedStatistic::MaxOverRanks));
        assert_eq!(summary.value(Statistic::Median), Seconds(4.0));
        assert_eq!((summary.repetitions, summary.deviation), (1, Seconds(0.0)));
        assert!(imported(&[(0, "min", 1.0), (0, least, 1.0)]).is_none());
        let median = imported(&[(0, "min", 1.0), (0, "median", 2.0)]);
        assert_eq!(median.unwrap().mean, Seconds(2.0));
        // Repetitions come before every statistic.
        let rows = "pingpong,,,2,8,0,0,3.0,median\npingpong,,,2,8,0,0,9.0,\n";
        let cells = summarise(&read("", ",statistic", rows));
        let summary = cells.into_values().exactly_one().unwrap();
        assert_eq!((summary.imported, summary.mean), (None, Seconds(9.0)));
        // `stats` tests the spread; one number has none.
        assert_eq!(summary.deviation, Seconds(0.0));
    }
}
