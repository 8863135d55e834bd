//! The lines of an output as the program printed them: without the marks that launchers, terminals and
//! mail programs put before and between them.

use std::iter;

use crate::text::is_whole_number;

/// Marks of Unicode, HTML and Markdown, with the characters that they stand for.
const MARKS: [(&str, &str); 17] = [
    ("\u{a0}", " "),
    ("\u{2007}", " "),
    ("\u{202f}", " "),
    ("\u{3000}", " "),
    ("&nbsp;", " "),
    ("&gt;", ">"),
    ("&lt;", "<"),
    ("<br>", ""),
    ("<br/>", ""),
    ("<p>", ""),
    ("<pre>", ""),
    ("</pre>", ""),
    ("<code>", ""),
    ("</code>", ""),
    ("\\#", "#"),
    ("\\[", "["),
    ("\\]", "]"),
];

/// Signs without a width.
const INVISIBLE: [char; 3] = ['\u{feff}', '\u{200b}', '\u{200e}'];

/// Beginnings of titles, behind which headings follow.
const TITLES: [&str; 3] = ["# OSU ", "# OMB ", "# Benchmarking "];

/// Beginnings of headings.
const HEADINGS: [&str; 4] = ["# Size", "# Avg Latency", "#bytes #repetitions", "#repetitions t_min"];

/// The lines with their numbers, without prefixes.
pub(super) fn lines(text: &str) -> Vec<(u64, String)> {
    let is_of_mac = !text.contains('\n');
    let lines = text.split(if is_of_mac { '\r' } else { '\n' });
    let mut cleaned_lines: Vec<String> = lines.map(as_printed).collect();
    cleaned_lines.pop_if(|last| last.is_empty());
    let prefix = prefix_of_titles(&cleaned_lines);
    let is_labelled = cleaned_lines.iter().any(|line| is_comment_behind_prefix(line));
    let cleaned = |line: String| {
        let behind_prefix = prefix.as_deref().and_then(|shape| text_behind_prefix(&line, shape));
        let unprefixed = behind_prefix.unwrap_or(&line);
        let text = if is_labelled {
            without_prefixes(unprefixed)
        } else {
            unprefixed
        };
        text.trim().to_owned()
    };
    (1..).zip(cleaned_lines.into_iter().map(cleaned)).collect()
}

/// True for a comment behind a prefix of a launcher: without such a line `0: ` and `[0] ` are no prefixes.
fn is_comment_behind_prefix(line: &str) -> bool {
    let text = without_prefixes(line);
    text.starts_with('#') && text.len() < line.trim_start().len()
}

/// Shape of the prefix of titles and their headings, if it is one that no launcher writes. Examples are a host's
/// name, a date and time, the place of a message in a program.
fn prefix_of_titles(lines: &[String]) -> Option<String> {
    let before = |line: &str, marks: &[&str]| {
        let at = marks.iter().find_map(|mark| line.find(mark))?;
        Some(shape(&line[..at]))
    };
    let mut titles = None;
    for line in lines {
        let is_plain = TITLES.iter().any(|title| without_prefixes(line).starts_with(title));
        if let Some(prefix) = before(line, &TITLES).filter(|_| !is_plain) {
            titles = Some(prefix);
        } else if let Some(prefix) = before(line, &HEADINGS)
            && titles
                .as_ref()
                .is_some_and(|title| title.trim_end() == prefix.trim_end())
        {
            return titles;
        }
    }
    None
}

/// The shape of a text: `w` for a word, a blank for blanks, other signs as they are.
fn shape(text: &str) -> String {
    let mut shape: Vec<char> = text.chars().map(class).collect();
    shape.dedup_by(|later, earlier| later == earlier && "w ".contains(*later));
    shape.into_iter().collect()
}

fn class(sign: char) -> char {
    match sign {
        _ if sign.is_alphanumeric() || "_.-".contains(sign) => 'w',
        _ if sign.is_whitespace() => ' ',
        _ => sign,
    }
}

/// The text behind a prefix of a shape.
fn text_behind_prefix<'t>(line: &'t str, shape: &str) -> Option<&'t str> {
    let mut rest = line;
    for expected in shape.trim_end().chars() {
        let is_other = |sign: char| class(sign) != expected;
        let end = match expected {
            'w' | ' ' => rest.find(is_other).unwrap_or(rest.len()),
            _ if rest.starts_with(expected) => expected.len_utf8(),
            _ => 0,
        };
        if end == 0 {
            return None;
        }
        rest = &rest[end..];
    }
    Some(rest)
}

/// A line as a terminal shows it: the text behind the last carriage return, without colours and control characters.
fn as_printed(line: &str) -> String {
    let without_end = line.trim_end_matches('\r');
    let last_printed = without_end.rsplit('\r').next().unwrap_or(without_end);
    let replaced = |text: String, (mark, plain): &(&str, &str)| text.replace(mark, plain);
    let plain_text = MARKS.iter().fold(without_escapes(last_printed), replaced);
    let visible = plain_text.chars().filter(|sign| !INVISIBLE.contains(sign));
    let shown = visible.map(|sign| if sign == '\t' { ' ' } else { sign });
    shown.filter(|sign| !sign.is_control()).collect()
}

/// The text without the escape sequences of terminals: `ESC [ … LETTER`, `ESC ] … BEL`, `ESC SIGN`.
fn without_escapes(text: &str) -> String {
    let mut signs = text.chars();
    let next = || {
        let sign = signs.next()?;
        if sign != '\u{1b}' {
            return Some(Some(sign));
        }
        match signs.next() {
            Some('[') => drop(signs.find(|sign| ('@'..='~').contains(sign))),
            Some(']') => drop(signs.find(|sign| "\u{7}\u{1b}".contains(*sign))),
            _ => {}
        }
        Some(None)
    };
    iter::from_fn(next).flatten().collect()
}

/// The line behind any number of prefixes.
fn without_prefixes(line: &str) -> &str {
    let mut line = line.trim_start();
    while let Some(rest) = without_prefix(line) {
        line = rest.trim_start();
    }
    line
}

/// The line behind one prefix.
fn without_prefix(line: &str) -> Option<&str> {
    let kinds = [quoted, labelled, ranked, bracketed];
    kinds.iter().find_map(|kind| kind(line))
}

/// Behind `> `, as mail programs quote.
fn quoted(line: &str) -> Option<&str> {
    line.strip_prefix('>')
}

/// Behind `[1,0]<stdout>:` of Open MPI, which since version 5 names the job before the rank; also behind
/// `<stdout>:`.
fn labelled(line: &str) -> Option<&str> {
    let end = line.find(">:")?;
    let (label, stream) = line[..end].rsplit_once('<')?;
    let is_label = label.is_empty() || (label.starts_with('[') && label.ends_with(']'));
    (is_label && stream.starts_with("std")).then(|| &line[end + 2..])
}

/// Behind `0: `, as srun and ctest write.
fn ranked(line: &str) -> Option<&str> {
    let (rank, rest) = line.split_once(':')?;
    (is_whole_number(rank) && (rest.is_empty() || rest.starts_with(' '))).then_some(rest)
}

/// Behind `[0] `, as Hydra writes.
fn bracketed(line: &str) -> Option<&str> {
    let (rank, rest) = line.strip_prefix('[')?.split_once(']')?;
    (is_whole_number(rank) && (rest.is_empty() || rest.starts_with(' '))).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_behind_its_prefixes() {
        for (prefix, end) in [
            ("0: ", ""),
            ("12: ", ""),
            ("[1,0]<stdout>:", ""),
            ("[prterun-n1-77@1,0]<stdout>: ", ""),
            ("[0]        ", ""),
            ("> > \\", ""),
            ("\u{1b}[1;32m> ", "\u{1b}[0m\r"),
            ("\u{1b}]0;title\u{7}> ", ""),
            ("25 %\r> ", ""),
            ("\u{feff}&nbsp;", "<br>"),
            ("Wed May 16 10:17:50 2018[1,0]<stdout>:", ""),
            ("2026-02-01T10:00:00.1234567Z ", ""),
            ("2026-02-01 10:00:00 ", ""),
            ("[2023-06-13 09:16:21,301] {x.py:32} INFO - ", ""),
            ("osu-1  | ", ""),
            ("node01:", ""),
        ] {
            let plain = ["# OSU MPI Latency Test v5.7", "# Size   Latency (us)"];
            let text = plain.map(|line| format!("{prefix}{line}{end}")).join("\n");
            let found = lines(&text).into_iter().map(|(_, line)| line);
            assert!(found.eq(plain), "{prefix:?} {:?}", lines(&text));
        }
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for line in [
            "10:00:01 up 2 days",
            "[node07:4711 :0] UCX WARN",
            "slurmstepd: error: x",
            "0:  10  21",
        ] {
            let text = format!("# OSU MPI Latency Test v5.7\n# Size   Latency (us)\n{line}");
            assert_eq!(lines(&text)[2].1, line);
        }
    }
}
