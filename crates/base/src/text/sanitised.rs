//! Text of files in messages: control characters as escapes, long quotations cut.
//!
//! A terminal obeys control characters, so that a file could colour, move or hide netsig's output.
//!
//! ```
//! use netsig_base::text::sanitised::{printable, printable_message};
//! assert_eq!(printable("a\u{1b}[31mb"), r"a\x1b[31mb");
//! let long = format!("{:?} is not a size; write 4KiB", "9".repeat(5000));
//! assert!(printable_message(long).chars().count() < 200);
//! ```

use std::borrow::Cow;

/// Most characters of a quotation or word that a message shows in full.
const LONGEST_QUOTATION: usize = 150;

/// Characters that a message shows of a longer quotation or word.
const CUT_LENGTH: usize = 100;

/// The longest path of Linux.
const LONGEST_PATH: usize = 4096;

/// The text with control characters, but for tabs and line ends, as escapes; also those that reverse the
/// direction of writing.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |code| match code {
        ..0x80 => format!("\\x{code:02x}"),
        _ => format!("\\u{{{code:x}}}"),
    })
}

/// The text of a JSON document with the same characters as JSON's own escapes: its value stays.
pub fn printable_json(text: &str) -> Cow<'_, str> {
    escaped(text, |code| format!("\\u{code:04x}"))
}

fn escaped(text: &str, escape: impl Fn(u32) -> String) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hostile(c) {
            shown.push_str(&escape(c.into()));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

fn is_hostile(c: char) -> bool {
    let is_direction = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_direction || c.is_control() && !matches!(c, '\n' | '\t')
}

/// The text of a message: as [`printable`], with long quotations and words cut, except for paths and commands of
/// netsig.
pub fn printable_message<'a>(text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
    cut(text.into(), |part| {
        let is_path = part.contains('/') && part.len() <= LONGEST_PATH;
        part.starts_with("`netsig ") || is_path && !part.starts_with(['"', '`'])
    })
}

/// The text of a file's problem: as [`printable_message`], without its exceptions, since all words may be the file's.
pub fn printable_problem<'a>(text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
    cut(text.into(), |_| false)
}

/// The printable text, with long parts cut unless `is_kept`.
fn cut(text: Cow<'_, str>, is_kept: impl Fn(&str) -> bool) -> Cow<'_, str> {
    if text.len() <= LONGEST_QUOTATION && !text.contains(is_hostile) {
        return text;
    }
    let text = printable(&text);
    let mut shown = String::with_capacity(text.len().min(4 * LONGEST_QUOTATION));
    let mut rest = &*text;
    let mut marks = vec!['"', '`'];
    while let Some(first) = rest.chars().next() {
        let quoted = marks.contains(&first).then(|| quotation_length(rest, first));
        if quoted == Some(None) {
            // None of the later ones ends, either: it is a character like others.
            marks.retain(|mark| *mark != first);
        }
        let length = match quoted.flatten() {
            Some(length) => length,
            None if first.is_whitespace() => first.len_utf8(),
            None => word_length(rest, &marks),
        };
        let (part, behind) = rest.split_at(length);
        if is_kept(part) {
            shown.push_str(part);
        } else {
            push_cut(&mut shown, part, quoted.flatten().map(|_| first));
        }
        rest = behind;
    }
    Cow::Owned(shown)
}

/// A text of a file without quotation marks, cut if it is too long.
pub fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    push_cut(&mut shown, &printable(text), None);
    shown
}

/// Length of the quotation with which a text begins, if it ends.
fn quotation_length(text: &str, mark: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == mark => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Length of the word with which a text begins, up to one of the `marks`.
fn word_length(text: &str, marks: &[char]) -> usize {
    let is_end = |c: char| c.is_whitespace() || marks.contains(&c);
    text.find(is_end).unwrap_or(text.len())
}

/// Appends a part; a long part is cut to its beginning, an ellipsis and its closing mark, if it has one.
fn push_cut(shown: &mut String, part: &str, mark: Option<char>) {
    if part.char_indices().nth(LONGEST_QUOTATION).is_none() {
        shown.push_str(part);
        return;
    }
    shown.extend(part.chars().take(CUT_LENGTH));
    shown.push('…');
    shown.extend(mark);
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
            assert_eq!(printable_message(shown), shown);
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
            let told = printable_message(format!("f:3: {text} is no size; write 4KiB"));
            assert!(told.chars().count() < 200, "{told}");
            assert!(told.starts_with("f:3: ") && told.ends_with(" is no size; write 4KiB"));
            assert_eq!(printable_message(&*told), told);
        }
        assert_eq!(excerpt(&"a b ".repeat(90)).chars().count(), CUT_LENGTH + 1);
        let known = "\"a\", \"b\" ".repeat(100);
        assert_eq!(printable_message(&*known), known);
    }

    #[test]
    fn paths_and_commands_stay_whole() {
        let path = "/folder".repeat(30);
        for text in [
            format!("{path}: is no file; check the path"),
            format!("fit it with `netsig fit {path} -o PROFILE`"),
        ] {
            assert_eq!(printable_message(&*text), text);
            assert!(printable_problem(&*text).contains('…'));
        }
        assert!(printable_message("/f".repeat(5000)).chars().count() < 200);
    }

    /// A quadratic search takes minutes.
    #[test]
    fn a_mark_that_never_ends_is_searched_once() {
        let told = printable_message("\"".to_owned() + &"\\\"".repeat(1 << 20));
        assert_eq!(told.chars().count(), CUT_LENGTH + 1);
    }

    #[test]
    fn a_json_document_keeps_its_value() {
        let document = "{\"a\":\"\u{7f}\u{200f}\u{9b}\"}";
        assert_eq!(printable_json(document), r#"{"a":"\u007f\u200f\u009b"}"#);
    }
}
