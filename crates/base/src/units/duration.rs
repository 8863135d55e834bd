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

/// A duration in words, rounded: `45 s`, `2 min 10 s`, `1 h 5 min`.
pub fn duration_in_words(duration: Seconds) -> String {
    let seconds = duration.0.round().max(1.0);
    let minutes = (seconds / 60.0).floor();
    match seconds {
        s if s < 60.0 => format!("{s} s"),
        s if s < 3600.0 => format!("{minutes} min {} s", s % 60.0),
        s => format!("{} h {} min", (s / 3600.0).floor(), minutes % 60.0),
    }
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

    #[test]
    fn durations_are_said_as_people_say_them() {
        for (seconds, words) in [
            (0.2, "1 s"),
            (45.4, "45 s"),
            (130.0, "2 min 10 s"),
            (3900.0, "1 h 5 min"),
        ] {
            assert_eq!(duration_in_words(Seconds(seconds)), words);
        }
    }
}
