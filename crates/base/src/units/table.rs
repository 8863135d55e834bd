//! A quantity for every size, from a table of measured values.
//!
//! # Domain
//! A size in the table has its value. Between two sizes the value is interpolated linearly; beyond
//! the last size the line through the last two goes on, but never below 0; below the first size
//! the first value holds.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::parameter::{ParameterError, non_negative};
use super::{Bytes, Seconds, SecondsPerByte};

/// A time for every size, from a table. Never empty; sizes ascend; values are at least 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredRows<Seconds>", into = "StoredRows<Seconds>")]
pub struct SizeTable {
    rows: Vec<(Bytes, Seconds)>,
    /// For d = 0 … 65, the number of sizes with fewer than d binary digits: limits of a search.
    shorter: Vec<usize>,
}

impl SizeTable {
    /// A table of (size, value) rows; `name` is the table's name in errors.
    ///
    /// # Errors
    /// If there is no row, a size is not greater than the one before it, or a value is
    /// negative or not finite.
    pub fn new(name: &'static str, rows: Vec<(Bytes, Seconds)>) -> Result<Self, ParameterError> {
        if rows.is_empty() {
            return Err(ParameterError::new(name, "[]", "a table of at least one size"));
        }
        for &(_, value) in &rows {
            non_negative(name, value.0)?;
        }
        if let Some(pair) = rows.windows(2).find(|pair| pair[1].0 <= pair[0].0) {
            let value = format!("[… {} B, {} B …]", pair[0].0.0, pair[1].0.0);
            return Err(ParameterError::new(
                name,
                value,
                "a table of ascending sizes, each once",
            ));
        }
        Ok(Self::of(rows))
    }

    /// The table of the line `at_zero` + `slope`·m.
    pub fn line(at_zero: Seconds, slope: SecondsPerByte) -> Self {
        const FAR: Bytes = Bytes(1 << 30);
        Self::of(vec![(Bytes(0), at_zero), (FAR, at_zero + slope * FAR)])
    }

    fn of(rows: Vec<(Bytes, Seconds)>) -> Self {
        let shorter = |digits| rows.partition_point(|&(known, _)| binary_digits(known) < digits);
        Self {
            shorter: (0..66).map(shorter).collect(),
            rows,
        }
    }

    /// The value for `size`.
    pub fn at(&self, size: Bytes) -> Seconds {
        let rows = &self.rows;
        let digits = binary_digits(size);
        let (least, most) = (self.shorter[digits], self.shorter[digits + 1]);
        let next = least + rows[least..most].partition_point(|&(known, _)| known < size);
        if next < rows.len() && rows[next].0 == size || next == 0 {
            return rows[next].1;
        }
        if rows.len() == 1 {
            return rows[0].1;
        }
        let (low, high) = (rows[next.min(rows.len() - 1) - 1], rows[next.min(rows.len() - 1)]);
        let share = distance(low.0, size) / distance(low.0, high.0);
        Seconds((low.1.0 + (high.1.0 - low.1.0) * share).max(0.0))
    }

    /// Σ of the values for `step`, 2·`step` … `count`·`step`, which must be sizes. Between two rows
    /// the values are an arithmetic series, so the sum takes one step per row rather than one per
    /// value.
    pub fn sum_of_multiples(&self, step: Bytes, count: u32) -> Seconds {
        let count = u64::from(count);
        let at = |multiple: u64| self.at(Bytes(multiple * step.0)).0;
        let series = |first: u64, last: u64| {
            let terms = (last + 1 - first) as f64;
            f64::midpoint(at(first), at(last)) * terms
        };
        let mut total = 0.0;
        let mut done = 0;
        for &(size, _) in &self.rows {
            let within = size.0.checked_div(step.0).unwrap_or(count).min(count);
            if within > done {
                total += series(done + 1, within);
                done = within;
            }
        }
        // Beyond the last row a falling line ends at zero.
        let (mut positive, mut rest) = (done, count);
        while positive < rest {
            let middle = positive.midpoint(rest) + 1;
            if at(middle) > 0.0 {
                positive = middle;
            } else {
                rest = middle - 1;
            }
        }
        if positive > done {
            total += series(done + 1, positive);
        }
        Seconds(total)
    }

    /// True if `size` lies beyond the last row, where the value is extrapolated.
    pub fn is_extrapolated(&self, size: Bytes) -> bool {
        self.rows.last().is_some_and(|&(last, _)| size > last)
    }

    /// The rows.
    pub fn rows(&self) -> &[(Bytes, Seconds)] {
        &self.rows
    }
}

impl TryFrom<StoredRows<Seconds>> for SizeTable {
    type Error = ParameterError;
    fn try_from(rows: StoredRows<Seconds>) -> Result<Self, ParameterError> {
        Self::new("the table", rows.into())
    }
}

impl From<SizeTable> for StoredRows<Seconds> {
    fn from(table: SizeTable) -> Self {
        table.rows.into_iter().collect()
    }
}

/// Sizes with one value each, as stored in files: `[[0, 1e-5], [1024, 2e-5]]`.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct StoredRows<T>(Vec<StoredRow<T>>);

#[derive(Serialize)]
struct StoredRow<T>(Bytes, T);

impl<T> From<StoredRows<T>> for Vec<(Bytes, T)> {
    fn from(rows: StoredRows<T>) -> Self {
        let row = |StoredRow(size, value)| (size, value);
        rows.0.into_iter().map(row).collect()
    }
}

impl<T> FromIterator<(Bytes, T)> for StoredRows<T> {
    fn from_iter<I: IntoIterator<Item = (Bytes, T)>>(rows: I) -> Self {
        let row = |(size, value)| StoredRow(size, value);
        Self(rows.into_iter().map(row).collect())
    }
}

/// Rows as a field of a struct: `#[serde(with = "rows")]`.
pub mod rows {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Bytes, StoredRows};

    /// Writes rows as pairs of size and value.
    ///
    /// # Errors
    /// The errors of the serializer.
    pub fn serialize<S: Serializer, T: Serialize + Copy>(rows: &[(Bytes, T)], to: S) -> Result<S::Ok, S::Error> {
        rows.iter().copied().collect::<StoredRows<T>>().serialize(to)
    }

    /// Reads rows, pairs of size and value.
    ///
    /// # Errors
    /// If a row does not have two elements.
    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<(Bytes, T)>, D::Error> {
        StoredRows::deserialize(from).map(Vec::from)
    }
}

/// Derived code would ignore superfluous elements of a row.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for StoredRow<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(StoredRowVisitor(PhantomData))
    }
}

struct StoredRowVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for StoredRowVisitor<T> {
    type Value = StoredRow<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a row [bytes, number]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> Result<StoredRow<T>, A::Error> {
        let short = |length| de::Error::invalid_length(length, &self);
        let size = row.next_element()?.ok_or_else(|| short(0))?;
        let value = row.next_element()?.ok_or_else(|| short(1))?;
        match row.next_element::<IgnoredAny>()? {
            None => Ok(StoredRow(size, value)),
            Some(_) => Err(short(3)),
        }
    }
}

fn binary_digits(size: Bytes) -> usize {
    (u64::BITS - size.0.leading_zeros()) as usize
}

/// `large` − `small` in bytes: exact before rounding, so that neighbours beyond 2^53 remain
/// distinct.
pub(crate) fn distance(small: Bytes, large: Bytes) -> f64 {
    (large.0 - small.0) as f64
}

#[cfg(test)]
mod tests {
    use itertools::Itertools;

    use super::*;

    fn table(rows: &[(u64, f64)]) -> Result<SizeTable, ParameterError> {
        let rows = rows.iter().map(|&(m, t)| (Bytes(m), Seconds(t)));
        SizeTable::new("g", rows.collect())
    }

    /// Any table is held against its rows in `models_hold/times.rs`.
    #[test]
    fn tables_interpolate_clamp_and_extrapolate() {
        let g = table(&[(16, 2.0), (32, 4.0), (64, 5.0)]).unwrap();
        let values = [0, 16, 24, 32, 48, 64, 128].map(|m| g.at(Bytes(m)));
        assert_eq!(values, [2.0, 2.0, 3.0, 4.0, 4.5, 5.0, 7.0].map(Seconds));
        assert!(g.is_extrapolated(Bytes(65)) && !g.is_extrapolated(Bytes(64)));
        let none = table(&[]).unwrap_err().to_string();
        assert!(none.ends_with("a table of at least one size"), "{none}");
    }

    #[test]
    fn a_sum_of_multiples_is_the_sum_of_the_values() {
        let tables = [
            &[(16, 2.0), (32, 4.0), (33, 9.0), (64, 5.0)][..],
            &[(0, 7.0), (100, 1.0)],
            &[(50, 3.0)],
        ];
        let counted = [(0, 4), (1, 1), (1, 300), (7, 40), (16, 3), (500, 9)];
        for (rows, (step, count)) in tables.into_iter().cartesian_product(counted) {
            let g = table(rows).unwrap();
            let one_by_one: f64 = (1..=count).map(|j| g.at(Bytes(u64::from(j) * step)).0).sum();
            let sum = g.sum_of_multiples(Bytes(step), count).0;
            assert!((sum - one_by_one).abs() < 1e-9, "{rows:?} {step} {count}: {sum}");
        }
    }
}
