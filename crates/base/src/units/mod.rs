//! Quantities as types: the compiler refuses to add a time to a size, and one place reads every
//! text form (`64KiB`, `40Mbit/s`, `100us`).
//!
//! All values inside netsig are in SI units: seconds, bytes, bits per second. Text follows SI too:
//! `kB` is 1000 bytes and `KiB` is 1024.

mod duration;
pub mod list;
pub mod parameter;
pub mod table;
mod three_digits;

pub use duration::{duration, duration_in_words};
pub use three_digits::{EstimatedBytes, SecondsUnit, three_digits};

use std::fmt;
use std::ops::{Div, Mul};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Reason why a text is not a quantity; the message ends with an example of a correct text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not {expected}; write {example}")]
pub struct ParseQuantityError {
    text: String,
    expected: &'static str,
    example: &'static str,
}

/// A duration in seconds. Differences and estimates may be negative.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    PartialOrd,
    Default,
    Serialize,
    Deserialize,
    derive_more::Add,
    derive_more::Sub,
    derive_more::Mul,
)]
#[serde(transparent)]
pub struct Seconds(pub f64);

/// A gap per byte in seconds per byte; its reciprocal is a bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize, derive_more::Display)]
#[display("{} ns/B", three_digits(_0 * 1e9))]
#[serde(transparent)]
pub struct SecondsPerByte(pub f64);

/// A message or buffer size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A link rate in bits per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BitsPerSecond(pub u64);

/// A bandwidth in bytes per second.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct BytesPerSecond(pub f64);

/// A number of processes, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, derive_more::Display)]
#[serde(transparent)]
pub struct Procs(u32);

/// The number of a process within its communicator, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, derive_more::Display)]
pub struct Rank(pub u32);

impl Seconds {
    /// The bare number of seconds.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Bytes {
    /// The size nearest to a number of bytes.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "numbers beyond the range saturate"
    )]
    pub fn rounded(bytes: f64) -> Self {
        Self(bytes.round() as u64)
    }

    /// The size as a factor of a formula.
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }
}

impl BitsPerSecond {
    /// Seconds that one byte of payload takes at this rate, headers not counted.
    pub fn gap_per_byte(self) -> SecondsPerByte {
        SecondsPerByte(8.0 / self.0 as f64)
    }
}

impl Procs {
    /// `count` processes.
    ///
    /// # Errors
    /// If `count` is zero.
    pub fn new(count: u32) -> Result<Self, ParseQuantityError> {
        if count == 0 {
            return Err(quantity_error("0", "a number of processes", "1 or more"));
        }
        Ok(Self(count))
    }

    /// The bare count.
    pub fn get(self) -> u32 {
        self.0
    }

    /// The number of partners of each process, n − 1, as a factor of a formula.
    pub fn partners(self) -> f64 {
        f64::from(self.0 - 1)
    }

    /// ⌊log2 n⌋, exactly.
    pub fn floor_log2(self) -> u32 {
        self.0.ilog2()
    }

    /// ⌈log2 n⌉, exactly: the number of levels of a binomial tree.
    pub fn ceil_log2(self) -> u32 {
        u32::BITS - (self.0 - 1).leading_zeros()
    }

    /// All ranks of a communicator of this size, ascending.
    pub fn ranks(self) -> impl Iterator<Item = Rank> + Clone {
        (0..self.0).map(Rank)
    }
}

impl Rank {
    /// The rank `distance` places further around a ring of `procs`.
    #[must_use]
    pub fn successor(self, distance: u32, procs: Procs) -> Self {
        let sum = u64::from(self.0) + u64::from(distance);
        let wrapped = sum % u64::from(procs.0);
        Self(u32::try_from(wrapped).expect("less than procs"))
    }

    /// The rank `distance` places back around a ring of `procs`.
    #[must_use]
    pub fn predecessor(self, distance: u32, procs: Procs) -> Self {
        self.successor(procs.0 - distance % procs.0, procs)
    }
}

/// The ratio of two durations.
impl Div for Seconds {
    type Output = f64;
    fn div(self, other: Self) -> f64 {
        self.0 / other.0
    }
}

impl Mul<Bytes> for SecondsPerByte {
    type Output = Seconds;
    fn mul(self, size: Bytes) -> Seconds {
        Seconds(self.0 * size.as_f64())
    }
}

/// Three significant digits with the unit that suits: `1.23 ms`.
impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = self.unit();
        write!(f, "{} {}", unit.number(*self), unit.name)
    }
}

/// Units of sizes, the largest first.
const BINARY_UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];

/// The largest binary unit that leaves a whole number: `64 KiB`, `1000 B`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_whole(f, self.0, BINARY_UNITS, "B")
    }
}

/// The largest unit that leaves a whole number: `40 Mbit/s`.
impl fmt::Display for BitsPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1_000_000_000, "Gbit/s"), (1_000_000, "Mbit/s"), (1_000, "kbit/s")];
        write_whole(f, self.0, units, "bit/s")
    }
}

/// Writes `value` in the first of `units` (largest first) that divides it, else in `base`.
fn write_whole(f: &mut fmt::Formatter<'_>, value: u64, units: [(u64, &str); 3], base: &str) -> fmt::Result {
    let fits = |(scale, _): &&(u64, &str)| value > 0 && value.is_multiple_of(*scale);
    let (scale, name) = units.iter().find(fits).copied().unwrap_or((1, base));
    write!(f, "{} {name}", value / scale)
}

fn quantity_error(text: &str, expected: &'static str, example: &'static str) -> ParseQuantityError {
    ParseQuantityError {
        text: text.to_owned(),
        expected,
        example,
    }
}

/// Splits `12.5ms` into its number and the scale of its unit.
fn number_and_scale(text: &str, units: &[(&str, f64)]) -> Option<(f64, f64)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    let unit = text[end..].trim();
    let (_, scale) = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    Some((number, *scale))
}

/// A whole, exactly representable count from a scaled number.
fn whole(number: f64, scale: f64) -> Option<u64> {
    let value = number * scale;
    let exact = value.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&value);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked on the line above"
    )]
    exact.then_some(value as u64)
}

impl std::str::FromStr for Bytes {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const UNITS: [(&str, f64); 10] = [
            ("", 1.0),
            ("B", 1.0),
            ("kB", 1e3),
            ("MB", 1e6),
            ("GB", 1e9),
            ("TB", 1e12),
            ("KiB", 1024.0),
            ("MiB", 1_048_576.0),
            ("GiB", 1_073_741_824.0),
            ("TiB", 1_099_511_627_776.0),
        ];
        if let Ok(bytes) = text.trim().parse() {
            return Ok(Self(bytes));
        }
        number_and_scale(text, &UNITS)
            .and_then(|(number, scale)| whole(number, scale))
            .map(Self)
            .ok_or_else(|| quantity_error(text, "a size in whole bytes", "4096, 4KiB or 4kB"))
    }
}

impl std::str::FromStr for BitsPerSecond {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const UNITS: [(&str, f64); 7] = [
            ("bit/s", 1.0),
            ("kbit/s", 1e3),
            ("Mbit/s", 1e6),
            ("Gbit/s", 1e9),
            ("kbit", 1e3),
            ("Mbit", 1e6),
            ("Gbit", 1e9),
        ];
        number_and_scale(text, &UNITS)
            .and_then(|(number, scale)| whole(number, scale))
            .filter(|&rate| rate > 0)
            .map(Self)
            .ok_or_else(|| quantity_error(text, "a link rate", "40Mbit/s or 1Gbit/s"))
    }
}

impl std::str::FromStr for Seconds {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // The micro sign and the Greek letter look alike.
        const UNITS: [(&str, f64); 6] = [
            ("s", 1.0),
            ("ms", 1e-3),
            ("us", 1e-6),
            ("\u{b5}s", 1e-6),
            ("\u{3bc}s", 1e-6),
            ("ns", 1e-9),
        ];
        number_and_scale(text, &UNITS)
            .map(|(number, scale)| Self(number * scale))
            .filter(|duration| duration.0.is_finite())
            .ok_or_else(|| quantity_error(text, "a duration", "100us, 5ms or 0.2s"))
    }
}

impl std::str::FromStr for Procs {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.trim()
            .parse()
            .ok()
            .and_then(|count| Self::new(count).ok())
            .ok_or_else(|| quantity_error(text, "a number of processes", "a whole number from 1"))
    }
}

impl<'de> Deserialize<'de> for Procs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(u32::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for BitsPerSecond {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

impl Serialize for BitsPerSecond {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads a TOML value written as text, such as a quantity with its unit (`"64KiB"`, `"100us"`),
/// for files that people write: `#[serde(deserialize_with = "units::from_text")]`.
///
/// # Errors
/// If the value is not a string or not of the wanted kind.
pub fn from_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: std::str::FromStr<Err: fmt::Display>,
{
    String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
}

impl From<BytesPerSecond> for BitsPerSecond {
    /// The nearest whole number.
    fn from(rate: BytesPerSecond) -> Self {
        Self(Bytes::rounded(rate.0 * 8.0).0)
    }
}

impl From<BitsPerSecond> for BytesPerSecond {
    fn from(rate: BitsPerSecond) -> Self {
        Self(rate.0 as f64 / 8.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_si_and_iec() {
        for (text, bytes) in [
            ("4096", 4096),
            ("4kB", 4000),
            ("4KiB", 4096),
            ("1.5 MiB", 1_572_864),
            ("9007199254740993", 9_007_199_254_740_993),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)));
        }
        for bad in ["", "-1", "1e3", "0.5", "KiB", "nan", "99999999999GiB"] {
            assert!(bad.parse::<Bytes>().is_err(), "{bad}");
        }
        let refused = "4k".parse::<Bytes>().unwrap_err().to_string();
        let expected = r#""4k" is not a size in whole bytes; write 4096, 4KiB or 4kB"#;
        assert_eq!(refused, expected);
    }

    #[test]
    fn rates_and_durations_have_units() {
        assert_eq!("40Mbit/s".parse(), Ok(BitsPerSecond(40_000_000)));
        assert_eq!("40mbit".parse(), Ok(BitsPerSecond(40_000_000)));
        assert!("0Mbit/s".parse::<BitsPerSecond>().is_err());
        assert_eq!("5ms".parse(), Ok(Seconds(0.005)));
        for text in ["100us", "100 \u{b5}s", "100\u{3bc}s"] {
            assert_eq!(text.parse(), "100us".parse::<Seconds>(), "{text}");
        }
        assert_eq!(Seconds(1e-4).to_string().parse(), "100us".parse::<Seconds>());
        for bad in ["5".to_owned(), "9".repeat(400) + "s"] {
            assert!(bad.parse::<Seconds>().is_err(), "{bad}");
        }
    }

    #[test]
    fn display_picks_the_unit_that_suits() {
        assert_eq!(Seconds(0.001_234).to_string(), "1.23 ms");
        assert_eq!(Seconds(0.25).to_string(), "250 ms");
        assert_eq!(Seconds(0.0).to_string(), "0 s");
        assert_eq!(Seconds(4.57e-5).to_string(), "45.7 µs");
        assert_eq!(SecondsPerByte(4.194_759e-7).to_string(), "419 ns/B");
        let sizes = [1000.0, 1024.0, 1536.0, 65536.0, 263_503.0, 3.2e9].map(EstimatedBytes);
        let shown_sizes = ["1000 B", "1 KiB", "1.50 KiB", "64 KiB", "257 KiB", "2.98 GiB"];
        assert_eq!(sizes.map(|size| size.to_string()), shown_sizes);
        assert_eq!(BitsPerSecond(40_000_000).to_string(), "40 Mbit/s");
        assert_eq!(Bytes(65536).to_string(), "64 KiB");
        assert_eq!(Bytes(1000).to_string(), "1000 B");
        assert_eq!(Bytes(0).to_string(), "0 B");
    }

    #[test]
    fn people_read_three_digits() {
        let values = [
            0.0457,
            7.114,
            9.996,
            83.46,
            999.6,
            3904.4,
            4096.0,
            -0.0076,
            1.5e-7,
            0.0,
            f64::NAN,
        ];
        let shown_values = [
            "0.0457", "7.11", "10.0", "83.5", "1000", "3900", "4096", "-0.00760", "1.50e-7", "0", "NaN",
        ];
        assert_eq!(values.map(three_digits), shown_values);
    }

    #[test]
    fn logarithms_are_exact() {
        let logs = |n| Procs::new(n).map(|p| (p.floor_log2(), p.ceil_log2()));
        let [one, three, eight, most] = [1, 3, 8, u32::MAX].map(logs);
        assert_eq!((one, three), (Ok((0, 0)), Ok((1, 2))));
        assert_eq!((eight, most), (Ok((3, 3)), Ok((31, 32))));
    }
}
