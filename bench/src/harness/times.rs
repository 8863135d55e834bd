//! The repetitions of the cells of a data set, and their classes.
//!
//! # Method
//! A repetition stalls if it exceeds the quickest of its cell by more than 100 ms and 30 %. For eager messages the
//! quickest time is at most 1.5 times the time of the bytes.

use std::collections::{BTreeMap, BTreeSet};

use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, Statistic, summarise};
use netsig_base::data::{Dataset, processors};
use netsig_base::network::Network;
use netsig_base::units::Seconds;

use super::cell::BenchCell;

/// The cells of collectives by their keys.
pub type TruthCells = BTreeMap<CellKey, CellTimes>;

/// Time of a repetition in seconds, and true if it stalls.
pub type RepetitionTime = (f64, bool);

/// The repetitions of a cell.
#[derive(Debug, Clone)]
pub struct CellTimes {
    /// Times and stalls of each launch, none empty.
    launches: Vec<Vec<RepetitionTime>>,
}

/// The cells of the data; cells with busy processors are void and left out. With `network`, its rate also helps to
/// recognise stalls of eager messages.
pub fn valid_cells(data: &Dataset, network: Option<&Network>) -> TruthCells {
    let busy_cells: BTreeSet<CellKey> = processors::busy_cells(data).into_iter().collect();
    let mut times: BTreeMap<CellKey, BTreeMap<u32, Vec<f64>>> = BTreeMap::new();
    for sample in &data.samples {
        let key = CellKey::from(&sample.cell);
        if BenchCell::of(&key).is_some() && !busy_cells.contains(&key) {
            let launches = times.entry(key).or_default();
            let launch = launches.entry(sample.cell.launch).or_default();
            launch.push(sample.time.0);
        }
    }
    let cell_times = |(key, launches): (CellKey, BTreeMap<u32, Vec<f64>>)| {
        let all_times = launches.values().flatten().copied();
        let quickest_measured = all_times.fold(f64::INFINITY, f64::min);
        let quickest = quickest_measured.min(longest_unstalled(&key, network));
        let limit = quickest + (0.3 * quickest).max(0.1);
        let of_launch = |times: Vec<f64>| times.into_iter().map(|t| (t, t > limit)).collect();
        let launches = launches.into_values().map(of_launch).collect();
        (key, CellTimes { launches })
    };
    times.into_iter().map(cell_times).collect()
}

/// Cells from the means of tables, each with one repetition without a stall.
pub fn cells_of_means(data: &Dataset) -> TruthCells {
    let summaries = summarise(data).into_iter();
    let cells = summaries.filter(|(key, _)| BenchCell::of(key).is_some());
    cells
        .map(|(key, summary)| {
            let launches = vec![vec![(summary.mean.0, false)]];
            (key, CellTimes { launches })
        })
        .collect()
}

/// True for a cell of an all-to-all.
pub fn is_alltoall(key: &CellKey) -> bool {
    BenchCell::of(key).is_some_and(|cell| cell.collective == Collective::Alltoall)
}

/// Longest time without a stall, if known.
fn longest_unstalled(key: &CellKey, network: Option<&Network>) -> f64 {
    let cell = BenchCell::of(key).filter(|_| is_alltoall(key)).zip(network);
    let eager = cell.filter(|(cell, network)| {
        let limit = network.eager_limit;
        limit.is_none_or(|limit| cell.size < limit)
    });
    eager.map_or(f64::INFINITY, |(cell, network)| 1.5 * cell.bound(network).0)
}

impl CellTimes {
    /// All repetitions.
    pub fn all(&self) -> impl Iterator<Item = RepetitionTime> {
        self.launches.iter().flatten().copied()
    }

    /// A statistic of all repetitions.
    pub fn time(&self, statistic: Statistic) -> Seconds {
        Seconds(statistic.value_of(self.all().map(|(time, _)| time).collect()))
    }

    /// Share of the repetitions that stall.
    pub fn stalled_share(&self) -> f64 {
        share_of_stalls(self.all())
    }

    /// True if 10 to 90 % of the repetitions stall.
    pub fn is_mixture(&self) -> bool {
        (0.1..=0.9).contains(&self.stalled_share())
    }

    /// Ratio of the median of every other launch to the median of the rest; `None` for a single launch.
    pub fn half_ratio(&self) -> Option<f64> {
        let half = |first: usize| {
            let launches = self.launches.iter().skip(first).step_by(2);
            let times: Vec<f64> = launches.flatten().map(|(time, _)| *time).collect();
            (!times.is_empty()).then(|| Statistic::Median.value_of(times))
        };
        Some(half(0)? / half(1)?)
    }

    /// Each launch with the repetitions of all others; none for a single launch.
    pub fn leave_one_out(&self) -> impl Iterator<Item = (&[RepetitionTime], Vec<RepetitionTime>)> {
        let is_single = self.launches.len() < 2;
        let splits = self.launches.iter().enumerate().map(|(number, launch)| {
            let all_launches = self.launches.iter().enumerate();
            let others = all_launches.filter(|(other, _)| *other != number);
            (&launch[..], others.flat_map(|(_, all)| all.clone()).collect())
        });
        splits.filter(move |_| !is_single)
    }
}

/// Share of repetitions that stall.
pub fn share_of_stalls(repetitions: impl Iterator<Item = RepetitionTime>) -> f64 {
    let stalls = repetitions.map(|(_, stalled)| f64::from(u8::from(stalled)));
    netsig_base::stats::sample::mean(stalls)
}
