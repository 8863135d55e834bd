//! The data: collectives measured on real machines (bench/data/real), and what is kept of emulated networks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use itertools::Itertools as _;
use netsig_base::algorithm::Collective;
use netsig_base::data::cells::{CellKey, Summary, summarise};
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
}

/// The cells that are fitted; the others are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display)]
pub enum SetSplit {
    /// All process counts up to this.
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
    pub fn holds(self, procs: Procs, size: Bytes) -> bool {
        let is_odd = || size.0.max(1).ilog2() % 2 == 1;
        match self {
            Self::UpTo(cut) => procs <= cut,
            Self::EvenPowers => !is_odd(),
            Self::OddPowers => is_odd(),
        }
    }
}

/// Measured collectives of one network.
pub struct MeasuredNetwork {
    pub group: SetGroup,
    /// The machine, which several files may be of.
    pub machine: String,
    pub file: String,
    pub data: Dataset,
    /// The splits of its sets; empty for those at every count but the first and the last.
    pub splits: Vec<SetSplit>,
    /// True if the fitted cells are judged too.
    pub judges_fitted: bool,
}

/// The cells of one algorithm, divided into fitted and judged ones.
pub struct JudgedSet<'a> {
    pub network: &'a MeasuredNetwork,
    pub collective: Collective,
    pub algorithm: String,
    pub split: SetSplit,
    pub fitted: Vec<(CellKey, Summary)>,
    pub judged: Vec<(CellKey, Summary)>,
}

/// The data that the repository keeps.
pub fn kept() -> Result<Vec<MeasuredNetwork>> {
    let mut all = of_folder("real", SetGroup::Real)?;
    all.extend(of_folder("losses", SetGroup::Emulated)?);
    Ok(all)
}

/// The emulated networks of `netsig-bench accuracy`: campaigns on half of the hosts, and beyond them on others.
pub fn of_halves() -> Result<Vec<MeasuredNetwork>> {
    let folders = entries("accuracy")?.into_iter();
    folders.map(|folder| of_half(&folder)).collect()
}

fn of_half(folder: &Path) -> Result<MeasuredNetwork> {
    let mut data = process::read(&folder.join("half.csv"))?;
    let cut = data.most_procs().context("a campaign has processes")?;
    let beyond = process::read(&folder.join("truth.csv"))?;
    let beyond = beyond.part(|place| place.procs > cut);
    data.samples.extend(beyond.samples);
    let name = folder.file_name().unwrap_or_default();
    Ok(MeasuredNetwork {
        data,
        splits: vec![SetSplit::UpTo(cut)],
        ..MeasuredNetwork::new(&name.to_string_lossy(), SetGroup::Emulated)
    })
}

/// The paths in a folder of bench/data, in the order of their names.
pub fn entries(folder: &str) -> Result<Vec<PathBuf>> {
    let folder = root().join("bench/data").join(folder);
    let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<_> = entries.map_ok(|entry| entry.path()).try_collect()?;
    paths.sort_unstable();
    Ok(paths)
}

/// The data files of a folder of bench/data, in the order of their names.
pub fn of_folder(folder: &str, group: SetGroup) -> Result<Vec<MeasuredNetwork>> {
    let is_data = |path: &PathBuf| path.extension().is_some_and(|own| own == "csv");
    let data = entries(folder)?.into_iter().filter(is_data);
    data.map(|path| of_file(&path, group)).collect()
}

fn of_file(path: &Path, group: SetGroup) -> Result<MeasuredNetwork> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(MeasuredNetwork {
        data: process::read(path)?,
        ..MeasuredNetwork::new(&stem, group)
    })
}

impl MeasuredNetwork {
    /// A network without data yet.
    pub fn new(file: &str, group: SetGroup) -> Self {
        let machine = match group {
            SetGroup::Real | SetGroup::Tables => file.split('-').next().unwrap_or_default(),
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

    /// The sets: every algorithm with every cut that leaves at least two counts to fit and one to judge.
    pub fn sets(&self) -> Vec<JudgedSet<'_>> {
        let cells = summarise(&self.data).into_iter();
        let of_collectives = cells.filter_map(|(key, summary)| match key.experiment {
            Experiment::Collective(own) if key.procs.get() > 1 && key.size.0 > 0 => {
                Some(((own, key.algorithm.to_string()), (key, summary)))
            }
            _ => None,
        });
        let by_algorithm = of_collectives.into_group_map();
        let sorted = by_algorithm.into_iter().sorted_unstable_by(|a, b| a.0.cmp(&b.0));
        sorted.flat_map(|(who, cells)| self.sets_of(&who, &cells)).collect()
    }

    fn sets_of(&self, who: &(Collective, String), cells: &[(CellKey, Summary)]) -> Vec<JudgedSet<'_>> {
        let counts: BTreeSet<Procs> = cells.iter().map(|(key, _)| key.procs).collect();
        let inner = counts.len().saturating_sub(2);
        let feasible = counts.iter().copied().skip(1).take(inner);
        let splits = if self.splits.is_empty() {
            feasible.map(SetSplit::UpTo).collect_vec()
        } else {
            self.splits.clone()
        };
        let part = |is_wanted: &dyn Fn(&CellKey) -> bool| {
            let own = cells.iter().filter(|(key, _)| is_wanted(key));
            own.cloned().collect_vec()
        };
        let set = |split: SetSplit| JudgedSet {
            network: self,
            collective: who.0,
            algorithm: who.1.clone(),
            split,
            fitted: part(&|key| split.holds(key.procs, key.size)),
            judged: part(&|key| self.judges_fitted || !split.holds(key.procs, key.size)),
        };
        splits.into_iter().map(set).collect()
    }

    /// The data to fit: the fitted cells of collectives, and all other experiments among few enough processes.
    pub fn part(&self, split: SetSplit) -> Dataset {
        self.data.part(|place| match (place.experiment, split) {
            (Experiment::Collective(_), _) | (_, SetSplit::UpTo(_)) => split.holds(place.procs, place.size),
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
        let cells = itertools::iproduct!([2, 4, 8], [1, 2, 3, 4, 8]);
        let cells = cells.map(|(n, m)| format!("collective,alltoall,direct,{n},{m},0,0,1.0"));
        let text = std::iter::once(head.to_owned())
            .chain(["pingpong,,,2,2,0,0,1.0".to_owned()])
            .chain(cells)
            .join("\n");
        let mut network = MeasuredNetwork {
            data: Dataset::read("data.csv", text.as_bytes()).unwrap(),
            ..MeasuredNetwork::new("made", SetGroup::Tables)
        };
        let lengths = |network: &MeasuredNetwork| {
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
