//! Split of data into the cells that models are fitted to and those that judge them, by conditions such
//! as `procs<=16` or `procs<16,size>=1KiB`.

use std::collections::BTreeSet;
use std::str::FromStr;

use netsig_base::data::cells::{CellKey, summarise};
use netsig_base::data::{Dataset, Experiment};
use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, Procs};

/// Conditions that must all hold.
#[derive(Debug, Clone)]
pub struct Filter(Vec<Condition>);

/// A comparison of a value with a limit.
type Comparison = fn(&u64, &u64) -> bool;

/// A field of a cell compared with a limit.
#[derive(Debug, Clone)]
struct Condition {
    field: fn(Procs, Bytes) -> u64,
    holds: Comparison,
    limit: u64,
}

/// The operators; longer ones precede their prefixes.
const SIGNS: [(&str, Comparison); 7] = [
    ("<=", u64::le),
    (">=", u64::ge),
    ("!=", u64::ne),
    ("==", u64::eq),
    ("<", u64::lt),
    (">", u64::gt),
    ("=", u64::eq),
];

impl Filter {
    /// True if all conditions hold for a cell.
    pub fn takes_in(&self, procs: Procs, size: Bytes) -> bool {
        let mut all = self.0.iter();
        all.all(|own| (own.holds)(&(own.field)(procs, size), &own.limit))
    }
}

impl FromStr for Filter {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        text.split(',').map(condition).collect::<Result<_, _>>().map(Self)
    }
}

fn condition(text: &str) -> Result<Condition, String> {
    let wrong = || format!("{text:?} is not a condition; write procs<=16 or size>=1KiB");
    let split = |(sign, holds): &(&str, Comparison)| {
        let (name, value) = text.split_once(sign)?;
        Some((name.trim(), value.trim(), *holds))
    };
    let (name, value, holds) = SIGNS.iter().find_map(split).ok_or_else(wrong)?;
    let procs = |procs: Procs, _| u64::from(procs.get());
    let size = |_, size: Bytes| size.0;
    let (field, limit): (fn(Procs, Bytes) -> u64, _) = match name {
        "procs" => (procs, value.parse::<Procs>().map(|n| n.get().into())),
        "size" | "size_bytes" => (size, value.parse::<Bytes>().map(|size| size.0)),
        _ => return Err(wrong()),
    };
    Ok(Condition {
        field,
        holds,
        limit: limit.map_err(|error| error.to_string())?,
    })
}

/// The two parts of a dataset.
#[derive(Debug, Clone, Copy)]
pub struct Split<'a> {
    filter: Option<&'a Filter>,
    /// Largest process count.
    pub largest: Procs,
    /// Number of cells that models are fitted to.
    pub train: usize,
    /// Number of cells that judge them.
    pub rest: usize,
}

impl<'a> Split<'a> {
    /// Splits data by a filter; without one all but the largest process count is fitted to. `name` is
    /// the name of the data in errors.
    ///
    /// # Errors
    /// If the data hold no collective, or a part is empty.
    pub fn of(data: &Dataset, name: &str, filter: Option<&'a Filter>) -> Result<Self, Refusal> {
        let cells = cells(data);
        let Some(&(largest, _)) = cells.last() else {
            return Err(Refusal::data("holds no collective; measure one").about(name));
        };
        let mut split = Self {
            filter,
            largest,
            train: 0,
            rest: 0,
        };
        let train = cells.iter().filter(|(procs, size)| split.trains(*procs, *size));
        split.train = train.count();
        split.rest = cells.len() - split.train;
        if split.train == 0 || split.rest == 0 {
            let empty = if split.train == 0 { "fit to" } else { "judge on" };
            return Err(Refusal::data(format!(
                "leaves no cell to {empty}; measure more process counts or choose another --train"
            ))
            .about(name));
        }
        Ok(split)
    }

    /// True for a cell that models are fitted to.
    pub fn trains(&self, procs: Procs, size: Bytes) -> bool {
        match self.filter {
            Some(filter) => filter.takes_in(procs, size),
            None => procs < self.largest,
        }
    }
}

/// The process counts and sizes of collectives, each combination once.
fn cells(data: &Dataset) -> BTreeSet<(Procs, Bytes)> {
    let is_collective = |key: &CellKey| matches!(key.experiment, Experiment::Collective(_));
    let keys = summarise(data).into_keys().filter(is_collective);
    keys.map(|key| (key.procs, key.size)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes_in(text: &str, procs: u32, size: u64) -> bool {
        let filter: Filter = text.parse().unwrap();
        filter.takes_in(Procs::new(procs).unwrap(), Bytes(size))
    }

    #[test]
    fn all_conditions_must_hold() {
        assert!(takes_in("procs<=16", 16, 1) && !takes_in("procs<16", 16, 1));
        assert!(takes_in("procs > 4, size>=1KiB", 8, 1024));
        assert!(!takes_in("procs > 4, size>=1KiB", 8, 1023));
        assert!(takes_in("procs!=8", 4, 1) && !takes_in("procs==8", 4, 1));
    }
}
