//! Cells that were measured while the processes waited for processors: their times are those of the
//! machine, not of the network.
//!
//! # Method
//! For each repetition of a collective the data state how long the process that waited longest was ready to run and
//! had no processor. A cell is busy if the median share of this wait in the time of a repetition is at least one
//! half.
//!
//! # Rule
//! Busy cells count nowhere: neither in fits nor in judgements, of models or of choices. But if they left an
//! algorithm with no cell, or with a single process count or size where it has several, they count, with a warning.
//!
//! # Domain
//! Data with this count, which Linux keeps for each process (`/proc/PID/schedstat`).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools as _;

use super::cells::CellKey;
use super::{Dataset, Experiment};
use crate::stats::sample::median;
use crate::text::counted;
use crate::text::note::Note;
use crate::units::{Bytes, Procs};

/// Least share of the time of a busy cell in which one process waits for a processor.
const BUSY_SHARE: f64 = 0.5;

/// The busy cells of a dataset, by whether they count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BusyCells {
    /// The cells that count nowhere, ascending.
    pub left_out: Vec<CellKey>,
    /// The cells that count, because too few others of their algorithms remain; ascending.
    pub kept: Vec<CellKey>,
}

impl BusyCells {
    /// The busy cells of `data`.
    pub fn of(data: &Dataset) -> Self {
        let busy: BTreeSet<CellKey> = busy_cells(data).into_iter().collect();
        let mut found = Self::default();
        if busy.is_empty() {
            return found;
        }
        let samples = data.samples.iter().map(|sample| &sample.cell);
        let aggregates = data.aggregates.iter().map(|aggregate| &aggregate.cell);
        let all: BTreeSet<CellKey> = samples.chain(aggregates).map(CellKey::from).collect();
        let by_algorithm = all.into_iter().chunk_by(|key| (key.experiment, key.algorithm.clone()));
        for (_, keys) in &by_algorithm {
            let (of_algorithm, others): (Vec<_>, Vec<_>) = keys.partition(|key| busy.contains(key));
            let place = if suffice(&others, &of_algorithm) {
                &mut found.left_out
            } else {
                &mut found.kept
            };
            place.extend(of_algorithm);
        }
        found
    }

    /// What to know about results without the cells that are left out, and with those that are kept.
    pub fn notes(&self) -> Vec<Note> {
        let left_out = self.left_out.first().map(|first| {
            Note::remark(format!(
                "left out: {}, whose times are the machine's and not the network's; {CURE}",
                described(&self.left_out, first)
            ))
        });
        let kept = self.kept.first().map(|first| {
            Note::warning(format!(
                "the times are the machine's rather than the network's in {}, which count because too few others remain; {CURE}",
                described(&self.kept, first)
            ))
        });
        left_out.into_iter().chain(kept).collect()
    }
}

/// Remedy for busy cells.
const CURE: &str = "take fewer processes a host, or a quieter machine";

/// Number of the cells, and the first.
fn described(cells: &[CellKey], first: &CellKey) -> String {
    let CellKey {
        algorithm, procs, size, ..
    } = first;
    let count = counted(cells.len() as u64, "cell", "cells");
    format!(
        "{count} in which processes waited for processors half of the time (first: {algorithm} among {procs} with {size})"
    )
}

/// True if the cells that are not busy have at least two process counts and two sizes, or as many as all cells.
fn suffice(others: &[CellKey], busy: &[CellKey]) -> bool {
    let procs = |key: &CellKey| key.procs;
    let size = |key: &CellKey| key.size;
    let remain = |of_others: usize, of_all: usize| of_others >= of_all.min(2);
    remain(
        count_of::<Procs>(others.iter(), procs),
        count_of(others.iter().chain(busy), procs),
    ) && remain(
        count_of::<Bytes>(others.iter(), size),
        count_of(others.iter().chain(busy), size),
    )
}

/// Number of different values.
fn count_of<'a, V: Ord>(keys: impl Iterator<Item = &'a CellKey>, value: fn(&CellKey) -> V) -> usize {
    keys.map(value).collect::<BTreeSet<V>>().len()
}

impl Dataset {
    /// The data without the busy cells that count nowhere ([`BusyCells`]).
    pub fn without_busy_cells(&self) -> Cow<'_, Self> {
        let BusyCells { left_out, .. } = BusyCells::of(self);
        if left_out.is_empty() {
            return Cow::Borrowed(self);
        }
        let excluded: BTreeSet<CellKey> = left_out.into_iter().collect();
        Cow::Owned(self.subset(|cell| !excluded.contains(&CellKey::from(cell))))
    }
}

/// All busy cells, ascending, whether they count or not.
pub fn busy_cells(data: &Dataset) -> Vec<CellKey> {
    let mut shares: BTreeMap<CellKey, Vec<f64>> = BTreeMap::new();
    for sample in &data.samples {
        let is_call = matches!(sample.cell.experiment, Experiment::Collective(_));
        let waited = sample.losses.longest_processor_wait_us.filter(|_| is_call);
        if let Some(waited) = waited {
            let share = f64::from(waited) * 1e-6 / sample.time.0;
            let key = CellKey::from(&sample.cell);
            shares.entry(key).or_default().push(share);
        }
    }
    let is_busy = |shares: &Vec<f64>| median(shares.iter().copied()) >= BUSY_SHARE;
    let busy = shares.into_iter().filter(|(_, shares)| is_busy(shares));
    busy.map(|(key, _)| key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_busy_if_a_process_waits_half_of_the_time() {
        let text = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,longest_processor_wait_us\n\
             collective,alltoall,direct,8,1024,0,0,0.001,550\n\
             collective,alltoall,direct,8,1024,1,0,0.001,100\n\
             collective,alltoall,direct,8,1024,2,0,0.001,530\n\
             collective,alltoall,direct,8,2048,0,0,0.001,\n\
             collective,alltoall,direct,8,4096,0,0,0.001,400\n";
        let data = Dataset::read("data.csv", text.as_bytes()).unwrap();
        let sizes: Vec<u64> = busy_cells(&data).iter().map(|key| key.size.0).collect();
        assert_eq!(sizes, [1024]);
        let remaining = data.without_busy_cells();
        assert!(remaining.samples.iter().all(|sample| sample.cell.size.0 > 1024));
        assert_eq!(remaining.samples.len(), 2);
        let notes = BusyCells::of(&data).notes();
        assert!(notes[0].text().contains("1 cell in which"), "{notes:?}");
        assert_eq!(BusyCells::of(&remaining), BusyCells::default());
    }

    /// One process count remains of two, then no cell at all; of one process count nothing more can remain.
    #[test]
    fn busy_cells_count_where_too_few_others_remain() {
        let data = |cells: &[(u32, u64, u32)]| {
            let row = |(procs, size, waited): &(u32, u64, u32)| {
                format!("collective,bcast,binomial,{procs},{size},0,0,0.001,{waited}\n")
            };
            let head =
                "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,longest_processor_wait_us\n";
            let text = head.to_owned() + &cells.iter().map(row).collect::<String>();
            Dataset::read("data.csv", text.as_bytes()).unwrap()
        };
        let counts = |cells: &[(u32, u64, u32)]| {
            let found = BusyCells::of(&data(cells));
            (found.left_out.len(), found.kept.len())
        };
        assert_eq!(counts(&[(4, 1, 0), (4, 2, 0), (8, 1, 900), (8, 2, 900)]), (0, 2));
        assert_eq!(counts(&[(4, 1, 900), (4, 2, 900), (8, 1, 900)]), (0, 3));
        assert_eq!(counts(&[(4, 1, 0), (4, 2, 0), (4, 3, 900)]), (1, 0));
        let all_busy = data(&[(4, 1, 900), (8, 2, 900)]);
        assert_eq!(*all_busy.without_busy_cells(), all_busy);
        let notes = BusyCells::of(&all_busy).notes();
        assert!(matches!(&notes[..], [Note::Warning(_)]), "{notes:?}");
    }
}
