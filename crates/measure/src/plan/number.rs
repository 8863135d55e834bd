//! Counts and shares as a plan file writes them.

use serde::{Deserialize, Deserializer};

/// A count from 1 to a million.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "i64")]
pub(super) struct Count(pub u32);

/// A number between 0 and 1.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "f64")]
struct Share(f64);

/// A share, which may be written in per cent.
#[derive(Deserialize, Clone, Copy)]
#[serde(try_from = "NumberOrText")]
pub(super) struct Precision(pub f64);

#[derive(Deserialize)]
#[serde(untagged, expecting = "write a share such as \"2%\" or 0.02")]
enum NumberOrText {
    Number(f64),
    Text(String),
}

/// Reads a [`Count`].
pub(super) fn count<'de, D: Deserializer<'de>>(value: D) -> Result<u32, D::Error> {
    Count::deserialize(value).map(|Count(count)| count)
}

/// Reads a [`Share`].
pub(super) fn share<'de, D: Deserializer<'de>>(value: D) -> Result<f64, D::Error> {
    Share::deserialize(value).map(|Share(share)| share)
}

impl TryFrom<i64> for Count {
    type Error = String;
    fn try_from(value: i64) -> Result<Self, String> {
        match u32::try_from(value) {
            Ok(count @ 1..=1_000_000) => Ok(Self(count)),
            _ => Err(format!(
                "{value} is not possible here; write a number from 1 to 1000000"
            )),
        }
    }
}

impl TryFrom<f64> for Share {
    type Error = String;
    fn try_from(value: f64) -> Result<Self, String> {
        if value > 0.0 && value < 1.0 {
            Ok(Self(value))
        } else {
            Err(format!(
                "{value} is not possible here; write a number between 0 and 1"
            ))
        }
    }
}

impl TryFrom<NumberOrText> for Precision {
    type Error = String;
    fn try_from(written: NumberOrText) -> Result<Self, String> {
        let share = match &written {
            NumberOrText::Number(share) => Some(*share),
            NumberOrText::Text(text) => text
                .trim()
                .strip_suffix('%')
                .and_then(|number| number.trim_end().parse().ok())
                .map(|percent: f64| percent / 100.0),
        };
        share
            .and_then(|share| Share::try_from(share).ok())
            .map(|Share(share)| Self(share))
            .ok_or_else(|| {
                let text = match written {
                    NumberOrText::Number(share) => share.to_string(),
                    NumberOrText::Text(text) => format!("{text:?}"),
                };
                format!("{text} is not a precision; write \"2%\" or 0.02, more than 0 and less than 100%")
            })
    }
}
