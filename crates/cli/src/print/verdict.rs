//! Verdicts as text: each answer after its question, within the width of the terminal, and commands whole on lines of
//! their own.

use std::io::{self, Write};

use netsig_model::verdict::VerdictAnswer;

use netsig_render::rows::table::TableWidth;

use super::rows::terminal_width;

/// Characters of the questions with the gap after them.
const QUESTION_WIDTH: usize = 12;

/// Greatest length of a line of sentences.
const LONGEST_LINE: usize = 100;

/// Writes the answers under a heading.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_verdict(heading: &str, answers: &[VerdictAnswer], out: &mut dyn Write) -> io::Result<()> {
    let width = match terminal_width() {
        TableWidth::Fit(width) => usize::from(width).min(LONGEST_LINE),
        TableWidth::Wide => LONGEST_LINE,
    };
    writeln!(out, "Verdict on {heading}")?;
    for answer in answers {
        writeln!(out, "{}", answer_text(answer, width))?;
    }
    Ok(())
}

fn answer_text(answer: &VerdictAnswer, width: usize) -> String {
    let question = format!("{:<QUESTION_WIDTH$}", answer.question);
    let indent = " ".repeat(QUESTION_WIDTH);
    let options = textwrap::Options::new(width)
        .initial_indent(&question)
        .subsequent_indent(&indent)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let mut text = textwrap::fill(&with_held_units(&answer.answer), options).replace(HELD_SPACE, " ");
    if let Some(command) = &answer.command {
        text += "\n  ";
        text += command;
    }
    text
}

/// Space at which no line ends.
const HELD_SPACE: char = '\u{a0}';

/// The text with numbers held together with their units.
fn with_held_units(text: &str) -> String {
    const UNITS: [&str; 9] = ["B", "KiB", "MiB", "GiB", "ns", "µs", "ms", "s", "%"];
    let is_unit = |word: &str| UNITS.contains(&word.trim_end_matches([',', '.', ';', ':', ')']));
    let mut held = String::with_capacity(text.len());
    let mut ends_in_digit = false;
    for word in text.split(' ') {
        if !held.is_empty() {
            held.push(if ends_in_digit && is_unit(word) {
                HELD_SPACE
            } else {
                ' '
            });
        }
        held += word;
        ends_in_digit = word.ends_with(|last: char| last.is_ascii_digit());
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_whole_and_sentences_are_wrapped() {
        let answer = VerdictAnswer {
            question: "Setting",
            answer: "Among 12 processes library:pairwise: surely 2.7 times as fast at 48 KiB.".to_owned(),
            command: Some(
                "mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm 2 …".to_owned(),
            ),
        };
        insta::assert_snapshot!(answer_text(&answer, 50));
    }
}
