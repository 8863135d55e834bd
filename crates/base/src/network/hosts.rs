//! Host list expressions, the short notation of clusters for many hosts: `n[00-31,40],login1` and
//! `rack[0-3]-n[0-15]`.
//!
//! # Choices
//! Elements are separated by commas, spaces or tabs. A bracket holds numbers and ranges; the
//! first number of a range sets the number of digits. Several brackets of an element yield all
//! combinations, the last bracket varying fastest. Unlike in Slurm, which requires a bracket at
//! the end, a name may continue after the last bracket: `n[0-3].cluster`.
//!
//! # Source
//! The description of node names in Slurm's manual page `slurm.conf(5)`.
//!
//! ```
//! # use netsig_base::network::hosts::expand;
//! let names: Vec<String> = expand("n[08-10],x1")?.into_iter().map(|name| name.text).collect();
//! assert_eq!(names, ["n08", "n09", "n10", "x1"]);
//! # Ok::<(), netsig_base::network::hosts::HostListError>(())
//! ```

use std::collections::HashMap;

use super::{MOST_HOSTS, Network, Vertex};
use crate::text::is_whole_number;

/// Example of an expression, as the end of an error.
const HINT: &str = "write names such as n[0-15,20],login1";

/// Error of an expression; the message ends with a remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct HostListError {
    /// Position of the fault in the expression, in bytes.
    pub offset: usize,
    /// The fault and its remedy.
    pub problem: String,
}

/// A name and the element that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedName {
    /// The name.
    pub text: String,
    /// Position of the element in the expression, in bytes.
    pub offset: usize,
}

/// Most characters of a part of a host's name.
const MOST_DIGITS: usize = 63;

/// Numbers from the first to the last, with at least `digits` digits.
struct NumberRange {
    first: u64,
    last: u64,
    digits: usize,
}

/// A part of an element.
enum HostListPart<'a> {
    Literal(&'a str),
    Numbers(Vec<NumberRange>),
}

impl HostListPart<'_> {
    fn count(&self) -> u64 {
        match self {
            Self::Literal(_) => 1,
            Self::Numbers(ranges) => ranges.iter().fold(0, |sum: u64, range| {
                sum.saturating_add(range.last - range.first).saturating_add(1)
            }),
        }
    }

    /// Appends each text of this part to each of `names`.
    fn append_to(&self, names: &[String]) -> Vec<String> {
        let mut longer = Vec::new();
        for name in names {
            match self {
                Self::Literal(text) => longer.push(format!("{name}{text}")),
                Self::Numbers(ranges) => longer.extend(ranges.iter().flat_map(|range| {
                    let digits = range.digits;
                    (range.first..=range.last).map(move |n| format!("{name}{n:0digits$}"))
                })),
            }
        }
        longer
    }
}

/// All names of the expression, in its order; a name may occur twice.
///
/// # Errors
/// If there are no names or more than 1,048,576, a bracket or a range is malformed, or a
/// character cannot be part of a name.
pub fn expand(expression: &str) -> Result<Vec<ListedName>, HostListError> {
    let mut names = Vec::new();
    for (offset, element) in elements(expression) {
        let parts = element_parts(offset, element)?;
        let count = parts.iter().map(HostListPart::count).fold(1, u64::saturating_mul);
        if count.saturating_add(names.len() as u64) > MOST_HOSTS as u64 {
            let problem = format!("more than {MOST_HOSTS} names; shorten the ranges");
            return Err(HostListError { offset, problem });
        }
        let empty = vec![String::new()];
        let texts = parts.iter().fold(empty, |all, part| part.append_to(&all));
        names.extend(texts.into_iter().map(|text| ListedName { text, offset }));
    }
    if names.is_empty() {
        return Err(fault(0, format!("no names; {HINT}")));
    }
    Ok(names)
}

impl Network {
    /// All hosts, ascending.
    pub fn all_hosts(&self) -> impl ExactSizeIterator<Item = Vertex> + use<> {
        (0..self.hosts().get()).map(Vertex)
    }

    /// Hosts by name.
    pub fn hosts_by_name(&self) -> HashMap<&str, Vertex> {
        let entry = |host| (self.vertex_name(host), host);
        self.all_hosts().map(entry).collect()
    }

    /// The hosts that an expression names, in its order.
    ///
    /// # Errors
    /// If the expression is malformed, or names a host twice or an unknown host.
    pub fn hosts_listed(&self, expression: &str) -> Result<Vec<Vertex>, HostListError> {
        let mut known = self.hosts_by_name();
        let mut chosen = Vec::new();
        for ListedName { text, offset } in expand(expression)? {
            let host = known.remove(text.as_str());
            chosen.push(host.ok_or_else(|| fault(offset, self.unknown_host_problem(&text)))?);
        }
        Ok(chosen)
    }

    /// Error text for a name that is no host, or was named before.
    pub(super) fn unknown_host_problem(&self, name: &str) -> String {
        if self.all_hosts().any(|host| self.vertex_name(host) == name) {
            return format!("host {name:?} is named twice; name it once");
        }
        let [first, last] = [0, self.hosts().get() - 1].map(Vertex);
        format!(
            "there is no host {name:?}; write names from {} to {}",
            self.vertex_name(first),
            self.vertex_name(last)
        )
    }
}

fn fault(offset: usize, problem: String) -> HostListError {
    HostListError { offset, problem }
}

/// The elements with their offsets; separators within brackets do not count.
fn elements(expression: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_inside = false;
    let splits = move |c: char| {
        is_inside = matches!((c, is_inside), ('[', _) | (_, true)) && c != ']';
        !is_inside && matches!(c, ',' | ' ' | '\t')
    };
    let start = expression.as_ptr() as usize;
    let place = move |element: &str| element.as_ptr() as usize - start;
    let parts = expression.split(splits).filter(|part| !part.is_empty());
    parts.map(move |element| (place(element), element))
}

/// Splits an element that begins at `offset` at its brackets.
fn element_parts(offset: usize, element: &str) -> Result<Vec<HostListPart<'_>>, HostListError> {
    let mut parts = Vec::new();
    let (mut place, mut rest) = (offset, element);
    while let Some((before, after)) = rest.split_once('[') {
        parts.push(literal(place, before)?);
        let open = place + before.len();
        let Some((inside, behind)) = after.split_once(']') else {
            return Err(fault(open, format!("\"[\" is never closed; {HINT}")));
        };
        parts.push(numbers(open + 1, inside)?);
        place = open + inside.len() + 2;
        rest = behind;
    }
    parts.push(literal(place, rest)?);
    Ok(parts)
}

/// Checks a part of a name outside of brackets.
fn literal(place: usize, text: &str) -> Result<HostListPart<'_>, HostListError> {
    let is_wrong = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'));
    match text.char_indices().find(|&(_, c)| is_wrong(c)) {
        None => Ok(HostListPart::Literal(text)),
        Some((at, c)) => {
            let problem = format!("{c:?} cannot be part of a name; {HINT}");
            Err(fault(place + at, problem))
        }
    }
}

/// Parses the content of a bracket: `0-3,08,12-15`.
fn numbers(mut place: usize, inside: &str) -> Result<HostListPart<'_>, HostListError> {
    let mut ranges = Vec::new();
    for part in inside.split(',') {
        ranges.push(range(part).ok_or_else(|| {
            let problem = format!("{part:?} is not a number or an ascending range; {HINT}");
            fault(place, problem)
        })?);
        place += part.len() + 1;
    }
    Ok(HostListPart::Numbers(ranges))
}

/// Parses `7` or `08-12`.
fn range(text: &str) -> Option<NumberRange> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.parse().ok().filter(|_| is_whole_number(text));
    let range = NumberRange {
        first: number(first)?,
        last: number(last)?,
        digits: first.len(),
    };
    (range.first <= range.last && range.digits <= MOST_DIGITS).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expansions as in Slurm, or the fault and its place.
    #[test]
    fn expressions_are_expanded_or_refused_with_place_and_remedy() {
        let told = [
            "tux[0-2,12]",
            "n[09-11]",
            "n[9-11,007]",
            "a, b\tc[1],,",
            "r[0-1]_b[8-9]",
            "n[1-2].lan",
            "[1-2]",
            "",
            "a,n[0-3",
            "a,b\"c",
            "n[1,3-2]",
            "n[1-]",
            "n[1-2-3]",
            "n[99999999999999999999]",
            "a,n[0-1048575]",
            "n[0-18446744073709551615]",
        ]
        .map(|expression| match expand(expression) {
            Ok(names) => {
                let names: Vec<String> = names.into_iter().map(|name| name.text).collect();
                format!("{expression:?}: {}\n", names.join(" "))
            }
            Err(error) => format!("{expression:?} at {}\n  {error}\n", error.offset),
        });
        insta::assert_snapshot!(told.concat());
        let zeros = "0".repeat(70_000);
        for wide in [
            format!("n[{zeros}-1000]"),
            format!("n[{zeros}]"),
            format!("n[1-9{zeros}]"),
        ] {
            assert!(expand(&wide).is_err());
        }
        assert_eq!(expand("n[0-1048575]").unwrap().len(), 1 << 20);
    }

    #[test]
    fn hosts_are_found_by_name_once() {
        let star = crate::network::tests::star(12);
        let chosen = star.hosts_listed("host[9-11],host0").unwrap();
        assert_eq!(chosen, [9, 10, 11, 0].map(Vertex));
        let told = ["host[10-12]", "host1,host[0-3]"]
            .map(|expression| format!("{}\n", star.hosts_listed(expression).unwrap_err()));
        insta::assert_snapshot!(told.concat());
    }
}
