//! Test whether two data files can be of one network, by the times of their common cells.
//!
//! # Method
//! The median ratio of the times of common cells is taken over ping-pongs below 64 KiB and over ping-pongs from 64
//! KiB on; if both are too few, over collectives. Files are unlike if a ratio exceeds the bound of its cells.
//!
//! # Bounds
//! Launches on one network agree within 3 to 10 per cent from a few KiB on, so that 50 per cent is
//! a safe bound. Start-up times and collectives under contention scatter more, and another
//! program's mean may be compared with a median: a factor of 3.

use std::collections::BTreeSet;
use std::fmt;

use super::cells::{CellKey, CellSummary, summarise};
use super::mixture::NamedDataset;
use super::{Dataset, Experiment};
use crate::stats::sample::SortedValues;
use crate::units::Bytes;

/// Size from which on bytes take most of the time of a message.
const LARGE: Bytes = Bytes(64 << 10);

/// Least number of common cells for a judgement.
const LEAST_CELLS: usize = 3;

/// Result of a comparison of two files.
#[derive(Debug, Clone, PartialEq)]
pub enum DataLikeness {
    /// Their times may be of one network.
    Alike,
    /// Their times are too far apart.
    Unlike(UnlikeTimes),
    /// They have too few cells in common.
    Unknown,
}

/// Times of two files that cannot be of one network.
#[derive(Debug, Clone, PartialEq)]
pub struct UnlikeTimes {
    /// The median ratio of the times of the second file to those of the first.
    pub ratio: f64,
    cells: usize,
    /// Name of the group of cells.
    group: &'static str,
    /// Bound of the ratio.
    bound: f64,
    files: [String; 2],
}

/// Cells that are judged together.
struct JudgedCells {
    name: &'static str,
    has_cell: fn(&CellKey) -> bool,
    /// Largest ratio, or inverse ratio, within one network.
    bound: f64,
}

const PING_PONGS: &[JudgedCells] = &[
    JudgedCells {
        name: "ping-pongs from 64 KiB on",
        has_cell: |key| key.experiment == Experiment::PingPong && key.size >= LARGE,
        bound: 1.5,
    },
    JudgedCells {
        name: "ping-pongs below 64 KiB",
        has_cell: |key| key.experiment == Experiment::PingPong && key.size < LARGE,
        bound: 3.0,
    },
];

const COLLECTIVES: &[JudgedCells] = &[JudgedCells {
    name: "collectives",
    has_cell: |key| matches!(key.experiment, Experiment::Collective(_)),
    bound: 3.0,
}];

/// Compares the times of two files.
pub fn compare_times(one: &NamedDataset, other: &NamedDataset) -> DataLikeness {
    let common_cells = ratios_of_common_cells(one.data, other.data);
    let comparisons_of = |groups: &'static [JudgedCells]| {
        let comparison_of = |group: &'static JudgedCells| {
            let cells_of_group = common_cells.iter().filter(|(key, _)| (group.has_cell)(key));
            let ratios: Vec<f64> = cells_of_group.map(|(_, ratio)| *ratio).collect();
            let cells = ratios.len();
            (cells >= LEAST_CELLS).then(|| UnlikeTimes {
                ratio: SortedValues::new(ratios).median(),
                cells,
                group: group.name,
                bound: group.bound,
                files: [one.name, other.name].map(str::to_owned),
            })
        };
        groups.iter().filter_map(comparison_of).collect::<Vec<UnlikeTimes>>()
    };
    let mut comparisons = comparisons_of(PING_PONGS);
    if comparisons.is_empty() {
        comparisons = comparisons_of(COLLECTIVES);
    }
    if comparisons.is_empty() {
        return DataLikeness::Unknown;
    }
    let is_unlike = |found: &UnlikeTimes| found.ratio.max(found.ratio.recip()) > found.bound;
    let unlike = comparisons.into_iter().find(is_unlike);
    unlike.map_or(DataLikeness::Alike, DataLikeness::Unlike)
}

/// Compares the tables of an imported file, numbered as launches, with the first one.
pub fn compare_launches(file: &NamedDataset) -> Option<UnlikeTimes> {
    let name = |launch: u32| format!("launch {launch} of {}", file.name);
    let first = launch_of(file.data, 0);
    let aggregate_cells = file.data.aggregates.iter().map(|aggregate| &aggregate.cell);
    let cells = aggregate_cells.chain(file.data.samples.iter().map(|sample| &sample.cell));
    let later: BTreeSet<u32> = cells.map(|place| place.launch).collect();
    later.into_iter().filter(|&launch| launch > 0).find_map(|launch| {
        let one = NamedDataset {
            name: &name(0),
            data: &first,
        };
        let other = NamedDataset {
            name: &name(launch),
            data: &launch_of(file.data, launch),
        };
        match compare_times(&one, &other) {
            DataLikeness::Unlike(found) => Some(found),
            DataLikeness::Alike | DataLikeness::Unknown => None,
        }
    })
}

/// The samples and aggregates of one launch.
fn launch_of(data: &Dataset, launch: u32) -> Dataset {
    let samples = data.samples.iter().filter(|sample| sample.cell.launch == launch);
    let aggregates = data
        .aggregates
        .iter()
        .filter(|aggregate| aggregate.cell.launch == launch);
    Dataset {
        samples: samples.cloned().collect(),
        aggregates: aggregates.cloned().collect(),
        ..Dataset::default()
    }
}

/// Ratio of the medians, second file to first, of each common cell.
fn ratios_of_common_cells(one: &Dataset, other: &Dataset) -> Vec<(CellKey, f64)> {
    let first = summarise(one);
    let second = summarise(other).into_iter();
    let ratio = |(key, summary): (CellKey, CellSummary)| {
        let known = first.get(&key)?;
        Some((key, summary.median / known.median))
    };
    second.filter_map(ratio).collect()
}

impl fmt::Display for UnlikeTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = &self.files;
        write!(
            f,
            "{other} cannot be of the network of {one}: its {} take {:.2} times as long (median of {} cells)",
            self.group, self.ratio, self.cells
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::read;

    /// Ping-pongs of α + β·m, or alltoalls that take three times as long.
    fn data(row: &str, alpha: f64, beta: f64) -> Dataset {
        let row = |size: u64| format!("{row},{size},0,0,{}\n", alpha + beta * size as f64);
        let rows = (4..20).map(|power| row(1 << power));
        read("", "", &rows.collect::<String>())
    }

    fn between(one: &Dataset, two: &Dataset) -> DataLikeness {
        let [one, two] = [("a", one), ("b", two)].map(|(name, data)| NamedDataset { name, data });
        compare_times(&one, &two)
    }

    #[test]
    fn networks_are_told_apart_and_launches_are_not() {
        let [pairs, all] = ["pingpong,,,2", "collective,alltoall,direct,4"];
        for (rows, alpha, beta, expected) in [
            (pairs, 2.5e-4, 1e-8, None),
            (pairs, 1e-4, 2e-8, Some("ping-pongs from 64 KiB on")),
            (pairs, 5e-4, 1e-8, Some("ping-pongs below 64 KiB")),
            (all, 2e-4, 2e-8, None),
            (all, 1e-6, 1e-10, Some("collectives take 0.01 times")),
        ] {
            match (between(&data(rows, 1e-4, 1e-8), &data(rows, alpha, beta)), expected) {
                (DataLikeness::Alike, None) => {}
                (DataLikeness::Unlike(found), Some(expected)) => {
                    assert!(found.to_string().contains(expected), "{found}");
                }
                (found, expected) => panic!("{found:?} for {expected:?} with {alpha}, {beta}"),
            }
        }
        let [pairs, all] = [pairs, all].map(|rows| data(rows, 1e-4, 1e-8));
        assert_eq!(between(&pairs, &all), DataLikeness::Unknown);
    }
}
