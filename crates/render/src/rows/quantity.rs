//! Quantities in the columns of a table: a column has one unit, which its heading states.

use netsig_base::units::{Bytes, Seconds, SecondsUnit};

/// The quantity of a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum CellQuantity {
    /// A text or a number, which people read as it stands.
    #[default]
    Other,
    /// A time.
    Time(Seconds),
    /// A size.
    Size(Bytes),
}

/// The unit of all cells of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ColumnUnit {
    /// A unit of times.
    Time(SecondsUnit),
    /// 1024 bytes.
    Kibibytes,
}

/// A size of so many KiB, or a greater one, has its unit in its cell.
const MOST_KIBIBYTES: u64 = 10_000;

/// Ends of keys that state the unit of the values, with the unit that people read if the cells have none.
const KEY_UNITS: [(&str, Option<&str>); 5] = [
    ("_mbit_per_s", Some("Mbit/s")),
    ("_bytes_per_s", None),
    ("_s_per_byte", None),
    ("_bytes", None),
    ("_s", None),
];

/// The name of a column, which is its key in words, and the unit that its cells lack according to the key.
pub fn name_and_unit(key: &str) -> (String, Option<&'static str>) {
    let mut ends = KEY_UNITS.iter();
    let found = ends.find_map(|(end, unit)| Some((key.strip_suffix(end)?, *unit)));
    let (name, unit) = found.unwrap_or((key, None));
    (name.replace('_', " "), unit)
}

impl ColumnUnit {
    /// The unit of a column with these quantities: of times, the unit of an earlier column if it suits, else that of the
    /// median; of sizes, KiB if they are whole numbers of it. `None` if the cells need units of their own.
    pub fn of(quantities: &[CellQuantity], earlier: Option<SecondsUnit>) -> Option<Self> {
        let of_all =
            |of_one: fn(&CellQuantity) -> Option<f64>| quantities.iter().map(of_one).collect::<Option<Vec<f64>>>();
        let are_kibibytes = || quantities.iter().all(|quantity| quantity.kibibytes().is_some());
        match of_all(CellQuantity::seconds) {
            _ if quantities.is_empty() => None,
            Some(times) => {
                let middle = median(times);
                let suitable = earlier.filter(|unit| unit.suits(middle));
                Some(Self::Time(suitable.unwrap_or_else(|| middle.unit())))
            }
            None => are_kibibytes().then_some(Self::Kibibytes),
        }
    }

    /// The unit, if it is one of times.
    pub fn time(self) -> Option<SecondsUnit> {
        match self {
            Self::Time(unit) => Some(unit),
            Self::Kibibytes => None,
        }
    }

    /// The symbol of the unit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time(unit) => unit.name,
            Self::Kibibytes => "KiB",
        }
    }

    /// The number of a quantity in this unit, if it has this unit.
    pub fn number(self, quantity: CellQuantity) -> Option<String> {
        match (self, quantity) {
            (Self::Time(unit), CellQuantity::Time(time)) => Some(unit.number(time)),
            (Self::Kibibytes, size) => size.kibibytes().map(|number| number.to_string()),
            (Self::Time(_), _) => None,
        }
    }
}

impl CellQuantity {
    fn seconds(&self) -> Option<f64> {
        match self {
            Self::Time(time) => Some(time.0),
            _ => None,
        }
    }

    /// The size as a whole number of KiB, if it is one and not too long to read.
    fn kibibytes(&self) -> Option<u64> {
        match self {
            Self::Size(size) => {
                (size.0.is_multiple_of(1024) && size.0 / 1024 < MOST_KIBIBYTES).then_some(size.0 / 1024)
            }
            _ => None,
        }
    }
}

/// The median of the magnitudes that are not 0, between two the geometric mean; or 0.
fn median(times: Vec<f64>) -> Seconds {
    let mut magnitudes: Vec<f64> = times.into_iter().map(f64::abs).filter(|time| *time > 0.0).collect();
    magnitudes.sort_by(f64::total_cmp);
    let lower = magnitudes.get(magnitudes.len().saturating_sub(1) / 2);
    let upper = magnitudes.get(magnitudes.len() / 2);
    Seconds(lower.zip(upper).map_or(0.0, |(lower, upper)| (lower * upper).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(key: &str, quantities: &[CellQuantity]) -> (String, Vec<Option<String>>) {
        let unit = ColumnUnit::of(quantities, None);
        let numbers = quantities.iter().map(|quantity| unit?.number(*quantity));
        let (name, unit_of_key) = name_and_unit(key);
        let unit_name = unit.map(ColumnUnit::name).or(unit_of_key);
        (format!("{name} {}", unit_name.unwrap_or("-")), numbers.collect())
    }

    #[test]
    fn times_have_the_unit_of_the_median() {
        let times = [4.57e-5, 0.0, 7.11e-3, 8.35e-2, 3.9].map(|time| CellQuantity::Time(Seconds(time)));
        let (heading, numbers) = shown("time_s", &times);
        assert_eq!(heading, "time ms");
        let numbers: Vec<String> = numbers.into_iter().flatten().collect();
        assert_eq!(numbers, ["0.0457", "0", "7.11", "83.5", "3900"]);
    }

    #[test]
    fn columns_share_a_unit_that_suits() {
        let milliseconds = Some(Seconds(0.001).unit());
        for (time, unit) in [(0.000_95, "ms"), (0.000_002, "µs"), (4.0, "ms"), (40.0, "s")] {
            let found = ColumnUnit::of(&[CellQuantity::Time(Seconds(time))], milliseconds);
            assert_eq!(found.map(ColumnUnit::name), Some(unit), "{time}");
        }
    }

    #[test]
    fn sizes_are_in_kib_if_all_are_whole_and_short() {
        let sizes = |sizes: [u64; 2]| sizes.map(|size| CellQuantity::Size(Bytes(size)));
        let whole = shown("size_bytes", &sizes([1024, 9999 << 10]));
        assert_eq!(
            whole,
            (
                "size KiB".to_owned(),
                vec![Some("1".to_owned()), Some("9999".to_owned())]
            )
        );
        for mixed in [[1, 1 << 20], [1024, 10_000 << 10]] {
            assert_eq!(
                shown("size_bytes", &sizes(mixed)),
                ("size -".to_owned(), vec![None, None])
            );
        }
    }

    #[test]
    fn mixed_quantities_keep_their_units() {
        let mixed = [CellQuantity::Time(Seconds(1.0)), CellQuantity::Size(Bytes(1024))];
        assert_eq!(shown("value", &mixed), ("value -".to_owned(), vec![None, None]));
        assert_eq!(shown("beta_s_per_byte", &[]), ("beta -".to_owned(), vec![]));
        assert_eq!(shown("bandwidth_mbit_per_s", &[]).0, "bandwidth Mbit/s");
        assert_eq!(shown("library_calls", &[]).0, "library calls -");
    }
}
