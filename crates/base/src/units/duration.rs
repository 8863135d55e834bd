//! Durations as users write them in options: with a unit up to hours, or as bare seconds.

use super::{ParseQuantityError, Seconds};

/// Units of durations in addition to those of `Seconds`: longer ones, or none.
const UNITS: [(&str, f64); 4] = [("", 1.0), ("min", 60.0), ("m", 60.0), ("h", 3600.0)];

/// Parses a duration with a unit up to hours, or a bare number of seconds.
///
/// # Errors
/// If the text is neither.
pub fn duration(text: &str) -> Result<Seconds, ParseQuantityError> {
    let text = text.trim();
    let in_unit = |&(unit, seconds): &(&str, f64)| {
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        Some(Seconds(number * seconds))
    };
    let found = UNITS.iter().find_map(in_unit);
    found.map_or_else(|| text.parse(), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_up_to_hours() {
        for (text, seconds) in [
            ("90", 90.0),
            ("90s", 90.0),
            ("10m", 600.0),
            ("1.5 min", 90.0),
            ("2h", 7200.0),
            ("10ms", 0.01),
        ] {
            assert_eq!(duration(text), Ok(Seconds(seconds)), "{text}");
        }
    }
}
