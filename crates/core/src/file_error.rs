//! The one error of every file that netsig reads: where, what, and how to fix it.

use serde::de::DeserializeOwned;

/// A file that cannot be used. The problem ends in what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}:{} {problem}", .column.map(|column| format!("{column}:")).unwrap_or_default())]
pub struct FileError {
    name: String,
    line: u64,
    column: Option<u64>,
    problem: String,
}

impl FileError {
    /// A problem in a line, counted from 1.
    pub fn at_line(name: &str, line: u64, problem: String) -> Self {
        Self {
            name: name.to_owned(),
            line,
            column: None,
            problem,
        }
    }

    /// A problem in a line from a column on, both counted from 1.
    pub fn at_column(name: &str, line: u64, column: u64, problem: String) -> Self {
        Self {
            column: Some(column),
            ..Self::at_line(name, line, problem)
        }
    }

    /// A problem at a byte of the file's text, by its line.
    pub fn at_offset(name: &str, text: &str, offset: usize, problem: String) -> Self {
        Self::at_line(name, line_and_column(text, offset).0, problem)
    }

    /// A problem at a byte of the file's text, by its line and column; a column is a
    /// character.
    pub fn at_character(name: &str, text: &str, offset: usize, problem: String) -> Self {
        let (line, column) = line_and_column(text, offset);
        Self::at_column(name, line, column, problem)
    }
}

/// Where a byte of a text is, both counted from 1.
fn line_and_column(text: &str, offset: usize) -> (u64, u64) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let mut lines = before.split(|&byte| byte == b'\n');
    let last = lines.next_back().unwrap_or_default();
    // Every character has one byte that does not continue another.
    let characters = last.iter().filter(|&&byte| byte & 0xc0 != 0x80);
    (1 + lines.count() as u64, 1 + characters.count() as u64)
}

/// Reads TOML into `T`; `hint` ends the message when that fails.
///
/// # Errors
/// If the text is not TOML or does not have the form of `T`.
pub fn parse_toml<T: DeserializeOwned>(name: &str, text: &str, hint: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let what = error.message().lines().collect::<Vec<_>>().join(" ");
        let offset = error.span().map_or(0, |span| span.start);
        FileError::at_offset(name, text, offset, format!("{what}; {hint}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_fault_is_named() {
        let fault = parse_toml::<std::collections::BTreeMap<String, u32>>(
            "p.toml",
            "a = 1\nb = x\n",
            "write numbers",
        );
        let message = fault.unwrap_err().to_string();
        assert!(
            message.starts_with("p.toml:2: ") && message.ends_with("; write numbers"),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1);
    }

    #[test]
    fn a_column_is_a_character() {
        let text = "a\näöü x\n";
        let at = |offset| FileError::at_character("f", text, offset, "no".to_owned()).to_string();
        assert_eq!(at(0), "f:1:1: no");
        assert_eq!(at(text.find('x').unwrap()), "f:2:5: no");
        assert_eq!(at(text.len()), "f:3:1: no");
    }
}
