//! The error type of every file that netsig reads: place, problem and remedy.

use serde::de::DeserializeOwned;

use super::sanitised::{self, printable};

/// A file that cannot be used. The text of the problem ends with a remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{}{} {problem}", counter(*line), counter(*column))]
pub struct FileError {
    name: String,
    line: Option<u64>,
    column: Option<u64>,
    problem: String,
}

/// A line or a column within the place of an error.
fn counter(count: Option<u64>) -> String {
    count.map_or(String::new(), |count| format!("{count}:"))
}

impl FileError {
    /// A problem that names its own place in the file, or of the file as a whole.
    pub fn of_file(name: &str, problem: String) -> Self {
        Self {
            name: printable(name).into_owned(),
            line: None,
            column: None,
            problem: sanitised::printable_problem(problem).into_owned(),
        }
    }

    /// A problem in a line, counted from 1.
    pub fn at_line(name: &str, line: u64, problem: String) -> Self {
        Self {
            line: Some(line),
            ..Self::of_file(name, problem)
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

/// Line and column of a byte of a text, both counted from 1.
fn line_and_column(text: &str, offset: usize) -> (u64, u64) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let mut lines = before.split(|&byte| byte == b'\n');
    let last = lines.next_back().unwrap_or_default();
    // Every character has exactly one byte that is no continuation byte.
    let characters = last.iter().filter(|&&byte| byte & 0xc0 != 0x80);
    (1 + lines.count() as u64, 1 + characters.count() as u64)
}

/// Reads TOML into `T`; `hint` ends the error message.
///
/// # Errors
/// If the text is not TOML or does not have the form of `T`.
pub fn parse_toml<T: DeserializeOwned>(name: &str, text: &str, hint: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let what = error.message().lines().collect::<Vec<_>>().join(" ");
        let offset = error.span().map_or(0, |span| span.start);
        let key = key_of_value(text, offset).filter(|_| what.starts_with("invalid "));
        let whose = key.map_or(String::new(), |key| format!(", in {key}"));
        FileError::at_offset(name, text, offset, format!("{what}{whose}; {hint}"))
    })
}

/// The key whose value begins at a byte of a TOML text, after its section; within an inline table
/// after the key of the table: `[signature] gamma.value`.
fn key_of_value(text: &str, offset: usize) -> Option<String> {
    let before = text.get(..offset)?;
    let (above, line) = before.rsplit_once('\n').unwrap_or(("", before));
    let name = |part: &str| {
        let mut words = part.trim_end().rsplit(['{', ',', ' ']);
        words.next().unwrap_or_default().to_owned()
    };
    let (keys, _) = line.rsplit_once('=')?;
    let names: Vec<String> = keys.split('=').map(name).collect();
    let (first, inner) = names.split_first()?;
    let inner = inner.last().map_or(String::new(), |last| format!(".{last}"));
    let mut sections = above.lines().map(str::trim);
    let last_section = sections.rfind(|line| line.starts_with('['));
    let section = last_section.map_or(String::new(), |section| format!("{section} "));
    Some(format!("{section}{first}{inner}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_value_is_found() {
        for (text, key) in [
            ("[a.b]\nc = 1\nd = -5\n", Some("[a.b] d")),
            ("d = -5", Some("d")),
            ("[[a]]\nm = { lower = 1, value = -5 }", Some("[[a]] m.value")),
            ("[a]\nl = [4, -5]", Some("[a] l")),
            ("[a]\nl = [\n4,\n-5]", None),
        ] {
            let found = key_of_value(text, text.find("-5").unwrap());
            assert_eq!(found.as_deref(), key, "{text}");
        }
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
