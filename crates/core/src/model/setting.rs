//! Values of parameters as users set them, with units.

use crate::text::refusal::Refusal;
use crate::units::{Bytes, duration};

/// Parses `NAME=VALUE`, with the units of [`value`].
///
/// # Errors
/// If the text has another form.
pub fn setting(text: &str) -> Result<(String, f64), Refusal> {
    let (name, text) = text
        .split_once('=')
        .ok_or_else(|| Refusal::request("write NAME=VALUE, such as gamma=1.5"))?;
    let name = name.trim();
    Ok((name.to_owned(), value(name, text)?))
}

/// Parses the value of a parameter. The name determines the allowed units: of a time if it ends in `_s`
/// or is L, o, g or RTO; of a time per byte if it ends in `_s_per_byte` or is G; of a size if it ends in
/// `_bytes` or is S.
///
/// # Errors
/// If the text is no such value.
pub fn value(name: &str, text: &str) -> Result<f64, Refusal> {
    let number = text.trim().parse::<f64>().ok();
    if let Some(number) = number.filter(|number| !number.is_nan()) {
        return Ok(number);
    }
    let time = |text: &str| duration(text).map(|time| time.0).map_err(Refusal::request);
    if name.ends_with("_s_per_byte") || name == "G" {
        let text = text.trim();
        time(text.strip_suffix("/B").unwrap_or(text))
    } else if name.ends_with("_s") || ["L", "o", "g", "RTO"].contains(&name) {
        time(text)
    } else if name.ends_with("_bytes") || name == "S" {
        let size: Result<Bytes, _> = text.parse();
        size.map(Bytes::as_f64).map_err(Refusal::request)
    } else {
        Err(Refusal::request(format!(
            "{text:?} is not a number; write {name}=1.5"
        )))
    }
}
