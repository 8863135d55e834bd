//! Text in files and messages: names of variants, guesses for misspelt names, errors with their place in a file,
//! refusals, notes, ranges, and quotations of files in messages, dates.

pub mod date;
pub mod decoded;
pub mod file_error;
pub mod guess;
pub mod line;
pub mod names;
pub mod note;
pub mod refusal;
pub mod sanitised;

use std::fmt::Display;

/// True for a whole number without a sign: ASCII digits, at least one, however many.
pub fn is_whole_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `1 cell`, `2 cells`: a number with its noun in singular or plural.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

/// `8 to 32`: a range in words, or one value if both ends print alike.
pub fn range(first: impl Display, last: impl Display) -> String {
    let (first, last) = (first.to_string(), last.to_string());
    if first == last {
        return first;
    }
    format!("{first} to {last}")
}

/// `16 (8 to 32)`: a value with its range, which is left out if it prints like the value.
pub fn with_range(value: impl Display, first: impl Display, last: impl Display) -> String {
    match range_beside(&value, first, last) {
        Some(ends) => format!("{value} ({ends})"),
        None => value.to_string(),
    }
}

/// The range of a value in words; `None` if it prints like the value.
pub fn range_beside(value: impl Display, first: impl Display, last: impl Display) -> Option<String> {
    Some(range(first, last)).filter(|ends| *ends != value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_without_doubt_has_no_range() {
        assert_eq!(with_range(16, 8, 32), "16 (8 to 32)");
        assert_eq!(with_range(16, 16, 16), "16");
    }

    #[test]
    fn a_range_whose_ends_print_alike_is_one_value() {
        assert_eq!(range(8, 32), "8 to 32");
        assert_eq!(range(format_args!("{:.0} %", 4.9), format_args!("{:.0} %", 5.1)), "5 %");
    }
}
