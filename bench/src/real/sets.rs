//! The data: collectives measured on real machines (bench/data/real), and kept data of emulated networks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, CellSummary, summarise};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::units::{Bytes, Procs};

use crate::harness::{process, root};

/// The kind of network of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum SetGroup {
    Real,
    Papers,
    Emulated,
    /// Tables of the OSU benchmarks.
    Tables,
    /// Reductions of real machines.
    Reductions,
}

/// The fitted cells of a set; the other cells are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display)]
pub enum SetSplit {
    /// All process counts up to this count.
    #[strum(to_string = "≤ {0}")]
    UpTo(Procs),
    /// Sizes of an even power of two, and those up to the next power.
    #[strum(to_string = "even powers")]
    EvenPowers,
    /// Sizes of an odd power of two, and those up to the next power.
    #[strum(to_string = "odd powers")]
    OddPowers,
}

impl SetSplit {
    /// True if a collective's cell is fitted.
    pub fn has_fitted(self, procs: Procs, size: Bytes) -> bool {
        let is_odd = || size.0.max(1).ilog2() % 2 == 1;
        match self {
            Self::UpTo(cut) => procs <= cut,
            Self::EvenPowers => !is_odd(),
            Self::OddPowers => is_odd(),
        }
    }
}

/// Measured collectives of one network.
pub struct JudgedNetwork {
    pub group: SetGroup,
    /// The machine; several files may belong to it.
    pub machine: String,
    pub file: String,
    pub data: Dataset,
    /// The splits of its sets; empty for a split at every count except the first and the last.
    pub splits: Vec<SetSplit>,
    /// True if the fitted cells are judged too.
    pub judges_fitted: bool,
}

/// The cells of one algorithm, divided into fitted and judged ones.
pub struct JudgedSet<'a> {
    pub network: &'a JudgedNetwork,
    pub collective: Collective,
    pub algorithm: String,
    pub split: SetSplit,
    pub fitted: Vec<(CellKey, CellSummary)>,
    pub judged: Vec<(CellKey, CellSummary)>,
}

/// The data that the repository keeps.
pub fn kept_networks() -> Result<Vec<JudgedNetwork>> {
    let mut all = networks_of_folder("real", SetGroup::Real)?;
    all.extend(networks_of_folder("losses", SetGroup::Emulated)?);
    Ok(all)
}

/// The emulated networks of `netsig-bench accuracy`: the campaign on half of the hosts, and the truth on more hosts.
pub fn networks_of_halves() -> Result<Vec<JudgedNetwork>> {
    let folders = entries("accuracy")?.into_iter();
    folders.map(|folder| network_of_half(&folder)).collect()
}

fn network_of_half(folder: &Path) -> Result<JudgedNetwork> {
    let mut data = process::read_dataset(&folder.join("half.csv"))?;
    let cut = data.largest_procs().context("a campaign has processes")?;
    let truth = process::read_dataset(&folder.join("truth.csv"))?;
    let beyond = truth.subset(|place| place.procs > cut);
    data.samples.extend(beyond.samples);
    let name = folder.file_name().unwrap_or_default();
    Ok(JudgedNetwork {
        data,
        splits: vec![SetSplit::UpTo(cut)],
        ..JudgedNetwork::new(&name.to_string_lossy(), SetGroup::Emulated)
    })
}

/// The paths in a folder of bench/data, in the order of their names.
pub fn entries(folder: &str) -> Result<Vec<PathBuf>> {
    let set_folder = root().join("bench/data").join(folder);
    let entries = fs::read_dir(&set_folder).with_context(|| set_folder.display().to_string())?;
    let mut paths: Vec<_> = entries.map_ok(|entry| entry.path()).try_collect()?;
    paths.sort_unstable();
    Ok(paths)
}

/// The data files of a folder of bench/data, in the order of their names.
pub fn networks_of_folder(folder: &str, group: SetGroup) -> Result<Vec<JudgedNetwork>> {
    let is_data = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "csv");
    let data = entries(folder)?.into_iter().filter(is_data);
    data.map(|path| network_of_file(&path, group)).collect()
}

fn network_of_file(path: &Path, group: SetGroup) -> Result<JudgedNetwork> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(JudgedNetwork {
        data: process::read_dataset(path)?,
        ..JudgedNetwork::new(&stem, group)
    })
}

impl JudgedNetwork {
    /// A network without data yet.
    pub fn new(file: &str, group: SetGroup) -> Self {
        let machine = match group {
            SetGroup::Real | SetGroup::Tables | SetGroup::Reductions => file.split('-').next().unwrap_or_default(),
            _ => file,
        };
        Self {
            group,
            machine: machine.to_owned(),
            file: file.to_owned(),
            data: Dataset::default(),
            splits: Vec::new(),
            judges_fitted: false,
        }
    }

    /// The sets: every algorithm with every split; cuts leave at least two counts to fit and one to judge.
    pub fn sets(&self) -> Vec<JudgedSet<'_>> {
        let cells = summarise(&self.data).into_iter();
        let of_collectives = cells.filter_map(|(key, summary)| match key.experiment {
            Experiment::Collective(collective) if key.procs.get() > 1 && key.size.0 > 0 => {
                Some(((collective, key.algorithm.to_string()), (key, summary)))
            }
            _ => None,
        });
        let by_algorithm = of_collectives.into_group_map();
        let sorted = by_algorithm.into_iter().sorted_unstable_by(|a, b| a.0.cmp(&b.0));
        sorted
            .flat_map(|((collective, algorithm), cells)| self.sets_of(collective, &algorithm, &cells))
            .collect()
    }

    fn sets_of(&self, collective: Collective, algorithm: &str, cells: &[(CellKey, CellSummary)]) -> Vec<JudgedSet<'_>> {
        let counts: BTreeSet<Procs> = cells.iter().map(|(key, _)| key.procs).collect();
        let inner = counts.len().saturating_sub(2);
        let feasible = counts.iter().copied().skip(1).take(inner);
        let splits = if self.splits.is_empty() {
            feasible.map(SetSplit::UpTo).collect_vec()
        } else {
            self.splits.clone()
        };
        let part = |is_wanted: &dyn Fn(&CellKey) -> bool| {
            let wanted_cells = cells.iter().filter(|(key, _)| is_wanted(key));
            wanted_cells.cloned().collect_vec()
        };
        let set = |split: SetSplit| JudgedSet {
            network: self,
            collective,
            algorithm: algorithm.to_owned(),
            split,
            fitted: part(&|key| split.has_fitted(key.procs, key.size)),
            judged: part(&|key| self.judges_fitted || !split.has_fitted(key.procs, key.size)),
        };
        let all_sets = splits.into_iter().map(set);
        all_sets
            .filter(|set| !set.fitted.is_empty() && !set.judged.is_empty())
            .collect()
    }

    /// The data to fit: the fitted cells of collectives, and all other experiments among few enough processes.
    pub fn part(&self, split: SetSplit) -> Dataset {
        self.data.subset(|place| match (place.experiment, split) {
            (Experiment::Collective(_), _) | (_, SetSplit::UpTo(_)) => split.has_fitted(place.procs, place.size),
            _ => true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes from 1 to 8 among 2, 4, 8: a table is split between the sizes at all counts, and keeps its ping-pong.
    #[test]
    fn tables_are_split_between_sizes_and_others_between_counts() {
        let head = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s";
        let cases = itertools::iproduct!([2, 4, 8], [1, 2, 3, 4, 8]);
        let cells = cases.map(|(n, m)| format!("collective,alltoall,direct,{n},{m},0,0,1.0"));
        let text = std::iter::once(head.to_owned())
            .chain(["pingpong,,,2,2,0,0,1.0".to_owned()])
            .chain(cells)
            .join("\n");
        let mut network = JudgedNetwork {
            data: Dataset::read("data.csv", text.as_bytes()).unwrap(),
            ..JudgedNetwork::new("made", SetGroup::Tables)
        };
        let lengths = |network: &JudgedNetwork| {
            let sets = network.sets().into_iter();
            let lengths = sets.map(|set| (set.split, set.fitted.len(), set.judged.len()));
            lengths.collect_vec()
        };
        let cut = SetSplit::UpTo(Procs::new(4).unwrap());
        assert_eq!(lengths(&network), [(cut, 10, 5)]);
        network.splits = vec![SetSplit::EvenPowers];
        assert_eq!(lengths(&network), [(SetSplit::EvenPowers, 6, 9)]);
        let part = network.part(SetSplit::EvenPowers);
        assert_eq!(part.samples.len(), 7);
        let sets = network.sets();
        let sizes = sets[0].fitted.iter().map(|(key, _)| key.size.0);
        assert_eq!(sizes.unique().collect_vec(), [1, 4]);
    }
}
