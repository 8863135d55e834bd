//! Lines of a configuration file of Slurm, or of the output of `scontrol`, with comments, continuations, and lines
//! that a terminal wrapped. Each line and each pair of key and value has its place in the file.

use super::records::RECORDS;

/// Example of a line, as the end of an error.
const HINT: &str = "write lines such as SwitchName=s0 Nodes=n[0-15]";

/// A logical line: lines of the file, joined where one ends in a backslash.
#[derive(Debug, Default)]
pub(super) struct TopologyLine {
    text: String,
    /// Start of each part in `text`, and its place in the file.
    parts: Vec<(usize, TopologyPlace)>,
}

/// A place in a file: line and column, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TopologyPlace {
    pub(super) line: u64,
    pub(super) column: u64,
}

/// A fault with its remedy, and its place.
#[derive(Debug)]
pub(super) struct TopologyFault {
    pub(super) place: TopologyPlace,
    pub(super) problem: String,
}

impl TopologyPlace {
    /// The start of a file.
    pub(super) const START: Self = Self::start_of_line(1);

    /// The start of a line.
    const fn start_of_line(line: u64) -> Self {
        Self { line, column: 1 }
    }
}

/// `Key=Value`, or `Key="Value"`.
#[derive(Debug)]
pub(super) struct TopologyPair<'a> {
    pub(super) key: &'a str,
    pub(super) key_offset: usize,
    pub(super) value: &'a str,
    pub(super) value_offset: usize,
}

impl TopologyLine {
    /// Place in the file of a byte of the line.
    pub(super) fn place(&self, offset: usize) -> TopologyPlace {
        let part = self.parts.partition_point(|&(start, _)| start <= offset);
        let (start, place) = self.parts[part.saturating_sub(1)];
        let before = self.text[start..].char_indices();
        let further = before.take_while(|(at, _)| start + at < offset).count();
        TopologyPlace {
            column: place.column + further as u64,
            ..place
        }
    }

    /// The fault at a byte of the line.
    pub(super) fn fault(&self, offset: usize, problem: String) -> TopologyFault {
        let place = self.place(offset);
        TopologyFault { place, problem }
    }

    /// Appends a part that begins at `place` of the file; returns its offset.
    pub(super) fn append(&mut self, part: &str, place: TopologyPlace) -> usize {
        let start = self.text.len();
        self.parts.push((start, place));
        self.text.push_str(part);
        start
    }

    /// Appends a line that a terminal wrapped: a part of a list, or further pairs.
    fn unwrap_into(&mut self, content: &str, number: u64) {
        let is_within_list = self.text.trim_end().ends_with([',', '[', '-', '=']);
        let mut indent = 0;
        if is_within_list {
            let length = self.text.trim_end().len();
            self.text.truncate(length);
            self.parts.retain(|&(start, _)| start < length);
            indent = content.len() - content.trim_start().len();
        } else if begins_with(content, RECORDS.iter().flat_map(|form| form.keys)) {
            self.text.push(' ');
        }
        self.append(
            &content[indent..],
            TopologyPlace {
                line: number,
                column: indent as u64 + 1,
            },
        );
    }

    /// The pairs of the line, in order.
    pub(super) fn pairs(&self) -> Result<Vec<TopologyPair<'_>>, TopologyFault> {
        let mut pairs = Vec::new();
        let mut offset = 0;
        loop {
            let rest = &self.text[offset..];
            offset += rest.len() - rest.trim_start().len();
            if offset == self.text.len() {
                return Ok(pairs);
            }
            let pair = self.pair(offset)?;
            let quotes = usize::from(self.text[..pair.value_offset].ends_with('"'));
            offset = pair.value_offset + pair.value.len() + quotes;
            pairs.push(pair);
        }
    }

    /// The pair that begins at byte `key_offset`.
    fn pair(&self, key_offset: usize) -> Result<TopologyPair<'_>, TopologyFault> {
        let rest = &self.text[key_offset..];
        let is_other = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        let key = &rest[..rest.find(is_other).unwrap_or(rest.len())];
        let behind = rest[key.len()..].trim_start();
        if key.eq_ignore_ascii_case("include") && !behind.starts_with('=') {
            let problem = "Include is not read; put the lines of that file here instead";
            return Err(self.fault(key_offset, problem.to_owned()));
        }
        let behind_equals = behind.strip_prefix('=').filter(|_| !key.is_empty());
        let Some(raw_value) = behind_equals.map(str::trim_start) else {
            let word = rest.split_whitespace().next().unwrap_or_default();
            let problem = format!("{word:?} is not a key with a value; {HINT}");
            return Err(self.fault(key_offset, problem));
        };
        let mut value_offset = self.text.len() - raw_value.len();
        let unquoted = match raw_value.strip_prefix('"') {
            None => raw_value.split(char::is_whitespace).next(),
            Some(quoted) => {
                value_offset += 1;
                quoted.split_once('"').map(|(value, _)| value)
            }
        };
        let value = unquoted.filter(|value| !value.is_empty()).ok_or_else(|| {
            let problem = format!("{key} has no value or no closing quote; {HINT}");
            self.fault(key_offset, problem)
        })?;
        Ok(TopologyPair {
            key,
            key_offset,
            value,
            value_offset,
        })
    }
}

/// The logical lines of a file that are not empty. A line behind a backslash belongs to the line above; in printed
/// output, so does a line that begins no switch or block.
pub(super) fn lines(text: &str) -> Vec<TopologyLine> {
    let is_printed = is_printed(text);
    let mut lines: Vec<TopologyLine> = Vec::new();
    let mut is_continued = false;
    for (number, raw) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let uncommented = raw.split('#').next().unwrap_or_default();
        let continued = uncommented.trim_end().strip_suffix('\\');
        let content = continued.unwrap_or(uncommented);
        let is_further = is_printed && !begins_with(content, RECORDS.iter().map(|form| &form.keys[0]));
        match lines.last_mut() {
            Some(above) if is_continued => {
                above.append(content, TopologyPlace::start_of_line(number));
            }
            _ if is_further && (is_prompt(content) || content.trim().is_empty()) => continue,
            Some(above) if is_further => above.unwrap_into(content, number),
            _ => {
                let mut line = TopologyLine::default();
                line.append(content, TopologyPlace::start_of_line(number));
                lines.push(line);
            }
        }
        is_continued = continued.is_some();
    }
    lines.retain(|line| !line.text.trim().is_empty());
    lines
}

/// True for the output of `scontrol show topology`, whose lines have keys that no file has; a terminal may
/// have wrapped them.
fn is_printed(text: &str) -> bool {
    let text = text.replace(['\r', '\n'], "");
    [" Level=", " BlockIndex="].iter().any(|key| text.contains(key))
}

/// True for a line of a shell; no name has its sign.
fn is_prompt(content: &str) -> bool {
    content.contains('$')
}

/// True if a line begins with one of the keys and an equals sign.
fn begins_with<'a>(content: &str, mut keys: impl Iterator<Item = &'a &'a str>) -> bool {
    let key = content.split_once('=').map(|(key, _)| key.trim());
    key.is_some_and(|line_key| keys.any(|key| line_key.eq_ignore_ascii_case(key)))
}
