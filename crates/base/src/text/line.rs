//! A text of several lines in one line, for facts of a provenance.

use itertools::Itertools as _;

/// A text in one line: its line breaks are written as `\n`, and backslashes as `\\`.
pub fn escaped(text: &str) -> String {
    text.replace('\\', r"\\").replace('\n', r"\n")
}

/// Reverses [`escaped`].
pub fn unescaped(line: &str) -> String {
    let mut parts = line.split(r"\\").map(|part| part.replace(r"\n", "\n"));
    parts.join(r"\")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_survives_its_way_through_a_line() {
        let text = "seed = 1\n[[collective]]\nname = \"a\\\\b\\n\"\n";
        assert_eq!(unescaped(&escaped(text)), text);
        assert!(!escaped(text).contains('\n'));
    }
}
