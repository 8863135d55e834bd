//! Lines of a configuration file of Slurm: comments, continuations, and pairs of a key and a
//! value, all with their places in the file.

/// Example of a line, as the end of an error.
const HINT: &str = "write lines such as SwitchName=s0 Nodes=n[0-15]";

/// A logical line: lines of the file, joined where one ends in a backslash.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: String,
    /// Begin of each line of the file in `text`, and its number.
    parts: Vec<(usize, u64)>,
}

/// A place in a file: line and column, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) column: u64,
}

/// A fault and its place.
pub(super) type Fault = (Place, String);

/// `Key=Value`, or `Key="Value"`.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    pub(super) key: &'a str,
    pub(super) key_offset: usize,
    pub(super) value: &'a str,
    pub(super) value_offset: usize,
}

impl Line {
    /// Place in the file of a byte of the line.
    pub(super) fn place(&self, offset: usize) -> Place {
        let part = self.parts.partition_point(|&(start, _)| start <= offset);
        let (start, line) = self.parts[part.saturating_sub(1)];
        let before = self.text[start..].char_indices();
        let column = before.take_while(|(at, _)| start + at < offset).count();
        Place {
            line,
            column: column as u64 + 1,
        }
    }

    /// The pairs of the line, in order.
    pub(super) fn pairs(&self) -> Result<Vec<Pair<'_>>, Fault> {
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
    fn pair(&self, key_offset: usize) -> Result<Pair<'_>, Fault> {
        let rest = &self.text[key_offset..];
        let is_other = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        let key = &rest[..rest.find(is_other).unwrap_or(rest.len())];
        let behind = rest[key.len()..].trim_start();
        if key.eq_ignore_ascii_case("include") && !behind.starts_with('=') {
            let problem = "Include is not read; put the lines of that file here instead";
            return Err((self.place(key_offset), problem.to_owned()));
        }
        let value = behind.strip_prefix('=').filter(|_| !key.is_empty());
        let Some(value) = value.map(str::trim_start) else {
            let word = rest.split_whitespace().next().unwrap_or_default();
            let problem = format!("{word:?} is not a key with a value; {HINT}");
            return Err((self.place(key_offset), problem));
        };
        let mut value_offset = self.text.len() - value.len();
        let value = match value.strip_prefix('"') {
            None => value.split(char::is_whitespace).next(),
            Some(quoted) => {
                value_offset += 1;
                quoted.split_once('"').map(|(value, _)| value)
            }
        };
        let value = value.filter(|value| !value.is_empty()).ok_or_else(|| {
            let problem = format!("{key} has no value or no closing quote; {HINT}");
            (self.place(key_offset), problem)
        })?;
        Ok(Pair {
            key,
            key_offset,
            value,
            value_offset,
        })
    }
}

/// The logical lines of a file that are not empty.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line = Line::default();
    for (number, raw) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let content = raw.split('#').next().unwrap_or_default();
        line.parts.push((line.text.len(), number));
        if let Some(continued) = content.trim_end().strip_suffix('\\') {
            line.text.push_str(continued);
        } else {
            line.text.push_str(content);
            lines.push(std::mem::take(&mut line));
        }
    }
    lines.push(line);
    lines.retain(|line| !line.text.trim().is_empty());
    lines
}
