//! Distinguishes rows of a table from other lines of numbers in a log: a row resembles the rows before it.

use super::table::ImportColumns;
use crate::text::is_whole_number;

/// Last columns that hold a number with two digits behind the point.
const TWO_DECIMALS: [&str; 5] = ["mean", "min", "max", "t_avg[usec]", "Mbytes/sec"];

/// True if a line that begins like a row resembles the row before it. A lone number is a broken row only if it
/// may be the next size.
pub(super) fn resembles(text: &str, before: &str, columns: &ImportColumns) -> bool {
    if !columns.begin_with_sizes() {
        return true;
    }
    let rises = first_number(text).is_none_or(|size| Some(size) > first_number(before));
    let is_lone = !text.contains(' ');
    let is_size = first_number(text).is_some_and(u64::is_power_of_two);
    let is_complete = columns.count() == text.split_whitespace().count();
    // A row without one of its values has the others in wrong columns.
    let comparable = if is_complete { usize::MAX } else { 2 };
    (rises || (is_complete && !columns.have_rising_sizes()))
        && (is_size || !is_lone)
        && have_same_points([text, before], comparable)
}

/// True if the last word of a row is shorter than the numbers in the column above it.
pub(super) fn is_cut(word: &str, above: &[&str], columns: &ImportColumns) -> bool {
    match above {
        [] => TWO_DECIMALS.contains(&columns.last()) && decimals(word) < 2,
        above => is_shorter(word, above),
    }
}

/// True if a line may be a row of a table that is not imported.
pub(super) fn begins_other_row(text: &str) -> bool {
    text.starts_with(|sign: char| sign.is_ascii_digit()) || text.starts_with("MPI_")
}

/// The last word of a row.
pub(super) fn last_word(row: &str) -> &str {
    row.split_whitespace().next_back().unwrap_or_default()
}

/// Number of digits behind the point.
fn decimals(word: &str) -> usize {
    word.split_once('.').map_or(0, |(_, digits)| digits.len())
}

/// True if a number has fewer digits behind the point than all others. If the number before it has none, true if it
/// has fewer digits than that number.
fn is_shorter(word: &str, above: &[&str]) -> bool {
    let fewest = above.iter().map(|word| decimals(word)).min();
    match (fewest, above.last()) {
        (Some(0), Some(before)) => word.len() < before.len(),
        (Some(fewest), _) => decimals(word) < fewest,
        (None, _) => false,
    }
}

/// True if no column, of the first `columns`, has a point in the earlier row and a whole number in the later row.
fn have_same_points([later, earlier]: [&str; 2], columns: usize) -> bool {
    let pairs = later.split_whitespace().zip(earlier.split_whitespace());
    !pairs
        .take(columns)
        .any(|(word, above)| above.contains('.') && is_whole_number(word))
}

fn first_number(row: &str) -> Option<u64> {
    row.split(' ').next()?.parse().ok()
}
