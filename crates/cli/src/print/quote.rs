//! Quotes commands for a shell.

use std::ffi::OsString;

use itertools::Itertools;

/// Characters besides letters and digits that need no quotes.
const PLAIN: &str = "-_./=:,+@%";

/// The command in one line, which a shell splits into the same words.
pub fn line(words: &[OsString]) -> String {
    let mut quoted = words.iter().map(|word| quoted(&word.to_string_lossy()));
    quoted.join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || PLAIN.contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_same_words() {
        let words = ["printf", "%s|", "a b", "", "it's", "$HOME", "x=1,2", "a\nb"];
        let line = line(&words.map(OsString::from));
        let output = std::process::Command::new("sh").args(["-c", &line]).output();
        assert_eq!(output.unwrap().stdout, b"a b||it's|$HOME|x=1,2|a\nb|");
    }
}
