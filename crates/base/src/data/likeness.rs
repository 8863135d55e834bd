//! Test whether two data files can be of one network, by the times of their common cells.
//!
//! # Method
//! The median ratio of the times of common cells: of ping-pongs below 64 KiB, of ping-pongs from 64
//! KiB on, and, if both are too few, of collectives. Files are unlike if a ratio exceeds the bound
//! of its cells.
//!
//! # Bounds
//! Launches on one network agree within 3 to 10 per cent from a few KiB on, so that 50 per cent is
//! a safe bound. Start-up times and collectives under contention scatter more, and another
//! program's mean may be compared with a median: a factor of 3.

use std::collections::BTreeSet;
use std::fmt;

use super::cells::{CellKey, Summary, summarise};
use super::mixture::Source;
use super::{Dataset, Experiment};
use crate::stats::sample::Sorted;
use crate::units::Bytes;

/// Size from which on bytes take most of the time of a message.
const LARGE: Bytes = Bytes(64 << 10);

/// Least number of common cells for a judgement.
const LEAST: usize = 3;

/// Result of a comparison of two files.
#[derive(Debug, Clone, PartialEq)]
pub enum Likeness {
    /// Their times may be of one network.
    Alike,
    /// Their times are too far apart.
    Unlike(Unlike),
    /// They have too few cells in common.
    Unknown,
}

/// Times of two files that cannot be of one network.
#[derive(Debug, Clone, PartialEq)]
pub struct Unlike {
    /// The median ratio of the times of the second file to those of the first.
    pub ratio: f64,
    cells: usize,
    /// Name of the group of cells.
    group: &'static str,
    /// Bound of the ratio.
    most: f64,
    files: [String; 2],
}

/// Cells that are judged together.
struct Group {
    name: &'static str,
    holds: fn(&CellKey) -> bool,
    /// Largest ratio, or inverse ratio, within one network.
    most: f64,
}

const PING_PONGS: &[Group] = &[
    Group {
        name: "ping-pongs from 64 KiB on",
        holds: |key| key.experiment == Experiment::PingPong && key.size >= LARGE,
        most: 1.5,
    },
    Group {
        name: "ping-pongs below 64 KiB",
        holds: |key| key.experiment == Experiment::PingPong && key.size < LARGE,
        most: 3.0,
    },
];

const COLLECTIVES: &[Group] = &[Group {
    name: "collectives",
    holds: |key| matches!(key.experiment, Experiment::Collective(_)),
    most: 3.0,
}];

/// Compares the times of two files.
pub fn likeness(one: &Source, other: &Source) -> Likeness {
    let common = common(one.data, other.data);
    let judged = |groups: &'static [Group]| {
        let own = |group: &'static Group| {
            let ratios = common.iter().filter(|(key, _)| (group.holds)(key));
            let ratios: Vec<f64> = ratios.map(|(_, ratio)| *ratio).collect();
            let cells = ratios.len();
            (cells >= LEAST).then(|| Unlike {
                ratio: Sorted::new(ratios).median(),
                cells,
                group: group.name,
                most: group.most,
                files: [one.name, other.name].map(str::to_owned),
            })
        };
        groups.iter().filter_map(own).collect::<Vec<Unlike>>()
    };
    let mut found = judged(PING_PONGS);
    if found.is_empty() {
        found = judged(COLLECTIVES);
    }
    if found.is_empty() {
        return Likeness::Unknown;
    }
    let is_unlike = |found: &Unlike| found.ratio.max(found.ratio.recip()) > found.most;
    let unlike = found.into_iter().find(is_unlike);
    unlike.map_or(Likeness::Alike, Likeness::Unlike)
}

/// Compares the tables of an imported file, numbered as launches, with the first one.
pub fn within(file: &Source) -> Option<Unlike> {
    let name = |launch: u32| format!("launch {launch} of {}", file.name);
    let first = launch_of(file.data, 0);
    let places = file.data.aggregates.iter().map(|own| &own.place);
    let places = places.chain(file.data.samples.iter().map(|own| &own.place));
    let later: BTreeSet<u32> = places.map(|place| place.launch).collect();
    later.into_iter().filter(|&launch| launch > 0).find_map(|launch| {
        let one = Source {
            name: &name(0),
            data: &first,
        };
        let other = Source {
            name: &name(launch),
            data: &launch_of(file.data, launch),
        };
        match likeness(&one, &other) {
            Likeness::Unlike(found) => Some(found),
            Likeness::Alike | Likeness::Unknown => None,
        }
    })
}

/// The samples and aggregates of one launch.
fn launch_of(data: &Dataset, launch: u32) -> Dataset {
    let samples = data.samples.iter().filter(|own| own.place.launch == launch);
    let aggregates = data.aggregates.iter().filter(|own| own.place.launch == launch);
    Dataset {
        samples: samples.cloned().collect(),
        aggregates: aggregates.cloned().collect(),
        ..Dataset::default()
    }
}

/// Ratio of the medians, second file to first, of each common cell.
fn common(one: &Dataset, other: &Dataset) -> Vec<(CellKey, f64)> {
    let first = summarise(one);
    let second = summarise(other).into_iter();
    let ratio = |(key, summary): (CellKey, Summary)| {
        let known = first.get(&key)?;
        Some((key, summary.median / known.median))
    };
    second.filter_map(ratio).collect()
}

impl fmt::Display for Unlike {
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

    fn between(one: &Dataset, two: &Dataset) -> Likeness {
        let [one, two] = [("a", one), ("b", two)].map(|(name, data)| Source { name, data });
        likeness(&one, &two)
    }

    #[test]
    fn networks_are_told_apart_and_launches_are_not() {
        let [pairs, all] = ["pingpong,,,2", "collective,alltoall,direct,4"];
        for (rows, alpha, beta, says) in [
            (pairs, 2.5e-4, 1e-8, None),
            (pairs, 1e-4, 2e-8, Some("ping-pongs from 64 KiB on")),
            (pairs, 5e-4, 1e-8, Some("ping-pongs below 64 KiB")),
            (all, 2e-4, 2e-8, None),
            (all, 1e-6, 1e-10, Some("collectives take 0.01 times")),
        ] {
            match (between(&data(rows, 1e-4, 1e-8), &data(rows, alpha, beta)), says) {
                (Likeness::Alike, None) => {}
                (Likeness::Unlike(found), Some(says)) => {
                    assert!(found.to_string().contains(says), "{found}");
                }
                (found, says) => panic!("{found:?} for {says:?} with {alpha}, {beta}"),
            }
        }
        let [pairs, all] = [pairs, all].map(|rows| data(rows, 1e-4, 1e-8));
        assert_eq!(between(&pairs, &all), Likeness::Unknown);
    }
}
