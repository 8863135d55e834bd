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

    /// A problem at a byte of the file's text.
    pub fn at_offset(name: &str, text: &str, offset: usize, problem: String) -> Self {
        let breaks = text
            .bytes()
            .take(offset)
            .filter(|&byte| byte == b'\n')
            .count();
        Self::at_line(name, 1 + breaks as u64, problem)
    }
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
    fn a_column_is_named_where_it_is_known() {
        let fault = FileError::at_column("t.conf", 3, 14, "no; yes".to_owned());
        assert_eq!(fault.to_string(), "t.conf:3:14: no; yes");
    }
}
