//! Reads the counts and shares of a plan file.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(untagged, expecting = "write a share such as \"2%\" or 0.02")]
enum NumberOrText {
    Number(f64),
    Text(String),
}

/// Reads a count from 1 to a million.
pub(super) fn count<'de, D: Deserializer<'de>>(value: D) -> Result<u32, D::Error> {
    at_least(1, value)
}

/// Reads a count from 0 to a million.
pub(super) fn count_or_none<'de, D: Deserializer<'de>>(value: D) -> Result<u32, D::Error> {
    at_least(0, value)
}

fn at_least<'de, D: Deserializer<'de>>(least: u32, value: D) -> Result<u32, D::Error> {
    let value = i64::deserialize(value)?;
    let converted = u32::try_from(value).ok();
    let count = converted.filter(|count| (least..=1_000_000).contains(count));
    count.ok_or_else(|| {
        D::Error::custom(format!(
            "{value} is not possible here; write a number from {least} to 1000000"
        ))
    })
}

/// Reads a number between 0 and 1.
pub(super) fn share<'de, D: Deserializer<'de>>(value: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(value)?;
    if is_share(value) {
        return Ok(value);
    }
    let problem = format!("{value} is not possible here; write a number between 0 and 1");
    Err(D::Error::custom(problem))
}

/// Reads a share, as a number or as a text in per cent.
pub(super) fn precision<'de, D: Deserializer<'de>>(value: D) -> Result<Option<f64>, D::Error> {
    let (share, written) = match NumberOrText::deserialize(value)? {
        NumberOrText::Number(share) => (Some(share), share.to_string()),
        NumberOrText::Text(text) => {
            let number = text.trim().strip_suffix('%');
            let percent = number.and_then(|number| number.trim_end().parse::<f64>().ok());
            (percent.map(|percent| percent / 100.0), format!("{text:?}"))
        }
    };
    let valid_share = share.filter(|share| is_share(*share));
    valid_share.map(Some).ok_or_else(|| {
        D::Error::custom(format!(
            "{written} is not a precision; write \"2%\" or 0.02, more than 0 and less than 100%"
        ))
    })
}

fn is_share(value: f64) -> bool {
    value > 0.0 && value < 1.0
}
