//! Text in files and messages: names of variants, guesses for misspelt names, errors with their place in a file,
//! refusals, notes, and quotations of files in messages.

pub mod decoded;
pub mod file_error;
pub mod guess;
pub mod line;
pub mod names;
pub mod note;
pub mod refusal;
pub mod sanitised;

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
