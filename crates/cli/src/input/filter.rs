//! Conditions on cells: `procs<=16`, `procs<16,size>=1KiB`.

use std::str::FromStr;

use netsig_core::units::{Bytes, Procs};

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
        text.split(',')
            .map(condition)
            .collect::<Result<_, _>>()
            .map(Self)
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
