//! Scanner that reads a GOAL text word by word.

use std::str::FromStr;

use netsig_base::text::file_error::FileError;

/// Largest number of characters of the text that an error shows.
const MOST_SHOWN: usize = 24;

/// A text and the position of the next byte to read.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    name: &'a str,
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(name: &'a str, text: &'a str) -> Self {
        Self { name, text, at: 0 }
    }

    /// Position of the next byte to read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Skips blanks; returns the position of the next word.
    pub fn next_at(&mut self) -> usize {
        self.skip_blanks();
        self.at
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Error at a byte of the text.
    pub fn fault(&self, at: usize, problem: impl Into<String>) -> FileError {
        FileError::at_character(self.name, self.text, at, problem.into())
    }

    /// Error: the next text is not `wanted`.
    pub fn unexpected(&self, wanted: &str) -> FileError {
        let rest = self.rest();
        let found = match rest.chars().next() {
            None => "the end of the file".to_owned(),
            Some('\r' | '\n') => "the end of the line".to_owned(),
            Some(first) => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                format!("{:?}", shortened(&rest[..end.max(first.len_utf8())]))
            }
        };
        self.fault(self.at, format!("found {found}; write {wanted}"))
    }

    /// Skips blanks, ends of lines and comments.
    ///
    /// # Errors
    /// If a comment does not end.
    pub fn skip_to_statement(&mut self) -> Result<(), FileError> {
        loop {
            self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
            let rest = self.rest();
            if rest.starts_with("\r\n") {
                self.at += 2;
            } else if rest.starts_with("//") {
                self.skip(|byte| byte != b'\n');
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let end = comment
                    .find("*/")
                    .ok_or_else(|| self.fault(self.at, "the comment is not closed; end it with */"))?;
                self.at += 2 + end + 2;
            } else {
                return Ok(());
            }
        }
    }

    /// Takes the end of a statement's line.
    ///
    /// # Errors
    /// If other text comes first; the error suggests `wanted`.
    pub fn end_of_line(&mut self, wanted: &str) -> Result<(), FileError> {
        self.skip_blanks();
        if self.rest().starts_with("//") {
            self.skip(|byte| byte != b'\n');
        }
        let line = ["\n", "\r\n"].iter().any(|end| self.take(end));
        if line || self.is_at_end() {
            return Ok(());
        }
        Err(self.unexpected(wanted))
    }

    /// Takes `word` if it comes next; any text may follow it.
    pub fn take_if_next(&mut self, word: &str) -> bool {
        self.skip_blanks();
        self.take(word)
    }

    /// Takes `word`.
    ///
    /// # Errors
    /// If something else comes next.
    pub fn expect(&mut self, word: &str) -> Result<(), FileError> {
        if self.take_if_next(word) {
            return Ok(());
        }
        Err(self.unexpected(word))
    }

    /// Takes a label or keyword; empty if none comes next.
    pub fn word(&mut self) -> &'a str {
        self.skip_blanks();
        let start = self.at;
        if self.rest().starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.skip(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        }
        &self.text[start..self.at]
    }

    /// Takes −1 if it comes next.
    pub fn take_minus_one(&mut self) -> bool {
        self.skip_blanks();
        let rest = self.rest();
        let found = rest.starts_with("-1") && !rest[2..].starts_with(|c: char| c.is_ascii_digit());
        self.at += if found { 2 } else { 0 };
        found
    }

    /// Takes a number, named `what` in errors.
    ///
    /// # Errors
    /// If none comes next, or if it is negative or too large for a `T`.
    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, FileError> {
        self.skip_blanks();
        let start = self.at;
        self.take("-");
        self.skip(|byte| byte.is_ascii_digit());
        let digits = &self.text[start..self.at];
        let fault = |how| {
            let digits = shortened(digits);
            self.fault(start, format!("{digits} is {how}; correct the {what}"))
        };
        match digits.as_bytes() {
            [b'-', _, ..] => Err(fault("negative")),
            [b'0'..=b'9', ..] => digits.parse().map_err(|_| fault("too large")),
            _ => {
                self.at = start;
                Err(self.unexpected(&format!("the {what}")))
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.skip(|byte| matches!(byte, b' ' | b'\t'));
    }

    /// Skips bytes while they are `wanted`; the first unwanted byte must begin a character.
    fn skip(&mut self, wanted: impl Fn(u8) -> bool) {
        let rest = &self.text.as_bytes()[self.at..];
        let end = rest.iter().position(|&byte| !wanted(byte));
        self.at += end.unwrap_or(rest.len());
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += if found { word.len() } else { 0 };
        found
    }
}

/// The first [`MOST_SHOWN`] characters of a text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
