//! The length of sentences in comments and documents: a reader reads a long one twice.
//!
//! A sentence ends at a word with `.`, `!`, `?` or `;` at its end, and with its paragraph, list item or table cell. Code counts
//! as one word.

/// The most words of a sentence.
const MOST_WORDS: usize = 30;

/// A paragraph with the number of its first line.
struct Paragraph {
    line: usize,
    text: String,
}

/// The lines of paragraphs with a long sentence in a file, by its ending: in the comments of Rust code, or in Markdown.
pub fn long_sentences(text: &str, ending: &str) -> Vec<usize> {
    let is_long = |paragraph: &Paragraph| longest_sentence(&paragraph.text) > MOST_WORDS;
    let prose = |line| if ending == "rs" { comment(line) } else { line };
    let paragraphs = paragraphs(text.lines().map(prose)).into_iter();
    paragraphs.filter(is_long).map(|paragraph| paragraph.line).collect()
}

/// The text of a line of code that is a comment; else empty.
fn comment(line: &str) -> &str {
    let line = line.trim_start();
    let mut marks = ["///", "//!", "//"].iter();
    marks.find_map(|mark| line.strip_prefix(mark)).unwrap_or_default()
}

fn paragraphs<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Paragraph> {
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let (mut is_open, mut is_code) = (false, false);
    for (number, line) in (1..).zip(lines.map(str::trim)) {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        let is_item =
            line.starts_with("* ") || line.starts_with("- ") || line.starts_with(|first: char| first.is_ascii_digit());
        let new = |text: &str| Paragraph {
            line: number,
            text: text.to_owned(),
        };
        match paragraphs.last_mut() {
            _ if is_fence || is_code || line.is_empty() || line.starts_with('#') => is_open = false,
            _ if line.starts_with('|') => paragraphs.extend(line.split('|').map(new)),
            Some(paragraph) if is_open && !is_item => paragraph.text.extend([" ", line]),
            _ => {
                paragraphs.push(new(line));
                is_open = true;
            }
        }
    }
    paragraphs
}

/// The most words of a sentence of a paragraph.
fn longest_sentence(paragraph: &str) -> usize {
    let parts = paragraph.split('`').enumerate();
    let prose: String = parts
        .map(|(index, part)| if index % 2 == 1 { "code" } else { part })
        .collect();
    let (mut longest, mut words) = (0, 0);
    for word in prose.split_whitespace() {
        words += usize::from(word.contains(char::is_alphanumeric));
        longest = longest.max(words);
        if word.trim_end_matches([')', '*', '"']).ends_with(['.', '!', '?', ';']) {
            words = 0;
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sentences_are_found_where_they_begin() {
        let long = "word ".repeat(31);
        let split = format!("{}; {}", "word ".repeat(20).trim(), "word ".repeat(20));
        let code = format!("`{long}`");
        for (text, lines) in [(&*long, vec![2]), (&split, vec![]), (&code, vec![])] {
            assert_eq!(long_sentences(&format!("# Title\n{text}\n"), "md"), lines, "{text}");
            assert_eq!(long_sentences(&format!("mod x;\n/// {text}\n"), "rs"), lines, "{text}");
            assert_eq!(long_sentences(&format!("\n{text}\n"), "rs"), Vec::<usize>::new());
        }
    }
}
