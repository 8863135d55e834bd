//! Text of files in messages: control characters as escapes, long quotations cut.
//!
//! A terminal obeys control characters, so that a file could colour, move or hide what netsig says.
//!
//! ```
//! use netsig_core::text::shown::{message, printable};
//! assert_eq!(printable("a\u{1b}[31mb"), r"a\x1b[31mb");
//! let long = format!("{:?} is not a size; write 4KiB", "9".repeat(5000));
//! assert!(message(long).chars().count() < 200);
//! ```

use std::borrow::Cow;
use std::fmt::Write as _;

/// Most characters of a quotation or word that a message shows in full.
const MOST: usize = 150;

/// Characters of a longer one that it shows.
const SHOWN: usize = 100;

/// The text with control characters, but for tabs and line ends, as escapes; also those that reverse the
/// direction of writing.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match u32::from(c) {
            _ if !is_hostile(c) => shown.push(c),
            code @ ..0x80 => write!(shown, "\\x{code:02x}").expect("memory can be written"),
            code => write!(shown, "\\u{{{code:x}}}").expect("memory can be written"),
        }
    }
    Cow::Owned(shown)
}

fn is_hostile(c: char) -> bool {
    let is_direction =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_direction || c.is_control() && !matches!(c, '\n' | '\t')
}

/// The text of a message: as [`printable`], and quotations and words that are too long are cut.
pub fn message<'a>(text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
    let text = text.into();
    if text.len() <= MOST && !text.contains(is_hostile) {
        return text;
    }
    let text = printable(&text);
    let mut shown = String::with_capacity(text.len().min(4 * MOST));
    let mut rest = &*text;
    while let Some(first) = rest.chars().next() {
        let (part, behind) = rest.split_at(match first {
            '"' | '`' => quotation(rest, first),
            _ if first.is_whitespace() => first.len_utf8(),
            _ => word(rest),
        });
        push_cut(&mut shown, part, first);
        rest = behind;
    }
    Cow::Owned(shown)
}

/// A text of a file without quotation marks, cut if it is too long.
pub fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    push_cut(&mut shown, &printable(text), ' ');
    shown
}

/// Length of the quotation with which a text begins, or of the mark alone if it never ends.
fn quotation(text: &str, mark: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == mark => return at + 1,
            _ => {}
        }
    }
    1
}

/// Length of the word with which a text begins.
fn word(text: &str) -> usize {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '`');
    text.find(is_end).unwrap_or(text.len())
}

/// Appends a part; of a long one the begin, an ellipsis, and its closing mark.
fn push_cut(shown: &mut String, part: &str, first: char) {
    if part.char_indices().nth(MOST).is_none() {
        shown.push_str(part);
        return;
    }
    shown.extend(part.chars().take(SHOWN));
    shown.push('…');
    if matches!(first, '"' | '`') {
        shown.push(first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_escapes() {
        for (text, shown) in [
            ("a\tb\nc", "a\tb\nc"),
            ("\u{7}\r\u{7f}", r"\x07\x0d\x7f"),
            ("\u{9b}31m\u{202e}é…", r"\u{9b}31m\u{202e}é…"),
        ] {
            assert_eq!(printable(text), shown);
            assert_eq!(message(shown), shown);
        }
    }

    /// Quotations with spaces and escaped marks, words, and a mark that never ends.
    #[test]
    fn long_quotations_and_words_are_cut() {
        let long = "x\\\" y ".repeat(1000);
        for text in [
            format!("\"{long}\""),
            format!("`{}`", "ü ".repeat(1000)),
            "z".repeat(5000),
            format!("\"{}", "z".repeat(5000)),
        ] {
            let told = message(format!("f:3: {text} is no size; write 4KiB"));
            assert!(told.chars().count() < 200, "{told}");
            assert!(told.starts_with("f:3: ") && told.ends_with(" is no size; write 4KiB"));
            assert_eq!(message(&*told), told);
        }
        assert_eq!(excerpt(&"a b ".repeat(90)).chars().count(), SHOWN + 1);
        let known = "\"a\", \"b\" ".repeat(100);
        assert_eq!(message(&*known), known);
    }
}
