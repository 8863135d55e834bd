//! Conditions on cells: `procs<=16`, `procs<16,size>=1KiB`.

use std::str::FromStr;

use netsig_core::units::{Bytes, Procs};

/// Conditions that must all hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter(Vec<Condition>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Condition {
    field: Field,
    comparison: Comparison,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Procs(u64),
    Size(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    AtMost,
    AtLeast,
    NotEqual,
    Below,
    Above,
    Equal,
}

/// The signs, those of two characters before those that they begin with.
const SIGNS: [(&str, Comparison); 7] = [
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("!=", Comparison::NotEqual),
    ("==", Comparison::Equal),
    ("<", Comparison::Below),
    (">", Comparison::Above),
    ("=", Comparison::Equal),
];

impl Filter {
    /// Whether all conditions hold for a cell.
    pub fn takes_in(&self, procs: Procs, size: Bytes) -> bool {
        self.0.iter().all(|condition| {
            let (value, limit) = match condition.field {
                Field::Procs(limit) => (u64::from(procs.get()), limit),
                Field::Size(limit) => (size.0, limit),
            };
            match condition.comparison {
                Comparison::AtMost => value <= limit,
                Comparison::AtLeast => value >= limit,
                Comparison::NotEqual => value != limit,
                Comparison::Below => value < limit,
                Comparison::Above => value > limit,
                Comparison::Equal => value == limit,
            }
        })
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
    let split = |(sign, comparison): &(&str, Comparison)| {
        let (name, value) = text.split_once(sign)?;
        Some((name.trim(), value.trim(), *comparison))
    };
    let (name, value, comparison) = SIGNS.iter().find_map(split).ok_or_else(wrong)?;
    let field = match name {
        "procs" => Field::Procs(
            value
                .parse::<Procs>()
                .map_err(|e| e.to_string())?
                .get()
                .into(),
        ),
        "size" | "size_bytes" => Field::Size(value.parse::<Bytes>().map_err(|e| e.to_string())?.0),
        _ => return Err(wrong()),
    };
    Ok(Condition { field, comparison })
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

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in ["", "procs", "procs<", "ranks<4", "size<4k", "procs<0"] {
            assert!(text.parse::<Filter>().is_err(), "{text}");
        }
    }
}
