//! Split of data into cells for fitting models and cells for judging them, by conditions such as `procs<=16` or
//! `procs<16,size>=1KiB`.

use std::collections::BTreeSet;
use std::str::FromStr;

use netsig_base::data::cells::{CellKey, summarise};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};

/// Conditions that must all hold.
#[derive(Debug, Clone)]
pub struct CellFilter(Vec<FilterCondition>);

/// A comparison of a value with a limit.
type LimitComparison = fn(&u64, &u64) -> bool;

/// A field of a cell compared with a limit.
#[derive(Debug, Clone)]
struct FilterCondition {
    field: fn(Procs, Bytes) -> u64,
    holds: LimitComparison,
    limit: u64,
}

/// The operators; longer ones precede their prefixes.
const OPERATORS: [(&str, LimitComparison); 7] = [
    ("<=", u64::le),
    (">=", u64::ge),
    ("!=", u64::ne),
    ("==", u64::eq),
    ("<", u64::lt),
    (">", u64::gt),
    ("=", u64::eq),
];

impl CellFilter {
    /// True if all conditions hold for a cell.
    pub fn accepts(&self, procs: Procs, size: Bytes) -> bool {
        let mut all = self.0.iter();
        all.all(|condition| (condition.holds)(&(condition.field)(procs, size), &condition.limit))
    }
}

impl FromStr for CellFilter {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.split(',').map(parse_condition).collect::<Result<_, _>>().map(Self)
    }
}

fn parse_condition(text: &str) -> Result<FilterCondition, String> {
    let wrong = || format!("{text:?} is not a condition; write procs<=16 or size>=1KiB");
    let split = |(sign, holds): &(&str, LimitComparison)| {
        let (name, value) = text.split_once(sign)?;
        Some((name.trim(), value.trim(), *holds))
    };
    let (name, value, holds) = OPERATORS.iter().find_map(split).ok_or_else(wrong)?;
    let procs = |procs: Procs, _| u64::from(procs.get());
    let size = |_, size: Bytes| size.0;
    let (field, limit): (fn(Procs, Bytes) -> u64, _) = match name {
        "procs" => (procs, value.parse::<Procs>().map(|n| n.get().into())),
        "size" | "size_bytes" => (size, value.parse::<Bytes>().map(|size| size.0)),
        _ => return Err(wrong()),
    };
    Ok(FilterCondition {
        field,
        holds,
        limit: limit.map_err(|error| error.to_string())?,
    })
}

/// The two parts of a dataset.
#[derive(Debug, Clone, Copy)]
pub struct DataSplit<'a> {
    filter: Option<&'a CellFilter>,
    /// Largest process count.
    pub largest: Procs,
    /// Number of cells that models are fitted to.
    pub training_count: usize,
    /// Number of cells that judge them.
    pub judging_count: usize,
}

impl<'a> DataSplit<'a> {
    /// Splits data by a filter; without one, the cells of the largest process count judge. `name` is the name of
    /// the data in errors.
    ///
    /// # Errors
    /// If the data hold no collective, or a part is empty.
    pub fn of(data: &Dataset, name: &str, filter: Option<&'a CellFilter>) -> Result<Self, Refusal> {
        let cells = cells(data);
        let Some(&(largest, _)) = cells.last() else {
            return Err(Refusal::data("holds no collective; measure one").about(name));
        };
        let mut split = Self {
            filter,
            largest,
            training_count: 0,
            judging_count: 0,
        };
        let train = cells.iter().filter(|(procs, size)| split.is_training(*procs, *size));
        split.training_count = train.count();
        split.judging_count = cells.len() - split.training_count;
        if split.training_count == 0 || split.judging_count == 0 {
            let empty = if split.training_count == 0 {
                "fit to"
            } else {
                "judge on"
            };
            return Err(Refusal::data(format!(
                "leaves no cell to {empty}; measure more process counts or choose another --train"
            ))
            .about(name));
        }
        Ok(split)
    }

    /// True for a cell that models are fitted to.
    pub fn is_training(&self, procs: Procs, size: Bytes) -> bool {
        match self.filter {
            Some(filter) => filter.accepts(procs, size),
            None => procs < self.largest,
        }
    }
}

/// The process counts and sizes of collectives in cells that count, each combination once.
fn cells(data: &Dataset) -> BTreeSet<(Procs, Bytes)> {
    let is_collective = |key: &CellKey| matches!(key.experiment, Experiment::Collective(_));
    let keys = summarise(&data.without_busy_cells()).into_keys().filter(is_collective);
    keys.map(|key| (key.procs, key.size)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(text: &str, procs: u32, size: u64) -> bool {
        let filter: CellFilter = text.parse().unwrap();
        filter.accepts(Procs::new(procs).unwrap(), Bytes(size))
    }

    #[test]
    fn all_conditions_must_hold() {
        assert!(accepts("procs<=16", 16, 1) && !accepts("procs<16", 16, 1));
        assert!(accepts("procs > 4, size>=1KiB", 8, 1024));
        assert!(!accepts("procs > 4, size>=1KiB", 8, 1023));
        assert!(accepts("procs!=8", 4, 1) && !accepts("procs==8", 4, 1));
    }
}
