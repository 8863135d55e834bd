//! The LIST notation of plans and options: `8,16,32`, `8..64` (doubling), `8..64+8`
//! (steps of 8); parts may be joined by commas. Sizes may carry units.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::units::{Bytes, ParseQuantityError, Procs};

/// Largest length of a list.
const MOST: usize = 10_000;

/// An ascending list without duplicates, never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct QuantityList<T>(Vec<T>);

/// Item of a list: a quantity with a text form and a numeric value, which ranges double or
/// increase.
pub trait ListItem: FromStr<Err = ParseQuantityError> + std::marker::Copy + Ord {
    /// Numeric value.
    fn number(self) -> u64;
    /// Item with a numeric value, if the value is in range.
    fn of(number: u64) -> Option<Self>;
}

impl ListItem for Bytes {
    fn number(self) -> u64 {
        self.0
    }
    fn of(number: u64) -> Option<Self> {
        Some(Self(number))
    }
}

impl ListItem for Procs {
    fn number(self) -> u64 {
        u64::from(self.get())
    }
    fn of(number: u64) -> Option<Self> {
        Self::new(u32::try_from(number).ok()?).ok()
    }
}

/// Reason why a text is not a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseListError {
    /// One item is not a quantity.
    #[error(transparent)]
    Item(#[from] ParseQuantityError),
    /// A range runs backwards, cannot double, or has no step.
    #[error("{0:?} is not a range; write 8..64 to double from 8 to 64, or 8..64+8 for steps of 8")]
    Range(String),
    /// A range has too many values.
    #[error("{0:?} has more than {MOST} values; give a greater step, or a smaller end")]
    Long(String),
    /// The list is empty.
    #[error("the list is empty; write one or more values, such as 8,16,32 or 8..64")]
    Empty,
}

impl<T: ListItem> QuantityList<T> {
    /// A list of the given items, put in order.
    ///
    /// # Errors
    /// If there are no items.
    pub fn new(mut items: Vec<T>) -> Result<Self, ParseListError> {
        items.sort_unstable();
        items.dedup();
        if items.is_empty() {
            Err(ParseListError::Empty)
        } else {
            Ok(Self(items))
        }
    }

    /// The items, ascending.
    pub fn items(&self) -> &[T] {
        &self.0
    }

    /// The largest item.
    pub fn largest(&self) -> T {
        *self.0.last().expect("a list is never empty")
    }
}

impl<T: ListItem> FromStr for QuantityList<T> {
    type Err = ParseListError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut items = Vec::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            match part.split_once("..") {
                None => items.push(part.parse()?),
                Some((start, rest)) => items.extend(range::<T>(part, start, rest)?),
            }
        }
        Self::new(items)
    }
}

fn range<T: ListItem>(part: &str, start: &str, rest: &str) -> Result<Vec<T>, ParseListError> {
    let wrong = || ParseListError::Range(part.trim().to_owned());
    let (end, step) = match rest.split_once('+') {
        Some((end, step)) => (end, Some(step.parse::<T>()?.number())),
        None => (rest, None),
    };
    let (start, end) = (start.parse::<T>()?.number(), end.parse::<T>()?.number());
    if start > end || step == Some(0) || (step.is_none() && start == 0) {
        return Err(wrong());
    }
    let next = |&value: &u64| match step {
        Some(step) => value.checked_add(step),
        None => value.checked_mul(2),
    };
    let values: Vec<u64> = std::iter::successors(Some(start), next)
        .take_while(|&value| value <= end)
        .take(MOST + 1)
        .collect();
    if values.len() > MOST {
        return Err(ParseListError::Long(part.trim().to_owned()));
    }
    values.into_iter().map(T::of).collect::<Option<_>>().ok_or_else(wrong)
}

/// A list in TOML: the text form, one number, or an array of numbers and texts.
impl<'de, T: ListItem> Deserialize<'de> for QuantityList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: ListItem> de::Visitor<'de> for ListVisitor<T> {
    type Value = QuantityList<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list such as \"8..64\" or [8, 16, 32]")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<QuantityList<T>, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<QuantityList<T>, E> {
        number.to_string().parse().map_err(E::custom)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<QuantityList<T>, A::Error> {
        let mut items = Vec::new();
        while let Some(QuantityList(mut part)) = seq.next_element::<QuantityList<T>>()? {
            items.append(&mut part);
        }
        QuantityList::new(items).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Vec<u64> {
        let list: QuantityList<Bytes> = text.parse().unwrap();
        list.items().iter().map(|size| size.0).collect()
    }

    #[test]
    fn the_three_forms() {
        assert_eq!(sizes("8,16,32"), [8, 16, 32]);
        assert_eq!(sizes("8..64"), [8, 16, 32, 64]);
        assert_eq!(sizes("8..64+16"), [8, 24, 40, 56]);
        assert_eq!(sizes("1KiB..3KiB"), [1024, 2048]);
        assert_eq!(sizes("5, 1..4, 2"), [1, 2, 4, 5]);
    }

    #[test]
    fn what_is_not_a_list() {
        for bad in ["", ",", "8..", "64..8", "0..8", "1..8+0", "8..64+", "0..100000000+1"] {
            assert!(bad.parse::<QuantityList<Bytes>>().is_err(), "{bad}");
        }
        let long = "1..1000000000+1".parse::<QuantityList<Bytes>>();
        assert_eq!(long, Err(ParseListError::Long("1..1000000000+1".to_owned())));
        for bad in ["0", "1..8589934592"] {
            assert!(bad.parse::<QuantityList<Procs>>().is_err(), "{bad}");
        }
    }
}
