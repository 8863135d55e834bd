//! The lines of an output as the program printed them: without the marks that launchers, terminals and
//! mail programs put before and between them.

use std::iter;

/// Spaces of Unicode and HTML that stand for a space.
const SPACES: [&str; 5] = ["\u{a0}", "\u{2007}", "\u{202f}", "\u{3000}", "&nbsp;"];

/// Signs without a width.
const INVISIBLE: [char; 3] = ['\u{feff}', '\u{200b}', '\u{200e}'];

/// The start of a comment behind the name of a host: `node01: # OSU MPI …`, as pdsh prints it.
const BEHIND_HOST: &str = ": #";

/// The lines with their numbers, without prefixes.
pub(super) fn lines(text: &str) -> Vec<(u64, String)> {
    let host = host_before_comments(text);
    let cleaned = |line| {
        let line = printed(line);
        let line = host.map_or(&*line, |host| line.strip_prefix(host).unwrap_or(&line));
        without_prefixes(line).trim_end().to_owned()
    };
    (1..).zip(text.lines().map(cleaned)).collect()
}

/// The part before the `#` of the first comment behind the name of a host.
fn host_before_comments(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let end = line.find(BEHIND_HOST)?;
        let host = &line[..end];
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
        let is_host = host.starts_with(|sign: char| sign.is_ascii_alphabetic());
        (is_host && host.chars().all(is_name)).then(|| &line[..end + 2])
    })
}

/// A line as a terminal shows it: only what follows the last return of the carriage, without colours and
/// control characters.
fn printed(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let line = line.rsplit('\r').next().unwrap_or(line);
    let spaced = |text: String, space: &&str| text.replace(*space, " ");
    let line = SPACES.iter().fold(without_escapes(line), spaced);
    let shown = line.chars().filter(|sign| !INVISIBLE.contains(sign));
    let shown = shown.map(|sign| if sign == '\t' { ' ' } else { sign });
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

/// The line behind any number of prefixes; `\#` is `#`.
fn without_prefixes(line: &str) -> &str {
    let mut line = line.trim_start();
    while let Some(rest) = without_prefix(line) {
        line = rest.trim_start();
    }
    line.strip_prefix('\\')
        .filter(|rest| rest.starts_with('#'))
        .unwrap_or(line)
}

/// The line behind one prefix.
fn without_prefix(line: &str) -> Option<&str> {
    let kinds = [quoted, labelled, ranked, bracketed, stamped];
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
    (is_number(rank) && (rest.is_empty() || rest.starts_with(' '))).then_some(rest)
}

/// Behind `[0] `, as Hydra writes.
fn bracketed(line: &str) -> Option<&str> {
    let (rank, rest) = line.strip_prefix('[')?.split_once(']')?;
    (is_number(rank) && (rest.is_empty() || rest.starts_with(' '))).then_some(rest)
}

/// Behind the date and time of a log: `2026-02-01T10:00:00.123Z `.
fn stamped(line: &str) -> Option<&str> {
    let (stamp, rest) = line.split_once(' ')?;
    let stamp = stamp.trim_start_matches('[').trim_end_matches(']');
    let (date, time) = stamp.split_once('T')?;
    let is_date = date.len() == 10 && date.split('-').all(is_number);
    let has_time = time.starts_with(|sign: char| sign.is_ascii_digit()) && time.contains(':');
    (is_date && has_time).then_some(rest)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_behind_its_prefixes() {
        for (line, expected) in [
            (
                "0: # OSU MPI Latency Test v5.7",
                "# OSU MPI Latency Test v5.7",
            ),
            ("12: 1024   3.5", "1024   3.5"),
            ("[1,0]<stdout>:1024 3.5", "1024 3.5"),
            ("[prterun-n1-77@1,0]<stdout>: 1024 3.5", "1024 3.5"),
            ("[0]        #bytes", "#bytes"),
            ("> > \\# Size", "# Size"),
            ("\u{1b}[1;32m1024\u{1b}[0m\t3.5\r", "1024 3.5"),
            ("\u{1b}]0;title\u{7}1024\u{a0}3.5", "1024 3.5"),
            ("25 %\r1024 3.5", "1024 3.5"),
            ("2026-02-01T10:00:00.1234567Z 1024 3.5", "1024 3.5"),
            ("\u{feff}&nbsp;# Size", "# Size"),
            ("10:00:01 up 2 days", "10:00:01 up 2 days"),
            ("[node07:4711 :0] UCX WARN", "[node07:4711 :0] UCX WARN"),
            ("slurmstepd: error: x", "slurmstepd: error: x"),
        ] {
            assert_eq!(lines(line), [(1, expected.to_owned())], "{line:?}");
        }
    }

    #[test]
    fn the_name_of_a_host_before_a_comment_is_a_prefix_of_all_lines() {
        let text = "n1: # Size\nn1: 8 1.5\nn2: 9 1.5";
        let found = lines(text).into_iter().map(|(_, line)| line);
        assert!(found.eq(["# Size", "8 1.5", "n2: 9 1.5"]));
    }
}
