//! Values of parameters as users set them, with units.

use netsig_base::text::refusal::Refusal;
use netsig_base::units::{Bytes, duration};

/// Parses `NAME=VALUE`, with the units of [`parse_value`].
///
/// # Errors
/// If the text has another form.
pub fn parse_setting(text: &str) -> Result<(String, f64), Refusal> {
    let (name, text) = text
        .split_once('=')
        .ok_or_else(|| Refusal::request("write NAME=VALUE, such as gamma=1.5"))?;
    let trimmed_name = name.trim();
    Ok((trimmed_name.to_owned(), parse_value(trimmed_name, text)?))
}

/// Parses the value of a parameter. The name determines the allowed units: units of time if it ends in `_s` or is L,
/// o, g or RTO; units of time per byte if it ends in `_s_per_byte` or is G or omega; units of size if it ends in `_bytes` or
/// is S. A time above 0 needs its unit.
///
/// # Errors
/// If the text is no such value.
pub fn parse_value(name: &str, text: &str) -> Result<f64, Refusal> {
    let is_per_byte = name.ends_with("_s_per_byte") || ["G", "omega"].contains(&name);
    let is_time = is_per_byte || name.ends_with("_s") || ["L", "o", "g", "RTO"].contains(&name);
    let number = text.trim().parse::<f64>().ok();
    match number.filter(|number| !number.is_nan()) {
        Some(number) if is_time && number > 0.0 => {
            let example = if is_per_byte { "1ns/B" } else { "10us" };
            return Err(Refusal::request(format!(
                "{name} is a time and {text:?} has no unit; write such as {name}={example}"
            )));
        }
        Some(number) => return Ok(number),
        None => {}
    }
    if is_time {
        let text = text.trim();
        let of_byte = text.strip_suffix("/B").filter(|_| is_per_byte);
        let time = duration(of_byte.unwrap_or(text));
        time.map(|time| time.0).map_err(Refusal::request)
    } else if name.ends_with("_bytes") || name == "S" {
        let size: Result<Bytes, _> = text.parse();
        size.map(Bytes::as_f64).map_err(Refusal::request)
    } else {
        Err(Refusal::request(format!("{text:?} is not a number; write {name}=1.5")))
    }
}
